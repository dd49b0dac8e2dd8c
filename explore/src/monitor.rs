//! The monitors of Burnim, Sen & Stergiou, *Sound and Complete Monitoring of Sequential Consistency for Relaxed Memory
//! Models* (2011), section 5, Figures 4 and 5.
//!
//! A monitor follows a run under SC event by event, and simulates a run under TSO or PSO with the
//! same events, in which each store is committed as late as possible. Suppose that an event meets a
//! pending store of another thread, and that this store happens before the previous event of the
//! event's own thread. Then the event could come before the store as well, so the program has a run
//! that SC does not allow. Silence of a monitor is about this run only. But if the program can
//! leave SC, then there is a run under SC in which the monitor signals (Theorems 1 and 2).
//!
//! Stores are committed as late as possible, so a pending store is a number that is compared with the number of its
//! thread's committed events; [`memory::buffer`] would move every store that an event commits.
//!
//! [`Sober`] is the monitor for TSO that these are compared with.
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

mod happens_before;
mod sober;

use std::collections::VecDeque;

use check::Model;
use history::Kind;

use happens_before::HappensBefore;
pub use sober::Sober;

/// The models that have a monitor.
pub const MONITORED: [Model; 2] = [Model::TSO, Model::PSO];

/// An operation of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The thread, from 0.
    pub thread: u32,
    /// The kind of operation.
    pub kind: Kind,
    /// The location, from 0; fences have none.
    pub location: Option<u32>,
}

/// The state of a monitor during a run. Memory: two clocks for each location, one for each thread,
/// and the pending stores. Time for an event: the number of threads, plus the stores that it
/// commits.
#[derive(Clone, Debug)]
pub struct Monitor {
    model: Model,
    before: HappensBefore,
    /// For each thread, the number of its first events among which all stores have reached memory.
    committed: Vec<u32>,
    locations: Vec<Location>,
    events: u32,
}

#[derive(Clone, Debug)]
struct Location {
    /// The thread with pending stores to the location; no other thread has any (Lemma 1).
    owner: u32,
    /// The pending stores, the oldest first; some of the first may have been committed already.
    stores: VecDeque<Pending>,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    /// The number of the store in the run.
    event: u32,
    /// The number of the store in its thread, from 1.
    tick: u32,
}

impl Monitor {
    /// Creates the monitor for TSO or PSO, before the first event.
    ///
    /// # Panics
    /// Panics if the model's loads are not served from store buffers: the monitors are defined for
    /// TSO and PSO only.
    pub fn new(model: Model, threads: usize, locations: usize) -> Monitor {
        assert!(model.forwards(), "{model} has no monitor");
        let location = Location { owner: 0, stores: VecDeque::new() };
        Monitor {
            model,
            before: HappensBefore::new(threads, locations),
            committed: vec![0; threads],
            locations: vec![location; locations],
            events: 0,
        }
    }

    /// Processes the next event. If the event could come before a pending store of another thread,
    /// returns the number of that store in the run: the newest such store that makes a cycle.
    ///
    /// # Panics
    /// Panics if the thread or the location is out of range.
    pub fn step(&mut self, event: Event) -> Option<u32> {
        let mut found = None;
        if let Some(location) = event.location {
            self.remove_committed(location);
            found = self.conflict(event.thread, location);
            self.commit_others(event.thread, location);
        }
        self.before.add(event);
        self.execute(event, self.events);
        self.events += 1;
        found
    }

    /// Removes stores to a location that were committed together with others.
    fn remove_committed(&mut self, location: u32) {
        let location = &mut self.locations[location as usize];
        let committed = self.committed[location.owner as usize];
        while location.stores.front().is_some_and(|store| store.tick <= committed) {
            location.stores.pop_front();
        }
    }

    /// Line 6 of the figures: the newest pending store of another thread that happens before the
    /// thread's previous event.
    fn conflict(&self, thread: u32, location: u32) -> Option<u32> {
        let location = &self.locations[location as usize];
        if location.owner == thread {
            return None;
        }
        let known = self.before.known(thread, location.owner);
        let before = location.stores.partition_point(|it| it.tick <= known);
        let store = location.stores.get(before.checked_sub(1)?)?;
        Some(store.event)
    }

    /// Lines 10 to 12: commits the stores of other threads to the location; under TSO, those before
    /// them as well.
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

    /// Lines 15 to 25: updates the thread's buffer.
    fn execute(&mut self, event: Event, number: u32) {
        let thread = event.thread as usize;
        let tick = self.before.known(event.thread, event.thread);
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
