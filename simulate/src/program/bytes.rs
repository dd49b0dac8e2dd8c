//! [`Bytes`]: the bytes that an access reads or writes.

use history::low_bytes;

/// Number of bytes of a location, and of the largest access.
pub(super) const WORD: u8 = 8;

/// The bytes that an access reads or writes: at most 8, in one cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes {
    /// Address of the first byte.
    pub address: u64,
    /// Number of bytes, 1 to 8.
    pub size: u8,
}

impl Bytes {
    /// The 8 bytes from an address on.
    pub const fn word(address: u64) -> Bytes {
        Bytes { address, size: WORD }
    }

    /// One past the last byte.
    fn end(self) -> u64 {
        self.address.saturating_add(u64::from(self.size))
    }

    /// Whether it has a byte in common with another access.
    pub fn overlaps(self, other: Bytes) -> bool {
        self.address < other.end() && other.address < self.end()
    }

    /// Whether all bytes of another access are among its own.
    pub fn covers(self, other: Bytes) -> bool {
        self.address <= other.address && other.end() <= self.end()
    }

    /// The value of `part`, which these bytes cover, in a value of all of them.
    pub fn part_of(self, value: u64, part: Bytes) -> u64 {
        let shift = 8 * (part.address - self.address);
        (value >> shift) & low_bytes(part.size)
    }

    /// The addresses of the bytes.
    pub fn addresses(self) -> std::ops::Range<u64> {
        self.address..self.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn bytes(address: u64, size: u8) -> Bytes {
        Bytes { address, size }
    }

    #[test]
    fn accesses_overlap_if_they_share_a_byte() {
        let word = Bytes::word(0x1000);
        assert!(word.overlaps(bytes(0x1007, 1)) && bytes(0x1007, 2).overlaps(word));
        assert!(!word.overlaps(bytes(0x1008, 8)) && !word.overlaps(bytes(0xfff, 1)));
        assert!(word.covers(bytes(0x1004, 4)) && word.covers(word));
        assert!(!word.covers(bytes(0x1005, 4)) && !bytes(0x1004, 4).covers(word));
    }

    #[test]
    fn parts_of_values_are_little_endian() {
        let word = Bytes::word(0x1000);
        assert_eq!(word.part_of(0x8877_6655_4433_2211, bytes(0x1000, 1)), 0x11);
        assert_eq!(word.part_of(0x8877_6655_4433_2211, bytes(0x1003, 2)), 0x5544);
        assert_eq!(word.part_of(u64::MAX, word), u64::MAX);
    }
}
