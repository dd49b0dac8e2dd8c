//! [`Progress`]: the operations that a weak model allows to be performed next, while a program runs.

use history::OpId;

use super::graph::{Graph, Node};

/// Tracks which operations of a program have been performed, and which may be performed next.
///
/// ```
/// use history::{Access, AssumedSize, HistoryBuilder, Initial, Kind, OpId, Place, Provenance};
/// use history::{Ambiguity, ReadsFrom};
/// use memory::Model;
/// use memory::Execution;
/// use memory::weak::graph::Graph;
/// use memory::weak::progress::Progress;
///
/// let mut builder = HistoryBuilder::new();
/// for (kind, place) in [
///     (Kind::Load, Place::Cell(0)),
///     (Kind::Fence, Place::Nowhere),
///     (Kind::Load, Place::Cell(1)),
/// ] {
///     builder.push(Access::new(0, kind, place));
/// }
/// let history = builder.finish(AssumedSize::default(), &Initial::Zero, Provenance::made())?;
/// let reads_from = ReadsFrom::derive(&history, Ambiguity::Keep)?;
/// let graph = Graph::new(&Execution { history: &history, reads_from }, Model::RVWMO);
/// let mut progress = Progress::new(&graph, &[]);
/// assert!(progress.is_free(OpId(0)) && !progress.is_free(OpId(2)));
/// progress.perform(OpId(0));
/// assert!(progress.is_free(OpId(2)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Progress {
    operations: u32,
    /// Per node, the number of direct predecessors that have not been performed.
    waits: Vec<u32>,
    /// Per node, the index of its first successor; one more at the end.
    starts: Vec<u32>,
    successors: Vec<Node>,
}

impl Progress {
    /// Starts with a program of which no operation has been performed. `more` are pairs of operations to be kept in
    /// order besides those of the graph. Cost: linear.
    pub fn new(graph: &Graph, more: &[(OpId, OpId)]) -> Progress {
        let edges = || graph.edges().iter().copied().chain(more.iter().map(|(a, b)| (a.0, b.0)));
        let nodes = graph.nodes() as usize;
        let mut waits = vec![0; nodes];
        let mut starts = vec![0_u32; nodes + 1];
        for (from, to) in edges() {
            waits[to as usize] += 1;
            starts[from as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut successors = vec![0; starts[nodes] as usize];
        for (from, to) in edges() {
            successors[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
        Progress { operations: graph.operations(), waits, starts, successors }
    }

    /// Whether all operations that precede an operation have been performed.
    pub fn is_free(&self, op: OpId) -> bool {
        self.waits[op.at()] == 0
    }

    /// Records that an operation has been performed. The operation must be free.
    pub fn perform(&mut self, op: OpId) {
        let mut done = vec![op.0];
        while let Some(node) = done.pop() {
            for at in self.range(node) {
                let next = self.successors[at];
                self.waits[next as usize] -= 1;
                if self.waits[next as usize] == 0 && next >= self.operations {
                    done.push(next);
                }
            }
        }
    }

    /// Whether operations may be performed one right after the other: each is free once those before it in the list
    /// have been performed.
    pub fn are_free(&mut self, operations: impl DoubleEndedIterator<Item = OpId> + Clone) -> bool {
        let mut performed = 0;
        for op in operations.clone() {
            if !self.is_free(op) {
                break;
            }
            self.perform(op);
            performed += 1;
        }
        let all = operations.clone().count();
        operations.rev().skip(all - performed).for_each(|op| self.undo(op));
        performed == all
    }

    fn undo(&mut self, op: OpId) {
        let mut undone = vec![op.0];
        while let Some(node) = undone.pop() {
            for at in self.range(node) {
                let next = self.successors[at];
                if self.waits[next as usize] == 0 && next >= self.operations {
                    undone.push(next);
                }
                self.waits[next as usize] += 1;
            }
        }
    }

    fn range(&self, node: Node) -> std::ops::Range<usize> {
        self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize
    }
}
