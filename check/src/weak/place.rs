//! Places accesses one after the other, such that each read returns the value that the history shows.
//!
//! A read is placed while the write that it returns is the latest of its location, a write once all
//! readers of the latest write are placed. Nothing is undone: if every access that could come next has to
//! wait for another, placing is stuck.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use history::{History, OpId};
use rustc_hash::FxHashMap;

use super::forced::{Forced, NONE, Source};

/// The accesses that could be placed, in order.
pub(super) struct Placed {
    pub order: Vec<OpId>,
    /// Per operation, whether it was placed.
    pub is_placed: Vec<bool>,
    pub is_complete: bool,
}

/// The key by which ready accesses are ordered: reads before writes, then in the order of the trace, then by
/// index in their thread.
type Rank = (bool, u32, u32);

/// Places as many accesses as possible. Cost: linear, but for the logarithm of a heap.
pub(super) fn place(forced: &Forced<'_>) -> Placed {
    let mut placer = Placer::new(forced);
    placer.run();
    let accesses = forced.history.ops().filter(|&op| !forced.history.kind(op).is_fence()).count();
    Placed {
        is_complete: placer.order.len() == accesses,
        order: placer.order,
        is_placed: placer.is_placed,
    }
}

struct Placer<'a, 'f> {
    forced: &'a Forced<'f>,
    history: &'f History,
    order: Vec<OpId>,
    is_placed: Vec<bool>,
    /// Per node, how many edges to it begin at nodes that were not visited.
    missing: Vec<u32>,
    ready: BinaryHeap<Reverse<(Rank, u32)>>,
    /// Per location, the latest write; [`NONE`] for the initial one.
    latest: Vec<u32>,
    /// Per location, how many readers of the latest write are not placed.
    waiting_readers: Vec<u32>,
    /// Per write, the number of its readers that are not placed.
    readers: Vec<u32>,
    /// Per location, the crossed store-conditionals (those whose own thread wrote the location since their
    /// load-linked) that are not placed although the source of their load-linked is. Until they are placed,
    /// only their own threads may write the location.
    open_pairs: Vec<Vec<OpId>>,
    /// Per write that is not placed, the crossed store-conditionals whose load-linked reads it.
    pairs: FxHashMap<u32, Vec<OpId>>,
    /// Per location, accesses that were ready and have to wait for another access of it.
    parked: Vec<Vec<u32>>,
}

impl<'a, 'f> Placer<'a, 'f> {
    fn new(forced: &'a Forced<'f>) -> Self {
        let history = forced.history;
        let mut missing = vec![0; forced.nodes()];
        for edge in &forced.edges {
            missing[edge.to as usize] += 1;
        }
        let mut placer = Placer {
            forced,
            history,
            order: Vec::with_capacity(history.len()),
            is_placed: vec![false; history.len()],
            missing,
            ready: BinaryHeap::new(),
            latest: vec![NONE; history.locations().len()],
            waiting_readers: vec![0; history.locations().len()],
            readers: vec![0; history.len()],
            open_pairs: vec![Vec::new(); history.locations().len()],
            pairs: FxHashMap::default(),
            parked: vec![Vec::new(); history.locations().len()],
        };
        for op in history.ops() {
            placer.note_pair(op);
            match placer.observed(op) {
                Some(Source::Write(write)) => placer.readers[write.at()] += 1,
                Some(Source::Initial) => {
                    let location = history.location(op).expect("a reader has a location");
                    placer.waiting_readers[location as usize] += 1;
                }
                _ => {}
            }
        }
        placer
    }

    /// Records a store-conditional if its thread wrote the location since its load-linked.
    fn note_pair(&mut self, op: OpId) {
        let Some(reader) = self.forced.reader(op).filter(|reader| reader.is_crossed) else {
            return;
        };
        match self.forced.source(reader.read) {
            Source::Write(write) => self.pairs.entry(write.0).or_default().push(op),
            Source::Initial => {
                let location = self.history.location(op).expect("a store has a location");
                self.open_pairs[location as usize].push(op);
            }
            Source::Unknown => {}
        }
    }

    /// The source of an operation that reads, or of the load-linked of a store-conditional.
    fn observed(&self, op: OpId) -> Option<Source> {
        self.history.observing_read(op).map(|read| self.forced.source(read))
    }

    fn run(&mut self) {
        let lists = self.forced.successors(self.forced.edges.len());
        for node in 0..self.forced.nodes() as u32 {
            if self.missing[node as usize] == 0 {
                self.push(node);
            }
        }
        while let Some(Reverse((_, node))) = self.ready.pop() {
            if !self.visit(node) {
                continue;
            }
            for &edge in lists.of(node) {
                let to = self.forced.edges[edge as usize].to;
                self.missing[to as usize] -= 1;
                if self.missing[to as usize] == 0 {
                    self.push(to);
                }
            }
        }
    }

    fn push(&mut self, node: u32) {
        self.ready.push(Reverse((self.rank(node), node)));
    }

    fn rank(&self, node: u32) -> Rank {
        if node as usize >= self.history.len() {
            return (false, 0, 0);
        }
        let op = OpId(node);
        let order = self.history.order(op).unwrap_or(u32::MAX);
        (self.history.kind(op).writes(), order, self.history.index_of(op))
    }

    /// Visits a node whose predecessors were all visited, and places it if it is an access. Returns `false`
    /// if the access has to wait; then it is parked.
    fn visit(&mut self, node: u32) -> bool {
        if node as usize >= self.history.len() || self.history.kind(OpId(node)).is_fence() {
            return true;
        }
        let op = OpId(node);
        let Some(location) = self.history.location(op).map(|at| at as usize) else { return true };
        if !self.may_be_placed(op, location) {
            self.parked[location].push(node);
            return false;
        }
        self.order.push(op);
        self.is_placed[op.at()] = true;
        self.note_reader(op, location);
        if self.history.kind(op).writes() {
            self.latest[location] = op.0;
            self.waiting_readers[location] = self.readers[op.at()];
            self.open_pairs[location].retain(|&pair| pair != op);
            self.open_pairs[location].extend(self.pairs.remove(&op.0).unwrap_or_default());
        }
        for parked in std::mem::take(&mut self.parked[location]) {
            self.push(parked);
        }
        true
    }

    fn may_be_placed(&self, op: OpId, location: usize) -> bool {
        let kind = self.history.kind(op);
        let own = u32::from(self.reads_latest(op, location));
        if kind.writes() && (self.waiting_readers[location] > own || self.parts_pair(op, location))
        {
            return false;
        }
        !kind.reads() || self.returns_its_value(op, location)
    }

    /// Whether a write would come between the source of another thread's load-linked and its store-conditional.
    fn parts_pair(&self, write: OpId, location: usize) -> bool {
        let thread = self.history.thread_of(write);
        self.open_pairs[location].iter().any(|&pair| self.history.thread_of(pair) != thread)
    }

    /// Whether an operation, or its load-linked, reads the latest write of the location.
    fn reads_latest(&self, op: OpId, location: usize) -> bool {
        match self.observed(op) {
            Some(Source::Write(write)) => self.latest[location] == write.0,
            Some(Source::Initial) => self.latest[location] == NONE,
            _ => false,
        }
    }

    fn returns_its_value(&self, read: OpId, location: usize) -> bool {
        match self.forced.source(read) {
            Source::Unknown => true,
            Source::Initial => self.latest[location] == NONE,
            Source::Write(write) => {
                let is_own = self.history.thread_of(write) == self.history.thread_of(read);
                let is_pending = !self.is_placed[write.at()] && write < read && is_own;
                is_pending || self.latest[location] == write.0
            }
        }
    }

    /// Counts a reader as placed.
    fn note_reader(&mut self, op: OpId, location: usize) {
        if self.reads_latest(op, location) {
            self.waiting_readers[location] -= 1;
        }
        if let Some(Source::Write(write)) = self.observed(op)
            && self.readers[write.at()] > 0
        {
            self.readers[write.at()] -= 1;
        }
    }
}
