//! Objects that a description of what the runtime lacks calls sets, maps and counters (`slicc::library`).
//!
//! Their words are plain, so that states can be compared: the number of elements, then the elements in ascending order, then for a
//! map their values in the same order, from `MOST_ELEMENTS` words after the first element on. Unused words are 0.

use slicc::compile::trackers::MOST_ELEMENTS;
use slicc::library::DescribedFunction;

use crate::ruby::Misuse;

/// Carries out a function of the object with these words.
///
/// # Errors
/// Fails if a set or map is full.
pub(crate) fn call(
    function: DescribedFunction,
    words: &mut [u64],
    b: u64,
    c: u64,
) -> Result<u64, Misuse> {
    use DescribedFunction::*;
    let place = find(words, b);
    Ok(match function {
        DescribedSetAdd => u64::from(insert(words, b, None)?),
        DescribedSetRemove => u64::from(remove(words, b, false)),
        DescribedSetContains | DescribedMapContains => u64::from(place.is_ok()),
        DescribedSetSize => words[0],
        DescribedSetIsEmpty => u64::from(words[0] == 0),
        DescribedSetClear => clear(words, 1 + MOST_ELEMENTS),
        DescribedMapSet => {
            insert(words, b, Some(c))?;
            0
        }
        DescribedMapGet => place.map_or(0, |at| words[1 + MOST_ELEMENTS + at]),
        DescribedMapRemove => u64::from(remove(words, b, true)),
        DescribedMapClear => clear(words, 1 + 2 * MOST_ELEMENTS),
        DescribedIncrement => count(words, 1),
        DescribedDecrement => count(words, u64::MAX),
        DescribedAdd => count(words, b),
        DescribedAssign => {
            words[0] = b;
            0
        }
        DescribedReset => clear(words, 1),
        DescribedNumber => words[0],
    })
}

/// Adds to a counter, which has 32 bits with a sign like all of SLICC's `int`.
fn count(words: &mut [u64], step: u64) -> u64 {
    words[0] = (words[0] as i32).wrapping_add(step as i32) as i64 as u64;
    words[0]
}

fn clear(words: &mut [u64], width: usize) -> u64 {
    words[..width].fill(0);
    0
}

/// The number of an element, or the number that it would have.
fn find(words: &[u64], element: u64) -> Result<usize, usize> {
    let length = words[0].min(MOST_ELEMENTS as u64) as usize;
    words.get(1..1 + length).unwrap_or_default().binary_search(&element)
}

/// Adds an element, with a value if this is a map. Returns whether it is new.
fn insert(words: &mut [u64], element: u64, value: Option<u64>) -> Result<bool, Misuse> {
    let place = find(words, element);
    let (Ok(at) | Err(at)) = place;
    if place.is_err() {
        let length = words[0] as usize;
        if length >= MOST_ELEMENTS {
            return Err(Misuse::DescribedFull(MOST_ELEMENTS as u64));
        }
        words[0] += 1;
        words.copy_within(1 + at..1 + length, 2 + at);
        words[1 + at] = element;
        if value.is_some() {
            let values = 1 + MOST_ELEMENTS;
            words.copy_within(values + at..values + length, values + at + 1);
        }
    }
    if let Some(value) = value {
        words[1 + MOST_ELEMENTS + at] = value;
    }
    Ok(place.is_err())
}

/// Removes an element, with its value if this is a map. Returns whether it was there.
fn remove(words: &mut [u64], element: u64, has_values: bool) -> bool {
    let Ok(at) = find(words, element) else { return false };
    let length = words[0] as usize;
    words[0] -= 1;
    let firsts = if has_values { &[1, 1 + MOST_ELEMENTS][..] } else { &[1] };
    for first in firsts {
        words.copy_within(first + at + 1..first + length, first + at);
        words[first + length - 1] = 0;
    }
    true
}

#[cfg(test)]
mod tests {
    use DescribedFunction::*;

    use super::*;

    #[test]
    fn equal_sets_and_maps_have_equal_words() {
        let mut one = vec![0; 1 + 2 * MOST_ELEMENTS];
        let mut other = one.clone();
        for (key, value) in [(64, 1), (0, 2), (128, 3), (64, 4)] {
            assert_eq!(call(DescribedMapSet, &mut one, key, value), Ok(0));
        }
        for (key, value) in [(0, 2), (256, 9), (128, 3), (64, 4)] {
            assert_eq!(call(DescribedMapSet, &mut other, key, value), Ok(0));
        }
        assert_eq!(call(DescribedMapRemove, &mut other, 256, 0), Ok(1));
        assert_eq!(call(DescribedMapRemove, &mut other, 256, 0), Ok(0));
        assert_eq!(one, other);
        assert_eq!(call(DescribedMapGet, &mut one, 64, 0), Ok(4));
        assert_eq!(call(DescribedMapGet, &mut one, 65, 0), Ok(0));
        assert_eq!(call(DescribedSetSize, &mut one, 0, 0), Ok(3));
        assert_eq!(call(DescribedMapClear, &mut one, 0, 0), Ok(0));
        assert!(one.iter().all(|word| *word == 0));
    }

    #[test]
    fn a_set_that_is_full_is_a_misuse() {
        let mut words = vec![0; 1 + MOST_ELEMENTS];
        for element in (0..MOST_ELEMENTS as u64).rev() {
            assert_eq!(call(DescribedSetAdd, &mut words, element, 0), Ok(1));
        }
        assert_eq!(call(DescribedSetAdd, &mut words, 7, 0), Ok(0));
        assert_eq!(
            call(DescribedSetAdd, &mut words, 1 << 40, 0),
            Err(Misuse::DescribedFull(MOST_ELEMENTS as u64))
        );
        assert_eq!(call(DescribedSetRemove, &mut words, 0, 0), Ok(1));
        assert_eq!(call(DescribedSetContains, &mut words, 0, 0), Ok(0));
        assert_eq!(call(DescribedSetContains, &mut words, 255, 0), Ok(1));
    }
}
