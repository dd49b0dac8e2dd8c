//! A core that does one thing after the other, which makes it sequentially consistent.

use history::Kind;

use crate::client::atomic::{self, Atomic};
use crate::client::{Core, CorePort, Thread};
use crate::program::Operation;
use crate::record::{Records, Row};
use crate::request::{Request, RequestKind, Response};

/// What the core waits for.
#[derive(Debug)]
enum State {
    /// The time of its next operation.
    Ready,
    /// The answer to a load or store.
    Waiting(Row),
    /// A read-modify-write.
    Atomic(Atomic),
}

/// The core.
#[derive(Debug)]
pub(super) struct InOrder {
    thread: Thread,
    next: usize,
    /// When the next operation may begin.
    ready: u64,
    state: State,
}

impl InOrder {
    pub fn new(thread: Thread) -> InOrder {
        InOrder {
            ready: thread.steps.first().map_or(0, |step| step.think.into()),
            thread,
            next: 0,
            state: State::Ready,
        }
    }

    /// The present operation is over, as of `from`.
    fn finish(&mut self, from: u64) {
        self.state = State::Ready;
        self.next += 1;
        let step = self.thread.steps.get(self.next);
        self.ready = from + step.map_or(0, |step| u64::from(step.think));
    }

    fn advance(&mut self, now: u64, port: &mut dyn CorePort) {
        loop {
            match &mut self.state {
                State::Waiting(_) => return,
                State::Atomic(atomic) => {
                    return atomic.advance(now, &mut self.thread, port);
                }
                State::Ready => {}
            }
            let Some(step) = self.thread.steps.get(self.next) else {
                return;
            };
            if now < self.ready {
                return self.thread.alarm.set(self.ready, port);
            }
            let operation = step.operation;
            match operation {
                Operation::Fence => {
                    // Nothing is ever outstanding.
                    self.thread.log.fence(now, self.next, port);
                    self.finish(now + 1);
                }
                Operation::Rmw {
                    address,
                    value,
                    linked,
                } => {
                    let atomic = Atomic::new(self.next, address, value, linked);
                    self.state = State::Atomic(atomic);
                }
                Operation::Load(address) => {
                    return self.begin(now, RequestKind::Load, address, 0, port);
                }
                Operation::Fetch(address) => {
                    return self.begin(now, RequestKind::Ifetch, address, 0, port);
                }
                Operation::Store(address, value) => {
                    return self.begin(now, RequestKind::Store, address, value, port);
                }
            }
        }
    }

    /// Sends a load or store.
    fn begin(
        &mut self,
        now: u64,
        kind: RequestKind,
        address: u64,
        value: u64,
        port: &mut dyn CorePort,
    ) {
        let request = Request {
            tag: 0,
            kind,
            address,
            size: 8,
            value,
        };
        if !self.thread.alarm.send(port, now, request) {
            return;
        }
        let log = &mut self.thread.log;
        let row = match kind {
            RequestKind::Store => log.store(now, self.next, address, value, port),
            _ => log.records.ask(now, Kind::Load, address, None),
        };
        self.state = State::Waiting(row);
    }
}

impl Core for InOrder {
    fn step(&mut self, now: u64, port: &mut dyn CorePort) {
        self.thread.alarm.ring(now);
        self.advance(now, port);
    }

    fn performed(&mut self, now: u64, response: &Response, port: &mut dyn CorePort) {
        let log = &mut self.thread.log;
        match &mut self.state {
            State::Waiting(row) => log.perform(*row, now, response, port),
            State::Atomic(atomic) => atomic.performed(now, response, log, port),
            State::Ready => {}
        }
    }

    fn respond(&mut self, now: u64, response: &Response, port: &mut dyn CorePort) {
        let thread = &mut self.thread;
        let is_over = match &mut self.state {
            State::Ready => false,
            State::Waiting(row) => {
                if response.kind.is_read() {
                    thread
                        .log
                        .load(now, *row, self.next, response.address, port);
                }
                true
            }
            State::Atomic(atomic) => {
                response.tag == atomic::TAG && atomic.respond(now, response, thread, port)
            }
        };
        if is_over {
            self.finish(now);
        }
        self.advance(now, port);
    }

    fn evicted(&mut self, _: u64, _: u64, _: &mut dyn CorePort) {}

    fn position(&self) -> usize {
        self.next
    }

    fn is_done(&self) -> bool {
        self.next >= self.thread.steps.len()
    }

    fn records(&self) -> &Records {
        &self.thread.log.records
    }
}
