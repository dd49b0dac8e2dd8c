//! A core that performs its operations out of order, as a weak model allows.
//!
//! The core holds some operations that memory has not performed (the window), and sends each as soon as
//! everything that preserved program order puts before it was performed: loads before older stores and
//! loads, stores before older loads, stores in any order. A load takes its value from the newest older
//! store of its location in the window, if there is one.
//!
//! Preserved program order has one rule that depends on values: loads of one location that return different writes stay
//! in order. So a load that overtakes an older load of its location is not settled before that one is: until then the
//! core watches its line, and repeats the load if the line leaves the cache. Operations that must follow the load wait
//! until it is settled.
//!
//! Each operation is sent after those that precede it were performed, so it does no harm if a load
//! returns a value that was overwritten while the load was in flight. Another load must not share such a
//! value, since it may have been sent after the line was lost.
//!
//! Where ticks stand for dependencies, operations enter the window in program order, each after the reads
//! that it depends on have returned; that is the tick at which they are issued.

mod plan;

use memory::Model;

use crate::client::atomic::{self, Atomic};
use crate::client::store_buffer::{Forwarded, store_request};
use crate::client::{Core, CoreKind, CorePort, DRAIN, Options, Thread};
use crate::program::{Bytes, Operation, RmwForm};
use crate::record::Records;
use crate::request::{Request, RequestKind, Response};
pub(crate) use plan::{Constraint, constraints};
use plan::{Plan, source};

/// Number of repetitions after which a load no longer overtakes older loads of its location.
const MOST_REPETITIONS: u32 = 2;

/// The kind, for every weak model.
pub(super) static KIND: CoreKind = CoreKind {
    pattern: "MODEL-ooo-N",
    models: || vec![Model::RVWMO, Model::ARMV8, Model::WMO, Model::ZTSO, Model::RMO],
    is_sequential: false,
    needs_evictions: true,
    make: |thread, options| Box::new(OutOfOrder::new(thread, &options)),
};

/// The progress of an operation in the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Waiting,
    Sent {
        /// Whether the line of a load was lost since the load was sent. The value may then be old, so no other load may
        /// share it.
        stale: bool,
        /// Whether a load has to be repeated, whatever it returns.
        again: bool,
    },
    /// A load has its value.
    Performed {
        value: u64,
        at: u64,
        /// Its position in memory order; unknown while an older load of its location is not settled.
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

    /// Whether it is a load of some of these bytes that is not settled.
    fn may_be_overtaken(&self, bytes: Bytes) -> bool {
        self.loads().is_some_and(|own| own.overlaps(bytes)) && !self.is_settled()
    }

    fn is_sent(&self) -> bool {
        matches!(self.progress, Progress::Sent { .. })
    }

    fn is_settled(&self) -> bool {
        matches!(self.progress, Progress::Performed { order: Some(_), .. })
    }
}

/// The source of a load's value.
enum Supply {
    Memory,
    Store(u64),
    /// An older operation has to be performed first.
    Later,
}

/// The out-of-order core.
#[derive(Debug)]
struct OutOfOrder {
    thread: Thread,
    plan: Plan,
    /// Whether dependencies hold operations back from the window.
    issues_in_order: bool,
    line_bytes: u64,
    size: usize,
    window: Vec<Slot>,
    /// The read-modify-write that was begun.
    atomic: Option<Atomic>,
    /// The value that the read-modify-write has read, and the position of the read in memory order.
    read: (u64, u64),
    repeated: u64,
}

impl OutOfOrder {
    fn new(mut thread: Thread, options: &Options) -> OutOfOrder {
        let plan = Plan::new(&thread.steps, options.model, &mut thread.log.records);
        OutOfOrder {
            thread,
            plan,
            issues_in_order: options.model.uses_ticks(),
            line_bytes: options.line_bytes.max(1),
            size: options.sizes[0].max(1) as usize,
            window: Vec::new(),
            atomic: None,
            read: (0, 0),
            repeated: 0,
        }
    }

    fn line(&self, address: u64) -> u64 {
        address / self.line_bytes
    }

    /// Does everything that is possible now.
    fn advance(&mut self, now: u64, port: &mut dyn CorePort) {
        loop {
            self.fill(now, port);
            self.start(now, port);
            if !self.settle(now, port) {
                return;
            }
        }
    }

    /// Takes operations into the window, in program order. Each has a delay of its own.
    fn fill(&mut self, now: u64, port: &mut dyn CorePort) {
        while self.window.len() < self.size
            && let Some(&step) = self.thread.steps.get(self.thread.next)
        {
            let index = self.thread.next;
            let on = source(index, &step).filter(|_| self.issues_in_order);
            if on.is_some_and(|(_, on)| self.window.iter().any(|slot| slot.index == on)) {
                return;
            }
            if !self.thread.prepare(now, port) {
                return;
            }
            self.thread.next += 1;
            let row = self.plan.row(index);
            let records = &mut self.thread.log.records;
            records.begin(row, now);
            let mut delay = u64::from(step.think);
            match step.operation {
                Operation::Fence => {
                    // A fence orders other operations and makes no request.
                    records.perform(row, now, port.moment(), None);
                    records.print(row);
                    continue;
                }
                Operation::Store(..) => {
                    // The stores of a client are operations from when they are issued.
                    records.print(row);
                    delay += self.thread.rng.up_to(DRAIN);
                }
                Operation::Rmw { .. } => records.begin(self.plan.last_row(index), now),
                Operation::Load(_) | Operation::Fetch(_) => {}
            }
            let ready = now + delay;
            if ready > now {
                self.thread.alarm.set(ready, port);
            }
            let progress = Progress::Waiting;
            let operation = step.operation;
            self.window.push(Slot { index, operation, ready, progress, repeated: 0 });
        }
    }

    /// Sends the operations that the model allows to be performed now.
    fn start(&mut self, now: u64, port: &mut dyn CorePort) {
        if self.advance_atomic(now, port) {
            return;
        }
        for at in 0..self.window.len() {
            let slot = self.window[at];
            let is_due = slot.progress == Progress::Waiting && slot.ready <= now;
            if !is_due || !self.plan.may_start(slot.index) {
                continue;
            }
            match slot.operation {
                Operation::Load(bytes) | Operation::Fetch(bytes) => {
                    self.start_load(now, at, bytes, port);
                }
                Operation::Store(bytes, value) if !self.is_reserved(bytes.address) => {
                    let request = store_request(slot.index as u32, bytes, value);
                    self.send(now, at, request, port);
                }
                _ => {}
            }
        }
    }

    fn send(&mut self, now: u64, at: usize, request: Request, port: &mut dyn CorePort) {
        if self.thread.alarm.send(port, now, request) {
            self.window[at].progress = Progress::Sent { stale: false, again: false };
        }
    }

    /// Begins or continues a read-modify-write. Returns whether everything else has to wait for it: while
    /// it holds a line locked, another request could wait for a line that another core has locked, and
    /// that core for this line; and in a small cache, others could evict a reserved line again and again.
    fn advance_atomic(&mut self, now: u64, port: &mut dyn CorePort) -> bool {
        if self.atomic.is_none() {
            let Some(slot) = self.due_atomic(now) else { return false };
            let Operation::Rmw { bytes, value, form } = slot.operation else { return false };
            if !self.may_begin(bytes.address, form) {
                return form == RmwForm::Locked;
            }
            self.atomic = Some(Atomic::unrecorded(slot.index, bytes, value, form));
        }
        let is_stale =
            self.atomic.as_ref().is_some_and(|it| self.is_stale(self.line(it.address())));
        let Some(atomic) = &mut self.atomic else { return false };
        // A load-linked must not share a value that may be old.
        if !is_stale {
            atomic.advance(now, &mut self.thread, port);
        }
        atomic.is_locked() || atomic.must_run_alone()
    }

    /// The oldest read-modify-write that may be performed now.
    fn due_atomic(&mut self, now: u64) -> Option<Slot> {
        let OutOfOrder { window, plan, .. } = self;
        let is_due = |slot: &&Slot| {
            matches!(slot.operation, Operation::Rmw { .. })
                && slot.ready <= now
                && plan.may_start(slot.index)
        };
        window.iter().find(is_due).copied()
    }

    /// Whether no request is in flight that a read-modify-write has to wait for: any, if it locks its
    /// line; else stores to its line, which would end its reservation.
    fn may_begin(&self, address: u64, form: RmwForm) -> bool {
        let line = self.line(address);
        let locks = form == RmwForm::Locked;
        let disturbs = |slot: &Slot| match slot.operation {
            Operation::Store(to, _) if !locks => self.line(to.address) == line,
            _ => locks,
        };
        !self.window.iter().any(|slot| slot.is_sent() && disturbs(slot))
    }

    /// Whether a read-modify-write is in progress on the line of an address.
    fn is_reserved(&self, address: u64) -> bool {
        let line = self.line(address);
        self.atomic.as_ref().is_some_and(|atomic| self.line(atomic.address()) == line)
    }

    fn start_load(&mut self, now: u64, at: usize, bytes: Bytes, port: &mut dyn CorePort) {
        let slot = self.window[at];
        match self.supply(at, bytes) {
            Supply::Later => {}
            Supply::Store(value) => {
                let order = Some(port.moment());
                self.window[at].progress = Progress::Performed { value, at: now, order };
                self.thread.alarm.set(now + 1, port);
            }
            Supply::Memory => {
                let kind = match slot.operation {
                    Operation::Fetch(_) => RequestKind::Ifetch,
                    _ => RequestKind::Load,
                };
                let tag = slot.index as u32;
                self.send(now, at, Request::new(tag, kind, bytes, 0), port);
            }
        }
    }

    /// The source of the value of a load in the window.
    fn supply(&self, at: usize, bytes: Bytes) -> Supply {
        let mut overtakes = false;
        for slot in self.window[..at].iter().rev() {
            match slot.operation {
                // A load that is served by a store reads no line, so no loss of a line would tell the core to repeat it.
                Operation::Store(to, _) if to.overlaps(bytes) && overtakes => return Supply::Later,
                Operation::Store(to, value) if to.overlaps(bytes) => {
                    return match Forwarded::of(to, value, bytes) {
                        Forwarded::Whole(value) => Supply::Store(value),
                        Forwarded::Part => Supply::Later,
                    };
                }
                Operation::Rmw { bytes: to, .. } if to.overlaps(bytes) => return Supply::Later,
                _ => overtakes |= slot.may_be_overtaken(bytes),
            }
        }
        let must_follow = overtakes && self.window[at].repeated > MOST_REPETITIONS;
        if must_follow || self.is_stale(self.line(bytes.address)) {
            return Supply::Later;
        }
        Supply::Memory
    }

    /// Whether an older load of the location of a load is not settled.
    fn overtakes(&self, at: usize) -> bool {
        let bytes = self.window[at].loads();
        bytes.is_some_and(|bytes| self.window[..at].iter().any(|slot| slot.may_be_overtaken(bytes)))
    }

    /// Whether a read of a line is in flight that may return an old value. Another read would be
    /// coalesced with it in the sequencer and get the same value, and would not be known to be old.
    fn is_stale(&self, line: u64) -> bool {
        let is_on = |address: u64| self.line(address) == line;
        let is_stale = |slot: &Slot| {
            let is_stale = matches!(slot.progress, Progress::Sent { stale: true, .. });
            is_stale && slot.loads().is_some_and(|it| is_on(it.address))
        };
        let atomic = self.atomic.as_ref();
        atomic.is_some_and(|atomic| atomic.is_stale() && is_on(atomic.address()))
            || self.window.iter().any(is_stale)
    }

    /// Settles loads and removes them from the window; returns whether there were any. The core gets a
    /// value a tick after memory performed the load.
    fn settle(&mut self, now: u64, port: &mut dyn CorePort) -> bool {
        let before = self.window.len();
        let mut at = 0;
        while at < self.window.len() {
            let slot = self.window[at];
            match slot.progress {
                Progress::Performed { value, at: performed, order } if performed < now => {
                    let is_placed = order.is_some();
                    let settled = order.or_else(|| (!self.overtakes(at)).then(|| port.moment()));
                    let Some(order) = settled else {
                        at += 1;
                        continue;
                    };
                    let row = self.plan.row(slot.index);
                    let records = &mut self.thread.log.records;
                    // A load that was not settled when it was performed completes now.
                    let completed = if is_placed { performed } else { now };
                    records.perform(row, completed, order, Some(value));
                    records.print(row);
                    self.plan.perform(slot.index);
                    self.window.remove(at);
                }
                _ => at += 1,
            }
        }
        self.window.len() < before
    }

    /// Removes a performed operation that writes from the window.
    fn finish(&mut self, index: usize) {
        self.plan.perform(index);
        self.window.retain(|slot| slot.index != index);
    }

    /// Records that memory performs a load of the window.
    fn load_performed(&mut self, now: u64, response: &Response, port: &mut dyn CorePort) {
        let is_it = |slot: &Slot| slot.index as u32 == response.tag && slot.loads().is_some();
        let Some(at) = self.window.iter().position(is_it) else {
            return;
        };
        if matches!(self.window[at].progress, Progress::Sent { again: true, .. }) {
            return self.repeat(at);
        }
        let order = (!self.overtakes(at)).then(|| port.moment());
        let value = response.value;
        self.window[at].progress = Progress::Performed { value, at: now, order };
    }

    fn repeat(&mut self, at: usize) {
        self.repeated += 1;
        self.window[at].repeated += 1;
        self.window[at].progress = Progress::Waiting;
    }

    fn store_performed(&mut self, now: u64, response: &Response, port: &mut dyn CorePort) {
        let index = response.tag as usize;
        let row = self.plan.row(index);
        self.thread.log.perform(row, now, response, port);
        self.finish(index);
    }

    /// Records that memory performs a half of the read-modify-write.
    fn atomic_performed(&mut self, now: u64, response: &Response, port: &mut dyn CorePort) {
        let Some(atomic) = &mut self.atomic else { return };
        atomic.performed(now, response, &mut self.thread.log, port);
        let index = atomic.index();
        let order = port.moment();
        match response.kind {
            RequestKind::LockedRead | RequestKind::LoadLinked => {
                self.read = (response.value, order);
                return;
            }
            RequestKind::Atomic => self.read = (response.value, order),
            _ => {}
        }
        if !response.success {
            return;
        }
        let (read, write) = (self.plan.row(index), self.plan.last_row(index));
        let returns = response.kind != RequestKind::AtomicNoReturn;
        let records = &mut self.thread.log.records;
        if read != write {
            records.perform(read, now, self.read.1, Some(self.read.0));
            records.print(read);
        }
        let value = (read == write && returns).then_some(self.read.0);
        records.perform(write, now, order, value);
        records.print(write);
    }
}

impl Core for OutOfOrder {
    fn step(&mut self, now: u64, port: &mut dyn CorePort) {
        self.thread.alarm.ring(now);
        self.advance(now, port);
    }

    fn performed(&mut self, now: u64, response: &Response, port: &mut dyn CorePort) {
        if response.tag == atomic::TAG {
            self.atomic_performed(now, response, port);
        } else if response.kind == RequestKind::Store {
            self.store_performed(now, response, port);
        } else {
            self.load_performed(now, response, port);
        }
    }

    fn respond(&mut self, now: u64, response: &Response, port: &mut dyn CorePort) {
        if let Some(atomic) = self.atomic.as_mut().filter(|_| response.tag == atomic::TAG)
            && atomic.respond(now, response, &mut self.thread, port)
        {
            let index = atomic.index();
            self.atomic = None;
            self.finish(index);
        }
        self.advance(now, port);
    }

    fn evicted(&mut self, now: u64, line: u64, port: &mut dyn CorePort) {
        let line = self.line(line);
        let bytes = self.line_bytes;
        if let Some(atomic) = self.atomic.as_mut().filter(|it| it.address() / bytes == line) {
            atomic.evicted();
        }
        for at in 0..self.window.len() {
            if self.window[at].loads().is_none_or(|it| self.line(it.address) != line) {
                continue;
            }
            let overtakes = self.overtakes(at);
            match &mut self.window[at].progress {
                Progress::Sent { stale, again } => {
                    *stale = true;
                    *again |= overtakes;
                }
                Progress::Performed { order: None, .. } => {
                    self.repeat(at);
                    self.thread.alarm.set(now + 1, port);
                }
                Progress::Waiting | Progress::Performed { .. } => {}
            }
        }
    }

    fn position(&self) -> usize {
        self.thread.next.saturating_sub(self.window.len())
    }

    fn is_done(&self) -> bool {
        self.thread.is_over() && self.window.is_empty()
    }

    fn records(&self) -> &Records {
        &self.thread.log.records
    }

    fn repeated(&self) -> u64 {
        self.repeated
    }
}
