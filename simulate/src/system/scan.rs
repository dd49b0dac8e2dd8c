//! A wakeup of a controller, which scans its ports and takes transitions (`docs/slicc.md`, "One
//! wakeup of a controller").

use slicc::compile::code::Program;

use super::fault::Trap;
use super::run::Ending;
use super::words::STACK;
use super::{MOST_TRANSITIONS_PER_WAKEUP, Port, System};

impl System {
    /// Wakes the current controller. Returns whether it takes a transition, or a stall handler that counts as one.
    pub(super) fn wakeup(&mut self, program: &Program) -> Result<bool, Trap> {
        // Until code runs, a fault has no place in the protocol.
        (self.pc, self.port) = (usize::MAX, usize::MAX);
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
            self.port = at;
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
        // Idle ports count as scanned.
        if ran || controller.has_idle_port {
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

    /// The first port from an index on that has to be scanned, with its index: one whose buffer is ready, or whose code
    /// does not wait for its buffer.
    #[inline]
    fn next_port(&mut self, from: usize) -> Option<(usize, Port)> {
        let mut next = from;
        loop {
            let ports = self.controllers[self.current].ports.get(next..)?;
            let (now, buffers) = (self.now, &self.buffers);
            let (more, &port) = ports.iter().enumerate().find(|(_, port)| {
                (!port.guarded || buffers.has_arrived(port.object as usize, now)) && !port.idle
            })?;
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
        if takers.any(|(port, object)| object == buffer && port.takes(of)) {
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
}
