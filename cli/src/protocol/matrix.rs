//! The transition tables of machines as an HTML page: states by events, with links from each cell to its actions and to the next
//! state.

use std::io::{self, Write};

use report::page::{Machine, MachineCell, machines_page};
use slicc::load::Loaded;
use slicc::outline::{Entry, MachineOutline, Next};

/// Writes one page with a table for each machine.
pub(super) fn machines(
    loaded: &Loaded,
    machines: &[&MachineOutline],
    out: &mut dyn Write,
) -> io::Result<()> {
    let machines: Vec<Machine> = machines.iter().map(|machine| of(machine)).collect();
    out.write_all(machines_page(&loaded.title(), &machines).as_bytes())
}

fn of(machine: &MachineOutline) -> Machine {
    let cell = |entry: &Entry| MachineCell {
        state: entry.state.into(),
        event: entry.event.into(),
        next: match entry.next {
            Next::State(state) => Some(state.into()),
            Next::Computed => None,
        },
        actions: entry
            .actions
            .iter()
            .map(|&at| machine.actions[usize::from(at)].name.clone())
            .collect(),
        stalls: entry.stalls,
    };
    Machine {
        name: machine.name.clone(),
        states: machine
            .states
            .iter()
            .map(|one| (one.name.clone(), one.description.clone()))
            .collect(),
        events: machine
            .events
            .iter()
            .map(|one| (one.name.clone(), one.description.clone()))
            .collect(),
        cells: machine.entries.iter().map(cell).collect(),
    }
}
