//! A wakeup of a controller, which scans its ports and takes transitions (`docs/slicc.md`, "One
//! wakeup of a controller").

use slicc::compile::code::Program;
use slicc::compile::op::control;

use super::fault::Trap;
use super::run::Ending;
use super::words::STACK;
use super::{MOST_TRANSITIONS_PER_WAKEUP, Port, RecordedEvent, System};
use crate::trace;

impl System {
    /// Wakes the current controller. Returns whether it takes a transition, or a stall handler stands for one.
    pub(super) fn wakeup(&mut self, program: &Program) -> Result<bool, Trap> {
        // Until code runs, a fault has no place in the protocol.
        self.pc = usize::MAX;
        let controller = &self.controllers[self.current];
        if let Some(requests) = controller.requests_to_memory
            && self.buffers.has_arrived(requests as usize, self.now)
        {
            self.serve_memory()?;
        }
        let controller = &self.controllers[self.current];
        let most = controller.transitions_per_cycle;
        let (mut taken, mut stalled) = (0, false);
        // Whether code ran since the scan began at the first port. If not, no port was ready.
        let (mut ran, mut next) = (false, 0);
        while let Some((at, port)) = self.next_port(next) {
            ran = true;
            self.controllers[self.current].rank = port.rank as usize;
            let ending = self.run(program, port.start, STACK)?;
            self.words.settle();
            match ending {
                Ending::Through { stalled: now } => {
                    stalled |= now;
                    next = at + 1;
                    continue;
                }
                Ending::Again => {}
                Ending::Taken => {
                    if !self.prefetches.is_empty() {
                        self.enqueue_prefetches(program)?;
                    }
                    taken += 1;
                    if taken >= MOST_TRANSITIONS_PER_WAKEUP {
                        return Err(Trap::Other("a wakeup took a million transitions and went on"));
                    }
                    if taken >= most {
                        self.wake_next_cycle();
                        self.check_rejected(program)?;
                        return Ok(self.end_wakeup(stalled, taken));
                    }
                }
            }
            (ran, next) = (false, 0);
        }
        let controller = &mut self.controllers[self.current];
        if let Some(last) = controller.ports.last() {
            controller.rank = last.rank as usize;
        }
        // Those that are idle were scanned, too.
        if ran || self.controllers[self.current].ports.iter().any(|port| port.idle) {
            self.check_rejected(program)?;
        }
        Ok(self.end_wakeup(stalled, taken))
    }

    fn end_wakeup(&mut self, stalled: bool, taken: u64) -> bool {
        if stalled {
            self.wake_next_cycle();
        }
        taken > 0
    }

    /// The first port from an index on that has to be scanned, with its index: its buffer is ready, or it asks itself.
    #[inline]
    fn next_port(&mut self, from: usize) -> Option<(usize, Port)> {
        let mut next = from;
        loop {
            let ports = self.controllers[self.current].ports.get(next..)?;
            let more = ports.iter().position(|port| {
                let asked =
                    !port.guarded || self.buffers.has_arrived(port.object as usize, self.now);
                asked && !port.idle
            })?;
            let port = ports[more];
            if !port.guarded || self.is_ready(port.object) {
                return Some((next + more, port));
            }
            next += more + 1;
        }
    }

    /// Checks for a message at the head of a buffer all of whose ports are for other types: it
    /// would stay there for ever.
    fn check_rejected(&self, program: &Program) -> Result<(), Trap> {
        let controller = &self.controllers[self.current];
        for port in controller.ports.iter().filter(|port| !port.timers) {
            let (buffer, now) = (port.object as usize, self.now);
            if self.buffers.has_arrived(buffer, now) && self.buffers[buffer].is_ready(now) {
                self.check_taken(program, port.object)?;
            }
        }
        Ok(())
    }

    /// Checks that the message at the head of a buffer of the current controller is for one of its ports.
    fn check_taken(&self, program: &Program, buffer: u32) -> Result<(), Trap> {
        let Some(head) = self.buffers[buffer as usize].head() else {
            return Ok(());
        };
        let of = self.words.type_of(head);
        let controller = &self.controllers[self.current];
        let declared = &program.machines[controller.machine].in_ports;
        let mut takers = declared.iter().zip(controller.port_objects());
        if takers.any(|(port, object)| object == buffer && port.message == of) {
            return Ok(());
        }
        Err(Trap::Other(
            "All ports rejected a message: its type is that of no in_port of its buffer",
        ))
    }

    /// Wakes the current controller in the next cycle.
    pub(super) fn wake_next_cycle(&mut self) {
        self.wheel.schedule(self.now + 1, self.current as u32);
    }

    /// Counts a transition that was taken, and traces it.
    #[inline(never)]
    pub(super) fn note_transition(&mut self, program: &Program) {
        self.tally.transitions += 1;
        let controller = &self.controllers[self.current];
        let (machine, number) = (controller.machine, self.transition);
        let control = controller.control as usize;
        let address = self.words.words[control + usize::from(control::ADDRESS)];
        let after = self.words.words[control + usize::from(control::AFTER)] as u16;
        let event = RecordedEvent {
            tick: self.now,
            controller: self.current as u32,
            what: number,
            after,
            address,
            ..RecordedEvent::default()
        };
        let transition = &program.machines[machine].transitions[number as usize];
        if transition.state == after {
            self.keep_unchanged(event)
        } else {
            self.keep(event)
        }
        self.coverage[machine][number as usize] += 1;
        if transition.next.is_none() {
            *self.computed.entry((machine, number, after)).or_default() += 1;
        }
        if self.trace.is_some() {
            self.trace_transition(program, address, after);
        }
    }

    /// Traces the transition that was taken.
    fn trace_transition(&mut self, program: &Program, address: u64, after: u16) {
        let Some(trace) = &mut self.trace else { return };
        let controller = &self.controllers[self.current];
        let of = &program.machines[controller.machine];
        let transition = &of.transitions[self.transition as usize];
        trace.transition(
            self.now,
            &trace::Transition {
                version: controller.version,
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
