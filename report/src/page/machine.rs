//! Shows the transition tables of a protocol's machines as a page: states by events. A table has room for machines that
//! are too large to be drawn as graphs.

use std::collections::BTreeMap;

use maud::{Markup, html};

use slicc::outline::{Entry, MachineOutline, Next};

use super::document;
use super::grid::{GridRow, grid};
use super::section::{Anchors, Section};
use crate::numbers::counted;

/// Renders a page with a table of each machine. The same machines give the same bytes.
pub fn machines_page(protocol: &str, machines: &[&MachineOutline]) -> String {
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

fn table(machine: &MachineOutline, at: usize) -> Markup {
    let cells: BTreeMap<(usize, usize), &Entry> =
        machine.entries.iter().map(|one| ((one.state.into(), one.event.into()), one)).collect();
    let caption = format!(
        "{}: {}, {}, {}",
        machine.name,
        counted(machine.states.len(), "state", "states"),
        counted(machine.events.len(), "event", "events"),
        counted(machine.entries.len(), "transition", "transitions")
    );
    let row = |state: usize| format!("m{at}-s{state}");
    let cell = |cell: &Entry| {
        html! {
            td title=(told(machine, cell)) {
                @match (cell.stalls, cell.next) {
                    (true, _) => "z",
                    (false, Next::Computed) => "?",
                    (false, Next::State(next)) if next == cell.state => "–",
                    (false, Next::State(next)) => a href={ "#" (row(next.into())) } {
                        (machine.states[usize::from(next)].name)
                    },
                }
            }
        }
    };
    let rows = machine.states.iter().enumerate().map(|(state, edge)| GridRow {
        anchor: Some(row(state)),
        state: (&edge.name, edge.description.as_deref()),
        cells: html! {
            @for event in 0..machine.events.len() {
                @match cells.get(&(state, event)) {
                    Some(one) => (cell(one)),
                    None => td {},
                }
            }
        },
    });
    let events = machine.events.iter();
    let events = events.map(|one| (&*one.name, one.description.as_deref()));
    grid(&caption, events, rows)
}

/// Lists the actions of a transition, as a tooltip.
fn told(machine: &MachineOutline, cell: &Entry) -> String {
    let name = |&at: &u16| machine.actions[usize::from(at)].name.as_str();
    let actions: Vec<&str> = cell.actions.iter().map(name).collect();
    let actions = if actions.is_empty() { "no action".to_owned() } else { actions.join(", ") };
    let event = &machine.events[usize::from(cell.event)].name;
    format!("{event} in {}: {actions}", machine.states[usize::from(cell.state)].name)
}

#[cfg(test)]
mod tests {
    use slicc::outline::{ActionOutline, EventOutline, StateOutline};
    use slicc::source::Span;

    use super::*;

    const NOWHERE: Span = Span { file: 0, start: 0, end: 0 };

    fn event(name: &str) -> EventOutline {
        EventOutline { name: name.to_owned(), description: None, span: NOWHERE }
    }

    fn state(name: &str) -> StateOutline {
        StateOutline { name: name.to_owned(), permission: 0, description: None, span: NOWHERE }
    }

    fn entry(state: u16, event: u16, next: Next, stalls: bool) -> Entry {
        let (actions, requests) = ([0].into(), [].into());
        Entry { state, event, next, actions, requests, stalls, span: NOWHERE, declaration: 0 }
    }

    #[test]
    fn cells_lead_to_the_row_of_their_next_state() {
        let action = ActionOutline {
            name: "a_act".to_owned(),
            short: None,
            description: None,
            span: NOWHERE,
            declaration: 0,
            stalls: false,
        };
        let machine = MachineOutline {
            name: "L1".to_owned(),
            description: None,
            span: NOWHERE,
            declaration: 0,
            states: vec![state("I"), state("M<")],
            events: vec![event("Load"), event("Inv")],
            requests: Vec::new(),
            actions: vec![action],
            in_ports: Vec::new(),
            out_ports: Vec::new(),
            entries: vec![
                entry(0, 0, Next::State(1), false),
                entry(1, 0, Next::State(1), false),
                entry(1, 1, Next::Computed, false),
                entry(0, 1, Next::State(0), true),
            ],
        };
        let page = machines_page("P", &[&machine]);
        assert!(page.contains("<td title=\"Load in I: a_act\"><a href=\"#m0-s1\">M&lt;</a></td>"));
        assert!(page.contains("<tr id=\"m0-s1\">"));
        for text in [">z</td>", ">–</td>", ">?</td>"] {
            assert_eq!(page.matches(text).count(), 1, "{text}");
        }
    }
}
