//! [`HappensBefore`]: what happens before the events of a run under SC.

use check::engine::clocks::{Clocks, join};

use super::Event;

/// The happens-before relation of a run: program order, and conflicting accesses in the order of the run. Memory: a clock for each
/// thread, and two for each location. Time for an event: the number of threads.
#[derive(Clone, Debug)]
pub(super) struct HappensBefore {
    /// For each thread, how many events of each thread happen before its next event.
    threads: Clocks,
    /// For each location, what happens before a read.
    written: Clocks,
    /// For each location, what happens before a write.
    accessed: Clocks,
}

impl HappensBefore {
    /// The relation before the first event.
    pub(super) fn new(threads: usize, locations: usize) -> HappensBefore {
        HappensBefore {
            threads: Clocks::new(threads, threads, 0),
            written: Clocks::new(locations, threads, 0),
            accessed: Clocks::new(locations, threads, 0),
        }
    }

    /// How many events of `other` happen before the next event of a thread. Of its own events, all do.
    pub(super) fn known(&self, thread: u32, other: u32) -> u32 {
        self.threads.get(thread, other)
    }

    /// Adds the next event of the run.
    pub(super) fn add(&mut self, event: Event) {
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
}
