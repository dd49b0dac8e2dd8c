//! The section about violations, with the shortest one of each mutant.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::Page;
use super::cell::{Cell, breakable};
use super::explained::drawn;
use super::section::{Anchors, Section};
use super::table::Table;
use crate::numbers::counted;
use crate::picture::Picture;
use tables::results::Results;
use tables::{CRITERIA, CampaignRun, Finding, RunOutcome};

/// The cycle of a violating run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// The command that reproduces the run.
    pub command: String,
    /// The violation and its cycle as text.
    pub text: String,
    /// The cycle as a picture, if the run could be reproduced.
    pub picture: Option<Picture>,
}

/// The largest number of rows of a table that is not folded.
const FEW: usize = 5;

/// Returns for each mutant, and for each unmutated protocol, the violation that was detected after the fewest
/// operations: unmutated protocols first, then named mutants, then the others, in ascending order of operations.
pub fn shortest_violations(results: &Results) -> Vec<&CampaignRun> {
    let mut shortest: BTreeMap<(&str, Option<&str>), &CampaignRun> = BTreeMap::new();
    for run in &results.runs {
        if run.outcome == RunOutcome::Violation {
            let kept = shortest.entry((&run.protocol, run.mutant.as_deref())).or_insert(run);
            if length(run) < length(kept) {
                *kept = run;
            }
        }
    }
    let mut runs: Vec<&CampaignRun> = shortest.into_values().collect();
    let rank = |run: &CampaignRun| match (&run.mutant, run.operator.as_deref()) {
        (None, _) => 0,
        (Some(_), Some("named")) => 1,
        (Some(_), _) => 2,
    };
    runs.sort_by_key(|run| (rank(run), length(run)));
    runs
}

/// The number of operations that had completed when the run violated its model, and the number of all its operations.
fn length(run: &CampaignRun) -> (u32, u32) {
    let shown = run.checked(&run.model).and_then(|checked| checked.operations);
    (shown.unwrap_or(run.operations), run.operations)
}

/// The widths of the columns, in percent. Commands and paths are long, and break.
const WIDTHS: [u32; 8] = [11, 13, 9, 10, 12, 5, 17, 23];

/// Makes the section; `None` if there is no violation.
pub(super) fn section(page: &Page<'_>, anchors: &mut Anchors) -> Option<Section> {
    let runs = shortest_violations(page.results);
    if runs.is_empty() {
        return None;
    }
    let explained: Vec<(&CampaignRun, &Cycle)> =
        runs.iter().filter_map(|run| Some((*run, cycle(page, run)?))).collect();
    let summary = counted(runs.len(), "mutant", "mutants");
    let body = html! {
        p { "For each mutant the run whose violation was detected after the fewest operations, with the command that reproduces it." }
        (table(page, &runs).folded(&summary, runs.len() <= FEW))
        @if !explained.is_empty() {
            p { "Why these are violations: the required orderings form a cycle." }
            @for (at, (run, cycle)) in explained.into_iter().enumerate() { (article(run, cycle, at)) }
        }
    };
    Some(Section::new(anchors, "violations", "Violations", body))
}

fn cycle<'p>(page: &Page<'p>, run: &CampaignRun) -> Option<&'p Cycle> {
    page.cycles.iter().find(|cycle| cycle.command == run.command)
}

fn table(page: &Page<'_>, runs: &[&CampaignRun]) -> Table {
    let heads = [
        "Mutant",
        "Protocol",
        "Cores",
        "Violates",
        "Operations until detected",
        "of",
        "Violation",
        "Command",
    ];
    let mut table = Table::new("The shortest violation of each mutant", &heads);
    table.widths(&WIDTHS);
    for run in runs {
        let (shown, all) = length(run);
        table.push(vec![
            Cell::code(name(run)),
            Cell::name(&run.protocol),
            Cell::text(&run.client),
            Cell::text(&broken(run)),
            Cell::count(shown.into()),
            Cell::count(all.into()),
            Cell::text(&wrong(page, run)),
            Cell::code(&run.command),
        ]);
    }
    table
}

fn article(run: &CampaignRun, cycle: &Cycle, at: usize) -> Markup {
    html! {
        details.violation {
            summary { code { (breakable(name(run))) } " on " (run.client) ", against " (run.model.to_uppercase()) }
            p { "Reproduce with: " code { (breakable(&run.command)) } }
            @if let Some(picture) = &cycle.picture {
                p { (picture.title) }
                (drawn(picture, &format!("v{at}-")))
            }
            pre tabindex="0" { (cycle.text) }
        }
    }
}

/// Describes the violation of a run in a sentence, as far as it is known.
fn wrong(page: &Page<'_>, run: &CampaignRun) -> String {
    let cycle = cycle(page, run).and_then(|cycle| cycle.text.lines().next());
    let said = run.message.as_deref().or(cycle);
    said.unwrap_or_default().trim().to_owned()
}

fn name(run: &CampaignRun) -> &str {
    run.mutant.as_deref().unwrap_or("(unmutated)")
}

/// Lists the criteria that a run violates.
fn broken(run: &CampaignRun) -> String {
    let criteria = CRITERIA.into_iter().zip(&run.criteria);
    let broken = criteria.filter(|(_, checked)| checked.finding == Some(Finding::Violation));
    broken.map(|(name, _)| name).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(mutant: Option<&str>, operator: &str, number: u32, shown: Option<u32>) -> CampaignRun {
        let mut run = CampaignRun {
            mutant: mutant.map(str::to_owned),
            operator: Some(operator.to_owned()),
            model: "sc".to_owned(),
            outcome: RunOutcome::Violation,
            operations: 100,
            number,
            ..CampaignRun::default()
        };
        run.checked_mut("sc").unwrap().operations = shown;
        run
    }

    #[test]
    fn one_for_each_mutant_the_shortest() {
        let clean = CampaignRun { outcome: RunOutcome::Clean, ..run(Some("d"), "x", 0, Some(1)) };
        let results = Results {
            runs: vec![
                run(Some("a"), "x", 0, Some(40)),
                run(Some("a"), "x", 1, Some(30)),
                run(Some("a"), "x", 2, Some(30)),
                run(Some("b"), "x", 3, Some(20)),
                run(Some("c"), "named", 4, None),
                run(None, "", 5, Some(90)),
                clean,
            ],
            ..Results::default()
        };
        let numbers: Vec<u32> =
            shortest_violations(&results).iter().map(|run| run.number).collect();
        assert_eq!(numbers, [5, 4, 3, 1]);
    }
}
