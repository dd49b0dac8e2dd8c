//! [`PrintTable`]: a table from the fingerprints of states to their numbers, in about 10 bytes for each.
//!
//! The table is a sequence of slots, in which fingerprints are in ascending order of their *homes*: the slot to which the high bits of a
//! fingerprint lead. Where several have the same home, or the home is taken, they move on to the next slots (Robin Hood hashing: Celis,
//! Larson & Munro, FOCS 1985). So a slot has to store only its distance from the home, which determines the high bits, and the rest of the
//! fingerprint (Cleary, "Compact hash tables using bidirectional linear probing", IEEE Trans. Computers C-33, 1984). With *m* homes the
//! rest is less than 2⁶⁴ / *m*, and numbers are less than 15/16 *m*, so that both together are one word of 64 bits, whatever the size.
//!
//! A table that is full grows in place, from its last slots to its first, so that there are never two copies.

/// The size of a slot, in bytes: one byte with 1 more than the distance from its home, or 0 if the slot is free, and a word of 8 bytes with
/// the rest of the fingerprint and the number.
const SLOT: usize = 9;
/// The largest number of slots from the home of a fingerprint to its slot, both included.
const FARTHEST: usize = 254;
/// The number of homes of a new table.
const HOMES: usize = 16;
/// The approximate number of slots that are moved together when a table grows.
const SLOTS_AT_A_TIME: usize = 1 << 12;
/// The distance of the second byte that [`PrintTable::glance`] reads from the first, in bytes.
const AHEAD: usize = 63;

/// A table of consecutive numbers from 0, each with a fingerprint.
#[derive(Debug)]
pub(super) struct PrintTable {
    slots: Vec<u8>,
    /// The number of homes, which determines the meaning of slots.
    homes: Homes,
    used: usize,
    /// The fingerprints that are too far from their homes for a slot, with their numbers. There are hardly ever any.
    others: Vec<(u64, u32)>,
}

/// The number of homes.
#[derive(Clone, Copy, Debug)]
struct Homes {
    count: u64,
}

/// The content of a slot.
#[derive(Clone, Copy)]
struct Content {
    home: usize,
    rest: u64,
    number: u32,
}

impl Homes {
    /// The largest number of fingerprints in the table.
    #[inline]
    fn numbers(self) -> u64 {
        self.count - self.count / 16
    }

    /// The number of slots.
    fn slots(self) -> usize {
        // The last one is always free.
        self.count as usize + FARTHEST + 1
    }

    #[inline]
    fn home(self, print: u64) -> usize {
        ((u128::from(print) * u128::from(self.count)) >> 64) as usize
    }

    /// Divides a fingerprint into its home and the rest.
    #[inline]
    fn divide(self, print: u64) -> (usize, u64) {
        // The fingerprints of a home are consecutive, so the low half of the product counts them, in steps of the number of homes.
        let product = u128::from(print) * u128::from(self.count);
        ((product >> 64) as usize, product as u64 / self.count)
    }

    /// The fingerprint with a home and a rest.
    fn print(self, home: usize, rest: u64) -> u64 {
        // The first fingerprint of a home: rounded up.
        let first = ((home as u128) << 64).div_ceil(u128::from(self.count));
        first as u64 + rest
    }
}

impl Default for PrintTable {
    fn default() -> PrintTable {
        let homes = Homes { count: HOMES as u64 };
        PrintTable { slots: vec![0; homes.slots() * SLOT], homes, used: 0, others: Vec::new() }
    }
}

impl PrintTable {
    /// The number of fingerprints in the table.
    pub(super) fn len(&self) -> usize {
        self.used
    }

    /// One more than the distance of a slot from its home, or 0 if the slot is free.
    #[inline]
    fn distance(&self, slot: usize) -> usize {
        self.slots[slot * SLOT].into()
    }

    #[inline]
    fn word(&self, slot: usize) -> u64 {
        let word = self.slots[slot * SLOT + 1..].first_chunk().expect("a slot has a word");
        u64::from_le_bytes(*word)
    }

    /// The content of a slot that is not free.
    fn content(&self, slot: usize) -> Content {
        let word = self.word(slot);
        let (rest, number) = (word / self.homes.numbers(), word % self.homes.numbers());
        Content { home: slot + 1 - self.distance(slot), rest, number: number as u32 }
    }

    /// The number of a fingerprint, if it is known.
    #[inline]
    pub(super) fn find(&self, print: u64) -> Option<u32> {
        let (home, rest) = self.homes.divide(print);
        let numbers = self.homes.numbers();
        let first = rest * numbers;
        let mut distance = 1;
        loop {
            let here = self.distance(home + distance - 1);
            if here < distance {
                return self.find_other(print);
            }
            // Those with the same home have the same distance here.
            let number = self.word(home + distance - 1).wrapping_sub(first);
            if here == distance && number < numbers {
                return Some(number as u32);
            }
            distance += 1;
        }
    }

    #[inline]
    fn find_other(&self, print: u64) -> Option<u32> {
        self.others.iter().find(|(other, _)| *other == print).map(|(_, number)| *number)
    }

    /// Loads the slots at which [`PrintTable::find`] will look into the processor's caches. A caller that looks up many fingerprints calls
    /// this for all of them first, so that the processor waits for all loads at once and not for one after another.
    #[inline]
    pub(super) fn glance(&self, print: u64) -> u32 {
        let at = self.homes.home(print) * SLOT;
        u32::from(self.slots[at] ^ self.slots[at + AHEAD])
    }

    /// The number of a fingerprint. One that is new gets the next number, which is returned as an error.
    ///
    /// # Panics
    /// Panics if there are 2^32 - 1 numbers already.
    pub(super) fn number(&mut self, print: u64) -> Result<u32, u32> {
        if let Some(number) = self.find(print) {
            return Ok(number);
        }
        let number = self.used as u32;
        assert!(number != u32::MAX, "there are too many states to number");
        if self.used as u64 == self.homes.numbers() {
            self.grow();
        }
        self.place(print, number);
        self.used += 1;
        Err(number)
    }

    /// Inserts a fingerprint that is not in the table.
    fn place(&mut self, print: u64, number: u32) {
        let (home, rest) = self.homes.divide(print);
        let mut distance = 1;
        // It goes after the fingerprints of the same home and of earlier homes.
        while self.distance(home + distance - 1) >= distance {
            distance += 1;
        }
        if distance > FARTHEST {
            self.others.push((print, number));
            return;
        }
        let slot = home + distance - 1;
        self.shift(slot);
        self.slots[slot * SLOT] = distance as u8;
        let word = rest * self.homes.numbers() + u64::from(number);
        self.slots[slot * SLOT + 1..][..8].copy_from_slice(&word.to_le_bytes());
    }

    /// Frees a slot: moves its content and that of the slots after it, up to the next free slot, by one slot.
    fn shift(&mut self, slot: usize) {
        let mut end = slot;
        while !matches!(self.distance(end), 0 | FARTHEST) {
            end += 1;
        }
        if self.distance(end) == FARTHEST {
            let Content { home, rest, number } = self.content(end);
            self.others.push((self.homes.print(home, rest), number));
        }
        self.slots.copy_within(slot * SLOT..end * SLOT, (slot + 1) * SLOT);
        for moved in slot + 1..=end {
            self.slots[moved * SLOT] += 1;
        }
    }

    /// Makes the table larger by an eighth.
    #[cold]
    fn grow(&mut self) {
        let before = self.homes;
        let after = Homes { count: before.count + before.count / 8 };
        self.slots.reserve_exact((after.slots() - before.slots()) * SLOT);
        self.slots.resize(after.slots() * SLOT, 0);
        let mut end = before.slots();
        let mut moved = Vec::new();
        while end > 0 {
            // Fingerprints after a free slot have their homes after it, and no earlier homes when there are more homes.
            let mut start = end.saturating_sub(SLOTS_AT_A_TIME);
            while start > 0 && self.distance(start) > 0 {
                start -= 1;
            }
            let taken = (start..end).filter(|&slot| self.distance(slot) > 0);
            moved.extend(taken.map(|slot| {
                let Content { home, rest, number } = self.content(slot);
                (before.print(home, rest), number)
            }));
            self.slots[start * SLOT..end * SLOT].fill(0);
            self.homes = after;
            moved.drain(..).for_each(|(print, number)| self.place(print, number));
            self.homes = before;
            end = start;
        }
        self.homes = after;
        let others = std::mem::take(&mut self.others);
        others.into_iter().for_each(|(print, number)| self.place(print, number));
    }

    /// The memory of the table in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.slots.capacity() + self.others.capacity() * size_of::<(u64, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashMap;
    use simulate::numbering::hash_word;

    use super::*;

    /// Numbers some fingerprints, and compares the table with a map of the library. Returns the table.
    fn compared(prints: impl Iterator<Item = u64>) -> PrintTable {
        let (mut table, mut known) = (PrintTable::default(), FxHashMap::default());
        for print in prints {
            assert_eq!(table.find(print), known.get(&print).copied());
            let next = known.len() as u32;
            let number = *known.entry(print).or_insert(next);
            let expected = if number == next { Err(number) } else { Ok(number) };
            assert_eq!(table.number(print), expected, "{print:x}");
            assert_eq!(table.len(), known.len());
        }
        for (print, number) in known {
            table.glance(print);
            assert_eq!(table.find(print), Some(number), "{print:x}");
            for other in [print ^ 1, print.wrapping_add(1 << 30)] {
                assert!(table.find(other).is_none_or(|other| other != number));
            }
        }
        table
    }

    #[test]
    fn fingerprints_keep_their_numbers() {
        for count in [1, 14, 15, 16, 17, 1000, 60_000] {
            let table = compared((0..count).map(hash_word));
            assert!(table.others.is_empty());
        }
        // Half of them are asked for once more.
        compared((0..60_000).map(|at| hash_word(at % 40_000)));
    }

    #[test]
    fn fingerprints_with_few_homes_are_found() {
        let few = compared((0..3000).chain((0..3000).map(|at| u64::MAX - at)));
        assert!(!few.others.is_empty());
        compared((0..6000).map(|at| at << 52 | at >> 3));
        compared((0..4000).map(|at| (1 << 63) - 2000 + at));
    }

    #[test]
    fn a_number_takes_eleven_bytes_at_most() {
        let table = compared((0..200_000).map(hash_word));
        assert!(table.bytes() < 11 * table.len(), "{} bytes", table.bytes());
    }
}
