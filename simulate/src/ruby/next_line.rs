//! The prefetcher that stands for those of gem5's classic caches (`prefetch::Base`), which protocols use through a
//! `RubyPrefetcherProxy`.
//!
//! It is like gem5's TaggedPrefetcher: after each miss it asks for the next lines of the page. A line that is on its way
//! is not asked for again until the protocol says that its prefetch is complete.

/// Number of lines that are asked for after a miss.
const AHEAD: u64 = 2;
/// Number of bytes of a page.
const PAGE_BYTES: u64 = 1 << 12;

/// The prefetcher of one cache.
#[derive(Clone, Debug, Default)]
pub(crate) struct NextLine {
    /// The lines whose prefetches are not complete.
    issued: Vec<u64>,
}

impl NextLine {
    /// `notifyPfMiss`: a request missed a line. Returns the lines to ask for.
    pub(crate) fn miss(&mut self, line: u64, block_bytes: u64) -> Vec<u64> {
        let following = (1..=AHEAD).map(|ahead| line.wrapping_add(ahead * block_bytes));
        let is_near = |other: &u64| other / PAGE_BYTES == line / PAGE_BYTES;
        let asked: Vec<u64> =
            following.filter(is_near).filter(|line| !self.issued.contains(line)).collect();
        self.issued.extend(&asked);
        asked
    }

    /// `completePrefetch`: a prefetch is complete. Returns whether the line was asked for.
    pub(crate) fn complete(&mut self, line: u64) -> bool {
        let place = self.issued.iter().position(|one| *one == line);
        if let Some(place) = place {
            self.issued.swap_remove(place);
        }
        place.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_lines_of_the_page_are_asked_for_once() {
        let mut prefetcher = NextLine::default();
        assert_eq!(prefetcher.miss(0x1000, 64), [0x1040, 0x1080]);
        assert_eq!(prefetcher.miss(0x1040, 64), [0x10c0]);
        assert!(prefetcher.complete(0x1080) && !prefetcher.complete(0x1080));
        assert_eq!(prefetcher.miss(0x1040, 64), [0x1080]);
        assert!(prefetcher.miss(0x1fc0, 64).is_empty());
    }
}
