//! [`BlockerSearch`]: finds a write that must come before the readers of another write, by searching
//! backwards from the readers through events that are not placed.

use crate::engine::choice::WriteOrderChoice;
use crate::engine::clocks::is_exceeded;
use crate::engine::events::{Events, NONE};
use crate::engine::frontier::Frontier;
use crate::engine::saturate::Saturation;

/// Number of events after which a search gives up and finds nothing. If readers are that far ahead,
/// visiting everything that precedes them again and again would cost too much.
const MAX_VISITS: usize = 2048;

/// Number of slots that are compared together.
const BLOCK: usize = 16;

/// The `way` of an event that is reached from the readers without passing a lock.
const DIRECT: u32 = u32::MAX;

/// Searches back from the readers of a write for another write of its location, along clocks and
/// along *locks*: a write of a locked location waits for the readers of the write that locks it.
///
/// Cost of a search: O(width) for each reader on the way, and a step for each event that is not
/// placed. Memory: 4 bytes an event.
#[derive(Debug)]
pub(super) struct BlockerSearch {
    /// Per chain and position, the location that is written there, or [`NONE`].
    written: Vec<Vec<u32>>,
    /// Per chain and position, whether the event there drains plain stores of its thread. Empty unless the
    /// model is PSO.
    drains: Vec<Vec<bool>>,
    /// The chain of each group of writes. Empty unless the model is PSO.
    chain_of_group: Vec<u32>,
    /// The number of the current search.
    number: u32,
    /// Per chain, the position up to which it was searched or is placed.
    reached: Vec<u32>,
    /// Per store chain, the number of the search that last set `reached`.
    reached_by: Vec<u32>,
    /// Per location, the number of the last search that met its lock.
    met: Vec<u32>,
    /// Events to search backwards from, each with the last lock on the path to it, as an index into
    /// `locks`, or [`DIRECT`].
    work: Vec<(u32, u32)>,
    /// The locks that were met, each with the one before it on its path.
    locks: Vec<(WriteOrderChoice, u32)>,
    /// The last lock on the path to the write that was found.
    end: u32,
}

impl BlockerSearch {
    /// Creates the search for the chains of a frontier. Cost: linear.
    pub(super) fn new(events: &Events, frontier: &Frontier<'_>) -> BlockerSearch {
        let chains = || (0..frontier.chains()).map(|chain| frontier.chain(chain));
        let written = |&event: &u32| {
            if events.writes(event) { events.location[event as usize] } else { NONE }
        };
        let drains = |&event: &u32| {
            let before = events.po_back.of(event);
            events.is_global(event) && before.iter().any(|&store| !events.is_global(store))
        };
        let mut blockers = BlockerSearch {
            written: chains().map(|chain| chain.iter().map(written).collect()).collect(),
            drains: Vec::new(),
            chain_of_group: Vec::new(),
            number: 0,
            reached: vec![0; frontier.chains()],
            reached_by: vec![0; frontier.chains()],
            met: vec![0; events.locations()],
            work: Vec::new(),
            locks: Vec::new(),
            end: DIRECT,
        };
        if events.stores_by_location() {
            let index = events.write_index();
            let groups = (0..events.locations() as u32).flat_map(|location| index.groups(location));
            let chain = |group| frontier.chain_of(index.members(group)[0]) as u32;
            blockers.chain_of_group = groups.map(chain).collect();
            blockers.drains = chains().map(|chain| chain.iter().map(drains).collect()).collect();
        }
        blockers
    }

    /// Finds another write of the location of `write` that must come before a reader of `write`. Returns
    /// `None` if there is none, or the search visited `MAX_VISITS` events. `locks` has per location the write
    /// that locks it, or [`NONE`].
    pub(super) fn find(
        &mut self,
        write: u32,
        saturation: &Saturation<'_>,
        frontier: &Frontier<'_>,
        locks: &[u32],
    ) -> Option<u32> {
        self.number += 1;
        self.work.clear();
        self.locks.clear();
        let events = saturation.events;
        let slots = events.global_slots();
        self.reached[..slots].copy_from_slice(&frontier.placed()[..slots]);
        let mut search = Search {
            events,
            saturation,
            frontier,
            locked_by: locks,
            write,
            visits_left: MAX_VISITS,
            blockers: self,
        };
        search.run()
    }

    /// The choices on the path to the write that the last search found.
    pub(super) fn choices(&self) -> Vec<WriteOrderChoice> {
        let mut choices = Vec::new();
        let mut at = self.end;
        while let Some(&(choice, before)) = self.locks.get(at as usize) {
            choices.push(choice);
            at = before;
        }
        choices
    }
}

struct Search<'a> {
    events: &'a Events,
    saturation: &'a Saturation<'a>,
    frontier: &'a Frontier<'a>,
    locked_by: &'a [u32],
    write: u32,
    /// How many more events may be visited.
    visits_left: usize,
    blockers: &'a mut BlockerSearch,
}

impl Search<'_> {
    fn run(&mut self) -> Option<u32> {
        self.continue_from_readers(self.write, DIRECT);
        let mut next = 0;
        while let Some(&(event, way)) = self.blockers.work.get(next)
            && self.visits_left > 0
        {
            next += 1;
            if let Some(found) = self.search_before(event, way) {
                self.blockers.end = way;
                return Some(found);
            }
        }
        None
    }

    fn continue_from_readers(&mut self, write: u32, way: u32) {
        let readers = self.frontier.unplaced_readers(write);
        self.blockers.work.extend(readers.map(|reader| (reader, way)));
    }

    /// Searches the chains as far as an event's clock reaches.
    fn search_before(&mut self, event: u32, way: u32) -> Option<u32> {
        let clock = self.saturation.clock(event);
        let slots = self.events.global_slots();
        for first in (0..slots).step_by(BLOCK) {
            let block = first..(first + BLOCK).min(slots);
            let reached = &self.blockers.reached[block.clone()];
            // Usually the clock covers nothing new, so a block of slots is compared at a time.
            if !is_exceeded(reached, &clock[block.clone()]) {
                continue;
            }
            for chain in block {
                if let Some(found) = self.search(chain, clock[chain], way) {
                    return Some(found);
                }
            }
        }
        let by_location = self.events.stores_by_location();
        by_location.then(|| self.search_stores(event, clock, way))?
    }

    /// Searches the store chains that an event follows under PSO: those of its own location, and
    /// those that it drains.
    fn search_stores(&mut self, event: u32, clock: &[u32], way: u32) -> Option<u32> {
        let events = self.events;
        let location = events.location[event as usize];
        if location != NONE {
            for group in events.write_index().range(location) {
                let slot = events.write_index().group(group).slot as usize;
                if slot >= events.global_slots() {
                    let chain = self.blockers.chain_of_group[group] as usize;
                    if let Some(found) = self.search_store_chain(chain, clock[slot], way) {
                        return Some(found);
                    }
                }
            }
        }
        let drained = events.po_back.of(event);
        self.visits_left = self.visits_left.saturating_sub(drained.len());
        drained.iter().find_map(|&store| {
            let chain = self.frontier.chain_of(store);
            self.search_store_chain(chain, events.position[store as usize], way)
        })
    }

    fn search_store_chain(&mut self, chain: usize, until: u32, way: u32) -> Option<u32> {
        let number = self.blockers.number;
        if std::mem::replace(&mut self.blockers.reached_by[chain], number) != number {
            self.blockers.reached[chain] = self.frontier.placed()[chain];
        }
        self.search(chain, until, way)
    }

    /// Searches a chain up to a position.
    fn search(&mut self, chain: usize, until: u32, way: u32) -> Option<u32> {
        let from = self.blockers.reached[chain];
        let until = until.min(from.saturating_add(self.visits_left as u32));
        if from >= until {
            return None;
        }
        self.blockers.reached[chain] = until;
        self.visits_left -= (until - from) as usize;
        let wanted = self.events.location[self.write as usize];
        let (from, until) = (from as usize, until as usize);
        if let Some(drains) = self.blockers.drains.get(chain) {
            let events = &self.frontier.chain(chain)[from..until];
            let found = events.iter().zip(&drains[from..until]);
            let draining = found.filter(|(_, drains)| **drains).map(|(&event, _)| (event, way));
            self.blockers.work.extend(draining);
        }
        for position in from..until {
            let location = self.blockers.written[chain][position];
            if location == NONE {
                continue;
            }
            let is_locked = self.locked_by[location as usize] != NONE;
            if location == wanted {
                let event = self.frontier.chain(chain)[position];
                if event != self.write && self.events.source[event as usize] != self.write {
                    return Some(event);
                }
            } else if is_locked && self.blockers.met[location as usize] != self.blockers.number {
                self.meet_lock(self.frontier.chain(chain)[position], location, way);
            }
        }
        None
    }

    /// Continues the search from the readers of the write that locks the location, since `other` must wait
    /// for them.
    fn meet_lock(&mut self, other: u32, location: u32, way: u32) {
        let write = self.locked_by[location as usize];
        // A reader that writes follows the other readers anyway.
        if self.events.source[other as usize] != write {
            self.blockers.met[location as usize] = self.blockers.number;
            let lock = self.blockers.locks.len() as u32;
            self.blockers.locks.push((WriteOrderChoice { write, other }, way));
            self.continue_from_readers(write, lock);
        }
    }
}
