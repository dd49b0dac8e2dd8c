//! The transitions of the table that no run takes.

use std::collections::BTreeSet;
use std::io::{self, Write};

use explore::protocol::{Exploration, TransitionName, Verdict};
use schemars::JsonSchema;
use serde::Serialize;
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;

use super::plan::Plan;
use crate::text::tame;

/// The events and states that occurred in the runs of an exploration, each as its machine and its name.
pub(crate) struct Met {
    events: BTreeSet<(String, String)>,
    /// The states in which an event occurred, or to which a transition that was taken leads.
    states: BTreeSet<(String, String)>,
}

impl Met {
    /// The events and states that occurred in runs of a protocol, by the transitions that they took and those that stalled.
    pub(crate) fn of(
        protocol: &Protocol,
        taken: &[TransitionName],
        stalled: &[TransitionName],
    ) -> Met {
        let met = || taken.iter().chain(stalled);
        let mut states: BTreeSet<(String, String)> =
            met().map(|(machine, state, _)| (machine.clone(), state.clone())).collect();
        states.extend(taken.iter().filter_map(|one| Some((one.0.clone(), next(protocol, one)?))));
        Met {
            events: met().map(|(machine, _, event)| (machine.clone(), event.clone())).collect(),
            states,
        }
    }

    /// The reason why runs did not take an entry of the table: the state, the event, or both together did not occur.
    pub(crate) fn lack(&self, place: &TableEntry) -> String {
        let TableEntry { machine, state, event } = place;
        let has = |names: &BTreeSet<(String, String)>, name: &str| {
            names.contains(&(machine.clone(), name.to_owned()))
        };
        match (has(&self.states, state), has(&self.events, event)) {
            (false, false) => "neither its state nor its event comes up".to_owned(),
            (false, true) => format!("state {state} does not come up"),
            (true, false) => format!("event {event} does not come up"),
            (true, true) => "its state and its event come up, but not together".to_owned(),
        }
    }
}

/// The state to which a transition leads; `None` if actions compute it.
fn next(protocol: &Protocol, (machine, state, event): &TransitionName) -> Option<String> {
    let machine = protocol.program.machines.iter().find(|one| *one.name == **machine)?;
    let is_it = |from: &str, what: &str| (from, what) == (state.as_str(), event.as_str());
    let taken = machine.transitions.iter().find(|one| {
        is_it(&machine.states[usize::from(one.state)], &machine.events[usize::from(one.event)])
    })?;
    taken.next.map(|next| machine.states[usize::from(next)].to_string())
}

/// Writes the transitions that were not taken, each with the reason.
pub(super) fn write(
    rest: &[(TableEntry, String)],
    plan: &Plan,
    exploration: &Exploration,
    out: &mut dyn Write,
) -> io::Result<()> {
    let what = if is_proved(exploration) {
        "that no run of this size takes"
    } else {
        "not taken by the runs that were looked at, which are not all"
    };
    writeln!(
        out,
        "  {} transitions of the table {what} (partial order is off, stalls are left out):",
        rest.len()
    )?;
    for (TableEntry { machine, state, event }, reason) in rest {
        let name = format!("{machine} {state} {event}");
        writeln!(out, "    {:40}  {}", tame(&name), tame(reason))?;
    }
    let others = plan.other_runs();
    if rest.is_empty() || others.is_empty() {
        return Ok(());
    }
    writeln!(out, "  runs of other sizes may take them: {}", others.join(", "))
}

/// The transitions that no run takes, as JSON.
#[derive(Serialize, JsonSchema)]
pub(super) struct UnreachedJson<'a> {
    /// Whether all runs were explored, without a finding.
    proved: bool,
    /// The transitions of the table that were not taken.
    transitions: Vec<Untaken<'a>>,
}

/// A transition that was not taken.
#[derive(Serialize, JsonSchema)]
struct Untaken<'a> {
    machine: &'a str,
    state: &'a str,
    event: &'a str,
    /// Why it was not taken.
    reason: &'a str,
}

/// The transitions that were not taken as JSON, each with the reason.
pub(super) fn document<'a>(
    rest: &'a [(TableEntry, String)],
    exploration: &Exploration,
) -> UnreachedJson<'a> {
    let row = |(place, reason): &'a (TableEntry, String)| {
        let TableEntry { machine, state, event } = place;
        Untaken { machine, state, event, reason }
    };
    UnreachedJson { proved: is_proved(exploration), transitions: rest.iter().map(row).collect() }
}

/// Whether all runs were explored, without a finding.
fn is_proved(exploration: &Exploration) -> bool {
    matches!(exploration.verdict, Verdict::Clean)
}
