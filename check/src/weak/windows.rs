//! Searches a memory order of a long history window by window (see [`crate::engine::windows`]).

use history::{OpId, ReadSource};
use memory::Execution;
use memory::weak::graph::Graph;

use super::Task;
use super::joins::{Edges, contract};
use crate::engine::csr::Csr;
use crate::engine::events::{INITIAL, NONE};
use crate::engine::windows::{self, Input, WindowLimits, WindowOutcome};

/// Number of operations from which on a history is first searched by windows.
pub(super) const MINIMUM: usize = 2048;

/// Sizes of the windows that are tried, as multiples of the usual size.
pub(super) const WINDOW_SIZE_FACTORS: [usize; 2] = [1, 4];

/// The [`WindowLimits::patience`] of a search by windows. It is high, since the alternative keeps a bit for each
/// pair of operation and write, and takes a hundred times as long.
const PATIENCE: usize = 384;

impl Nodes {
    /// Searches a memory order with windows of `times` times the usual size.
    pub(super) fn order_by_windows(
        &self,
        task: &Task<'_>,
        admission: &[u32],
        times: usize,
    ) -> WindowOutcome {
        let finals: Vec<u32> = task.finals.writes.iter().map(|write| write.0).collect();
        let history = task.history;
        let size = windows::size_for(
            history.threads().len(),
            history.locations().len(),
            task.model,
            history.len(),
        );
        let extent = WindowLimits { size: times * size, patience: PATIENCE };
        windows::order(&self.input(&finals), admission, extent, task.bounds)
    }

    /// The accesses among some nodes.
    pub(super) fn accesses(&self, nodes: &[u32]) -> Vec<OpId> {
        let is_access = |node: &u32| self.location[*node as usize] != NONE;
        nodes.iter().copied().filter(is_access).map(OpId).collect()
    }
}

/// The operations and the joins of preserved program order, as columns.
pub(super) struct Nodes {
    pub thread: Vec<u32>,
    location: Vec<u32>,
    source: Vec<u32>,
    reads: Vec<bool>,
    writes: Vec<bool>,
    before: Csr,
    readers: Csr,
    initial_readers: Csr,
}

impl Nodes {
    pub(super) fn of(task: &Task<'_>) -> Nodes {
        let history = task.history;
        let execution = Execution { history, reads_from: task.reads_from.clone() };
        let graph = Graph::new(&execution, task.model);
        let Edges { nodes: size, edges } = contract(&graph);
        let mut nodes = Nodes {
            thread: vec![NONE; size],
            location: vec![NONE; size],
            source: vec![NONE; size],
            reads: vec![false; size],
            writes: vec![false; size],
            before: Csr::new(size, edges.iter().map(|&(from, to)| (to, from))),
            readers: Csr::default(),
            initial_readers: Csr::default(),
        };
        for thread in 0..history.threads().len() {
            for op in history.thread_ops(thread) {
                nodes.thread[op.at()] = thread as u32;
            }
        }
        for op in history.ops() {
            let kind = history.kind(op);
            nodes.location[op.at()] = history.location(op).unwrap_or(NONE);
            nodes.reads[op.at()] = kind.reads();
            nodes.writes[op.at()] = kind.writes();
            let read = history.observing_read(op);
            nodes.source[op.at()] = match read.and_then(|read| task.reads_from.source(read)) {
                Some(ReadSource::Write(write)) => write.0,
                Some(ReadSource::Initial) => INITIAL,
                _ => NONE,
            };
        }
        nodes.index_readers(history.locations().len());
        nodes
    }

    /// The nodes as the input of a search by windows, with the writes whose values are final.
    pub(super) fn input<'n>(&'n self, finals: &'n [u32]) -> Input<'n> {
        Input {
            thread: &self.thread,
            location: &self.location,
            source: &self.source,
            reads: &self.reads,
            writes: &self.writes,
            before: &self.before,
            readers: &self.readers,
            initial_readers: &self.initial_readers,
            finals,
        }
    }

    fn index_readers(&mut self, locations: usize) {
        let all = 0..self.source.len() as u32;
        let pairs = all.map(|node| (self.source[node as usize], node));
        let of_writes = pairs.clone().filter(|&(source, _)| source < INITIAL);
        self.readers = Csr::new(self.source.len(), of_writes);
        let location = |node: u32| self.location[node as usize];
        let of_initial = pairs.filter(|&(source, _)| source == INITIAL);
        let of_initial = of_initial.map(|(_, node)| (location(node), node));
        self.initial_readers = Csr::new(locations, of_initial);
    }
}
