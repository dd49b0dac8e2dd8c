//! [`FrontierSet`]: the set of frontiers that a search has visited.

use std::hash::Hasher;

use host::Bounds;
use rustc_hash::FxHasher;

/// Marks a free slot.
const FREE: u32 = u32::MAX;

/// Rows that move to a larger table between two checks of the bounds: some milliseconds.
const ROWS_PER_CHECK: u32 = 1 << 16;

/// A set of rows of `width` numbers each. The rows are in one array, with a hash table of their indices.
/// Memory: 4 bytes a number, up to twice that while the array grows, and 8 to 16 bytes a row.
#[derive(Debug)]
pub(super) struct FrontierSet {
    width: usize,
    numbers: Vec<u32>,
    /// Per slot of the hash table, the index of its row or [`FREE`]. At most half of the slots are used; their
    /// number is a power of two.
    slots: Vec<u32>,
    rows: u32,
}

impl FrontierSet {
    /// The empty set of rows of this many numbers.
    pub(super) fn new(width: usize) -> FrontierSet {
        FrontierSet { width, numbers: Vec::new(), slots: vec![FREE; 1 << 10], rows: 0 }
    }

    /// Adds a row. Returns whether it is new, or `None` if the bounds do not allow the memory.
    pub(super) fn insert(&mut self, row: &[u32], bounds: &Bounds) -> Option<bool> {
        let slot = self.slot(row);
        if self.slots[slot] != FREE {
            return Some(false);
        }
        let length = self.numbers.len() + self.width;
        if length > self.numbers.capacity() && !bounds.allows(8 * length) {
            return None;
        }
        self.numbers.extend_from_slice(row);
        self.slots[slot] = self.rows;
        self.rows += 1;
        let is_full = self.rows as usize * 2 > self.slots.len();
        (!is_full || self.grow(bounds)).then_some(true)
    }

    /// The slot of a row; if the set does not have the row, the free slot for it.
    fn slot(&self, row: &[u32]) -> usize {
        let mask = self.slots.len() - 1;
        let mut hasher = FxHasher::default();
        row.iter().for_each(|&number| hasher.write_u32(number));
        let mut slot = hasher.finish() as usize & mask;
        while self.slots[slot] != FREE && self.row(self.slots[slot]) != row {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn row(&self, number: u32) -> &[u32] {
        &self.numbers[number as usize * self.width..][..self.width]
    }

    /// Doubles the table. Returns whether the bounds allow it.
    fn grow(&mut self, bounds: &Bounds) -> bool {
        let slots = 2 * self.slots.len();
        if self.rows >= FREE / 2 || !bounds.allows(4 * slots) {
            return false;
        }
        self.slots = vec![FREE; slots];
        for number in 0..self.rows {
            if number.is_multiple_of(ROWS_PER_CHECK) && bounds.passed() {
                return false;
            }
            let slot = self.slot(self.row(number));
            self.slots[slot] = number;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_row_is_new_once(rows in prop::collection::vec([0u32..40, 0u32..40], 0..3000)) {
            let mut seen = std::collections::BTreeSet::new();
            let mut frontiers = FrontierSet::new(2);
            for row in rows {
                prop_assert_eq!(frontiers.insert(&row, &Bounds::none()), Some(seen.insert(row)));
            }
        }
    }

    #[test]
    fn memory_is_bounded() {
        let bounds = Bounds::new(None, Some(1));
        let mut frontiers = FrontierSet::new(4);
        let inserted = (0..1 << 20).find(|&at| frontiers.insert(&[at; 4], &bounds).is_none());
        assert!(inserted.is_some());
    }
}
