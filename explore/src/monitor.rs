//! The monitors of Burnim, Sen & Stergiou, *Sound and Complete Monitoring of Sequential Consistency for Relaxed Memory
//! Models* (2011), section 5, Figures 4 and 5.
//!
//! A monitor looks at a run under SC, event by event, and simulates a run under TSO or PSO that does the same, with
//! each store committed as late as that allows. When an event meets a store of another thread that is still pending, and
//! that happens before what the event's own thread did last, the event could as well have come before the store: then the
//! program has a run that SC does not allow. A monitor that says nothing about a run says nothing about the program's others;
//! but if the program can leave SC, there is a run under SC in which the monitor signals (Theorems 1 and 2).
//!
//! Stores are committed as late as possible, so a pending store is a number that is compared with the number of its
//! thread's committed events; [`memory::buffer`] would move every store that an event commits.
//!
//! A fence flushes its thread's buffers. A failed compare-and-swap is a read that flushes like an atomic operation.
//!
//! ```
//! use check::Model;
//! use explore::monitor::{Event, Monitor};
//! use history::Kind;
//!
//! // Store buffering: each thread stores, then loads what the other stores.
//! let event = |thread, kind, location| Event { thread, kind, location: Some(location) };
//! let mut monitor = Monitor::new(Model::TSO, 2, 2);
//! assert_eq!(monitor.step(event(0, Kind::Store, 0)), None);
//! assert_eq!(monitor.step(event(0, Kind::Load, 1)), None);
//! assert_eq!(monitor.step(event(1, Kind::Store, 1)), None);
//! // This load may come before the first event, which is number 0.
//! assert_eq!(monitor.step(event(1, Kind::Load, 0)), Some(0));
//! ```

use std::collections::VecDeque;

use check::Model;
use check::engine::clocks::{Clocks, join};
use history::Kind;

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The thread, from 0.
    pub thread: u32,
    /// The kind of operation.
    pub kind: Kind,
    /// Where, from 0; fences have none.
    pub location: Option<u32>,
}

/// A monitor in the middle of a run. Memory: two clocks of all threads for each location, one for each thread, and the
/// pending stores. Cost of an event: the number of threads, and what it commits.
#[derive(Clone, Debug)]
pub struct Monitor {
    model: Model,
    /// Of each thread, what happens before its next event.
    threads: Clocks,
    /// Of each thread, how many of its events are such that every store among them has reached memory.
    committed: Vec<u32>,
    /// Of each location, what happens before a read.
    written: Clocks,
    /// Of each location, what happens before a write.
    accessed: Clocks,
    locations: Vec<Location>,
    events: u32,
}

#[derive(Clone, Debug)]
struct Location {
    /// The thread with pending stores to it; no other has any (Lemma 1).
    owner: u32,
    /// These stores, the oldest first; its first ones may have been committed.
    stores: VecDeque<Pending>,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    /// Its number in the run.
    event: u32,
    /// Its number in its thread, from 1.
    tick: u32,
}

impl Monitor {
    /// The monitor for TSO or PSO before the first event.
    ///
    /// # Panics
    /// If loads are not served from store buffers: the monitors are defined for TSO and PSO alone.
    pub fn new(model: Model, threads: usize, locations: usize) -> Monitor {
        assert!(model.forwards(), "{model} has no monitor");
        let location = Location { owner: 0, stores: VecDeque::new() };
        Monitor {
            model,
            threads: Clocks::new(threads, threads, 0),
            committed: vec![0; threads],
            written: Clocks::new(locations, threads, 0),
            accessed: Clocks::new(locations, threads, 0),
            locations: vec![location; locations],
            events: 0,
        }
    }

    /// What the run does next. If that could come before a store of another thread that is still pending, the number of
    /// that store in the run: of several the newest that makes a cycle.
    ///
    /// # Panics
    /// If the thread or location is not one of those announced.
    pub fn step(&mut self, event: Event) -> Option<u32> {
        let mut found = None;
        if let Some(location) = event.location {
            self.settle(location);
            found = self.conflict(event.thread, location);
            self.commit_others(event.thread, location);
        }
        self.order(event);
        self.execute(event, self.events);
        self.events += 1;
        found
    }

    /// Forgets stores to a location that reached memory with others.
    fn settle(&mut self, location: u32) {
        let location = &mut self.locations[location as usize];
        let committed = self.committed[location.owner as usize];
        while location.stores.front().is_some_and(|store| store.tick <= committed) {
            location.stores.pop_front();
        }
    }

    /// Line 6: the newest pending store of another thread that happens before the thread's last event.
    fn conflict(&self, thread: u32, location: u32) -> Option<u32> {
        let location = &self.locations[location as usize];
        if location.owner == thread {
            return None;
        }
        let known = self.threads.get(thread, location.owner);
        let before = location.stores.partition_point(|it| it.tick <= known);
        let store = location.stores.get(before.checked_sub(1)?)?;
        Some(store.event)
    }

    /// Lines 10 to 12: the stores of others to the location reach memory, under TSO with those before them.
    fn commit_others(&mut self, thread: u32, location: u32) {
        let location = &mut self.locations[location as usize];
        if location.owner == thread {
            return;
        }
        if !self.model.buffers_by_location()
            && let Some(last) = location.stores.back()
        {
            self.committed[location.owner as usize] = last.tick;
        }
        location.stores.clear();
    }

    /// The happens-before relation of the run: program order, and conflicting accesses in the order of the run.
    fn order(&mut self, event: Event) {
        let clock = self.threads.of_mut(event.thread);
        clock[event.thread as usize] += 1;
        let Some(location) = event.location else {
            return;
        };
        let accessed = self.accessed.of_mut(location);
        let written = self.written.of_mut(location);
        if event.kind.writes() {
            join(clock, accessed);
            written.copy_from_slice(clock);
        } else {
            join(clock, written);
        }
        join(accessed, clock);
    }

    /// Lines 15 to 25: what waits in the thread's buffer.
    fn execute(&mut self, event: Event, number: u32) {
        let thread = event.thread as usize;
        let tick = self.threads.get(event.thread, event.thread);
        if self.model.drains_all(event.kind) {
            self.committed[thread] = tick;
        }
        let Some(location) = event.location else {
            return;
        };
        let stores = &mut self.locations[location as usize].stores;
        if event.kind.is_atomic() {
            stores.clear();
        } else if event.kind.may_be_buffered() {
            stores.push_back(Pending { event: number, tick });
            self.locations[location as usize].owner = event.thread;
        }
    }
}
