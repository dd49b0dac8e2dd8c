//! [`Limits`]: the work and memory that completion may use before it gives up.

/// The limits of completion.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The number of contradictions that completion may meet.
    pub budget: u64,
    /// Number of events that may be placed, or visited by saturation for the search.
    pub visits: u64,
    /// Number of facts that the proofs of lemmas may have together. They take about 100 bytes each.
    pub facts: usize,
    /// Length of a search's trail, in changes, at which it first ends.
    pub trail: usize,
    /// Number of placements that are undone at first where the greedy search got stuck, and the number of
    /// placements beyond that point that the search makes.
    pub stretch: usize,
}

impl Limits {
    /// Limits with this budget of contradictions: any number of visits, 20 Mi facts (2 GiB), a trail of 16
    /// Mi changes (192 MiB), and stretches of 512 placements.
    pub fn new(budget: u64) -> Limits {
        Limits { budget, visits: u64::MAX, facts: 20 << 20, trail: 16 << 20, stretch: 512 }
    }
}
