//! A read-modify-write, which all kinds of cores perform alike: in two halves, with the line locked or with a
//! reservation and retries, or by one atomic request.

use history::Kind;

use crate::client::log::{Log, line};
use crate::client::{CorePort, Thread};
use crate::program::{Bytes, RmwForm};
use crate::record::Row;
use crate::request::{Request, RequestKind, Response};

/// The tag of the requests of a read-modify-write. Other tags are indices of operations.
pub(super) const TAG: u32 = u32::MAX;

/// Largest number of ticks before the first retry. It doubles with each failure, up to a limit.
const FIRST_BACKOFF: u64 = 16;
const MOST_DOUBLINGS: u32 = 10;
/// Number of failures after which the core does nothing else that could evict the line meanwhile.
const MOST_FAILURES: u32 = 3;

/// A read-modify-write in progress.
#[derive(Debug)]
pub(super) struct Atomic {
    index: usize,
    bytes: Bytes,
    value: u64,
    form: RmwForm,
    /// The half that is to be sent next, or was sent.
    half: Half,
    sent: bool,
    /// Whether the line was lost while a load-linked is in flight.
    stale: bool,
    /// The operation, once a part of it was sent. For Ruby's lines, the halves of a linked one are
    /// operations of their own.
    row: Option<Row>,
    /// Whether the core records the operation itself.
    is_recorded_by_core: bool,
    failures: u32,
    not_before: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    /// The first half, or the whole of an atomic request.
    Read,
    Write,
}

impl Atomic {
    pub(super) fn new(index: usize, bytes: Bytes, value: u64, form: RmwForm) -> Atomic {
        Atomic {
            index,
            bytes,
            value,
            form,
            half: Half::Read,
            sent: false,
            stale: false,
            row: None,
            is_recorded_by_core: false,
            failures: 0,
            not_before: 0,
        }
    }

    /// Creates a read-modify-write whose operation the core records itself.
    pub(super) fn unrecorded(index: usize, bytes: Bytes, value: u64, form: RmwForm) -> Atomic {
        Atomic { is_recorded_by_core: true, ..Atomic::new(index, bytes, value, form) }
    }

    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// Whether it locks its line.
    pub(super) fn is_locked(&self) -> bool {
        self.form == RmwForm::Locked
    }

    pub(super) fn address(&self) -> u64 {
        self.bytes.address
    }

    /// Records that the line leaves the cache.
    pub(super) fn evicted(&mut self) {
        self.stale = self.sent && self.kind() == RequestKind::LoadLinked;
    }

    /// Whether a load-linked is in flight that may return an old value.
    pub(super) fn is_stale(&self) -> bool {
        self.stale
    }

    /// Sends the next half, if it is time.
    pub(super) fn advance(&mut self, now: u64, thread: &mut Thread, port: &mut dyn CorePort) {
        if self.sent || now < self.not_before {
            return;
        }
        let request = Request::new(TAG, self.kind(), self.bytes, self.value);
        if thread.alarm.send(port, now, request) {
            self.sent = true;
            self.note_sent(now, &mut thread.log);
        }
    }

    /// Whether it has failed so often that other accesses of the core may be the reason.
    pub(super) fn must_run_alone(&self) -> bool {
        self.failures > MOST_FAILURES
    }

    fn kind(&self) -> RequestKind {
        match (self.form, self.half) {
            (RmwForm::Locked, Half::Read) => RequestKind::LockedRead,
            (RmwForm::Locked, Half::Write) => RequestKind::LockedWrite,
            (RmwForm::Linked, Half::Read) => RequestKind::LoadLinked,
            (RmwForm::Linked, Half::Write) => RequestKind::StoreConditional,
            (RmwForm::Atomic, _) => RequestKind::Atomic,
            (RmwForm::AtomicNoReturn, _) => RequestKind::AtomicNoReturn,
        }
    }

    /// The kind of operation that the history records.
    fn recorded_kind(&self) -> Kind {
        match self.form {
            RmwForm::AtomicNoReturn => Kind::Store,
            RmwForm::Locked | RmwForm::Linked | RmwForm::Atomic => Kind::Rmw,
        }
    }

    /// Whether the halves are operations of their own, as Ruby's lines show a linked one.
    fn is_split(&self, log: &Log) -> bool {
        self.form == RmwForm::Linked && log.is_ruby()
    }

    fn note_sent(&mut self, now: u64, log: &mut Log) {
        if self.is_recorded_by_core {
            return;
        }
        let written = Some(self.value);
        if self.is_split(log) {
            let (kind, written) = match self.half {
                Half::Read => (Kind::LoadLinked, None),
                Half::Write => (Kind::StoreConditional, written),
            };
            self.row = Some(log.records.ask(now, kind, self.bytes, written));
            return;
        }
        match (self.half, self.row) {
            (Half::Read, None) => {
                let kind = self.recorded_kind();
                self.row = Some(log.records.ask(now, kind, self.bytes, written));
            }
            (Half::Write, Some(row)) if self.is_locked() => log.records.ask_second_half(row),
            _ => {}
        }
    }

    /// Records that memory performs the half that was sent.
    pub(super) fn performed(
        &mut self,
        now: u64,
        response: &Response,
        log: &mut Log,
        port: &mut dyn CorePort,
    ) {
        self.stale = false;
        let Some(row) = self.row else {
            return;
        };
        let order = port.moment();
        let is_split = self.is_split(log);
        let records = &mut log.records;
        match self.half {
            Half::Read if self.form.is_atomic() => {
                let read = (self.form == RmwForm::Atomic).then_some(response.value);
                records.perform(row, now, order, read);
            }
            Half::Read if is_split => records.perform(row, now, order, Some(response.value)),
            Half::Read => records.perform_first_half(row, now, order, response.value),
            Half::Write if !response.success && is_split => records.drop_row(row),
            Half::Write if !response.success => {}
            Half::Write if is_split => records.perform(row, now, order, None),
            Half::Write => records.perform_second_half(row, now, order),
        }
    }

    /// Handles the response to the half that was sent; returns whether the operation is complete.
    pub(super) fn respond(
        &mut self,
        now: u64,
        response: &Response,
        thread: &mut Thread,
        port: &mut dyn CorePort,
    ) -> bool {
        self.sent = false;
        // The line may have left the cache between the load-linked and its response.
        self.stale = false;
        if !response.success {
            self.half = Half::Read;
            self.wait(now, thread, port);
            return false;
        }
        if self.half == Half::Read && !self.form.is_atomic() {
            self.half = Half::Write;
            return false;
        }
        if let Some(row) = self.row {
            let log = &mut thread.log;
            let read = log.records.read(row);
            let line = line(self.index, self.recorded_kind(), self.bytes, read, self.value);
            log.print(now, row, line, port);
        }
        true
    }

    /// Waits after a lost reservation: a random time that grows with each failure, so that some
    /// core succeeds.
    fn wait(&mut self, now: u64, thread: &mut Thread, port: &mut dyn CorePort) {
        let most = FIRST_BACKOFF << self.failures.min(MOST_DOUBLINGS);
        self.failures += 1;
        self.not_before = now + 1 + thread.rng.up_to(most);
        thread.alarm.set(self.not_before, port);
    }
}
