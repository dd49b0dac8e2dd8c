//! [`Shared`]: finds the bytes that threads share, that is, bytes that one thread writes and another accesses.

use rustc_hash::FxHashMap;

/// The accesses to 8 aligned bytes, as one bit for each byte. It takes about 40 bytes of memory.
///
/// If more than two threads access the 8 bytes, each byte that a third thread accesses counts as shared if it is
/// written at all.
#[derive(Clone, Copy, Debug)]
struct Granule {
    first: u32,
    second: u32,
    /// Bytes that the first thread accessed.
    by_first: u8,
    /// Bytes that the second thread accessed.
    by_second: u8,
    /// Bytes that any further thread accessed.
    by_others: u8,
    /// Bytes that any thread wrote.
    written: u8,
    /// Whether an access of known size accessed one of the last four bytes.
    upper: bool,
}

const NO_THREAD: u32 = u32::MAX;

impl Granule {
    fn shared(&self) -> u8 {
        ((self.by_first & self.by_second) | self.by_others) & self.written
    }
}

/// The accesses to memory so far.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    granules: FxHashMap<u64, Granule>,
}

impl Shared {
    /// Notes that a thread accesses `bytes`, an address and a size; unless `is_known`, the size is the largest possible
    /// one.
    pub(crate) fn access(&mut self, thread: u32, bytes: (u64, u64), is_known: bool, writes: bool) {
        let (address, size) = bytes;
        for (number, bytes) in parts(address, size) {
            let granule = self.granules.entry(number).or_insert(Granule {
                first: thread,
                second: NO_THREAD,
                by_first: 0,
                by_second: 0,
                by_others: 0,
                written: 0,
                upper: false,
            });
            granule.upper |= is_known && bytes & 0xf0 != 0;
            if granule.first == thread {
                granule.by_first |= bytes;
            } else if granule.second == thread || granule.second == NO_THREAD {
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

    /// Whether any of these bytes is shared.
    pub(crate) fn is_shared(&self, address: u64, size: u64) -> bool {
        let mut parts = parts(address, size);
        parts.any(|(number, bytes)| {
            let granule = self.granules.get(&number);
            granule.is_some_and(|granule| granule.shared() & bytes != 0)
        })
    }

    /// Whether an access of known size accessed one of the upper four of the eight bytes at an address, which is a
    /// multiple of eight.
    pub(crate) fn is_upper_used(&self, address: u64) -> bool {
        let granule = self.granules.get(&(address >> 3));
        granule.is_some_and(|granule| granule.upper)
    }

    /// Number of bytes that are shared.
    pub(crate) fn bytes(&self) -> u64 {
        let granules = self.granules.values();
        granules.map(|granule| u64::from(granule.shared().count_ones())).sum()
    }
}

/// The numbers of the granules that an access touches, and the bytes in each as a mask.
fn parts(address: u64, size: u64) -> impl Iterator<Item = (u64, u8)> {
    // The end of the access may be 2^64, so the last byte is used instead.
    let last = address.saturating_add(size.max(1) - 1);
    (address >> 3..=last >> 3).map(move |number| {
        let start = number << 3;
        let from = address.saturating_sub(start).min(7);
        let to = last.saturating_sub(start).min(7);
        (number, (0xff << from) & (0xff >> (7 - to)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(shared: &mut Shared, thread: u32, address: u64, size: u64, writes: bool) {
        shared.access(thread, (address, size), true, writes);
    }

    #[test]
    fn bytes_are_shared_one_by_one() {
        let mut shared = Shared::default();
        access(&mut shared, 0, 0x1000, 4, true);
        access(&mut shared, 1, 0x1004, 4, true);
        assert!(!shared.is_shared(0x1000, 8));
        access(&mut shared, 1, 0x1002, 1, false);
        assert!(shared.is_shared(0x1000, 4));
        assert!(!shared.is_shared(0x1003, 4));
        assert_eq!(shared.bytes(), 1);
    }

    #[test]
    fn what_nobody_writes_is_not_shared() {
        let mut shared = Shared::default();
        access(&mut shared, 0, 0x1006, 4, false);
        access(&mut shared, 1, 0x1006, 4, false);
        assert!(!shared.is_shared(0x1006, 4));
        access(&mut shared, 2, 0x1008, 1, true);
        assert!(shared.is_shared(0x1006, 4));
        assert_eq!(shared.bytes(), 1);
        access(&mut shared, 0, u64::MAX, 8, true);
        assert!(!shared.is_shared(u64::MAX, 8));
        access(&mut shared, 1, u64::MAX - 3, 8, false);
        assert!(shared.is_shared(u64::MAX, 1));
        assert!(!shared.is_shared(u64::MAX - 1, 1));
    }

    #[test]
    fn upper_halves_are_used_where_that_is_certain() {
        let mut shared = Shared::default();
        shared.access(0, (0x1000, 8), false, true);
        assert!(!shared.is_upper_used(0x1000));
        shared.access(0, (0x1006, 1), true, false);
        assert!(shared.is_upper_used(0x1000));
    }
}
