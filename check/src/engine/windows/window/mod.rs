//! [`Window`]: some unplaced events, and the order that is known among them.

use crate::engine::events::{INITIAL, NONE};

use super::Input;
use host::Bounds;

/// The events of a window are in conflict: the order required among them is cyclic, or contradicts the
/// prefix. Where bounds are asked, it also means that one was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Conflict;

/// An edge between two slots.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: u32,
    to: u32,
    next_in: u32,
    next_out: u32,
}

/// The state of a slot besides its row. It is one struct because its fields are used together.
#[derive(Clone, Copy, Debug)]
struct SlotState {
    /// The values of [`Window::visits`] when the row last changed, when it was last computed, and when it was
    /// last passed on.
    changed: u32,
    visited: u32,
    passed_on: u32,
    /// The numbers of the edges into the slot and out of it that were added last.
    first_in: u32,
    first_out: u32,
    /// The number of the slot in the order.
    rank: u32,
    /// Whether the member is not placed.
    is_live: bool,
    /// Whether the row, or what the rules say about it, may have to change.
    is_dirty: bool,
}

/// Unplaced events, called members, with their reachability along the known edges, as rows of bits.
///
/// Each member has a *slot*. Members that are placed keep theirs, until [`Window::compact`] numbers the
/// others anew. Memory: n²/8 bytes for n slots.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    /// The event of each slot.
    members: Vec<u32>,
    /// Per event of the history, its slot, or [`NONE`].
    slot_of: Vec<u32>,
    state: Vec<SlotState>,
    /// The unplaced members; after [`Window::sort`], in a topological order of the edges.
    order: Vec<u32>,
    is_sorted: bool,
    edges: Vec<Edge>,
    rows: Vec<u64>,
    /// Number of words of a row.
    stride: usize,
    /// The first word of a row that can have a bit for an unplaced member.
    first_word: usize,
    /// Number of visits so far.
    visits: u32,
    /// During a sweep, a bit for the number in the order of each dirty slot.
    dirty_ranks: Vec<u64>,
    /// Number of dirty slots.
    dirty: usize,
    /// Per location, its last member that writes, and per slot the one before.
    last_write: Vec<u32>,
    write_before: Vec<u32>,
    /// Per slot, the last member that reads from it, and per slot of a reader the one before.
    last_reader: Vec<u32>,
    reader_before: Vec<u32>,
    /// Per slot, during a sort, how many of its predecessors are not sorted.
    before: Vec<u32>,
    /// Number of members in all sweeps so far.
    work: usize,
}

impl Window {
    /// The empty window, with this many slots.
    pub(super) fn new(input: &Input<'_>, slots: usize) -> Window {
        Window {
            slot_of: vec![NONE; input.nodes()],
            last_write: vec![NONE; input.locations()],
            stride: slots.div_ceil(64),
            ..Window::default()
        }
    }

    /// Memory that a window of this many slots takes without its edges, in bytes.
    pub(super) fn bytes(slots: usize) -> usize {
        slots
            * (slots.div_ceil(64) * size_of::<u64>()
                + size_of::<SlotState>()
                + 6 * size_of::<u32>())
    }

    /// Number of slots in use.
    pub(super) fn slots(&self) -> usize {
        self.members.len()
    }

    /// Number of slots.
    pub(super) fn capacity(&self) -> usize {
        self.stride * 64
    }

    /// The unplaced members, after a sort in a topological order.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// The event of a slot.
    #[inline]
    pub(super) fn event(&self, slot: u32) -> u32 {
        self.members[slot as usize]
    }

    /// The slot of an unplaced member.
    #[inline]
    pub(super) fn slot(&self, event: u32) -> Option<u32> {
        let slot = self.slot_of[event as usize];
        (slot != NONE).then_some(slot)
    }

    /// The number of a slot in the order.
    pub(super) fn rank(&self, slot: u32) -> u32 {
        self.state[slot as usize].rank
    }

    /// Removes all members and edges, and sets the number of slots.
    ///
    /// # Errors
    /// Returns [`Conflict`] if the bounds do not allow the memory for so many slots.
    pub(super) fn clear(
        &mut self,
        input: &Input<'_>,
        slots: usize,
        bounds: &Bounds,
    ) -> Result<(), Conflict> {
        for &event in &self.members {
            self.slot_of[event as usize] = NONE;
            let location = input.location[event as usize];
            if location != NONE {
                self.last_write[location as usize] = NONE;
            }
        }
        for list in [
            &mut self.members,
            &mut self.order,
            &mut self.write_before,
            &mut self.last_reader,
            &mut self.reader_before,
        ] {
            list.clear();
        }
        self.state.clear();
        self.first_word = 0;
        self.dirty = 0;
        self.edges.clear();
        self.stride = slots.div_ceil(64);
        self.rows.clear();
        let words = slots * self.stride;
        if words > self.rows.capacity() {
            self.rows = Vec::new();
            if !bounds.allows(Window::bytes(slots)) {
                return Err(Conflict);
            }
            self.rows.reserve_exact(words);
        }
        Ok(())
    }

    /// Makes room for the edges that one event can add: from or to each of its predecessors, its readers and the writes of its
    /// location.
    ///
    /// # Errors
    /// Returns [`Conflict`] if the bounds do not allow the memory.
    #[inline]
    pub(super) fn make_room(&mut self, bounds: &Bounds) -> Result<(), Conflict> {
        let more = 3 * self.members.len();
        if self.edges.capacity() - self.edges.len() >= more {
            return Ok(());
        }
        if !bounds.allows_items(&self.edges, more) {
            return Err(Conflict);
        }
        self.edges.reserve(more);
        Ok(())
    }

    /// Adds a member and returns its slot. There must be a free slot.
    pub(super) fn push(&mut self, input: &Input<'_>, event: u32) -> u32 {
        let slot = self.members.len() as u32;
        self.members.push(event);
        self.slot_of[event as usize] = slot;
        self.state.push(SlotState {
            rank: self.order.len() as u32,
            first_in: NONE,
            first_out: NONE,
            changed: 0,
            visited: 0,
            passed_on: 0,
            is_live: true,
            is_dirty: false,
        });
        self.order.push(slot);
        self.is_sorted = false;
        self.rows.resize(self.rows.len() + self.stride, 0);
        self.write_before.push(NONE);
        self.last_reader.push(NONE);
        self.reader_before.push(NONE);
        self.link_reader(input, slot);
        if input.writes[event as usize] {
            let last = &mut self.last_write[input.location[event as usize] as usize];
            self.write_before[slot as usize] = std::mem::replace(last, slot);
        }
        self.touch(slot);
        slot
    }

    /// Adds a member to the readers of its source, if that is a member.
    fn link_reader(&mut self, input: &Input<'_>, slot: u32) {
        let source = input.source[self.event(slot) as usize];
        if source < INITIAL
            && let Some(source) = self.slot(source)
        {
            let last = &mut self.last_reader[source as usize];
            self.reader_before[slot as usize] = std::mem::replace(last, slot);
        }
    }

    /// The last member that reads from a slot.
    #[inline]
    pub(super) fn last_reader(&self, slot: u32) -> Option<u32> {
        Some(self.last_reader[slot as usize]).filter(|&slot| slot != NONE)
    }

    /// The member before this one that reads from its source.
    #[inline]
    pub(super) fn reader_before(&self, slot: u32) -> Option<u32> {
        Some(self.reader_before[slot as usize]).filter(|&slot| slot != NONE)
    }

    /// Replaces a copy of the window by one of its present state, without `slot_of`, which [`Window::restore`] computes. Cost: that
    /// of copying the rows. Returns false, and copies nothing, if the bounds do not allow the memory.
    pub(super) fn save(&mut self, saved: &mut Saved, bounds: &Bounds) -> bool {
        *saved = Saved::default();
        let bytes = Window::bytes(self.slots()) + self.edges.len() * size_of::<Edge>();
        if !bounds.allows(bytes) {
            return false;
        }
        let slot_of = std::mem::take(&mut self.slot_of);
        saved.0 = self.clone();
        self.slot_of = slot_of;
        true
    }

    /// Restores the window. Since it was saved, members may have been placed, but none admitted.
    pub(super) fn restore(&mut self, Saved(copy): &Saved) {
        // The window is emptied first, so that there are never three of them.
        let Window { slot_of, work, .. } = std::mem::take(self);
        *self = Window { slot_of, work, ..copy.clone() };
        for slot in (0..self.members.len()).filter(|&slot| self.state[slot].is_live) {
            self.slot_of[self.members[slot] as usize] = slot as u32;
        }
    }

    /// Numbers the unplaced members anew, with this number of slots.
    ///
    /// # Errors
    /// Returns [`Conflict`] if the bounds do not allow the memory for so many slots.
    pub(super) fn compact(
        &mut self,
        input: &Input<'_>,
        slots: usize,
        bounds: &Bounds,
    ) -> Result<(), Conflict> {
        if !bounds.allows(self.edges.len() * size_of::<(u32, u32)>()) {
            return Err(Conflict);
        }
        self.forget_placed(input);
        let members: Vec<u32> = self.order.iter().map(|&slot| self.event(slot)).collect();
        let event = |slot: u32| self.members[slot as usize];
        let live = |slot: u32| self.state[slot as usize].is_live;
        let edges = self.edges.iter().filter(|edge| live(edge.from) && live(edge.to));
        let edges: Vec<(u32, u32)> = edges.map(|edge| (event(edge.from), event(edge.to))).collect();
        self.clear(input, slots, bounds)?;
        for event in members {
            self.push(input, event);
        }
        // Links the readers again: a read that was served by a store buffer may have been pushed before its
        // source.
        self.last_reader.fill(NONE);
        for slot in 0..self.members.len() as u32 {
            self.link_reader(input, slot);
        }
        for (from, to) in edges {
            if let (Some(from), Some(to)) = (self.slot(from), self.slot(to)) {
                self.link(from, to);
            }
        }
        Ok(())
    }

    /// Removes the placed members from the order, and from the lists of writes.
    pub(super) fn forget_placed(&mut self, input: &Input<'_>) {
        for &slot in &self.order {
            let event = self.members[slot as usize];
            if input.writes[event as usize] {
                self.last_write[input.location[event as usize] as usize] = NONE;
            }
        }
        for slot in 0..self.members.len() as u32 {
            let event = self.members[slot as usize];
            if self.state[slot as usize].is_live && input.writes[event as usize] {
                let last = &mut self.last_write[input.location[event as usize] as usize];
                self.write_before[slot as usize] = std::mem::replace(last, slot);
            }
        }
        let state = &self.state;
        let first = state.iter().position(|slot| slot.is_live);
        self.first_word = first.unwrap_or(state.len()) / 64;
        self.order.retain(|&slot| state[slot as usize].is_live);
    }

    /// Marks a member as placed.
    pub(super) fn retire(&mut self, slot: u32) {
        self.state[slot as usize].is_live = false;
        self.slot_of[self.members[slot as usize] as usize] = NONE;
    }

    /// The last member that writes to a location.
    #[inline]
    pub(super) fn last_write(&self, location: u32) -> Option<u32> {
        Some(self.last_write[location as usize]).filter(|&slot| slot != NONE)
    }

    /// The member before this one that writes to its location.
    #[inline]
    pub(super) fn write_before(&self, slot: u32) -> Option<u32> {
        Some(self.write_before[slot as usize]).filter(|&slot| slot != NONE)
    }

    /// Whether a member is not placed.
    #[inline]
    pub(super) fn is_live(&self, slot: u32) -> bool {
        self.state[slot as usize].is_live
    }

    /// The unplaced members that write to a location.
    pub(super) fn writes(&self, location: u32) -> impl Iterator<Item = u32> {
        let all = std::iter::successors(self.last_write(location), |&slot| self.write_before(slot));
        all.filter(|&slot| self.state[slot as usize].is_live)
    }

    /// Marks a slot as dirty, so that it is visited.
    pub(super) fn touch(&mut self, slot: u32) {
        if !std::mem::replace(&mut self.state[slot as usize].is_dirty, true) {
            self.dirty += 1;
            let rank = self.state[slot as usize].rank as usize;
            if let Some(word) = self.dirty_ranks.get_mut(rank / 64) {
                *word |= 1 << (rank % 64);
            }
        }
    }

    /// Counts a sweep over the members.
    pub(super) fn count_sweep(&mut self) {
        self.work += self.order.len();
    }

    /// Prepares sweeps over the dirty slots in their order, which holds until the order changes.
    pub(super) fn prepare_sweeps(&mut self) {
        self.dirty_ranks.clear();
        self.dirty_ranks.resize(self.order.len().div_ceil(64), 0);
        for (rank, &slot) in self.order.iter().enumerate() {
            self.state[slot as usize].rank = rank as u32;
            let bit = u64::from(self.state[slot as usize].is_dirty) << (rank % 64);
            self.dirty_ranks[rank / 64] |= bit;
        }
    }

    /// The next dirty slot of a sweep, from this number in the order on, with that number. Marks it as clean.
    pub(super) fn next_dirty(&mut self, from: u32) -> Option<(u32, u32)> {
        let mut at = from as usize / 64;
        let mut word = *self.dirty_ranks.get(at)? & (u64::MAX << (from % 64));
        while word == 0 {
            at += 1;
            word = *self.dirty_ranks.get(at)?;
        }
        let rank = at as u32 * 64 + word.trailing_zeros();
        let slot = self.order[rank as usize];
        self.take(slot);
        Some((rank, slot))
    }

    /// Marks a slot as clean, so that it is not visited.
    pub(super) fn take(&mut self, slot: u32) {
        if std::mem::replace(&mut self.state[slot as usize].is_dirty, false) {
            self.dirty -= 1;
            let rank = self.state[slot as usize].rank as usize;
            if let Some(word) = self.dirty_ranks.get_mut(rank / 64) {
                *word &= !(1 << (rank % 64));
            }
        }
    }

    /// Number of members in all sweeps so far.
    pub(super) fn work(&self) -> usize {
        self.work
    }

    /// Whether no slot is dirty.
    pub(super) fn is_settled(&self) -> bool {
        self.dirty == 0
    }

    /// Adds an edge between slots, unless the order is known.
    pub(super) fn add(&mut self, from: u32, to: u32) {
        if !self.precedes(from, to) {
            self.link(from, to);
        }
    }

    fn link(&mut self, from: u32, to: u32) {
        let number = self.edges.len() as u32;
        let next_in = std::mem::replace(&mut self.state[to as usize].first_in, number);
        let next_out = std::mem::replace(&mut self.state[from as usize].first_out, number);
        self.edges.push(Edge { from, to, next_in, next_out });
        self.is_sorted &= self.rank(from) < self.rank(to);
        self.touch(to);
    }

    /// The slots that edges lead to from a slot.
    pub(super) fn successors(&self, slot: u32) -> impl Iterator<Item = u32> {
        let mut next = self.state[slot as usize].first_out;
        std::iter::from_fn(move || {
            let edge = self.edges.get(next as usize)?;
            next = edge.next_out;
            Some(edge.to)
        })
    }

    /// Whether an unplaced member is known to precede a slot.
    pub(super) fn waits(&self, slot: u32) -> bool {
        let mut next = self.state[slot as usize].first_in;
        while let Some(edge) = self.edges.get(next as usize) {
            if self.state[edge.from as usize].is_live {
                return true;
            }
            next = edge.next_in;
        }
        false
    }

    /// Per slot, the number of edges into it from unplaced members.
    pub(super) fn count_predecessors(&self) -> Vec<u32> {
        let mut before = vec![0; self.slots()];
        for edge in &self.edges {
            before[edge.to as usize] += u32::from(self.state[edge.from as usize].is_live);
        }
        before
    }

    /// Sorts the unplaced members in a topological order of the edges.
    ///
    /// # Errors
    /// Returns [`Conflict`] if there is a cycle.
    pub(super) fn sort(&mut self) -> Result<(), Conflict> {
        if self.is_sorted {
            return Ok(());
        }
        let mut before = std::mem::take(&mut self.before);
        before.clear();
        before.resize(self.slots(), 0);
        for edge in &self.edges {
            before[edge.to as usize] += u32::from(self.state[edge.from as usize].is_live);
        }
        let mut sorted: Vec<u32> = Vec::with_capacity(self.order.len());
        sorted.extend(self.order.iter().filter(|&&slot| before[slot as usize] == 0));
        let mut at = 0;
        while let Some(&slot) = sorted.get(at) {
            self.state[slot as usize].rank = at as u32;
            at += 1;
            let mut next = self.state[slot as usize].first_out;
            while let Some(edge) = self.edges.get(next as usize) {
                let before = &mut before[edge.to as usize];
                *before -= 1;
                if *before == 0 {
                    sorted.push(edge.to);
                }
                next = edge.next_out;
            }
        }
        self.before = before;
        if sorted.len() < self.order.len() {
            return Err(Conflict);
        }
        self.order = sorted;
        self.is_sorted = true;
        Ok(())
    }

    /// Brings the row of a slot up to date with those of its direct predecessors. Returns whether it has
    /// changed since the slot was last visited.
    ///
    /// # Errors
    /// Returns [`Conflict`] if the slot precedes itself.
    pub(super) fn close(&mut self, slot: u32) -> Result<bool, Conflict> {
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
    pub(super) fn absorb(&mut self, slot: u32, from: u32) {
        let first = self.first_word;
        let words = self.members.len().div_ceil(64) - first;
        let (at, other) =
            (slot as usize * self.stride + first, from as usize * self.stride + first);
        let (row, more) = if at < other {
            let (low, high) = self.rows.split_at_mut(other);
            (&mut low[at..][..words], &high[..words])
        } else {
            let (low, high) = self.rows.split_at_mut(at);
            (&mut high[..words], &low[other..][..words])
        };
        let bit = 1 << (from % 64);
        let word = &mut row[from as usize / 64 - first];
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

    /// Marks the successors of a slot as dirty if its row has changed since it was last passed on.
    pub(super) fn pass_on(&mut self, slot: u32) {
        if self.state[slot as usize].changed <= self.state[slot as usize].passed_on {
            return;
        }
        self.state[slot as usize].passed_on = self.visits;
        let mut next = self.state[slot as usize].first_out;
        while let Some(&Edge { to, next_out, .. }) = self.edges.get(next as usize) {
            self.touch(to);
            next = next_out;
        }
    }

    /// Whether a slot is known to precede another.
    #[inline]
    pub(super) fn precedes(&self, first: u32, second: u32) -> bool {
        let (first, second) = (first as usize, second as usize);
        self.rows[second * self.stride + first / 64] & (1 << (first % 64)) != 0
    }

    /// A bit for each slot that is known to precede this one.
    pub(super) fn row(&self, slot: u32) -> &[u64] {
        &self.rows[slot as usize * self.stride..][..self.members.len().div_ceil(64)]
    }
}

/// A saved copy of a window, for [`Window::restore`].
#[derive(Debug, Default)]
pub(super) struct Saved(Window);

/// Sets the bits of `more` in `bits`.
#[inline]
pub(super) fn union(bits: &mut [u64], more: &[u64]) {
    for (word, more) in bits.iter_mut().zip(more) {
        *word |= more;
    }
}
