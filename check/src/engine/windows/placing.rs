//! Places members of a window one after the other, without applying the rules in between.
//!
//! A write that is placed *locks* its location until all its readers are placed. Before a write is placed,
//! [`Placing::obstacle`] looks for another write of its location that one of its readers waits for, along
//! the known order and along locks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::engine::events::NONE;

use super::Input;
use super::prefix::Prefix;
use super::window::{Window, union};

/// Lists of slots, a slot in at most one of them.
#[derive(Debug, Default)]
struct Lists {
    first: Vec<u32>,
    next: Vec<u32>,
}

impl Lists {
    fn new(lists: usize, slots: usize) -> Lists {
        Lists { first: vec![NONE; lists], next: vec![NONE; slots] }
    }

    fn push(&mut self, list: u32, slot: u32) {
        self.next[slot as usize] = std::mem::replace(&mut self.first[list as usize], slot);
    }

    fn pop(&mut self, list: u32) -> Option<u32> {
        let first = &mut self.first[list as usize];
        let slot = Some(*first).filter(|&slot| slot != NONE)?;
        *first = self.next[slot as usize];
        Some(slot)
    }
}

/// What is kept between windows, so that it is allocated once.
#[derive(Debug)]
pub(super) struct Scratch {
    /// Per location, the writes that its lock keeps out.
    kept_out: Lists,
    /// Per location, the last search that followed its lock.
    met: Vec<u32>,
    search: u32,
    reach: Vec<u64>,
    seen: Vec<u64>,
}

impl Scratch {
    pub fn new(input: &Input<'_>) -> Scratch {
        Scratch {
            kept_out: Lists::new(input.locations(), 0),
            met: vec![0; input.locations()],
            search: 0,
            reach: Vec::new(),
            seen: Vec::new(),
        }
    }
}

/// What keeps placements from being wrong.
#[derive(Clone, Debug)]
pub(super) struct Caution {
    /// Number of writes that may be placed although it is not known that they can be next.
    pub guesses: usize,
    /// Whether a write waits for its readers to be members, if there is another write that could be next.
    pub holds: bool,
    /// Writes that must not be placed first.
    pub banned: Vec<u32>,
}

/// The result of placing members of a window.
#[derive(Debug)]
pub(super) struct Placed {
    /// Number of members that were placed.
    pub count: usize,
    /// Number of them that were guesses.
    guesses: usize,
    /// Whether more could have been placed by guessing.
    pub is_stopped: bool,
    /// The locations that were locked.
    pub locked: Vec<u32>,
}

/// The state of placing members of a window.
pub(super) struct Placing<'a, 'e> {
    pub input: &'a Input<'e>,
    pub prefix: &'a mut Prefix<'e>,
    pub window: &'a mut Window,
    pub scratch: &'a mut Scratch,
    /// See [`Caution::holds`].
    holds: bool,
    /// Per slot, how many of its predecessors are not placed.
    waits: Vec<u32>,
    free: BinaryHeap<Reverse<(u8, u32, u32)>>,
    /// Per slot, the writes that wait until it is placed.
    held_back: Lists,
    /// A bit for each write whose location was locked since the rules were applied.
    kept: Vec<u64>,
    /// The locations that were locked.
    locked: Vec<u32>,
}

impl<'a, 'e> Placing<'a, 'e> {
    pub fn new(
        input: &'a Input<'e>,
        prefix: &'a mut Prefix<'e>,
        window: &'a mut Window,
        scratch: &'a mut Scratch,
    ) -> Placing<'a, 'e> {
        let size = window.slots();
        let words = size.div_ceil(64);
        scratch.kept_out.next.clear();
        scratch.kept_out.next.resize(size, NONE);
        scratch.reach.resize(words, 0);
        scratch.seen.resize(words, 0);
        Placing {
            waits: window.count_predecessors(),
            free: BinaryHeap::new(),
            held_back: Lists::new(size, size),
            kept: vec![0; words],
            locked: Vec::new(),
            input,
            prefix,
            window,
            scratch,
            holds: true,
        }
    }

    /// Places up to `goal` members.
    pub fn run(mut self, goal: usize, caution: &Caution) -> Placed {
        for at in 0..self.window.order().len() {
            let slot = self.window.order()[at];
            if self.waits[slot as usize] == 0 {
                self.offer(slot);
            }
        }
        self.holds = caution.holds;
        let mut placed = Placed { count: 0, guesses: 0, is_stopped: false, locked: Vec::new() };
        let mut banned = Vec::new();
        while placed.count < goal
            && let Some(Reverse((_, _, slot))) = self.free.pop()
        {
            let event = self.window.event(slot);
            if placed.count == 0 && caution.banned.contains(&event) {
                banned.push(slot);
                continue;
            }
            if !self.may_be_next(slot) {
                continue;
            }
            if self.input.writes[event as usize] && !self.is_safe(slot, event) {
                placed.is_stopped = placed.guesses == caution.guesses;
                if placed.is_stopped {
                    break;
                }
                placed.guesses += 1;
            }
            self.place(slot);
            placed.count += 1;
            std::mem::take(&mut banned).into_iter().for_each(|slot| self.offer(slot));
        }
        self.forget();
        placed.locked = self.locked;
        placed
    }

    fn forget(&mut self) {
        for &slot in self.window.order() {
            let event = self.window.event(slot);
            let location = self.input.location[event as usize];
            if location != NONE {
                self.scratch.kept_out.first[location as usize] = NONE;
            }
        }
    }

    /// Adds a slot to those that may be next. First come those that constrain no other, then writes that
    /// are known to be possible, and then the write whose readers need the fewest others.
    fn offer(&mut self, slot: u32) {
        let event = self.window.event(slot);
        let rank = self.window.rank(slot);
        let key = if !self.input.writes[event as usize] {
            (u8::from(self.input.is_open(event)), rank)
        } else if self.is_safe(slot, event) {
            (1, rank)
        } else {
            (2, rank.max(self.average_rank_of_readers(event)))
        };
        self.free.push(Reverse((key.0, key.1, slot)));
    }

    fn average_rank_of_readers(&self, write: u32) -> u32 {
        let outside = 2 * self.window.order().len() as u32;
        let rank = |reader| self.window.slot(reader).map_or(outside, |slot| self.window.rank(slot));
        let ranks = self.prefix.readers(write).map(rank);
        let (count, sum) =
            ranks.fold((0, 0), |(count, sum), rank| (count + 1, sum + u64::from(rank)));
        (sum / u64::max(count, 1)) as u32
    }

    /// Whether the readers of a write are known to precede the other unplaced writes of its location.
    fn is_safe(&self, slot: u32, write: u32) -> bool {
        if !self.prefix.has_readers(write) {
            return true;
        }
        let location = self.input.location[write as usize];
        self.window.writes(location).all(|other| {
            let event = self.window.event(other);
            other == slot
                || self.prefix.readers(write).all(|reader| {
                    let known = |reader| self.window.precedes(reader, other);
                    reader == event || self.window.slot(reader).is_some_and(known)
                })
        })
    }

    /// Whether a member with no unplaced predecessors can be placed. If not, it is offered again when that
    /// may have changed.
    fn may_be_next(&mut self, slot: u32) -> bool {
        let event = self.window.event(slot);
        if !self.input.writes[event as usize] {
            return true;
        }
        let location = self.input.location[event as usize];
        if self.prefix.is_locked(event) {
            self.scratch.kept_out.push(location, slot);
            return false;
        }
        if self.prefix.final_write(location) == Some(event) && self.prefix.writes_left(location) > 1
        {
            return false;
        }
        if self.holds
            && self.has_other(slot, location)
            && self.prefix.readers(event).any(|reader| self.window.slot(reader).is_none())
        {
            return false;
        }
        if let Some(other) = self.obstacle(slot, event, location) {
            self.held_back.push(other, slot);
            return false;
        }
        true
    }

    fn place(&mut self, slot: u32) {
        let event = self.window.event(slot);
        let location = self.input.location[event as usize];
        self.window.retire(slot);
        let unlocks = self.prefix.place(event);
        if self.input.writes[event as usize] && self.prefix.has_readers(event) {
            self.mark_kept(location, true);
            self.locked.push(location);
        } else if unlocks {
            self.mark_kept(location, false);
            while let Some(kept) = self.scratch.kept_out.pop(location) {
                self.offer(kept);
            }
        }
        let successors: Vec<u32> = self.window.successors(slot).collect();
        for next in successors {
            self.waits[next as usize] -= 1;
            if self.waits[next as usize] == 0 {
                self.offer(next);
            }
        }
        while let Some(held) = self.held_back.pop(slot) {
            self.offer(held);
        }
    }

    fn mark_kept(&mut self, location: u32, is_kept: bool) {
        for slot in self.window.writes(location) {
            let bit = 1 << (slot % 64);
            let word = &mut self.kept[slot as usize / 64];
            *word = if is_kept { *word | bit } else { *word & !bit };
        }
    }

    /// The slot of another write of the location that a reader of this one waits for.
    fn obstacle(&mut self, slot: u32, write: u32, location: u32) -> Option<u32> {
        if !self.prefix.has_readers(write) || !self.has_other(slot, location) {
            return None;
        }
        self.scratch.reach.fill(0);
        self.scratch.seen.fill(0);
        self.scratch.search += 1;
        for reader in self.prefix.readers(write) {
            if let Some(slot) = self.window.slot(reader) {
                union(&mut self.scratch.reach, self.window.row(slot));
            }
        }
        while self.follow_locks() {}
        let reach = &self.scratch.reach;
        self.window.writes(location).find(|&other| {
            reach[other as usize / 64] & (1 << (other % 64)) != 0
                && other != slot
                && self.input.source[self.window.event(other) as usize] != write
        })
    }

    fn has_other(&self, slot: u32, location: u32) -> bool {
        self.window.writes(location).any(|other| other != slot)
    }

    /// Adds to what was reached the readers that keep out writes that were reached, and all that precedes
    /// them. Returns whether there were any.
    fn follow_locks(&mut self) -> bool {
        let mut is_news = false;
        let Scratch { reach, seen, met, search, .. } = &mut *self.scratch;
        for word in 0..reach.len() {
            let mut news = reach[word] & self.kept[word] & !seen[word];
            seen[word] |= news;
            while news != 0 {
                let slot = word as u32 * 64 + news.trailing_zeros();
                news &= news - 1;
                let event = self.window.event(slot);
                let location = self.input.location[event as usize];
                if met[location as usize] == *search {
                    continue;
                }
                met[location as usize] = *search;
                for reader in self.prefix.waiting_readers(location) {
                    if let Some(slot) = self.window.slot(reader) {
                        union(reach, self.window.row(slot));
                        reach[slot as usize / 64] |= 1 << (slot % 64);
                        is_news = true;
                    }
                }
            }
        }
        is_news
    }
}
