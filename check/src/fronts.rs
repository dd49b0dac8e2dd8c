//! Per location, what its latest writes are known to come after.
//!
//! Rules R6 and R7 ask which writes of a location precede an event and do not precede a certain
//! other write. As events are visited in about the order of memory, that other write is most
//! often one of the location's latest, and hardly any write lies between. A *front* keeps, for a
//! base write, the first write of every chain that is not known to precede it: what lies between
//! shows by a comparison with the event's clock.

use crate::events::{Events, NONE};

/// How many fronts a location has: enough that one of their bases is known to precede an event
/// although the latest writes may not be ordered with it.
const DEPTH: usize = 8;

/// Fronts of the writes that were visited last. Memory: `4·DEPTH` bytes a group of writes.
#[derive(Debug)]
pub struct Fronts {
    /// Per location, the writes that its fronts belong to, or [`NONE`].
    bases: Vec<[u32; DEPTH]>,
    /// Per location, a bit for each front whose base had R7 applied to all that is behind it. A
    /// base that was not yet visited itself must not take what it knows for done.
    visited: Vec<u8>,
    /// Per location, which front is the latest.
    latest: Vec<u8>,
    /// Per location, when its fronts were made.
    made: Vec<u32>,
    now: u32,
    /// Per group and front, the position of the first write that is ahead; [`NONE`] if none is.
    next: [Vec<u32>; DEPTH],
}

impl Fronts {
    /// No front is made.
    pub fn new(events: &Events) -> Fronts {
        let groups = events.write_index.all_groups();
        Fronts {
            bases: vec![[NONE; DEPTH]; events.locations()],
            visited: vec![0; events.locations()],
            latest: vec![0; events.locations()],
            made: vec![0; events.locations()],
            now: 1,
            next: std::array::from_fn(|_| vec![0; groups]),
        }
    }

    /// Makes all fronts anew when they are next used; needed when clocks go back.
    pub fn forget(&mut self) {
        self.now = self.now.wrapping_add(1);
    }

    /// The latest front of a location whose base fits; `fits` is told the base and whether it was
    /// visited.
    pub fn find(&mut self, location: u32, fits: impl Fn(u32, bool) -> bool) -> Option<usize> {
        let location = location as usize;
        if std::mem::replace(&mut self.made[location], self.now) != self.now {
            self.bases[location] = [NONE; DEPTH];
        }
        let latest = usize::from(self.latest[location]);
        (0..DEPTH)
            .map(|back| (latest + DEPTH - back) % DEPTH)
            .find(|&front| {
                let base = self.bases[location][front];
                base != NONE && fits(base, self.visited[location] & (1 << front) != 0)
            })
    }

    /// Makes a front for a base write with this clock, or one that has every write ahead, in
    /// place of the oldest.
    pub fn rebase(&mut self, events: &Events, location: u32, base: Option<(u32, &[u32])>) -> usize {
        let front = self.replace_oldest(location, base.map_or(NONE, |(base, _)| base));
        let index = &events.write_index;
        let next = &mut self.next[front][index.range(location)];
        for (next, group) in next.iter_mut().zip(index.groups(location)) {
            let known = base.map_or(0, |(_, clock)| {
                index.count_up_to(group, clock[group.slot as usize])
            });
            *next = index.position(group, known).unwrap_or(NONE);
        }
        front
    }

    /// Adds to `found`, per slot, the last write that is ahead of a front and that `clock` knows.
    pub fn collect(
        &self,
        events: &Events,
        location: u32,
        front: usize,
        clock: &[u32],
        found: &mut Vec<u32>,
    ) {
        let index = &events.write_index;
        let next = &self.next[front][index.range(location)];
        for (&next, group) in next.iter().zip(index.groups(location)) {
            let known = clock[group.slot as usize];
            if next <= known {
                // The front's write is one.
                found.push(index.members(group)[index.count_up_to(group, known) - 1]);
            }
        }
    }

    /// Gives a write with this clock a front, made from the front of its own or of a write that
    /// precedes it.
    pub fn advance(
        &mut self,
        events: &Events,
        location: u32,
        front: usize,
        base: u32,
        clock: &[u32],
    ) {
        let index = &events.write_index;
        let range = index.range(location);
        let own = self.bases[location as usize][front];
        let target = if own == base || own == NONE {
            self.bases[location as usize][front] = base;
            front
        } else {
            let target = self.replace_oldest(location, base);
            if target != front {
                let [from, to] = self.next.get_disjoint_mut([front, target]).unwrap();
                to[range.clone()].copy_from_slice(&from[range.clone()]);
            }
            target
        };
        self.visited[location as usize] |= 1 << target;
        let next = &mut self.next[target][range];
        for (next, group) in next.iter_mut().zip(index.groups(location)) {
            let known = clock[group.slot as usize];
            if *next <= known {
                let count = index.count_up_to(group, known);
                *next = index.position(group, count).unwrap_or(NONE);
            }
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
