//! Backtracking (HPCA 2006, section 4.2.3): when a sort is stuck, the last pick is undone, and another
//! store is picked in its place.
//!
//! The paper's backtracking is chronological, and remembers nothing except the stores on the current
//! path. It is complete: sorting a load never excludes anything, and every store that could come next is
//! tried. If all have failed, there is no order. Cost: exponential in the worst case.

use super::graph::NoOrder;
use super::sort::{Pick, Sort};

/// How a sort ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Everything is sorted.
    Sorted,
    /// No store can be picked. Without backtracking, that proves nothing.
    Stuck,
    /// A bound was met.
    Exceeded,
}

/// Counts of the backtracking of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Backtracks {
    /// Number of times that the sort went back.
    pub number: u64,
    /// The largest number of picks that were undone before another store could be picked.
    pub depth: u64,
}

/// Picks stores until everything is sorted or no store can be picked.
pub(super) fn sort(sort: &mut Sort<'_>) -> End {
    while let Some(store) = sort.candidate(None) {
        if sort.is_past_bounds() {
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

/// Picks stores, and goes back when it is stuck. [`End::Stuck`] means that there is no order.
pub(super) fn sort_with_backtracking(sort: &mut Sort<'_>, backtracks: &mut Backtracks) -> End {
    let mut path: Vec<Pick> = Vec::new();
    // The store of the last pick undone, and how many picks were undone since the last pick.
    let (mut tried, mut levels) = (None, 0);
    while !sort.is_done() {
        if sort.is_past_bounds() {
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
    /// Counts going back by this many picks; 0 is not counted.
    fn note(&mut self, levels: u64) {
        self.number += u64::from(levels > 0);
        self.depth = self.depth.max(levels);
    }
}
