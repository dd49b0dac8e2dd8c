//! [`StoreBuffer`]: the store buffer of a thread, for machines that run programs.
//!
//! [`crate::machine`] does not use it. That machine executes a history, whose stores are known in advance, so a
//! bit for each store suffices, and its steps take constant time.

use std::ops::{Deref, DerefMut};

use history::Kind;
use serde::{Deserialize, Serialize};

use crate::model::Model;

/// A store that waits in a buffer.
pub trait Store {
    /// The type that identifies a location.
    type Location: Copy + Ord;

    /// The location that the store writes.
    fn location(&self) -> Self::Location;

    /// Whether the store writes any part of a location. By default, locations are disjoint.
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

/// A thread's stores that have not reached memory. It dereferences to a slice of them, the oldest first.
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

    /// Adds the newest store to a buffer whose stores are sorted by location, and by age within a location. If each
    /// location has a store buffer of its own, the age of stores to different locations has no effect, and sorted
    /// buffers are equal if they have the same effect.
    pub fn push_by_location(&mut self, store: S) {
        let behind = self.0.partition_point(|other| other.location() <= store.location());
        self.0.insert(behind, store);
    }

    /// The newest store to a location or a part of it, from which a load of the thread may be served.
    pub fn newest(&self, location: S::Location) -> Option<&S> {
        self.0.iter().rfind(|store| store.touches(location))
    }

    /// Whether the store at this index may reach memory next.
    pub fn may_leave(&self, model: Model, at: usize) -> bool {
        let is_before = |older: &S| older.touches(self.0[at].location());
        if model.buffers_by_location() { !self.0[..at].iter().any(is_before) } else { at == 0 }
    }

    /// Removes the store at this index and returns it.
    pub fn remove(&mut self, at: usize) -> S {
        self.0.remove(at)
    }

    /// Removes the stores that an operation of this kind waits for, and returns them, the oldest first: all stores, or
    /// those to its location. If stores leave one buffer in order, the stores before these leave, too.
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
