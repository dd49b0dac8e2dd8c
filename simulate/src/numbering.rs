//! Numbers values in the order in which they are first met, as explorers need for millions of states.
//!
//! A [`NumberTable`] finds the number of a value by its hash, and takes about 6 bytes for each; the values themselves are
//! kept by its user. [`Strings`] keeps strings of bytes.

/// The numerator of the largest share of used slots; [`ALL`] is the denominator.
const USED: usize = 4;
/// The denominator of the largest share of used slots; [`USED`] is the numerator.
const ALL: usize = 5;
/// The content of a slot without a number.
const FREE: u32 = u32::MAX;
/// The number of slots of a new table.
const SLOTS: usize = 16;

/// A hash table of consecutive numbers from 0.
///
/// A slot has a number, and in the bits that numbers in a table of this size do not need the lowest bits of the hash. They tell most
/// values apart that are met in a search, so that these need not be read, which is what a search in a large table takes most time for.
#[derive(Clone, Debug)]
pub struct NumberTable {
    /// The numbers. Each is in the first slot that was free, from the slot on at which the search for its hash begins.
    slots: Vec<u32>,
    used: usize,
    /// The bits of a slot that are the number.
    number: u32,
}

impl Default for NumberTable {
    fn default() -> NumberTable {
        NumberTable::with_slots(SLOTS)
    }
}

impl NumberTable {
    fn with_slots(slots: usize) -> NumberTable {
        // Some slots are always free, so no number has all bits.
        let number = (slots as u64).next_power_of_two() - 1;
        NumberTable { slots: vec![FREE; slots], used: 0, number: number as u32 }
    }

    /// The content of a slot for a number and its hash.
    #[inline]
    fn content(&self, number: u32, hash: u64) -> u32 {
        number | hash as u32 & !self.number
    }

    /// The slot at which the search for a hash begins. It depends on the high bits, so that tables can have any size.
    #[inline]
    fn start(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.slots.len() as u128) >> 64) as usize
    }

    #[inline]
    fn after(&self, slot: usize) -> usize {
        if slot + 1 == self.slots.len() { 0 } else { slot + 1 }
    }

    /// The number of the value with this hash for which `is_same` holds, or else the slot for it.
    #[inline]
    fn search(&self, hash: u64, is_same: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let (mut slot, tag) = (self.start(hash), self.content(0, hash));
        loop {
            let content = self.slots[slot];
            if content == FREE {
                return Err(slot);
            }
            let number = content & self.number;
            if content ^ number == tag && is_same(number) {
                return Ok(number);
            }
            slot = self.after(slot);
        }
    }

    /// The number in the slot from which the search for a hash begins, or one that no value has. A caller with many hashes reads these
    /// slots first, so that the processor waits for all of them at the same time.
    #[inline]
    pub fn glance(&self, hash: u64) -> u32 {
        self.slots[self.start(hash)] & self.number
    }

    /// The number of the value with this hash for which `is_same` holds, if there is one.
    #[inline]
    pub fn find(&self, hash: u64, is_same: impl Fn(u32) -> bool) -> Option<u32> {
        self.search(hash, is_same).ok()
    }

    /// The number of the value with this hash for which `is_same` holds. If there is none, the value gets the next number,
    /// which is returned as an error. `hash_of` returns the hash of the value with a number.
    ///
    /// # Errors
    /// Returns the new number if the value is new.
    ///
    /// # Panics
    /// Panics if there are 2^32 - 1 values already.
    #[inline]
    pub fn number(
        &mut self,
        hash: u64,
        is_same: impl Fn(u32) -> bool,
        hash_of: impl Fn(u32) -> u64,
    ) -> Result<u32, u32> {
        match self.search(hash, is_same) {
            Ok(number) => Ok(number),
            Err(slot) => {
                let number = self.used as u32;
                assert!(number != FREE, "there are too many values to number");
                self.slots[slot] = self.content(number, hash);
                self.used += 1;
                if self.used * ALL > self.slots.len() * USED {
                    self.grow(hash_of);
                }
                Err(number)
            }
        }
    }

    /// Makes the table larger by a quarter.
    #[cold]
    fn grow(&mut self, hash_of: impl Fn(u32) -> u64) {
        let (size, used) = (self.slots.len() * 5 / 4, self.used);
        self.slots = Vec::new();
        *self = NumberTable { used, ..NumberTable::with_slots(size) };
        for number in 0..used as u32 {
            let hash = hash_of(number);
            let mut slot = self.start(hash);
            while self.slots[slot] != FREE {
                slot = self.after(slot);
            }
            self.slots[slot] = self.content(number, hash);
        }
    }

    /// The memory of the table in bytes.
    pub fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u32>()
    }
}

/// Hashes a word: each bit of it has an influence on each bit of the hash.
#[inline]
pub fn hash_word(word: u64) -> u64 {
    let product = u128::from(word ^ 0x9E37_79B9_7F4A_7C15) * 0xA076_1D64_78BD_642F;
    let low = product as u64 ^ (product >> 64) as u64;
    let product = u128::from(low) * 0xE703_7ED1_A0B4_28DB;
    product as u64 ^ (product >> 64) as u64
}

/// Hashes bytes.
fn hash_bytes(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let mut hash = hash_word(bytes.len() as u64);
    for word in words {
        hash = hash_word(hash ^ u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    hash_word(hash ^ u64::from_le_bytes(last))
}

/// Makes room for `more` items. A long vector grows by a sixteenth instead of doubling, so that many millions of items
/// take little more memory than they need.
#[inline]
pub fn make_room<T>(items: &mut Vec<T>, more: usize) {
    if items.capacity() - items.len() < more {
        items.reserve_exact(more.max(items.len() / 16));
    }
}

/// Strings of bytes with their numbers.
#[derive(Clone, Debug, Default)]
pub struct Strings {
    table: NumberTable,
    bytes: Vec<u8>,
    /// The end of each string in the bytes.
    ends: Vec<usize>,
}

impl Strings {
    /// The string with a number.
    #[inline]
    pub fn get(&self, number: u32) -> &[u8] {
        string(&self.bytes, &self.ends, number)
    }

    /// The number of a string. One that is new gets the next number, which is returned as an error.
    ///
    /// # Errors
    /// Returns the new number if the string is new.
    pub fn number(&mut self, one: &[u8]) -> Result<u32, u32> {
        let (bytes, ends) = (&self.bytes, &self.ends);
        let number = self.table.number(
            hash_bytes(one),
            |number| string(bytes, ends, number) == one,
            |number| {
                hash_bytes(if number as usize == ends.len() {
                    one
                } else {
                    string(bytes, ends, number)
                })
            },
        );
        if number.is_err() {
            make_room(&mut self.bytes, one.len());
            self.bytes.extend_from_slice(one);
            make_room(&mut self.ends, 1);
            self.ends.push(self.bytes.len());
        }
        number
    }

    /// The strings with numbers from `first` on, in that order.
    pub fn from(&self, first: usize) -> impl Iterator<Item = &[u8]> {
        (first..self.ends.len()).map(|number| self.get(number as u32))
    }

    /// The memory that the strings take, in bytes.
    pub fn bytes(&self) -> usize {
        self.table.bytes() + self.bytes.capacity() + self.ends.capacity() * size_of::<usize>()
    }
}

#[inline]
fn string<'a>(bytes: &'a [u8], ends: &[usize], number: u32) -> &'a [u8] {
    let at = number as usize;
    let start = at.checked_sub(1).map_or(0, |before| ends[before]);
    &bytes[start..ends[at]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_keep_their_numbers() {
        let mut strings = Strings::default();
        let text = |number: u32| number.wrapping_mul(0x9E37_79B9).to_string().into_bytes();
        for number in 0..5000 {
            assert_eq!(strings.number(&text(number)), Err(number));
            assert_eq!(strings.number(&text(number / 2)), Ok(number / 2));
        }
        assert!((0..5000).all(|number| strings.get(number) == text(number)));
        assert_eq!(strings.number(b""), Err(5000));
        assert_eq!(strings.get(5000), b"");
    }
}
