//! Warnings about protocols that can run but contain something odd.
//!
//! Each warning states something that holds in every run, whatever the values of variables. The one
//! exception is the missing transition, a heuristic described below.
//!
//! - An action that no transition names.
//! - An empty action of transitions that have only empty actions and keep their state: it was probably meant as a
//!   stall. The message stays at the head of its queue, and gem5 takes the same transition again, up to
//!   `transitions_per_cycle` times a cycle, since for gem5 only an action with the name `z_stall` is a stall. (There
//!   is no warning where the port itself takes the message.)
//! - An event that no in_port, function or action of its machine names as `Event:X`.
//! - An event that is triggered, or returned by a function, but has no entry in the table: a run
//!   that triggers it ends.
//! - An unreachable state: no code names it other than to compare with it, no field starts with it,
//!   and the table does not lead to it from such states.
//! - A reachable state with a busy permission that no entry leaves.
//! - A missing transition: a reachable state with a stable permission has no entry for a request of
//!   the core, though other stable states have one. Requests of the core are the events that a
//!   function computes from a `RubyRequestType` alone, and those that the port of the mandatory
//!   queue triggers directly inside a comparison with the type of the request. Whether the latter
//!   are triggered may also depend on the state, so they count only if at least four fifths of the
//!   stable states (all but one, if they are few) have an entry for them.
//! - Code for a type of requests that no core sends, such as `Load_Linked` without the option that asks for it.
//! - An out_port through which nothing is sent, a function with a body that is never called, a
//!   variable that is never named.

mod code;
mod requests;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::ast::{Declaration, Machine};
use super::load::Loaded;
use super::outline::{MachineOutline, Next, Outline};
use crate::requests::never_sent;
use crate::source::{Diagnostic, Span};
use code::Code;

/// Functions that gem5's runtime calls.
const CALLED_BY_THE_RUNTIME: [&str; 20] = [
    "getState",
    "setState",
    "getAccessPermission",
    "setAccessPermission",
    "functionalRead",
    "functionalWrite",
    "getNextState",
    "recordRequestType",
    "checkResourceAvailable",
    "enqueuePrefetch",
    "mandatoryQueueLatency",
    "functionalReadPriority",
    "regStats",
    "collateStats",
    "regProbePoints",
    "inCache",
    "hasBeenPrefetched",
    "inMissQueue",
    "coalesce",
    "notifyCoalesced",
];

/// Returns the warnings about a protocol.
pub fn lint(loaded: &Loaded, outline: &Outline) -> Vec<Diagnostic> {
    let machines = outline.machines.iter();
    let unsent = never_sent(loaded).into_iter().map(|one| one.warning(&loaded.protocol));
    machines
        .filter_map(|tables| Some((tables, tables.syntax(loaded)?)))
        .flat_map(|(tables, machine)| Lint::new(tables, machine).warnings())
        .chain(unsent)
        .collect()
}

/// The state of the linter for one machine.
struct Lint<'a> {
    tables: &'a MachineOutline,
    machine: &'a Machine,
    code: Code<'a>,
    /// Whether a state is reachable, by index of the state.
    reachable: Vec<bool>,
    warnings: Vec<Diagnostic>,
}

impl<'a> Lint<'a> {
    fn new(tables: &'a MachineOutline, machine: &'a Machine) -> Lint<'a> {
        let code = Code::of(machine);
        let reachable = reachable(tables, &code);
        Lint { tables, machine, code, reachable, warnings: Vec::new() }
    }

    fn warnings(mut self) -> Vec<Diagnostic> {
        self.actions();
        self.spinning();
        self.events();
        self.states();
        self.missing();
        self.declarations();
        self.warnings
    }

    fn warn(&mut self, span: Span, message: String, hint: &str) {
        let diagnostic = Diagnostic::warning(span, message).hint(hint);
        self.warnings.push(diagnostic);
    }

    fn actions(&mut self) {
        let tables = self.tables;
        let entries = tables.entries.iter();
        let used: FxHashSet<u16> = entries.flat_map(|entry| entry.actions.to_vec()).collect();
        for (index, action) in tables.actions.iter().enumerate() {
            if !used.contains(&(index as u16)) {
                let message = format!("the action `{}` is in no transition", action.name);
                self.warn(action.span, message, "use it or remove it");
            }
        }
    }

    fn spinning(&mut self) {
        let tables = self.tables;
        let is_empty = |action: &u16| {
            let action = tables.actions[usize::from(*action)].syntax(self.machine);
            action.is_some_and(|action| action.body.statements.is_empty())
        };
        let mut rows: BTreeMap<u16, usize> = BTreeMap::new();
        for entry in &tables.entries {
            let stays = entry.next == Next::State(entry.state) && !entry.stalls;
            let event = &*tables.events[usize::from(entry.event)].name;
            if stays && entry.actions.iter().all(is_empty) && !self.code.taken.contains(event) {
                entry.actions.iter().take(1).for_each(|&one| *rows.entry(one).or_default() += 1);
            }
        }
        for (action, count) in rows {
            let action = &tables.actions[usize::from(action)];
            let plural = if count == 1 { "transition does" } else { "transitions do" };
            let message = format!(
                "the action `{}` is empty, and {count} {plural} nothing else and keep the state: the message stays at the \
                 head of its queue, and the transition is taken again and again in the same cycle",
                action.name
            );
            let hint = "to stall, call the action `z_stall`: gem5 decides by this name alone";
            self.warn(action.span, message, hint);
        }
    }

    fn events(&mut self) {
        let tables = self.tables;
        let handled: FxHashSet<u16> = tables.entries.iter().map(|entry| entry.event).collect();
        for (index, event) in tables.events.iter().enumerate() {
            let name = &*event.name;
            if !self.code.events.contains(name) {
                let message = format!("the event `{name}` is never triggered");
                let hint = format!("no in_port, function or action names `Event:{name}`");
                self.warn(event.span, message, &hint);
            } else if !handled.contains(&(index as u16))
                && let Some(&span) = self.code.triggered.get(name)
            {
                let message = format!("no transition handles the event `{name}`");
                let diagnostic = Diagnostic::warning(span, message)
                    .label("triggered here")
                    .hint("whenever it comes, the run ends with an invalid transition");
                self.warnings.push(diagnostic);
            }
        }
    }

    fn states(&mut self) {
        let tables = self.tables;
        let leaves: FxHashSet<u16> = tables
            .entries
            .iter()
            .filter(|entry| entry.next != Next::State(entry.state))
            .map(|entry| entry.state)
            .collect();
        for (index, state) in tables.states.iter().enumerate() {
            let name = &state.name;
            if !self.reachable[index] {
                let message = format!("the state `{name}` is never reached");
                let hint = "no transition leads to it from a state that is, and no code sets it";
                self.warn(state.span, message, hint);
            } else if !state.is_stable() && !leaves.contains(&(index as u16)) {
                let message = format!("the state `{name}` is never left");
                let hint = "it has a busy permission, and no transition leads to another state";
                self.warn(state.span, message, hint);
            }
        }
    }

    fn missing(&mut self) {
        let tables = self.tables;
        for (event, evidence) in requests::requests(tables, self.machine) {
            let has_entry: FxHashSet<u16> = tables
                .entries
                .iter()
                .filter(|entry| entry.event == event)
                .map(|entry| entry.state)
                .collect();
            let stable = |index: usize| self.reachable[index] && tables.states[index].is_stable();
            let (with, without): (Vec<usize>, Vec<usize>) = (0..tables.states.len())
                .filter(|&index| stable(index))
                .partition(|&index| has_entry.contains(&(index as u16)));
            let is_sure = evidence.is_sure || without.len() <= (with.len() / 4).max(1);
            if with.is_empty() || !is_sure {
                continue;
            }
            for index in without {
                let state = &tables.states[index];
                let event = &tables.events[usize::from(event)].name;
                let message = format!("no transition for ({}, {event})", state.name);
                let diagnostic = Diagnostic::warning(state.span, message)
                    .label(format!("a state with the permission {}", state.permission_name()))
                    .note(evidence.span, format!("`{event}` is a request of the core"))
                    .hint("other states that are not busy by their permission have one; if the request comes, the run ends");
                self.warnings.push(diagnostic);
            }
        }
    }

    fn declarations(&mut self) {
        let machine = self.machine;
        for declaration in &machine.body {
            let (name, message, hint) = match declaration {
                Declaration::OutPort(port) => {
                    (&port.name, "unused out_port", "use it or remove it")
                }
                Declaration::Function(function) if function.body.is_some() => {
                    (&function.name, "unused function", "call it or remove it")
                }
                Declaration::Object(object) => {
                    (&object.name, "unused variable", "use it or remove it")
                }
                _ => continue,
            };
            let text = &*name.text;
            if !self.code.names.contains(text) && !CALLED_BY_THE_RUNTIME.contains(&text) {
                self.warn(name.span, format!("{message} `{text}`"), hint);
            }
        }
    }
}

/// Returns whether each state is reachable: named by the code, or reached from such a state through
/// the table.
fn reachable(tables: &MachineOutline, code: &Code<'_>) -> Vec<bool> {
    let mut reachable: Vec<bool> =
        tables.states.iter().map(|state| code.states.contains(&*state.name)).collect();
    // If the code names no state, the initial states are unknown.
    if !reachable.contains(&true) {
        return vec![true; tables.states.len()];
    }
    let mut leads = vec![Vec::new(); tables.states.len()];
    for entry in &tables.entries {
        if let Next::State(next) = entry.next {
            leads[usize::from(entry.state)].push(usize::from(next));
        }
    }
    let mut open: Vec<usize> = (0..reachable.len()).filter(|&at| reachable[at]).collect();
    while let Some(state) = open.pop() {
        for &next in &leads[state] {
            if !std::mem::replace(&mut reachable[next], true) {
                open.push(next);
            }
        }
    }
    reachable
}
