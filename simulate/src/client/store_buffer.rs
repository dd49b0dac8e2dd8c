//! The store buffer of a core: that of [`memory`], with the time at which each store may be sent.

use memory::Model;
use memory::buffer::{Store, StoreBuffer};

use crate::client::{CorePort, DRAIN, Thread};
use crate::program::Bytes;
use crate::record::Row;
use crate::request::{Request, RequestKind};

/// A store that memory has not performed.
#[derive(Clone, Copy, Debug)]
struct Entry {
    row: Row,
    bytes: Bytes,
    value: u64,
    /// The first tick at which it may be sent.
    ready: u64,
    sent: bool,
}

impl Store for Entry {
    type Location = Bytes;

    fn location(&self) -> Bytes {
        self.bytes
    }

    fn touches(&self, bytes: Bytes) -> bool {
        self.bytes.overlaps(bytes)
    }
}

/// A store buffer of a fixed number of entries, 0 for none.
#[derive(Debug)]
pub(super) struct TimedBuffer {
    stores: StoreBuffer<Entry>,
    pub capacity: usize,
    /// The bits that mark the tags of its stores.
    mark: u32,
}

impl TimedBuffer {
    pub(super) fn new(capacity: u32, mark: u32) -> TimedBuffer {
        TimedBuffer { stores: StoreBuffer::default(), capacity: capacity as usize, mark }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.stores.is_empty()
    }

    /// The value that the newest store that overlaps a load gives it, or that the load has to wait; `None` if no store
    /// overlaps it.
    pub(super) fn newest(&self, bytes: Bytes) -> Option<Forwarded> {
        let entry = self.stores.newest(bytes)?;
        Some(Forwarded::of(entry.bytes, entry.value, bytes))
    }

    /// Whether the buffer has a store to some of these bytes or, if `or_sent`, any store that was sent.
    pub(super) fn has(&self, bytes: Bytes, or_sent: bool) -> bool {
        self.stores.iter().any(|entry| entry.bytes.overlaps(bytes) || entry.sent && or_sent)
    }

    /// Adds a store of the program, and returns whether there was room.
    pub(super) fn enter(
        &mut self,
        now: u64,
        thread: &mut Thread,
        (index, bytes, value): (usize, Bytes, u64),
        port: &mut dyn CorePort,
    ) -> bool {
        if self.stores.len() >= self.capacity {
            return false;
        }
        let row = thread.log.store(now, index, bytes, value, port);
        let ready = now + thread.rng.up_to(DRAIN);
        if ready > now {
            thread.alarm.set(ready, port);
        }
        self.stores.push(Entry { row, bytes, value, ready, sent: false });
        true
    }

    /// Sends the stores that the model allows to leave now: any or, with `only`, those to these bytes and those that
    /// have to leave before them.
    pub(super) fn send(
        &mut self,
        now: u64,
        model: Model,
        only: Option<Bytes>,
        thread: &mut Thread,
        port: &mut dyn CorePort,
    ) {
        let wanted = only.map(|only| self.leading_to(only));
        for at in 0..self.stores.len() {
            let Entry { row, bytes, value, ready, sent } = self.stores[at];
            if wanted.as_ref().is_some_and(|wanted| !wanted.contains(&at)) || sent || ready > now {
                continue;
            }
            if self.stores.may_leave(model, at) {
                let request = store_request(row.tag() | self.mark, bytes, value);
                self.stores[at].sent = thread.alarm.send(port, now, request);
            }
        }
    }

    /// The indices of the stores to some bytes, and of those that have to leave the buffer before them since they
    /// overlap in part.
    fn leading_to(&self, bytes: Bytes) -> Vec<usize> {
        let mut overlapped = vec![bytes];
        let mut leading = Vec::new();
        for (at, entry) in self.stores.iter().enumerate().rev() {
            if overlapped.iter().any(|bytes| bytes.overlaps(entry.bytes)) {
                leading.push(at);
                overlapped.push(entry.bytes);
            }
        }
        leading
    }

    /// Removes a store that memory has performed.
    pub(super) fn performed(&mut self, row: Row) {
        if let Some(at) = self.stores.iter().position(|entry| entry.row == row) {
            self.stores.remove(at);
        }
    }
}

/// The request of a store.
pub(super) fn store_request(tag: u32, bytes: Bytes, value: u64) -> Request {
    Request::new(tag, RequestKind::Store, bytes, value)
}

/// What a later load of the same thread gets from a store that memory has not performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Forwarded {
    /// The value that the load returns.
    Whole(u64),
    /// The store has only some of the bytes of the load, so the load waits until memory has performed the store.
    Part,
}

impl Forwarded {
    /// What a load gets from a store that overlaps it.
    pub(super) fn of(stored: Bytes, value: u64, loaded: Bytes) -> Forwarded {
        if stored.covers(loaded) {
            Forwarded::Whole(stored.part_of(value, loaded))
        } else {
            Forwarded::Part
        }
    }
}
