//! A core that completes each operation before it begins the next, which makes it sequentially consistent.

use history::Kind;
use memory::Model;

use crate::client::atomic::{self, Atomic};
use crate::client::log::line;
use crate::client::{Core, CoreKind, CorePort, FunctionalAccess, Thread};
use crate::program::{Bytes, Operation};
use crate::record::{Records, Row};
use crate::request::{Request, RequestKind, Response};

/// The state of the core: what it waits for.
#[derive(Debug)]
enum State {
    /// The time of its next operation.
    Ready,
    /// The response to a load or store.
    Waiting(Row),
    /// A read-modify-write.
    Atomic(Atomic),
}

pub(super) static KIND: CoreKind = CoreKind {
    pattern: "in-order",
    models: || vec![Model::SC],
    is_sequential: true,
    needs_evictions: false,
    make: |thread, _| {
        let state = State::Ready;
        Box::new(InOrder { thread, state })
    },
};

/// The in-order core.
#[derive(Debug)]
struct InOrder {
    thread: Thread,
    state: State,
}

impl InOrder {
    fn advance(&mut self, now: u64, port: &mut dyn CorePort) {
        loop {
            match &mut self.state {
                State::Waiting(_) => return,
                State::Atomic(atomic) => {
                    return atomic.advance(now, &mut self.thread, port);
                }
                State::Ready => {}
            }
            let Some(operation) = self.thread.due(now, port) else {
                return;
            };
            match operation {
                Operation::Fence => {
                    // The fence has nothing to wait for.
                    self.thread.log.fence(now, self.thread.next, port);
                    self.thread.finish(now + 1);
                }
                Operation::Rmw { bytes, value, form } => {
                    let atomic = Atomic::new(self.thread.next, bytes, value, form);
                    self.state = State::Atomic(atomic);
                }
                Operation::Load(_) | Operation::Store(..)
                    if self.thread.functional.takes(self.thread.next) =>
                {
                    match self.functional(now, operation, port) {
                        FunctionalAccess::Done(_) => {}
                        FunctionalAccess::Failed => return,
                        FunctionalAccess::Refused => continue,
                    }
                }
                Operation::Load(bytes) => {
                    return self.begin(now, RequestKind::Load, bytes, 0, port);
                }
                Operation::Fetch(bytes) => {
                    return self.begin(now, RequestKind::Ifetch, bytes, 0, port);
                }
                Operation::Store(bytes, value) => {
                    return self.begin(now, RequestKind::Store, bytes, value, port);
                }
            }
        }
    }

    /// Makes a load or store functionally. Like any other operation, it takes a tick.
    fn functional(
        &mut self,
        now: u64,
        operation: Operation,
        port: &mut dyn CorePort,
    ) -> FunctionalAccess {
        let (bytes, written) = match operation {
            Operation::Load(bytes) => (bytes, None),
            Operation::Store(bytes, value) => (bytes, Some(value)),
            _ => return FunctionalAccess::Refused,
        };
        let access = port.functional(bytes, written);
        let FunctionalAccess::Done(value) = access else { return access };
        let (log, next, order) = (&mut self.thread.log, self.thread.next, port.moment());
        match written {
            None => {
                let load = line(next, Kind::Load, bytes, value, 0);
                log.whole_load((now, now), order, load, port);
            }
            Some(value) => {
                let row = log.store(now, next, bytes, value, port);
                log.records.perform(row, now, order, None);
            }
        }
        self.thread.finish(now + 1);
        access
    }

    /// Sends a load or store.
    fn begin(
        &mut self,
        now: u64,
        kind: RequestKind,
        bytes: Bytes,
        value: u64,
        port: &mut dyn CorePort,
    ) {
        let request = Request::new(0, kind, bytes, value);
        if !self.thread.alarm.send(port, now, request) {
            return;
        }
        let (log, next) = (&mut self.thread.log, self.thread.next);
        let row = match kind {
            RequestKind::Store => log.store(now, next, bytes, value, port),
            _ => log.records.ask(now, Kind::Load, bytes, None),
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
                    let next = thread.next;
                    thread.log.load(now, *row, next, port);
                }
                true
            }
            State::Atomic(atomic) => {
                response.tag == atomic::TAG && atomic.respond(now, response, thread, port)
            }
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
        self.thread.is_over()
    }

    fn records(&self) -> &Records {
        &self.thread.log.records
    }
}
