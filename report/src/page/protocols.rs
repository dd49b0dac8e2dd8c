//! The section that compares protocols: detection of their mutants, coverage, and cost. They are not pooled, since their mutants differ.

use std::collections::BTreeMap;

use super::Page;
use super::cell::Cell;
use super::clients;
use super::coverage;
use super::section::{Anchors, Section};
use super::table::Table;
use crate::answers::ProtocolResult;
use crate::numbers::{halves, percent, seconds};
use crate::statistics::Share;
use tables::reached::Reached;

/// The results and the coverage of a protocol.
pub(super) struct Compared<'p> {
    /// The protocol's name, as runs or tables of coverage have it.
    pub name: &'p str,
    /// The results of its runs; all zero if there are none.
    pub result: ProtocolResult,
    /// The transitions that the protocol's unmutated runs took; `None` without a table of coverage.
    pub reached: Option<Reached>,
}

/// Returns the protocols with runs or coverage, by name, those whose mutants ran first.
pub(super) fn compared<'p>(page: &Page<'p>) -> Vec<Compared<'p>> {
    let mut all: BTreeMap<&str, Compared<'_>> = BTreeMap::new();
    let empty = |name| Compared { name, result: ProtocolResult::default(), reached: None };
    for result in page.answers.iter().flat_map(|answers| &answers.protocols) {
        let one = all.entry(&result.protocol).or_insert_with(|| empty(&result.protocol));
        one.result = result.clone();
    }
    for rows in page.results.coverage.chunk_by(|a, b| a.protocol == b.protocol) {
        let name = rows[0].protocol.as_str();
        let one = all.entry(name).or_insert_with(|| empty(name));
        one.reached = Some(coverage::whole(rows, page.unreached));
    }
    let mut all: Vec<Compared<'_>> = all.into_values().collect();
    all.sort_by_key(|one| one.result.mutants == 0);
    all
}

/// Makes the section; `None` if there are no protocols.
pub(super) fn section(page: &Page<'_>, anchors: &mut Anchors) -> Option<Section> {
    let all = compared(page);
    if all.is_empty() {
        return None;
    }
    let body = maud::html! {
        p {
            "A line for each protocol. Their mutants and programs differ, so shares of different protocols are beside each other and never added. "
            @if let Some(answers) = page.answers {
                "Mutants are those that ran, without the " (answers.equivalents.len()) " that are known to be equivalent to their "
                "protocol, unreachable or harmless. Some that nothing found may be harmless as well, so the share is a lower bound "
                "for the mutants that can be found."
            }
        }
        (table(&all).markup())
        @if let Some(answers) = page.answers.filter(|answers| !answers.clients.is_empty()) {
            (clients::section(&answers.clients))
        }
    };
    Some(Section::new(anchors, "protocols", "Protocols side by side", body))
}

fn table(all: &[Compared<'_>]) -> Table {
    let heads = [
        "Protocol",
        "Mutants",
        "Found",
        "Share found",
        "Runs until found",
        "Operations until detected",
        "Transitions taken",
        "Transitions reachable",
        "Coverage",
        "Runs of mutants",
        "Time per run",
        "Alarms unmutated",
    ];
    let mut table = Table::new(
        "Detection, coverage and cost of each protocol; runs and operations are medians",
        &heads,
    );
    for one in all {
        let result = &one.result;
        let tried = result.mutants > 0;
        let count = |number| Cell::count_if(tried.then_some(number), "·");
        let median = |number: Option<f64>| {
            number
                .map_or_else(|| Cell::missing("·"), |number| Cell::number(&halves(number), number))
        };
        let reached = |of: fn(&Reached) -> usize| {
            Cell::count_if(one.reached.as_ref().map(|reached| of(reached) as u64), "·")
        };
        let each = result.seconds / result.runs.max(1) as f64;
        table.push(vec![
            Cell::name(one.name),
            count(result.mutants),
            count(result.found),
            counted(result.found, result.mutants),
            median(result.median_run),
            median(result.median_operations),
            reached(|reached| reached.reached),
            reached(|reached| reached.reachable),
            one.reached.map_or_else(
                || Cell::missing("·"),
                |reached| part(reached.reached as u64, reached.reachable as u64),
            ),
            count(result.runs),
            if tried { Cell::number(&seconds(each), each) } else { Cell::missing("·") },
            Cell::count_if((result.unmutated > 0).then_some(result.alarms), "·"),
        ]);
    }
    table
}

/// Shows a share of counted cases as a shaded cell, with the interval in which it lies if they are few.
fn counted(part: u64, whole: u64) -> Cell {
    let share = Share { part, of: whole };
    match share.known() {
        Some(value) => Cell::number(&share.shown(), value).shaded(value),
        None => Cell::missing("·"),
    }
}

/// Shows a share of a whole as a shaded cell.
pub(super) fn part(part: u64, whole: u64) -> Cell {
    if whole == 0 {
        return Cell::missing("·");
    }
    let share = part as f64 / whole as f64;
    Cell::number(&percent(share), share).shaded(share)
}
