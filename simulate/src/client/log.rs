//! The records of a core's operations, and its lines in the trace.

use history::{Kind, Source};

use crate::client::CorePort;
use crate::program::Bytes;
use crate::record::{Records, Row};
use crate::request::Response;
use crate::trace::ClientLine;

/// The records of a thread, and its lines in the trace.
#[derive(Debug)]
pub(super) struct Log {
    pub records: Records,
}

impl Log {
    pub(super) fn new(thread: u32, source: Source) -> Log {
        Log { records: Records::new(thread, source) }
    }

    /// Whether Ruby's lines show the operations, so that none are printed here.
    pub(super) fn is_ruby(&self) -> bool {
        self.records.source() == Source::Ruby
    }

    /// Records that memory performs an operation.
    pub(super) fn perform(
        &mut self,
        row: Row,
        now: u64,
        response: &Response,
        port: &mut dyn CorePort,
    ) {
        let read = response.kind.is_read().then_some(response.value);
        let order = port.moment();
        self.records.perform(row, now, order, read);
    }

    /// Prints an operation, unless Ruby's lines show it.
    pub(super) fn print(&mut self, now: u64, row: Row, line: ClientLine, port: &mut dyn CorePort) {
        if self.is_ruby() {
            return;
        }
        self.records.print(row);
        if let Some(trace) = port.trace() {
            let thread = self.records.thread();
            trace.client(now, &ClientLine { thread, ..line });
        }
    }

    /// Records and prints a store that the program issues.
    pub(super) fn store(
        &mut self,
        now: u64,
        index: usize,
        bytes: Bytes,
        value: u64,
        port: &mut dyn CorePort,
    ) -> Row {
        let row = self.records.ask(now, Kind::Store, bytes, Some(value));
        let line = line(index, Kind::Store, bytes, 0, value);
        self.print(now, row, line, port);
        row
    }

    /// Records and prints a load whose response has arrived.
    pub(super) fn load(&mut self, now: u64, row: Row, index: usize, port: &mut dyn CorePort) {
        let (bytes, value) = (self.records.bytes(row), self.records.read(row));
        self.print(now, row, line(index, Kind::Load, bytes, value, 0), port);
    }

    /// Records and prints a load at once, which was issued at the first tick and completes at the
    /// second. `order` is its position in memory order.
    pub(super) fn whole_load(
        &mut self,
        (issued, now): (u64, u64),
        order: u64,
        load: ClientLine,
        port: &mut dyn CorePort,
    ) {
        let bytes = Bytes { address: load.address, size: load.size };
        let row = self.records.ask(issued, Kind::Load, bytes, None);
        self.records.perform(row, now, order, Some(load.read));
        self.print(now, row, load, port);
    }

    /// Records and prints a fence that has completed.
    pub(super) fn fence(&mut self, now: u64, index: usize, port: &mut dyn CorePort) {
        let nowhere = Bytes::word(0);
        let row = self.records.ask(now, Kind::Fence, nowhere, None);
        let order = port.moment();
        self.records.perform(row, now, order, None);
        self.print(now, row, line(index, Kind::Fence, nowhere, 0, 0), port);
    }
}

/// The line of an operation; the log fills in the thread.
pub(super) fn line(index: usize, kind: Kind, bytes: Bytes, read: u64, written: u64) -> ClientLine {
    let Bytes { address, size } = bytes;
    let index = index as u32;
    ClientLine { thread: 0, index, kind, address, size, read, written, forwarded: false }
}
