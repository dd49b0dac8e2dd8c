//! [`Watch`]: the processor time and the elapsed time of a trial.

use std::time::{Duration, Instant};

use host::processor::ProcessorClock;

/// A watch that runs since a trial began.
pub(super) struct Watch {
    clock: ProcessorClock,
    processor: Duration,
    wall: Instant,
}

/// The time that a trial took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spent {
    /// The time of the processor.
    pub processor: Duration,
    /// The elapsed time, in which the trial may have waited for the processor.
    pub wall: Duration,
}

impl Watch {
    /// Starts a watch.
    pub(super) fn start(clock: ProcessorClock) -> Watch {
        Watch { clock, processor: clock.now(), wall: Instant::now() }
    }

    /// The time since the start.
    pub(super) fn spent(&self) -> Spent {
        Spent {
            processor: self.clock.now().saturating_sub(self.processor),
            wall: self.wall.elapsed(),
        }
    }
}

impl Spent {
    /// The mean of so many repetitions that took this time together.
    pub(super) fn each(self, repetitions: u32) -> Spent {
        Spent { processor: self.processor / repetitions, wall: self.wall / repetitions }
    }
}
