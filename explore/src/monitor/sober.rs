//! [`Sober`]: a monitor for TSO like SOBER (Burckhardt & Musuvathi, *Effective Program Verification for Relaxed Memory Models*, 2008), which
//! Burnim, Sen & Stergiou compare theirs with (section 6).
//!
//! It follows a run under SC with two orders. *Happens-before* has program order and all conflicts, in the order of the run. The *relaxed*
//! happens-before is what TSO keeps of it: a store does not precede a later load of its thread, and a load from a store of its own thread
//! is not ordered by it, since a buffer may serve it. Suppose that an event meets a store of another thread to its location which happens
//! before the previous event of its thread, but not in the relaxed order before itself. Then the event could come before that store under
//! TSO, which SC does not allow.
//!
//! The operational monitor commits each store as late as the events of the run let it, so that some of its stores have reached memory
//! which the relaxed order leaves free: this monitor signals in more runs. If a program can leave SC, each of them signals in some run.
//!
//! The published axioms order a load after an earlier store of its thread to the same location, which loses violations (section 6 of
//! Burnim et al.). Here they are corrected.

use check::engine::clocks::{Clocks, join};
use history::Kind;
use memory::Model;

use super::Event;
use super::happens_before::HappensBefore;

/// The state of the monitor during a run. Memory: for each location two clocks of each order and all stores to it, for each thread three
/// clocks. Time for an event: the number of threads, each with a binary search.
#[derive(Clone, Debug)]
pub struct Sober {
    before: HappensBefore,
    /// For each thread, how many stores of each thread precede what it reads next, in the relaxed order.
    before_reads: Clocks,
    /// The same for what it writes next.
    before_writes: Clocks,
    /// For each location, what precedes who reads it, and who writes it, in the relaxed order.
    relaxed_written: Clocks,
    relaxed_accessed: Clocks,
    locations: Vec<Location>,
    /// For each thread, the number of its stores.
    stores: Vec<u32>,
    events: u32,
}

#[derive(Clone, Debug)]
struct Location {
    /// The stores of each thread, the oldest first.
    stores: Vec<Vec<Store>>,
    /// The thread of the last store.
    last: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Store {
    /// The number of the store in the run.
    event: u32,
    /// Its number among the events of its thread, from 1.
    tick: u32,
    /// Its number among the stores of its thread, from 1.
    number: u32,
}

impl Sober {
    /// Creates the monitor, before the first event.
    pub fn new(threads: usize, locations: usize) -> Sober {
        let location = Location { stores: vec![Vec::new(); threads], last: None };
        Sober {
            before: HappensBefore::new(threads, locations),
            before_reads: Clocks::new(threads, threads, 0),
            before_writes: Clocks::new(threads, threads, 0),
            relaxed_written: Clocks::new(locations, threads, 0),
            relaxed_accessed: Clocks::new(locations, threads, 0),
            locations: vec![location; locations],
            stores: vec![0; threads],
            events: 0,
        }
    }

    /// Processes the next event. If it could come before a store of another thread, returns the number of that store in the run: the newest
    /// such store.
    ///
    /// # Panics
    /// Panics if the thread or the location is out of range.
    pub fn step(&mut self, event: Event) -> Option<u32> {
        let waits = Model::TSO.drains_all(event.kind);
        let found = event.location.and_then(|location| self.conflict(event, location, waits));
        self.before.add(event);
        self.order_relaxed(event, waits);
        self.events += 1;
        found
    }

    /// The newest store of another thread to the location that the event could come before.
    fn conflict(&self, event: Event, location: u32, waits: bool) -> Option<u32> {
        let free = is_read(event.kind) && !waits;
        let relaxed = if free { &self.before_reads } else { &self.before_writes };
        let stores = &self.locations[location as usize].stores;
        // A thread reads its own store, or a later one.
        let own = stores[event.thread as usize].last().map_or(0, |store| store.event + 1);
        let others = (0..).zip(stores).filter(|(thread, _)| *thread != event.thread);
        let newest = others.filter_map(|(thread, stores)| {
            let known = self.before.known(event.thread, thread);
            let before = stores.partition_point(|store| store.tick <= known);
            let store = stores.get(before.checked_sub(1)?)?;
            let is_free = store.number > relaxed.get(event.thread, thread);
            (is_free && store.event >= own).then_some(store.event)
        });
        newest.max()
    }

    /// Updates the relaxed order.
    fn order_relaxed(&mut self, event: Event, waits: bool) {
        let thread = event.thread as usize;
        if waits {
            let all = self.before_writes.of(event.thread).to_vec();
            join(self.before_reads.of_mut(event.thread), &all);
        }
        let Some(location) = event.location else {
            return;
        };
        if event.kind.writes() {
            self.order_store(event, location);
        } else {
            let last = self.locations[location as usize].last;
            let is_external = last != Some(event.thread);
            let reads = self.before_reads.of_mut(event.thread);
            if is_external {
                join(reads, self.relaxed_written.of(location));
            }
            join(self.before_writes.of_mut(event.thread), reads);
            join(self.relaxed_accessed.of_mut(location), reads);
        }
        if event.kind.writes() && waits {
            let all = self.before_writes.of(event.thread).to_vec();
            join(self.before_reads.of_mut(event.thread), &all);
        }
        debug_assert!(self.stores[thread] >= self.before_reads.get(event.thread, event.thread));
    }

    /// Orders a write after all of its thread and location, and remembers it.
    fn order_store(&mut self, event: Event, location: u32) {
        let thread = event.thread as usize;
        self.stores[thread] += 1;
        let clock = self.before_writes.of_mut(event.thread);
        join(clock, self.relaxed_accessed.of(location));
        clock[thread] = self.stores[thread];
        self.relaxed_accessed.of_mut(location).copy_from_slice(clock);
        self.relaxed_written.of_mut(location).copy_from_slice(clock);
        let tick = self.before.known(event.thread, event.thread);
        let store = Store { event: self.events, tick, number: self.stores[thread] };
        let here = &mut self.locations[location as usize];
        here.stores[thread].push(store);
        here.last = Some(event.thread);
    }
}

/// Whether an event reads and does not write.
fn is_read(kind: Kind) -> bool {
    !kind.writes()
}
