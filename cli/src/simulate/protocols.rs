//! Protocols as commands show them: the coverage of their tables, and their errors and warnings.

use std::collections::BTreeSet;

use lab::Refusal;
use lab::protocols::{Opened, has_controllers};
use lab::text::{tame, written_at};
use mutate::unreached::{self, Asked};
use report::coverage::Reached;
use simulate::config::{Plan, absent};
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;
use slicc::setting::Setting;

use super::coverage::Covered;
use crate::error::{Error, tell};
use crate::protocol::diagnostics;

/// Warns on standard error of the repairs that were left out because they would overwrite the user's own changes, which buffers of a
/// protocol are assumed to be ordered, and why, if no script of gem5 says it, and of machines to which it sends and that the system lacks.
pub(crate) fn warn_of_protocol(opened: &Opened, settings: &[Setting]) {
    for refused in &opened.refused {
        eprintln!("rubric: warning: {}: repair {}", tame(&opened.given), tame(refused));
    }
    if let Some(notice) = opened.protocol.order_notice(settings) {
        tell(format_args!("warning: {}", tame(&notice)));
    }
    let options = simulate::config::Options { settings: settings.to_vec(), ..Default::default() };
    // If there is no such system, the error comes from the runs, which may have other sizes.
    let absent = opened.plan_of(&options).map(|plan| absent(&opened.protocol, &plan));
    for warning in absent.unwrap_or_default() {
        let place = written_at(warning.span, opened.protocol.sources());
        let place = place.map_or(String::new(), |(file, line, _)| format!("{file}:{line}: "));
        let hint = warning.hint.unwrap_or_default();
        tell(format_args!("warning: {}; {hint}", tame(&format!("{place}{}", warning.message))));
    }
}

/// The coverage of a protocol's table by the transitions `taken`. It counts transitions that do not stall, of machines that have
/// controllers. `asked` says which requests the programs made.
pub(crate) fn reached(
    protocol: &Protocol,
    plan: &Plan,
    asked: Asked,
    taken: &BTreeSet<Covered<'_>>,
) -> Reached {
    let reasons = unreached::of(protocol, asked);
    let mut reached = Reached::default();
    for entry in table(protocol, plan) {
        let place = TableEntry::new(entry.machine, entry.state, entry.event);
        reached.add(taken.contains(&entry), reasons.contains_key(&place));
    }
    reached
}

/// The transitions of the table that were not taken, each with the reason why it is unreachable, if it is known.
pub(crate) fn rest(
    protocol: &Protocol,
    plan: &Plan,
    asked: Asked,
    taken: &BTreeSet<Covered<'_>>,
) -> Vec<(TableEntry, Option<String>)> {
    let reasons = unreached::of(protocol, asked);
    let rest = table(protocol, plan).into_iter().filter(|entry| !taken.contains(entry));
    let places = rest.map(|entry| TableEntry::new(entry.machine, entry.state, entry.event));
    places
        .map(|place| {
            let reason = reasons.get(&place).cloned();
            (place, reason)
        })
        .collect()
}

/// The transitions of the table that can be taken: those that do not stall, of machines that have controllers.
fn table<'a>(protocol: &'a Protocol, plan: &Plan) -> BTreeSet<Covered<'a>> {
    let machines =
        protocol.program.machines.iter().filter(|machine| has_controllers(plan, &machine.name));
    let rows = machines.flat_map(|machine| {
        let takeable = machine.transitions.iter().filter(|transition| !transition.stalls);
        takeable.map(|transition| Covered {
            machine: &machine.name,
            state: &machine.states[usize::from(transition.state)],
            event: &machine.events[usize::from(transition.event)],
        })
    });
    rows.collect()
}

/// The error for a protocol that cannot be used. It shows lines of the protocol's files if it is about them, else it is about the
/// user's request.
pub(crate) fn refusal(refusal: Box<Refusal>) -> Error {
    if refusal.is_about_files() {
        diagnostics::refusal(&refusal.given, &refusal.sources, &refusal.diagnostics)
    } else {
        Error::Lab(Box::new(lab::Error::Protocol(refusal)))
    }
}

impl From<lab::Error> for Error {
    fn from(error: lab::Error) -> Error {
        match error {
            lab::Error::Protocol(refusal) => self::refusal(refusal),
            error => Error::Lab(Box::new(error)),
        }
    }
}
