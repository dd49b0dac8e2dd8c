//! Finds pairs of writes that some runs order one way and some the other, by moving events of a known run
//! towards its start.
//!
//! In a run, let a write A come before a write B of its location. If B can be moved before A together with the
//! events that have to move with it, the result is a run that orders the two the other way around. It is also
//! such a run for each other pair of writes that changed its order. Only the stretch of the run from A to the
//! last event that moves is looked at, and few choices are tried.
//!
//! **Which events have to move.** An order of the events is a run if it contains the forced order and no write
//! comes between a read and its source. Let M be the events of the stretch that move before all its other
//! events. M has to contain
//! - B and its readers;
//! - each event of the stretch that the forced order puts before an event of M;
//! - each read of which a write in M would otherwise come between the read and its source;
//! - for a write in M that is final, each write of its location that it would otherwise come before. If the
//!   write has a reader that does not move, either these writes or the reader have to move.
//!
//! If A has to move too, B cannot be moved in this way, and other methods decide the pair.
//!
//! **Cost.** For each pair that is tried, some passes over the stretch.

use host::Bounds;
use rustc_hash::{FxHashMap, FxHashSet};

use super::run::{Run, predecessors};
use crate::engine::events::{Events, INITIAL, NONE};

/// Maximum number of alternatives that are tried for a pair.
const MOST_ALTERNATIVES: usize = 64;
/// A pass over the pairs is the last one if it reverses at most this fraction (1/16) of them.
const LEAST_PROGRESS: usize = 16;
/// Maximum number of events of a stretch. For longer ones other methods are faster.
const LONGEST_STRETCH: usize = 1 << 13;

/// Reverses pairs of writes by exchanges, and returns the pairs that no exchange reverses, each in the order of
/// the given run. `open` are pairs of writes of one location that the forced order leaves unordered. `run` is
/// replaced by the run after the last exchange.
///
/// Each exchange changes the run that the next one starts from, so a pair that could not be reversed in the
/// first pass may be reversed in a later one.
pub(super) fn without_exchange(
    run: &mut Run<'_, '_>,
    open: &[(u32, u32)],
    bounds: &Bounds,
) -> Vec<(u32, u32)> {
    let mut next: Vec<(u32, u32)> = open.iter().map(|&pair| run.sorted(pair)).collect();
    let mut left: FxHashSet<(u32, u32)> = next.iter().copied().collect();
    let mut exchange = Exchange::new(run);
    loop {
        let before = left.len();
        for (first, second) in std::mem::take(&mut next) {
            if !left.contains(&(first, second)) {
                continue;
            }
            if !bounds.passed() && exchange.reverse(first, second) {
                exchange.reversed().for_each(|pair| {
                    left.remove(&pair);
                });
                exchange.apply();
            } else {
                next.push((first, second));
            }
        }
        next.retain(|pair| left.contains(pair));
        if before - left.len() <= before / LEAST_PROGRESS {
            return next;
        }
    }
}

/// A choice that is left to try: keep the first `moved` of the moving events, and move the events `next` too.
struct Alternative {
    moved: usize,
    next: Vec<u32>,
}

/// A write that would come between a moving write and the readers of that write that do not move. Either the
/// write or the readers have to move. If there are no readers, the moving write is final, and `write` has to move.
struct Overtaken {
    write: u32,
    readers: Vec<u32>,
}

/// The search for the events that have to move to reverse two writes. It is used for all pairs of a run.
struct Exchange<'r, 's, 'e> {
    run: &'r mut Run<'s, 'e>,
    events: &'e Events,
    /// The positions in the run from that of the first write up to one past the last event that moves.
    begin: usize,
    end: usize,
    /// Per event, whether it moves.
    moves: Vec<bool>,
    /// The moving events, in the order in which they were added.
    moved: Vec<u32>,
    /// Per location, the position of the write that the current pass over the stretch remembers, or [`NONE`].
    write_at: Vec<u32>,
}

impl<'r, 's, 'e> Exchange<'r, 's, 'e> {
    fn new(run: &'r mut Run<'s, 'e>) -> Exchange<'r, 's, 'e> {
        let events = run.saturation().events;
        Exchange {
            run,
            events,
            begin: 0,
            end: 0,
            moves: vec![false; events.len()],
            moved: Vec::new(),
            write_at: vec![NONE; events.locations()],
        }
    }

    /// Finds the events that have to move so that the second write comes before the first. Returns whether it found
    /// any; it tries at most [`MOST_ALTERNATIVES`] alternatives.
    fn reverse(&mut self, first: u32, second: u32) -> bool {
        self.undo(0);
        self.begin = self.run.place(first) as usize;
        self.end = self.begin;
        let mut next: Vec<u32> = self.events.readers.of(second).to_vec();
        next.push(second);
        let mut alternatives: Vec<Alternative> = Vec::new();
        let mut tried = 0;
        loop {
            self.add(next);
            if self.moves[first as usize] || self.end - self.begin > LONGEST_STRETCH {
                let Some(other) = alternatives.pop() else { return false };
                tried += 1;
                if tried > MOST_ALTERNATIVES {
                    return false;
                }
                self.undo(other.moved);
                next = other.next;
                continue;
            }
            next = self.overtaken_reads();
            if next.is_empty() {
                let Some(overtaken) = self.overtaken_write() else { return true };
                next = vec![overtaken.write];
                if !overtaken.readers.is_empty() {
                    let moved = self.moved.len();
                    alternatives.push(Alternative { moved, next: overtaken.readers });
                }
            }
        }
    }

    /// Drops all but the first `moved` moving events.
    fn undo(&mut self, moved: usize) {
        for event in self.moved.drain(moved..) {
            self.moves[event as usize] = false;
        }
        let last = self.moved.iter().map(|&event| self.run.place(event) as usize + 1);
        self.end = last.max().unwrap_or(self.begin);
    }

    /// Adds events to the moving ones, with the events of the stretch that the forced order puts before them.
    fn add(&mut self, mut next: Vec<u32>) {
        while let Some(event) = next.pop() {
            let place = self.run.place(event) as usize;
            if place >= self.begin && !std::mem::replace(&mut self.moves[event as usize], true) {
                self.moved.push(event);
                self.end = self.end.max(place + 1);
                next.extend(predecessors(self.run.saturation(), event));
            }
        }
    }

    /// The reads that do not move although a moving write would come between them and their sources.
    fn overtaken_reads(&mut self) -> Vec<u32> {
        let mut found = Vec::new();
        for at in (self.begin..self.end).rev() {
            let event = self.run.order()[at];
            let location = self.events.location[event as usize];
            if location == NONE {
                continue;
            }
            let last = self.write_at[location as usize];
            if self.moves[event as usize] {
                if self.events.writes(event) && last == NONE {
                    self.write_at[location as usize] = at as u32;
                }
            } else if last != NONE && self.comes_before(self.events.source[event as usize], last) {
                found.push(event);
            }
        }
        self.forget_writes();
        found
    }

    /// Whether the source of a read comes before the moving write at the position `write` after the exchange.
    fn comes_before(&self, source: u32, write: u32) -> bool {
        match source {
            NONE => false,
            INITIAL => true,
            _ => {
                let place = self.run.place(source);
                (place as usize) < self.begin || self.moves[source as usize] && place < write
            }
        }
    }

    /// A write that does not move although a moving write would come before it that is final, or that has
    /// readers after it that do not move.
    fn overtaken_write(&mut self) -> Option<Overtaken> {
        let mut found = None;
        for at in self.begin..self.end {
            let event = self.run.order()[at];
            if !self.events.writes(event) {
                continue;
            }
            let location = self.events.location[event as usize] as usize;
            let other = self.write_at[location];
            if !self.moves[event as usize] {
                if other == NONE {
                    self.write_at[location] = at as u32;
                }
            } else if other != NONE {
                found = self.overtaken_by(event, other);
                if found.is_some() {
                    break;
                }
            }
        }
        self.forget_writes();
        found
    }

    /// The write at the position `other`, which does not move, if it would come between the write `moving` and
    /// readers of that write, or if `moving` is final.
    fn overtaken_by(&self, moving: u32, other: u32) -> Option<Overtaken> {
        let write = self.run.order()[other as usize];
        if self.run.is_final(moving) {
            return Some(Overtaken { write, readers: Vec::new() });
        }
        let readers = self.events.readers.of(moving).iter().copied();
        let stays = |&reader: &u32| !self.moves[reader as usize] && self.run.place(reader) > other;
        let readers: Vec<u32> = readers.filter(stays).collect();
        (!readers.is_empty()).then_some(Overtaken { write, readers })
    }

    /// Resets `write_at` after a pass over the stretch.
    fn forget_writes(&mut self) {
        for &event in &self.run.order()[self.begin..self.end] {
            let location = self.events.location[event as usize];
            if location != NONE {
                self.write_at[location as usize] = NONE;
            }
        }
    }

    /// The pairs of writes of one location that the exchange reverses, each in the order of the run before it.
    fn reversed(&self) -> impl Iterator<Item = (u32, u32)> {
        let mut stay: Vec<Vec<u32>> = Vec::new();
        let mut numbers = FxHashMap::default();
        let mut pairs = Vec::new();
        for &event in &self.run.order()[self.begin..self.end] {
            if !self.events.writes(event) {
                continue;
            }
            let next = numbers.len();
            let number = *numbers.entry(self.events.location[event as usize]).or_insert(next);
            if number == stay.len() {
                stay.push(Vec::new());
            }
            if self.moves[event as usize] {
                pairs.extend(stay[number].iter().map(|&other| (other, event)));
            } else {
                stay[number].push(event);
            }
        }
        pairs.into_iter()
    }

    /// Applies the exchange to the run.
    fn apply(&mut self) {
        let mut stretch = self.run.order()[self.begin..self.end].to_vec();
        stretch.sort_by_key(|&event| !self.moves[event as usize]);
        self.run.replace(self.begin, &stretch);
    }
}
