//! Finds a memory order window by window, without the order that is forced in the whole history.
//!
//! Most histories are consistent, and the place of an event in memory order is decided by the events around
//! it. So events are admitted to a *window* in about the order of memory, the rules are applied to the
//! window alone, some of its events are placed, and others are admitted. What is placed is forgotten, but
//! for the values that memory holds, so everything that is worked on stays in the processor's cache.
//!
//! - `prefix` has the events placed so far;
//! - `window` has the events that are next, and what precedes each of them, as rows of bits: these serve
//!   every preserved program order, whether it consists of few chains or not;
//! - `rules` applies R6 and R7 (see [`crate::engine::saturate`]) to the window;
//! - `placing` places events until the rules are applied again.
//!
//! **Guesses.** A write whose readers are not known to precede every other write of its location is placed
//! by a guess. If the order required of the window then contradicts itself, placements are undone, and made
//! again with fewer guesses between two applications of the rules. This search is not complete. It gives
//! up after some contradictions, or when it takes long for what it has placed; then the stages that keep
//! the whole history decide. What it finds counts only once it has been checked.
//!
//! **Cost.** On random histories, an event is visited about ten times at a cost of some dozen words for each
//! edge, so the time is linear in the history. Memory: about 50 bytes an event.

mod admission;
mod placing;
mod prefix;
mod rules;
mod window;

use crate::bounds::Bounds;
use crate::engine::both::both;
use crate::engine::csr::Csr;
use crate::engine::events::{Events, INITIAL, NONE};
use memory::Model;
use placing::{Caution, Placed, Placing, Scratch};
use prefix::Prefix;
use window::{Conflict, Window};

/// Number of windows that can be undone.
const CHECKPOINTS: usize = 256;
/// Number of contradictions without new placements after which the search gives up in a small history. A large
/// history, where giving up loses more, allows one more for each so many events.
const MAX_CONFLICTS_WITHOUT_PROGRESS: usize = 16;
const EVENTS_PER_FURTHER_CONFLICT: usize = 4096;
/// The patience that is enough where another way to decide is fast.
const PATIENCE: usize = 96;
/// Members of the largest window, in sizes of the smallest.
const MAX_GROWTH: usize = 3;

/// The events to be placed, and the order that is known beforehand. Events are numbered thread by thread in
/// program order; those without a thread come last.
#[derive(Debug)]
pub struct Input<'a> {
    /// Per event, its thread; [`NONE`] for an event that stands for others, as a join of preserved program
    /// order does.
    pub thread: &'a [u32],
    /// Per event, its location; [`NONE`] if it has none.
    pub location: &'a [u32],
    /// Per event that reads, or depends on a read, the source: an event, [`INITIAL`], or [`NONE`] if it is
    /// not known.
    pub source: &'a [u32],
    /// Per event, whether it reads.
    pub reads: &'a [bool],
    /// Per event, whether it writes.
    pub writes: &'a [bool],
    /// Per event, those that precede it in preserved program order, reduced to neighbours.
    pub before: &'a Csr,
    /// Per write, the events whose source it is. Those that precede others of them may be missing.
    pub readers: &'a Csr,
    /// Per location, the events whose source is its initial value.
    pub initial_readers: &'a Csr,
    /// Writes whose values are final.
    pub finals: &'a [u32],
}

impl Input<'_> {
    fn nodes(&self) -> usize {
        self.location.len()
    }

    fn locations(&self) -> usize {
        self.initial_readers.nodes()
    }

    /// Whether an event reads from a write that is not known.
    fn is_open(&self, event: u32) -> bool {
        self.reads[event as usize] && self.source[event as usize] == NONE
    }

    /// Whether a read may have been served by the store buffer of its thread.
    fn is_own_earlier(&self, source: u32, read: u32) -> bool {
        source < read && self.thread[source as usize] == self.thread[read as usize]
    }

    /// Per event that reads, the last write before it of its thread and location, or [`NONE`].
    fn own_writes(&self) -> Vec<u32> {
        let mut own = vec![NONE; self.nodes()];
        let mut last = vec![NONE; self.locations()];
        for event in 0..self.nodes() as u32 {
            let location = self.location[event as usize];
            if location == NONE {
                continue;
            }
            let last = &mut last[location as usize];
            if self.reads[event as usize] && *last != NONE && self.is_own_earlier(*last, event) {
                own[event as usize] = *last;
            }
            if self.writes[event as usize] {
                *last = event;
            }
        }
        own
    }
}

/// How a search by windows ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Ended {
    /// All events, in an order that follows the rules.
    Order(Vec<u32>),
    /// No order was found.
    GaveUp,
    /// A bound was met.
    Exceeded,
}

/// The number of events of a window that is enough on most histories with this number of threads. Where
/// stores wait in buffers, more events are in progress at a time.
pub fn size_for(threads: usize, model: Model) -> usize {
    let in_progress = if model.buffers() || model.is_weak() { 48 } else { 24 };
    (in_progress * threads).clamp(256, 3072)
}

/// Searches a memory order of the events of a model with store buffers, with windows of about `size`
/// events.
pub fn order_of(events: &Events, finals: &[u32], size: usize, bounds: &Bounds) -> Ended {
    let all = 0..events.len() as u32;
    let thread: Vec<u32> = all.clone().map(|event| events.thread(event) as u32).collect();
    let reads: Vec<bool> = events.kind.iter().map(|kind| kind.reads()).collect();
    let writes: Vec<bool> = events.kind.iter().map(|kind| kind.writes()).collect();
    let input = Input {
        thread: &thread,
        location: &events.location,
        source: &events.source,
        reads: &reads,
        writes: &writes,
        before: &events.po_back,
        readers: &events.readers,
        initial_readers: &events.initial_readers,
        finals,
    };
    order(&input, Extent { size, patience: PATIENCE }, bounds)
}

/// How large windows are, and how long the search goes on.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Number of events of a window, about.
    pub size: usize,
    /// Number of members that may be looked at for each that is placed, and for each of the first two
    /// windows, before the search gives up.
    pub patience: usize,
}

/// Searches a memory order.
pub fn order(input: &Input<'_>, extent: Extent, bounds: &Bounds) -> Ended {
    let Extent { size, patience } = extent;
    let (admission, (own, prefix)) = both(
        input.nodes(),
        || admission::order(input),
        || (input.own_writes(), Prefix::new(input)),
    );
    let Some(admission) = admission else {
        return Ended::GaveUp;
    };
    let mut search = Search {
        input,
        order: &admission,
        own,
        prefix,
        window: Window::new(input, size + size / 2),
        scratch: Scratch::new(input),
        admitted: 0,
        smallest: size,
        patience,
        size,
        extra: 0,
        caution: Caution { guesses: usize::MAX, holds: true, banned: Vec::new() },
        locked: Vec::new(),
        checkpoints: Vec::new(),
        conflicts: 0,
        best: 0,
    };
    match search.run(bounds) {
        Some(true) => Ended::Order(search.prefix.into_order()),
        Some(false) => Ended::GaveUp,
        None => Ended::Exceeded,
    }
}

/// The state before the placements of a window.
#[derive(Debug)]
struct Checkpoint {
    placed: usize,
    banned: Vec<u32>,
}

struct Search<'e> {
    input: &'e Input<'e>,
    /// The order in which events are admitted.
    order: &'e [u32],
    /// Per event that reads, the last write before it of its thread and location.
    own: Vec<u32>,
    prefix: Prefix<'e>,
    window: Window,
    scratch: Scratch,
    /// How many events of `order` were admitted.
    admitted: usize,
    /// The smallest number of members.
    smallest: usize,
    /// See [`Extent::patience`].
    patience: usize,
    /// The number of members to admit. Contradictions raise it.
    size: usize,
    /// Number of further members, until some can be placed.
    extra: usize,
    caution: Caution,
    /// Locations that were locked since the rules were applied.
    locked: Vec<u32>,
    checkpoints: Vec<Checkpoint>,
    /// Number of contradictions since `best`.
    conflicts: usize,
    /// The largest number of events that were placed.
    best: usize,
}

impl Search<'_> {
    /// Whether all events could be placed; `None` if a bound was met.
    fn run(&mut self, bounds: &Bounds) -> Option<bool> {
        loop {
            if bounds.passed() {
                return None;
            }
            let goes_on = match self.fill() {
                Ok(()) if self.window.order().is_empty() => return Some(true),
                Ok(()) => self.place(),
                Err(Conflict) => self.go_back(),
            };
            if !goes_on || self.window.work() > self.patience * (self.best + 2 * self.smallest) {
                return Some(false);
            }
        }
    }

    /// Admits further events to the window, and applies the rules.
    fn fill(&mut self) -> Result<(), Conflict> {
        self.window.forget_placed(self.input);
        let size = self.size + self.extra;
        let more = size.saturating_sub(self.window.order().len());
        let end = (self.admitted + more).min(self.order.len());
        if self.window.slots() + end - self.admitted > self.window.capacity() {
            self.window.compact(self.input, size + size / 2);
        }
        for location in std::mem::take(&mut self.locked) {
            self.lock(location);
        }
        for at in self.admitted..end {
            self.admit(self.order[at])?;
        }
        self.admitted = end;
        rules::saturate(self.input, &mut self.window)
    }

    /// Adds an event to the window, and the edges that follow directly.
    fn admit(&mut self, event: u32) -> Result<(), Conflict> {
        let slot = self.window.push(self.input, event);
        for &before in self.input.before.of(event) {
            self.link(before, slot)?;
        }
        let location = self.input.location[event as usize];
        if self.input.reads[event as usize] {
            self.link_source(event, slot)?;
        }
        if location != NONE && self.input.source[event as usize] != NONE {
            self.observe(event, slot, location);
        }
        if self.input.writes[event as usize] {
            for reader in self.prefix.waiting_readers(location) {
                if let Some(reader) = self.window.slot(reader)
                    && reader != slot
                {
                    self.window.add(reader, slot);
                }
            }
            self.link_finals(location);
        }
        Ok(())
    }

    /// Adds an edge from an event, unless it is placed.
    fn link(&mut self, from: u32, to: u32) -> Result<(), Conflict> {
        if self.prefix.is_placed(from) {
            return Ok(());
        }
        let from = self.window.slot(from).ok_or(Conflict)?;
        self.window.add(from, to);
        Ok(())
    }

    /// Applies R4 and R5 to a read.
    fn link_source(&mut self, read: u32, slot: u32) -> Result<(), Conflict> {
        let source = self.input.source[read as usize];
        let own = self.own[read as usize];
        if source == NONE {
            return Ok(());
        }
        if source != INITIAL && !self.input.is_own_earlier(source, read) {
            self.link(source, slot)?;
        }
        if own == NONE || own == source || self.prefix.is_placed(own) {
            return Ok(());
        }
        if source == INITIAL || self.prefix.is_placed(source) {
            return Err(Conflict);
        }
        if let (Some(own), Some(source)) = (self.window.slot(own), self.window.slot(source)) {
            self.window.add(own, source);
        }
        Ok(())
    }

    /// Applies R7 to a new reader: it precedes the writes that its source precedes.
    fn observe(&mut self, event: u32, slot: u32, location: u32) {
        let source = self.input.source[event as usize];
        let is_placed = source == INITIAL || self.prefix.is_placed(source);
        let source = if is_placed { None } else { self.window.slot(source) };
        let follows = |&write: &u32| {
            let follows_source = source.is_some_and(|source| self.window.precedes(source, write));
            write != slot && (is_placed || follows_source)
        };
        let writes: Vec<u32> = self.window.writes(location).filter(follows).collect();
        for write in writes {
            self.window.add(slot, write);
        }
    }

    /// Puts the writes of a location behind the readers of what it holds.
    fn lock(&mut self, location: u32) {
        let writes: Vec<u32> = self.window.writes(location).collect();
        for write in writes {
            for reader in self.prefix.waiting_readers(location) {
                if let Some(reader) = self.window.slot(reader)
                    && reader != write
                {
                    self.window.add(reader, write);
                }
            }
        }
    }

    /// Puts the other writes of a location before the final one.
    fn link_finals(&mut self, location: u32) {
        let is_of = |&&last: &&u32| self.input.location[last as usize] == location;
        let last = self.input.finals.iter().find(is_of);
        if let Some(last) = last.and_then(|&last| self.window.slot(last)) {
            let writes: Vec<u32> = self.window.writes(location).collect();
            for write in writes.into_iter().filter(|&write| write != last) {
                self.window.add(write, last);
            }
        }
    }

    /// Places members of the window. Returns whether the search goes on.
    fn place(&mut self) -> bool {
        if self.checkpoints.len() == CHECKPOINTS {
            self.checkpoints.remove(0);
        }
        let banned = self.caution.banned.clone();
        self.checkpoints.push(Checkpoint { placed: self.prefix.len(), banned });
        let is_all = self.admitted == self.order.len();
        let goal = if is_all { usize::MAX } else { self.size / 4 };
        let Placed { count, is_stopped, locked, .. } =
            Placing::new(self.input, &mut self.prefix, &mut self.window, &mut self.scratch)
                .run(goal, &self.caution);
        self.locked = locked;
        if count > 0 {
            self.caution.banned.clear();
        }
        if self.prefix.len() > self.best {
            self.best = self.prefix.len();
            self.conflicts = 0;
            self.caution.guesses = self.caution.guesses.saturating_mul(8);
        }
        is_stopped || self.adapt(count)
    }

    /// Chooses the next size by the number of members that were placed. Returns whether the search goes on.
    fn adapt(&mut self, count: usize) -> bool {
        if count >= self.size / 16 {
            self.size = self.smallest.max(self.size - self.size / 64);
            self.extra = 0;
            self.caution.holds = true;
            return true;
        }
        if !self.caution.holds {
            let most = MAX_GROWTH * self.smallest;
            let is_all = self.admitted == self.order.len();
            if count == 0 && (self.size + self.extra >= most || is_all) {
                return self.prefix.len() == self.order.len() || self.go_back();
            }
            self.extra = (self.extra + self.size / 2).min(most.saturating_sub(self.size));
        }
        self.caution.holds = false;
        true
    }

    /// Undoes placements after a contradiction. Returns whether the search goes on.
    fn go_back(&mut self) -> bool {
        loop {
            self.conflicts += 1;
            let further = self.order.len() / EVENTS_PER_FURTHER_CONFLICT;
            if self.conflicts > MAX_CONFLICTS_WITHOUT_PROGRESS + further {
                return false;
            }
            let Some(undone) = self.undo() else {
                return false;
            };
            if self.refill(undone).is_ok() {
                return true;
            }
        }
    }

    /// Undoes the placements of the last window in which there were any. Returns them and the members.
    fn undo(&mut self) -> Option<Vec<u32>> {
        while self.checkpoints.last().is_some_and(|last| last.placed == self.prefix.len()) {
            self.checkpoints.pop();
        }
        let Checkpoint { placed, banned } = self.checkpoints.pop()?;
        let mut members = self.prefix.truncate(placed);
        self.caution.banned = banned;
        if self.caution.guesses == 1 {
            self.caution.banned.push(members[0]);
        }
        self.caution.guesses = match self.caution.guesses {
            0..=2 => 1,
            3..=8 => 2,
            _ => 8,
        };
        self.size = (self.size + self.size / 8).min(MAX_GROWTH * self.smallest);
        self.window.forget_placed(self.input);
        members.extend(self.window.order().iter().map(|&slot| self.window.event(slot)));
        Some(members)
    }

    /// Makes a window of these events alone.
    fn refill(&mut self, members: Vec<u32>) -> Result<(), Conflict> {
        self.locked.clear();
        // The contradiction may have come up while events were admitted.
        self.admitted = self.prefix.len() + members.len();
        let size = members.len().max(self.size + self.extra);
        self.window.clear(self.input, size + size / 2);
        members.into_iter().try_for_each(|event| self.admit(event))
    }
}
