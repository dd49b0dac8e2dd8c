//! The baseline algorithm (HPCA 2006, section 4.1): rules R6 and R7 as Figure 1 applies them.
//!
//! For every write S whose clock changed, and every chain, let x be the first access of S's location
//! at or after S's first successor there that is not a load of S itself.
//!
//! - x is a load (R6): S precedes the source of x.
//! - x is a store or an atomic (R7): every reader of S precedes x.
//!
//! Under TSO a chain has either loads only, or stores, atomics and membars, so x is the access that Figure
//! 1 finds. Under SC a chain has all operations. The figure distinguishes chains with loads only; for SC it
//! is read as the text says: "its earliest successors, either loads or stores, that access the same
//! location but with different values".
//!
//! Figure 1 treats an atomic as a store only: it does not apply R6 to an atomic that reads from another
//! write than S, so it infers less than the rules do ([`Swaps::Stores`]; a failed compare-and-swap, which
//! the paper does not have, is then neither a load nor a store under TSO). The rules of section 4.1, and
//! the figure's own *input* ("a swap is considered to be both a load and a store"), say that both apply
//! ([`Swaps::Both`]); that infers the least fixpoint of R6 and R7, as [`check::engine::saturate`] does.
//! `tso-baseline-figure` follows the figure. `tso-baseline`, `hpca-r8` and the sorts follow the rules, so that the time of a sort
//! contains that of `tso-baseline` on the same history: on a generated history
//! with section 5's mix, 32K operations and 16 threads, `deriv-back` never backtracks that way, and about
//! 2,800 times with the figure; with 128K operations and 60 threads it backtracks at most twice, while
//! with the figure it backtracked millions of times and did not end.
//!
//! Only the last reader of S in each chain gets an edge, since the others precede it.
//!
//! **Cost.** A visit of a write takes O(chains) for each of its readers, and a visit of any operation
//! O(chains) for each edge into it. The paper's bound for the whole fixpoint is O(p·n³), for n operations of p
//! processors. Operations in the queue are visited from the end of a topological order backwards, so that most
//! are visited only a few times.
//!
//! **Invariants.** A clock covers everything that follows its operation along edges whose heads do not
//! wait in the queue. At a fixpoint, the clocks of operations that have not been sorted are reachability
//! along edges. No edge is added from an operation that has been sorted, since it precedes all that have
//! not, and an edge to one is a contradiction.
//!
//! [`Swaps::Stores`]: super::graph::Swaps::Stores
//! [`Swaps::Both`]: super::graph::Swaps::Both

use host::Bounds;

use check::engine::digraph::topological;

use super::clocks::ReverseClocks;
use super::graph::{Graph, NoOrder};
use super::queue::Queue;

/// Visits between two checks of the bounds.
const CHECK_INTERVAL: u64 = 256;

/// A graph with its clocks, to which the rules add edges.
#[derive(Debug)]
pub struct Inference<'a> {
    /// The graph.
    pub graph: Graph<'a>,
    /// The first successors of each operation.
    pub clocks: ReverseClocks,
    queue: Queue,
    visits: u64,
    /// The time and memory after which to give up.
    pub bounds: &'a Bounds,
}

/// A state of an [`Inference`] that [`Inference::undo`] can restore.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mark {
    edges: usize,
    changes: usize,
}

impl<'a> Inference<'a> {
    /// Creates the inference for a graph, and computes the clocks before any rule is applied.
    ///
    /// # Errors
    /// Returns [`NoOrder::Cycle`] if the graph has a cycle, and [`NoOrder::Exceeded`] if a bound was met.
    pub fn new(graph: Graph<'a>, bounds: &'a Bounds) -> Result<Inference<'a>, NoOrder> {
        let (nodes, chains) = (graph.execution.operations as usize, graph.chains.count());
        let order = topological(&graph).map_err(|_| NoOrder::Cycle)?;
        let threads = graph.execution.history.threads().len();
        if !bounds.allows(ReverseClocks::bytes(nodes, chains)) {
            return Err(NoOrder::Exceeded);
        }
        let mut inference = Inference {
            graph,
            clocks: ReverseClocks::new(nodes, chains),
            queue: Queue::new(order, threads),
            visits: 0,
            bounds,
        };
        for rank in (0..nodes).rev() {
            if rank % CHECK_INTERVAL as usize == 0 && bounds.passed() {
                return Err(NoOrder::Exceeded);
            }
            inference.pass_back(inference.queue.order()[rank])?;
        }
        inference.queue.clear();
        Ok(inference)
    }

    /// Applies rules R6 and R7 to every write, until nothing new follows.
    ///
    /// # Errors
    /// Returns [`NoOrder::Cycle`] if the edges form a cycle, and [`NoOrder::Exceeded`] if a bound was met.
    pub fn infer_all(&mut self) -> Result<(), NoOrder> {
        for node in 0..self.graph.execution.operations {
            if self.graph.execution.is_write(node) {
                self.queue.push(node);
            }
        }
        self.infer()
    }

    /// Applies the rules to the writes whose clocks changed, until nothing new follows.
    ///
    /// # Errors
    /// Returns [`NoOrder::Cycle`] if the edges form a cycle, and [`NoOrder::Exceeded`] if a bound was met.
    pub fn infer(&mut self) -> Result<(), NoOrder> {
        while let Some(node) = self.queue.pop() {
            self.visits += 1;
            if self.visits.is_multiple_of(CHECK_INTERVAL) && self.bounds.passed() {
                return Err(NoOrder::Exceeded);
            }
            if self.graph.execution.is_write(node) {
                self.apply(node)?;
                // The rules may have changed the write's own clock.
                while self.queue.take(node) {
                    self.apply(node)?;
                }
            }
            self.pass_back(node)?;
        }
        Ok(())
    }

    /// Computes a new topological order of the graph. To be called at a fixpoint.
    pub fn rank(&mut self) {
        let threads = self.graph.execution.history.threads().len();
        if let Ok(order) = topological(&self.graph) {
            self.queue = Queue::new(order, threads);
        }
    }

    /// The position of an operation in the last topological order.
    pub fn rank_of(&self, node: u32) -> u32 {
        self.queue.rank(node)
    }

    /// Whether an operation is known to precede another.
    pub fn precedes(&self, first: u32, second: u32) -> bool {
        let (chain, position) = self.graph.place(second);
        self.clocks.first(first, chain) <= position
    }

    /// Adds an edge between operations, unless their order is already known. Returns whether it was added.
    ///
    /// # Errors
    /// Returns [`NoOrder::Cycle`] if the edge closes a cycle.
    pub fn add(&mut self, from: u32, to: u32) -> Result<bool, NoOrder> {
        if self.graph.is_sorted(from) {
            return Ok(false);
        }
        if from == to || self.graph.is_sorted(to) {
            return Err(NoOrder::Cycle);
        }
        if self.precedes(from, to) {
            return Ok(false);
        }
        self.graph.link(from, to);
        self.join(from, to)?;
        Ok(true)
    }

    /// Adds edges from the readers of a write to another write of its location.
    ///
    /// # Errors
    /// Returns [`NoOrder::Cycle`] if an edge closes a cycle.
    pub fn add_readers(&mut self, write: u32, other: u32) -> Result<(), NoOrder> {
        for at in 0..self.graph.last_readers.of(write).len() {
            let reader = self.graph.last_readers.of(write)[at];
            if reader != other {
                self.add(reader, other)?;
            }
        }
        Ok(())
    }

    /// Adds `later` and its successors to the successors of `node`.
    fn join(&mut self, node: u32, later: u32) -> Result<(), NoOrder> {
        if self.clocks.join(node, later, self.graph.place(later)) {
            self.queue.push(node);
            if self.precedes(node, node) {
                return Err(NoOrder::Cycle);
            }
        }
        Ok(())
    }

    /// Updates the clocks of the immediate predecessors of an operation that have not been sorted.
    fn pass_back(&mut self, node: u32) -> Result<(), NoOrder> {
        let chains = &self.graph.chains;
        let static_edges = [chains.before(node), chains.across_before(node)];
        for before in static_edges.into_iter().flatten() {
            if !self.graph.is_sorted(before) {
                self.join(before, node)?;
            }
        }
        let mut edge = self.graph.edges.first_in(node);
        while let Some((from, next)) = self.graph.edges.next_in(edge) {
            if !self.graph.is_sorted(from) {
                self.join(from, node)?;
            }
            edge = next;
        }
        Ok(())
    }

    /// Applies R6 and R7 to one write: the loop over chains of Figure 1.
    fn apply(&mut self, write: u32) -> Result<(), NoOrder> {
        for group in self.graph.accesses.range(self.graph.location(write)) {
            let chain = self.graph.accesses.group(group).slot;
            let first = self.clocks.first(write, chain);
            if first == u32::MAX {
                continue;
            }
            let Some(other) = self.graph.first_other(group, first, write) else {
                continue;
            };
            if self.graph.execution.is_write(other) {
                self.add_readers(write, other)?;
            }
            if let Some(source) = self.graph.source_against(other, write) {
                self.add(write, source)?;
            }
        }
        Ok(())
    }

    /// The number of pairs of writes of one location that are ordered. Cost: O(chains) a write.
    pub fn ordered_writes(&self) -> u64 {
        let mut ordered = 0;
        for write in 0..self.graph.execution.operations {
            if !self.graph.execution.is_write(write) {
                continue;
            }
            for group in self.graph.writes.groups(self.graph.location(write)) {
                let first = self.clocks.first(write, group.slot);
                let before = self.graph.writes.count_up_to(group, first - 1);
                ordered += (self.graph.writes.members(group).len() - before) as u64;
            }
        }
        ordered
    }

    /// Marks the current state, which must be a fixpoint, so that later changes can be undone.
    pub fn mark(&mut self) -> Mark {
        self.clocks.log();
        Mark { edges: self.graph.edges.len(), changes: self.clocks.changes() }
    }

    /// Restores the state of a mark. The sorted operations must be those that were sorted when the edges since the
    /// mark were added.
    pub fn undo(&mut self, mark: Mark) {
        self.queue.clear();
        self.graph.cut(mark.edges);
        self.clocks.undo(mark.changes);
    }
}
