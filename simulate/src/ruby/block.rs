//! Blocks of data and masks over their bytes (DataBlock and WriteMask), as words of the flat
//! memory. Byte n is in word n/8, the lowest byte first.

use super::Misuse;

/// Checks that a range of bytes lies in a block of `words` words.
#[inline]
fn check(words: usize, offset: u64, length: u64) -> Result<(), Misuse> {
    let size = words as u64 * 8;
    let end = offset.saturating_add(length);
    if end > size {
        return Err(Misuse::OutsideBlock { offset, end, size });
    }
    Ok(())
}

/// The bits of a word that its bytes from `first` to `end` occupy, where `end` is excluded and at
/// most 8.
#[inline]
fn bits(first: u64, end: u64) -> u64 {
    let below = |bytes: u64| {
        if bytes >= 8 { !0 } else { (1 << (8 * bytes)) - 1 }
    };
    below(end) & !below(first)
}

/// Returns a byte of a block.
#[inline]
pub(crate) fn byte(block: &[u64], at: u64) -> Result<u8, Misuse> {
    check(block.len(), at, 1)?;
    Ok((block[at as usize / 8] >> (8 * (at % 8))) as u8)
}

/// Writes a number of up to 8 bytes.
#[inline]
pub(crate) fn write(block: &mut [u64], offset: u64, size: u64, value: u64) -> Result<(), Misuse> {
    check(block.len(), offset, size)?;
    let (word, shift) = (offset as usize / 8, 8 * (offset % 8));
    let mask = bits(0, size);
    let value = value & mask;
    if let Some(low) = block.get_mut(word) {
        *low = *low & !(mask << shift) | value << shift;
    }
    if shift > 0
        && let Some(high) = block.get_mut(word + 1)
    {
        *high = *high & !(mask >> (64 - shift)) | value >> (64 - shift);
    }
    Ok(())
}

/// Copies a range of bytes from the block at `from` to the block at `to`, both of `words` words.
pub(crate) fn copy_partial(
    memory: &mut [u64],
    to: usize,
    from: usize,
    words: usize,
    offset: u64,
    length: u64,
) -> Result<(), Misuse> {
    check(words, offset, length)?;
    for word in 0..words {
        let first = word as u64 * 8;
        let clip = |byte: u64| byte.saturating_sub(first).min(8);
        let mask = bits(clip(offset), clip(offset + length));
        memory[to + word] = memory[to + word] & !mask | memory[from + word] & mask;
    }
    Ok(())
}

/// Copies the bytes whose bits are set in the mask at `mask`.
pub(crate) fn copy_masked(memory: &mut [u64], to: usize, from: usize, words: usize, mask: usize) {
    for word in 0..words {
        let mask = spread((memory[mask + word / 8] >> (8 * (word % 8))) as u8);
        memory[to + word] = memory[to + word] & !mask | memory[from + word] & mask;
    }
}

/// Expands each bit to a byte of ones or zeros.
fn spread(mask: u8) -> u64 {
    (0..8).fold(0, |word, bit| word | (u64::from((mask >> bit) & 1) * 0xFF) << (8 * bit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruby::delays::Delays;

    /// The bytes of a block.
    fn to_bytes(block: &[u64]) -> impl Iterator<Item = u8> {
        block.iter().flat_map(|word| word.to_le_bytes())
    }

    /// Two blocks of 16 bytes, as bytes and as words, for comparison.
    struct Pair {
        bytes: [[u8; 16]; 2],
        words: [u64; 5],
    }

    impl Pair {
        fn check(&self) {
            for (block, bytes) in self.bytes.iter().enumerate() {
                let words = &self.words[2 * block..2 * block + 2];
                assert!(to_bytes(words).eq(bytes.iter().copied()));
            }
        }
    }

    /// The number in up to 8 bytes, the lowest byte first.
    fn read(block: &[u64], offset: u64, size: u64) -> Result<u64, Misuse> {
        let bytes = (0..size).rev();
        bytes
            .map(|at| byte(block, offset.saturating_add(at)))
            .try_fold(0, |number, byte| Ok(number << 8 | u64::from(byte?)))
    }

    #[test]
    fn words_do_what_bytes_do() {
        let mut random = Delays::new(9);
        let mut pair = Pair { bytes: [[0; 16]; 2], words: [0; 5] };
        for _ in 0..20_000 {
            let offset = random.below(17);
            let size = random.below(10).min(8);
            let value = random.bits();
            let inside = offset + size <= 16;
            let range = offset as usize..(offset + size) as usize;
            match random.below(4) {
                0 | 1 => {
                    let at = random.below(2) as usize;
                    let block = &mut pair.words[2 * at..2 * at + 2];
                    assert_eq!(write(block, offset, size, value).is_ok(), inside);
                    let read = read(block, offset, size).ok();
                    if inside {
                        let bytes = &value.to_le_bytes()[..size as usize];
                        pair.bytes[at][range].copy_from_slice(bytes);
                        let mut expected = [0; 8];
                        expected[..bytes.len()].copy_from_slice(bytes);
                        assert_eq!(read, Some(u64::from_le_bytes(expected)));
                        if size > 0 {
                            assert_eq!(byte(block, offset), Ok(bytes[0]));
                        }
                    }
                }
                2 => {
                    let copied = copy_partial(&mut pair.words, 0, 2, 2, offset, size);
                    assert_eq!(copied.is_ok(), inside);
                    if inside {
                        let from = pair.bytes[1];
                        pair.bytes[0][range.clone()].copy_from_slice(&from[range]);
                    }
                }
                _ => {
                    pair.words[4] = value & 0xFFFF;
                    copy_masked(&mut pair.words, 2, 0, 2, 4);
                    for at in (0..16).filter(|at| value >> at & 1 == 1) {
                        pair.bytes[1][at] = pair.bytes[0][at];
                    }
                }
            }
            pair.check();
        }
    }
}
