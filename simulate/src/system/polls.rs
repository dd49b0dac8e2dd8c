//! Wakeups that repeat the previous one, which are counted instead of executed.
//!
//! A controller whose message stalls tries it again in every cycle, until a bank of a cache is free or another message
//! comes. If such a wakeup has no effects, the next one does the same: it counts the same stalls, and wakes the
//! controller in the next cycle. So it is not executed again until something changes that it has read. It has read only
//! what the controller owns, which nothing but its own wakeups changes, the heads of its buffers, and banks, whose next
//! free tick is known.
//!
//! With a trace, which has a line for each stall, all wakeups are executed.

use slicc::compile::code::Program;
use slicc::library::LibraryFunction;

use super::System;
use super::fault::Trap;

/// What the current wakeup of a controller has done so far, from which [`Poll`] knows whether it may be repeated.
#[derive(Debug, Default)]
pub(super) struct WakeupLog {
    /// Whether its stalls are recorded.
    is_recorded: bool,
    /// Whether it has changed something, or read something that other controllers or time change.
    pub has_changed: bool,
    /// The first tick at which a bank is free that it found busy.
    pub until: u64,
    /// Number of its stalls.
    stalls: u64,
    /// The transitions that the protocol stalled.
    stalled: Vec<u32>,
}

/// A wakeup that took no transition and had no effects but stalls, so that it may be repeated.
#[derive(Debug, Default)]
pub(super) struct Poll {
    /// The first tick at which the wakeup may do something else; 0 if the last wakeup cannot be repeated.
    until: u64,
    /// For each port, the message that it can take; 0 if there is none.
    heads: Vec<u64>,
    stalls: u64,
    stalled: Vec<u32>,
    /// The transition that it tried last.
    transition: u32,
}

impl Poll {
    /// Makes the next wakeup happen, since something may have changed that the last one has read.
    pub(super) fn forget(&mut self) {
        self.until = 0;
    }
}

impl WakeupLog {
    /// Begins to record a wakeup.
    fn begin(&mut self) {
        self.is_recorded = true;
        self.has_changed = false;
        self.until = u64::MAX;
        self.stalls = 0;
        self.stalled.clear();
    }

    /// Counts a stall; `transition` is given if the protocol stalls it (`z_stall`).
    pub(super) fn stall(&mut self, transition: Option<u32>) {
        if self.is_recorded {
            self.stalls += 1;
            self.stalled.extend(transition);
        }
    }

    /// Notes a call of the library. It counts as a change unless the function only reads what the controller owns.
    #[inline]
    pub(super) fn call(&mut self, function: LibraryFunction) {
        use LibraryFunction::*;
        let looks = matches!(
            function,
            CacheProbe
                | TableSlots
                | DirectoryLookup
                | DirectoryPresent
                | DestHas
                | DestCount
                | Modulo
        );
        self.has_changed |= !looks;
    }
}

impl System {
    /// Wakes the current controller as [`System::wakeup`] does, or repeats its last wakeup if that had no effects but
    /// stalls.
    pub(super) fn poll(&mut self, program: &Program) -> Result<(), Trap> {
        let controller = &self.controllers[self.current];
        if !controller.may_repeat || self.trace.is_some() {
            return self.wakeup(program).map(|_| ());
        }
        if self.now < controller.poll.until && self.repeat_poll(program) {
            return Ok(());
        }
        self.wakeup_log.begin();
        let takes = self.wakeup(program)?;
        self.wakeup_log.is_recorded = false;
        let controller = &mut self.controllers[self.current];
        if takes || self.wakeup_log.has_changed || self.wakeup_log.stalls == 0 {
            controller.poll.until = 0;
            return Ok(());
        }
        let poll = &mut controller.poll;
        poll.until = self.wakeup_log.until;
        poll.stalls = self.wakeup_log.stalls;
        std::mem::swap(&mut poll.stalled, &mut self.wakeup_log.stalled);
        poll.transition = self.transition;
        poll.heads.clear();
        let (buffers, now) = (&self.buffers, self.now);
        let ports = controller.ports.iter();
        poll.heads.extend(ports.map(|port| buffers[port.object as usize].ready_head(now)));
        Ok(())
    }

    /// Repeats the effects of the last wakeup of the current controller, which had none but stalls, if nothing that it read has changed.
    /// Returns whether it did.
    fn repeat_poll(&mut self, program: &Program) -> bool {
        let (now, buffers) = (self.now, &self.buffers);
        let controller = &mut self.controllers[self.current];
        let poll = &controller.poll;
        let asks_memory = controller
            .requests_to_memory
            .is_some_and(|requests| buffers[requests as usize].is_ready(now));
        let mut ports = controller.ports.iter().zip(&poll.heads);
        let is_same = ports.all(|(port, head)| {
            let of = &buffers[port.object as usize];
            !of.is_throttled(now) && of.ready_head(now) == *head
        });
        if asks_memory || !is_same {
            return false;
        }
        self.transition = poll.transition;
        self.tally.stalls += poll.stalls;
        for &transition in &poll.stalled {
            self.stalled[controller.machine][transition as usize] += 1;
        }
        if let Some(last) = program.machines[controller.machine].in_ports.last() {
            controller.rank = last.rank as usize;
        }
        self.wake_next_cycle();
        true
    }
}
