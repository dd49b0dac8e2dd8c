//! Masks over the bytes of a block (WriteMask), as words of the flat memory.
//!
//! A mask has a bit for each byte, followed by two words for its list of atomic operations. Requests of CPUs have at
//! most one: it exchanges a word of 8 bytes. The first word is 0 without an operation, and otherwise the offset of the
//! exchanged bytes plus 1; the second is the new value.

use slicc::compile::types::{ATOMIC_WORDS, mask_words};

use super::{Misuse, block};

/// The layout of a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mask {
    bytes: u64,
}

impl Mask {
    /// The mask over a block of `bytes` bytes, a multiple of 8.
    pub(crate) fn new(bytes: u64) -> Mask {
        Mask { bytes }
    }

    /// Number of words that hold bits; the list of atomic operations comes after them.
    #[inline]
    pub(crate) fn bit_words(self) -> usize {
        self.words() - ATOMIC_WORDS
    }

    /// Number of words of the mask.
    #[inline]
    pub(crate) fn words(self) -> usize {
        mask_words(self.bytes)
    }

    /// The bits in word `word` of the bytes from `first` to `end`, excluded.
    #[inline]
    fn range(word: usize, first: u64, end: u64) -> u64 {
        let start = word as u64 * 64;
        let below = |byte: u64| match byte.saturating_sub(start) {
            64.. => !0,
            bits => (1 << bits) - 1,
        };
        below(end) & !below(first)
    }

    /// The bits in word `word` that correspond to bytes.
    #[inline]
    fn all(self, word: usize) -> u64 {
        Self::range(word, 0, self.bytes)
    }

    fn check(self, offset: u64, length: u64) -> Result<u64, Misuse> {
        let end = offset.saturating_add(length);
        let size = self.bytes;
        if end > size {
            return Err(Misuse::OutsideBlock { offset, end, size });
        }
        Ok(end)
    }

    /// Clears all bits; the list of atomic operations stays.
    pub(crate) fn clear(self, mask: &mut [u64]) {
        mask[..self.bit_words()].fill(0);
    }

    /// Sets all bits.
    pub(crate) fn fill(self, mask: &mut [u64]) {
        (0..self.bit_words()).for_each(|word| mask[word] = self.all(word));
    }

    /// Sets or clears the bits of a range of bytes.
    pub(crate) fn set(
        self,
        mask: &mut [u64],
        offset: u64,
        length: u64,
        value: bool,
    ) -> Result<(), Misuse> {
        let end = self.check(offset, length)?;
        for (word, mask) in mask[..self.bit_words()].iter_mut().enumerate() {
            let range = Self::range(word, offset, end);
            *mask = if value { *mask | range } else { *mask & !range };
        }
        Ok(())
    }

    /// Whether all bytes of a range are set.
    pub(crate) fn get(self, mask: &[u64], offset: u64, length: u64) -> Result<bool, Misuse> {
        let end = self.check(offset, length)?;
        let mut words = mask[..self.bit_words()].iter().enumerate();
        Ok(words.all(|(word, mask)| Self::range(word, offset, end) & !mask == 0))
    }

    /// Whether a byte is set.
    pub(crate) fn test(self, mask: &[u64], offset: u64) -> Result<bool, Misuse> {
        self.get(mask, offset, 1)
    }

    /// Whether no byte is set.
    pub(crate) fn is_empty(self, mask: &[u64]) -> bool {
        mask[..self.bit_words()].iter().all(|&word| word == 0)
    }

    /// Whether every byte is set.
    pub(crate) fn is_full(self, mask: &[u64]) -> bool {
        (0..self.bit_words()).all(|word| mask[word] == self.all(word))
    }

    /// Whether some byte is set in both.
    pub(crate) fn is_overlap(self, mask: &[u64], other: &[u64]) -> bool {
        (0..self.bit_words()).any(|word| mask[word] & other[word] != 0)
    }

    /// Whether all bytes of `other` are set in `mask`.
    pub(crate) fn contains(self, mask: &[u64], other: &[u64]) -> bool {
        (0..self.bit_words()).all(|word| other[word] & !mask[word] == 0)
    }

    /// Intersects the mask at `to` with the one at `from`, and takes over the list of atomic
    /// operations of the latter if it has one.
    pub(crate) fn and(self, memory: &mut [u64], to: usize, from: usize) {
        (0..self.bit_words()).for_each(|word| memory[to + word] &= memory[from + word]);
        self.take_atomics(memory, to, from);
    }

    /// Unites the mask at `to` with the one at `from`, and takes over the list of atomic operations
    /// of the latter if it has one.
    pub(crate) fn or(self, memory: &mut [u64], to: usize, from: usize) {
        (0..self.bit_words()).for_each(|word| memory[to + word] |= memory[from + word]);
        self.take_atomics(memory, to, from);
    }

    fn take_atomics(self, memory: &mut [u64], to: usize, from: usize) {
        let atomics = self.bit_words();
        if memory[from + atomics] != 0 {
            let end = from + self.words();
            memory.copy_within(from + atomics..end, to + atomics);
        }
    }

    /// Makes the exchange of a word at an offset the mask's atomic operation.
    pub(crate) fn set_exchange(self, mask: &mut [u64], offset: u64, value: u64) {
        mask[self.bit_words()] = offset + 1;
        mask[self.bit_words() + 1] = value;
    }

    /// Copies the block at `from` to `to`, and applies the atomic operation of the mask at `mask` to the copy.
    pub(crate) fn apply_atomic(
        self,
        memory: &mut [u64],
        to: usize,
        from: usize,
        mask: usize,
    ) -> Result<(), Misuse> {
        let words = (self.bytes / 8) as usize;
        memory.copy_within(from..from + words, to);
        let atomic = mask + self.bit_words();
        let value = memory[atomic + 1];
        match memory[atomic].checked_sub(1) {
            Some(offset) => block::write(&mut memory[to..to + words], offset, 8, value),
            None => Ok(()),
        }
    }

    /// Sets the mask at `to` to the complement of the one at `from`.
    pub(crate) fn set_inverted(self, memory: &mut [u64], to: usize, from: usize) {
        for word in 0..self.bit_words() {
            memory[to + word] = !memory[from + word] & self.all(word);
        }
    }

    /// The first byte from `from` on whose bit is `value`; the size of the block if there is none.
    pub(crate) fn first_bit_set(self, mask: &[u64], value: bool, from: u64) -> u64 {
        let is = |byte: &u64| (mask[*byte as usize / 64] >> (byte % 64) & 1 == 1) == value;
        (from..self.bytes).find(is).unwrap_or(self.bytes)
    }

    /// Number of bytes from `from` on that are set.
    pub(crate) fn count(self, mask: &[u64], from: u64) -> u64 {
        let words = mask[..self.bit_words()].iter().enumerate();
        words
            .map(|(word, mask)| {
                u64::from((mask & Self::range(word, from, self.bytes)).count_ones())
            })
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruby::delays::Delays;

    #[test]
    fn masks_do_what_lists_of_bytes_do() {
        for bytes in [32, 64, 128] {
            let shape = Mask::new(bytes);
            let words = shape.words();
            let mut random = Delays::new(bytes);
            let mut memory = vec![0; 2 * words];
            let mut naive = [vec![false; bytes as usize], vec![false; bytes as usize]];
            for _ in 0..5000 {
                let offset = random.below(bytes);
                let length = random.below(bytes - offset + 1);
                let range = offset as usize..(offset + length) as usize;
                let other = naive[1].clone();
                let (left, right) = memory.split_at_mut(words);
                match random.below(6) {
                    0 => {
                        shape.set(left, offset, length, true).unwrap();
                        naive[0][range.clone()].fill(true);
                    }
                    1 => {
                        shape.set(left, offset, length, false).unwrap();
                        naive[0][range.clone()].fill(false);
                    }
                    2 => {
                        shape.clear(right);
                        shape.set(right, offset, length, true).unwrap();
                        naive[1].fill(false);
                        naive[1][range.clone()].fill(true);
                    }
                    3 => {
                        shape.or(&mut memory, 0, words);
                        naive[0].iter_mut().zip(&other).for_each(|(bit, other)| *bit |= other);
                    }
                    4 => {
                        shape.and(&mut memory, 0, words);
                        naive[0].iter_mut().zip(&other).for_each(|(bit, other)| *bit &= other);
                    }
                    _ => {
                        shape.set_inverted(&mut memory, 0, words);
                        naive[0].iter_mut().zip(&other).for_each(|(bit, other)| *bit = !other);
                    }
                }
                let (left, right) = memory.split_at(words);
                let bits = &naive;
                let set = |which: usize| (0..bytes as usize).filter(move |&at| bits[which][at]);
                assert_eq!(shape.count(left, 0), set(0).count() as u64);
                let from = |at: &usize| *at >= offset as usize;
                assert_eq!(shape.count(left, offset), set(0).filter(from).count() as u64);
                let first = set(0).find(from).map_or(bytes, |at| at as u64);
                assert_eq!(shape.first_bit_set(left, true, offset), first);
                assert_eq!(
                    shape.get(left, offset, length),
                    Ok(naive[0][range].iter().all(|bit| *bit))
                );
                assert_eq!(shape.test(left, offset), Ok(naive[0][offset as usize]));
                assert_eq!(shape.is_empty(left), set(0).count() == 0);
                assert_eq!(shape.is_full(left), set(0).count() as u64 == bytes);
                assert_eq!(shape.is_overlap(left, right), set(0).any(|at| naive[1][at]));
                assert_eq!(shape.contains(left, right), set(1).all(|at| naive[0][at]));
            }
            assert!(shape.set(&mut memory, bytes - 1, 2, true).is_err());
        }
    }

    #[test]
    fn atomic_operations_are_taken_over_and_kept() {
        let shape = Mask::new(64);
        let mut memory = [1, 0, 0, 2, 0, 0];
        shape.set_exchange(&mut memory[3..], 8, 7);
        shape.or(&mut memory, 0, 3);
        assert_eq!(memory, [3, 9, 7, 2, 9, 7]);
        memory[4] = 0;
        shape.and(&mut memory, 0, 3);
        shape.clear(&mut memory[..3]);
        assert_eq!(memory, [0, 9, 7, 2, 0, 7]);
        shape.fill(&mut memory[..3]);
        assert!(shape.is_full(&memory[..3]) && shape.first_bit_set(&memory, false, 3) == 64);
    }

    #[test]
    fn an_exchange_changes_its_word_only() {
        let shape = Mask::new(16);
        let mut memory = [1, 2, 3, 4, 0, 0, 0];
        shape.apply_atomic(&mut memory, 0, 2, 4).unwrap();
        assert_eq!(memory[..4], [3, 4, 3, 4]);
        shape.set_exchange(&mut memory[4..], 8, 9);
        shape.apply_atomic(&mut memory, 0, 2, 4).unwrap();
        assert_eq!(memory[..4], [3, 9, 3, 4]);
        shape.set_exchange(&mut memory[4..], 16, 9);
        assert!(shape.apply_atomic(&mut memory, 0, 2, 4).is_err());
    }
}
