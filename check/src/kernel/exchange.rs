//! Finds pairs of writes that runs order either way, by moving events of a known run forward.
//!
//! In a run, let a write A come before a write B of its location. If B can be moved before A together with the
//! events that have to move with it, the result is a run that orders the two the other way around. It proves the
//! same for each other pair of writes that changed its order. This needs no search, and looks only at the stretch
//! of the run from A to the last reader of B.
//!
//! **What has to move.** An order of the events is a run if it contains the forced order, and no write S comes
//! between the source of a read and the read itself. So with the events M of the stretch, which
//! move before its others, belong
//! - B and its readers;
//! - what the forced order puts before an event of M;
//! - a read that an S of M would come before, if its source is before both;
//! - for a source of M with a reader that does not move, or a final write, the writes that it would come before.
//!
//! If A has to move too, B cannot be moved in this way, and other methods decide the pair.
//!
//! **Cost.** For each pair that is tried, a few passes over the stretch.

use rustc_hash::{FxHashMap, FxHashSet};

use super::run::{Run, predecessors};
use crate::bounds::Bounds;
use crate::engine::events::{Events, INITIAL, NONE};

/// Number of alternatives that are tried for a pair.
const MOST_ALTERNATIVES: usize = 64;
/// A pass that reverses less than one pair of so many is the last one.
const LEAST_PROGRESS: usize = 16;
/// Number of events of the longest stretch that is tried. Other methods are faster then.
const LONGEST_STRETCH: usize = 1 << 13;

/// The pairs that no exchange reverses, each in the order of the run. `open` are pairs of writes of one location
/// that the forced order leaves unordered. The run becomes another one.
///
/// An exchange starts from the run that the last one left. So later exchanges are tried in other surroundings, and
/// a pair that could not be reversed at first may be later.
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

/// A choice that is left to try: after the first `moved` of the moving events, these move next.
struct Alternative {
    moved: usize,
    next: Vec<u32>,
}

/// A write that would come between a moving write and these readers, which do not move: either it moves, or they do.
/// If there are none, the moving write is final.
struct Overtaken {
    write: u32,
    readers: Vec<u32>,
}

/// The search for the events that have to move so that two writes are reversed. One is used for all pairs of a run.
struct Exchange<'r, 's, 'e> {
    run: &'r mut Run<'s, 'e>,
    events: &'e Events,
    /// The places in the run from the first write to the last event that moves.
    begin: usize,
    end: usize,
    /// Per event, whether it moves; and the moving events, in the order in which they were added.
    moves: Vec<bool>,
    moved: Vec<u32>,
    /// Per location, the place of the write that a pass over the stretch has met, or [`NONE`].
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

    /// Finds what has to move so that the second write comes before the first. Returns whether that is possible, as
    /// far as a few choices show.
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

    /// Keeps only the first `moved` of the moving events.
    fn undo(&mut self, moved: usize) {
        for event in self.moved.drain(moved..) {
            self.moves[event as usize] = false;
        }
        let last = self.moved.iter().map(|&event| self.run.place(event) as usize + 1);
        self.end = last.max().unwrap_or(self.begin);
    }

    /// Adds events, and what the forced order puts before them.
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

    /// The reads that do not move, and that a moving write would come before although it follows their source.
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

    /// Whether the source of a read comes before the moving write at a place, after the exchange.
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

    /// A write that does not move, and that a moving write would come before although it has readers that do not
    /// move, or is final.
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

    /// The write at the place `other`, which does not move, if it would come between a moving write and readers.
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

    /// Ends a pass over the stretch.
    fn forget_writes(&mut self) {
        for &event in &self.run.order()[self.begin..self.end] {
            let location = self.events.location[event as usize];
            if location != NONE {
                self.write_at[location as usize] = NONE;
            }
        }
    }

    /// The pairs of writes of one location that the last exchange reversed, in the order of the run.
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

    /// Makes the exchange in the run.
    fn apply(&mut self) {
        let mut stretch = self.run.order()[self.begin..self.end].to_vec();
        stretch.sort_by_key(|&event| !self.moves[event as usize]);
        self.run.replace(self.begin, &stretch);
    }
}
