//! Stores fingerprints of states instead of states: [`Fingerprints`].
//!
//! A state is represented by 64 bits of its hash (hash compaction: Wolper & Leroy, CAV 1993; Stern & Dill, CHARME 1995). Two
//! states with the same fingerprint are taken for one, so that a state, and all that is reachable only through it, may be
//! missed. Of *n* states some pair has the same fingerprint with a probability below *n*² / 2⁶⁵.
//!
//! A state takes about 10 bytes in the table that finds it. Those that have not been explored wait in a queue.

use simulate::numbering::hash_word;

use super::print_table::PrintTable;
use super::queue::Queue;

/// States, numbered in the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct Fingerprints {
    seed: u64,
    table: PrintTable,
    waiting: Queue,
}

/// An upper bound of the probability that two of this number of states have the same fingerprint.
pub(crate) fn missed(states: usize) -> f64 {
    (states as f64).powi(2) * 0.5_f64.powi(65)
}

/// Permutes all words, so that different ones stay different: two states have the same fingerprint only by what their last
/// different parts do, and not by what any part does. (Steele, Lea & Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014, with Stafford's constants.)
#[inline]
fn permuted(word: u64) -> u64 {
    let word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

impl Fingerprints {
    /// Creates an empty collection. `seed` selects the fingerprints.
    pub(super) fn new(seed: u64) -> Fingerprints {
        Fingerprints { seed: hash_word(seed), ..Fingerprints::default() }
    }

    /// The fingerprint of a state.
    #[inline]
    pub(super) fn fingerprint(&self, state: &[u32]) -> u64 {
        let pairs = state.chunks(2).map(|pair| match *pair {
            [left, right] => u64::from(left) << 32 | u64::from(right),
            _ => u64::from(pair[0]),
        });
        pairs.fold(self.seed, |print, pair| permuted(print ^ pair))
    }

    /// The number of states and findings.
    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    /// The number of a state with a fingerprint, if it is known.
    #[inline]
    pub(super) fn find(&self, print: u64) -> Option<u32> {
        self.table.find(print)
    }

    /// Loads the entry at which [`Fingerprints::find`] will look into the processor's caches.
    #[inline]
    pub(super) fn glance(&self, print: u64) -> u32 {
        self.table.glance(print)
    }

    /// The number of a state. If it is new, it gets the next number, which is returned as an error, and waits until it is
    /// explored.
    pub(super) fn add(&mut self, state: &[u32]) -> Result<u32, u32> {
        let number = self.table.number(self.fingerprint(state));
        if number.is_err() {
            self.waiting.push(state);
        }
        number
    }

    /// The number of a finding, which is numbered among the states. `other` identifies the finding.
    pub(super) fn number_of_other(&mut self, other: u32) -> Result<u32, u32> {
        self.table.number(hash_word(!u64::from(other)))
    }

    /// Takes the next state that waits to be explored.
    pub(super) fn next(&mut self, into: &mut Vec<u32>) {
        // If none waits, `into` stays as it is.
        let _ = self.waiting.pop(into);
    }

    /// The memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.table.bytes() + self.waiting.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_wait_in_the_order_in_which_they_came() {
        let mut states = Fingerprints::new(1);
        let state = |number: u32| -> Vec<u32> {
            (0..9_u32).map(|at| number.wrapping_mul(0x9E37_79B9) >> (3 * at) & 0x3FF).collect()
        };
        let mut next = Vec::new();
        let mut asked = 0;
        for number in 0..1000 {
            assert_eq!(states.find(states.fingerprint(&state(number))), None);
            assert_eq!(states.add(&state(number)), Err(number));
            assert_eq!(states.add(&state(number / 2)), Ok(number / 2));
            if number % 3 > 0 {
                states.next(&mut next);
                assert_eq!(next, state(asked));
                asked += 1;
            }
        }
        assert_eq!(states.number_of_other(0), Err(1000));
        assert_eq!(states.number_of_other(0), Ok(1000));
        assert_eq!(states.len(), 1001);
    }

    #[test]
    fn few_states_are_missed() {
        assert!((missed(100_000_000) - 2.7e-4).abs() < 1e-5);
    }
}
