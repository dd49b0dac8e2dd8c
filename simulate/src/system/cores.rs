//! The cores and their sequencers: requests go in, and callbacks of the protocol produce responses.

use slicc::library::CallbackFunction;

use super::System;
use super::fault::Trap;
use crate::client::{Core, CorePort, FunctionalAccess};
use crate::program::Bytes;
use crate::request::{Refusal, Request, RequestKind, Response, TlbRequest, Transfer};
use crate::sequencer::dma::Interface;
use crate::sequencer::{Issue, Line, ruby_type};
use crate::trace::Trace;

/// The interface of the system to a core.
struct Port<'a> {
    system: &'a mut System,
    thread: usize,
}

impl CorePort for Port<'_> {
    fn send(&mut self, request: Request) -> Result<(), Refusal> {
        let system = &mut *self.system;
        let which = match request.kind {
            RequestKind::Ifetch => system.fetchers[self.thread] as usize,
            _ => self.thread,
        };
        let sequencer = &mut system.sequencers[which];
        let line = sequencer.line_of(request.address);
        let controller = &system.controllers[system.homes_of[which]];
        let blocked = controller.blocked.iter().any(|(known, _)| *known == line);
        let issue = sequencer.request(system.now, request, blocked, system.trace.as_mut())?;
        if let Some(issue) = issue {
            system.issue(which, issue);
        }
        Ok(())
    }

    fn transfer(&mut self, transfer: Transfer) -> Result<(), Refusal> {
        let device = self.thread - self.system.cores;
        self.system.dma_sequencers[device].request(self.system.now, transfer)?;
        self.system.issue_transfer(device, transfer);
        Ok(())
    }

    fn translations(&mut self, kind: TlbRequest) -> Result<(), Refusal> {
        let system = &mut *self.system;
        let sequencer = &mut system.sequencers[self.thread];
        let issue = sequencer.request_unaddressed(system.now, kind, system.trace.as_mut())?;
        system.issue(self.thread, issue);
        Ok(())
    }

    fn unfinished_translations(&self) -> usize {
        self.system.sequencers[self.thread].outstanding_unaddressed()
    }

    fn functional(&mut self, bytes: Bytes, written: Option<u64>) -> FunctionalAccess {
        let system = &mut *self.system;
        let (now, version) = (system.now, self.thread as u32);
        if written.is_some() && system.is_being_written(bytes) {
            return FunctionalAccess::Refused;
        }
        if let Some(trace) = &mut system.trace {
            trace.functional_access(now, version, bytes.address);
        }
        let made = match written {
            Some(value) => system.functional_write(bytes, value).map(|()| Some(value)),
            None => system.functional_read(bytes),
        };
        let failed = match made {
            Ok(Some(value)) => {
                if let Some(trace) = &mut system.trace {
                    trace.functional_end(now, version, true);
                }
                system.tally.functional += 1;
                return FunctionalAccess::Done(value);
            }
            Ok(None) if system.accesses.suppresses_errors => {
                if let Some(trace) = &mut system.trace {
                    trace.functional_end(now, version, false);
                }
                system.tally.functional_failures += 1;
                return FunctionalAccess::Refused;
            }
            Ok(None) => system.failed_read(bytes),
            Err(fault) => fault,
        };
        system.accesses.failed = Some(failed);
        FunctionalAccess::Failed
    }

    fn wake_at(&mut self, tick: u64) {
        let event = self.system.controllers.len() + self.thread;
        self.system.wheel.schedule(tick.max(self.system.now + 1), event as u32);
    }

    fn is_flushing(&self, address: u64) -> bool {
        let sequencer = &self.system.sequencers[self.thread];
        sequencer.is_flushing(sequencer.line_of(address))
    }

    fn moment(&mut self) -> u64 {
        self.system.moments += 1;
        self.system.moments
    }

    fn trace(&mut self) -> Option<&mut Trace> {
        self.system.trace.as_mut()
    }
}

impl System {
    /// Calls a function with the core of a thread, and with the interface of the system to it.
    fn with_core(&mut self, thread: usize, what: impl FnOnce(&mut dyn Core, &mut Port<'_>)) {
        let Some(mut core) = self.threads[thread].core.take() else {
            return;
        };
        what(&mut *core, &mut Port { system: self, thread });
        self.threads[thread].core = Some(core);
    }

    /// Passes the responses to a core and lets it continue. Returns whether the core has finished its program in this
    /// step.
    pub(super) fn step(&mut self, thread: usize) -> bool {
        let now = self.now;
        while self.threads[thread].answers.front().is_some_and(|(tick, _)| *tick <= now) {
            if let Some((_, answer)) = self.threads[thread].answers.pop_front() {
                self.with_core(thread, |core, port| core.respond(now, &answer, port));
            }
        }
        self.with_core(thread, |core, port| core.step(now, port));
        let of = &mut self.threads[thread];
        let done = of.core.as_ref().is_some_and(|core| core.is_done());
        let ended = done && !of.done;
        of.done = done;
        ended
    }

    /// Puts a request of a sequencer into the mandatory queue of its controller.
    pub(super) fn issue(&mut self, sequencer: usize, issue: Issue) {
        self.issue_to(self.homes_of[sequencer], issue);
    }

    /// Puts a request into the mandatory queue of a controller.
    fn issue_to(&mut self, controller: usize, issue: Issue) {
        let home = &self.controllers[controller];
        let Some((buffer, latency)) = home.mandatory else {
            return;
        };
        let own = home.mandatory_latencies.get(issue.kind as usize);
        let latency = own.copied().unwrap_or(latency);
        let of = self.program.types.known.request;
        let message = self.words.allocate(of, &self.program.types[of].initial);
        let fields = self.request_fields;
        for (offset, value) in [
            (fields.line, issue.line),
            (fields.address, issue.address),
            (fields.kind, u64::from(issue.kind)),
            // Supervisor mode.
            (fields.mode, 0),
            (fields.size, u64::from(issue.size)),
            (fields.context, u64::from(issue.core)),
        ] {
            self.words.words[message as usize + usize::from(offset)] = value;
        }
        if let Some(id) = issue.transaction {
            self.words.words[message as usize + usize::from(fields.is_tlbi)] = 1;
            self.words.words[message as usize + usize::from(fields.transaction)] = id;
        }
        if let Some(value) = issue.swap {
            self.set_exchange(message as usize + usize::from(fields.mask), &issue, value);
        }
        let random = self.random_delays.then_some(&mut self.delays);
        // The queue is unordered and the latency at least 1, so this cannot fail.
        if let Ok(arrival) = self.buffers.edit(buffer as usize).enqueue(
            self.now,
            latency.max(1),
            message,
            true,
            random,
        ) {
            self.wheel.schedule(arrival, self.consumers[buffer as usize]);
        }
    }

    /// Tells the mask of a request which bytes an atomic exchanges for which value.
    fn set_exchange(&mut self, mask: usize, issue: &Issue, value: u64) {
        let mask = &mut self.words.words[mask..mask + self.mask.words()];
        let offset = issue.address - issue.line;
        // The bytes lie in the line, so this cannot fail.
        if self.mask.set(mask, offset, u64::from(issue.size), true).is_ok() {
            self.mask.set_exchange(mask, offset, value);
        }
    }

    /// Carries out a callback of the protocol: requests for a line complete with the block at an
    /// address.
    pub(super) fn callback(
        &mut self,
        function: CallbackFunction,
        sequencer: u64,
        line: u64,
        block: u64,
    ) -> Result<(), Trap> {
        let which = sequencer as usize;
        if let Some(device) = which.checked_sub(self.sequencers.len()) {
            return self.request_node_callback(function, device, line, block);
        }
        let cache = self.monitors[which]
            .map(|cache| cache as usize)
            .filter(|cache| self.line_tables.caches[*cache].is_tag_present(line));
        let before = cache.and_then(|cache| self.line_tables.caches[cache].monitor(line));
        let mut monitor = before;
        let mut effects = std::mem::take(&mut self.effects);
        effects.clear();
        // Only a store-conditional that fails or a flush comes without a block.
        let words = if block == 0 { 0 } else { self.block_words };
        let range = block as usize..block as usize + words;
        let of = Line {
            now: self.now,
            address: line,
            block: &mut self.words.words[range],
            monitor: cache.is_some().then_some(&mut monitor),
        };
        let trace = self.trace.as_mut();
        let one = &mut self.sequencers[which];
        match function {
            CallbackFunction::ReadDone => one.read_done(of, trace, &mut effects),
            CallbackFunction::WriteDone => one.write_done(of, trace, &mut effects),
            CallbackFunction::WriteUniqueDone => one.write_unique_done(of, trace, &mut effects),
            CallbackFunction::AtomicDone => one.atomic_done(of, trace, &mut effects),
            CallbackFunction::ConditionalFailed => one.write_failed(of, trace, &mut effects),
        }?;
        if let Some(cache) = cache
            && monitor != before
        {
            match monitor {
                Some(owner) => self.line_tables.caches[cache].set_monitor(line, owner),
                None => self.line_tables.caches[cache].clear_monitor(line),
            }
        }
        self.answer(self.thread_of(which), &effects.responses);
        for issue in [effects.issue, effects.answer].into_iter().flatten() {
            self.issue(which, issue);
        }
        let controller = self.homes_of[which];
        match (effects.lock, self.controllers[controller].mandatory) {
            (Some(true), Some((mandatory, _))) => self.block(controller, line, mandatory),
            (Some(false), _) => self.unblock(controller, line),
            _ => {}
        }
        self.effects = effects;
        Ok(())
    }

    /// `unaddressedCallback`: the request of a core with an id completes, or another core's sync asks it for an answer.
    pub(super) fn unaddressed_callback(
        &mut self,
        which: usize,
        id: u64,
        kind: u64,
    ) -> Result<(), Trap> {
        let Some(one) = self.sequencers.get_mut(which) else {
            return Err(Trap::Unsupported("a TLB invalidation of a DMA device"));
        };
        let answer = one.unaddressed_done(self.now, id, kind as u32, self.trace.as_mut())?;
        if let Some(answer) = answer {
            self.issue(which, answer);
        }
        // The core may wait for the request, and has no response to it.
        let event = self.controllers.len() + self.thread_of(which);
        self.wheel.schedule(self.now + 1, event as u32);
        Ok(())
    }

    /// The thread whose requests go through a sequencer.
    fn thread_of(&self, sequencer: usize) -> usize {
        let fetches = self.fetchers.iter().position(|&fetcher| fetcher as usize == sequencer);
        fetches.unwrap_or(sequencer)
    }

    /// Tells the core of a thread that memory performed requests, and schedules the responses.
    fn answer(&mut self, thread: usize, responses: &[Response]) {
        let now = self.now;
        let event = (self.controllers.len() + thread) as u32;
        for response in responses {
            self.with_core(thread, |core, port| core.performed(now, response, port));
            self.threads[thread].answers.push_back((now + 1, *response));
            self.wheel.schedule(now + 1, event);
        }
    }

    /// Puts the request of a DMA device into the mandatory queue of its controller.
    pub(super) fn issue_transfer(&mut self, device: usize, transfer: Transfer) {
        match self.dma_sequencers[device].interface {
            Interface::Messages => self.send_transfer(device, transfer),
            Interface::Requests => {
                let is_write = transfer.written.is_some();
                let issue = Issue {
                    kind: if is_write { ruby_type::ST } else { ruby_type::LD },
                    address: transfer.address,
                    line: self.line_of(transfer.address),
                    size: transfer.bytes() as u32,
                    core: 0,
                    swap: None,
                    transaction: None,
                };
                self.issue_to(self.dma_homes[device], issue);
            }
        }
    }

    /// Sends the request of a DMA device as a message of a `DMASequencer`.
    fn send_transfer(&mut self, device: usize, transfer: Transfer) {
        let Some((buffer, _)) = self.controllers[self.dma_homes[device]].mandatory else {
            return;
        };
        let fields = self.dma_fields;
        let message = self.words.allocate(fields.of, &self.program.types[fields.of].initial);
        let line = self.line_of(transfer.address);
        let kind = if transfer.written.is_some() { fields.store } else { fields.load };
        for (offset, value) in [
            (fields.line, line),
            (fields.address, transfer.address),
            (fields.kind, kind),
            (fields.length, transfer.bytes()),
        ] {
            self.words.words[message as usize + usize::from(offset)] = value;
        }
        let first = message + u64::from(fields.block) + (transfer.address - line) / 8;
        if let Some(written) = transfer.written {
            for word in 0..transfer.words {
                self.words.words[first as usize + word as usize] = written.word(word);
            }
        }
        let random = self.random_delays.then_some(&mut self.delays);
        // The queue is unordered and the latency at least 1, so this cannot fail.
        if let Ok(arrival) =
            self.buffers.edit(buffer as usize).enqueue(self.now, 1, message, true, random)
        {
            self.wheel.schedule(arrival, self.consumers[buffer as usize]);
        }
    }

    /// Carries out a callback of a DMA controller: the request for a line completes, a read with the block at an
    /// address.
    pub(super) fn dma_callback(
        &mut self,
        sequencer: u64,
        line: u64,
        block: Option<u64>,
    ) -> Result<(), Trap> {
        let device = sequencer as usize;
        let mut responses = Vec::new();
        let one = &mut self.dma_sequencers[device];
        match block {
            None => one.ack_done(line, &mut responses),
            Some(block) => {
                let range = block as usize..block as usize + self.block_words;
                one.data_done(line, &self.words.words[range], &mut responses)
            }
        }?;
        self.answer(self.cores + device, &responses);
        Ok(())
    }

    /// Carries out a callback of a request node that serves a DMA device: the request for a line completes with the block at an
    /// address.
    fn request_node_callback(
        &mut self,
        function: CallbackFunction,
        device: usize,
        line: u64,
        block: u64,
    ) -> Result<(), Trap> {
        let mut responses = Vec::new();
        let words = block as usize..block as usize + self.block_words;
        let one = &mut self.dma_sequencers[device];
        match function {
            CallbackFunction::ReadDone => {
                one.data_done(line, &self.words.words[words], &mut responses)
            }
            CallbackFunction::WriteDone | CallbackFunction::WriteUniqueDone => {
                one.write_done(line, &mut self.words.words[words], &mut responses)
            }
            CallbackFunction::AtomicDone => Err(one.unasked("atomicCallback", line)),
            CallbackFunction::ConditionalFailed => Err(one.unasked("writeCallbackScFail", line)),
        }?;
        self.answer(self.cores + device, &responses);
        Ok(())
    }

    /// `evictionCallback`: the core is told that a line is lost, and its reservation ends.
    pub(super) fn evicted(&mut self, sequencer: usize, line: u64) {
        if sequencer >= self.sequencers.len() {
            // A DMA device keeps nothing.
            return;
        }
        if let Some(cache) = self.monitors[sequencer] {
            self.line_tables.caches[cache as usize].clear_monitor(line);
        }
        let now = self.now;
        if let Some(trace) = &mut self.trace {
            trace.evicted(now, sequencer as u32);
        }
        let thread = self.thread_of(sequencer);
        if thread < self.cores {
            if self.is_watched {
                self.told_of_eviction.push((thread, line));
            }
            self.with_core(thread, |core, port| core.evicted(now, line, port));
        }
    }
}
