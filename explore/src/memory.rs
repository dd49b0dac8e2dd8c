//! Memory systems, and the proof that one is sequentially consistent (Qadeer, *Verifying Sequential Consistency on
//! Shared-Memory Multiprocessors by Model Checking*, TPDS 2003).
//!
//! A [`MemorySystem`] has processors, locations and data values, a finite number of states, and
//! events: reads, writes and internal ones. A [`Witness`] orders the writes of each location; the *simple witness* orders them as
//! they happened. If no run has a cycle in the constraint graph for that witness, every run is
//! sequentially consistent. A run with a cycle implies one with a *canonical k-nice* cycle, for a
//! `k` of at most the number of processors and of locations (Corollary 7.6), provided that the
//! system is [symmetric, causal and data-independent](assumptions). [`method::prove`] searches for
//! such a run, for each `k`, in the system [`composed`] with the automata of section 8.
//!
//! A system with such a cycle may still be sequentially consistent, by another witness. In lazy caching a write is ordered when it reaches
//! memory, which the paper mentions in its conclusion: the automata that constrain the values of writes then look at the events by which
//! writes are ordered ([`MemorySystem::ordered`]), instead of at the writes.

use std::fmt::{self, Debug, Display};

use serde::Serialize;
use serde::de::DeserializeOwned;

pub mod assumptions;
pub mod composed;
mod cycle;
pub mod lazy_caching;
pub mod method;
pub mod piranha;
pub mod serial;
pub mod slicc;
pub mod store_buffer;

/// The size of a memory system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemSize {
    /// Number of processors. They count from 0, and are displayed from 1.
    pub processors: u8,
    /// Number of locations. They count from 0, and are displayed from 1.
    pub locations: u8,
    /// The greatest data value; the least, 0, is the initial value of memory.
    pub values: u8,
}

/// The order of the writes of each location that is tried as a witness of sequential consistency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Witness {
    /// As they happened: the paper's simple witness.
    Simple,
    /// As they reached memory. Where writes do not wait, this is the simple witness.
    MemoryOrder,
}

/// A step of a memory system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Event {
    /// A processor reads or writes.
    Access(Access),
    /// An internal event: its name, and the processor or controller and the location that it is
    /// about.
    Internal(&'static str, Option<u8>, Option<u8>),
}

/// A read or a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Access {
    /// Whether the access writes.
    pub writes: bool,
    /// The processor.
    pub processor: u8,
    /// The location of the access.
    pub location: u8,
    /// The value that is read or written.
    pub value: u8,
}

impl Event {
    /// Makes the event of a read.
    pub fn read(processor: u8, location: u8, value: u8) -> Event {
        Event::Access(Access { writes: false, processor, location, value })
    }

    /// Makes the event of a write.
    pub fn write(processor: u8, location: u8, value: u8) -> Event {
        Event::Access(Access { writes: true, processor, location, value })
    }

    /// The access of the event, if it is a write.
    pub fn as_write(self) -> Option<Access> {
        match self {
            Event::Access(access) => access.writes.then_some(access),
            Event::Internal(..) => None,
        }
    }

    /// Renames the processors, locations and values of the event.
    pub fn renamed(self, renaming: &Renaming) -> Event {
        match self {
            Event::Access(access) => Event::Access(Access {
                processor: renaming.processor(access.processor),
                location: renaming.location(access.location),
                value: renaming.value(access.location, access.value),
                ..access
            }),
            Event::Internal(name, processor, location) => Event::Internal(
                name,
                processor.map(|it| renaming.processor(it)),
                location.map(|it| renaming.location(it)),
            ),
        }
    }
}

/// As in the paper, `W(1,2,1)`: processor, location, value.
impl Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = if self.writes { 'W' } else { 'R' };
        let (processor, location) = (self.processor + 1, self.location + 1);
        write!(f, "{letter}({processor},{location},{})", self.value)
    }
}

impl Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Event::Access(access) => write!(f, "{access}"),
            Event::Internal(name, processor, location) => {
                let numbers = processor.into_iter().chain(location);
                let numbers: Vec<String> = numbers.map(|it| (it + 1).to_string()).collect();
                write!(f, "{name}({})", numbers.join(","))
            }
        }
    }
}

/// A renaming of processors, locations, and the values at each location, which the method uses for symmetry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming {
    /// The new names of the processors, by old name.
    pub processors: Vec<u8>,
    /// The new names of the locations, by old name.
    pub locations: Vec<u8>,
    /// The new values, by the old name of the location, then the old value. 0 stays 0.
    pub values: Vec<Vec<u8>>,
}

impl Renaming {
    /// Creates the renaming that changes nothing.
    pub fn identity(size: SystemSize) -> Renaming {
        Renaming {
            processors: (0..size.processors).collect(),
            locations: (0..size.locations).collect(),
            values: vec![(0..=size.values).collect(); usize::from(size.locations)],
        }
    }

    /// The new name of a processor.
    pub fn processor(&self, old: u8) -> u8 {
        self.processors[usize::from(old)]
    }

    /// The new name of a location.
    pub fn location(&self, old: u8) -> u8 {
        self.locations[usize::from(old)]
    }

    /// The new value, by the old name of its location.
    pub fn value(&self, location: u8, old: u8) -> u8 {
        self.values[usize::from(location)][usize::from(old)]
    }
}

/// A memory with finitely many states.
pub trait MemorySystem {
    /// A state.
    type State: Clone + Debug + PartialEq + Serialize + DeserializeOwned;

    /// The number of processors, locations and values.
    fn size(&self) -> SystemSize;

    /// The initial states. Every location holds 0.
    fn initial(&self) -> Vec<Self::State>;

    /// Calls `visit` with each event that is possible in a state and the state after it, always in the same order. A write may write any value.
    fn events(&self, state: &Self::State, visit: &mut dyn FnMut(Event, Self::State));

    /// The write that gets its place in the witness by an event in the state `before`: it is the last of its location so far. The default
    /// is the simple witness.
    fn ordered(&self, _before: &Self::State, event: Event) -> Option<Access> {
        event.as_write()
    }

    /// Whether a write has happened that has no place in the witness yet. Internal events lead from every such state to one without.
    fn has_unordered(&self, _state: &Self::State) -> bool {
        false
    }

    /// Renames the processors, locations and values of a state.
    fn renamed(&self, state: &Self::State, renaming: &Renaming) -> Self::State;

    /// Describes an event and what it changes between two states.
    fn describe(&self, _before: &Self::State, event: Event, _after: &Self::State) -> String {
        event.to_string()
    }
}

/// Permutes the elements of `old`: the element at `at` moves to `place(at)`.
fn moved<T: Clone>(old: &[T], place: impl Fn(u8) -> u8) -> Vec<T> {
    let mut new = old.to_vec();
    for (at, it) in (0..).zip(old) {
        new[usize::from(place(at))] = it.clone();
    }
    new
}
