//! Memory behind a store buffer for each processor, as under TSO: not sequentially consistent.

use memory::buffer::StoreBuffer as Buffer;
use serde::{Deserialize, Serialize};

use super::{Access, Event, MemorySystem, Renaming, SystemSize, Witness, moved};

/// A memory in which each processor's writes wait in a queue, from which it reads its own newest
/// one.
#[derive(Clone, Copy, Debug)]
pub struct StoreBuffer {
    /// The size of the system.
    pub size: SystemSize,
    /// Capacity of each buffer, in writes.
    pub capacity: usize,
    /// The order of writes that is tried. With the simple one, writes are ordered as they enter the buffers.
    pub witness: Witness,
}

/// The state of memory and buffers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    memory: Vec<u8>,
    /// For each processor, pairs of location and value, the oldest first.
    buffers: Vec<Buffer<(u8, u8)>>,
}

impl MemorySystem for StoreBuffer {
    type State = State;

    fn size(&self) -> SystemSize {
        self.size
    }

    fn initial(&self) -> Vec<State> {
        vec![State {
            memory: vec![0; usize::from(self.size.locations)],
            buffers: vec![Buffer::default(); usize::from(self.size.processors)],
        }]
    }

    fn events(&self, state: &State, visit: &mut dyn FnMut(Event, State)) {
        for (processor, buffer) in (0..).zip(&state.buffers) {
            let at = usize::from(processor);
            for (location, &held) in (0..).zip(&state.memory) {
                let value = buffer.newest(location).map_or(held, |write| write.1);
                visit(Event::read(processor, location, value), state.clone());
                for value in 0..=self.size.values {
                    if buffer.len() < self.capacity {
                        let mut next = state.clone();
                        next.buffers[at].push((location, value));
                        visit(Event::write(processor, location, value), next);
                    }
                }
            }
            if let Some(&(location, value)) = buffer.first() {
                let mut next = state.clone();
                next.buffers[at].remove(0);
                next.memory[usize::from(location)] = value;
                visit(Event::Internal("COMMIT", Some(processor), None), next);
            }
        }
    }

    fn ordered(&self, before: &State, event: Event) -> Option<Access> {
        match (self.witness, event) {
            (Witness::Simple, _) => event.as_write(),
            (Witness::MemoryOrder, Event::Internal(_, Some(processor), _)) => {
                let &(location, value) = before.buffers[usize::from(processor)].first()?;
                Some(Access { writes: true, processor, location, value })
            }
            (Witness::MemoryOrder, _) => None,
        }
    }

    fn has_unordered(&self, state: &State) -> bool {
        self.witness == Witness::MemoryOrder
            && state.buffers.iter().any(|buffer| !buffer.is_empty())
    }

    fn renamed(&self, state: &State, renaming: &Renaming) -> State {
        let write = |&(location, value): &(u8, u8)| {
            let new = renaming.value(location, value);
            (renaming.location(location), new)
        };
        let mut buffers = state.buffers.clone();
        buffers.iter_mut().flat_map(|it| it.iter_mut()).for_each(|it| *it = write(it));
        let memory = (0..).zip(&state.memory);
        let memory: Vec<u8> = memory.map(|(at, &it)| renaming.value(at, it)).collect();
        State {
            memory: moved(&memory, |location| renaming.location(location)),
            buffers: moved(&buffers, |processor| renaming.processor(processor)),
        }
    }
}
