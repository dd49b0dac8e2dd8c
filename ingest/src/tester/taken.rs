//! The transitions of controllers in a log.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::record::{Flaw, TransitionRecord};
use crate::gem5::crash::last_steps::LastSteps;
use crate::gem5::protocol;
use crate::statistics::TransitionCount;
use crate::transitions::{Names, Transitions};

/// The transitions that controllers took in the runs of a log.
#[derive(Debug, Default)]
pub(super) struct ControllerTransitions {
    /// Whether the transitions are kept in a table; otherwise they are only counted.
    is_kept: bool,
    /// The names of the current run by their numbers, as ids of the table.
    names: Vec<u16>,
    counts: FxHashMap<Names, u64>,
    pub transitions: Transitions,
    /// The last transitions of the current run, for each cache line.
    pub last_steps: LastSteps,
    /// Size of a cache line in bytes.
    pub line_size: u64,
}

impl ControllerTransitions {
    pub(super) fn new(is_kept: bool) -> ControllerTransitions {
        ControllerTransitions { is_kept, ..ControllerTransitions::default() }
    }

    /// Begins a run, whose names are numbered from 0.
    pub(super) fn begin_run(&mut self, line_size: u64) {
        self.line_size = line_size;
        self.names.clear();
        self.last_steps = LastSteps::default();
    }

    /// Takes in the next name of the run.
    pub(super) fn name(&mut self, name: &str) -> Result<(), Flaw> {
        let id = self.transitions.intern(name);
        let too_many = || Flaw::new("more than 65536 names", "those of a protocol");
        self.names.push(id.ok_or_else(too_many)?);
        Ok(())
    }

    /// Takes in the transition of the log's `number`-th record.
    pub(super) fn transition(
        &mut self,
        tick: u64,
        took: &TransitionRecord,
        number: u64,
    ) -> Result<(), Flaw> {
        let name = |at: u64| {
            let known = usize::try_from(at).ok().and_then(|at| self.names.get(at));
            let unknown = || {
                let expected = format!("one of the {} that the run has named", self.names.len());
                Flaw::new(format!("name {at}"), expected)
            };
            known.copied().ok_or_else(unknown)
        };
        let [machine, event, state, next_state] = took.names;
        let names = Names {
            machine: name(machine)?,
            event: name(event)?,
            state: name(state)?,
            next_state: name(next_state)?,
        };
        *self.counts.entry(names).or_default() += 1;
        self.last_steps.transition((tick, number), took.version, took.address, names, None);
        if self.is_kept {
            self.transitions.push(tick, took.version, names, took.address, number);
        }
        Ok(())
    }

    /// How often each transition was taken, sorted by its names.
    pub(super) fn counts(&self) -> Vec<TransitionCount> {
        let name = |id| self.transitions.name(id).to_owned();
        let counts = self.counts.iter().map(|(names, &count)| TransitionCount {
            machine: name(names.machine),
            state: name(names.state),
            event: name(names.event),
            next_state: name(names.next_state),
            count,
        });
        let mut counts: Vec<TransitionCount> = counts.collect();
        counts.sort();
        counts
    }

    /// Whether the log has no transitions.
    pub(super) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The protocol that has these events, if one is known.
    pub(super) fn protocol(&self) -> Option<&'static str> {
        let name = |id| self.transitions.name(id);
        let observed: BTreeSet<(&str, &str)> =
            self.counts.keys().map(|names| (name(names.machine), name(names.event))).collect();
        protocol::recognise(&observed)
    }
}
