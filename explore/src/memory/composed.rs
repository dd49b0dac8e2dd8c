//! A memory system composed with the automata of the paper's section 8, which accept runs with a
//! nice cycle.

use serde::{Deserialize, Serialize};

use super::{Access, Event, MemorySystem, Renaming, SystemSize, moved};
use crate::graph::Graph;

/// The processors and locations of a nice cycle, in order. The first processor accesses the first
/// location before the second one, the second processor the second location before the third, and
/// so on around the cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The processors.
    pub processors: Vec<u8>,
    /// The locations, as many as processors.
    pub locations: Vec<u8>,
}

impl Order {
    /// The canonical order (section 7.3): 1, 2, … k.
    pub fn canonical(k: u8) -> Order {
        Order { processors: (0..k).collect(), locations: (0..k).collect() }
    }

    /// All orders of a length, without rotations of each other. Their number is n!/(n-k)! times
    /// m!/(m-k)! divided by k.
    pub fn all(size: SystemSize, k: u8) -> Vec<Order> {
        let first_is_least = |order: &&Vec<u8>| order.iter().min() == order.first();
        let mut orders = Vec::new();
        for processors in arrangements(size.processors, k).iter().filter(first_is_least) {
            for locations in arrangements(size.locations, k) {
                orders.push(Order { processors: processors.clone(), locations });
            }
        }
        orders
    }

    /// The number of processors, and of locations.
    pub fn k(&self) -> usize {
        self.processors.len()
    }

    fn place(&self, location: u8) -> Option<usize> {
        self.locations.iter().position(|&it| it == location)
    }
}

/// All sequences of `k` different numbers below `n`.
fn arrangements(n: u8, k: u8) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    for _ in 0..k {
        let longer = |some: &Vec<u8>| -> Vec<Vec<u8>> {
            let more = (0..n).filter(|it| !some.contains(it));
            more.map(|it| [&some[..], &[it]].concat()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// A state of the system and of the automata.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State<S> {
    /// The state of the memory system.
    pub system: S,
    /// For each location of the cycle, whether the write of 1 has its place in the witness. Before it only 0 may be written, after it
    /// only 2.
    written: Vec<bool>,
    /// For each processor of the cycle, how many of its two accesses have been seen.
    seen: Vec<u8>,
}

/// The composed system. Its goals are the ends of runs with a nice cycle of this order.
pub struct Composed<'a, M> {
    system: &'a M,
    order: Order,
    /// The renamings under which the automata are invariant.
    symmetries: Vec<Renaming>,
}

impl<'a, M: MemorySystem> Composed<'a, M> {
    /// Composes a system with the automata for cycles of an order, without using symmetry.
    pub fn new(system: &'a M, order: Order) -> Composed<'a, M> {
        Composed { system, order, symmetries: Vec::new() }
    }

    /// Composes a symmetric system with the automata for canonical cycles. States are identified if
    /// they differ by a permutation of the processors and locations above `k`, and a rotation of 1
    /// to `k` that is the same for both.
    pub fn symmetric(system: &'a M, k: u8) -> Composed<'a, M> {
        let size = system.size();
        let mut symmetries = Vec::new();
        for turn in 0..k {
            let turned = |name: u8| (name + turn) % k;
            for processors in permutations_above(k, size.processors) {
                for locations in permutations_above(k, size.locations) {
                    let extend = |above: &[u8]| (0..k).map(turned).chain(above.to_vec()).collect();
                    symmetries.push(Renaming {
                        processors: extend(&processors),
                        locations: extend(&locations),
                        ..Renaming::identity(size)
                    });
                }
            }
        }
        // The first is the identity.
        symmetries.remove(0);
        Composed { system, order: Order::canonical(k), symmetries }
    }

    /// Whether the automata of the locations allow a write at its place in the witness.
    fn allows(&self, written: &[bool], write: Access) -> bool {
        match self.order.place(write.location) {
            None => write.value == 0,
            Some(at) if written[at] => write.value == 2,
            Some(_) => write.value < 2,
        }
    }

    /// Whether the automata of the locations can still accept a write that gets its place in the witness later: then it is behind those
    /// that have one.
    fn allows_later(&self, written: &[bool], write: Access) -> bool {
        match self.order.place(write.location) {
            None => write.value == 0,
            Some(at) => !written[at] || write.value == 2,
        }
    }

    /// Advances the automata of the locations by a write that gets its place in the witness. Returns whether they allow it.
    fn order(&self, state: &mut State<M::State>, write: Access) -> bool {
        let is_allowed = self.allows(&state.written, write);
        if let Some(at) = self.order.place(write.location) {
            state.written[at] |= write.value == 1;
        }
        is_allowed
    }

    /// Advances the automata of the processors by an access.
    fn follow(&self, state: &mut State<M::State>, access: Access) {
        let processors = &self.order.processors;
        if let Some(at) = processors.iter().position(|&it| it == access.processor) {
            let is_next = match state.seen[at] {
                0 => self.is_first(at, access),
                1 => self.is_second(at, access),
                _ => false,
            };
            state.seen[at] += u8::from(is_next);
        }
    }

    /// Describes an event between two states in words.
    pub fn describe(
        &self,
        before: &State<M::State>,
        event: Event,
        after: &State<M::State>,
    ) -> String {
        self.system.describe(&before.system, event, &after.system)
    }

    /// Whether an access can be the first of the two at a processor of the cycle.
    pub fn is_first(&self, at: usize, access: Access) -> bool {
        access.location == self.order.locations[at] && access.value > 0
    }

    /// Whether an access can be the second of the two at a processor of the cycle.
    pub fn is_second(&self, at: usize, access: Access) -> bool {
        access.location == self.order.locations[(at + 1) % self.order.k()]
            && (access.value == 0 || access.value == 1 && access.writes)
    }

    fn renamed(&self, state: &State<M::State>, renaming: &Renaming) -> State<M::State> {
        State {
            system: self.system.renamed(&state.system, renaming),
            written: moved(&state.written, |at| renaming.location(at)),
            seen: moved(&state.seen, |at| renaming.processor(at)),
        }
    }
}

fn permutations_above(k: u8, n: u8) -> Vec<Vec<u8>> {
    let above = arrangements(n - k.min(n), n - k.min(n)).into_iter();
    above.map(|some| some.iter().map(|it| it + k).collect()).collect()
}

impl<M: MemorySystem> Graph for Composed<'_, M> {
    type State = State<M::State>;
    type Move = Event;
    type Goal = ();

    fn initial(&self) -> Vec<Self::State> {
        let with_automata = |system| State {
            system,
            written: vec![false; self.order.k()],
            seen: vec![0; self.order.k()],
        };
        let initial = self.system.initial().into_iter();
        initial.map(with_automata).collect()
    }

    fn moves(&self, state: &Self::State, visit: &mut dyn FnMut(Event, Self::State)) {
        self.system.events(&state.system, &mut |event, system| {
            let mut next =
                State { system, written: state.written.clone(), seen: state.seen.clone() };
            let ordered = self.system.ordered(&state.system, event);
            let is_allowed = match (ordered, event.as_write()) {
                (Some(write), _) => self.order(&mut next, write),
                (None, Some(write)) => self.allows_later(&next.written, write),
                (None, None) => true,
            };
            if !is_allowed {
                return;
            }
            if let Event::Access(access) = event {
                self.follow(&mut next, access);
            }
            visit(event, next);
        });
    }

    fn goal(&self, state: &Self::State) -> Option<()> {
        let accepts =
            state.seen.iter().all(|&seen| seen == 2) && state.written.iter().all(|&it| it);
        (accepts && !self.system.has_unordered(&state.system)).then_some(())
    }

    /// The symmetric state with the smallest serialization.
    fn representative(&self, state: Self::State) -> Self::State {
        if self.symmetries.is_empty() {
            return state;
        }
        let packed =
            |state: &Self::State| postcard::to_stdvec(state).expect("states can be packed");
        let mut least = (packed(&state), state);
        let symmetries = self.symmetries.iter();
        let others: Vec<_> = symmetries.map(|it| self.renamed(&least.1, it)).collect();
        for other in others {
            let bytes = packed(&other);
            if bytes < least.0 {
                least = (bytes, other);
            }
        }
        least.1
    }
}
