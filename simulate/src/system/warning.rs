//! What gem5 accepts without a word although it is evidently wrong.

use std::mem::Discriminant;

use slicc::source::Span;

use super::System;
use super::fault::Trap;
use crate::ruby::Misuse;

/// Something that gem5 accepts although it is evidently wrong: an entry used that was never allocated, for example.
#[derive(Clone, Debug)]
pub struct Warning {
    /// What happened, with controller, time and address.
    pub message: String,
    /// The same in a few words, which are the same for all of the kind.
    pub summary: &'static str,
    /// When it first did.
    pub tick: u64,
    /// The controller that was running, such as `L2Cache 0`.
    pub controller: String,
    /// The line that it was about.
    pub address: u64,
    /// Where in the protocol.
    pub span: Option<Span>,
    /// The last transitions and messages for that line, the oldest first.
    pub recent: Vec<String>,
    /// How often it happened at that place.
    pub count: u64,
    kind: Discriminant<Misuse>,
}

impl Warning {
    /// Whether two are of the same kind and at the same place in the protocol.
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
    /// Notes that the running code does something that gem5 accepts although it is evidently wrong; a fault if that is
    /// how it is to be taken.
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
        let row = if self.in_transition {
            let transition = &machine.transitions[self.transition as usize];
            let event = &machine.events[usize::from(transition.event)];
            let state = &machine.states[usize::from(transition.state)];
            format!(" event: {event} state: {state}")
        } else {
            String::new()
        };
        let warning = Warning {
            message: format!("{misuse}: {name} time: {} addr: {address:#x}{row}", self.now),
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

    /// What was warned about since this was last asked.
    pub fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }
}
