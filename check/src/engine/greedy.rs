//! Places events one after the other without deriving consequences.
//!
//! On most consistent histories a choice has no consequences beyond its immediate ones, so updating clocks
//! after each choice, as [`crate::engine::search`] does, is wasted work. Here the saturated clocks are not
//! changed. The order that placements add is kept as *locks*: once a write is placed, no other write of
//! its location may be placed until all its readers are.
//!
//! **Choices.** A free write can be placed if none of its readers waits, through clocks and locks, for
//! another write of the location ([`BlockerSearch`]). Of the writes that can be placed, the one of lowest
//! rank is.
//!
//! **Conflicts.** If nothing can be placed, the waiting events form a cycle. The locks on the cycle are
//! choices that cannot all be right. The latest of them is undone; from then on, while all the others are
//! made, its write waits for the write that it had kept out.
//!
//! Placing an event costs O(width). A write also costs the number of events that its readers wait for:
//! about as many as operations were in progress at a time, or [`BlockerSearch`]'s limit.

use host::Bounds;
use rustc_hash::FxHashMap;

use crate::engine::blockers::BlockerSearch;
use crate::engine::choice::WriteOrderChoice;
use crate::engine::effort::Effort;
use crate::engine::events::{Events, NONE};
use crate::engine::frontier::Frontier;
use crate::engine::saturate::Saturation;

/// Number of conflicts without progress after which the greedy search gives up.
const MAX_CONFLICTS_WITHOUT_PROGRESS: u64 = 256;

/// How a greedy search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// Every event is placed.
    Done,
    /// There were too many conflicts without progress, the effort is spent, or a conflict depends on no
    /// choice.
    Stuck,
    /// A bound was met.
    Exceeded,
}

/// The state of a greedy search.
#[derive(Debug)]
pub(super) struct Greedy<'s, 'e> {
    events: &'e Events,
    /// The saturated order.
    pub saturation: &'s mut Saturation<'e>,
    /// The events that are placed.
    pub frontier: Frontier<'e>,
    /// Per location, the write that locks it, or [`NONE`].
    locks: Vec<u32>,
    /// Per location, the free writes that its lock keeps out.
    kept_out: Vec<Vec<u32>>,
    /// Writes that wait because of choices; some of them may wait no longer.
    held_back: Vec<u32>,
    /// Per write, how many of its readers (see [`Events::readers`]) are not placed.
    readers_left: Vec<u32>,
    /// Whether an event is one of those readers.
    is_reader: Vec<bool>,
    /// Per placed event, its number in the order of placements.
    placed_at: Vec<u32>,
    /// The largest number of events that were placed.
    pub best: usize,
    /// Sets of choices that cannot all be right.
    conflicts: Vec<Vec<WriteOrderChoice>>,
    /// Per write, the conflicts with a choice of it.
    conflicts_of: FxHashMap<u32, Vec<u32>>,
    blockers: BlockerSearch,
}

impl<'s, 'e> Greedy<'s, 'e> {
    /// Creates the search with nothing placed. Memory: about 40 bytes an event. Cost: linear.
    pub(super) fn new(saturation: &'s mut Saturation<'e>) -> Greedy<'s, 'e> {
        let events = saturation.events;
        let mut is_reader = vec![false; events.len()];
        let mut readers_left = vec![0; events.len()];
        for write in 0..events.len() as u32 {
            let readers = events.readers.of(write);
            readers_left[write as usize] = readers.len() as u32;
            for &reader in readers {
                is_reader[reader as usize] = true;
            }
        }
        let mut frontier = Frontier::new(events, saturation.ranks());
        frontier.start();
        Greedy {
            blockers: BlockerSearch::new(events, &frontier),
            events,
            saturation,
            frontier,
            locks: vec![NONE; events.locations()],
            kept_out: vec![Vec::new(); events.locations()],
            held_back: Vec::new(),
            readers_left,
            is_reader,
            placed_at: vec![0; events.len()],
            best: 0,
            conflicts: Vec::new(),
            conflicts_of: FxHashMap::default(),
        }
    }

    /// Continues placing events. Conflicts count as contradictions.
    pub(super) fn run(&mut self, bounds: &Bounds, effort: &mut Effort) -> Progress {
        // Most of a small budget is left to the search, which can refute.
        let at_first = MAX_CONFLICTS_WITHOUT_PROGRESS.min(effort.budget / 4);
        let mut conflicts_left = at_first;
        loop {
            while let Some(event) = self.frontier.next(self.saturation) {
                self.place_or_wait(event);
                effort.visits += 1;
                if effort.visits.is_multiple_of(256) && bounds.passed() {
                    return Progress::Exceeded;
                }
            }
            let placed = self.frontier.order().len();
            if placed == self.events.len() {
                return Progress::Done;
            }
            if placed > self.best {
                self.best = placed;
                conflicts_left = at_first;
            }
            if conflicts_left == 0 || effort.is_spent() {
                return Progress::Stuck;
            }
            conflicts_left -= 1;
            effort.contradictions += 1;
            if bounds.passed() {
                return Progress::Exceeded;
            }
            if !self.resolve() {
                return Progress::Stuck;
            }
        }
    }

    /// Undoes all but the first `placed` placements.
    pub(super) fn go_back(&mut self, placed: usize) {
        let back = self.frontier.order()[placed..].to_vec();
        self.frontier.truncate(placed, self.saturation);
        for &event in back.iter().rev() {
            if self.events.writes(event) {
                self.unlock(event);
            }
            if self.is_reader[event as usize] {
                let source = self.events.source[event as usize];
                self.readers_left[source as usize] += 1;
                if self.frontier.is_placed(source) {
                    self.locks[self.events.location[source as usize] as usize] = source;
                }
            }
        }
        // Writes that waited because of an undone choice are offered again.
        let held_back = std::mem::take(&mut self.held_back);
        self.frontier.offer_heads(held_back);
    }

    /// Records the events that the search placed on the frontier, from number `placed` on.
    pub(super) fn record_placements(&mut self, placed: usize) {
        for at in placed..self.frontier.order().len() {
            self.record(self.frontier.order()[at], at);
        }
        self.best = self.best.max(self.frontier.order().len());
        self.frontier.start();
    }

    /// Records that a choice is wrong whatever the others are.
    pub(super) fn forbid(&mut self, choice: WriteOrderChoice) {
        self.learn(vec![choice]);
    }

    /// The number of the placement that made a choice, if it is made.
    pub(super) fn made_at(&self, choice: WriteOrderChoice) -> Option<usize> {
        let at = |event: u32| self.placed_at[event as usize];
        let is_placed = |event| self.frontier.is_placed(event);
        let WriteOrderChoice { write, other } = choice;
        let is_made = is_placed(write) && (!is_placed(other) || at(write) < at(other));
        is_made.then(|| at(write) as usize)
    }

    /// The placed writes that lock their locations.
    pub(super) fn locks(&self) -> Vec<u32> {
        let locks = self.locks.iter();
        locks.copied().filter(|&write| write != NONE).collect()
    }

    /// Places a free event, or makes it wait for the write that must come first.
    fn place_or_wait(&mut self, event: u32) {
        if self.events.writes(event) {
            if let Some(location) = self.locked(event) {
                return self.kept_out[location].push(event);
            }
            let first = match self.ban(event) {
                Some((other, _)) => Some(other),
                None => self.obstacle(event),
            };
            if let Some(other) = first {
                self.held_back.push(event);
                return self.frontier.wait_for(event, other);
            }
        }
        self.frontier.place(event, self.saturation);
        self.record(event, self.frontier.order().len() - 1);
    }

    /// The location of a write, if a lock keeps the write out.
    fn locked(&self, write: u32) -> Option<usize> {
        let location = self.events.location[write as usize] as usize;
        let lock = self.locks[location];
        // A reader that writes follows the other readers anyway.
        let is_locked = lock != NONE && self.events.source[write as usize] != lock;
        is_locked.then_some(location)
    }

    /// Another write that must come first because of a known conflict, and the number of the conflict.
    fn ban(&self, write: u32) -> Option<(u32, u32)> {
        let mut known = self.conflicts_of.get(&write)?.iter();
        known.find_map(|&number| {
            let choices = &self.conflicts[number as usize];
            let would_be_made = |choice: &WriteOrderChoice| {
                if choice.write == write {
                    !self.frontier.is_placed(choice.other)
                } else {
                    self.is_made(choice)
                }
            };
            let own = choices.iter().find(|choice| choice.write == write)?;
            let bans = choices.iter().all(would_be_made);
            bans.then_some((own.other, number))
        })
    }

    fn is_made(&self, choice: &WriteOrderChoice) -> bool {
        self.made_at(*choice).is_some()
    }

    /// Another write of the location that must come before a reader of this one.
    fn obstacle(&mut self, write: u32) -> Option<u32> {
        if self.readers_left[write as usize] == 0 {
            return None;
        }
        let (saturation, frontier) = (&*self.saturation, &self.frontier);
        self.blockers.find(write, saturation, frontier, &self.locks)
    }

    /// Updates the locks for an event that was placed as number `number`.
    fn record(&mut self, event: u32, number: usize) {
        let at = event as usize;
        self.placed_at[at] = number as u32;
        if self.is_reader[at] {
            let source = self.events.source[at];
            self.readers_left[source as usize] -= 1;
            if self.readers_left[source as usize] == 0 {
                self.unlock(source);
            }
        }
        if self.readers_left[at] > 0 {
            self.locks[self.events.location[at] as usize] = event;
        }
    }

    /// Removes the lock of a write, if it has one, and offers the writes that it kept out.
    fn unlock(&mut self, write: u32) {
        let location = self.events.location[write as usize] as usize;
        if self.locks[location] == write {
            self.locks[location] = NONE;
            let kept_out = std::mem::take(&mut self.kept_out[location]);
            self.frontier.offer_heads(kept_out);
        }
    }

    /// Undoes the latest of the choices that led to a conflict. Returns `false` if no choice did, or the
    /// cycle was not found.
    fn resolve(&mut self) -> bool {
        let Some(mut choices) = self.conflict() else {
            return false;
        };
        choices.sort_unstable();
        choices.dedup();
        let placed_at = |choice: &WriteOrderChoice| self.placed_at[choice.write as usize];
        let Some(latest) = choices.iter().map(placed_at).max() else {
            return false;
        };
        self.go_back(latest as usize);
        self.learn(choices);
        true
    }

    fn learn(&mut self, choices: Vec<WriteOrderChoice>) {
        let number = self.conflicts.len() as u32;
        for choice in &choices {
            self.conflicts_of.entry(choice.write).or_default().push(number);
        }
        self.conflicts.push(choices);
    }

    /// The choices on a cycle of events that wait for each other.
    fn conflict(&mut self) -> Option<Vec<WriteOrderChoice>> {
        let mut path: Vec<Vec<WriteOrderChoice>> = Vec::new();
        // Per chain, its index on the path.
        let mut visited = vec![NONE; self.frontier.chains()];
        let has_head = |&chain: &usize| self.frontier.head(chain).is_some();
        let mut chain = (0..visited.len()).find(has_head)?;
        while visited[chain] == NONE {
            visited[chain] = path.len() as u32;
            let (next, choices) = self.waits_for(self.frontier.head(chain)?)?;
            path.push(choices);
            chain = next;
        }
        Some(path.split_off(visited[chain] as usize).concat())
    }

    /// The chain that a head waits for, and the choices because of which it does.
    fn waits_for(&mut self, head: u32) -> Option<(usize, Vec<WriteOrderChoice>)> {
        if let Some((chain, _)) = self.frontier.blocker(head, self.saturation) {
            return Some((chain as usize, Vec::new()));
        }
        if let Some(location) = self.locked(head) {
            let write = self.locks[location];
            let reader = self.frontier.unplaced_readers(write).next()?;
            let choice = WriteOrderChoice { write, other: head };
            return Some((self.frontier.chain_of(reader), vec![choice]));
        }
        if let Some((other, number)) = self.ban(head) {
            let choices = self.conflicts[number as usize].iter();
            let others = choices.filter(|choice| choice.write != head).copied();
            return Some((self.frontier.chain_of(other), others.collect()));
        }
        let other = self.obstacle(head)?;
        Some((self.frontier.chain_of(other), self.blockers.choices()))
    }
}
