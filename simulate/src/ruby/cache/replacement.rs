//! The replacement policies of caches.

use super::Policy;

/// The uses of the ways of each set, as far as the policy records them.
#[derive(Clone, Debug)]
pub(super) enum Replacement {
    /// For each set a tree of bits, one word: node 1 is the root, the children of node n are 2n and
    /// 2n+1, and the leaves are the ways. A bit 0 points left, 1 right.
    Tree { trees: Vec<u64>, levels: u32 },
    /// For each way, the last use by a clock that counts uses; 0 if the way is free.
    Clock { used: Vec<u64>, clock: u64, ways: usize },
}

impl Replacement {
    pub(super) fn new(policy: Policy, sets: usize, ways: u32) -> Replacement {
        match policy {
            Policy::TreePlru => Replacement::Tree { trees: vec![0; sets], levels: ways.ilog2() },
            Policy::Lru => Replacement::Clock {
                used: vec![0; sets * ways as usize],
                clock: 0,
                ways: ways as usize,
            },
        }
    }

    /// Records the use of a way.
    #[inline]
    pub(super) fn touch(&mut self, set: usize, way: usize) {
        match self {
            Replacement::Tree { trees, levels } => point(&mut trees[set], *levels, way, false),
            Replacement::Clock { used, clock, ways } => {
                *clock += 1;
                used[set * *ways + way] = *clock;
            }
        }
    }

    /// Makes a way the next victim.
    pub(super) fn free(&mut self, set: usize, way: usize) {
        match self {
            Replacement::Tree { trees, levels } => point(&mut trees[set], *levels, way, true),
            Replacement::Clock { used, ways, .. } => used[set * *ways + way] = 0,
        }
    }

    /// The way that is evicted next.
    pub(super) fn victim(&self, set: usize) -> usize {
        match self {
            Replacement::Tree { trees, levels } => {
                let down = |node: usize| 2 * node + (trees[set] >> node & 1) as usize;
                let leaf = (0..*levels).fold(1, |node, _| down(node));
                leaf - (1 << levels)
            }
            Replacement::Clock { used, ways, .. } => {
                let oldest = (0..*ways).min_by_key(|way| used[set * ways + way]);
                oldest.unwrap_or(0)
            }
        }
    }
}

/// Makes the bits on the path to a way point towards it, or away from it.
#[inline]
fn point(tree: &mut u64, levels: u32, way: usize, towards: bool) {
    let mut node = way + (1 << levels);
    while node > 1 {
        let right = node & 1 == 1;
        node /= 2;
        let bit = u64::from(right == towards) << node;
        *tree = *tree & !(1 << node) | bit;
    }
}
