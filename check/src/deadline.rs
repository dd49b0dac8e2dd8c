//! A point in time after which an engine gives up.

use std::time::{Duration, Instant};

/// When to stop.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deadline {
    at: Option<Instant>,
}

impl Deadline {
    /// Never.
    pub fn never() -> Deadline {
        Deadline::default()
    }

    /// This long from now; never, if there is no limit or it is too far away to represent.
    pub fn after(limit: Option<Duration>) -> Deadline {
        Deadline {
            at: limit.and_then(|limit| Instant::now().checked_add(limit)),
        }
    }

    /// Whether it has passed.
    pub fn passed(&self) -> bool {
        self.at.is_some_and(|at| Instant::now() >= at)
    }
}
