//! The store buffer of a core: that of [`memory`], with the time at which each store may be sent.

use memory::Model;
use memory::buffer::{Store, StoreBuffer};

use crate::client::{CorePort, DRAIN, Thread};
use crate::record::Row;
use crate::request::{Request, RequestKind};

/// A store that memory has not performed.
#[derive(Clone, Copy, Debug)]
struct Entry {
    row: Row,
    address: u64,
    value: u64,
    /// When it may be sent.
    ready: u64,
    sent: bool,
}

impl Store for Entry {
    type Location = u64;

    fn location(&self) -> u64 {
        self.address
    }
}

/// A store buffer of a fixed number of entries, 0 for none.
#[derive(Debug)]
pub(super) struct TimedBuffer {
    stores: StoreBuffer<Entry>,
    pub capacity: usize,
    /// Marks the requests of its stores.
    mark: u32,
}

impl TimedBuffer {
    pub fn new(capacity: u32, mark: u32) -> TimedBuffer {
        TimedBuffer { stores: StoreBuffer::default(), capacity: capacity as usize, mark }
    }

    pub fn is_empty(&self) -> bool {
        self.stores.is_empty()
    }

    /// The value of the newest store to an address.
    pub fn newest(&self, address: u64) -> Option<u64> {
        self.stores.newest(address).map(|entry| entry.value)
    }

    /// Whether there is a store to an address, or one that was sent if that counts.
    pub fn has(&self, address: u64, or_sent: bool) -> bool {
        self.stores.iter().any(|entry| entry.address == address || entry.sent && or_sent)
    }

    /// Takes a store of the program in; whether there was room.
    pub fn enter(
        &mut self,
        now: u64,
        thread: &mut Thread,
        (index, address, value): (usize, u64, u64),
        port: &mut dyn CorePort,
    ) -> bool {
        if self.stores.len() >= self.capacity {
            return false;
        }
        let row = thread.log.store(now, index, address, value, port);
        let ready = now + thread.rng.up_to(DRAIN);
        if ready > now {
            thread.alarm.set(ready, port);
        }
        self.stores.push(Entry { row, address, value, ready, sent: false });
        true
    }

    /// Sends the stores whose turn it is under a model: all, or those to one address.
    pub fn send(
        &mut self,
        now: u64,
        model: Model,
        only: Option<u64>,
        thread: &mut Thread,
        port: &mut dyn CorePort,
    ) {
        for at in 0..self.stores.len() {
            let Entry { row, address, value, ready, sent } = self.stores[at];
            if only.is_some_and(|only| only != address) || sent || ready > now {
                continue;
            }
            if self.stores.may_leave(model, at) {
                let request = store_request(row.tag() | self.mark, address, value);
                self.stores[at].sent = thread.alarm.send(port, now, request);
            }
        }
    }

    /// Memory has performed a store.
    pub fn performed(&mut self, row: Row) {
        if let Some(at) = self.stores.iter().position(|entry| entry.row == row) {
            self.stores.remove(at);
        }
    }
}

/// The request of a store.
pub(super) fn store_request(tag: u32, address: u64, value: u64) -> Request {
    Request { tag, kind: RequestKind::Store, address, size: 8, value }
}
