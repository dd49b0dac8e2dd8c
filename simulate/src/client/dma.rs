//! A DMA device, which accesses parts of cache lines through a DMA controller.
//!
//! A device makes one access at a time, in the order of its program, and waits for the response. So its accesses are
//! ordered as sequential consistency orders those of a core, and a checker may demand that under every memory model.
//! An access to several words happens at once in the protocol; it is recorded as one operation for each word, in the
//! order of addresses, which demands no more than what a device is promised.

use history::Kind;

use super::log::Log;
use super::{Alarm, Core, CorePort, Setting};
use crate::program::{Bytes, TransferStep};
use crate::record::{Records, Row};
use crate::request::{Response, Transfer};

/// The state of a DMA device: its program, and the access for whose response it waits.
#[derive(Debug)]
pub(super) struct Device {
    steps: Vec<TransferStep>,
    next: usize,
    /// The tick at which the next access may begin.
    ready: u64,
    /// Number of words whose responses are awaited.
    awaited: u32,
    log: Log,
    alarm: Alarm,
}

impl Device {
    /// Creates the device that is this thread of the history.
    pub(super) fn new(thread: u32, steps: Vec<TransferStep>, setting: Setting) -> Device {
        Device {
            ready: steps.first().map_or(0, |step| step.think.into()),
            next: 0,
            steps,
            awaited: 0,
            log: Log::new(thread, setting.source),
            alarm: Alarm::default(),
        }
    }

    /// Makes the next access, if it is time.
    fn advance(&mut self, now: u64, port: &mut dyn CorePort) {
        let Some(&step) = self.steps.get(self.next).filter(|_| self.awaited == 0) else {
            return;
        };
        if now < self.ready {
            return self.alarm.set(self.ready, port);
        }
        let TransferStep { address, words, written, .. } = step;
        let tag = self.log.records.next_tag();
        // With one access at a time, none is refused.
        if port.transfer(Transfer { tag, address, words, written }).is_ok() {
            self.awaited = words;
            (0..words).for_each(|word| self.record(now, &step, word, port));
        }
    }

    /// Records a word of an access that begins.
    fn record(&mut self, now: u64, step: &TransferStep, word: u32, port: &mut dyn CorePort) {
        let bytes = Bytes::word(step.address + u64::from(word) * 8);
        match step.written {
            Some(values) => {
                let index = self.log.records.next_tag() as usize;
                self.log.store(now, index, bytes, values.word(word), port);
            }
            None => {
                self.log.records.ask(now, Kind::Load, bytes, None);
            }
        }
    }

    /// Ends the present access.
    fn finish(&mut self, now: u64) {
        self.next += 1;
        let step = self.steps.get(self.next);
        self.ready = now + step.map_or(0, |step| u64::from(step.think));
    }
}

impl Core for Device {
    fn step(&mut self, now: u64, port: &mut dyn CorePort) {
        self.alarm.ring(now);
        self.advance(now, port);
    }

    fn performed(&mut self, now: u64, response: &Response, port: &mut dyn CorePort) {
        self.log.perform(Row::of(response.tag), now, response, port);
    }

    fn respond(&mut self, now: u64, response: &Response, port: &mut dyn CorePort) {
        if response.kind.is_read() {
            let row = Row::of(response.tag);
            self.log.load(now, row, response.tag as usize, port);
        }
        self.awaited -= 1;
        if self.awaited == 0 {
            self.finish(now);
            self.advance(now, port);
        }
    }

    fn position(&self) -> usize {
        self.next
    }

    fn is_done(&self) -> bool {
        self.next >= self.steps.len()
    }

    fn records(&self) -> &Records {
        &self.log.records
    }
}
