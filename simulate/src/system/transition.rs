//! Transitions: how they begin, are counted and traced.

use slicc::compile::code::Program;
use slicc::compile::op::control;

use super::fault::Trap;
use super::{Controller, RecordedEvent, System};
use crate::trace;

impl System {
    /// Looks up the transition for an event in a state, and records its states. Returns the index of its first instruction; `None`
    /// if there is no room for what it needs, so that it stalls.
    #[inline(never)]
    pub(super) fn begin_transition(
        &mut self,
        program: &Program,
        event: u64,
        state: u64,
    ) -> Result<Option<u32>, Trap> {
        let controller = &self.controllers[self.current];
        let control = controller.control as usize;
        let machine = &program.machines[controller.machine];
        let (event, state) = (event as usize, state as usize);
        if state >= machine.states.len() || event >= machine.events.len() {
            return Err(Trap::Other("a state or event that was never set"));
        }
        let Some(number) = machine.table[state * machine.events.len() + event].checked_sub(1)
        else {
            return Err(Trap::NoTransition { state: state as u16, event: event as u16 });
        };
        self.transition = number;
        let transition = &machine.transitions[number as usize];
        let after = transition.next.map_or(state as u64, u64::from);
        self.words.words[control + usize::from(control::BEFORE)] = state as u64;
        self.words.words[control + usize::from(control::AFTER)] = after;
        if !self.states_at.is_empty() {
            self.note_states(control, state as u64);
        }
        if transition.needs.iter().all(|need| self.has_room(control, *need)) {
            self.in_transition = true;
            return Ok(Some(transition.code.start));
        }
        // Room in a buffer may depend on who reads it.
        self.wakeup_log.has_changed = true;
        self.note_stall(true);
        Ok(None)
    }

    /// The transition that was looked up last, as an event of this tick.
    pub(super) fn latest_transition(&self) -> RecordedEvent {
        let control = self.controllers[self.current].control as usize;
        let word = |offset: u16| self.words.words[control + usize::from(offset)];
        RecordedEvent {
            tick: self.now,
            controller: self.current as u32,
            what: self.transition,
            after: word(control::AFTER) as u16,
            address: word(control::ADDRESS),
            ..RecordedEvent::default()
        }
    }

    /// Counts a transition that was taken, and traces it.
    #[inline(never)]
    pub(super) fn note_transition(&mut self, program: &Program) {
        self.tally.transitions += 1;
        let event = self.latest_transition();
        let machine = self.controllers[self.current].machine;
        let (number, after) = (event.what, event.after);
        let transition = &program.machines[machine].transitions[number as usize];
        if transition.state == after {
            self.keep_unchanged(event)
        } else {
            self.keep(event)
        }
        let computed = transition.next.is_none().then_some(after);
        self.taken.count(machine, number, computed);
        if let Some(trace) = &mut self.trace {
            let controller = &self.controllers[self.current];
            trace.transition(self.now, &traced(program, controller, &event, &self.comment));
            self.comment.clear();
        }
    }

    /// Removes the transition that was counted last from the counts, because it was only tried.
    pub(super) fn forget_transition(&mut self) {
        self.tally.transitions -= 1;
        let controller = &self.controllers[self.current];
        let machine = controller.machine;
        let offset = controller.control as usize + usize::from(control::AFTER);
        let next = self.words.words[offset] as u16;
        self.taken.forget(machine, self.transition, next);
    }

    /// Counts a transition that stalled, and traces it.
    pub(super) fn note_stall(&mut self, resource: bool) {
        self.tally.stalls += 1;
        self.wakeup_log.stall((!resource).then_some(self.transition));
        let machine = self.controllers[self.current].machine;
        if !resource {
            self.stalled[machine][self.transition as usize] += 1;
        }
        if self.trace.is_none() {
            return;
        }
        let event = self.latest_transition();
        let Some(trace) = &mut self.trace else { return };
        let line = traced(&self.program, &self.controllers[self.current], &event, "");
        if resource {
            trace.resource_stall(self.now, &line)
        } else {
            trace.protocol_stall(self.now, &line)
        }
    }

    /// Adds a value to the comment of the running transition.
    pub(super) fn comment(&mut self, of: usize, value: u64) {
        use slicc::compile::types::TypeKind;
        use std::fmt::Write;

        if self.trace.is_none() {
            return;
        }
        let known = self.program.types.known;
        let kind = &self.program.types[of].kind;
        let written = match kind {
            _ if of == known.text => {
                write!(
                    self.comment,
                    "{}",
                    self.program.texts.get(value as usize).map_or("", |text| text)
                )
            }
            TypeKind::Enumeration { values, .. } => {
                write!(self.comment, "{}", values.get(value as usize).map_or("?", |name| name))
            }
            TypeKind::Value => {
                let words = &self.words.words
                    [value as usize..value as usize + self.program.types[of].width()];
                write!(self.comment, "{words:x?}")
            }
            _ if of == known.addr => write!(self.comment, "{value:#x}"),
            _ => write!(self.comment, "{}", value as i64),
        };
        debug_assert!(written.is_ok());
    }
}

/// The line of a trace for a transition of a controller.
fn traced<'a>(
    program: &'a Program,
    controller: &Controller,
    event: &RecordedEvent,
    comment: &'a str,
) -> trace::Transition<'a> {
    let of = &program.machines[controller.machine];
    let transition = &of.transitions[event.what as usize];
    trace::Transition {
        version: controller.version,
        machine: &of.name,
        event: &of.events[transition.event as usize],
        from: &of.states[transition.state as usize],
        to: of.states.get(usize::from(event.after)).map_or("", |state| state),
        key: Some((event.controller, event.what, event.after)),
        address: event.address,
        comment,
    }
}
