//! A hash table from lines to words, for the lookups of every transition in tables of TBEs and directories.
//!
//! The lines of a program mostly have consecutive addresses. So the number of a line serves as its hash: then nearly every
//! line has a place of its own, and a lookup takes one load, one comparison and one jump that a processor predicts. Keys
//! and values are in one array, which is searched from that place on up to a free one.

/// Marks a free place. No line has this address.
const FREE: u64 = u64::MAX;
/// Number of places of a new table. The number of places is always a power of two.
const FIRST_PLACES: usize = 16;

/// A table from addresses of lines to words. [`FREE`] is no key.
#[derive(Clone, Debug)]
pub(crate) struct LineMap {
    /// Keys with their values. At least half of the places are free.
    places: Vec<(u64, u64)>,
    len: usize,
}

impl Default for LineMap {
    fn default() -> LineMap {
        LineMap { places: vec![(FREE, 0); FIRST_PLACES], len: 0 }
    }
}

impl LineMap {
    /// The place at which the search for a key begins. It combines the bits above the offset in a line of the most frequent
    /// size with higher bits, in which lines differ that are far apart.
    #[inline]
    fn start(&self, key: u64) -> usize {
        ((key >> 6) ^ (key >> 20)) as usize & (self.places.len() - 1)
    }

    /// The place of a key, or the free one at which the search for it ends.
    #[inline]
    fn find(&self, key: u64) -> usize {
        let last = self.places.len() - 1;
        let mut at = self.start(key);
        while self.places[at].0 != key && self.places[at].0 != FREE {
            at = (at + 1) & last;
        }
        at
    }

    /// The value of a key.
    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<u64> {
        let (found, value) = self.places[self.find(key)];
        (found != FREE).then_some(value)
    }

    /// The value of a key, or 0.
    #[inline]
    pub(crate) fn get_or_zero(&self, key: u64) -> u64 {
        // Free places have the value 0.
        self.places[self.find(key)].1
    }

    /// Whether there is a value for a key.
    #[inline]
    pub(crate) fn contains(&self, key: u64) -> bool {
        self.get(key).is_some()
    }

    /// Sets the value of a key.
    pub(crate) fn insert(&mut self, key: u64, value: u64) {
        debug_assert_ne!(key, FREE);
        if 2 * (self.len + 1) > self.places.len() {
            self.grow();
        }
        let at = self.find(key);
        self.len += usize::from(self.places[at].0 == FREE);
        self.places[at] = (key, value);
    }

    #[cold]
    fn grow(&mut self) {
        let free = vec![(FREE, 0); 2 * self.places.len()];
        for (key, value) in std::mem::replace(&mut self.places, free) {
            if key != FREE {
                let at = self.find(key);
                self.places[at] = (key, value);
            }
        }
    }

    /// Removes a key and returns its value.
    pub(crate) fn remove(&mut self, key: u64) -> Option<u64> {
        let mut gap = self.find(key);
        let (found, value) = self.places[gap];
        if found == FREE {
            return None;
        }
        self.len -= 1;
        // Pairs after it move to the gap, unless their search begins after the gap.
        let last = self.places.len() - 1;
        let mut at = (gap + 1) & last;
        while self.places[at].0 != FREE {
            let way = at.wrapping_sub(self.start(self.places[at].0)) & last;
            if way >= at.wrapping_sub(gap) & last {
                self.places[gap] = self.places[at];
                gap = at;
            }
            at = (at + 1) & last;
        }
        self.places[gap] = (FREE, 0);
        Some(value)
    }

    /// Removes all keys.
    pub(crate) fn clear(&mut self) {
        if self.len > 0 {
            self.places.fill((FREE, 0));
            self.len = 0;
        }
    }

    /// Number of keys.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no keys.
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The keys with their values, sorted by key.
    pub(crate) fn sorted(&self) -> Vec<(u64, u64)> {
        let mut all: Vec<_> = self.places.iter().copied().filter(|(key, _)| *key != FREE).collect();
        all.sort_unstable();
        all
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::ruby::delays::Delays;

    #[test]
    fn it_does_what_a_tree_does() {
        let mut random = Delays::new(3);
        let (mut map, mut tree) = (LineMap::default(), BTreeMap::new());
        for number in 0..20_000 {
            let key = 64 * random.below(100);
            match random.below(40) {
                0 if random.below(20) == 0 => {
                    map.clear();
                    tree.clear();
                }
                0..20 => {
                    map.insert(key, number);
                    tree.insert(key, number);
                }
                _ => assert_eq!(map.remove(key), tree.remove(&key)),
            }
            let other = 64 * random.below(120);
            assert_eq!(map.get(other), tree.get(&other).copied());
            assert_eq!(map.get_or_zero(other), tree.get(&other).copied().unwrap_or(0));
            assert_eq!((map.len(), map.is_empty()), (tree.len(), tree.is_empty()));
        }
        assert!(map.sorted().into_iter().eq(tree));
        assert!(!map.contains(FREE) && map.get_or_zero(FREE) == 0);
    }
}
