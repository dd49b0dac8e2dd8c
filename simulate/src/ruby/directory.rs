//! Directories: the assignment of addresses to them, and their entries for lines (`docs/slicc.md`,
//! "Library objects": `DirectoryMemory` and `mapAddressToMachine`).

use super::Misuse;
use super::line_map::LineMap;

/// The assignment of addresses to the controllers of a type, by the bits above the block offset,
/// which may be hashed with higher ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interleaving {
    /// Addresses from here on belong to no directory.
    pub end: u64,
    /// The lowest of the bits that decide: those below are the offset in a line.
    pub low: u32,
    /// The number of bits that decide; there are 2 to that power controllers.
    pub bits: u32,
    /// The lowest of the address bits that are combined with them by exclusive or, if any.
    pub hash: Option<u32>,
}

impl Interleaving {
    /// The number of the controller to which an address belongs. If there is none, a number that no
    /// controller has.
    #[inline]
    pub fn home(&self, address: u64) -> u64 {
        if address >= self.end {
            return 1 << self.bits;
        }
        let hash = self.hash.map_or(0, |bit| address >> bit);
        ((address >> self.low) ^ hash) & ((1 << self.bits) - 1)
    }
}

/// A directory: the entries of its lines. An address inside a line stands for the line, as in gem5.
#[derive(Clone, Debug)]
pub(crate) struct DirectoryMemory {
    interleaving: Interleaving,
    number: u64,
    entries: LineMap,
}

impl DirectoryMemory {
    /// Creates a directory without entries.
    pub(crate) fn new(interleaving: Interleaving, number: u64) -> DirectoryMemory {
        DirectoryMemory { interleaving, number, entries: LineMap::default() }
    }

    /// Whether an address belongs to this directory.
    #[inline]
    pub(crate) fn is_present(&self, address: u64) -> bool {
        self.interleaving.home(address) == self.number
    }

    /// The line of an address, which has to belong to this directory.
    #[inline]
    fn line(&self, address: u64) -> Result<u64, Misuse> {
        let line = address >> self.interleaving.low << self.interleaving.low;
        self.is_present(address).then_some(line).ok_or(Misuse::OutOfRange(address))
    }

    /// The entry of a line, or 0; `None` if it does not belong to this directory.
    #[inline]
    pub(crate) fn find(&self, address: u64) -> Option<u64> {
        let line = address >> self.interleaving.low << self.interleaving.low;
        self.is_present(address).then(|| self.entries.get_or_zero(line))
    }

    /// The entry of a line, or 0.
    #[inline]
    pub(crate) fn lookup(&self, address: u64) -> Result<u64, Misuse> {
        self.find(address).ok_or(Misuse::OutOfRange(address))
    }

    /// Allocates an entry for a line that has none; its permission is Read_Only.
    pub(crate) fn allocate(&mut self, address: u64, entry: u64) -> Result<(), Misuse> {
        let line = self.line(address)?;
        if self.entries.contains(line) {
            return Err(Misuse::Present(line));
        }
        self.entries.insert(line, entry);
        Ok(())
    }

    /// Removes the entry of a line and returns it.
    pub(crate) fn deallocate(&mut self, address: u64) -> Result<u64, Misuse> {
        let line = self.line(address)?;
        self.entries.remove(line).ok_or(Misuse::Absent(line))
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }

    /// The lines with their entries, sorted by line.
    pub(crate) fn sorted(&self) -> Vec<(u64, u64)> {
        self.entries.sorted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Interleaving = Interleaving { end: 1 << 29, low: 6, bits: 1, hash: None };

    #[test]
    fn lines_are_dealt_in_turn() {
        let homes: Vec<_> = (0..4).map(|line| PLAIN.home(line * 64 + 5)).collect();
        assert_eq!(homes, [0, 1, 0, 1]);
        let hashed = Interleaving { hash: Some(20), ..PLAIN };
        assert_eq!((hashed.home(1 << 20), hashed.home(1 << 20 | 64)), (1, 0));
        assert_eq!(PLAIN.home(1 << 29), 2);
        let single = Interleaving { bits: 0, ..PLAIN };
        assert_eq!((single.home(64), single.home(1 << 30)), (0, 1));
    }

    #[test]
    fn a_directory_minds_its_own_lines() {
        let mut directory = DirectoryMemory::new(PLAIN, 1);
        assert_eq!(directory.lookup(0), Err(Misuse::OutOfRange(0)));
        assert_eq!(directory.lookup(64), Ok(0));
        assert_eq!(directory.allocate(192, 8), Ok(()));
        assert_eq!(directory.allocate(64, 9), Ok(()));
        assert_eq!(directory.lookup(72), Ok(9));
        assert_eq!(directory.allocate(80, 10), Err(Misuse::Present(64)));
        assert_eq!(directory.allocate(64, 10), Err(Misuse::Present(64)));
        assert_eq!(directory.allocate(128, 9), Err(Misuse::OutOfRange(128)));
        assert_eq!(directory.sorted(), [(64, 9), (192, 8)]);
        assert_eq!(directory.deallocate(64), Ok(9));
        assert_eq!(directory.deallocate(64), Err(Misuse::Absent(64)));
    }
}
