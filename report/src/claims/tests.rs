//! Tests each claim on rows for which the verdict is known, and all claims on arbitrary rows.

mod burnim;
mod gcc;
mod other;
mod tsotool;
mod wsc;

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::testing::{Case, Point, Rows};
use super::*;
use tables::{Reported, Trial, write_csv};

fn cases() -> Vec<Case> {
    let mut cases = gcc::cases();
    cases.extend(wsc::cases());
    cases.extend(tsotool::cases());
    cases.extend(burnim::cases());
    cases.extend(other::cases());
    cases
}

fn claim(id: &str, rows: &Rows) -> Claim {
    let results =
        Results { trials: rows.trials.clone(), runs: rows.runs.clone(), ..Results::default() };
    let mut claims = all(&results).into_iter();
    claims.find(|claim| claim.id == id).unwrap()
}

#[test]
fn every_claim_that_is_stated_is_tested_once() {
    let made = all(&Results::default());
    let stated: Vec<&str> = paper::ALL.iter().map(|stated| stated.id).collect();
    let made: Vec<&str> = made.iter().map(|claim| claim.id).collect();
    assert_eq!(made, stated);
    assert_eq!(made.iter().collect::<BTreeSet<_>>().len(), made.len());
    let tested: Vec<&str> = cases().iter().map(|case| case.id).collect();
    for id in made {
        assert_eq!(tested.iter().filter(|tested| **tested == id).count(), 1, "{id}");
    }
}

#[test]
fn claims_hold_or_differ() {
    for case in cases() {
        let stated = paper::ALL.iter().find(|stated| stated.id == case.id);
        let is_calibrated = stated.unwrap().calibrated().is_some();
        let or_calibrated = |verdict| {
            if is_calibrated { Verdict::Calibrated } else { verdict }
        };
        let holds = claim(case.id, &case.holds);
        assert_eq!(holds.verdict, or_calibrated(Verdict::Holds), "{holds:#?}");
        let differs = claim(case.id, &case.differs);
        assert_eq!(differs.verdict, or_calibrated(Verdict::Differs), "{differs:#?}");
        for claim in [holds, differs] {
            assert!(!claim.ours.is_empty() && claim.note.ends_with('.'), "{claim:#?}");
            assert_eq!(claim.rule, rule(case.id));
        }
    }
}

fn rule(id: &str) -> String {
    let stated = paper::ALL.iter().find(|stated| stated.id == id);
    stated.unwrap().rule()
}

/// A rule does not depend on the results, so it exists without any.
#[test]
fn every_claim_has_its_rule() {
    for claim in all(&Results::default()) {
        assert_eq!(claim.rule, rule(claim.id));
        assert!(claim.rule.contains("Holds if ") && claim.rule.ends_with('.'), "{claim:#?}");
    }
    for (id, _) in paper::CALIBRATED {
        assert!(rule(id).starts_with("Calibrated"), "{id}");
    }
}

#[test]
fn what_has_not_finished_is_untested() {
    for case in cases() {
        let mut results =
            Results { trials: case.holds.trials, runs: case.holds.runs, ..Results::default() };
        let found = |results: &Results| {
            let mut claims = all(results).into_iter();
            claims.find(|claim| claim.id == case.id).unwrap()
        };
        assert_ne!(found(&results).verdict, Verdict::Untested);
        results.unfinished.campaign = true;
        let experiments = results.trials.iter().map(|row| row.experiment.clone());
        results.unfinished.experiments =
            experiments.map(|name| (name, "paper".to_owned())).collect();
        let unfinished = found(&results);
        assert_eq!(unfinished.verdict, Verdict::Untested, "{unfinished:#?}");
        assert!(unfinished.note.contains("has not finished"), "{unfinished:#?}");
    }
}

#[test]
fn what_is_for_trying_out_is_untested() {
    for mut case in cases() {
        if case.holds.trials.is_empty() {
            continue;
        }
        for row in &mut case.holds.trials {
            row.size = "quick".to_owned();
        }
        let quick = claim(case.id, &case.holds);
        let why = quick.why_untested().unwrap();
        let command = format!("run `rubric experiment {} --size paper`.", quick.experiment);
        assert!(why.starts_with("Size quick decides no claim") && why.ends_with(&command), "{why}");
        assert_eq!(quick.verdict, Verdict::Untested, "{quick:#?}");
        assert!(!quick.ours.is_empty() && quick.note.contains("decides no claim"), "{quick:#?}");
    }
}

#[test]
fn one_history_tells_nothing() {
    for case in cases() {
        let mut few = case.holds;
        let first = few.trials.first().map(|row| row.point.clone());
        few.trials.retain(|row| row.number == 0 && Some(&row.point) == first.as_ref());
        few.runs.truncate(2);
        let claim = claim(case.id, &few);
        assert_eq!(claim.verdict, Verdict::Untested, "{claim:#?}");
        assert!(claim.note.contains("rubric experiment"), "{claim:#?}");
    }
}

#[test]
fn no_results_are_untested_with_the_command() {
    for claim in all(&Results::default()) {
        assert_eq!(claim.verdict, Verdict::Untested);
        assert!(claim.ours.is_empty());
        assert!(claim.note.contains("`rubric experiment "), "{claim:#?}");
    }
}

/// Violations at a size, each of which wSC refutes in `seconds`.
fn at_size(size: &str, seconds: f64) -> Vec<Trial> {
    let mut rows =
        Point::sc("wsc-fig9", "threads").say(Reported::Violation, &[("wsc-published", seconds)]);
    rows.iter_mut().for_each(|row| row.size = size.to_owned());
    rows
}

#[test]
fn the_size_of_the_paper_counts() {
    let large = at_size("large", 9.0);
    assert_eq!(claim("wsc-fig9-seconds", &large.clone().into()).verdict, Verdict::Differs);
    let both = [large, at_size("paper", 0.2), at_size("quick", 50.0)].concat();
    let claim = claim("wsc-fig9-seconds", &both.into());
    assert_eq!((claim.verdict, claim.ours.as_str()), (Verdict::Holds, "200 ms"));
    assert!(claim.note.contains("100 histories, size paper"), "{claim:#?}");
}

#[test]
fn a_size_that_does_not_tell_leaves_it_to_the_next() {
    let mut paper = at_size("paper", 0.2);
    paper.truncate(2);
    let few = claim("wsc-fig9-seconds", &paper.clone().into());
    assert_eq!(few.verdict, Verdict::Untested);
    let both = claim("wsc-fig9-seconds", &[at_size("large", 0.2), paper].concat().into());
    assert_eq!(both.verdict, Verdict::Holds);
    let sizes = "100 histories, size large. The rows of size paper are too few to decide.";
    assert!(both.note.ends_with(sizes), "{both:#?}");
}

#[test]
fn csv_has_a_row_for_each_claim() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("claims.csv");
    let claims = all(&Results::default());
    write_csv(&claims, &path).unwrap();
    let mut table = csv::Reader::from_path(&path).unwrap();
    let headings = [
        "id",
        "paper",
        "place",
        "experiment",
        "statement",
        "theirs",
        "ours",
        "verdict",
        "rule",
        "note",
    ];
    assert_eq!(table.headers().unwrap(), &headings[..]);
    let rows: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), claims.len());
    for (row, claim) in rows.iter().zip(&claims) {
        assert_eq!(
            (&row[0], &row[4], &row[7]),
            (claim.id, &*claim.statement, claim.verdict.name())
        );
        assert_eq!((&row[8], &row[9]), (&*claim.rule, &*claim.note));
    }
    assert!(write_csv(&claims, &folder.path().join("no/such")).is_err());
}

fn text(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::sample::select(words).prop_map(str::to_owned)
}

prop_compose! {
    fn trial()(
        algorithm in text(&[
            "sc-sat", "sc-ccm-sat-published", "sc-ccm-enum-published", "cc", "ccv", "ccm", "ccm-published", "wsc", "wsc-published", "wsc-enum", "ccm-enum-published", "dbcop", "wsc-dbcop-published",
            "tso-baseline", "heu-no-baseline", "deriv-no-baseline", "deriv-back-no-baseline", "heu", "deriv", "deriv-back", "heu-back", "nice-cycle", "simple-witness", "kernel",
        ]),
        mix in text(&["50,16,30,2", "33,33,30,2", "16,50,30,2", ""]),
        numbers in (0..14u32, 0..3u32, prop::sample::select(vec![0u64, 524_288]), 0..2u32),
        counts in (0..3u64, prop::option::of(0..3u64), prop::option::of(0..3u64), prop::option::of(0..3u32)),
        said in prop::sample::select(Reported::ALL.to_vec()),
        seconds in prop_oneof![Just(0.0), Just(-1.0), Just(f64::NAN), Just(f64::INFINITY), 0.0..100.0f64],
    ) -> Trial {
        Trial {
            algorithm, mix, said, seconds,
            size: "quick".to_owned(),
            number: numbers.0,
            threads: numbers.1 * 8,
            operations: numbers.2,
            locations: numbers.3 * 256,
            point: format!("{numbers:?}"),
            write_pairs: counts.0,
            ordered: counts.1,
            kernel: counts.2,
            cycle: counts.3,
            ..Trial::default()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn odd_rows_do_no_harm(
        (experiment, part, model) in (
            text(&[
                "gcc-fig4", "gcc-fig5", "gcc-fig5-reordered", "gcc-fig6", "gcc-unordered", "wsc-kernel", "wsc-fig6", "wsc-fig7", "wsc-fig8",
                "wsc-fig9", "tsotool-fig3", "tsotool-fig4", "tsotool-table1", "qadeer-cycles", "qadeer-systems",
            ]),
            text(&["operations", "threads", "histories"]),
            text(&["sc", "tso"]),
        ),
        mut trials in prop::collection::vec(trial(), 0..1500),
    ) {
        for trial in &mut trials {
            trial.experiment = experiment.clone();
            trial.part = part.clone();
            trial.model = model.clone();
        }
        let results = Results { trials, ..Results::default() };
        for claim in all(&results) {
            prop_assert!(!claim.ours.contains("NaN"), "{:?}", claim);
            prop_assert!(!claim.note.is_empty());
        }
    }
}
