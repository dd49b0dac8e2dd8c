//! How much placing and searching may do, and did, apart from time and memory: the same on every
//! machine.

/// What was done, and the most that may be.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Contradictions met.
    pub contradictions: u64,
    /// How many there may be.
    pub budget: u64,
    /// Events that were placed, or visited by saturation.
    pub visits: u64,
    /// How many visits there may be before the next contradiction.
    pub most_visits: u64,
}

impl Effort {
    /// Nothing done yet.
    pub fn new(budget: u64, most_visits: u64) -> Effort {
        Effort { contradictions: 0, budget, visits: 0, most_visits }
    }

    /// Whether there is nothing left for another contradiction.
    pub fn is_spent(&self) -> bool {
        self.contradictions >= self.budget || self.visits > self.most_visits
    }
}
