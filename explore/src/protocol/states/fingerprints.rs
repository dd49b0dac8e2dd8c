//! Fingerprints of states instead of states.
//!
//! A state is represented by 64 bits of its hash (hash compaction: Wolper & Leroy, CAV 1993; Stern & Dill, CHARME 1995). Two
//! states with the same fingerprint are taken for one, so that a state, and all that is reachable only through it, may be
//! missed. Of *n* states some pair has the same fingerprint with a probability below *n*² / 2⁶⁵.
//!
//! A state takes 8 bytes, and about 6 in the table that finds it. Those that have not been explored wait in a queue, each as
//! its difference from the one before it.

use std::collections::VecDeque;

use simulate::numbering::{NumberTable, hash_word, make_room};

/// States, numbered in the order in which they were added.
#[derive(Debug, Default)]
pub struct Fingerprints {
    seed: u64,
    prints: Vec<u64>,
    table: NumberTable,
    waiting: Queue,
}

/// The probability, at most, that two of this number of states have the same fingerprint.
pub fn missed(states: usize) -> f64 {
    (states as f64).powi(2) * 0.5_f64.powi(65)
}

impl Fingerprints {
    /// No states. Each seed has its own fingerprints.
    pub fn new(seed: u64) -> Fingerprints {
        Fingerprints { seed: hash_word(seed), ..Fingerprints::default() }
    }

    /// The fingerprint of a state.
    #[inline]
    pub fn fingerprint(&self, state: &[u32]) -> u64 {
        let pairs = state.chunks(2).map(|pair| match *pair {
            [left, right] => u64::from(left) << 32 | u64::from(right),
            _ => u64::from(pair[0]),
        });
        pairs.fold(self.seed, |print, pair| hash_word(print ^ pair))
    }

    /// The number of states and others.
    pub fn len(&self) -> usize {
        self.prints.len()
    }

    /// The number of a state with a fingerprint, if it is known.
    #[inline]
    pub fn find(&self, print: u64) -> Option<u32> {
        self.table.find(print, |number| self.prints[number as usize] == print)
    }

    /// Looks at where [`Fingerprints::find`] will look, at first at the table, then at what it says.
    #[inline]
    pub fn glance(&self, print: u64) -> u32 {
        self.table.glance(print)
    }

    /// See [`Fingerprints::glance`].
    #[inline]
    pub fn glance_again(&self, seen: u32) -> u64 {
        self.prints.get(seen as usize).copied().unwrap_or(0)
    }

    fn number(&mut self, print: u64) -> Result<u32, u32> {
        let prints = &self.prints;
        let number = self.table.number(
            print,
            |number| prints[number as usize] == print,
            |number| prints.get(number as usize).copied().unwrap_or(print),
        );
        if number.is_err() {
            make_room(&mut self.prints, 1);
            self.prints.push(print);
        }
        number
    }

    /// The number of a state. If it is new, it gets the next number, which is returned as an error, and waits until it is
    /// explored.
    pub fn add(&mut self, state: &[u32]) -> Result<u32, u32> {
        let number = self.number(self.fingerprint(state));
        if number.is_err() {
            self.waiting.push(state);
        }
        number
    }

    /// The number of something else than a state, which has a number of its own.
    pub fn number_of_other(&mut self, other: u32) -> Result<u32, u32> {
        self.number(hash_word(!u64::from(other)))
    }

    /// The next state that waits.
    pub fn next(&mut self, into: &mut Vec<u32>) {
        self.waiting.pop(into);
    }

    /// The memory in bytes.
    pub fn bytes(&self) -> usize {
        self.prints.capacity() * size_of::<u64>() + self.table.bytes() + self.waiting.bytes()
    }
}

/// A queue of states. Each is stored as its difference from the one before: the number of parts that differ, and for each of
/// these the distance from the last one and the new number, in bytes of which the highest bit says that more follow.
#[derive(Debug, Default)]
struct Queue {
    bytes: VecDeque<u8>,
    last_in: Vec<u32>,
    last_out: Vec<u32>,
}

impl Queue {
    fn push(&mut self, state: &[u32]) {
        // The first state differs from no parts in all of them.
        self.last_in.resize(state.len(), u32::MAX);
        let differ = || {
            let both = state.iter().zip(&self.last_in).enumerate();
            both.filter(|(_, (now, before))| now != before)
        };
        put(&mut self.bytes, differ().count() as u32);
        let mut last = 0;
        for (at, (&now, _)) in differ() {
            put(&mut self.bytes, (at - last) as u32);
            put(&mut self.bytes, now);
            last = at;
        }
        self.last_in.copy_from_slice(state);
    }

    fn pop(&mut self, into: &mut Vec<u32>) {
        self.last_out.resize(self.last_in.len(), u32::MAX);
        let count = get(&mut self.bytes);
        let mut at = 0;
        for _ in 0..count {
            at += get(&mut self.bytes) as usize;
            self.last_out[at] = get(&mut self.bytes);
        }
        into.clear();
        into.extend_from_slice(&self.last_out);
    }

    fn bytes(&self) -> usize {
        self.bytes.capacity()
    }
}

fn put(bytes: &mut VecDeque<u8>, mut word: u32) {
    while word >= 0x80 {
        bytes.push_back(word as u8 | 0x80);
        word >>= 7;
    }
    bytes.push_back(word as u8);
}

/// The next word of a queue; what is missing in an empty one counts as 0.
fn get(bytes: &mut VecDeque<u8>) -> u32 {
    let mut word = 0;
    for shift in (0..32).step_by(7) {
        let byte = bytes.pop_front().unwrap_or(0);
        word |= u32::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            break;
        }
    }
    word
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
