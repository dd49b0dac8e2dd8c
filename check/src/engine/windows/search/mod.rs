//! [`Search`]: places events window by window; `culprit` undoes placements after a contradiction.

mod culprit;

use super::placing::{Caution, Placed, Placing, Scratch};
use super::prefix::Prefix;
use super::window::{Conflict, Window};
use super::{Input, WindowLimits, rules};
use host::Bounds;

use crate::engine::events::{INITIAL, NONE};
use culprit::Refuted;

/// Number of windows that can be undone.
const CHECKPOINTS: usize = 256;
/// Maximum size of a window, as a multiple of the smallest.
const MAX_GROWTH: usize = 3;

/// Memory of a search besides its window, in bytes for each event of the input.
const BYTES_PER_EVENT: usize = 40;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// All events are placed.
    Complete,
    /// The caller stopped the search.
    Stopped,
    /// The search found no order.
    GaveUp,
    /// One of the [`Bounds`] was met.
    Exceeded,
}

/// The state of a search window by window.
pub(super) struct Search<'e> {
    input: &'e Input<'e>,
    bounds: &'e Bounds,
    /// The order in which events are admitted.
    order: &'e [u32],
    /// Per event that reads, the last write before it of its thread and location.
    own: Vec<u32>,
    /// Per event, its number in `order`.
    position: Vec<u32>,
    prefix: Prefix<'e>,
    window: Window,
    scratch: Scratch,
    /// How many events of `order` were admitted.
    admitted: usize,
    /// The smallest number of members.
    smallest: usize,
    /// See [`WindowLimits::patience`].
    patience: usize,
    /// The number of members to admit. Contradictions raise it.
    size: usize,
    /// Number of members to admit beyond `size`, as long as too few can be placed.
    extra: usize,
    /// Whether a write waits until its readers are members ([`Caution::holds`]).
    holds: bool,
    /// Placements that a contradiction followed from.
    refuted: Vec<Refuted>,
    /// Locations that were locked since the rules were applied.
    locked: Vec<u32>,
    /// The numbers of events that were placed before the last windows, in ascending order.
    checkpoints: Vec<usize>,
    /// Number of contradictions since `best`.
    conflicts: usize,
    /// The largest number of events that were placed.
    best: usize,
}

impl<'e> Search<'e> {
    /// A search that has placed nothing yet. `order` is the order in which events are admitted. `None` if a bound was met.
    pub(super) fn new(
        input: &'e Input<'e>,
        order: &'e [u32],
        extent: WindowLimits,
        bounds: &'e Bounds,
    ) -> Option<Search<'e>> {
        let WindowLimits { size, patience } = extent;
        let slots = size + size / 2;
        let bytes = input.nodes() * BYTES_PER_EVENT + Window::bytes(slots);
        bounds.allows(bytes).then(|| Search {
            input,
            bounds,
            order,
            own: input.own_writes(),
            position: positions(order),
            prefix: Prefix::new(input),
            window: Window::new(input, slots),
            scratch: Scratch::new(input),
            admitted: 0,
            smallest: size,
            patience,
            size,
            extra: 0,
            holds: true,
            refuted: Vec::new(),
            locked: Vec::new(),
            checkpoints: Vec::new(),
            conflicts: 0,
            best: 0,
        })
    }

    /// Places all events, or stops before the first window for which `stops` returns true of the events
    /// placed so far.
    pub(super) fn run(&mut self, mut stops: impl FnMut(&Prefix<'_>) -> bool) -> Progress {
        loop {
            if self.bounds.passed() {
                return Progress::Exceeded;
            }
            if stops(&self.prefix) {
                return Progress::Stopped;
            }
            let goes_on = match self.fill() {
                Ok(()) if self.window.order().is_empty() => return Progress::Complete,
                Ok(()) => self.place(),
                Err(Conflict) => self.go_back(),
            };
            if self.bounds.exceeded().is_some() {
                return Progress::Exceeded;
            }
            if !goes_on || self.window.work() > self.patience * (self.best + 2 * self.smallest) {
                return Progress::GaveUp;
            }
        }
    }

    /// The largest number of events that were placed.
    pub(super) fn best(&self) -> usize {
        self.best
    }

    /// The placed events, in order.
    pub(super) fn into_order(self) -> Vec<u32> {
        self.prefix.into_order()
    }

    /// Admits further events to the window, and applies the rules.
    ///
    /// # Errors
    /// Returns [`Conflict`] if there is a contradiction, or a bound was met.
    fn fill(&mut self) -> Result<(), Conflict> {
        self.window.forget_placed(self.input);
        let size = self.size + self.extra;
        let more = size.saturating_sub(self.window.order().len());
        let end = (self.admitted + more).min(self.order.len());
        if end - self.admitted > self.window.room() {
            self.window.reclaim(self.input);
        }
        if end - self.admitted > self.window.room() {
            self.window.compact(self.input, size + size / 2, self.bounds)?;
        }
        for location in std::mem::take(&mut self.locked) {
            self.lock(location)?;
        }
        for at in self.admitted..end {
            self.admit(self.order[at])?;
        }
        self.admitted = end;
        self.saturate()
    }

    /// Adds an event to the window, and the edges that follow directly.
    fn admit(&mut self, event: u32) -> Result<(), Conflict> {
        self.window.make_room(self.bounds)?;
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
            self.link_early_readers(event, slot, location)?;
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

    /// Applies R6 to the readers of a new write. A read that its own store buffer served may have been admitted
    /// before its source.
    fn link_early_readers(&mut self, event: u32, slot: u32, location: u32) -> Result<(), Conflict> {
        for reader in self.prefix.readers(event) {
            let Some(reader) = self.window.slot(reader) else { continue };
            self.window.make_room(self.bounds)?;
            let precedes = |&write: &u32| write != slot && self.window.precedes(write, reader);
            let writes: Vec<u32> = self.window.writes(location).filter(precedes).collect();
            for write in writes {
                self.window.add(write, slot);
            }
        }
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

    /// Adds edges from the unplaced readers of the value that a location holds to the unplaced writes of the
    /// location.
    ///
    /// # Errors
    /// Returns [`Conflict`] if a bound was met.
    fn lock(&mut self, location: u32) -> Result<(), Conflict> {
        let writes: Vec<u32> = self.window.writes(location).collect();
        for write in writes {
            self.window.make_room(self.bounds)?;
            for reader in self.prefix.waiting_readers(location) {
                if let Some(reader) = self.window.slot(reader)
                    && reader != write
                {
                    self.window.add(reader, write);
                }
            }
        }
        Ok(())
    }

    /// Adds edges from the other writes of a location to the write of its final value.
    fn link_finals(&mut self, location: u32) {
        let last = self.prefix.final_write(location);
        if let Some(last) = last.and_then(|last| self.window.slot(last)) {
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
        self.checkpoints.push(self.prefix.len());
        let is_all = self.admitted == self.order.len();
        let goal = if is_all { usize::MAX } else { self.size / 4 };
        let bans = self.bans();
        let caution = Caution { holds: self.holds, bans: &bans };
        let Search { input, position, prefix, window, scratch, .. } = self;
        let Placed { count, locked } =
            Placing::new(input, position, prefix, window, scratch, caution).run(goal);
        self.locked = locked;
        if self.prefix.len() > self.best {
            self.best = self.prefix.len();
            self.conflicts = 0;
        }
        self.adapt(count)
    }

    /// Chooses the next size by the number of members that were placed. Returns whether the search goes on.
    fn adapt(&mut self, count: usize) -> bool {
        if count >= self.size / 16 {
            self.size = self.smallest.max(self.size - self.size / 64);
            self.extra = 0;
            self.holds = true;
            return true;
        }
        if !self.holds {
            let most = MAX_GROWTH * self.smallest;
            let is_all = self.admitted == self.order.len();
            if count == 0 && (self.size + self.extra >= most || is_all) {
                return self.prefix.len() == self.order.len() || self.leave_dead_end();
            }
            self.extra = (self.extra + self.size / 2).min(most.saturating_sub(self.size));
        }
        self.holds = false;
        true
    }

    /// Applies the rules to the window.
    fn saturate(&mut self) -> Result<(), Conflict> {
        rules::saturate(self.input, &self.prefix, &mut self.window, self.bounds)
    }

    /// Fills the window with these events alone, and applies the rules.
    fn refill(&mut self, members: &[u32]) -> Result<(), Conflict> {
        self.locked.clear();
        // If a contradiction interrupted the admission of events, `admitted` does not count those that were
        // admitted.
        self.admitted = self.prefix.len() + members.len();
        let size = members.len().max(self.size + self.extra);
        self.window.clear(self.input, size + size / 2, self.bounds)?;
        for &event in members {
            self.admit(event)?;
        }
        self.saturate()
    }
}

/// Per event, its number in an order of all events.
fn positions(order: &[u32]) -> Vec<u32> {
    let mut positions = vec![0; order.len()];
    for (position, &event) in order.iter().enumerate() {
        positions[event as usize] = position as u32;
    }
    positions
}
