//! [`Places`]: new places for things that are numbered.

/// New places for things that are numbered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// For each thing, its new place.
    to: Vec<usize>,
    /// For each place, the thing that comes there.
    from: Vec<usize>,
}

impl Places {
    /// Creates the places of things, each of which moves to its element of `to`; `None` if two move to one place.
    pub fn new(to: Vec<usize>) -> Option<Places> {
        let mut from = vec![usize::MAX; to.len()];
        for (thing, &place) in to.iter().enumerate() {
            let slot = from.get_mut(place)?;
            if *slot != usize::MAX {
                return None;
            }
            *slot = thing;
        }
        Some(Places { to, from })
    }

    /// Creates the places of `count` things that stay where they are.
    pub fn same(count: usize) -> Places {
        let all: Vec<usize> = (0..count).collect();
        Places { to: all.clone(), from: all }
    }

    /// Adds `count` further things, which stay where they are.
    pub fn and_others(&self, count: usize) -> Places {
        let others = self.len()..self.len() + count;
        let with = |known: &[usize]| known.iter().copied().chain(others.clone()).collect();
        Places { to: with(&self.to), from: with(&self.from) }
    }

    /// The number of things.
    pub fn len(&self) -> usize {
        self.to.len()
    }

    /// The new place of a thing.
    #[inline]
    pub fn to(&self, thing: usize) -> usize {
        self.to.get(thing).copied().unwrap_or(thing)
    }

    /// The thing that comes to a place.
    #[inline]
    pub fn from(&self, place: usize) -> usize {
        self.from.get(place).copied().unwrap_or(place)
    }

    /// The new places of the elements of a set of bits.
    #[inline]
    pub fn bits(&self, set: u64) -> u64 {
        let moved = self.to.iter().take(64).enumerate();
        let moved = moved.filter(|(thing, _)| set >> thing & 1 == 1);
        let known = 1_u64.checked_shl(self.to.len() as u32).map_or(u64::MAX, |bit| bit - 1);
        moved.fold(set & !known, |all, (_, place)| all | 1 << place)
    }
}
