//! The section about coverage: the transitions that unmutated protocols took, as a heat map for each machine.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::cell::shade;
use super::grid::{GridRow, grid};
use super::section::{Anchors, Section};
use crate::numbers::{grouped, short};
use tables::Coverage;
use tables::reached::{MachineCoverage, Reached};

/// An unreachable transition of a protocol, such as one that only a DMA device causes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unreached {
    /// Name of the protocol.
    pub protocol: String,
    /// Name of the machine.
    pub machine: String,
    /// Name of the state.
    pub state: String,
    /// Name of the event.
    pub event: String,
    /// The reason why the transition is unreachable.
    pub reason: String,
}

/// The reasons why transitions of a machine are unreachable, by state and event.
type Reasons<'a> = BTreeMap<(&'a str, &'a str), &'a str>;

impl Unreached {
    /// Returns the unreachable transition of a row of coverage; `None` if the row has no reason.
    pub fn of(row: &Coverage) -> Option<Unreached> {
        Some(Unreached {
            protocol: row.protocol.clone(),
            machine: row.machine.clone(),
            state: row.state.clone(),
            event: row.event.clone(),
            reason: row.unreached.clone()?,
        })
    }

    /// The protocol, machine, state and event.
    pub fn place(&self) -> [&str; 4] {
        [&self.protocol, &self.machine, &self.state, &self.event]
    }
}

/// Makes the section; `None` if there is no table of coverage.
pub(super) fn section(
    rows: &[Coverage],
    unreached: &[Unreached],
    anchors: &mut Anchors,
) -> Option<Section> {
    if rows.is_empty() {
        return None;
    }
    let mut section = Section::new(anchors, "coverage", "Transition coverage", legend());
    for rows in rows.chunk_by(|a, b| a.protocol == b.protocol) {
        let machines = rows.chunk_by(|a, b| a.machine == b.machine);
        let body = html! {
            p { "Coverage of the protocol: " (whole(rows, unreached)) "." }
            @for rows in machines { (machine(rows, &reasons(rows, unreached))) }
        };
        let name = &rows[0].protocol;
        let id = format!("coverage-{name}");
        section.parts.push(Section::new(anchors, &id, name, body));
    }
    Some(section)
}

/// The coverage of all machines of a protocol.
pub(super) fn whole(rows: &[Coverage], unreached: &[Unreached]) -> Reached {
    let machines = rows.chunk_by(|a, b| a.machine == b.machine);
    let mut all = Reached::default();
    for rows in machines {
        let reasons = reasons(rows, unreached);
        for row in rows.iter().filter(|row| !row.stalls) {
            all.add(row.count > 0, reason(row, &reasons).is_some());
        }
    }
    all
}

/// The reasons for the unreachable transitions of the machine of these rows.
fn reasons<'a>(rows: &[Coverage], unreached: &'a [Unreached]) -> Reasons<'a> {
    let is_of = |one: &&Unreached| {
        let first = rows.first();
        first.is_some_and(|row| row.protocol == one.protocol && row.machine == one.machine)
    };
    let own = unreached.iter().filter(is_of);
    own.map(|one| ((&*one.state, &*one.event), &*one.reason)).collect()
}

/// The reason why a transition is unreachable, if it is known and no run took the transition.
fn reason<'a>(row: &Coverage, reasons: &Reasons<'a>) -> Option<&'a str> {
    let reason = reasons.get(&(&*row.state, &*row.event)).copied();
    reason.filter(|_| row.count == 0)
}

fn legend() -> Markup {
    html! {
        p {
            "How often runs of each unmutated protocol took each transition of its table: a row is a state, a column an "
            "event. A darker colour is a larger count, on a logarithmic scale for each machine. Coverage counts the transitions that do "
            "not stall: those that were taken, of those that are not known to be unreachable; in parentheses both numbers, and the "
            "share of all in the table."
        }
        ul.legend {
            li { span.cell.taken style=(shade(0.8)) { "12k" } " taken, with the number of times" }
            li { span.cell.never { "0" } " in the table, never taken" }
            li { span.cell.stalled { "z 7" } " stalled, with the number of times: the event waits" }
            li { span.cell.out { "–" } " unreachable: it needs a device that these runs do not have, such as DMA, or is impossible" }
            li { span.cell { "" } " no such transition" }
        }
    }
}

fn machine(rows: &[Coverage], reasons: &Reasons<'_>) -> Markup {
    let name = &rows[0].machine;
    let states: BTreeSet<&str> = rows.iter().map(|row| &*row.state).collect();
    let events: BTreeSet<&str> = rows.iter().map(|row| &*row.event).collect();
    // Stalled events are tried again and again, so their counts would hide all others.
    let taken = rows.iter().filter(|row| !row.stalls);
    let most = taken.map(|row| row.count).max().unwrap_or(0);
    let cells: BTreeMap<(&str, &str), &Coverage> =
        rows.iter().map(|row| ((&*row.state, &*row.event), row)).collect();
    let summaries = MachineCoverage::of(rows, |row| reason(row, reasons).is_some());
    let summary = summaries.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let caption = format!("{name}: {summary}");
    let grid_rows = states.iter().map(|state| GridRow {
        anchor: None,
        state: (state, None),
        cells: html! {
            @for event in &events {
                @match cells.get(&(*state, *event)) {
                    Some(row) => (cell(row, most, reason(row, reasons))),
                    None => td {},
                }
            }
        },
    });
    html! {
        (grid(&caption, events.iter().map(|event| (*event, None)), grid_rows))
        (lists(rows, reasons, &summaries))
    }
}

/// Makes the cell of a transition: its count as number and shade, and a tooltip.
fn cell(row: &Coverage, most: u64, reason: Option<&str>) -> Markup {
    if let Some(reason) = reason {
        let title = format!("{} in {}: {reason}", row.event, row.state);
        return html! { td.out title=(title) { "–" } };
    }
    let title = format!(
        "{} in {}: {} {} times",
        row.event,
        row.state,
        if row.stalls { "stalled" } else { "taken" },
        grouped(row.count)
    );
    let text = if row.stalls { format!("z {}", short(row.count)) } else { short(row.count) };
    html! {
        @if row.count == 0 {
            td.never title=(title) { (text) }
        } @else if row.stalls {
            td.stalled title=(title) { (text) }
        } @else {
            td.taken style=(shade(strength(row.count, most))) title=(title) { (text) }
        }
    }
}

/// The shade of a count from 0 to 1, on a logarithmic scale up to the largest.
fn strength(count: u64, most: u64) -> f64 {
    let log = |count: u64| (1.0 + count as f64).ln();
    log(count) / log(most.max(1))
}

/// Lists the transitions that no run took by state, and the unreachable ones by reason.
fn lists(rows: &[Coverage], reasons: &Reasons<'_>, summaries: &[MachineCoverage]) -> Markup {
    let mut out: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows {
        if let Some(reason) = reason(row, reasons) {
            let place = format!("{}.{}", row.state, row.event);
            out.entry(reason.to_owned()).or_default().push(place);
        }
    }
    html! {
        @for summary in summaries { (listed("Never taken", &summary.never)) }
        (listed("Unreachable", &out))
    }
}

/// Makes a list that opens on demand.
fn listed(summary: &str, lists: &BTreeMap<String, Vec<String>>) -> Markup {
    html! {
        @if !lists.is_empty() {
            details {
                summary { (summary) }
                dl {
                    @for (name, list) in lists {
                        dt { (name) }
                        dd { (list.join(", ")) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(state: &str, event: &str, stalls: bool, count: u64) -> Coverage {
        Coverage {
            protocol: "P".to_owned(),
            machine: "M".to_owned(),
            state: state.to_owned(),
            event: event.to_owned(),
            stalls,
            count,
            unreached: None,
        }
    }

    #[test]
    fn what_is_there_what_is_taken_and_what_waits() {
        let rows = [
            row("I", "Load", false, 1200),
            row("I", "Store", false, 0),
            row("IM", "Load", true, 7),
        ];
        let html = machine(&rows, &Reasons::new()).into_string();
        assert!(
            html.contains("M: 50.0 % of the table (1 of 2); of 1 that stall 1 were met"),
            "{html}"
        );
        assert!(
            html.contains("<td class=\"never\" title=\"Store in I: taken 0 times\">0</td>"),
            "{html}"
        );
        assert!(html.contains(">1.2k</td>") && html.contains(">z 7</td>"), "{html}");
        // The machine has no transition for Store in IM.
        assert!(html.contains(">z 7</td><td></td>"), "{html}");
        assert!(html.contains("<dt>I</dt><dd>Store</dd>"), "{html}");
    }

    #[test]
    fn unreachable_transitions_are_not_missed() {
        let rows = [
            row("I", "Load", false, 12),
            row("I", "Store", false, 0),
            row("I", "DMA_READ", false, 0),
            row("IM", "DMA_READ", true, 0),
        ];
        let unreached = |machine: &str, state: &str, event: &str| Unreached {
            protocol: "P".to_owned(),
            machine: machine.to_owned(),
            state: state.to_owned(),
            event: event.to_owned(),
            reason: "needs DMA".to_owned(),
        };
        let all = [
            unreached("M", "I", "DMA_READ"),
            unreached("M", "IM", "DMA_READ"),
            // A transition that was taken is reachable, whatever the list says.
            unreached("M", "I", "Load"),
            unreached("another", "I", "Store"),
        ];
        let html = machine(&rows, &reasons(&rows, &all)).into_string();
        assert!(
            html.contains("M: 50.0 % of reachable (1 of 2; 33.3 % of the table's 3)<"),
            "{html}"
        );
        assert!(html.contains("title=\"DMA_READ in I: needs DMA\">–</td>"), "{html}");
        assert!(html.contains("<dt>I</dt><dd>Store</dd>"), "{html}");
        assert!(html.contains("<dt>needs DMA</dt><dd>I.DMA_READ, IM.DMA_READ</dd>"), "{html}");
    }

    #[test]
    fn shades_grow_with_the_logarithm() {
        assert_eq!(strength(0, 0), 0.0);
        assert_eq!(strength(1, 1), 1.0);
        assert!(strength(1, 1_000_000) > 0.04 && strength(1000, 1_000_000) < 0.51);
    }
}
