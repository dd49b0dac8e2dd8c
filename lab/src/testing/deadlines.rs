//! The deadlines of the parts of a test.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use host::Bounds;

use super::options::{Extent, Options};

/// The share of a test's time in which programs are started and systems are explored, in percent.
const WORKING: u32 = 75;

/// The share after which programs that still run are given up, in percent. In the rest of the time findings are analysed.
const RUNNING: u32 = 85;

/// The times at which the parts of a test end; none if its time is not limited.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Deadlines {
    /// When no further program is started and no system is explored any more.
    pub working: Option<Instant>,
    /// When the programs that still run are given up.
    pub running: Option<Instant>,
    /// When the runs, verdicts and explorations that analyse findings are given up.
    pub end: Option<Instant>,
    /// Ends all parts when it is set.
    interrupted: Option<&'static AtomicBool>,
}

impl Deadlines {
    /// The deadlines of a test that starts now.
    pub(crate) fn of(options: &Options) -> Deadlines {
        let start = Instant::now();
        let interrupted = options.interrupted;
        match options.extent {
            Extent::Runs(_) => Deadlines { interrupted, ..Deadlines::default() },
            // A time too long to represent is no limit.
            Extent::Time(time) => Deadlines {
                working: start.checked_add(time / 100 * WORKING),
                running: start.checked_add(time / 100 * RUNNING),
                end: start.checked_add(time),
                interrupted,
            },
        }
    }

    fn is_interrupted(&self) -> bool {
        self.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// The same deadlines, except that `working` comes after half of the time that is left until it.
    pub(crate) fn first_half(self) -> Deadlines {
        let half = left(self.working).map(|left| Instant::now() + left / 2);
        Deadlines { working: half, ..self }
    }

    /// A tenth of the time that is left until `working`; none if it is not limited.
    pub(crate) fn tenth(self) -> Option<Duration> {
        left(self.working).map(|left| left / 10)
    }

    /// Whether programs may still be started.
    pub(crate) fn is_working(&self) -> bool {
        !self.is_interrupted() && left(self.working).is_none_or(|left| !left.is_zero())
    }

    /// Whether the time of the test is over.
    pub(crate) fn is_over(&self) -> bool {
        self.is_interrupted() || left(self.end).is_some_and(|left| left.is_zero())
    }

    /// The bounds of a search with this time and memory.
    pub(super) fn bounds(&self, time: Option<Duration>, max_memory: u64) -> Bounds {
        let bounds = Bounds::new(time, Some(max_memory));
        match self.interrupted {
            Some(flag) => bounds.or_interrupted(flag),
            None => bounds,
        }
    }
}

/// The time until a deadline; none if there is no deadline.
pub(super) fn left(deadline: Option<Instant>) -> Option<Duration> {
    deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
}

/// The earlier of a duration from now and a deadline.
pub(super) fn within(most: Option<Duration>, deadline: Option<Instant>) -> Option<Duration> {
    most.into_iter().chain(left(deadline)).min()
}
