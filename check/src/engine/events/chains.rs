//! [`ThreadChains`] arranges a thread's events in chains.

use rustc_hash::FxHashMap;

use super::{Events, NONE};
use memory::{FenceEffect, Label, Model};

/// Whether an operation belongs to its thread's barrier chain (see [`super`]).
pub(super) fn is_barrier(model: Model, label: Label) -> bool {
    let is_release = model.buffers_by_location() && label.is_release_store();
    is_release || model.fence_effect(label.kind) == Some(FenceEffect::StoreStore)
}

/// The state of a store chain while its thread's events are added.
#[derive(Clone, Copy, Default)]
struct StoreChain {
    /// The last store; under PSO that may be a release store, which is in the barrier chain.
    last: Option<u32>,
    length: u32,
    /// Whether the chain has a store since the last event of the main chain that drains all.
    undrained: bool,
    /// Whether the chain has a store since the last event of the barrier chain.
    unbarred: bool,
}

/// Arranges the events of one thread in chains, one after the other, and collects the edges of preserved
/// program order, reduced to neighbours.
pub(super) struct ThreadChains<'a> {
    events: &'a mut Events,
    edges: &'a mut Vec<(u32, u32)>,
    thread: usize,
    main: u32,
    main_length: u32,
    /// The last event of the main chain that stores follow.
    binding: u32,
    /// The last event of the barrier chain.
    barrier: u32,
    barrier_length: u32,
    /// The last fence of the barrier chain, and whether an event of the main chain already follows it.
    fence: u32,
    is_fence_followed: bool,
    /// The last release store, if no event of the main chain follows it yet.
    release: Option<u32>,
    /// The store chains of the thread: by location under PSO, under TSO a single one with key 0.
    stores: FxHashMap<u32, StoreChain>,
    /// Per location, the last store; empty under models where no event of the main chain waits for that store
    /// alone.
    own: FxHashMap<u32, u32>,
    undrained: Vec<u32>,
    unbarred: Vec<u32>,
}

impl<'a> ThreadChains<'a> {
    pub(super) fn new(
        events: &'a mut Events,
        thread: usize,
        edges: &'a mut Vec<(u32, u32)>,
    ) -> Self {
        ThreadChains {
            events,
            edges,
            thread,
            main: NONE,
            main_length: 0,
            binding: NONE,
            barrier: NONE,
            barrier_length: 0,
            fence: NONE,
            is_fence_followed: true,
            release: None,
            stores: Default::default(),
            own: Default::default(),
            undrained: Vec::new(),
            unbarred: Vec::new(),
        }
    }

    pub(super) fn lay(&mut self, range: std::ops::Range<u32>) {
        for event in range {
            let label = self.events.label(event);
            if is_barrier(self.events.model, label) {
                self.lay_barrier(event, label);
            } else if self.events.model.buffers() && label.kind.may_be_buffered() {
                self.lay_store(event, label);
            } else {
                self.lay_main(event, label);
            }
        }
    }

    fn lay_main(&mut self, event: u32, label: Label) {
        self.main_length += 1;
        self.events.slot[event as usize] = self.thread as u32;
        self.events.position[event as usize] = self.main_length;
        if self.main != NONE {
            self.edges.push((self.main, event));
        }
        self.main = event;
        if self.events.drains(event) {
            for chain in self.undrained.drain(..) {
                let chain = self.stores.entry(chain).or_default();
                chain.undrained = false;
                self.edges.extend(chain.last.map(|store| (store, event)));
            }
        } else if self.events.model.drains_own(label.kind) {
            let own = self.own.get(&self.events.location[event as usize]);
            self.edges.extend(own.map(|&store| (store, event)));
        }
        if self.events.binds_stores(event) {
            self.binding = event;
        }
        self.follow_barriers(event, label);
    }

    /// Adds the edges from the barrier chain and from releases to an event of the main chain.
    fn follow_barriers(&mut self, event: u32, label: Label) {
        if self.events.model.drains_all(label) {
            self.release = None;
            self.is_fence_followed = true;
            for chain in self.unbarred.drain(..) {
                self.stores.entry(chain).or_default().unbarred = false;
            }
        }
        let follows_fence = label.kind.is_ordered_as_write();
        if follows_fence && !std::mem::replace(&mut self.is_fence_followed, true) {
            self.edges.push((self.fence, event));
        }
        if label.is_ordered_acquire() {
            let release = self.release.take();
            self.edges.extend(release.map(|release| (release, event)));
        }
    }

    /// Adds an event to the barrier chain: a fence or a release store.
    fn lay_barrier(&mut self, event: u32, label: Label) {
        self.barrier_length += 1;
        self.events.slot[event as usize] = (self.events.threads + self.thread) as u32;
        self.events.position[event as usize] = self.barrier_length;
        if self.barrier != NONE {
            self.edges.push((self.barrier, event));
        }
        self.barrier = event;
        for chain in self.unbarred.drain(..) {
            let chain = self.stores.entry(chain).or_default();
            chain.unbarred = false;
            self.edges.extend(chain.last.map(|store| (store, event)));
        }
        if label.kind.is_fence() {
            self.fence = event;
            self.is_fence_followed = false;
            return;
        }
        if self.binding != NONE {
            self.edges.push((self.binding, event));
        }
        let key = self.chain(event);
        let chain = self.stores.entry(key).or_default();
        chain.last = Some(event);
        if !std::mem::replace(&mut chain.undrained, true) {
            self.undrained.push(key);
        }
        self.note_own(event);
        self.release = Some(event);
    }

    fn lay_store(&mut self, event: u32, label: Label) {
        let key = self.chain(event);
        let chain = self.stores.entry(key).or_default();
        let previous = chain.last.replace(event);
        chain.length += 1;
        self.events.slot[event as usize] =
            (self.events.width - self.events.threads + self.thread) as u32;
        self.events.position[event as usize] = chain.length;
        if !std::mem::replace(&mut chain.undrained, true) {
            self.undrained.push(key);
        }
        if self.events.has_barriers && !std::mem::replace(&mut chain.unbarred, true) {
            self.unbarred.push(key);
        }
        self.edges.extend(previous.map(|store| (store, event)));
        for earlier in [self.binding, self.fence] {
            if earlier != NONE && previous.is_none_or(|store| earlier > store) {
                self.edges.push((earlier, event));
            }
        }
        if label.is_release_store() {
            self.release = Some(event);
        }
        self.note_own(event);
    }

    fn note_own(&mut self, store: u32) {
        let model = self.events.model;
        if model.buffers_by_location() || !model.forwards() {
            self.own.insert(self.events.location[store as usize], store);
        }
    }

    /// The key of the store chain that an event belongs to.
    fn chain(&self, event: u32) -> u32 {
        if self.events.stores_by_location() { self.events.location[event as usize] } else { 0 }
    }
}
