//! Lists mutants: those found by a fault of the protocol, the survivors, and the equivalent ones.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::hints::Hints;
use crate::answers::{Answers, CaughtMutant, EquivalentMutant, Survivor};
use crate::numbers::counted;
use crate::page::cell::Cell;
use crate::page::table::Table;

/// The largest number of rows of a table that is not folded at first.
const LONG: usize = 25;

/// Lists the mutants that were found by a protocol error or deadlock only, each with the command that reproduces the
/// run. Violations of a model have a section of their own.
pub(super) fn failures(answers: &Answers) -> Option<Markup> {
    let is_failure = |one: &&CaughtMutant| one.outcome != "violation";
    let failed: Vec<&CaughtMutant> = answers.caught.iter().filter(is_failure).collect();
    if failed.is_empty() {
        return None;
    }
    let mut table = Table::new(
        "Mutants that made their protocol fail",
        &["Mutant", "Protocol", "Cores", "End", "Reproduce with"],
    );
    for one in &failed {
        table.push(vec![
            Cell::code(&one.mutant),
            Cell::text(&one.protocol),
            Cell::text(&one.clients.join(" ")),
            Cell::text(one.outcome),
            Cell::code(&one.command),
        ]);
    }
    let summary = counted(failed.len(), "mutant", "mutants");
    Some(html! {
        p { "A protocol error or a deadlock found them, and no run of them violates what its cores guarantee." }
        (table.folded(&summary, failed.len() <= LONG))
    })
}

/// Lists the survivors, the most suspicious first.
pub(super) fn survivors(answers: &Answers, known: &BTreeMap<String, String>) -> Option<Markup> {
    let survivors = &answers.survivors;
    if survivors.is_empty() {
        return None;
    }
    let heads = [
        "Mutant",
        "Protocol",
        "Operator",
        "Machine",
        "State",
        "Event",
        "Times taken",
        "Runs that took it",
        "Runs",
        "Undecided",
        "What would have found it",
    ];
    let mut table = Table::new("Mutants that nothing found", &heads);
    let hints = Hints::of(answers, known);
    for one in survivors {
        let mut row = survivor(one);
        row.push(Cell::text(&hints.about(one)));
        table.push(row);
    }
    let summary = counted(survivors.len(), "mutant", "mutants");
    Some(html! {
        p { "Ordered by how often the edited place was taken." }
        (table.folded(&summary, survivors.len() <= LONG))
    })
}

fn survivor(one: &Survivor) -> Vec<Cell> {
    let text = |text: &Option<String>| Cell::text(text.as_deref().unwrap_or(""));
    vec![
        Cell::code(&one.mutant),
        Cell::text(&one.protocol),
        Cell::text(&one.operator),
        text(&one.machine),
        text(&one.state),
        text(&one.event),
        Cell::count_if(one.covered, "not known"),
        Cell::count(one.covering),
        Cell::count(one.runs),
        Cell::count(one.undecided),
    ]
}

/// Lists the equivalent and harmless mutants, folded.
pub(super) fn equivalents(answers: &Answers) -> Option<Markup> {
    let equivalents = &answers.equivalents;
    if equivalents.is_empty() {
        return None;
    }
    let mut table =
        Table::new("Excluded mutants", &["Mutant", "Protocol", "Operator", "Kind", "Reason"]);
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for one in equivalents {
        *kinds.entry(&one.kind).or_default() += 1;
        table.push(equivalent(one));
    }
    let kinds = kinds.iter().map(|(kind, count)| format!("{count} {kind}"));
    let kinds = kinds.collect::<Vec<_>>().join(", ");
    let wrong = equivalents.iter().filter(|one| one.detections > 0).count();
    Some(html! {
        p {
            "They cannot differ from their protocol, no run with the same seeds reaches the edited place, or they are known to do no harm: " (kinds) "."
            @if wrong > 0 { " Runs of " (wrong) " of them found something nevertheless, so the reason is wrong." }
        }
        (table.folded(&counted(equivalents.len(), "mutant", "mutants"), false))
    })
}

fn equivalent(one: &EquivalentMutant) -> Vec<Cell> {
    vec![
        Cell::code(&one.mutant),
        Cell::text(&one.protocol),
        Cell::text(&one.operator),
        Cell::text(&one.kind),
        Cell::text(&one.reason),
    ]
}
