//! [`Witness`]: a machine that performs writes in the order in which they arrive, and each read as early as
//! possible. As long as it refuses no operation, there is a run of the model with the operations so far.
//!
//! Operations arrive as they complete, which is nearly the order in which they were performed. Memory
//! performs writes as they arrive. A read may complete after the write that overwrites its value: a cache may
//! answer with a line that another cache meanwhile acquires. So each read is performed as early as its value
//! and its thread allow, which leaves most room for the reads after it. A load may also return the value of a
//! store that is in its thread's buffer and arrives later. As long as that gives every read its value, the
//! history so far is consistent.
//!
//! A load can arrive before the older store that served it. The machine of [`memory`] takes operations in program order; this one has
//! no buffers, but notes the loads that wait for their store.

use std::collections::VecDeque;

use history::Kind;
use rustc_hash::FxHashMap;

use super::Arrival;
use memory::Model;

/// Number of overwritten values of a location that a read may still return.
const PAST_VALUES: usize = 16;

/// A machine that performs operations as they complete. Memory: up to 400 bytes for each location, and about
/// 30 for each pair of a thread and a location that it uses.
#[derive(Clone, Debug)]
pub(super) struct Witness {
    model: Model,
    /// The time, which is the number of writes that were performed.
    now: u64,
    memory: FxHashMap<u64, Cell>,
    threads: FxHashMap<u32, Thread>,
    /// By thread and location, what the thread did there.
    own: FxHashMap<(u32, u64), Own>,
    /// By thread, location and value, the places of the loads that returned the value before its store
    /// arrived.
    early: FxHashMap<(u32, u64, u64), Vec<u32>>,
    reservations: FxHashMap<(u32, u64), u64>,
    has_failed: bool,
}

/// How an operation was performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Performed {
    /// Memory, or a store that has arrived, has served the operation.
    Now,
    /// The operation is a load that was served by a store of its thread that has not arrived.
    Early,
}

/// The value that memory held at a location, from the time `since` until just before the time `until`.
#[derive(Clone, Copy, Debug)]
struct Held {
    value: u64,
    since: u64,
    until: u64,
}

/// The value that a location holds, and those that it held before.
#[derive(Clone, Debug)]
struct Cell {
    /// The current value.
    held: Held,
    /// The values that it held before, the oldest first.
    past: VecDeque<Held>,
}

impl Default for Cell {
    fn default() -> Cell {
        Cell { held: Held { value: 0, since: 0, until: u64::MAX }, past: VecDeque::new() }
    }
}

impl Cell {
    fn write(&mut self, value: u64, now: u64) {
        if self.past.len() == PAST_VALUES {
            self.past.pop_front();
        }
        self.past.push_back(Held { until: now, ..self.held });
        self.held = Held { value, since: now, until: u64::MAX };
    }

    /// The latest period in which the location held a value; `None` if it did not, or too long ago.
    fn find(&self, value: u64) -> Option<Held> {
        if self.held.value == value {
            return Some(self.held);
        }
        self.past.iter().rev().find(|it| it.value == value).copied()
    }
}

/// The progress of a thread. The place of an operation is its position in program order
/// ([`Arrival::sequence`]) plus 1; 0 stands for no operation.
#[derive(Clone, Copy, Debug, Default)]
struct Thread {
    /// The place and the time of the last operation that is not a buffered store.
    main: u32,
    time: u64,
    /// The place and the time of the last buffered store.
    stores: u32,
    stored: u64,
    /// The place of the last operation that has waited for all stores before it.
    drains: u32,
}

/// The last operations of a thread at a location.
#[derive(Clone, Copy, Debug, Default)]
struct Own {
    /// The place of its last operation, other than loads whose store has not arrived.
    last: u32,
    /// The time and value of its last buffered store.
    stored: u64,
    value: Option<u64>,
}

impl Witness {
    /// Creates a machine that has performed no operation.
    pub(super) fn new(model: Model) -> Witness {
        Witness {
            model,
            now: 0,
            memory: FxHashMap::default(),
            threads: FxHashMap::default(),
            own: FxHashMap::default(),
            early: FxHashMap::default(),
            reservations: FxHashMap::default(),
            has_failed: false,
        }
    }

    /// Whether the machine has performed all operations so far. It is false as long as a load was served by a
    /// store that has not arrived.
    pub(super) fn holds(&self) -> bool {
        !self.has_failed && self.early.is_empty()
    }

    /// Whether the machine has refused an operation.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Performs an operation; `None` if the machine refuses it, or has refused one before.
    pub(super) fn arrive(&mut self, arrival: &Arrival) -> Option<Performed> {
        let performed = if self.has_failed { None } else { self.perform(arrival) };
        self.has_failed = performed.is_none();
        performed
    }

    fn perform(&mut self, arrival: &Arrival) -> Option<Performed> {
        let place = arrival.sequence + 1;
        let is_store = self.model.buffers() && arrival.kind.may_be_buffered();
        let thread = self.threads.entry(arrival.thread).or_default();
        if is_store {
            // A store may not arrive after an operation of its thread that had to wait for it, nor, unless
            // each location has a buffer, after a later store.
            let is_late = place < thread.drains
                || (!self.model.buffers_by_location() && place < thread.stores);
            if is_late {
                return None;
            }
            return self.store(arrival, place).map(|()| Performed::Now);
        }
        if place < thread.main || place < thread.stores {
            // An operation that waits in no buffer may not come before an operation of the main chain or a
            // store of its thread that was already performed.
            return None;
        }
        thread.main = place;
        if self.model.drains_all(arrival.kind) {
            thread.drains = place;
            thread.time = thread.time.max(thread.stored);
        }
        if arrival.location.is_none() {
            Some(Performed::Now)
        } else if arrival.kind.writes() {
            self.update(arrival, place).map(|()| Performed::Now)
        } else {
            self.read(arrival, place)
        }
    }

    /// Performs a store that may have waited in a buffer.
    fn store(&mut self, arrival: &Arrival, place: u32) -> Option<()> {
        let (location, value) = (arrival.location?, arrival.written?);
        self.write(arrival)?;
        let own = self.own.entry((arrival.thread, location)).or_default();
        // The store comes too late if the thread has already performed a later operation at the location
        // without it.
        if place < own.last {
            return None;
        }
        *own = Own { last: place, stored: self.now, value: Some(value) };
        if !self.early.is_empty() {
            let readers = self.early.remove(&(arrival.thread, location, value));
            for read in readers.into_iter().flatten() {
                if read < place {
                    return None;
                }
                own.last = own.last.max(read);
            }
        }
        let thread = self.threads.entry(arrival.thread).or_default();
        (thread.stores, thread.stored) = (thread.stores.max(place), self.now);
        Some(())
    }

    /// Performs a write that waits in no buffer, and what it reads.
    fn update(&mut self, arrival: &Arrival, place: u32) -> Option<()> {
        let location = arrival.location?;
        if arrival.kind.reads() {
            let held = self.memory.get(&location).map_or(0, |cell| cell.held.value);
            if arrival.read? != held {
                return None;
            }
        }
        // It has waited in no buffer, so it cannot have served a load.
        if self.early.contains_key(&(arrival.thread, location, arrival.written?)) {
            return None;
        }
        self.write(arrival)?;
        if self.model.buffers() {
            self.own.entry((arrival.thread, location)).or_default().last = place;
        }
        self.threads.entry(arrival.thread).or_default().time = self.now;
        Some(())
    }

    /// Writes to memory; `None` if a store-conditional has lost its reservation.
    fn write(&mut self, arrival: &Arrival) -> Option<()> {
        let (location, value) = (arrival.location?, arrival.written?);
        self.now += 1;
        let cell = self.memory.entry(location).or_default();
        if !self.reservations.is_empty() {
            let reserved = self.reservations.remove(&(arrival.thread, location));
            let is_conditional = arrival.kind == Kind::StoreConditional;
            if is_conditional && reserved.is_some_and(|reserved| reserved != cell.held.value) {
                return None;
            }
        }
        cell.write(value, self.now);
        Some(())
    }

    /// Performs a read as early as it can be.
    fn read(&mut self, arrival: &Arrival, place: u32) -> Option<Performed> {
        let (location, value) = (arrival.location?, arrival.read?);
        let thread = self.threads.entry(arrival.thread).or_default();
        let own = self.own.entry((arrival.thread, location)).or_default();
        let may_be_forwarded = self.model.forwards() && arrival.kind == Kind::Load;
        let is_forwarded = may_be_forwarded && own.value == Some(value) && thread.time < own.stored;
        if !is_forwarded {
            let Some(held) = self.memory.entry(location).or_default().find(value) else {
                if may_be_forwarded {
                    let key = (arrival.thread, location, value);
                    self.early.entry(key).or_default().push(place);
                }
                return may_be_forwarded.then_some(Performed::Early);
            };
            // The thread's own stores hide what memory held before them.
            let time = thread.time.max(own.stored).max(held.since);
            if time >= held.until {
                return None;
            }
            thread.time = time;
        }
        own.last = place;
        if arrival.kind == Kind::LoadLinked {
            self.reservations.insert((arrival.thread, location), value);
        }
        Some(Performed::Now)
    }
}
