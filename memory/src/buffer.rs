//! The store buffer of a thread, for machines that run programs.
//!
//! [`crate::machine`] has none of these: it executes a history whose stores it knows beforehand, so a
//! bit for each store is enough, and its steps take constant time.

use std::ops::{Deref, DerefMut};

use history::Kind;
use serde::{Deserialize, Serialize};

use crate::model::Model;

/// A store that waits in a buffer.
pub trait Store {
    /// What tells locations apart.
    type Location: Copy + Ord;

    /// Where it writes.
    fn location(&self) -> Self::Location;

    /// Whether it writes any part of a location. By default locations are disjoint.
    fn touches(&self, location: Self::Location) -> bool {
        self.location() == location
    }
}

impl<L: Copy + Ord, V> Store for (L, V) {
    type Location = L;

    fn location(&self) -> L {
        self.0
    }
}

/// A thread's stores that have not reached memory, the oldest first. As a slice, all of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StoreBuffer<S>(Vec<S>);

impl<S> Default for StoreBuffer<S> {
    fn default() -> StoreBuffer<S> {
        StoreBuffer(Vec::new())
    }
}

impl<S: Store> StoreBuffer<S> {
    /// Adds the newest store.
    pub fn push(&mut self, store: S) {
        self.0.push(store);
    }

    /// Adds the newest store behind those to its location, in a buffer whose stores are in order of
    /// locations: where each location has a buffer, two that are equal but for that are then equal.
    pub fn push_by_location(&mut self, store: S) {
        let behind = self.0.partition_point(|other| other.location() <= store.location());
        self.0.insert(behind, store);
    }

    /// The newest store to a location, or to a part of it: what a load of the thread may be served by.
    pub fn newest(&self, location: S::Location) -> Option<&S> {
        self.0.iter().rfind(|store| store.touches(location))
    }

    /// Whether the store at a place may reach memory next.
    pub fn may_leave(&self, model: Model, at: usize) -> bool {
        let is_before = |older: &S| older.touches(self.0[at].location());
        if model.buffers_by_location() { !self.0[..at].iter().any(is_before) } else { at == 0 }
    }

    /// Takes the store at a place.
    pub fn remove(&mut self, at: usize) -> S {
        self.0.remove(at)
    }

    /// Takes the stores that an operation of this kind waits for, the oldest first: all, those to
    /// its location, or where stores leave one buffer in order, those up to the last to its location.
    pub fn drain(
        &mut self,
        model: Model,
        kind: Kind,
        location: Option<S::Location>,
    ) -> impl Iterator<Item = S> {
        let drains_all = model.drains_all(kind);
        let is_own = move |store: &S| drains_all || Some(store.location()) == location;
        let last = if model.buffers_by_location() { None } else { self.0.iter().rposition(is_own) };
        let mut number = 0..;
        self.0.extract_if(.., move |store| number.next() <= last || is_own(store))
    }
}

impl<S> Deref for StoreBuffer<S> {
    type Target = [S];

    fn deref(&self) -> &[S] {
        &self.0
    }
}

impl<S> DerefMut for StoreBuffer<S> {
    fn deref_mut(&mut self) -> &mut [S] {
        &mut self.0
    }
}
