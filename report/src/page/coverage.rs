//! Which transitions the protocols as they are took: a heat map for each machine.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::Page;
use super::cell::{grouped, shade, short};
use super::section::{Anchors, Section};
use crate::tables::Coverage;

/// The section, if there is a table of coverage.
pub(super) fn section(page: &Page<'_>, anchors: &mut Anchors) -> Option<Section> {
    let rows = &page.results.coverage;
    if rows.is_empty() {
        return None;
    }
    let mut section = Section::new(anchors, "coverage", "Transition coverage", legend());
    for rows in rows.chunk_by(|a, b| a.protocol == b.protocol) {
        let machines = rows.chunk_by(|a, b| a.machine == b.machine);
        let body = html! { @for rows in machines { (machine(rows)) } };
        let name = &rows[0].protocol;
        let id = format!("coverage-{name}");
        section.parts.push(Section::new(anchors, &id, name, body));
    }
    Some(section)
}

fn legend() -> Markup {
    html! {
        p {
            "How often the runs of each protocol without a mutant took each transition of its table: a row is a state, a column an "
            "event. More colour is more often, on a logarithmic scale for each machine."
        }
        ul.legend {
            li { span.cell.taken style=(shade(0.8)) { "12k" } " taken so often" }
            li { span.cell.never { "0" } " in the table, and never taken" }
            li { span.cell.stalled { "z 7" } " stalled so often: the event waits" }
            li { span.cell { "" } " no such transition" }
        }
    }
}

fn machine(rows: &[Coverage]) -> Markup {
    let name = &rows[0].machine;
    let states: BTreeSet<&str> = rows.iter().map(|row| &*row.state).collect();
    let events: BTreeSet<&str> = rows.iter().map(|row| &*row.event).collect();
    // What waits is tried again and again: that is no measure for the rest.
    let taken = rows.iter().filter(|row| !row.stalls);
    let most = taken.map(|row| row.count).max().unwrap_or(0);
    let cells: BTreeMap<(&str, &str), &Coverage> = rows
        .iter()
        .map(|row| ((&*row.state, &*row.event), row))
        .collect();
    let caption = format!("{name}: {}", reached(rows));
    html! {
        div.scroll tabindex="0" role="region" aria-label=(caption) {
            table.heat {
                caption { (caption) }
                thead {
                    tr {
                        td {}
                        @for event in &events { th scope="col" { span { (event) } } }
                    }
                }
                tbody {
                    @for state in &states {
                        tr {
                            th scope="row" { (state) }
                            @for event in &events {
                                @match cells.get(&(*state, *event)) {
                                    Some(row) => (cell(row, most)),
                                    None => td {},
                                }
                            }
                        }
                    }
                }
            }
        }
        (never(rows))
    }
}

/// A transition: its shade, its number, and for a pointer all about it.
fn cell(row: &Coverage, most: u64) -> Markup {
    let title = format!(
        "{} in {}: {} {} times",
        row.event,
        row.state,
        if row.stalls { "stalled" } else { "taken" },
        grouped(row.count)
    );
    let text = match row.stalls {
        true => format!("z {}", short(row.count)),
        false => short(row.count),
    };
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

/// How strong the colour of a count is: that of one a little, that of the most fully.
fn strength(count: u64, most: u64) -> f64 {
    let log = |count: u64| (1.0 + count as f64).ln();
    log(count) / log(most.max(1))
}

/// `40 of 45 transitions taken; of 6 that stall, 2 met`.
fn reached(rows: &[Coverage]) -> String {
    let count = |stalls, least| {
        let of_kind = rows.iter().filter(|row| row.stalls == stalls);
        of_kind.filter(|row| row.count >= least).count()
    };
    let taken = format!(
        "{} of {} transitions taken",
        count(false, 1),
        count(false, 0)
    );
    match count(true, 0) {
        0 => taken,
        stalls => format!(
            "{taken}; of {stalls} that stall {} were met",
            count(true, 1)
        ),
    }
}

/// The transitions that no run took, by state.
fn never(rows: &[Coverage]) -> Markup {
    let mut states: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.count == 0 && !row.stalls) {
        states.entry(&row.state).or_default().push(&row.event);
    }
    html! {
        @if !states.is_empty() {
            details {
                summary { "Never taken" }
                dl {
                    @for (state, events) in &states {
                        dt { (state) }
                        dd { (events.join(", ")) }
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
        }
    }

    #[test]
    fn what_is_there_what_is_taken_and_what_waits() {
        let rows = [
            row("I", "Load", false, 1200),
            row("I", "Store", false, 0),
            row("IM", "Load", true, 7),
        ];
        let html = machine(&rows).into_string();
        assert!(
            html.contains("M: 1 of 2 transitions taken; of 1 that stall 1 were met"),
            "{html}"
        );
        assert!(
            html.contains("<td class=\"never\" title=\"Store in I: taken 0 times\">0</td>"),
            "{html}"
        );
        assert!(
            html.contains(">1.2k</td>") && html.contains(">z 7</td>"),
            "{html}"
        );
        // No row for Store in IM.
        assert!(html.contains(">z 7</td><td></td>"), "{html}");
        assert!(html.contains("<dt>I</dt><dd>Store</dd>"), "{html}");
    }

    #[test]
    fn shades_grow_with_the_logarithm() {
        assert_eq!(strength(0, 0), 0.0);
        assert_eq!(strength(1, 1), 1.0);
        assert!(strength(1, 1_000_000) > 0.04 && strength(1000, 1_000_000) < 0.51);
    }
}
