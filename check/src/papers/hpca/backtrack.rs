//! Backtracking (HPCA 2006, section 4.2.3): when a sort is stuck, the store that was picked last is
//! taken back, and another one is picked in its place.
//!
//! The paper's backtracking is chronological, and remembers nothing of what it tried but the stores
//! on the path. It is complete: loads never exclude anything, and every store that could come next
//! is tried. So where all have been, there is no order. Cost: exponential in the worst case.

use super::graph::NoOrder;
use super::sort::{Pick, Sort};

/// How a sort ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Everything is sorted.
    Sorted,
    /// Nothing can be picked: without backtracking, that proves nothing.
    Stuck,
    /// A bound was met.
    Exceeded,
}

/// How often a sort went back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Backtracks {
    /// How often.
    pub number: u64,
    /// How many stores it took back at the most before there was another to pick.
    pub depth: u64,
}

/// Picks store after store until it is stuck.
pub fn sort(sort: &mut Sort<'_>) -> End {
    while let Some(store) = sort.candidate(None) {
        if sort.is_late() {
            return End::Exceeded;
        }
        match sort.pick(store, false).1 {
            Ok(()) => {}
            Err(NoOrder::Cycle) => return End::Stuck,
            Err(NoOrder::Exceeded) => return End::Exceeded,
        }
    }
    if sort.is_done() { End::Sorted } else { End::Stuck }
}

/// The same, going back where it is stuck; [`End::Stuck`] means that there is no order.
pub fn sort_with_backtracking(sort: &mut Sort<'_>, backtracks: &mut Backtracks) -> End {
    let mut path: Vec<Pick> = Vec::new();
    // The store that was taken back last, and how many since the last one that was picked.
    let (mut tried, mut levels) = (None, 0);
    while !sort.is_done() {
        if sort.is_late() {
            return End::Exceeded;
        }
        if let Some(store) = sort.candidate(tried) {
            backtracks.note(levels);
            let (pick, result) = sort.pick(store, true);
            path.push(pick);
            (tried, levels) = (None, 0);
            match result {
                Ok(()) => continue,
                Err(NoOrder::Cycle) => {}
                Err(NoOrder::Exceeded) => return End::Exceeded,
            }
        }
        let Some(pick) = path.pop() else {
            backtracks.note(levels);
            return End::Stuck;
        };
        tried = Some(sort.take_back(pick));
        levels += 1;
    }
    End::Sorted
}

impl Backtracks {
    /// Counts one over this many stores, if any.
    fn note(&mut self, levels: u64) {
        self.number += u64::from(levels > 0);
        self.depth = self.depth.max(levels);
    }
}
