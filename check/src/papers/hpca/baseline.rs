//! The baseline algorithm (HPCA 2006, section 4.1): rules R6 and R7 as Figure 1 applies them.
//!
//! For every write S whose clock changed, and every chain, let x be the first access of S's location
//! at or after S's first successor there that is not a load of S itself.
//!
//! - x is a load (R6): S precedes what x reads from.
//! - x is a store or an atomic (R7): every reader of S precedes x.
//!
//! Under TSO a chain has loads alone, or stores, atomics and membars, so x is what Figure 1 finds.
//! Under SC a chain has everything; the figure, which then speaks of no chain with loads alone, is
//! read as the text does: "its earliest successors, either loads or stores, that access the same
//! location but with different values".
//!
//! In Figure 1 an atomic counts as a store alone: that it reads something else than S, which calls for
//! R6 too, is not used, so the figure infers less than the rules ([`Swaps::Stores`]; a failed
//! compare-and-swap, which the paper does not have, is then neither a load nor a store under TSO). The
//! rules of section 4.1, and the figure's own *input* ("a swap is considered to be both a load and a
//! store"), say that both apply ([`Swaps::Both`]); what is inferred then is the least fixpoint of R6
//! and R7, as in [`crate::engine::saturate`]. `tso-baseline` and `hpca-r8` follow the figure. The sorts follow
//! the rules: on a generated history with section 5's mix, 32K operations and 16 threads, `deriv-back`
//! goes back not once that way, and about 2,800 times with the figure; with 128K operations and 60
//! threads up to twice, where with the figure it went back millions of times without an end.
//!
//! Of the readers of S only the last in each chain get an edge, since the others precede them.
//!
//! **Cost.** A visit of a write takes O(chains) for each of its readers, and one of any operation
//! O(chains) for each edge into it. The paper bounds all by O(p·n³); what waits is visited from the
//! end of a topological order on, so that most is visited a few times only.
//!
//! **Invariants.** A clock covers what follows its operation along edges whose heads do not wait in
//! the queue; at a fixpoint, clocks of what has not been sorted are reachability along edges. From what
//! has been sorted no edge is added, since it precedes what has not in any case, and an edge to it is
//! a contradiction.
//!
//! [`Swaps::Stores`]: super::graph::Swaps::Stores
//! [`Swaps::Both`]: super::graph::Swaps::Both

use crate::bounds::Bounds;
use crate::engine::digraph::topological;

use super::clocks::ReverseClocks;
use super::graph::{Graph, NoOrder};
use super::queue::Queue;

/// Visits between two looks at the clock.
const VISITS: u64 = 256;

/// A graph that edges are inferred for.
#[derive(Debug)]
pub struct Inference<'a> {
    /// The graph.
    pub graph: Graph<'a>,
    /// What follows what.
    pub clocks: ReverseClocks,
    queue: Queue,
    visits: u64,
    /// When to give up.
    pub bounds: &'a Bounds,
}

/// A point to come back to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mark {
    edges: usize,
    changes: usize,
}

impl<'a> Inference<'a> {
    /// The clocks of a graph without inferred edges.
    ///
    /// # Errors
    /// The graph has a cycle, or the clocks are too large.
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
            if rank % VISITS as usize == 0 && bounds.passed() {
                return Err(NoOrder::Exceeded);
            }
            inference.pass_back(inference.queue.order()[rank])?;
        }
        inference.queue.clear();
        Ok(inference)
    }

    /// Applies rules R6 and R7 to a fixpoint.
    ///
    /// # Errors
    /// The edges form a cycle, or a bound was met.
    pub fn infer_all(&mut self) -> Result<(), NoOrder> {
        for node in 0..self.graph.execution.operations {
            if self.graph.execution.is_write(node) {
                self.queue.push(node);
            }
        }
        self.infer()
    }

    /// Applies the rules to whatever changed, to a fixpoint.
    ///
    /// # Errors
    /// The edges form a cycle, or a bound was met.
    pub fn infer(&mut self) -> Result<(), NoOrder> {
        while let Some(node) = self.queue.pop() {
            self.visits += 1;
            if self.visits.is_multiple_of(VISITS) && self.bounds.passed() {
                return Err(NoOrder::Exceeded);
            }
            if self.graph.execution.is_write(node) {
                self.apply(node)?;
                // What the rules told of itself.
                while self.queue.take(node) {
                    self.apply(node)?;
                }
            }
            self.pass_back(node)?;
        }
        Ok(())
    }

    /// Sorts the graph anew. To be called at a fixpoint.
    pub fn rank(&mut self) {
        let threads = self.graph.execution.history.threads().len();
        if let Ok(order) = topological(&self.graph) {
            self.queue = Queue::new(order, threads);
        }
    }

    /// Place of an operation in the last topological order.
    pub fn rank_of(&self, node: u32) -> u32 {
        self.queue.rank(node)
    }

    /// Whether an operation is known to precede another.
    pub fn precedes(&self, first: u32, second: u32) -> bool {
        let (chain, position) = self.graph.place(second);
        self.clocks.first(first, chain) <= position
    }

    /// Adds an edge between operations, unless the order is known; says whether it was not.
    ///
    /// # Errors
    /// It closes a cycle.
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

    /// Readers of a write precede another write of its location.
    ///
    /// # Errors
    /// That closes a cycle.
    pub fn add_readers(&mut self, write: u32, other: u32) -> Result<(), NoOrder> {
        for at in 0..self.graph.last_readers.of(write).len() {
            let reader = self.graph.last_readers.of(write)[at];
            if reader != other {
                self.add(reader, other)?;
            }
        }
        Ok(())
    }

    /// What follows `later` follows `node` too.
    fn join(&mut self, node: u32, later: u32) -> Result<(), NoOrder> {
        if self.clocks.join(node, later, self.graph.place(later)) {
            self.queue.push(node);
            if self.precedes(node, node) {
                return Err(NoOrder::Cycle);
            }
        }
        Ok(())
    }

    /// Tells what precedes an operation immediately, and has not been sorted, what follows it.
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

    /// Figure 1's loop over chains, for one write.
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

    /// How many pairs of writes of one location are ordered. Cost: O(chains) a write.
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

    /// Remembers the present state, a fixpoint; later changes can be undone.
    pub fn mark(&mut self) -> Mark {
        self.clocks.log();
        Mark { edges: self.graph.edges.len(), changes: self.clocks.changes() }
    }

    /// Goes back to a mark. What has been sorted must be what had been when edges were added.
    pub fn undo(&mut self, mark: Mark) {
        self.queue.clear();
        self.graph.cut(mark.edges);
        self.clocks.undo(mark.changes);
    }
}
