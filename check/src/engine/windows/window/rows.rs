//! The rows of a window: a bit for each slot that is known to precede another.

use super::edges::Edge;
use super::{Conflict, Window};

impl Window {
    /// Brings the row of a slot up to date with those of its direct predecessors. Returns whether it has
    /// changed since the slot was last visited.
    ///
    /// # Errors
    /// Returns [`Conflict`] if the slot precedes itself.
    pub(in crate::engine::windows) fn close(&mut self, slot: u32) -> Result<bool, Conflict> {
        let mut next = self.state[slot as usize].first_in;
        let since = self.state[slot as usize].visited;
        while let Some(&Edge { from, next_in, .. }) = self.edges.get(next as usize) {
            next = next_in;
            let is_known = self.precedes(from, slot) && self.state[from as usize].changed <= since;
            if !is_known && self.state[from as usize].is_live {
                self.absorb(slot, from);
            }
        }
        self.visits += 1;
        self.state[slot as usize].visited = self.visits;
        let has_changed = since == 0 || self.state[slot as usize].changed > since;
        if self.precedes(slot, slot) { Err(Conflict) } else { Ok(has_changed) }
    }

    /// Adds a slot and everything that precedes it to the row of another.
    pub(in crate::engine::windows) fn absorb(&mut self, slot: u32, from: u32) {
        let words = self.members.len().div_ceil(64);
        let (at, other) = (slot as usize * self.stride, from as usize * self.stride);
        let (row, more) = if at < other {
            let (low, high) = self.rows.split_at_mut(other);
            (&mut low[at..][..words], &high[..words])
        } else {
            let (low, high) = self.rows.split_at_mut(at);
            (&mut high[..words], &low[other..][..words])
        };
        let bit = 1 << (from % 64);
        let word = &mut row[from as usize / 64];
        let mut news = !*word & bit;
        *word |= bit;
        for (word, more) in row.iter_mut().zip(more) {
            news |= more & !*word;
            *word |= more;
        }
        if news != 0 {
            self.visits += 1;
            self.state[slot as usize].changed = self.visits;
        }
    }

    /// Whether a slot is known to precede another.
    #[inline]
    pub(in crate::engine::windows) fn precedes(&self, first: u32, second: u32) -> bool {
        let (first, second) = (first as usize, second as usize);
        self.rows[second * self.stride + first / 64] & (1 << (first % 64)) != 0
    }

    /// A bit for each slot that is known to precede this one.
    pub(in crate::engine::windows) fn row(&self, slot: u32) -> &[u64] {
        &self.rows[slot as usize * self.stride..][..self.members.len().div_ceil(64)]
    }
}

/// Sets the bits of `more` in `bits`.
#[inline]
pub(in crate::engine::windows) fn union(bits: &mut [u64], more: &[u64]) {
    for (word, more) in bits.iter_mut().zip(more) {
        *word |= more;
    }
}
