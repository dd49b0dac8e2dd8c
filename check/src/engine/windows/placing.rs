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

/// Linked lists of slots. A slot is in at most one of them.
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

/// Buffers that are reused from window to window, so that they are allocated once.
#[derive(Debug)]
pub(super) struct Scratch {
    /// Per location, the writes that its lock, or a ban, keeps out.
    kept_out: Lists,
    /// Per location, the number of the last search that followed its lock.
    met: Vec<u32>,
    search: u32,
    reach: Vec<u64>,
    seen: Vec<u64>,
}

impl Scratch {
    pub(super) fn new(input: &Input<'_>) -> Scratch {
        Scratch {
            kept_out: Lists::new(input.locations(), 0),
            met: vec![0; input.locations()],
            search: 0,
            reach: Vec::new(),
            seen: Vec::new(),
        }
    }
}

/// A write that must not be placed while its location holds a certain other one, since a contradiction followed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ban {
    pub event: u32,
    /// The write whose value the location holds, or [`INITIAL`](crate::engine::events::INITIAL).
    pub held: u32,
}

/// Restrictions on which writes may be placed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caution<'a> {
    /// Whether a write has to wait until all its readers are members of the window, if the window has another
    /// unplaced write of its location.
    pub holds: bool,
    pub bans: &'a [Ban],
}

/// The result of placing members of a window.
#[derive(Debug)]
pub(super) struct Placed {
    /// Number of members that were placed.
    pub count: usize,
    /// The locations that were locked.
    pub locked: Vec<u32>,
}

/// The state of placing members of a window.
pub(super) struct Placing<'a, 'e> {
    pub input: &'a Input<'e>,
    /// Per event, its number in the order of admission.
    pub position: &'a [u32],
    pub prefix: &'a mut Prefix<'e>,
    pub window: &'a mut Window,
    pub scratch: &'a mut Scratch,
    caution: Caution<'a>,
    /// Per slot, how many of its predecessors are not placed.
    waits: Vec<u32>,
    free: BinaryHeap<Reverse<(u8, u32, u32)>>,
    /// Per slot, the writes that wait until it is placed.
    held_back: Lists,
    /// A bit for each write whose location is locked by a write that was placed since the rules were last
    /// applied.
    kept: Vec<u64>,
    /// The locations that were locked.
    locked: Vec<u32>,
}

impl<'a, 'e> Placing<'a, 'e> {
    pub(super) fn new(
        input: &'a Input<'e>,
        position: &'a [u32],
        prefix: &'a mut Prefix<'e>,
        window: &'a mut Window,
        scratch: &'a mut Scratch,
        caution: Caution<'a>,
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
            position,
            prefix,
            window,
            scratch,
            caution,
        }
    }

    /// Places up to `goal` members.
    pub(super) fn run(mut self, goal: usize) -> Placed {
        for at in 0..self.window.order().len() {
            let slot = self.window.order()[at];
            if self.waits[slot as usize] == 0 {
                self.offer(slot);
            }
        }
        let mut count = 0;
        while count < goal
            && let Some(Reverse((_, _, slot))) = self.free.pop()
        {
            if self.may_be_next(slot) {
                self.place(slot);
                count += 1;
            }
        }
        self.forget();
        Placed { count, locked: self.locked }
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

    /// Adds a slot to those that may be next. First come events that constrain no other, then reads from
    /// unknown sources and writes that are known to be possible, and then guesses: the write that is expected
    /// first.
    fn offer(&mut self, slot: u32) {
        let event = self.window.event(slot);
        let rank = self.window.rank(slot);
        let key = if !self.input.writes[event as usize] {
            (u8::from(self.input.is_open(event)), rank)
        } else if self.is_safe(slot, event) {
            (1, rank)
        } else {
            (2, self.expected(slot, event))
        };
        self.free.push(Reverse((key.0, key.1, slot)));
    }

    /// Estimates when a write is placed, as a number of events from the end of the prefix. The estimate is
    /// the sum of the write's rank in the window, which reflects what is known to precede it, and of its
    /// distance in the order of admission, which is close to program order where little else is known. Each
    /// is raised to the average over the write's readers, since the write keeps other writes out until these
    /// are placed.
    fn expected(&self, slot: u32, write: u32) -> u32 {
        let outside = 2 * self.window.order().len() as u32;
        let (mut ranks, mut positions, mut readers) = (0, 0, 0);
        for reader in self.prefix.readers(write) {
            let rank = self.window.slot(reader).map_or(outside, |slot| self.window.rank(slot));
            ranks += u64::from(rank);
            positions += u64::from(self.position[reader as usize]);
            readers += 1;
        }
        let average = |sum: u64| (sum / u64::max(readers, 1)) as u32;
        let rank = self.window.rank(slot).max(average(ranks));
        let position = self.position[write as usize].max(average(positions));
        rank + position.saturating_sub(self.prefix.len() as u32)
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
    /// may have changed, at the latest in the next window.
    fn may_be_next(&mut self, slot: u32) -> bool {
        let event = self.window.event(slot);
        if !self.input.writes[event as usize] {
            return true;
        }
        let location = self.input.location[event as usize];
        if self.prefix.is_locked(event) || self.is_banned(event, location) {
            self.scratch.kept_out.push(location, slot);
            return false;
        }
        if self.prefix.final_write(location) == Some(event) && self.prefix.writes_left(location) > 1
        {
            return false;
        }
        if self.caution.holds
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

    fn is_banned(&self, write: u32, location: u32) -> bool {
        let held = self.prefix.held(location);
        self.caution.bans.iter().any(|ban| ban.event == write && ban.held == held)
    }

    fn place(&mut self, slot: u32) {
        let event = self.window.event(slot);
        let location = self.input.location[event as usize];
        self.window.retire(slot);
        let unlocks = self.prefix.place(event);
        if self.input.writes[event as usize] && self.prefix.has_readers(event) {
            self.mark_kept(location, true);
            self.locked.push(location);
        } else if unlocks || self.input.writes[event as usize] {
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

    /// The slot of another write of the location that must come before a reader of `write`.
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

    /// For each reached write whose location is locked, adds the unplaced readers of the locking write, and
    /// all that precedes them, to the reached slots. Returns whether it added any.
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
