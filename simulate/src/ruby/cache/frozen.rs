//! The state of a cache as an explorer saves and restores it.

use super::{CacheMemory, NO_LINE, NOBODY, NOT_PRESENT, Replacement};

/// A line in a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Number of the line, from 1.
    pub line: u64,
    /// The entry of the line.
    pub entry: u64,
    /// The number of the permission.
    pub permission: u8,
    /// The sequencer that monitors the line.
    pub monitor: Option<u32>,
}

impl CacheMemory {
    /// Number of lines of a set.
    pub fn ways(&self) -> usize {
        self.ways
    }

    /// Removes the lines of a set, but keeps the order of their uses.
    pub fn clear_set(&mut self, set: usize) {
        let ways = self.ways();
        for slot in set * ways..(set + 1) * ways {
            self.lines[slot] = NO_LINE;
            self.entries[slot] = 0;
            self.set_permission(slot, NOT_PRESENT);
            self.monitors[slot] = NOBODY;
        }
        self.busy.fill(0);
    }

    /// The content of a way of a set.
    pub fn held(&self, set: usize, way: usize) -> Option<Held> {
        let slot = set * self.ways() + way;
        (self.lines[slot] != NO_LINE).then(|| Held {
            line: self.lines[slot],
            entry: self.entries[slot],
            permission: self.permissions[slot],
            monitor: Some(self.monitors[slot]).filter(|owner| *owner != NOBODY),
        })
    }

    /// Puts a line into a free way of a set. Returns the index of the way among those of all sets.
    pub fn hold(&mut self, set: usize, way: usize, held: Held) -> usize {
        let slot = set * self.ways() + way;
        self.lines[slot] = held.line;
        self.entries[slot] = held.entry;
        self.set_permission(slot, held.permission);
        self.monitors[slot] = held.monitor.unwrap_or(NOBODY);
        slot
    }

    /// The order of the uses in a set, as numbers that are equal exactly if the next victims are.
    pub fn uses(&self, set: usize) -> Vec<u64> {
        let ways = self.ways();
        match &self.replacement {
            Replacement::Tree { trees, .. } => vec![trees[set]],
            Replacement::Clock { used, .. } => {
                let used = &used[set * ways..][..ways];
                let rank = |&at: &u64| match at {
                    0 => 0,
                    _ => used.iter().filter(|&&other| other != 0 && other <= at).count() as u64,
                };
                used.iter().map(rank).collect()
            }
        }
    }

    /// Number of words in the result of [`CacheMemory::uses`].
    pub fn use_count(&self) -> usize {
        match &self.replacement {
            Replacement::Tree { .. } => 1,
            Replacement::Clock { .. } => self.ways(),
        }
    }

    /// Restores the order of uses from [`CacheMemory::uses`].
    pub fn set_uses(&mut self, set: usize, uses: &[u64]) {
        let all = self.ways();
        match &mut self.replacement {
            Replacement::Tree { trees, .. } => trees[set] = uses[0],
            Replacement::Clock { used, clock, .. } => {
                used[set * all..][..all].copy_from_slice(uses);
                *clock = (*clock).max(all as u64);
            }
        }
    }
}
