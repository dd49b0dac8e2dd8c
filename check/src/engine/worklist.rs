//! [`Worklist`]: events that wait to be visited, in sweeps along a rank.
//!
//! The order derived from an event most often concerns events of a somewhat lower rank. Going back to
//! them at once would visit everything in between again for each of them. A sweep continues for a while
//! and then goes back for all of them together.

/// The value of `lowest` if no event waits behind the cursor.
const NOWHERE: usize = usize::MAX;

/// A set of waiting events, ordered by rank.
#[derive(Debug)]
pub struct Worklist {
    /// The rank of each event.
    rank: Vec<u32>,
    /// The event of each rank.
    event: Vec<u32>,
    /// A bit per rank, set if its event waits.
    waiting: Vec<u64>,
    /// How far, in ranks, a sweep may get ahead of the lowest waiting event behind it.
    sweep: usize,
    /// The rank that the sweep has reached.
    cursor: usize,
    /// Number of waiting events at or ahead of the cursor.
    ahead: usize,
    /// Number of waiting events behind the cursor.
    behind: usize,
    /// The lowest rank that waits behind the cursor.
    lowest: usize,
}

impl Worklist {
    /// Creates an empty worklist. `rank` is a permutation. Sweeps are long enough to cover the operations
    /// that `threads` threads have in progress at a time, and short enough that clocks stay in the
    /// processor's cache.
    pub fn new(rank: Vec<u32>, threads: usize) -> Worklist {
        let mut event = vec![0; rank.len()];
        for (at, &rank) in rank.iter().enumerate() {
            event[rank as usize] = at as u32;
        }
        Worklist {
            waiting: vec![0; rank.len().div_ceil(64)],
            rank,
            event,
            sweep: (32 * threads).max(1024),
            cursor: 0,
            ahead: 0,
            behind: 0,
            lowest: NOWHERE,
        }
    }

    /// The rank of an event.
    pub fn rank(&self, event: u32) -> u32 {
        self.rank[event as usize]
    }

    /// Adds an event, if it does not wait already.
    pub fn push(&mut self, event: u32) {
        let rank = self.rank[event as usize] as usize;
        let (word, bit) = (rank / 64, 1 << (rank % 64));
        if self.waiting[word] & bit != 0 {
            return;
        }
        self.waiting[word] |= bit;
        if self.ahead + self.behind == 0 {
            self.cursor = rank;
        }
        if rank >= self.cursor {
            self.ahead += 1;
        } else {
            self.behind += 1;
            self.lowest = self.lowest.min(rank);
        }
    }

    /// Removes and returns the next event of the sweep whose rank is below `limit`; `None` if no such event
    /// waits.
    pub fn pop(&mut self, limit: usize) -> Option<u32> {
        let far = self.behind > 0 && self.cursor.saturating_sub(self.lowest) >= self.sweep;
        if far {
            self.go_back();
        }
        let rank = match self.next(limit) {
            None if self.behind > 0 => {
                self.go_back();
                self.next(limit)?
            }
            rank => rank?,
        };
        self.waiting[rank / 64] &= !(1 << (rank % 64));
        self.ahead -= 1;
        self.cursor = rank + 1;
        Some(self.event[rank])
    }

    /// Removes an event. Returns whether it was waiting.
    pub fn take(&mut self, event: u32) -> bool {
        let rank = self.rank[event as usize] as usize;
        let (word, bit) = (rank / 64, 1 << (rank % 64));
        if self.waiting[word] & bit == 0 {
            return false;
        }
        self.waiting[word] &= !bit;
        if rank >= self.cursor {
            self.ahead -= 1;
        } else {
            self.behind -= 1;
        }
        true
    }

    /// Removes all events.
    pub fn clear(&mut self) {
        self.waiting.fill(0);
        (self.ahead, self.behind, self.lowest) = (0, 0, NOWHERE);
    }

    fn go_back(&mut self) {
        self.cursor = self.cursor.min(self.lowest);
        self.ahead += std::mem::take(&mut self.behind);
        self.lowest = NOWHERE;
    }

    /// The first waiting rank at or ahead of the cursor and below `limit`.
    fn next(&self, limit: usize) -> Option<usize> {
        if self.ahead == 0 || self.cursor >= limit {
            return None;
        }
        let mut word = self.cursor / 64;
        let mut bits = self.waiting.get(word)? & (u64::MAX << (self.cursor % 64));
        while bits == 0 {
            word += 1;
            if word * 64 >= limit {
                return None;
            }
            bits = *self.waiting.get(word)?;
        }
        let rank = word * 64 + bits.trailing_zeros() as usize;
        (rank < limit).then_some(rank)
    }
}
