//! The trait of the graphs that a search explores, given by initial states and moves.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A graph of states that a search explores.
pub trait Graph {
    /// A state. Two states are the same if they serialize to the same bytes.
    type State: Clone + Debug + Serialize + DeserializeOwned;
    /// A move from a state to the next.
    type Move: Clone + Debug;
    /// The property that the search looks for.
    type Goal: Clone + Debug;

    /// The initial states.
    fn initial(&self) -> Vec<Self::State>;

    /// Calls `visit` with each move of a state and the state after it, always in the same order.
    fn moves(&self, state: &Self::State, visit: &mut dyn FnMut(Self::Move, Self::State));

    /// The goal that a state fulfils, if any.
    fn goal(&self, state: &Self::State) -> Option<Self::Goal>;

    /// The goal that a state without moves fulfils, if any.
    fn dead_end(&self, _state: &Self::State) -> Option<Self::Goal> {
        None
    }

    /// The state that represents all states that differ from this one by a symmetry. Symmetric states must have symmetric
    /// moves and the same goal.
    fn representative(&self, state: Self::State) -> Self::State {
        state
    }
}
