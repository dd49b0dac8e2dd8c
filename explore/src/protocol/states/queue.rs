//! A queue of states that wait to be explored.
//!
//! Each state is stored as its difference from the one before: the number of parts that differ, and for each of these the distance from the
//! last one and the new number, as bytes of 7 bits, whose highest bit is set if more bytes follow. The bytes are in blocks, so that a queue
//! of any length takes hardly more memory than its content.

use std::collections::VecDeque;

/// The size of a block, in bytes.
const BLOCK: usize = 1 << 16;
/// The largest size of an encoded number, in bytes.
const NUMBER: usize = 5;

/// A queue of states, all with the same number of parts.
#[derive(Debug, Default)]
pub(super) struct Queue {
    blocks: VecDeque<Vec<u8>>,
    /// The place of the next state in the first block.
    next: usize,
    last_in: Vec<u32>,
    last_out: Vec<u32>,
}

impl Queue {
    /// Adds a state.
    pub(super) fn push(&mut self, state: &[u32]) {
        // Before the first state all parts are `u32::MAX`, so it differs in all of them.
        self.last_in.resize(state.len(), u32::MAX);
        let differ = || {
            let both = state.iter().zip(&self.last_in).enumerate();
            both.filter(|(_, (now, before))| now != before)
        };
        let count = differ().count();
        let needed = NUMBER * (1 + 2 * count);
        if self.blocks.back().is_none_or(|block| block.capacity() - block.len() < needed) {
            self.blocks.push_back(Vec::with_capacity(BLOCK.max(needed)));
        }
        let block = self.blocks.back_mut().expect("there is a block");
        put(block, count as u32);
        let mut last = 0;
        for (at, (&now, _)) in differ() {
            put(block, (at - last) as u32);
            put(block, now);
            last = at;
        }
        self.last_in.copy_from_slice(state);
    }

    /// Takes the state that was added first, if there is one.
    pub(super) fn pop(&mut self, into: &mut Vec<u32>) -> Option<()> {
        self.last_out.resize(self.last_in.len(), u32::MAX);
        while self.next == self.blocks.front()?.len() {
            self.blocks.pop_front();
            self.next = 0;
        }
        let block = self.blocks.front()?;
        let count = get(block, &mut self.next);
        let mut at = 0;
        for _ in 0..count {
            at += get(block, &mut self.next) as usize;
            self.last_out[at] = get(block, &mut self.next);
        }
        into.clear();
        into.extend_from_slice(&self.last_out);
        Some(())
    }

    /// The memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.blocks.iter().map(Vec::capacity).sum()
    }
}

fn put(bytes: &mut Vec<u8>, mut word: u32) {
    while word >= 0x80 {
        bytes.push(word as u8 | 0x80);
        word >>= 7;
    }
    bytes.push(word as u8);
}

/// Decodes the number at `at`, which becomes the place after it.
fn get(bytes: &[u8], at: &mut usize) -> u32 {
    let mut word = 0;
    for shift in (0..32).step_by(7) {
        let byte = bytes[*at];
        *at += 1;
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
        let mut queue = Queue::default();
        let state = |number: u32| -> Vec<u32> {
            (0..9_u32).map(|at| number.wrapping_mul(0x9E37_79B9) >> (3 * at) & 0x3FF).collect()
        };
        let (mut next, mut asked, mut most) = (Vec::new(), 0, 0);
        assert_eq!(queue.pop(&mut next), None);
        for number in 0..30_000 {
            queue.push(&state(number));
            if number % 3 > 0 {
                assert_eq!(queue.pop(&mut next), Some(()));
                assert_eq!(next, state(asked));
                asked += 1;
            }
            most = most.max(queue.blocks.len());
        }
        assert!(most > 2, "{most}");
        for number in asked..30_000 {
            assert_eq!(queue.pop(&mut next), Some(()));
            assert_eq!(next, state(number));
        }
        assert_eq!(queue.pop(&mut next), None);
        assert!(queue.bytes() <= BLOCK, "{} bytes", queue.bytes());
    }
}
