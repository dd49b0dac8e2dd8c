//! The encoding of words as bytes: most words are small, and many of the others name a controller.

/// Numbers below this take one byte.
const SMALL: u64 = 224;
/// A byte that says that a word of eight bytes follows.
const WIDE: u8 = 255;

/// The large words that take one byte each.
#[derive(Clone, Debug)]
pub(super) struct Dictionary {
    words: Vec<u64>,
}

impl Dictionary {
    /// A dictionary of these words, or of the first of them if there are too many.
    pub(super) fn new(mut words: Vec<u64>) -> Dictionary {
        words.retain(|&word| word >= SMALL - 1);
        words.truncate((u64::from(WIDE) - SMALL) as usize);
        Dictionary { words }
    }

    /// Writes a word.
    #[inline]
    pub(super) fn put(&self, word: u64, out: &mut Vec<u8>) {
        // A word that was never set has all bits set: that becomes 0.
        let next = word.wrapping_add(1);
        if next < SMALL {
            out.push(next as u8);
        } else if let Some(at) = self.words.iter().position(|&known| known == word) {
            out.push((SMALL + at as u64) as u8);
        } else {
            out.push(WIDE);
            out.extend_from_slice(&word.to_le_bytes());
        }
    }

    /// Reads a word, and removes it from the bytes. After the end everything is 0.
    #[inline]
    pub(super) fn get(&self, bytes: &mut &[u8]) -> u64 {
        let Some((&first, rest)) = bytes.split_first() else {
            return 0;
        };
        *bytes = rest;
        match u64::from(first) {
            small if small < SMALL => small.wrapping_sub(1),
            _ if first < WIDE => {
                let at = u64::from(first) - SMALL;
                self.words.get(at as usize).copied().unwrap_or(0)
            }
            _ => match bytes.split_first_chunk() {
                Some((word, rest)) => {
                    *bytes = rest;
                    u64::from_le_bytes(*word)
                }
                None => 0,
            },
        }
    }
}

/// Reads a byte, and removes it from the bytes. After the end everything is 0.
#[inline]
pub(super) fn byte(bytes: &mut &[u8]) -> u8 {
    match bytes.split_first() {
        Some((&first, rest)) => {
            *bytes = rest;
            first
        }
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_were_written() {
        let dictionary = Dictionary::new(vec![1 << 32, 20 << 32, 3]);
        let words = [0, 1, 222, 223, 224, 255, 1 << 32, 20 << 32, 5 << 40, u64::MAX];
        let mut bytes = Vec::new();
        words.iter().for_each(|&word| dictionary.put(word, &mut bytes));
        let mut rest = &bytes[..];
        let read = words.map(|_| dictionary.get(&mut rest));
        assert_eq!(read, words);
        assert!(rest.is_empty());
        assert_eq!(dictionary.get(&mut rest), 0);
    }
}
