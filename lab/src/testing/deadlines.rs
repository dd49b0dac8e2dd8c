//! The deadlines of the parts of a test.

use std::time::{Duration, Instant};

use super::options::Extent;

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
}

impl Deadlines {
    /// The deadlines of a test that starts now.
    pub(crate) fn of(extent: Extent) -> Deadlines {
        let start = Instant::now();
        match extent {
            Extent::Runs(_) => Deadlines::default(),
            // A time too long to represent is no limit.
            Extent::Time(time) => Deadlines {
                working: start.checked_add(time / 100 * WORKING),
                running: start.checked_add(time / 100 * RUNNING),
                end: start.checked_add(time),
            },
        }
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
        left(self.working).is_none_or(|left| !left.is_zero())
    }

    /// Whether the time of the test is over.
    pub(crate) fn is_over(&self) -> bool {
        left(self.end).is_some_and(|left| left.is_zero())
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
