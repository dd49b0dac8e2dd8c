//! Shows the transition tables of a protocol's machines as a page: states by events. A table has room for machines that
//! are too large to be drawn as graphs.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::document;
use super::grid::{Edge, GridRow, grid};
use super::section::{Anchors, Section};
use crate::numbers::counted;

/// A controller's transition table, as the page shows it.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// The machine's name in SLICC.
    pub name: String,
    /// The states with their descriptions.
    pub states: Vec<(String, Option<String>)>,
    /// The events with their descriptions.
    pub events: Vec<(String, Option<String>)>,
    /// The transitions of the table, one for each state and event that has any.
    pub cells: Vec<MachineCell>,
}

/// A transition of a machine.
#[derive(Clone, Debug, Default)]
pub struct MachineCell {
    /// The index of the state in which the event occurs.
    pub state: usize,
    /// The index of the event.
    pub event: usize,
    /// The index of the next state; `None` if the protocol computes it.
    pub next: Option<usize>,
    /// The names of the actions, in order.
    pub actions: Vec<String>,
    /// Whether the machine stalls the event.
    pub stalls: bool,
}

/// Renders a page with a table of each machine. The same machines give the same bytes.
pub fn machines_page(protocol: &str, machines: &[Machine]) -> String {
    let mut anchors = Anchors::default();
    let sections = machines.iter().enumerate().map(|(at, machine)| {
        let body = table(machine, at);
        Section::new(&mut anchors, &format!("machine-{}", machine.name), &machine.name, body)
    });
    let sections: Vec<Section> = sections.collect();
    let lead = "A row is a state, a column an event, and a cell the next state: z stalls, – keeps the state, ? is computed. \
                A cell leads to the row of its next state, and its tooltip lists the actions.";
    document(&format!("{protocol}: transition tables"), lead, &sections)
}

fn table(machine: &Machine, at: usize) -> Markup {
    let cells: BTreeMap<(usize, usize), &MachineCell> =
        machine.cells.iter().map(|cell| ((cell.state, cell.event), cell)).collect();
    let caption = format!(
        "{}: {}, {}, {}",
        machine.name,
        counted(machine.states.len(), "state", "states"),
        counted(machine.events.len(), "event", "events"),
        counted(machine.cells.len(), "transition", "transitions")
    );
    let row = |state: usize| format!("m{at}-s{state}");
    let cell = |state: usize, cell: &MachineCell| {
        html! {
            td title=(told(machine, cell)) {
                @match (cell.stalls, cell.next) {
                    (true, _) => "z",
                    (false, None) => "?",
                    (false, Some(next)) if next == state => "–",
                    (false, Some(next)) => a href={ "#" (row(next)) } { (machine.states[next].0) },
                }
            }
        }
    };
    let rows = machine.states.iter().enumerate().map(|(state, edge)| GridRow {
        anchor: Some(row(state)),
        state: named(edge),
        cells: html! {
            @for event in 0..machine.events.len() {
                @match cells.get(&(state, event)) {
                    Some(one) => (cell(state, one)),
                    None => td {},
                }
            }
        },
    });
    grid(&caption, machine.events.iter().map(named), rows)
}

fn named((name, about): &(String, Option<String>)) -> Edge<'_> {
    (name, about.as_deref())
}

/// Lists the actions of a transition, as a tooltip.
fn told(machine: &Machine, cell: &MachineCell) -> String {
    let actions =
        if cell.actions.is_empty() { "no action".to_owned() } else { cell.actions.join(", ") };
    format!("{} in {}: {actions}", machine.events[cell.event].0, machine.states[cell.state].0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_lead_to_the_row_of_their_next_state() {
        let named = |name: &str| (name.to_owned(), None);
        let cell = |state, event, next, stalls| MachineCell {
            state,
            event,
            next,
            actions: vec!["a_act".to_owned()],
            stalls,
        };
        let machine = Machine {
            name: "L1".to_owned(),
            states: vec![named("I"), named("M<")],
            events: vec![named("Load"), named("Inv")],
            cells: vec![
                cell(0, 0, Some(1), false),
                cell(1, 0, Some(1), false),
                cell(1, 1, None, false),
                cell(0, 1, Some(0), true),
            ],
        };
        let page = machines_page("P", &[machine]);
        assert!(page.contains("<td title=\"Load in I: a_act\"><a href=\"#m0-s1\">M&lt;</a></td>"));
        assert!(page.contains("<tr id=\"m0-s1\">"));
        for text in [">z</td>", ">–</td>", ">?</td>"] {
            assert_eq!(page.matches(text).count(), 1, "{text}");
        }
    }
}
