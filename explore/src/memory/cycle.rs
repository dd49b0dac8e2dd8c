//! Nice cycles of runs.

use std::fmt::{self, Display};

use super::composed::{Composed, Order};
use super::{Access, Event, MemorySystem};

/// A cycle in the constraint graph of a run. Each processor has two accesses in it; the second
/// precedes the first access of the next processor by the order of the location's writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NiceCycle {
    /// The processors and locations of the cycle.
    pub order: Order,
    /// The two accesses of each processor, with their indices in the run.
    pub pairs: Vec<[(usize, Access); 2]>,
}

impl NiceCycle {
    /// The cycle that the automata accepted in a run.
    ///
    /// # Panics
    /// Panics if they did not accept the run.
    pub fn find<M: MemorySystem>(
        composed: &Composed<'_, M>,
        order: &Order,
        run: &[Event],
    ) -> NiceCycle {
        let accesses = || {
            (0..).zip(run).filter_map(|(at, event)| match event {
                Event::Access(access) => Some((at, *access)),
                Event::Internal(..) => None,
            })
        };
        let pair = |(at, &processor): (usize, &u8)| {
            let mut own = accesses().filter(move |(_, access)| access.processor == processor);
            let first = own.find(|&(_, access)| composed.is_first(at, access));
            let second = own.find(|&(_, access)| composed.is_second(at, access));
            [first, second].map(|access| access.expect("the automata saw it"))
        };
        NiceCycle {
            pairs: order.processors.iter().enumerate().map(pair).collect(),
            order: order.clone(),
        }
    }
}

/// Displayed as `W(1,1,1) -P1-> R(1,2,0) -L2-> W(2,2,1) -P2-> R(2,1,0) -L1-> W(1,1,1)`.
impl Display for NiceCycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, [first, second]) in self.pairs.iter().enumerate() {
            let processor = self.order.processors[at] + 1;
            let location = self.order.locations[(at + 1) % self.order.k()] + 1;
            write!(f, "{} -P{processor}-> {} -L{location}-> ", first.1, second.1)?;
        }
        write!(f, "{}", self.pairs[0][0].1)
    }
}
