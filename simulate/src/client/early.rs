//! A core that performs loads early and out of order, and commits all operations in order.
//!
//! The loads among the next operations of the program (the window) go to memory at once, and commit
//! in program order. Until then the core watches their lines: if one leaves the cache, another core
//! may write it, so the load is repeated. Only the oldest operation keeps its value in that case.
//!
//! Without a store buffer, a store is performed when it is the oldest operation, before anything
//! younger commits: SC. With one, stores enter it in order, and loads are served from it: TSO.

use std::collections::VecDeque;

use history::Kind;
use memory::Model;

use crate::client::atomic::{self, Atomic};
use crate::client::log::line;
use crate::client::store_buffer::{Forwarded, TimedBuffer, store_request};
use crate::client::{Core, CoreKind, CorePort, Options, Thread};
use crate::program::{Bytes, Operation, RmwForm};
use crate::record::{Records, Row};
use crate::request::{Request, RequestKind, Response};
use crate::trace::ClientLine;

/// Marks the tags of stores, which share the numbers of tags with loads.
const STORE: u32 = 1 << 31;

/// Number of repetitions after which a load waits until it is the oldest operation. Otherwise a few
/// loads that are lost and repeated again and again could occupy a small cache, and keep the oldest
/// out of it.
const MOST_REPETITIONS: u32 = 2;

/// The progress of a load in the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Waiting,
    Sent {
        /// Whether the line was lost since the load was sent. The value may then be old, so no other load may share it.
        stale: bool,
        /// Whether it has to be repeated, whatever it returns.
        again: bool,
    },
    Performed {
        value: u64,
        at: u64,
        forwarded: bool,
        /// Its position in memory order, if it was the oldest operation when it was performed. Otherwise it gets a position
        /// when it commits.
        order: Option<u64>,
    },
}

/// An operation in the window.
#[derive(Clone, Copy, Debug)]
struct Slot {
    index: usize,
    operation: Operation,
    /// The tick from which on it may be sent.
    ready: u64,
    issued: u64,
    progress: Progress,
    /// The number of times that the load was repeated.
    repeated: u32,
}

impl Slot {
    /// The bytes, if it is a load.
    fn loads(&self) -> Option<Bytes> {
        match self.operation {
            Operation::Load(bytes) | Operation::Fetch(bytes) => Some(bytes),
            _ => None,
        }
    }

    fn is_stale(&self) -> bool {
        matches!(self.progress, Progress::Sent { stale: true, .. })
    }
}

/// The state of the oldest operation, if it is not a load.
#[derive(Debug)]
enum Head {
    Nothing,
    Storing(Row),
    Atomic(Atomic),
}

/// The source of a load's value.
enum Supply {
    Memory,
    Store(u64),
    /// An older operation has to be performed first.
    Later,
}

/// The kind without a store buffer.
pub(super) static KIND: CoreKind = CoreKind {
    pattern: "early-W",
    models: || vec![Model::SC],
    is_sequential: false,
    needs_evictions: true,
    make: |thread, options| Box::new(Early::new(thread, &options, 0)),
};
/// The kind with a first-in first-out store buffer.
pub(super) static WITH_BUFFER: CoreKind = CoreKind {
    pattern: "early-W-buffer-N",
    models: || vec![Model::TSO],
    make: |thread, options| Box::new(Early::new(thread, &options, options.sizes[1].max(1))),
    ..KIND
};

/// A core that performs loads early.
#[derive(Debug)]
struct Early {
    thread: Thread,
    line_bytes: u64,
    size: usize,
    buffer: TimedBuffer,
    window: VecDeque<Slot>,
    head: Head,
    repeated: u64,
}

impl Early {
    fn new(thread: Thread, options: &Options, capacity: u32) -> Early {
        Early {
            thread,
            line_bytes: options.line_bytes,
            size: options.sizes[0].max(1) as usize,
            buffer: TimedBuffer::new(capacity, STORE),
            window: VecDeque::new(),
            head: Head::Nothing,
            repeated: 0,
        }
    }

    fn line(&self, address: u64) -> u64 {
        address / self.line_bytes.max(1)
    }

    /// Does everything that is possible now.
    fn advance(&mut self, now: u64, port: &mut dyn CorePort) {
        loop {
            self.fill(now, port);
            self.start_loads(now, port);
            let committed = self.commit(now, port);
            self.buffer.send(now, Model::TSO, None, &mut self.thread, port);
            if !committed {
                return;
            }
        }
    }

    /// Takes operations into the window. Each has a delay of its own, so a younger one may be ready
    /// first.
    fn fill(&mut self, now: u64, port: &mut dyn CorePort) {
        while self.window.len() < self.size
            && let Some(step) = self.thread.steps.get(self.thread.next)
        {
            let (ready, operation) = (now + u64::from(step.think), step.operation);
            if !self.thread.prepare(now, port) {
                return;
            }
            if ready > now {
                self.thread.alarm.set(ready, port);
            }
            self.window.push_back(Slot {
                index: self.thread.next,
                operation,
                ready,
                issued: now,
                progress: Progress::Waiting,
                repeated: 0,
            });
            self.thread.next += 1;
        }
    }

    fn start_loads(&mut self, now: u64, port: &mut dyn CorePort) {
        if self.loads_must_wait(now) {
            return;
        }
        for at in 0..self.window.len() {
            let slot = self.window[at];
            let Some(bytes) = slot.loads() else {
                continue;
            };
            if slot.progress != Progress::Waiting || slot.ready > now {
                continue;
            }
            if slot.repeated > MOST_REPETITIONS && at > 0 {
                continue;
            }
            match self.supply(at, bytes) {
                Supply::Later => {}
                Supply::Store(value) => {
                    self.window[at].issued = now;
                    self.window[at].progress = Progress::Performed {
                        value,
                        at: now,
                        forwarded: true,
                        order: (at == 0).then(|| port.moment()),
                    };
                    self.thread.alarm.set(now + 1, port);
                }
                Supply::Memory => self.send_load(now, at, bytes, port),
            }
        }
    }

    /// Whether loads must wait for an atomic operation. While that holds a line locked, a load
    /// before its second half could wait for a line that another core has locked, and that core for
    /// this line. In a small cache, loads could also evict a reserved line again and again.
    fn loads_must_wait(&self, now: u64) -> bool {
        let Some(first) = self.window.front() else {
            return false;
        };
        match (first.operation, &self.head) {
            (Operation::Rmw { form: RmwForm::Locked, .. }, _) => first.ready <= now,
            (_, Head::Atomic(atomic)) => atomic.must_run_alone(),
            _ => false,
        }
    }

    fn has_loads_on_their_way(&self) -> bool {
        let is_sent = |slot: &Slot| matches!(slot.progress, Progress::Sent { .. });
        self.window.iter().any(is_sent)
    }

    fn send_load(&mut self, now: u64, at: usize, bytes: Bytes, port: &mut dyn CorePort) {
        let kind = match self.window[at].operation {
            Operation::Fetch(_) => RequestKind::Ifetch,
            _ => RequestKind::Load,
        };
        let tag = self.window[at].index as u32 & !STORE;
        let request = Request::new(tag, kind, bytes, 0);
        if self.thread.alarm.send(port, now, request) {
            self.window[at].issued = now;
            self.window[at].progress = Progress::Sent { stale: false, again: false };
        }
    }

    /// The source of the value of a load in the window.
    fn supply(&self, at: usize, bytes: Bytes) -> Supply {
        let supplied = |forwarded| match forwarded {
            Forwarded::Whole(value) => Supply::Store(value),
            Forwarded::Part => Supply::Later,
        };
        for slot in self.window.range(..at).rev() {
            match slot.operation {
                Operation::Store(to, value) if to.overlaps(bytes) => {
                    let is_buffered = self.buffer.capacity > 0;
                    let forwarded = Forwarded::of(to, value, bytes);
                    return if is_buffered { supplied(forwarded) } else { Supply::Later };
                }
                Operation::Rmw { bytes: to, .. } if to.overlaps(bytes) => return Supply::Later,
                _ => {}
            }
        }
        if let Some(forwarded) = self.buffer.newest(bytes) {
            return supplied(forwarded);
        }
        if self.is_stale(self.line(bytes.address)) { Supply::Later } else { Supply::Memory }
    }

    /// Whether a read of a line is in flight that may return an old value. Another read would be
    /// coalesced with it in the sequencer and get the same value, and would not be known to be old.
    fn is_stale(&self, line: u64) -> bool {
        let is_on = |address: u64| self.line(address) == line;
        let is_stale =
            |slot: &Slot| slot.is_stale() && slot.loads().is_some_and(|it| is_on(it.address));
        let linked = match &self.head {
            Head::Atomic(atomic) => atomic.is_stale() && is_on(atomic.address()),
            _ => false,
        };
        linked || self.window.iter().any(is_stale)
    }

    /// Commits operations in order; returns whether there were any.
    fn commit(&mut self, now: u64, port: &mut dyn CorePort) -> bool {
        let mut any = false;
        while let Some(&slot) = self.window.front()
            && self.commit_first(now, &slot, port)
        {
            self.window.pop_front();
            any = true;
        }
        any
    }

    /// Commits the oldest operation if possible; returns whether it did.
    fn commit_first(&mut self, now: u64, slot: &Slot, port: &mut dyn CorePort) -> bool {
        if slot.ready > now {
            return false;
        }
        match slot.operation {
            Operation::Load(bytes) | Operation::Fetch(bytes) => {
                self.commit_load(now, slot, bytes, port)
            }
            Operation::Store(bytes, value) => {
                self.commit_store(now, slot.index, bytes, value, port)
            }
            Operation::Rmw { bytes, value, form } => {
                let is_free = form != RmwForm::Locked || !self.has_loads_on_their_way();
                if matches!(self.head, Head::Nothing) && self.buffer.is_empty() && is_free {
                    let atomic = Atomic::new(slot.index, bytes, value, form);
                    self.head = Head::Atomic(atomic);
                }
                if let Head::Atomic(atomic) = &mut self.head {
                    atomic.advance(now, &mut self.thread, port);
                }
                false
            }
            Operation::Fence => {
                let is_over = self.buffer.is_empty();
                if is_over {
                    self.thread.log.fence(now, slot.index, port);
                }
                is_over
            }
        }
    }

    fn commit_load(
        &mut self,
        now: u64,
        slot: &Slot,
        bytes: Bytes,
        port: &mut dyn CorePort,
    ) -> bool {
        let Progress::Performed { value, at, forwarded, order } = slot.progress else {
            return false;
        };
        // The core gets the value a tick after memory performed the load.
        if at >= now {
            return false;
        }
        let load = ClientLine { forwarded, ..line(slot.index, Kind::Load, bytes, value, 0) };
        let order = order.unwrap_or_else(|| port.moment());
        let ticks = (slot.issued, now);
        self.thread.log.whole_load(ticks, order, load, port);
        true
    }

    fn commit_store(
        &mut self,
        now: u64,
        index: usize,
        bytes: Bytes,
        value: u64,
        port: &mut dyn CorePort,
    ) -> bool {
        if self.buffer.capacity > 0 {
            return self.buffer.enter(now, &mut self.thread, (index, bytes, value), port);
        }
        if !matches!(self.head, Head::Nothing) {
            return false;
        }
        let row = Row::of(self.thread.log.records.next_tag());
        let request = store_request(row.tag() | STORE, bytes, value);
        if self.thread.alarm.send(port, now, request) {
            self.thread.log.store(now, index, bytes, value, port);
            self.head = Head::Storing(row);
        }
        false
    }

    /// Records that memory performs a load of the window.
    fn load_performed(&mut self, now: u64, response: &Response, port: &mut dyn CorePort) {
        let is_it =
            |slot: &Slot| slot.index as u32 & !STORE == response.tag && slot.loads().is_some();
        let Some(place) = self.window.iter().position(is_it) else {
            return;
        };
        let slot = &mut self.window[place];
        slot.progress = match slot.progress {
            Progress::Sent { again: true, .. } => {
                self.repeated += 1;
                slot.repeated += 1;
                Progress::Waiting
            }
            _ => Progress::Performed {
                value: response.value,
                at: now,
                forwarded: false,
                order: (place == 0).then(|| port.moment()),
            },
        };
    }
}

impl Core for Early {
    fn step(&mut self, now: u64, port: &mut dyn CorePort) {
        self.thread.alarm.ring(now);
        self.advance(now, port);
    }

    fn performed(&mut self, now: u64, response: &Response, port: &mut dyn CorePort) {
        let log = &mut self.thread.log;
        if response.tag == atomic::TAG {
            if let Head::Atomic(atomic) = &mut self.head {
                atomic.performed(now, response, log, port);
            }
            return;
        }
        if response.kind != RequestKind::Store {
            return self.load_performed(now, response, port);
        }
        let row = Row::of(response.tag & !STORE);
        log.perform(row, now, response, port);
        self.buffer.performed(row);
    }

    fn respond(&mut self, now: u64, response: &Response, port: &mut dyn CorePort) {
        let thread = &mut self.thread;
        let is_over = match &mut self.head {
            Head::Atomic(atomic) if response.tag == atomic::TAG => {
                atomic.respond(now, response, thread, port)
            }
            Head::Storing(row) => response.tag == row.tag() | STORE,
            _ => false,
        };
        if is_over {
            self.head = Head::Nothing;
            self.window.pop_front();
        }
        self.advance(now, port);
    }

    fn evicted(&mut self, now: u64, line: u64, port: &mut dyn CorePort) {
        let line = self.line(line);
        let bytes = self.line_bytes.max(1);
        if let Head::Atomic(atomic) = &mut self.head
            && atomic.address() / bytes == line
        {
            atomic.evicted();
        }
        let mut any = false;
        for at in 0..self.window.len() {
            let slot = &self.window[at];
            if slot.loads().is_none_or(|it| self.line(it.address) != line) {
                continue;
            }
            // All older operations have been performed, so the oldest one may keep the present
            // value.
            let is_oldest = at == 0;
            let slot = &mut self.window[at];
            match &mut slot.progress {
                Progress::Waiting => {}
                Progress::Sent { stale, again } => {
                    *stale = true;
                    *again |= !is_oldest;
                }
                Progress::Performed { .. } if is_oldest => {}
                Progress::Performed { .. } => {
                    slot.progress = Progress::Waiting;
                    slot.repeated += 1;
                    self.repeated += 1;
                    any = true;
                }
            }
        }
        if any {
            self.thread.alarm.set(now + 1, port);
        }
    }

    fn position(&self) -> usize {
        self.thread.next.saturating_sub(self.window.len())
    }

    fn is_done(&self) -> bool {
        self.thread.next >= self.thread.steps.len()
            && self.window.is_empty()
            && self.buffer.is_empty()
    }

    fn records(&self) -> &Records {
        &self.thread.log.records
    }

    fn repeated(&self) -> u64 {
        self.repeated
    }
}
