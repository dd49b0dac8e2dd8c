//! [`Window`]: some unplaced events, and the order that is known among them.

mod edges;
mod rows;

use crate::engine::events::{INITIAL, NONE};

use super::Input;
use edges::Edge;
use host::Bounds;
pub(super) use rows::union;

/// The events of a window are in conflict: the order required among them is cyclic, or contradicts the
/// prefix. Where bounds are asked, it also means that one was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Conflict;

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

impl SlotState {
    /// The state of a member without edges that was never visited.
    const NEW: SlotState = SlotState {
        changed: 0,
        visited: 0,
        passed_on: 0,
        first_in: NONE,
        first_out: NONE,
        rank: 0,
        is_live: true,
        is_dirty: false,
    };
}

/// Unplaced events, called members, with their reachability along the known edges, as rows of bits.
///
/// Each member has a *slot*. Members that are placed keep theirs, until [`Window::reclaim`] frees it, or [`Window::compact`] numbers
/// the others anew. Memory: n²/8 bytes for n slots.
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
    /// Slots of placed members that can be used again, the next one last.
    free: Vec<u32>,
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

    /// Number of members that can be added.
    pub(super) fn room(&self) -> usize {
        self.free.len() + self.stride * 64 - self.members.len()
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
        self.free.clear();
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
        let slot = self.free.pop().unwrap_or_else(|| self.add_slot());
        let at = slot as usize;
        self.members[at] = event;
        self.state[at] = SlotState { rank: self.order.len() as u32, ..SlotState::NEW };
        self.rows[at * self.stride..][..self.stride].fill(0);
        self.write_before[at] = NONE;
        self.last_reader[at] = NONE;
        self.reader_before[at] = NONE;
        self.slot_of[event as usize] = slot;
        self.order.push(slot);
        self.is_sorted = false;
        self.link_reader(input, slot);
        if input.writes[event as usize] {
            let last = &mut self.last_write[input.location[event as usize] as usize];
            self.write_before[slot as usize] = std::mem::replace(last, slot);
        }
        self.touch(slot);
        slot
    }

    fn add_slot(&mut self) -> u32 {
        self.members.push(NONE);
        self.state.push(SlotState::NEW);
        self.rows.resize(self.rows.len() + self.stride, 0);
        self.write_before.push(NONE);
        self.last_reader.push(NONE);
        self.reader_before.push(NONE);
        self.members.len() as u32 - 1
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
        let state = &self.state;
        self.order.retain(|&slot| state[slot as usize].is_live);
        for &slot in &self.order {
            let event = self.members[slot as usize];
            if input.writes[event as usize] {
                let last = &mut self.last_write[input.location[event as usize] as usize];
                self.write_before[slot as usize] = std::mem::replace(last, slot);
            }
        }
    }

    /// Frees the slots of placed members, 64 at a time: those whose bits are a word of a row, if all of them were placed. What is known of
    /// the others stays, so they need not be visited again.
    pub(super) fn reclaim(&mut self, input: &Input<'_>) {
        let mut is_used = vec![false; self.stride];
        for &slot in &self.order {
            is_used[slot as usize / 64] = true;
        }
        let words = 0..self.members.len() / 64;
        let unused: Vec<usize> = words.filter(|&word| !is_used[word]).collect();
        self.free.retain(|&slot| is_used[slot as usize / 64]);
        for &word in unused.iter().rev() {
            self.free.extend((64 * word as u32..64 * (word as u32 + 1)).rev());
        }
        for &slot in &self.order {
            let row = &mut self.rows[slot as usize * self.stride..][..self.stride];
            unused.iter().for_each(|&word| row[word] = 0);
        }
        self.forget_edges();
        self.last_reader.fill(NONE);
        for at in 0..self.order.len() {
            self.link_reader(input, self.order[at]);
        }
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
}

/// A saved copy of a window, for [`Window::restore`].
#[derive(Debug, Default)]
pub(super) struct Saved(Window);
