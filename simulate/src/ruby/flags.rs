//! A vector of flags (`BoolVec`, a `std::vector<bool>` in gem5), on words that `slicc::compile::trackers` lays out.

use slicc::compile::trackers::flags::*;

use crate::ruby::Misuse;

/// The word and the bit of a flag.
fn place(words: &[u64], at: u64) -> Result<(usize, u64), Misuse> {
    let length = words[LENGTH];
    if at >= length {
        return Err(Misuse::NoFlag { at, length });
    }
    Ok((FIRST + (at / 64) as usize, 1 << (at % 64)))
}

/// Whether the flag at a position is set.
///
/// # Errors
/// Fails if there is no such flag.
pub(crate) fn get(words: &[u64], at: u64) -> Result<bool, Misuse> {
    let (word, bit) = place(words, at)?;
    Ok(words[word] & bit != 0)
}

/// Sets or clears a flag.
///
/// # Errors
/// Fails if there is no such flag.
pub(crate) fn put(words: &mut [u64], at: u64, flag: bool) -> Result<(), Misuse> {
    let (word, bit) = place(words, at)?;
    words[word] = if flag { words[word] | bit } else { words[word] & !bit };
    Ok(())
}

/// Changes the number of flags. New ones are false.
///
/// # Errors
/// Fails if there are more than the words have room for.
pub(crate) fn resize(words: &mut [u64], length: u64) -> Result<(), Misuse> {
    if length > MOST as u64 {
        return Err(Misuse::TooManyFlags(length));
    }
    for at in length..words[LENGTH] {
        put(words, at, false)?;
    }
    words[LENGTH] = length;
    Ok(())
}

/// The number of flags that are set.
pub(crate) fn count(words: &[u64]) -> u64 {
    words[FIRST..WIDTH].iter().map(|word| u64::from(word.count_ones())).sum()
}
