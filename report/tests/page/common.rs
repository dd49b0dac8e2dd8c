//! Invented results with everything that a page can show, and names that contain markup.

use std::collections::BTreeMap;

use report::answers::Answers;
use report::claims::{Claim, Verdict};
use report::figures::{Figure, Table};
use report::page::{Cycle, Page, Unreached, html};
use report::picture::{Arrow, Operation, Picture, Relation, Weight};
use tables::results::Results;
use tables::{CampaignRun, Checked, Coverage, Equivalent, Finding, Reported, RunOutcome, Trial};

/// A name that must not become markup.
pub(crate) const EVIL: &str = "<script>alert('x')</script>\"&";

/// The content of a page, owned.
#[derive(Clone, Default)]
pub(crate) struct Made {
    pub results: Results,
    pub answers: Option<Answers>,
    pub figures: Vec<Figure>,
    pub claims: Vec<Claim>,
    pub cycles: Vec<Cycle>,
    pub unreached: Vec<Unreached>,
    pub known: BTreeMap<String, String>,
}

impl Made {
    pub(crate) fn html(&self) -> String {
        html(&Page {
            results: &self.results,
            facts: &[("Version", "9.8.7".to_owned())],
            answers: self.answers.as_ref(),
            figures: &self.figures,
            claims: &self.claims,
            cycles: &self.cycles,
            unreached: &self.unreached,
            known: &self.known,
        })
    }
}

/// A page with all sections.
pub(crate) fn full() -> Made {
    let runs = runs();
    let equivalents = vec![Equivalent {
        protocol: "P".to_owned(),
        mutant: EVIL.to_owned(),
        operator: EVIL.to_owned(),
        kind: "identical".to_owned(),
        reason: EVIL.to_owned(),
    }];
    let answers = Answers::of(&runs, &equivalents, &|model, criterion| model == criterion);
    Made {
        cycles: vec![Cycle {
            command: runs[1].command.clone(),
            text: format!("the required orderings form a cycle {EVIL}\n  T0:1 store"),
            picture: Some(Picture {
                title: EVIL.to_owned(),
                columns: vec![EVIL.to_owned()],
                operations: [EVIL, "T0:1"].map(operation).into(),
                arrows: vec![Arrow {
                    from: 0,
                    to: 1,
                    relation: Relation::ProgramOrder,
                    letter: None,
                    weight: Weight::Strong,
                }],
                ..Picture::default()
            }),
        }],
        results: Results {
            trials: trials(),
            runs,
            equivalents,
            coverage: coverage(),
            ..Results::default()
        },
        answers: Some(answers),
        figures: ["gcc-fig4-operations", "gcc-fig4-threads", "mutants-kills", "mutants-operations"]
            .map(figure)
            .to_vec(),
        claims: claims(),
        known: BTreeMap::from([("survivor-7".to_owned(), EVIL.to_owned())]),
        unreached: vec![Unreached {
            protocol: "P".to_owned(),
            machine: "L1Cache".to_owned(),
            state: "M".to_owned(),
            event: "Flush".to_owned(),
            reason: format!("needs {EVIL}"),
        }],
    }
}

fn trials() -> Vec<Trial> {
    let trial = |experiment: &str, number: u32, algorithm: &str, said| Trial {
        experiment: experiment.to_owned(),
        size: "quick".to_owned(),
        part: "operations".to_owned(),
        point: "operations=100".to_owned(),
        number,
        seed: 40 + u64::from(number),
        model: "sc".to_owned(),
        algorithm: algorithm.to_owned(),
        said,
        seconds: 0.25,
        timeout: 60.0,
        version: "1.2.3".to_owned(),
        machine: "a processor, 2 at a time".to_owned(),
        command: "rubric experiment gcc-fig4 --seed 5 --only".to_owned(),
        ..Trial::default()
    };
    let mut trials = Vec::new();
    for number in 0..3 {
        trials.push(trial("gcc-fig4", number, "sc-sat", Reported::Timeout));
        trials.push(trial("gcc-fig4", number, "sc-ccm-enum", Reported::Consistent));
    }
    trials.push(trial(EVIL, 0, EVIL, Reported::Violation));
    trials
}

/// A run of an unmutated protocol, and runs of mutants, one of which is found.
fn runs() -> Vec<CampaignRun> {
    let run = |mutant: Option<&str>, outcome, shown: Option<u32>| {
        let mut run = CampaignRun {
            protocol: "P".to_owned(),
            mutant: mutant.map(str::to_owned),
            operator: mutant.map(|_| "drop-action".to_owned()),
            client: "in-order".to_owned(),
            model: "sc".to_owned(),
            lineage: format!("{mutant:?}"),
            operations: 50,
            outcome,
            command: format!("rubric simulate P --mutant {mutant:?}"),
            ..CampaignRun::default()
        };
        let finding = shown.map_or(Finding::Consistent, |_| Finding::Violation);
        *run.checked_mut("sc").unwrap() =
            Checked { finding: Some(finding), operations: shown, seconds: Some(0.1) };
        run
    };
    let mut runs = vec![
        run(None, RunOutcome::Clean, None),
        run(Some("<script>caught"), RunOutcome::Violation, Some(17)),
    ];
    // Not in order, so that a test sees whether they are sorted.
    for number in [7, 10, 9, 1, 8, 3, 2, 6, 5, 4] {
        let name = format!("survivor-{number}");
        let mut survivor = run(Some(&name), RunOutcome::Clean, None);
        survivor.machine = Some(EVIL.to_owned());
        survivor.covered = (number != 1).then_some(number * 100);
        runs.push(survivor);
    }
    runs
}

fn coverage() -> Vec<Coverage> {
    let row = |machine: &str, state: &str, event: &str, stalls, count| Coverage {
        protocol: "P".to_owned(),
        machine: machine.to_owned(),
        state: state.to_owned(),
        event: event.to_owned(),
        stalls,
        count,
        unreached: None,
    };
    vec![
        row("Directory", "I", "GETX", false, 1234),
        row("L1Cache", "I", EVIL, false, 0),
        row("L1Cache", "I", "Load", false, 7),
        row("L1Cache", "IM", "Load", true, 3),
        row("L1Cache", "M", "Flush", false, 0),
    ]
}

/// A figure with the same ids as all other figures.
pub(crate) fn figure(name: &str) -> Figure {
    let mut figure = Figure::default();
    figure.name = name.to_owned();
    figure.experiment = match name.split_once('-') {
        Some(("gcc", _)) => "gcc-fig4",
        _ => "mutants",
    };
    figure.title = format!("Title of {name}");
    figure.caption = format!("Caption {EVIL}");
    figure.svg = "<?xml version=\"1.0\"?><svg width=\"80\" height=\"40\" viewBox=\"0 0 80 40\" \
          xmlns=\"http://www.w3.org/2000/svg\"><clipPath id=\"c\"><rect width=\"9\" height=\"9\"/></clipPath>\
          <g clip-path=\"url(#c)\"><text x=\"1\" y=\"9\">x &lt; y</text></g></svg>"
        .to_owned();
    figure.table = Table {
        columns: vec!["operations".to_owned(), EVIL.to_owned()],
        rows: vec![vec!["100".to_owned(), EVIL.to_owned()], vec!["20".to_owned(), "y".to_owned()]],
    };
    figure
}

fn claims() -> Vec<Claim> {
    let claim = |id, experiment, verdict| Claim {
        id,
        paper: "CAV 2019",
        place: "section 5",
        experiment,
        statement: format!("Claim {id} {EVIL}"),
        theirs: "6.6 %".to_owned(),
        ours: match verdict {
            Verdict::Untested => String::new(),
            _ => EVIL.to_owned(),
        },
        verdict,
        rule: EVIL.to_owned(),
        note: EVIL.to_owned(),
    };
    vec![
        claim("one", "gcc-fig4", Verdict::Holds),
        claim("two", "gcc-fig4", Verdict::Differs),
        claim("four", "gcc-fig5", Verdict::Calibrated),
        claim("three", "wsc-fig9", Verdict::Untested),
    ]
}

fn operation(label: &str) -> Operation {
    Operation { column: 0, label: label.to_owned(), text: EVIL.to_owned(), place: EVIL.to_owned() }
}
