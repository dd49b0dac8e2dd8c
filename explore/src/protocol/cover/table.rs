//! The rows of a protocol's tables, and how they lead to each other.

use std::collections::{BTreeMap, VecDeque};

use simulate::system::triple_of;
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;

/// A row of a table: what a machine does for an event in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its number among those of [`Reached`](simulate::system::Reached), if it is taken.
    pub triple: u32,
    /// The number of the machine.
    pub machine: usize,
    /// The number of the state.
    pub state: u16,
    /// The number of the event.
    pub event: u16,
    /// The number of the next state; `None` if actions compute it.
    pub next: Option<u16>,
}

/// The rows of all machines that are not stalls.
#[derive(Clone, Debug)]
pub struct Table {
    rows: BTreeMap<u32, Row>,
}

impl Table {
    /// The rows of a protocol.
    pub fn of(protocol: &Protocol) -> Table {
        let machines = protocol.program.machines.iter().enumerate();
        let rows = machines.flat_map(|(number, machine)| {
            let rows = machine.transitions.iter().filter(|row| !row.stalls);
            rows.filter_map(move |row| {
                let state = &machine.states[usize::from(row.state)];
                let event = &machine.events[usize::from(row.event)];
                let triple = triple_of(protocol, &machine.name, state, event)?;
                let (state, event, next) = (row.state, row.event, row.next);
                Some((triple, Row { triple, machine: number, state, event, next }))
            })
        });
        Table { rows: rows.collect() }
    }

    /// The same table, also with rows for these entries, as if the protocol had them, so that walks can make for them. An entry whose machine,
    /// state or event it does not have is left out.
    #[must_use]
    pub fn with<'a>(
        mut self,
        protocol: &Protocol,
        entries: impl IntoIterator<Item = &'a TableEntry>,
    ) -> Table {
        for TableEntry { machine, state, event } in entries {
            let mut machines = protocol.program.machines.iter().enumerate();
            let of = machines.find(|(_, one)| *one.name == **machine);
            let triple = triple_of(protocol, machine, state, event);
            if let (Some((number, of)), Some(triple)) = (of, triple) {
                let place = |names: &[Box<str>], name: &str| {
                    names.iter().position(|one| **one == *name).unwrap_or_default() as u16
                };
                let (state, event) = (place(&of.states, state), place(&of.events, event));
                let row = Row { triple, machine: number, state, event, next: None };
                self.rows.entry(triple).or_insert(row);
            }
        }
        self
    }

    /// The rows, by their triples.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.values()
    }

    /// The row with a triple.
    pub fn row(&self, triple: u32) -> Option<&Row> {
        self.rows.get(&triple)
    }

    /// For each state of the row's machine from which rows lead to the row's state, the least number of them. Rows whose next state is
    /// computed count as leading nowhere.
    pub(super) fn distances_to(&self, row: &Row) -> BTreeMap<u16, u32> {
        let mut distances = BTreeMap::from([(row.state, 0)]);
        let mut open = VecDeque::from([(row.state, 0)]);
        while let Some((to, distance)) = open.pop_front() {
            let own = self.rows().filter(|one| one.machine == row.machine && one.next == Some(to));
            for one in own {
                distances.entry(one.state).or_insert_with(|| {
                    open.push_back((one.state, distance + 1));
                    distance + 1
                });
            }
        }
        distances
    }
}
