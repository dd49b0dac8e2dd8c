//! Serial memory: each access takes effect at once.

use super::{Event, MemorySystem, Renaming, SystemSize, moved};

/// The memory that defines sequential consistency.
#[derive(Clone, Copy, Debug)]
pub struct Serial {
    /// The size of the system.
    pub size: SystemSize,
}

impl MemorySystem for Serial {
    /// The value at each location.
    type State = Vec<u8>;

    fn size(&self) -> SystemSize {
        self.size
    }

    fn initial(&self) -> Vec<Vec<u8>> {
        vec![vec![0; usize::from(self.size.locations)]]
    }

    fn events(&self, memory: &Vec<u8>, visit: &mut dyn FnMut(Event, Vec<u8>)) {
        for processor in 0..self.size.processors {
            for (location, &held) in (0..).zip(memory) {
                visit(Event::read(processor, location, held), memory.clone());
                for value in 0..=self.size.values {
                    let mut next = memory.clone();
                    next[usize::from(location)] = value;
                    visit(Event::write(processor, location, value), next);
                }
            }
        }
    }

    fn renamed(&self, memory: &Vec<u8>, renaming: &Renaming) -> Vec<u8> {
        let values = (0..).zip(memory);
        let values: Vec<u8> = values.map(|(at, &it)| renaming.value(at, it)).collect();
        moved(&values, |location| renaming.location(location))
    }
}
