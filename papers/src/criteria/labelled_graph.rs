//! [`LabelledGraph`]: a relation given by parts of program order and by labelled edges, in which short
//! paths and cycles can be searched.

use std::collections::VecDeque;

use crate::execution::{Execution, NONE};
use crate::program_order::program_order_by_location;
use certify::criterion::BaseOrder;
use check::engine::csr::Csr;
use check::engine::digraph::topological;
use host::Bounds;
use memory::Model;

/// Approximate number of nodes and edges that a search for a short cycle visits.
const CYCLE_SEARCH_VISITS: usize = 30_000_000;

/// The justification of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// A pair of `wr` or `wr_e`.
    ReadsFrom,
    /// A pair that the second rule of an `hb_o` derives; its index among the derived pairs.
    Derived(u32),
    /// A pair of `cf[R]` that this read implies, with R over this base order.
    Conflict(BaseOrder, u32),
    /// A pair of `hb_WW` or `whb_WW`.
    Happens,
    /// A pair of `rw`: the edge of this index leads from the read's source to the write.
    Overwritten(u32),
}

/// An edge between two nodes of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The node that the edge leaves.
    pub from: u32,
    /// The node that the edge enters.
    pub to: u32,
    /// The justification of the edge.
    pub label: Label,
}

impl Edge {
    /// The ends of the edge.
    pub fn ends(&self) -> (u32, u32) {
        (self.from, self.to)
    }
}

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hop {
    /// A pair of program order: the order, and the two nodes.
    Program(BaseOrder, u32, u32),
    /// A labelled edge.
    Edge(Edge),
}

/// Whether a pair is in a base order. For `ppo`, pairs that only transitivity adds do not count.
pub(super) fn related(exec: &Execution<'_>, order: BaseOrder, first: u32, second: u32) -> bool {
    let (one, two) = (exec.location[first as usize], exec.location[second as usize]);
    match order {
        BaseOrder::Full => exec.po(first, second),
        BaseOrder::Preserved => exec.preserves(Model::TSO, first, second),
        BaseOrder::SameLocation => exec.po(first, second) && one == two && one != NONE,
    }
}

/// The pairs of a write and its reader: all of them (`wr`), or only the external ones (`wr_e`).
pub(super) fn reads_from(exec: &Execution<'_>, external: bool) -> Vec<Edge> {
    let model = if external { Model::TSO } else { Model::SC };
    let edge = |(from, to)| Edge { from, to, label: Label::ReadsFrom };
    exec.wr(model).map(edge).collect()
}

/// Edges whose transitive closure is the order: at most two for each operation, and those from initial writes.
pub(super) fn steps(exec: &Execution<'_>, order: BaseOrder) -> Vec<(u32, u32)> {
    match order {
        BaseOrder::Full => full(exec),
        BaseOrder::Preserved => preserved(exec),
        BaseOrder::SameLocation => program_order_by_location(exec),
    }
}

/// The most bytes that [`steps`] takes while it makes its edges: those from initial writes lead to every thread.
pub(super) fn bytes_of_steps(exec: &Execution<'_>) -> usize {
    let initial = exec.history.threads().len() * exec.locations() as usize;
    // A list that grows may have twice the room that it needs.
    2 * size_of::<(u32, u32)>() * (initial + 2 * exec.operations as usize)
}

fn full(exec: &Execution<'_>) -> Vec<(u32, u32)> {
    let mut steps = Vec::new();
    for thread in exec.history.threads() {
        let ops = thread.first().0..thread.end().0;
        steps.extend((0..exec.locations()).map(|l| (exec.initial(l), ops.start)));
        steps.extend(ops.skip(1).map(|op| (op - 1, op)));
    }
    steps
}

/// The edges for `ppo` of TSO. An operation that is no plain store precedes everything after it, and one
/// that is no plain load follows everything before it, so an edge from the last of each kind suffices.
/// An initial write counts as a plain store, so it does not precede plain loads.
fn preserved(exec: &Execution<'_>) -> Vec<(u32, u32)> {
    let mut steps = Vec::new();
    for thread in exec.history.threads() {
        let (mut last_store, mut last_other) = (None, None);
        for op in thread.first().0..thread.end().0 {
            let kind = exec.kind(op);
            steps.extend(last_other.map(|other| (other, op)));
            if !kind.may_be_forwarded() {
                if last_store.is_none() {
                    steps.extend((0..exec.locations()).map(|l| (exec.initial(l), op)));
                }
                steps.extend(last_store.map(|store| (store, op)));
                last_store = Some(op);
            }
            if !kind.may_be_buffered() {
                last_other = Some(op);
            }
        }
    }
    steps
}

/// Parts of program order and labelled edges, as a graph over the nodes of an execution.
#[derive(Debug)]
pub(super) struct LabelledGraph<'e> {
    exec: &'e Execution<'e>,
    orders: Vec<BaseOrder>,
    pub edges: Vec<Edge>,
    /// Per node, the numbers of the edges that leave it.
    out: Csr,
}

impl<'e> LabelledGraph<'e> {
    /// Creates the graph of these orders and edges. Cost: linear.
    pub(super) fn new(
        exec: &'e Execution<'e>,
        orders: &[BaseOrder],
        edges: Vec<Edge>,
    ) -> LabelledGraph<'e> {
        let numbered = edges.iter().enumerate();
        let out = Csr::new(exec.len(), numbered.map(|(at, edge)| (edge.from, at as u32)));
        LabelledGraph { exec, orders: orders.to_vec(), edges, out }
    }

    /// A shortest path of at least one step that uses only allowed edges. Cost: linear for `po`,
    /// O(n²/threads) for the other orders.
    pub(super) fn path(
        &self,
        from: u32,
        to: u32,
        allowed: impl Fn(&Edge) -> bool,
    ) -> Option<Vec<Hop>> {
        let mut search = Search {
            graph: self,
            reached: vec![None; self.exec.len()],
            queue: VecDeque::from([from]),
            fresh: vec![u32::MAX; self.exec.history.threads().len()],
        };
        while let Some(node) = search.queue.pop_front() {
            for &at in self.out.of(node) {
                let edge = self.edges[at as usize];
                if allowed(&edge) {
                    search.reach(edge.to, node, Hop::Edge(edge));
                }
            }
            search.along_program_order(node);
            if search.reached[to as usize].is_some() {
                return Some(search.path(from, to));
            }
        }
        None
    }

    /// A cycle with few steps, if there is a cycle. Cost: linear if there is none. Otherwise the search
    /// starts from a bounded number of nodes on cycles, and finds a shortest cycle if there are few of
    /// them.
    pub(super) fn cycle(&self, bounds: &Bounds) -> Option<Vec<Hop>> {
        let steps: Vec<(u32, u32)> =
            self.orders.iter().flat_map(|&order| steps(self.exec, order)).collect();
        let all = steps.iter().copied();
        let all = all.chain(self.edges.iter().map(Edge::ends));
        let nodes = topological(&Csr::new(self.exec.len(), all)).err()?.on_cycles();
        let tries = (CYCLE_SEARCH_VISITS / (self.exec.len() + self.edges.len() + 1)).max(1);
        let stride = nodes.len().div_ceil(tries).max(1);
        let mut shortest: Option<Vec<Hop>> = None;
        for &node in nodes.iter().step_by(stride) {
            let length = shortest.as_ref().map_or(usize::MAX, Vec::len);
            if length == 2 || (length < usize::MAX && bounds.passed()) {
                break;
            }
            if let Some(path) = self.path(node, node, |_| true)
                && path.len() < length
            {
                shortest = Some(path);
            }
        }
        shortest
    }
}

struct Search<'w> {
    graph: &'w LabelledGraph<'w>,
    /// Per node, the node before it on the path, and the step from there.
    reached: Vec<Option<(u32, Hop)>>,
    queue: VecDeque<u32>,
    /// For `po`, per thread: the first operation from which on all were reached along program order.
    fresh: Vec<u32>,
}

impl Search<'_> {
    fn reach(&mut self, node: u32, before: u32, hop: Hop) {
        let slot = &mut self.reached[node as usize];
        if slot.is_none() {
            *slot = Some((before, hop));
            self.queue.push_back(node);
        }
    }

    fn along_program_order(&mut self, node: u32) {
        let exec = self.graph.exec;
        let threads = exec.history.threads();
        if exec.is_initial(node) {
            for (at, thread) in threads.iter().enumerate() {
                self.along_thread(node, at, thread.first().0, thread.end().0);
            }
        } else {
            let thread = exec.thread[node as usize] as usize;
            self.along_thread(node, thread, node + 1, threads[thread].end().0);
        }
    }

    fn along_thread(&mut self, node: u32, thread: usize, start: u32, end: u32) {
        for &order in &self.graph.orders {
            let end = match order {
                BaseOrder::Full => end.min(self.fresh[thread]),
                _ => end,
            };
            for next in start..end {
                if self.reached[next as usize].is_none()
                    && related(self.graph.exec, order, node, next)
                {
                    self.reach(next, node, Hop::Program(order, node, next));
                }
            }
            if order == BaseOrder::Full {
                self.fresh[thread] = self.fresh[thread].min(start);
            }
        }
    }

    fn path(&self, from: u32, to: u32) -> Vec<Hop> {
        let mut path = Vec::new();
        let mut at = to;
        while let Some((before, hop)) = self.reached[at as usize] {
            path.push(hop);
            at = before;
            if at == from {
                break;
            }
        }
        path.reverse();
        path
    }
}
