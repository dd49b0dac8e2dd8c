//! Which bytes threads share: written by one and accessed by another.

use rustc_hash::FxHashMap;

/// Who accessed eight bytes. Memory: about 40 bytes for each eight that are accessed.
#[derive(Clone, Copy, Debug)]
struct Granule {
    first: u32,
    second: u32,
    /// Bytes that the first thread accessed, the second, and any other.
    by_first: u8,
    by_second: u8,
    by_others: u8,
    written: u8,
}

const NOBODY: u32 = u32::MAX;

impl Granule {
    fn shared(&self) -> u8 {
        ((self.by_first & self.by_second) | self.by_others) & self.written
    }
}

/// The use of memory so far.
#[derive(Debug, Default)]
pub(super) struct Shared {
    granules: FxHashMap<u64, Granule>,
}

impl Shared {
    /// A thread accesses `size` bytes.
    pub fn access(&mut self, thread: u32, address: u64, size: u64, writes: bool) {
        for (number, bytes) in parts(address, size) {
            let granule = self.granules.entry(number).or_insert(Granule {
                first: thread,
                second: NOBODY,
                by_first: 0,
                by_second: 0,
                by_others: 0,
                written: 0,
            });
            if granule.first == thread {
                granule.by_first |= bytes;
            } else if granule.second == thread || granule.second == NOBODY {
                granule.second = thread;
                granule.by_second |= bytes;
            } else {
                granule.by_others |= bytes;
            }
            if writes {
                granule.written |= bytes;
            }
        }
    }

    /// Whether some of these bytes are shared.
    pub fn is_shared(&self, address: u64, size: u64) -> bool {
        let mut parts = parts(address, size);
        parts.any(|(number, bytes)| {
            let granule = self.granules.get(&number);
            granule.is_some_and(|granule| granule.shared() & bytes != 0)
        })
    }

    /// How many bytes are shared.
    pub fn bytes(&self) -> u64 {
        let granules = self.granules.values();
        granules
            .map(|granule| u64::from(granule.shared().count_ones()))
            .sum()
    }
}

/// The granules that an access touches, and the bytes in each.
fn parts(address: u64, size: u64) -> impl Iterator<Item = (u64, u8)> {
    let end = address.saturating_add(size);
    (address >> 3..=end.saturating_sub(1).max(address) >> 3).map(move |number| {
        let start = number << 3;
        let from = address.saturating_sub(start).min(8);
        let to = end.saturating_sub(start).min(8);
        let below = |count: u64| ((1u16 << count) - 1) as u8;
        (number, below(to) & !below(from))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shared_one_by_one() {
        let mut shared = Shared::default();
        shared.access(0, 0x1000, 4, true);
        shared.access(1, 0x1004, 4, true);
        assert!(!shared.is_shared(0x1000, 8));
        shared.access(1, 0x1002, 1, false);
        assert!(shared.is_shared(0x1000, 4));
        assert!(!shared.is_shared(0x1003, 4));
        assert_eq!(shared.bytes(), 1);
    }

    #[test]
    fn what_nobody_writes_is_not_shared() {
        let mut shared = Shared::default();
        shared.access(0, 0x1006, 4, false);
        shared.access(1, 0x1006, 4, false);
        assert!(!shared.is_shared(0x1006, 4));
        shared.access(2, 0x1008, 1, true);
        assert!(shared.is_shared(0x1006, 4));
        assert_eq!(shared.bytes(), 1);
        shared.access(0, u64::MAX, 8, true);
        assert!(!shared.is_shared(u64::MAX, 8));
    }
}
