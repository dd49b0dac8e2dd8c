//! Memory behind a store buffer for each processor, as under TSO: not sequentially consistent.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{Event, MemorySystem, Renaming, SystemSize, moved};

/// A memory in which each processor's writes wait in a queue, from which it reads its own newest
/// one.
#[derive(Clone, Copy, Debug)]
pub struct StoreBuffer {
    /// The size of the system.
    pub size: SystemSize,
    /// Capacity of each buffer, in writes.
    pub capacity: usize,
}

/// The state of memory and buffers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    memory: Vec<u8>,
    /// For each processor, pairs of location and value, the oldest first.
    buffers: Vec<VecDeque<(u8, u8)>>,
}

impl MemorySystem for StoreBuffer {
    type State = State;

    fn size(&self) -> SystemSize {
        self.size
    }

    fn initial(&self) -> Vec<State> {
        vec![State {
            memory: vec![0; usize::from(self.size.locations)],
            buffers: vec![VecDeque::new(); usize::from(self.size.processors)],
        }]
    }

    fn events(&self, state: &State, visit: &mut dyn FnMut(Event, State)) {
        for (processor, buffer) in (0..).zip(&state.buffers) {
            let at = usize::from(processor);
            for (location, &held) in (0..).zip(&state.memory) {
                let own = buffer.iter().rfind(|write| write.0 == location);
                let value = own.map_or(held, |write| write.1);
                visit(Event::read(processor, location, value), state.clone());
                for value in 0..=self.size.values {
                    if buffer.len() < self.capacity {
                        let mut next = state.clone();
                        next.buffers[at].push_back((location, value));
                        visit(Event::write(processor, location, value), next);
                    }
                }
            }
            if let Some(&(location, value)) = buffer.front() {
                let mut next = state.clone();
                next.buffers[at].pop_front();
                next.memory[usize::from(location)] = value;
                visit(Event::Internal("COMMIT", Some(processor), None), next);
            }
        }
    }

    fn renamed(&self, state: &State, renaming: &Renaming) -> State {
        let write = |&(location, value): &(u8, u8)| {
            let new = renaming.value(location, value);
            (renaming.location(location), new)
        };
        let buffer = |buffer: &VecDeque<(u8, u8)>| buffer.iter().map(write).collect();
        let buffers: Vec<_> = state.buffers.iter().map(buffer).collect();
        let memory = (0..).zip(&state.memory);
        let memory: Vec<u8> = memory.map(|(at, &it)| renaming.value(at, it)).collect();
        State {
            memory: moved(&memory, |location| renaming.location(location)),
            buffers: moved(&buffers, |processor| renaming.processor(processor)),
        }
    }
}
