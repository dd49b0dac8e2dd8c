//! Faults put into words.

use super::fault::{Fault, FaultKind, Trap};
use super::{HAPPENINGS, System};
use crate::compile::types::Kind;

/// How many happenings a report shows.
const SHOWN: usize = 24;

impl System {
    /// The fault that the current controller ran into.
    pub(super) fn fault(&mut self, trap: Trap) -> Box<Fault> {
        let controller = &self.controllers[self.current];
        let machine = &self.program.machines[controller.machine];
        let name = format!("{} {}", machine.name, controller.version);
        let address = self.current_address();
        let span = self.program.spans.get(self.pc).copied();
        let (kind, message) = match trap {
            Trap::NoTransition { state, event } => (
                FaultKind::InvalidTransition,
                format!(
                    "Invalid transition: {name} time: {} addr: {address:#x} event: {} state: {}",
                    self.now,
                    machine.events[usize::from(event)],
                    machine.states[usize::from(state)]
                ),
            ),
            Trap::Error(text) => {
                let text = self
                    .program
                    .texts
                    .get(text as usize)
                    .map_or("", |text| text);
                (
                    FaultKind::Error,
                    format!(
                        "Runtime Error: {name} time: {} addr: {address:#x}: {text}",
                        self.now
                    ),
                )
            }
            Trap::Assert => (
                FaultKind::Assertion,
                format!(
                    "assert failure: {name} time: {} addr: {address:#x}",
                    self.now
                ),
            ),
            Trap::Null => (
                FaultKind::Misuse,
                format!(
                    "a null pointer was followed: {name} time: {} addr: {address:#x}",
                    self.now
                ),
            ),
            Trap::Misuse(misuse) => (
                FaultKind::Misuse,
                format!("{misuse}: {name} time: {} addr: {address:#x}", self.now),
            ),
            Trap::Sequencer(misuse) => (
                FaultKind::Misuse,
                format!("{misuse}: {name} time: {} addr: {address:#x}", self.now),
            ),
            Trap::Other(what) => (
                FaultKind::Misuse,
                format!("{what}: {name} time: {} addr: {address:#x}", self.now),
            ),
            Trap::Unsupported(what) => (
                FaultKind::Misuse,
                format!(
                    "{what} is not simulated: {name} time: {} addr: {address:#x}",
                    self.now
                ),
            ),
        };
        let recent = self.recent(address);
        Box::new(Fault {
            kind,
            message,
            tick: self.now,
            controller: Some(name),
            address: Some(address),
            span,
            recent,
        })
    }

    /// A fault that no code of the protocol is the place of.
    pub(super) fn plain_fault(&self, kind: FaultKind, message: String) -> Box<Fault> {
        Box::new(Fault {
            kind,
            message,
            tick: self.now,
            controller: None,
            address: None,
            span: None,
            recent: Vec::new(),
        })
    }

    /// A request has waited too long.
    pub(super) fn stuck(&self, sequencer: usize, message: String) -> Box<Fault> {
        let address = self.sequencers[sequencer]
            .oldest()
            .map(|(_, address)| self.sequencers[sequencer].line_of(address));
        let recent = address
            .map(|address| self.recent(address))
            .unwrap_or_default();
        Box::new(Fault {
            address,
            recent,
            ..*self.plain_fault(FaultKind::Deadlock, message)
        })
    }

    /// A core is answered, but gets nowhere.
    pub(super) fn no_progress(&self, thread: usize, since: u64) -> Box<Fault> {
        let message = format!(
            "Livelock: thread {thread} has been at the same operation since time {since}, although its requests are \
             answered; current time: {}",
            self.now
        );
        let line = self.sequencers[thread].oldest();
        let address = line.map(|(_, address)| self.sequencers[thread].line_of(address));
        let recent = address
            .map(|address| self.recent(address))
            .unwrap_or_default();
        let fault = *self.plain_fault(FaultKind::Deadlock, message);
        Box::new(Fault {
            address,
            recent,
            ..fault
        })
    }

    /// Nothing is going to happen any more, but cores wait.
    pub(super) fn quiescence(&self) -> Box<Fault> {
        let waiting = self
            .sequencers
            .iter()
            .filter(|one| one.outstanding() > 0)
            .min_by_key(|one| one.oldest());
        match waiting {
            Some(one) => {
                let (since, address) = one.oldest().unwrap_or_default();
                let message = format!(
                    "Deadlock: nothing is going to happen any more, but sequencer {} has waited for {address:#x} since tick \
                     {since}; current time: {}",
                    one.version(),
                    self.now
                );
                self.stuck(one.version() as usize, message)
            }
            None => {
                let message = format!(
                    "Deadlock: no core has a request outstanding, and none goes on; current time: {}",
                    self.now
                );
                self.plain_fault(FaultKind::Deadlock, message)
            }
        }
    }

    /// Controllers wake each other without end, and time stands still.
    pub(super) fn livelock(&self) -> Box<Fault> {
        let controller = self.controllers.get(self.current).map(|controller| {
            format!(
                "{} {}",
                self.program.machines[controller.machine].name, controller.version
            )
        });
        let address = self.current_address();
        let message = format!(
            "Livelock: controllers wake each other without end at time {}, the last of them {} for addr: {address:#x}",
            self.now,
            controller.as_deref().unwrap_or("none")
        );
        let recent = self.recent(address);
        let fault = *self.plain_fault(FaultKind::Deadlock, message);
        Box::new(Fault {
            controller,
            address: Some(address),
            recent,
            ..fault
        })
    }

    /// The last transitions and messages for a line.
    pub(super) fn recent(&self, address: u64) -> Vec<String> {
        let count = self.happened.min(HAPPENINGS);
        let mut lines = Vec::new();
        for back in 0..count {
            let happening = &self.happenings[(self.happened - 1 - back) % HAPPENINGS];
            if happening.address != address {
                continue;
            }
            let controller = &self.controllers[happening.controller as usize];
            let machine = &self.program.machines[controller.machine];
            let who = format!(
                "{:>10}: {} {}",
                happening.tick, machine.name, controller.version
            );
            lines.push(match happening.is_message {
                true => {
                    let of = &self.program.types[happening.what as usize];
                    let named = of.fields.get("Type").and_then(|field| {
                        match &self.program.types[field.of].kind {
                            Kind::Enumeration { values, .. } => {
                                values.get(happening.kind as usize).cloned()
                            }
                            _ => None,
                        }
                    });
                    format!("{who} sends {} {}", of.name, named.as_deref().unwrap_or(""))
                }
                false => {
                    let transition = &machine.transitions[happening.what as usize];
                    let after = machine
                        .states
                        .get(usize::from(happening.after))
                        .map_or("?", |state| state);
                    format!(
                        "{who} {}: {} > {after}",
                        machine.events[usize::from(transition.event)],
                        machine.states[usize::from(transition.state)]
                    )
                }
            });
            if lines.len() == SHOWN {
                break;
            }
        }
        lines.reverse();
        lines
    }
}
