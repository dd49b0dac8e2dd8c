//! A wakeup of a controller, which scans its ports and takes transitions (`docs/slicc.md`, "One
//! wakeup of a controller").

use slicc::compile::code::{InPort, Program};
use slicc::compile::op::control;

use super::fault::Trap;
use super::run::Ending;
use super::words::STACK;
use super::{MOST_TRANSITIONS_PER_WAKEUP, RecordedEvent, System};
use crate::trace;

impl System {
    /// Wakes the current controller. Returns whether it takes a transition, or a stall handler stands for one.
    pub(super) fn wakeup(&mut self, program: &Program) -> Result<bool, Trap> {
        // Until code runs, a fault has no place in the protocol.
        self.pc = usize::MAX;
        self.serve_memory()?;
        let controller = &self.controllers[self.current];
        let ports = &program.machines[controller.machine].in_ports;
        let most = controller.transitions_per_cycle;
        let mut taken = 0;
        let mut stalled = false;
        'scan: loop {
            // Whether code ran in this scan. If not, no port was ready.
            let mut ran = false;
            for (at, port) in ports.iter().enumerate() {
                let controller = &self.controllers[self.current];
                let buffer = controller.ports[at];
                if port.guarded && !self.is_ready(buffer) {
                    continue;
                }
                ran = true;
                self.controllers[self.current].rank = port.rank as usize;
                let ending = self.run(program, port.code.start, STACK)?;
                self.words.settle();
                match ending {
                    Ending::Through { stalled: now } => stalled |= now,
                    Ending::Taken => {
                        if !self.prefetches.is_empty() {
                            self.enqueue_prefetches(program)?;
                        }
                        taken += 1;
                        if taken >= MOST_TRANSITIONS_PER_WAKEUP {
                            return Err(Trap::Other(
                                "a wakeup took a million transitions and went on",
                            ));
                        }
                        if taken >= most {
                            self.wake_next_cycle();
                            self.check_rejected(ports)?;
                            break 'scan;
                        }
                        continue 'scan;
                    }
                    Ending::Again => continue 'scan,
                }
            }
            if let Some(last) = ports.last() {
                self.controllers[self.current].rank = last.rank as usize;
            }
            if ran {
                self.check_rejected(ports)?;
            }
            break;
        }
        if stalled {
            self.wake_next_cycle();
        }
        Ok(taken > 0)
    }

    /// Checks for a message at the head of a buffer all of whose ports are for other types: it
    /// would stay there for ever.
    fn check_rejected(&self, ports: &[InPort]) -> Result<(), Trap> {
        let buffers = &self.controllers[self.current].ports;
        for (port, buffer) in ports.iter().zip(buffers) {
            let of = &self.buffers[*buffer as usize];
            if port.timers || !of.is_ready(self.now) {
                continue;
            }
            let Some(head) = of.head().map(|head| self.words.type_of(head)) else {
                continue;
            };
            let mut takers = ports.iter().zip(buffers).filter(|(_, other)| *other == buffer);
            if !takers.any(|(port, _)| port.message == head) {
                return Err(Trap::Other(
                    "All ports rejected a message: its type is that of no in_port of its buffer",
                ));
            }
        }
        Ok(())
    }

    /// Wakes the current controller in the next cycle.
    pub(super) fn wake_next_cycle(&mut self) {
        self.wheel.schedule(self.now + 1, self.current as u32);
    }

    /// Counts a transition that was taken, and traces it.
    pub(super) fn note_transition(&mut self, program: &Program) {
        self.tally.transitions += 1;
        let controller = &self.controllers[self.current];
        let (machine, version) = (controller.machine, controller.version);
        let word =
            |offset: u16| self.words.words[controller.control as usize + usize::from(offset)];
        let (address, after) = (word(control::ADDRESS), word(control::AFTER) as u16);
        let event = RecordedEvent {
            tick: self.now,
            controller: self.current as u32,
            what: self.transition,
            after,
            address,
            ..RecordedEvent::default()
        };
        let of = &program.machines[machine];
        if of.transitions[self.transition as usize].state == after {
            self.keep_unchanged(event)
        } else {
            self.keep(event)
        }
        self.coverage[machine][self.transition as usize] += 1;
        let of = &program.machines[machine];
        let transition = &of.transitions[self.transition as usize];
        if transition.next.is_none() {
            *self.computed.entry((machine, self.transition, after)).or_default() += 1;
        }
        if let Some(trace) = &mut self.trace {
            trace.transition(
                self.now,
                &trace::Transition {
                    version,
                    machine: &of.name,
                    event: &of.events[transition.event as usize],
                    from: &of.states[transition.state as usize],
                    to: of.states.get(after as usize).map_or("", |state| state),
                    key: Some((self.current as u32, self.transition, after)),
                    address,
                    comment: &self.comment,
                },
            );
            self.comment.clear();
        }
    }

    /// Takes the transition that was counted last out of the counts: it was only tried.
    pub(super) fn forget_transition(&mut self) {
        self.tally.transitions -= 1;
        let controller = &self.controllers[self.current];
        let machine = controller.machine;
        self.coverage[machine][self.transition as usize] -= 1;
        let offset = controller.control as usize + usize::from(control::AFTER);
        let computed = (machine, self.transition, self.words.words[offset] as u16);
        if let Some(count) = self.computed.get_mut(&computed) {
            *count -= 1;
            if *count == 0 {
                self.computed.remove(&computed);
            }
        }
    }

    /// Counts a transition that stalled, and traces it.
    pub(super) fn note_stall(&mut self, resource: bool) {
        self.tally.stalls += 1;
        self.looks.stall((!resource).then_some(self.transition));
        if !resource {
            let machine = self.controllers[self.current].machine;
            self.stalled[machine][self.transition as usize] += 1;
        }
        let Some(trace) = &mut self.trace else { return };
        let controller = &self.controllers[self.current];
        let word =
            |offset: u16| self.words.words[controller.control as usize + usize::from(offset)];
        let of = &self.program.machines[controller.machine];
        let transition = &of.transitions[self.transition as usize];
        let line = trace::Transition {
            version: controller.version,
            machine: &of.name,
            event: &of.events[transition.event as usize],
            from: &of.states[transition.state as usize],
            to: of.states.get(word(control::AFTER) as usize).map_or("", |state| state),
            key: Some((self.current as u32, self.transition, word(control::AFTER) as u16)),
            address: word(control::ADDRESS),
            comment: "",
        };
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
