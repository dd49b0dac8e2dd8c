//! [`Chains`]: the operations of each thread, arranged in sequences whose program order the model preserves.

use history::Kind;
use rustc_hash::FxHashMap;

use super::{Arrival, NONE};
use memory::Model;

/// The remembered events of one chain.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    /// The thread of the chain.
    pub thread: u32,
    /// The events, as (position, event) in ascending order.
    pub events: Vec<(u32, u32)>,
}

/// The chains of one thread.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    /// The chain of loads, atomics and fences, under SC of all operations; [`NONE`] if there is none yet.
    pub main: u32,
    /// The chains of plain stores.
    pub stores: Vec<u32>,
    /// The operations of the main chain that wait for stores, as (position, event) in ascending order.
    pub drains: Vec<(u32, u32)>,
    /// The position in program order before which everything has arrived.
    pub settled: u32,
}

impl Default for Thread {
    fn default() -> Thread {
        Thread { main: NONE, stores: Vec::new(), drains: Vec::new(), settled: 0 }
    }
}

/// The chains of all threads.
#[derive(Clone, Debug)]
pub(super) struct Chains {
    model: Model,
    pub all: Vec<Chain>,
    pub threads: FxHashMap<u32, Thread>,
    /// By thread and location, the chain of stores; under TSO, by thread and [`NONE`].
    by_location: FxHashMap<(u32, u32), u32>,
}

impl Chains {
    pub(super) fn new(model: Model) -> Chains {
        Chains {
            model,
            all: Vec::new(),
            threads: FxHashMap::default(),
            by_location: FxHashMap::default(),
        }
    }

    /// The chain that an operation belongs to, which is created if there is none.
    pub(super) fn of(&mut self, arrival: &Arrival, location: u32) -> u32 {
        let next = self.all.len() as u32;
        let thread = self.threads.entry(arrival.thread).or_default();
        let is_buffered = self.model.buffers() && arrival.kind.may_be_buffered();
        let chain = if is_buffered {
            let location = if self.model.buffers_by_location() { location } else { NONE };
            let chain = *self.by_location.entry((arrival.thread, location)).or_insert(next);
            if chain == next {
                thread.stores.push(chain);
            }
            chain
        } else {
            if thread.main == NONE {
                thread.main = next;
            }
            thread.main
        };
        if chain == next {
            self.all.push(Chain { thread: arrival.thread, events: Vec::new() });
        }
        chain
    }

    pub(super) fn settle(&mut self, thread: u32, sequence: u32) {
        let thread = self.threads.entry(thread).or_default();
        thread.settled = thread.settled.max(sequence);
    }

    /// Inserts an event. `of` returns the operation of an event. Returns the event's neighbours in preserved
    /// program order.
    pub(super) fn insert(
        &mut self,
        event: u32,
        chain: u32,
        arrival: &Arrival,
        of: &dyn Fn(u32) -> Arrival,
    ) -> Neighbours {
        let position = arrival.sequence + 1;
        let mut found = Neighbours::default();
        let own = &mut self.all[chain as usize].events;
        let at = own.partition_point(|it| it.0 < position);
        found.before.extend(at.checked_sub(1).map(|at| own[at].1));
        found.after.extend(own.get(at).map(|it| it.1));
        own.insert(at, (position, event));
        if !self.model.buffers() {
            return found;
        }
        let model = self.model;
        let preserves = |first: &Arrival, second: &Arrival| {
            model.preserves(first.kind, second.kind, first.location == second.location)
        };
        let Some(thread) = self.threads.get_mut(&arrival.thread) else {
            return found;
        };
        if chain == thread.main {
            for &store in &thread.stores {
                let stores = &self.all[store as usize].events;
                let at = stores.partition_point(|it| it.0 < position);
                found.after.extend(stores.get(at).map(|it| it.1));
                let mut earlier = stores[..at].iter().rev().map(|it| it.1);
                // With forwarding, the order of the last store is preserved if that of any store is.
                let before = if model.forwards() {
                    earlier.next().filter(|&it| preserves(&of(it), arrival))
                } else {
                    earlier.find(|&it| preserves(&of(it), arrival))
                };
                found.before.extend(before);
            }
            if arrival.kind == Kind::Fence || model.drains_own(arrival.kind) {
                let at = thread.drains.partition_point(|it| it.0 < position);
                thread.drains.insert(at, (position, event));
            }
            return found;
        }
        if thread.main != NONE {
            let main = &self.all[thread.main as usize].events;
            let at = main.partition_point(|it| it.0 < position);
            found.before.extend(at.checked_sub(1).map(|at| main[at].1));
        }
        let at = thread.drains.partition_point(|it| it.0 < position);
        let mut drains = thread.drains[at..].iter().map(|it| it.1);
        found.after.extend(drains.find(|&it| preserves(arrival, &of(it))));
        found
    }
}

/// The neighbours of an event in preserved program order.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours {
    pub before: Vec<u32>,
    pub after: Vec<u32>,
}
