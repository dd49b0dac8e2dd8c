//! A graph of states, given by where to begin and what can happen.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What a search explores.
pub trait Graph {
    /// A state. Two are the same if they are packed into the same bytes.
    type State: Clone + Debug + Serialize + DeserializeOwned;
    /// What leads from a state to the next.
    type Move: Clone + Debug;
    /// What is looked for.
    type Goal: Clone + Debug;

    /// The states to begin with.
    fn initial(&self) -> Vec<Self::State>;

    /// All that can happen in a state, always in the same order.
    fn moves(&self, state: &Self::State, visit: &mut dyn FnMut(Self::Move, Self::State));

    /// Whether a state is what is looked for.
    fn goal(&self, state: &Self::State) -> Option<Self::Goal>;

    /// Whether it is, if nothing can happen in it.
    fn dead_end(&self, _state: &Self::State) -> Option<Self::Goal> {
        None
    }

    /// The one that stands for all states that differ from this one by a symmetry. Symmetric states must have symmetric
    /// moves and the same goal.
    fn representative(&self, state: Self::State) -> Self::State {
        state
    }
}
