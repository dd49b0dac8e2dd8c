//! Sets of small numbers.

use simulate::numbering::make_room;

/// A set of small numbers, with a bit for each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// The number of bits.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds the next bit.
    pub(crate) fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(64) {
            make_room(&mut self.words, 1);
            self.words.push(0);
        }
        self.words[self.len / 64] |= u64::from(bit) << (self.len % 64);
        self.len += 1;
    }

    /// The bit at an index.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> bool {
        self.words[at / 64] >> (at % 64) & 1 == 1
    }

    /// Sets the bit at an index.
    #[inline]
    pub(crate) fn set(&mut self, at: usize) {
        self.words[at / 64] |= 1 << (at % 64);
    }

    /// The number of bits that are set.
    pub(crate) fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }
}
