//! Tables of transactions in flight.

use super::Misuse;
use super::line_map::LineMap;

/// The TBEs of a controller, by line.
#[derive(Clone, Debug, Default)]
pub(crate) struct TbeTable {
    capacity: usize,
    tbes: LineMap,
}

impl TbeTable {
    /// Creates an empty table with room for `capacity` TBEs.
    pub(crate) fn new(capacity: usize) -> TbeTable {
        TbeTable { capacity, tbes: LineMap::default() }
    }

    /// The TBE of a line, or 0.
    #[inline]
    pub(crate) fn lookup(&self, line: u64) -> u64 {
        self.tbes.get_or_zero(line)
    }

    /// Whether a line has a TBE.
    #[inline]
    pub(crate) fn is_present(&self, line: u64) -> bool {
        self.lookup(line) != 0
    }

    /// Whether a line has no TBE, and there is room for one.
    pub(crate) fn has_room_for(&self, line: u64) -> bool {
        !self.tbes.contains(line) && self.slots_available(1)
    }

    /// Allocates a TBE for a line that has none.
    pub(crate) fn allocate(&mut self, line: u64, tbe: u64) -> Result<(), Misuse> {
        if self.tbes.contains(line) {
            return Err(Misuse::Present(line));
        }
        if self.tbes.len() >= self.capacity {
            return Err(Misuse::TableFull(line));
        }
        self.tbes.insert(line, tbe);
        Ok(())
    }

    /// Removes the TBE of a line and returns it.
    pub(crate) fn deallocate(&mut self, line: u64) -> Result<u64, Misuse> {
        self.tbes.remove(line).ok_or(Misuse::Absent(line))
    }

    /// Whether there is room for `count` more TBEs.
    #[inline]
    pub(crate) fn slots_available(&self, count: usize) -> bool {
        self.tbes.len() + count <= self.capacity
    }

    /// Removes all TBEs.
    pub(crate) fn clear(&mut self) {
        self.tbes.clear();
    }

    /// Number of TBEs.
    pub(crate) fn len(&self) -> usize {
        self.tbes.len()
    }

    /// Whether there are no TBEs.
    pub(crate) fn is_empty(&self) -> bool {
        self.tbes.is_empty()
    }

    /// The lines with their TBEs, sorted by line.
    pub(crate) fn sorted(&self) -> Vec<(u64, u64)> {
        self.tbes.sorted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_one_and_a_table_has_room_for_some() {
        let mut table = TbeTable::new(2);
        assert_eq!(table.allocate(128, 10), Ok(()));
        assert_eq!(table.allocate(128, 11), Err(Misuse::Present(128)));
        assert!(table.slots_available(1) && !table.slots_available(2));
        assert_eq!(table.allocate(64, 11), Ok(()));
        assert_eq!(table.allocate(192, 12), Err(Misuse::TableFull(192)));
        assert_eq!(table.sorted(), [(64, 11), (128, 10)]);
        assert_eq!((table.lookup(64), table.lookup(192)), (11, 0));
        assert_eq!(table.deallocate(64), Ok(11));
        assert_eq!(table.deallocate(64), Err(Misuse::Absent(64)));
        assert!(table.is_present(128) && !table.is_present(64) && table.len() == 1);
    }
}
