//! [`Effort`]: counts the work of completion, and limits it in the same way on every machine, unlike time
//! and memory.

/// The work done, and its limits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Contradictions met.
    pub contradictions: u64,
    /// Maximum number of contradictions.
    pub budget: u64,
    /// Events that were placed, or visited by saturation.
    pub visits: u64,
    /// Maximum number of visits; checked at contradictions.
    pub most_visits: u64,
}

impl Effort {
    /// Creates the limits, with no work done yet.
    pub(super) fn new(budget: u64, most_visits: u64) -> Effort {
        Effort { contradictions: 0, budget, visits: 0, most_visits }
    }

    /// Whether a limit is reached, so that no further contradiction may be handled.
    pub(super) fn is_spent(&self) -> bool {
        self.contradictions >= self.budget || self.visits > self.most_visits
    }
}
