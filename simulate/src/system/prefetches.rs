//! Passes misses and uses of lines to prefetchers, and their requests to the protocol.

use slicc::compile::code::Program;
use slicc::compile::op::control;

use super::System;
use super::fault::Trap;
use super::words::STACK;
use crate::sequencer::ruby_type;

/// The number of `PrefetchBit:Yes`, which marks the requests of a prefetcher.
const PREFETCH: u64 = 1;

impl System {
    /// A prefetcher learns that a request of a type missed an address. The explorer, whose systems have no time, has no
    /// prefetchers.
    pub(super) fn observe_miss(&mut self, prefetcher: usize, address: u64, kind: u64) {
        let line = self.line_of(address);
        if let Some(one) = self.prefetchers.get_mut(prefetcher) {
            one.observe_miss(self.now, line, kind, &mut self.prefetches);
        }
    }

    /// A prefetcher learns that a core uses a line that it has asked for.
    pub(super) fn observe_use(&mut self, prefetcher: usize, line: u64) {
        if let Some(one) = self.prefetchers.get_mut(prefetcher) {
            one.observe_use(self.now, line, &mut self.prefetches);
        }
    }

    /// A prefetcher of gem5's classic caches learns that the request of the current transition missed, and puts its own
    /// requests into its queue, one line a cycle.
    pub(super) fn prefetch_next(&mut self, proxy: usize) {
        let line = self.line_of(self.current_address());
        let block_bytes = self.block_words as u64 * 8;
        let Some((prefetcher, queue)) = self.proxies.get_mut(proxy) else { return };
        let queue = *queue as usize;
        let asked = prefetcher.miss(line, block_bytes);
        for (latency, line) in (1..).zip(asked) {
            self.put_prefetch(queue, latency, line, ruby_type::LD);
        }
    }

    /// Puts the request for a line into the queue of a prefetcher.
    pub(super) fn put_prefetch(&mut self, queue: usize, latency: u64, line: u64, kind: u32) {
        let message = self.prefetch_request(line, kind);
        let random = self.random_delays.then_some(&mut self.delays);
        // The queue is unordered and the latency at least 1, so this cannot fail.
        if let Ok(arrival) =
            self.buffers.edit(queue).enqueue(self.now, latency, message, true, random)
        {
            self.wheel.schedule(arrival, self.consumers[queue]);
        }
    }

    /// The message by which a line is prefetched.
    fn prefetch_request(&mut self, line: u64, kind: u32) -> u64 {
        let block_bytes = self.block_words as u64 * 8;
        let of = self.program.types.known.request;
        let message = self.words.allocate(of, &self.program.types[of].initial);
        let fields = self.request_fields;
        for (offset, value) in [
            (fields.line, line),
            (fields.address, line),
            (fields.kind, u64::from(kind)),
            (fields.mode, 0),
            (fields.size, block_bytes),
            (fields.prefetch, PREFETCH),
        ] {
            self.words.words[message as usize + usize::from(offset)] = value;
        }
        message
    }

    /// `completePrefetch`: gem5 asserts that the prefetch was issued.
    pub(super) fn complete_prefetch(&mut self, proxy: usize, line: u64) -> Result<(), Trap> {
        let Some((prefetcher, _)) = self.proxies.get_mut(proxy) else { return Ok(()) };
        if prefetcher.complete(line) {
            return Ok(());
        }
        Err(Trap::Other("completePrefetch of a line that is not being prefetched"))
    }

    /// Passes the requests of the current controller's prefetcher to the protocol's `enqueuePrefetch`. gem5 calls this
    /// within the transition, with the same effect.
    pub(super) fn enqueue_prefetches(&mut self, program: &Program) -> Result<(), Trap> {
        let controller = &self.controllers[self.current];
        let control = controller.control as usize;
        let Some(code) = &program.machines[controller.machine].enqueue_prefetch else {
            return Err(Trap::Other(
                "a prefetcher asks for a line, but the machine defines no enqueuePrefetch(Addr, RubyRequestType)",
            ));
        };
        for asked in std::mem::take(&mut self.prefetches) {
            self.words.words[control + usize::from(control::ADDRESS)] = asked.line;
            self.words.words[control + usize::from(control::AFTER)] = asked.kind;
            self.run(program, code.start, STACK)?;
            self.words.settle();
        }
        Ok(())
    }
}
