//! A core whose stores wait in a buffer, while later loads overtake them.
//!
//! Loads are performed one after the other. If the buffer has stores to the location of a load, the load takes the
//! value of the newest, or waits until they have left the buffer. The memory model decides which, and whether stores to
//! different locations leave the buffer in any order.

use history::Kind;
use memory::{Model, models};

use crate::client::atomic::{self, Atomic};
use crate::client::log::line;
use crate::client::store_buffer::{Forwarded, TimedBuffer};
use crate::client::{Core, CoreKind, CorePort, Options, Thread};
use crate::program::{Bytes, Operation, RmwForm};
use crate::record::{Records, Row};
use crate::request::{Request, RequestKind, Response};
use crate::trace::ClientLine;

/// The progress of the current operation: what the program waits for.
#[derive(Debug)]
enum State {
    Ready,
    Loading(Row),
    Atomic(Atomic),
}

/// Stores leave in the order of the program.
pub(super) static FIFO: CoreKind = kind("store-buffer-N", || vec![Model::TSO]);
/// Stores to different locations leave in any order.
pub(super) static PER_LOCATION: CoreKind = kind("per-location-N", || vec![Model::PSO]);
/// The other models with store buffers.
pub(super) static OTHER_MODELS: CoreKind = kind("MODEL-buffer-N", || {
    let others = models::ALL.iter().filter(|model| model.buffers());
    let is_named = |model: &Model| [Model::TSO, Model::PSO].contains(model);
    others.copied().filter(|model| !is_named(model)).collect()
});

const fn kind(pattern: &'static str, models: fn() -> Vec<Model>) -> CoreKind {
    CoreKind {
        pattern,
        models,
        is_sequential: false,
        needs_evictions: false,
        make: |thread, options| Box::new(Buffered::new(thread, &options)),
    }
}

/// A core with a store buffer.
#[derive(Debug)]
struct Buffered {
    thread: Thread,
    model: Model,
    buffer: TimedBuffer,
    state: State,
}

impl Buffered {
    fn new(thread: Thread, options: &Options) -> Buffered {
        let buffer = TimedBuffer::new(options.sizes[0].max(1), 0);
        Buffered { thread, model: options.model, buffer, state: State::Ready }
    }

    fn advance(&mut self, now: u64, port: &mut dyn CorePort) {
        self.run(now, port);
        let locking = self.locking(now);
        self.buffer.send(now, self.model, locking, &mut self.thread, port);
    }

    /// The location that a read-modify-write locks or is about to lock. Stores to other locations wait until it is
    /// complete: a store sent before the second half could wait for a line that another core has locked, while that core
    /// waits for this line. A first-in first-out buffer is empty by then.
    fn locking(&self, now: u64) -> Option<Bytes> {
        if !self.model.buffers_by_location() {
            return None;
        }
        let is_due = match self.state {
            State::Ready => self.thread.ready <= now,
            State::Loading(_) => false,
            State::Atomic(_) => true,
        };
        match self.thread.steps.get(self.thread.next)?.operation {
            Operation::Rmw { bytes, form: RmwForm::Locked, .. } if is_due => Some(bytes),
            _ => None,
        }
    }

    /// Continues the program as far as possible.
    fn run(&mut self, now: u64, port: &mut dyn CorePort) {
        loop {
            match &mut self.state {
                State::Loading(_) => return,
                State::Atomic(atomic) => {
                    return atomic.advance(now, &mut self.thread, port);
                }
                State::Ready => {}
            }
            let Some(operation) = self.thread.due(now, port) else {
                return;
            };
            let goes_on = match operation {
                Operation::Load(bytes) => self.load(now, RequestKind::Load, bytes, port),
                Operation::Fetch(bytes) => self.load(now, RequestKind::Ifetch, bytes, port),
                Operation::Store(bytes, value) => self.store(now, bytes, value, port),
                Operation::Rmw { bytes, value, form } => self.begin_atomic(bytes, value, form),
                Operation::Fence => self.fence(now, port),
            };
            if !goes_on {
                return;
            }
        }
    }

    /// Begins a load. Returns whether the program continues at once, since the buffer has the value.
    fn load(&mut self, now: u64, kind: RequestKind, bytes: Bytes, port: &mut dyn CorePort) -> bool {
        let newest = self.buffer.newest(bytes);
        if newest == Some(Forwarded::Part) || newest.is_some() && !self.model.forwards() {
            return false;
        }
        if let Some(Forwarded::Whole(value)) = newest {
            let load = ClientLine {
                forwarded: true,
                ..line(self.thread.next, Kind::Load, bytes, value, 0)
            };
            let order = port.moment();
            self.thread.log.whole_load((now, now), order, load, port);
            self.thread.finish(now + 1);
            return true;
        }
        let row = Row::of(self.thread.log.records.next_tag());
        let request = Request::new(row.tag(), kind, bytes, 0);
        if self.thread.alarm.send(port, now, request) {
            let records = &mut self.thread.log.records;
            self.state = State::Loading(records.ask(now, Kind::Load, bytes, None));
        }
        false
    }

    fn store(&mut self, now: u64, bytes: Bytes, value: u64, port: &mut dyn CorePort) -> bool {
        let store = (self.thread.next, bytes, value);
        let has_entered = self.buffer.enter(now, &mut self.thread, store, port);
        if has_entered {
            self.thread.finish(now + 1);
        }
        has_entered
    }

    fn begin_atomic(&mut self, bytes: Bytes, value: u64, form: RmwForm) -> bool {
        let waits = if self.model.buffers_by_location() {
            self.buffer.has(bytes, form == RmwForm::Locked)
        } else {
            !self.buffer.is_empty()
        };
        if !waits {
            self.state = State::Atomic(Atomic::new(self.thread.next, bytes, value, form));
        }
        !waits
    }

    fn fence(&mut self, now: u64, port: &mut dyn CorePort) -> bool {
        if !self.buffer.is_empty() {
            return false;
        }
        self.thread.log.fence(now, self.thread.next, port);
        self.thread.finish(now + 1);
        true
    }
}

impl Core for Buffered {
    fn step(&mut self, now: u64, port: &mut dyn CorePort) {
        self.thread.alarm.ring(now);
        self.advance(now, port);
    }

    fn performed(&mut self, now: u64, response: &Response, port: &mut dyn CorePort) {
        let log = &mut self.thread.log;
        if response.tag == atomic::TAG {
            if let State::Atomic(atomic) = &mut self.state {
                atomic.performed(now, response, log, port);
            }
            return;
        }
        let row = Row::of(response.tag);
        log.perform(row, now, response, port);
        if response.kind == RequestKind::Store {
            self.buffer.performed(row);
        }
    }

    fn respond(&mut self, now: u64, response: &Response, port: &mut dyn CorePort) {
        let thread = &mut self.thread;
        let is_over = match &mut self.state {
            State::Atomic(atomic) if response.tag == atomic::TAG => {
                atomic.respond(now, response, thread, port)
            }
            State::Loading(row) if response.tag == row.tag() => {
                let next = thread.next;
                thread.log.load(now, *row, next, port);
                true
            }
            _ => false,
        };
        if is_over {
            self.state = State::Ready;
            self.thread.finish(now);
        }
        self.advance(now, port);
    }

    fn position(&self) -> usize {
        self.thread.next
    }

    fn is_done(&self) -> bool {
        self.thread.is_over() && self.buffer.is_empty()
    }

    fn records(&self) -> &Records {
        &self.thread.log.records
    }
}
