//! Finds the shared variables that a program announces, by the stores that [`ANNOUNCEMENT`] describes.

use std::collections::BTreeSet;
use std::ops::Range;

use history::ANNOUNCEMENT;

/// The announcements that were read so far.
#[derive(Debug, Default)]
pub(crate) struct Announced {
    /// The announcement whose stores are not complete yet.
    begun: Option<Begun>,
    /// The ranges that were announced.
    ranges: BTreeSet<(u64, u64)>,
}

/// An announcement whose last store has not come yet.
#[derive(Clone, Copy, Debug)]
struct Begun {
    hart: usize,
    /// The address of the next store of the announcement.
    next: u64,
    /// The first address of the variables, once it was stored.
    start: Option<u64>,
}

impl Announced {
    /// Takes in a store, with an address as the trace shows it.
    pub(crate) fn store(&mut self, hart: usize, address: u64, value: u64) {
        if value == ANNOUNCEMENT {
            self.begun = address.checked_add(8).map(|next| Begun { hart, next, start: None });
            return;
        }
        let Some(begun) = self.begun.filter(|it| it.hart == hart && it.next == address) else {
            return;
        };
        self.begun = match begun.start {
            None => {
                let next = address.checked_add(8);
                next.map(|next| Begun { start: Some(value), next, ..begun })
            }
            Some(start) => {
                if start < value {
                    self.ranges.insert((start, value));
                }
                None
            }
        };
    }

    /// The announced range; `None` if no range or several different ones were announced.
    pub(crate) fn range(&self) -> Option<Range<u64>> {
        let mut ranges = self.ranges.iter();
        match (ranges.next(), ranges.next()) {
            (Some(&(start, end)), None) => Some(start..end),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn announced(stores: &[(usize, u64, u64)]) -> Option<Range<u64>> {
        let mut announced = Announced::default();
        stores.iter().for_each(|&(hart, address, value)| announced.store(hart, address, value));
        announced.range()
    }

    const FIRST: (usize, u64, u64) = (0, 0x1000, ANNOUNCEMENT);

    #[test]
    fn three_stores_announce_a_range() {
        let whole = [FIRST, (0, 0x1008, 0x4000), (0, 0x1010, 0x5000)];
        assert_eq!(announced(&whole), Some(0x4000..0x5000));
        // Other stores may come between, and the program may be run twice.
        let between = [FIRST, (0, 0x2000, 1), whole[1], (1, 0x1010, 7), whole[2]];
        assert_eq!(announced(&[&between[..], &whole].concat()), Some(0x4000..0x5000));
    }

    #[test]
    fn what_is_cut_or_contradicts_itself_announces_nothing() {
        assert_eq!(announced(&[FIRST, (0, 0x1008, 0x4000)]), None);
        assert_eq!(announced(&[FIRST, (1, 0x1008, 0x4000), (1, 0x1010, 0x5000)]), None);
        assert_eq!(announced(&[FIRST, (0, 0x1008, 0x5000), (0, 0x1010, 0x5000)]), None);
        let of = |end| [FIRST, (0, 0x1008, 0x4000), (0, 0x1010, end)];
        assert_eq!(announced(&[of(0x5000), of(0x6000)].concat()), None);
        assert_eq!(announced(&[(0, u64::MAX, ANNOUNCEMENT)]), None);
    }
}
