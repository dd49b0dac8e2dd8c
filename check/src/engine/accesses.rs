//! [`Accesses`]: under PSO, the accesses of each location in main and barrier chains (see
//! [`crate::engine::saturate`]).

use crate::engine::clocks::Clocks;
use crate::engine::events::{Events, NONE};
use crate::engine::index::Index;

/// Two indexes over the positions of main and barrier chains. Both are empty unless the model is PSO.
#[derive(Debug, Default)]
pub(super) struct Accesses {
    /// The accesses of each location in these chains.
    pub main: Index,
    /// The positions at which operations drain stores of each location; the member of the index is the last
    /// store that is drained there.
    pub drained: Index,
}

impl Accesses {
    /// Indexes the accesses. Cost: O(n log n) for n events.
    pub(super) fn new(events: &Events) -> Accesses {
        if !events.stores_by_location() {
            return Accesses::default();
        }
        let mut main = Vec::new();
        let mut drained = Vec::new();
        // The plain stores that the next draining event of the main chain drains (`stores`), and those that
        // the next event of the barrier chain drains (`unbarred`).
        let mut stores: Vec<u32> = Vec::new();
        let mut unbarred: Vec<u32> = Vec::new();
        let has_barriers = events.has_barriers();
        let mut thread = usize::MAX;
        // Events come thread by thread, in program order.
        for event in 0..events.len() as u32 {
            let at = event as usize;
            if events.thread(event) != thread {
                thread = events.thread(event);
                stores.clear();
                unbarred.clear();
            }
            if !events.is_global(event) {
                stores.push(event);
                if has_barriers {
                    unbarred.push(event);
                }
                continue;
            }
            let (slot, position) = (events.slot[at], events.position[at]);
            if events.location[at] != NONE {
                main.push((events.location[at], slot, position, event));
            }
            let entry = |store: u32| (events.location[store as usize], slot, position, store);
            if !events.is_main(event) {
                drained.extend(unbarred.drain(..).map(entry));
            } else if events.drains(event) {
                drained.extend(stores.drain(..).map(entry));
                if events.binds_stores(event) {
                    unbarred.clear();
                }
            }
        }
        main.sort_unstable();
        drained.sort_unstable();
        // Keeps the last one of the stores drained at once.
        drained.reverse();
        drained.dedup_by_key(|entry| (entry.0, entry.1, entry.2));
        drained.reverse();
        Accesses {
            main: Index::new(events.locations(), &main),
            drained: Index::new(events.locations(), &drained),
        }
    }

    /// Per main and barrier chain, the first position that a path from a plain store can reach without
    /// leaving the store's location; 0 if there is none.
    pub(super) fn exits(&self, events: &Events, clocks: &Clocks, store: u32) -> Vec<u32> {
        let mut exits = vec![0; events.global_slots()];
        let location = events.location[store as usize];
        for group in self.main.groups(location) {
            let known = |&access: &u32| events.precedes(clocks, store, access);
            let first = self.main.members(group).partition_point(|access| !known(access));
            exits[group.slot as usize] = self.main.position(group, first).unwrap_or(0);
        }
        let own = events.thread(store);
        let groups = self.drained.groups(location).iter();
        for group in groups.filter(|group| group.slot as usize % events.threads == own) {
            let first = self.drained.members(group).partition_point(|&last| last < store);
            let drain = self.drained.position(group, first).unwrap_or(0);
            let exit = &mut exits[group.slot as usize];
            let access = *exit;
            *exit = if access == 0 || drain != 0 && drain < access { drain } else { access };
        }
        exits
    }
}
