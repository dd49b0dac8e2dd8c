//! [`PredecessorCache`]: per location, the writes known to precede its latest events.
//!
//! Rules R6 and R7 need the writes of a location that precede an event but do not precede a certain other
//! write. Events are visited in about the order of memory, so that other write is most often one of the
//! location's latest, and hardly any write lies in between. An *entry* of this cache has, for a base
//! event, the first write of every chain that is not known to precede it. Comparing it with the event's
//! clock gives the writes in between. Transit edges (PSO) need the same for the accesses in main chains.

use crate::engine::clocks::{Clocks, is_later};
use crate::engine::events::{Events, NONE};
use crate::engine::index::Index;

/// Number of entries of a location: enough that the base of one is known to precede an event, even if
/// the latest writes are not ordered with it.
const DEPTH: usize = 8;

/// Number of groups that are compared at a time.
const BLOCK: usize = 16;

/// A position that is larger than that of any event.
const END: u32 = i32::MAX as u32;

/// A group of a location with members between an entry's base and an event.
#[derive(Clone, Copy, Debug)]
struct Passed {
    /// Number of the group among those of the location.
    group: u32,
    /// How many of its members the event's clock covers.
    count: u32,
}

/// A cache of the predecessors of the events that were visited last. Memory: `4·DEPTH` bytes a group of
/// the index.
#[derive(Debug)]
pub(super) struct PredecessorCache {
    /// Per location, the events that its entries belong to, or [`NONE`].
    bases: Vec<[u32; DEPTH]>,
    /// Per location, a bit for each entry whose base was visited, so that the rules were applied to all
    /// of its predecessors.
    visited: Vec<u8>,
    /// Per location, which entry is the latest.
    latest: Vec<u8>,
    /// Per location, the value of `now` when its entries were made.
    made: Vec<u32>,
    /// One more than the number of times that the cache was emptied. Entries of a location whose `made`
    /// differs are discarded.
    now: u32,
    /// Per entry and group, the position of the first member that does not precede the base; [`END`] if
    /// all do.
    next: [Vec<u32>; DEPTH],
    /// The groups that the last query found.
    passed: Vec<Passed>,
}

/// Finds the groups whose next member a clock covers. Usually there are few. If the groups have
/// consecutive slots, a block of them is compared at a time.
fn find_passed(next: &[u32], slots: &[u32], clock: &[u32], passed: &mut Vec<Passed>) {
    for (block, (next, slots)) in next.chunks(BLOCK).zip(slots.chunks(BLOCK)).enumerate() {
        let (first, last) = (slots[0] as usize, slots[slots.len() - 1] as usize);
        let is_contiguous = last - first == slots.len() - 1;
        if is_contiguous && !is_any_passed(next, &clock[first..=last]) {
            continue;
        }
        for (at, (&next, &slot)) in next.iter().zip(slots).enumerate() {
            if next <= clock[slot as usize] {
                let group = (block * BLOCK + at) as u32;
                passed.push(Passed { group, count: 0 });
            }
        }
    }
}

/// Whether a clock covers any of these positions.
fn is_any_passed(next: &[u32], clock: &[u32]) -> bool {
    let mut any = false;
    for (&next, &known) in next.iter().zip(clock) {
        any |= !is_later(next, known);
    }
    any
}

impl PredecessorCache {
    /// Creates a cache without entries.
    pub(super) fn new(index: &Index) -> PredecessorCache {
        let (locations, groups) = (index.locations(), index.all_groups());
        PredecessorCache {
            bases: vec![[NONE; DEPTH]; locations],
            visited: vec![0; locations],
            latest: vec![0; locations],
            made: vec![0; locations],
            now: 1,
            next: std::array::from_fn(|_| vec![0; groups]),
            passed: Vec::new(),
        }
    }

    /// Discards all entries. Needed when changes of clocks are undone.
    pub(super) fn forget(&mut self) {
        self.now = self.now.wrapping_add(1);
    }

    /// Collects in `found`, per group of an event's location, the last member that is known to precede the
    /// event. Members that precede `known` may be left out. Without `known`, members that were returned
    /// for a preceding event may be left out; the caller then has to apply the rules to this event now,
    /// since later queries may rely on that.
    pub(super) fn ahead(
        &mut self,
        (events, clocks, index): (&Events, &Clocks, &Index),
        known: Option<u32>,
        event: u32,
        found: &mut Vec<u32>,
    ) {
        let location = events.location[event as usize];
        let until = known.unwrap_or(event);
        let fits = |base: u32, visited: bool| {
            let same = base == until && (visited || known.is_some());
            same || events.precedes(clocks, base, until)
        };
        let entry = self.find(location, fits).unwrap_or_else(|| {
            let base = known.map(|known| (known, clocks.of(known)));
            self.rebase(index, location, base)
        });
        let clock = clocks.of(event);
        found.clear();
        self.passed.clear();
        let next = &self.next[entry][index.range(location)];
        find_passed(next, index.slots(location), clock, &mut self.passed);
        for Passed { group, count } in &mut self.passed {
            let group = &index.groups(location)[*group as usize];
            *count = index.count_up_to(group, clock[group.slot as usize]) as u32;
            found.push(index.members(group)[*count as usize - 1]);
        }
        if known.is_none() {
            self.advance(index, location, entry, event);
        }
    }

    /// The latest entry of a location whose base fits. `fits` gets the base, and whether it was visited.
    fn find(&mut self, location: u32, fits: impl Fn(u32, bool) -> bool) -> Option<usize> {
        let location = location as usize;
        if std::mem::replace(&mut self.made[location], self.now) != self.now {
            self.bases[location] = [NONE; DEPTH];
        }
        let latest = usize::from(self.latest[location]);
        (0..DEPTH).map(|back| (latest + DEPTH - back) % DEPTH).find(|&entry| {
            let base = self.bases[location][entry];
            base != NONE && fits(base, self.visited[location] & (1 << entry) != 0)
        })
    }

    /// Replaces the oldest entry by one for a base event with this clock, or by one without a base, which
    /// no member precedes.
    fn rebase(&mut self, index: &Index, location: u32, base: Option<(u32, &[u32])>) -> usize {
        let entry = self.replace_oldest(location, base.map_or(NONE, |(base, _)| base));
        let next = &mut self.next[entry][index.range(location)];
        for (next, group) in next.iter_mut().zip(index.groups(location)) {
            let known =
                base.map_or(0, |(_, clock)| index.count_up_to(group, clock[group.slot as usize]));
            *next = index.position(group, known).unwrap_or(END);
        }
        entry
    }

    /// Makes an entry for the event of the last query, whose results are in `passed`, from the entry that
    /// the query used.
    fn advance(&mut self, index: &Index, location: u32, entry: usize, base: u32) {
        let range = index.range(location);
        let own = self.bases[location as usize][entry];
        let target = if own == base || own == NONE {
            self.bases[location as usize][entry] = base;
            entry
        } else {
            let target = self.replace_oldest(location, base);
            if target != entry {
                let [from, to] = self.next.get_disjoint_mut([entry, target]).unwrap();
                to[range.clone()].copy_from_slice(&from[range.clone()]);
            }
            target
        };
        self.visited[location as usize] |= 1 << target;
        let next = &mut self.next[target][range];
        let groups = index.groups(location);
        for &Passed { group, count } in &self.passed {
            let position = index.position(&groups[group as usize], count as usize);
            next[group as usize] = position.unwrap_or(END);
        }
    }

    fn replace_oldest(&mut self, location: u32, base: u32) -> usize {
        let location = location as usize;
        let oldest = (usize::from(self.latest[location]) + 1) % DEPTH;
        self.latest[location] = oldest as u8;
        self.bases[location][oldest] = base;
        self.visited[location] &= !(1 << oldest);
        oldest
    }
}
