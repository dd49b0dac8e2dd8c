//! Under PSO, where a location's accesses lie in main chains (see [`crate::saturate`]).

use rustc_hash::FxHashMap;

use crate::events::{Events, NONE};
use crate::model::Model;

/// Per location and thread, the accesses in the main chain and the plain stores.
#[derive(Debug, Default)]
pub struct Accesses {
    needed: bool,
    /// Main-chain accesses, in order.
    main: FxHashMap<(u32, u32), Vec<u32>>,
    /// Plain stores, in order.
    stores: FxHashMap<(u32, u32), Vec<u32>>,
    /// Per thread, the operations that drain all its stores, in order.
    drains: Vec<Vec<u32>>,
}

impl Accesses {
    /// Indexes the accesses; empty unless the model is PSO. Cost: linear.
    pub fn new(events: &Events) -> Accesses {
        let mut accesses = Accesses {
            needed: matches!(events.model, Model::Pso(_)),
            drains: vec![Vec::new(); events.threads],
            ..Accesses::default()
        };
        if !accesses.needed {
            return accesses;
        }
        for event in 0..events.len() as u32 {
            let thread = events.thread(event);
            let key = (events.location[event as usize], thread as u32);
            if events.is_main(event) && events.model.drains_all(events.kind[event as usize]) {
                accesses.drains[thread].push(event);
            }
            if key.0 == NONE {
                continue;
            }
            let list = if events.is_main(event) {
                &mut accesses.main
            } else {
                &mut accesses.stores
            };
            list.entry(key).or_default().push(event);
        }
        accesses
    }

    /// Whether the model needs them.
    pub fn is_needed(&self) -> bool {
        self.needed
    }

    /// The last access of a location in a thread's main chain up to a position.
    pub fn last_main(
        &self,
        events: &Events,
        location: u32,
        thread: usize,
        position: u32,
    ) -> Option<u32> {
        let list = self.main.get(&(location, thread as u32))?;
        last_up_to(events, list, position)
    }

    /// The last plain store of a location that a thread's main chain has drained up to a position.
    pub fn last_drained(
        &self,
        events: &Events,
        location: u32,
        thread: usize,
        position: u32,
    ) -> Option<u32> {
        let stores = self.stores.get(&(location, thread as u32))?;
        let drain = last_up_to(events, &self.drains[thread], position)?;
        // Events of a thread are numbered in program order.
        let at = stores.partition_point(|&store| store < drain);
        at.checked_sub(1).map(|at| stores[at])
    }
}

fn last_up_to(events: &Events, list: &[u32], position: u32) -> Option<u32> {
    let at = list.partition_point(|&event| events.position[event as usize] <= position);
    at.checked_sub(1).map(|at| list[at])
}
