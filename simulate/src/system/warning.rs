//! Warnings about mistakes that gem5 accepts.

use std::mem::Discriminant;

use slicc::source::Span;

use super::System;
use super::fault::Trap;
use crate::ruby::Misuse;

/// A warning about a mistake that gem5 accepts, such as the use of an entry that was never
/// allocated.
#[derive(Clone, Debug)]
pub struct Warning {
    /// The message, with controller, time and address.
    pub message: String,
    /// A short message, which is the same for all warnings of a kind.
    pub summary: &'static str,
    /// The tick of the first occurrence.
    pub tick: u64,
    /// The controller that was running, such as `L2Cache 0`.
    pub controller: String,
    /// The address of the line.
    pub address: u64,
    /// The place in the protocol's source.
    pub span: Option<Span>,
    /// The last transitions and messages for that line, the oldest first.
    pub recent: Vec<String>,
    /// Number of occurrences at that place.
    pub count: u64,
    kind: Discriminant<Misuse>,
}

impl Warning {
    /// Whether two warnings are of the same kind and about the same place in the protocol.
    pub fn is_same(&self, other: &Warning) -> bool {
        (self.span, self.kind) == (other.span, other.kind)
    }
}

fn summary(misuse: &Misuse) -> &'static str {
    match misuse {
        Misuse::NeverAllocated(_) => "an entry used that was never allocated",
        Misuse::AllocatedTwice(_) => "an entry allocated twice",
        Misuse::LostEntry(_) => "an entry allocated over one that is NotPresent",
        Misuse::RankBehind { .. } => "lines woken from a port of too high a rank",
        _ => "a library object misused",
    }
}

impl System {
    /// Records a warning about the running code; in strict mode, it is a fault.
    pub(super) fn warn(&mut self, misuse: Misuse) -> Result<(), Trap> {
        if self.strict {
            return Err(Trap::Misuse(misuse));
        }
        let kind = std::mem::discriminant(&misuse);
        let span = self.program.spans.get(self.calling).copied();
        let mut known = self.warnings.iter_mut();
        if let Some(known) = known.find(|known| (known.span, known.kind) == (span, kind)) {
            known.count += 1;
            return Ok(());
        }
        let controller = &self.controllers[self.current];
        let machine = &self.program.machines[controller.machine];
        let name = format!("{} {}", machine.name, controller.version);
        let address = self.current_address();
        let row = self.row_text();
        let warning = Warning {
            message: format!("{misuse} ({name}, tick {}, address {address:#x}{row})", self.now),
            summary: summary(&misuse),
            tick: self.now,
            controller: name,
            address,
            span,
            recent: self.recent(address),
            count: 1,
            kind,
        };
        self.warnings.push(warning);
        Ok(())
    }

    /// The row of the table that the current controller is taking, as the end of a sentence: `, event Load in state I`; nothing
    /// outside of transitions.
    pub(super) fn row_text(&self) -> String {
        if !self.in_transition {
            return String::new();
        }
        let machine = &self.program.machines[self.controllers[self.current].machine];
        // What the network or memory does wrong while a transition runs is not of its machine.
        let Some(transition) = machine.transitions.get(self.transition as usize) else {
            return String::new();
        };
        let event = &machine.events[usize::from(transition.event)];
        let state = &machine.states[usize::from(transition.state)];
        format!(", event {event} in state {state}")
    }

    /// The warnings since the last call.
    pub fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }
}
