//! Coverage: the transitions that a run took or stalled, and how often.

use std::collections::BTreeMap;

use slicc::compile::code::{Machine, Program};
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;

use super::System;

/// A row of the coverage of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Covered<'a> {
    /// Name of the machine.
    pub machine: &'a str,
    /// The state before.
    pub state: &'a str,
    /// Name of the event.
    pub event: &'a str,
    /// The state after.
    pub next: &'a str,
    /// Number of times it was taken.
    pub count: u64,
}

impl Covered<'_> {
    /// Whether the transition belongs to this entry of the table.
    pub fn is_of(&self, place: &TableEntry) -> bool {
        (self.machine, self.state, self.event) == (&*place.machine, &*place.state, &*place.event)
    }
}

/// How often each transition was taken, by numbers, so that the counts of runs of one protocol are added up at little cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakenCounts {
    /// For each machine and row of its table.
    rows: Vec<Vec<u64>>,
    /// For rows whose next state is computed: by machine, row and next state.
    computed: BTreeMap<(usize, u32, u16), u64>,
}

impl TakenCounts {
    /// No counts of a protocol.
    pub(super) fn new(program: &Program) -> TakenCounts {
        let rows = program.machines.iter().map(|machine| vec![0; machine.transitions.len()]);
        TakenCounts { rows: rows.collect(), computed: BTreeMap::new() }
    }

    /// Counts a row of a machine's table; `computed` is the next state if it was computed.
    #[inline]
    pub(super) fn count(&mut self, machine: usize, row: u32, computed: Option<u16>) {
        self.rows[machine][row as usize] += 1;
        if let Some(next) = computed {
            *self.computed.entry((machine, row, next)).or_default() += 1;
        }
    }

    /// Takes back a count.
    pub(super) fn forget(&mut self, machine: usize, row: u32, next: u16) {
        self.rows[machine][row as usize] -= 1;
        let computed = (machine, row, next);
        if let Some(count) = self.computed.get_mut(&computed) {
            *count -= 1;
            if *count == 0 {
                self.computed.remove(&computed);
            }
        }
    }

    /// Adds other counts of the same protocol.
    pub fn add(&mut self, other: &TakenCounts) {
        if self.rows.is_empty() {
            self.rows.clone_from(&other.rows);
        } else {
            let counts = self.rows.iter_mut().flatten();
            counts.zip(other.rows.iter().flatten()).for_each(|(count, more)| *count += more);
        }
        for (key, more) in &other.computed {
            *self.computed.entry(*key).or_default() += more;
        }
    }

    /// The transitions that were taken, in the order of machines, states and events. The counts have to be of this program.
    pub fn covered<'a>(&self, program: &'a Program) -> Vec<Covered<'a>> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        rows(program, |machine, row| match program.machines[machine].transitions[row].next {
            Some(next) => vec![(next, self.rows[machine][row])],
            None => self
                .computed
                .range((machine, row as u32, 0)..=(machine, row as u32, u16::MAX))
                .map(|(key, count)| (key.2, *count))
                .collect(),
        })
    }
}

/// Returns how often the transitions of some entries of the table were taken.
pub fn visits(entries: &[TableEntry], coverage: &[Covered<'_>]) -> u64 {
    let counts = |taken: &&Covered<'_>| entries.iter().any(|place| taken.is_of(place));
    coverage.iter().filter(counts).map(|taken| taken.count).sum()
}

/// A triple of machine, state and event at which a run took or stalled a transition, as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The number, which depends only on the states and events of the protocol. A triple that
    /// stalled has another number than one that was taken.
    pub triple: u32,
    /// Number of times it was taken or, for a triple that stalled, stalled.
    pub count: u64,
}

/// The entry of the transition table with the number of a [`Reached`] triple.
pub fn entry_of(protocol: &Protocol, triple: u32) -> Option<TableEntry> {
    let mut pair = triple as usize / 2;
    for machine in &protocol.program.machines {
        let (states, events) = (machine.states.len(), machine.events.len());
        if pair < states * events {
            let (state, event) = (&machine.states[pair / events], &machine.events[pair % events]);
            return Some(TableEntry::new(&machine.name, state, event));
        }
        pair -= states * events;
    }
    None
}

/// The number of a [`Reached`] triple that was taken, if the protocol has these names.
pub fn triple_of(protocol: &Protocol, machine: &str, state: &str, event: &str) -> Option<u32> {
    let mut first = 0;
    for one in &protocol.program.machines {
        if &*one.name == machine {
            let state = one.states.iter().position(|name| &**name == state)?;
            let event = one.events.iter().position(|name| &**name == event)?;
            return u32::try_from(2 * (first + state * one.events.len() + event)).ok();
        }
        first += one.states.len() * one.events.len();
    }
    None
}

impl System {
    /// The transitions that were taken, in the order of machines, states and events.
    pub fn coverage(&self) -> Vec<Covered<'_>> {
        self.taken.covered(&self.program)
    }

    /// How often each transition was taken.
    pub fn taken(&self) -> &TakenCounts {
        &self.taken
    }

    /// The transitions that the protocol stalled (`z_stall`), with the state to which they would
    /// lead.
    pub fn stalls(&self) -> Vec<Covered<'_>> {
        rows(&self.program, |machine, row| {
            let transition = &self.program.machines[machine].transitions[row];
            vec![(transition.next.unwrap_or(transition.state), self.stalled[machine][row])]
        })
    }

    /// The number of the machine of each controller.
    pub fn machines_of_controllers(&self) -> Vec<usize> {
        self.controllers.iter().map(|controller| controller.machine).collect()
    }

    /// The triples that were taken or stalled, in the order of their numbers.
    pub fn reached(&self) -> Vec<Reached> {
        let mut reached = Vec::new();
        for (at, machine) in self.program.machines.iter().enumerate() {
            for row in 0..machine.transitions.len() {
                let triple = self.triple(at, row);
                for (triple, count) in
                    [(triple, self.taken.rows[at][row]), (triple + 1, self.stalled[at][row])]
                {
                    if count > 0 {
                        reached.push(Reached { triple, count });
                    }
                }
            }
        }
        reached.sort_unstable_by_key(|one| one.triple);
        reached
    }

    /// The number of the triple of a row of a machine's table, if it is taken.
    pub(super) fn triple(&self, machine: usize, row: usize) -> u32 {
        let pairs = |one: &Machine| one.states.len() * one.events.len();
        let (before, from) = self.program.machines.split_at(machine);
        let first: usize = before.iter().map(pairs).sum();
        let transition = &from[0].transitions[row];
        let pair =
            usize::from(transition.state) * from[0].events.len() + usize::from(transition.event);
        2 * (first + pair) as u32
    }
}

/// A row for each next state of each transition that was counted.
fn rows(program: &Program, counts: impl Fn(usize, usize) -> Vec<(u16, u64)>) -> Vec<Covered<'_>> {
    let mut rows = Vec::new();
    for (at, machine) in program.machines.iter().enumerate() {
        let mut order: Vec<usize> = (0..machine.transitions.len()).collect();
        order.sort_by_key(|row| (machine.transitions[*row].state, machine.transitions[*row].event));
        for row in order {
            let transition = &machine.transitions[row];
            rows.extend(counts(at, row).into_iter().filter(|(_, count)| *count > 0).map(
                |(next, count)| Covered {
                    machine: &machine.name,
                    state: &machine.states[transition.state as usize],
                    event: &machine.events[transition.event as usize],
                    next: &machine.states[next as usize],
                    count,
                },
            ));
        }
    }
    rows
}
