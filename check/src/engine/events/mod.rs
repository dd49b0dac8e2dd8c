//! The events of memory order, arranged in chains so that vector clocks can represent order.
//!
//! Every operation that is not left out is one event. The events of a thread form chains whose order the
//! model preserves (Manovit & Hangal 2006, section 4.1, and their extension to PSO):
//!
//! | model | main chain of a thread | store chains |
//! |---|---|---|
//! | SC | everything | none |
//! | TSO | loads, atomics, fences | one, of its plain stores |
//! | PSO | loads, atomics, fences | one per location |
//!
//! A vector clock has a *slot* per chain: first one per thread for main chains, then (TSO, PSO)
//! one per thread for store chains. Under PSO a store slot means the thread's store chain *of the
//! event's own location*, so clocks stay small; [`crate::engine::saturate`] says why that suffices.
//!
//! **Barrier chains.** Under PSO each thread has one more chain if any thread has events for it: fences
//! that order only stores before writes, and release stores. Each of them follows all stores of its
//! thread before it, so they are ordered. Later writes follow the last such fence; they follow a release
//! store only if they are to its location. The slots of barrier chains are between those of main chains
//! and store chains, and the clocks of events of all locations cover them.
//!
//! A fence that orders only stores before reads is in the main chain, but later stores do not follow it:
//! they follow the last event of the main chain before it.

mod chains;

use std::sync::OnceLock;

use history::{Annotation, History, Kind, OpId, ReadSource, ReadsFrom};

use crate::engine::both::both;
use crate::engine::clocks::Clocks;
use crate::engine::csr::Csr;
use crate::engine::index::Index;
use chains::{ThreadChains, is_barrier};
use memory::{FenceEffect, Label, Model};

/// Marks a missing event or location.
pub const NONE: u32 = u32::MAX;
/// Marks the initial write as a source.
pub const INITIAL: u32 = u32::MAX - 1;

/// The events of a history under a model. Memory: about 60 bytes an event.
#[derive(Debug)]
pub struct Events {
    /// The model under which the events are ordered.
    pub model: Model,
    /// Number of threads.
    pub threads: usize,
    /// Number of slots of a clock.
    pub width: usize,
    /// Per event, its operation, in ascending order.
    pub op: Vec<OpId>,
    /// Per event, its kind.
    pub kind: Vec<Kind>,
    /// Per event, its acquire or release annotation.
    annotation: Vec<Annotation>,
    /// Whether threads have barrier chains.
    has_barriers: bool,
    /// Per event, its location; [`NONE`] for a fence.
    pub location: Vec<u32>,
    /// Per event, the slot of its chain.
    pub slot: Vec<u32>,
    /// Per event, its position in its chain, from 1.
    pub position: Vec<u32>,
    /// Per event, the source of a read or of the load-linked of a store-conditional: an event,
    /// [`INITIAL`], or [`NONE`] if it does not read or its source is unknown.
    pub source: Vec<u32>,
    /// Preserved program order, reduced to neighbours: per event, those before it.
    pub po_back: Csr,
    /// The same edges forwards, computed when they are first needed.
    po: OnceLock<Csr>,
    /// Per write, the last reader in each chain, among them store-conditionals whose load-linked read it.
    pub readers: Csr,
    /// Per location, the last reader of the initial value in each chain.
    pub initial_readers: Csr,
    /// The writes, by location and slot, and per write its group there; computed when they are first needed.
    write_index: OnceLock<(Index, Vec<u32>)>,
}

impl Events {
    /// Arranges the operations that are not left out. Cost: linear.
    pub fn new(
        history: &History,
        reads_from: &ReadsFrom,
        model: Model,
        left_out: &[bool],
    ) -> Events {
        let threads = history.threads().len();
        let op: Vec<OpId> = history.ops().filter(|op| !left_out[op.at()]).collect();
        let has_barriers = op.iter().any(|&op| is_barrier(model, Label::of(history, op)));
        let mut events = Events {
            model,
            threads,
            width: match (model.buffers(), has_barriers) {
                (false, _) => threads,
                (true, false) => 2 * threads,
                (true, true) => 3 * threads,
            },
            has_barriers,
            annotation: op.iter().map(|&op| history.annotation(op)).collect(),
            kind: op.iter().map(|&op| history.kind(op)).collect(),
            location: op.iter().map(|&op| history.location(op).unwrap_or(NONE)).collect(),
            slot: vec![0; op.len()],
            position: vec![0; op.len()],
            source: vec![NONE; op.len()],
            po_back: Csr::default(),
            po: OnceLock::new(),
            readers: Csr::default(),
            initial_readers: Csr::default(),
            write_index: OnceLock::new(),
            op,
        };
        let edges = events.lay_chains(history);
        let locations = history.locations().len();
        (events.source, events.po_back) = both(
            events.len(),
            || events.sources(history, reads_from),
            || Csr::new(events.len(), edges.iter().map(|&(from, to)| (to, from))),
        );
        (events.readers, events.initial_readers) = events.index_of_readers(locations);
        events
    }

    /// Memory that the events of a history with this many operations take while they are arranged, in bytes.
    pub fn bytes(operations: usize) -> usize {
        80 * operations
    }

    /// Number of events.
    pub fn len(&self) -> usize {
        self.op.len()
    }

    /// Number of locations of the history.
    pub fn locations(&self) -> usize {
        self.initial_readers.nodes()
    }

    /// Whether there is no event.
    pub fn is_empty(&self) -> bool {
        self.op.is_empty()
    }

    /// Thread of an event.
    pub fn thread(&self, event: u32) -> usize {
        self.slot[event as usize] as usize % self.threads
    }

    /// Whether an event is in its thread's main chain.
    pub fn is_main(&self, event: u32) -> bool {
        (self.slot[event as usize] as usize) < self.threads
    }

    /// Whether the clocks of events of *all* locations show whether `event` precedes them.
    pub fn is_global(&self, event: u32) -> bool {
        (self.slot[event as usize] as usize) < self.global_slots()
    }

    /// Whether threads have barrier chains (PSO).
    pub fn has_barriers(&self) -> bool {
        self.has_barriers
    }

    /// The label of an event.
    pub fn label(&self, event: u32) -> Label {
        Label { kind: self.kind[event as usize], annotation: self.annotation[event as usize] }
    }

    /// Whether an event of a main chain follows all stores of its thread before it.
    pub fn drains(&self, event: u32) -> bool {
        self.model.drains_all(self.label(event)) || !self.binds_stores(event)
    }

    /// Whether stores of its thread follow an event of a main chain.
    pub fn binds_stores(&self, event: u32) -> bool {
        self.effect(event) != Some(FenceEffect::StoreLoad)
    }

    fn effect(&self, event: u32) -> Option<FenceEffect> {
        self.model.fence_effect(self.kind[event as usize])
    }

    /// Whether each location has store chains of its own (PSO), so that clocks cover only those of the
    /// event's location.
    pub fn stores_by_location(&self) -> bool {
        self.model.buffers_by_location()
    }

    /// Number of slots, from the first, that mean the same chain in every clock, whatever the event's
    /// location.
    pub fn global_slots(&self) -> usize {
        if self.stores_by_location() { self.width - self.threads } else { self.width }
    }

    /// Whether an event writes.
    pub fn writes(&self, event: u32) -> bool {
        self.kind[event as usize].writes()
    }

    /// Whether an event is a read whose source is not known.
    pub fn is_open(&self, event: u32) -> bool {
        self.kind[event as usize].reads() && self.source[event as usize] == NONE
    }

    /// Preserved program order, reduced to neighbours: per event, those after it. Cost: linear the first time, then constant.
    pub fn po(&self) -> &Csr {
        self.po.get_or_init(|| {
            let events = 0..self.len() as u32;
            let before = |event: u32| self.po_back.of(event).iter();
            let edges =
                events.flat_map(|event| before(event).map(move |&earlier| (earlier, event)));
            Csr::new(self.len(), edges)
        })
    }

    /// The writes, by location and slot. Cost: that of sorting them the first time, then constant.
    pub fn write_index(&self) -> &Index {
        &self.indexed_writes().0
    }

    fn indexed_writes(&self) -> &(Index, Vec<u32>) {
        self.write_index.get_or_init(|| self.index_of_writes())
    }

    /// The group of a write in [`Events::write_index`]; `None` for other events.
    pub fn group_of(&self, event: u32) -> Option<usize> {
        let group = self.indexed_writes().1[event as usize];
        (group != NONE).then_some(group as usize)
    }

    /// Whether `first` is known to precede `second`. Under PSO, if `first` is a plain store the
    /// two must be of one location.
    pub fn precedes(&self, clocks: &Clocks, first: u32, second: u32) -> bool {
        clocks.get(second, self.slot[first as usize]) >= self.position[first as usize]
    }

    /// The event of an operation, if it was not left out.
    pub fn event_of(&self, op: OpId) -> Option<u32> {
        // Usually no operation before it was left out.
        if self.op.get(op.at()) == Some(&op) {
            return Some(op.0);
        }
        self.op.binary_search(&op).ok().map(|event| event as u32)
    }

    /// Assigns slots and positions, and returns the preserved neighbours of program order.
    fn lay_chains(&mut self, history: &History) -> Vec<(u32, u32)> {
        let mut edges = Vec::with_capacity(self.len() * 2);
        let mut event = 0;
        for thread in 0..self.threads {
            let end = history.threads()[thread].end();
            let first = event;
            while event < self.len() && self.op[event] < end {
                event += 1;
            }
            ThreadChains::new(self, thread, &mut edges).lay(first as u32..event as u32);
        }
        edges
    }

    fn sources(&self, history: &History, reads_from: &ReadsFrom) -> Vec<u32> {
        let source = |&op: &OpId| {
            let read = history.observing_read(op);
            match read.and_then(|read| reads_from.source(read)) {
                Some(ReadSource::Write(write)) => self.event_of(write).unwrap_or(NONE),
                Some(ReadSource::Initial) => INITIAL,
                _ => NONE,
            }
        };
        self.op.iter().map(source).collect()
    }

    /// The index of the writes, and the group of each.
    fn index_of_writes(&self) -> (Index, Vec<u32>) {
        let events = (0..self.len() as u32).filter(|&event| self.writes(event));
        let mut writes: Vec<(u32, u32, u32, u32)> = events
            .map(|event| {
                let at = event as usize;
                (self.location[at], self.slot[at], self.position[at], event)
            })
            .collect();
        writes.sort_unstable();
        let index = Index::new(self.locations(), &writes);
        let group = index.group_of_each(self.len());
        (index, group)
    }

    /// The last reader of each write in each chain, and of each initial value.
    fn index_of_readers(&self, locations: usize) -> (Csr, Csr) {
        let mut of_write = LastReaders::new(self.len());
        let mut of_initial = LastReaders::new(locations);
        // Events come thread by thread, in program order.
        for event in 0..self.len() as u32 {
            match self.source[event as usize] {
                NONE => {}
                INITIAL => of_initial.add(self, self.location[event as usize], event),
                source => of_write.add(self, source, event),
            }
        }
        (of_write.into_csr(), of_initial.into_csr())
    }
}

/// Collects the last reader in each chain of each source.
struct LastReaders {
    /// Pairs of a source and a reader of it. `before` has per pair the index of the previous pair of the same
    /// source, or [`NONE`].
    readers: Vec<(u32, u32)>,
    before: Vec<u32>,
    /// Per source, the index of its last pair, or [`NONE`].
    last: Vec<u32>,
}

impl LastReaders {
    fn new(sources: usize) -> LastReaders {
        LastReaders { readers: Vec::new(), before: Vec::new(), last: vec![NONE; sources] }
    }

    /// Adds a reader. It replaces an earlier reader of its chain, which is among the source's last few, since
    /// all readers of a thread are added together.
    fn add(&mut self, events: &Events, source: u32, event: u32) {
        let last = self.last[source as usize];
        let mut at = last;
        while let Some((_, earlier)) = self.readers.get_mut(at as usize) {
            if events.slot[*earlier as usize] == events.slot[event as usize] {
                *earlier = event;
                return;
            }
            if events.thread(*earlier) != events.thread(event) {
                break;
            }
            at = self.before[at as usize];
        }
        self.last[source as usize] = self.readers.len() as u32;
        self.readers.push((source, event));
        self.before.push(last);
    }

    fn into_csr(self) -> Csr {
        Csr::new(self.last.len(), self.readers.into_iter())
    }
}
