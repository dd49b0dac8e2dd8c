//! Lazy caching (Afek, Brown & Merritt, *Lazy Caching*, TOPLAS 1993), with bounded queues.
//!
//! A write waits in its processor's *out* queue. When it reaches memory, it is also put into the
//! *in* queue of every cache, with a star in the writer's own. A processor reads its cache only
//! while none of its own writes waits, in *out* or with a star in *in*. This is sequentially
//! consistent with the writes of a location ordered as they reach memory, not as they are issued.
//! So the simple witness is the wrong one: the method finds cycles for it, and none for [`Witness::MemoryOrder`].

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{Access, Event, MemorySystem, Renaming, SystemSize, Witness, moved};

/// A memory system with lazy caching.
#[derive(Clone, Copy, Debug)]
pub struct LazyCaching {
    /// The size of the system.
    pub size: SystemSize,
    /// Capacity of each queue, in entries.
    pub capacity: usize,
    /// The order of writes that is tried.
    pub witness: Witness,
}

/// The internal event by which the oldest write in *out* reaches memory.
const MEMORY_WRITE: &str = "MW";

/// A value in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Entry {
    location: u8,
    value: u8,
    /// Whether the owner of the queue wrote it.
    is_own: bool,
}

/// The state of memory, caches and queues.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    memory: Vec<u8>,
    processors: Vec<Processor>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Processor {
    /// The cached value of each location, if any.
    cache: Vec<Option<u8>>,
    out: VecDeque<Entry>,
    into: VecDeque<Entry>,
}

impl LazyCaching {
    fn accesses(&self, state: &State, at: u8, visit: &mut dyn FnMut(Event, State)) {
        let processor = &state.processors[usize::from(at)];
        let waits = !processor.out.is_empty() || processor.into.iter().any(|entry| entry.is_own);
        for (location, held) in (0..).zip(&processor.cache) {
            if let Some(value) = held.filter(|_| !waits) {
                visit(Event::read(at, location, value), state.clone());
            }
            for value in 0..=self.size.values {
                if processor.out.len() < self.capacity {
                    let mut next = state.clone();
                    let is_own = true;
                    next.processors[usize::from(at)].out.push_back(Entry {
                        location,
                        value,
                        is_own,
                    });
                    visit(Event::write(at, location, value), next);
                }
            }
        }
    }

    /// Moves the oldest write in *out* to memory, if every *in* queue has room for it.
    fn memory_write(&self, state: &State, at: u8, visit: &mut dyn FnMut(Event, State)) {
        let mut next = state.clone();
        let Some(entry) = next.processors[usize::from(at)].out.pop_front() else {
            return;
        };
        let full = |processor: &Processor| processor.into.len() >= self.capacity;
        if next.processors.iter().any(full) {
            return;
        }
        next.memory[usize::from(entry.location)] = entry.value;
        for (to, processor) in (0..).zip(&mut next.processors) {
            processor.into.push_back(Entry { is_own: to == at, ..entry });
        }
        visit(Event::Internal(MEMORY_WRITE, Some(at), None), next);
    }

    /// Fetches a location from memory, updates the cache from the *in* queue, or drops a location
    /// from the cache.
    fn cache(&self, state: &State, at: u8, visit: &mut dyn FnMut(Event, State)) {
        let processor = &state.processors[usize::from(at)];
        for (location, &value) in (0..).zip(&state.memory) {
            if processor.into.len() < self.capacity {
                let mut next = state.clone();
                next.processors[usize::from(at)].into.push_back(Entry {
                    location,
                    value,
                    is_own: false,
                });
                visit(Event::Internal("MR", Some(at), Some(location)), next);
            }
        }
        let mut next = state.clone();
        let own = &mut next.processors[usize::from(at)];
        if let Some(entry) = own.into.pop_front() {
            own.cache[usize::from(entry.location)] = Some(entry.value);
            visit(Event::Internal("CU", Some(at), None), next);
        }
        for (location, held) in (0..).zip(&processor.cache) {
            if held.is_some() {
                let mut next = state.clone();
                next.processors[usize::from(at)].cache[usize::from(location)] = None;
                visit(Event::Internal("CI", Some(at), Some(location)), next);
            }
        }
    }
}

impl MemorySystem for LazyCaching {
    type State = State;

    fn size(&self) -> SystemSize {
        self.size
    }

    fn initial(&self) -> Vec<State> {
        let locations = usize::from(self.size.locations);
        let processor = Processor {
            cache: vec![Some(0); locations],
            out: VecDeque::new(),
            into: VecDeque::new(),
        };
        vec![State {
            memory: vec![0; locations],
            processors: vec![processor; usize::from(self.size.processors)],
        }]
    }

    fn events(&self, state: &State, visit: &mut dyn FnMut(Event, State)) {
        for processor in 0..self.size.processors {
            self.accesses(state, processor, visit);
            self.memory_write(state, processor, visit);
            self.cache(state, processor, visit);
        }
    }

    fn ordered(&self, before: &State, event: Event) -> Option<Access> {
        match (self.witness, event) {
            (Witness::Simple, _) => event.as_write(),
            (Witness::MemoryOrder, Event::Internal(MEMORY_WRITE, Some(processor), _)) => {
                let &Entry { location, value, .. } =
                    before.processors[usize::from(processor)].out.front()?;
                Some(Access { writes: true, processor, location, value })
            }
            (Witness::MemoryOrder, _) => None,
        }
    }

    fn has_unordered(&self, state: &State) -> bool {
        let waits = |processor: &Processor| !processor.out.is_empty();
        self.witness == Witness::MemoryOrder && state.processors.iter().any(waits)
    }

    fn renamed(&self, state: &State, renaming: &Renaming) -> State {
        let entry = |entry: &Entry| Entry {
            location: renaming.location(entry.location),
            value: renaming.value(entry.location, entry.value),
            ..*entry
        };
        let processor = |processor: &Processor| {
            let held = (0..).zip(&processor.cache);
            let cache = held.map(|(at, it)| it.map(|value| renaming.value(at, value)));
            let cache: Vec<Option<u8>> = cache.collect();
            Processor {
                cache: moved(&cache, |location| renaming.location(location)),
                out: processor.out.iter().map(entry).collect(),
                into: processor.into.iter().map(entry).collect(),
            }
        };
        let memory = (0..).zip(&state.memory);
        let memory: Vec<u8> = memory.map(|(at, &it)| renaming.value(at, it)).collect();
        let processors: Vec<Processor> = state.processors.iter().map(processor).collect();
        State {
            memory: moved(&memory, |location| renaming.location(location)),
            processors: moved(&processors, |processor| renaming.processor(processor)),
        }
    }
}
