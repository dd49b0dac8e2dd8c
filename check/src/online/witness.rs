//! A machine that performs operations in the order in which they are given to it: the order is a run, or it refuses.
//!
//! Memory performs writes as they arrive, and loads read when they do: from memory, or from what waits in their thread's buffer, which
//! arrives later. As long as that gives every load its value, the history so far is consistent.
//!
//! Operations arrive as they complete, so a load can arrive before the older store that served it. The machine of [`memory`] takes
//! operations in program order; this one has no buffers, but notes the loads that wait for their store.

use history::Kind;
use rustc_hash::FxHashMap;

use super::Arrival;
use memory::Model;

/// A machine that performs operations as they complete. Memory: a few words for each location, and for each pair of a thread and a location
/// that it uses.
#[derive(Clone, Debug)]
pub struct Witness {
    model: Model,
    memory: FxHashMap<u64, u64>,
    threads: FxHashMap<u32, Thread>,
    /// By thread and location.
    own: FxHashMap<(u32, u64), Own>,
    /// Loads that were served by a store that has not arrived, by thread, location and value: their places.
    early: FxHashMap<(u32, u64, u64), Vec<u32>>,
    reservations: FxHashMap<(u32, u64), u64>,
    has_failed: bool,
}

/// One past the last of its operations of each kind, in program order.
#[derive(Clone, Copy, Debug, Default)]
struct Thread {
    main: u32,
    stores: u32,
    /// What has waited for all stores before it.
    drains: u32,
}

/// What a thread did at a location, one past its places in program order.
#[derive(Clone, Copy, Debug, Default)]
struct Own {
    /// The last load that memory served.
    from_memory: u32,
    /// The last store.
    store: u32,
    /// The last load that a store has served which has arrived.
    served: u32,
    /// The last atomic operation.
    atomic: u32,
}

impl Witness {
    /// Nothing has completed.
    pub fn new(model: Model) -> Witness {
        Witness {
            model,
            memory: FxHashMap::default(),
            threads: FxHashMap::default(),
            own: FxHashMap::default(),
            early: FxHashMap::default(),
            reservations: FxHashMap::default(),
            has_failed: false,
        }
    }

    /// Whether the order of completions explains everything so far; loads that a store has served that never came do not count.
    pub fn holds(&self) -> bool {
        !self.has_failed && self.early.is_empty()
    }

    /// Whether the machine has refused an operation.
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// An operation is performed.
    pub fn arrive(&mut self, arrival: &Arrival) {
        if !self.has_failed {
            self.has_failed = self.perform(arrival).is_none();
        }
    }

    /// Nothing if the machine refuses.
    fn perform(&mut self, arrival: &Arrival) -> Option<()> {
        let place = arrival.sequence + 1;
        let is_store = self.model.buffers() && arrival.kind.may_be_buffered();
        let thread = self.threads.entry(arrival.thread).or_default();
        if is_store {
            // What comes before a store in its thread has completed, and what waits for it has not.
            let is_late = place < thread.drains
                || (!self.model.buffers_by_location() && place < thread.stores);
            if is_late {
                return None;
            }
            thread.stores = thread.stores.max(place);
        } else {
            if place < thread.main || place < thread.stores {
                // A load may not be older than a store that has reached memory.
                return None;
            }
            thread.main = place;
            if self.model.drains_all(arrival.kind) {
                thread.drains = place;
            }
        }
        let Some(location) = arrival.location else {
            return Some(());
        };
        self.access(arrival, location, place, is_store)
    }

    fn access(
        &mut self,
        arrival: &Arrival,
        location: u64,
        place: u32,
        is_store: bool,
    ) -> Option<()> {
        let held = self.memory.get(&location).copied().unwrap_or(0);
        let own = self.own.entry((arrival.thread, location)).or_default();
        if arrival.kind == Kind::StoreConditional {
            let reserved = self.reservations.remove(&(arrival.thread, location));
            if reserved.is_some_and(|reserved| reserved != held) {
                return None;
            }
        }
        if is_store {
            // It is the store that its readers were served by, and no load has missed it.
            if place < own.store || place < own.atomic || place < own.from_memory {
                return None;
            }
            // A load behind it was served by an older store.
            if own.served > place {
                return None;
            }
            let value = arrival.written?;
            let readers = self.early.remove(&(arrival.thread, location, value));
            for read in readers.into_iter().flatten() {
                if read < place {
                    return None;
                }
                own.served = own.served.max(read);
            }
            own.store = place;
            if arrival.kind == Kind::Store {
                self.reservations.remove(&(arrival.thread, location));
            }
            self.memory.insert(location, value);
            return Some(());
        }
        if arrival.kind.reads() {
            let value = arrival.read?;
            if value == held {
                own.from_memory = place;
            } else if self.model.forwards() && arrival.kind == Kind::Load {
                self.early.entry((arrival.thread, location, value)).or_default().push(place);
            } else {
                return None;
            }
        }
        match arrival.kind {
            Kind::LoadLinked => {
                self.reservations.insert((arrival.thread, location), held);
            }
            kind if kind.is_atomic() => own.atomic = place,
            _ => {}
        }
        if arrival.kind.writes() {
            self.reservations.remove(&(arrival.thread, location));
            self.memory.insert(location, arrival.written?);
        }
        Some(())
    }
}
