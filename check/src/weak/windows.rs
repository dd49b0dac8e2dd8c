//! Searches a memory order of a long history window by window (see [`crate::engine::windows`]).

use history::{OpId, ReadSource};
use memory::axioms::Execution;
use memory::weak::graph::Graph;

use super::Task;
use super::joins::{Edges, contract};
use crate::engine::csr::Csr;
use crate::engine::events::{INITIAL, NONE};
use crate::engine::windows::{self, Ended, Extent, Input};

/// Number of operations from which on the search by windows comes first.
const MINIMUM: usize = 2048;

/// The patience of a search by windows. The alternative keeps a bit for each pair of operation and write, and
/// takes a hundred times as long.
const PATIENCE: usize = 384;

impl Task<'_> {
    /// A memory order, if the history is long and windows find one.
    pub(super) fn order_by_windows(&self) -> Option<Vec<OpId>> {
        let history = self.history;
        if history.len() < MINIMUM || self.reads_from.ambiguous() > 0 {
            return None;
        }
        let nodes = Nodes::of(self);
        let finals: Vec<u32> = self.finals.writes.iter().map(|write| write.0).collect();
        let input = Input {
            thread: &nodes.thread,
            location: &nodes.location,
            source: &nodes.source,
            reads: &nodes.reads,
            writes: &nodes.writes,
            before: &nodes.before,
            readers: &nodes.readers,
            initial_readers: &nodes.initial_readers,
            finals: &finals,
        };
        let size = windows::size_for(history.threads().len(), self.model, history.len());
        let mut sizes = [size, 4 * size].into_iter();
        let order = sizes.find_map(|size| {
            let extent = Extent { size, patience: PATIENCE };
            match windows::order(&input, extent, self.bounds) {
                Ended::Order(order) => Some(order),
                Ended::GaveUp | Ended::Exceeded => None,
            }
        })?;
        let ops = order.into_iter().filter(|&node| nodes.location[node as usize] != NONE);
        let order: Vec<OpId> = ops.map(OpId).collect();
        self.is_memory_order(&order).then_some(order)
    }
}

/// The operations and the joins of preserved program order, as columns.
struct Nodes {
    thread: Vec<u32>,
    location: Vec<u32>,
    source: Vec<u32>,
    reads: Vec<bool>,
    writes: Vec<bool>,
    before: Csr,
    readers: Csr,
    initial_readers: Csr,
}

impl Nodes {
    fn of(task: &Task<'_>) -> Nodes {
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
