//! The graph of HPCA 2006, section 4: operations, the edges between them, and the state of a topological
//! sort.
//!
//! The static edges (R1-R3) are those of the `Chains`. The paper's synthetic root, which writes the initial
//! values, is not a node: since it precedes everything, it only implies that readers of an initial value
//! precede every write of the location. A swap is one node, both a load and a store, which is the
//! paper's way of making it atomic. A store-conditional counts as a reader of what its load-linked
//! read, which makes the pair atomic (see [`Execution`]).

use history::OpId;
use rustc_hash::FxHashMap;

use crate::execution::Execution;
use check::engine::csr::Csr;
use check::engine::digraph::Digraph;
use check::engine::events::NONE;
use check::engine::index::Index;
use check::published::Problem;

use super::chains::Chains;
use super::edges::Edges;

/// Why inference stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoOrder {
    /// The edges form a cycle.
    Cycle,
    /// A bound was met.
    Exceeded,
}

/// How rules R6 and R7 treat a swap or another atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swaps {
    /// As a store only, as in Figure 1.
    Stores,
    /// As both a load and a store, as in the text.
    Both,
}

/// Operations and their order. Memory: about 150 bytes an operation, 16 an edge.
#[derive(Debug)]
pub struct Graph<'a> {
    /// The history.
    pub execution: Execution<'a>,
    /// The chains of the operations, which imply the static edges.
    pub chains: Chains,
    /// Observed and inferred edges.
    pub edges: Edges,
    /// The writes by location and chain.
    pub writes: Index,
    /// The writes, and the loads whose source is a known write, by location and chain.
    pub accesses: Index,
    swaps: Swaps,
    /// Per access, the next access of its group that is not a load of the same source.
    next_other: Vec<u32>,
    /// Per write, its last reader in each chain.
    pub last_readers: Csr,
    /// Per chain, how many of its operations have been sorted.
    pub sorted: Vec<u32>,
    /// Per operation, the number of edges into it from operations that have not been sorted.
    waits_for: Vec<u32>,
}

impl<'a> Graph<'a> {
    /// The graph with the edges of rules R1-R3. Cost: that of sorting the accesses.
    pub fn new(problem: &Problem<'a>, swaps: Swaps) -> Graph<'a> {
        let execution = Execution::new(problem.history, problem.reads_from);
        let chains = Chains::new(&execution, problem.model);
        let operations = execution.operations as usize;
        // In a chain without loads, Figure 1 considers only stores and atomics that write.
        let failed = swaps == Swaps::Both || !problem.model.buffers();
        let is_load = |node: u32| {
            let source = execution.source[node as usize];
            let kind = execution.kind(node);
            (kind.may_be_forwarded() || failed && kind.is_atomic() && !kind.writes())
                && source != NONE
                && !execution.is_initial(source)
        };
        let index = |wanted: &dyn Fn(u32) -> bool| {
            let nodes = (0..operations as u32).filter(|&node| wanted(node));
            let mut entries: Vec<(u32, u32, u32, u32)> = nodes
                .map(|node| {
                    let at = node as usize;
                    let (chain, position) = (chains.of[at], chains.position[at]);
                    (execution.location[at], chain, position, node)
                })
                .collect();
            entries.sort_unstable();
            Index::new(execution.locations() as usize, &entries)
        };
        let writes = index(&|node| execution.is_write(node));
        let accesses = index(&|node| execution.is_write(node) || is_load(node));
        Graph {
            next_other: next_others(&execution, &accesses),
            last_readers: last_readers(&execution, &chains),
            sorted: vec![0; chains.count()],
            waits_for: vec![0; operations],
            edges: Edges::new(operations),
            writes,
            accesses,
            swaps,
            execution,
            chains,
        }
    }

    /// Chain and position of an operation.
    pub fn place(&self, node: u32) -> (u32, u32) {
        let node = node as usize;
        (self.chains.of[node], self.chains.position[node])
    }

    /// The location of an operation, [`NONE`] for a membar.
    pub fn location(&self, node: u32) -> u32 {
        self.execution.location[node as usize]
    }

    /// The write that an operation takes its value from; [`NONE`] if the operation does not read or its source is
    /// unknown.
    pub fn source(&self, node: u32) -> u32 {
        self.execution.source[node as usize]
    }

    /// Adds an edge. An edge that is added twice counts twice.
    pub fn link(&mut self, from: u32, to: u32) {
        self.edges.link(from, to);
        self.waits_for[to as usize] += 1;
    }

    /// Removes all but the first `edges` edges. The operations that are sorted must be those that were
    /// when the removed edges were added, and no removed edge may leave one of them.
    pub fn cut(&mut self, edges: usize) {
        while self.edges.len() > edges {
            if let Some((_, to)) = self.edges.unlink() {
                self.waits_for[to as usize] -= 1;
            }
        }
    }

    /// Whether an operation has been sorted.
    pub fn is_sorted(&self, node: u32) -> bool {
        let (chain, position) = self.place(node);
        self.sorted[chain as usize] >= position
    }

    /// Whether an operation can be sorted next: everything that precedes it has been sorted.
    pub fn is_next(&self, node: u32) -> bool {
        let (chain, position) = self.place(node);
        let before = self.chains.across_before(node);
        self.sorted[chain as usize] + 1 == position
            && self.waits_for[node as usize] == 0
            && before.is_none_or(|before| self.is_sorted(before))
    }

    /// Sorts an operation for which [`Graph::is_next`] holds.
    pub fn sort(&mut self, node: u32) {
        self.sorted[self.chains.of[node as usize] as usize] += 1;
        for next in self.edges.out_of(node) {
            self.waits_for[next as usize] -= 1;
        }
    }

    /// Undoes the sorting of the operation that was sorted last in its chain.
    pub fn unsort(&mut self, node: u32) {
        self.sorted[self.chains.of[node as usize] as usize] -= 1;
        for next in self.edges.out_of(node) {
            self.waits_for[next as usize] += 1;
        }
    }

    /// The first access of a group at or after a position that is not a load from `source`.
    pub fn first_other(&self, group: usize, position: u32, source: u32) -> Option<u32> {
        let group = self.accesses.group(group);
        let members = self.accesses.members(group);
        let at = self.accesses.count_up_to(group, position.checked_sub(1)?);
        let access = *members.get(at)?;
        if self.execution.is_write(access) || self.source(access) != source {
            return Some(access);
        }
        Some(self.next_other[access as usize]).filter(|&other| other != NONE)
    }

    /// The source of an access that follows `write`, if R6 applies to it: the access counts as a load, and
    /// its source is another write than `write` and not initial.
    pub fn source_against(&self, access: u32, write: u32) -> Option<u32> {
        let source = self.source(access);
        let applies = self.swaps == Swaps::Both || !self.execution.is_write(access);
        let known = source != NONE && !self.execution.is_initial(source);
        (applies && known && source != write).then_some(source)
    }

    /// The first write of a group that has not been sorted.
    pub fn first_unsorted(&self, group: usize) -> Option<u32> {
        let group = self.writes.group(group);
        let sorted = self.sorted[group.slot as usize];
        let at = self.writes.count_up_to(group, sorted);
        self.writes.members(group).get(at).copied()
    }

    /// Adds the observed edges: those of rules R4 and R5, those from readers of an initial value to all
    /// writes, and those to the writes of final values. Cost: linear in the number of edges.
    ///
    /// # Errors
    /// Returns [`NoOrder::Cycle`] if a thread read an initial value after its own write of the location.
    pub fn observe(&mut self, finals: &[OpId]) -> Result<(), NoOrder> {
        // The last write of each location by the current thread.
        let mut own: FxHashMap<u32, u32> = FxHashMap::default();
        let mut thread = NONE;
        for node in 0..self.execution.operations {
            if self.execution.thread[node as usize] != thread {
                thread = self.execution.thread[node as usize];
                own.clear();
            }
            let location = self.location(node);
            if self.source(node) != NONE {
                self.observe_read(node, own.get(&location).copied())?;
            }
            if self.execution.is_write(node) {
                own.insert(location, node);
            }
        }
        for location in 0..self.execution.locations() {
            self.observe_initial(location);
        }
        for &write in finals {
            self.observe_final(write.0);
        }
        Ok(())
    }

    /// Applies R4 and R5 to one read. `own` is the last write before it of its thread and location.
    fn observe_read(&mut self, read: u32, own: Option<u32>) -> Result<(), NoOrder> {
        let source = self.source(read);
        if self.execution.is_initial(source) {
            return match own {
                Some(_) => Err(NoOrder::Cycle),
                None => Ok(()),
            };
        }
        if self.execution.is_external(read) {
            self.link(source, read);
        }
        if let Some(own) = own.filter(|&own| own != source && !self.is_in_chain(own, source)) {
            self.link(own, source);
        }
        Ok(())
    }

    /// Whether an operation comes before another in one chain.
    fn is_in_chain(&self, first: u32, second: u32) -> bool {
        let (first, second) = (self.place(first), self.place(second));
        first.0 == second.0 && first.1 < second.1
    }

    fn observe_initial(&mut self, location: u32) {
        let initial = self.execution.initial(location);
        for at in 0..self.last_readers.of(initial).len() {
            let reader = self.last_readers.of(initial)[at];
            for group in self.writes.range(location) {
                let first = self.writes.members(self.writes.group(group))[0];
                let thread = |node: u32| self.execution.thread[node as usize];
                // The writes of the reader's own thread follow it in program order.
                if thread(first) != thread(reader) {
                    self.link(reader, first);
                }
            }
        }
    }

    fn observe_final(&mut self, write: u32) {
        for group in self.writes.range(self.location(write)) {
            let members = self.writes.members(self.writes.group(group));
            let last = members[members.len() - 1];
            if last != write {
                self.link(last, write);
            }
        }
    }
}

impl Digraph for Graph<'_> {
    fn nodes(&self) -> usize {
        self.execution.operations as usize
    }

    fn successors(&self, node: u32, mut visit: impl FnMut(u32)) {
        self.chains.after(node).into_iter().for_each(&mut visit);
        let across = self.chains.across_after(node);
        across.into_iter().for_each(&mut visit);
        self.edges.out_of(node).for_each(visit);
    }
}

/// Per access, the next access of its group that is not a load of the same source.
fn next_others(execution: &Execution<'_>, accesses: &Index) -> Vec<u32> {
    let mut next = vec![NONE; execution.operations as usize];
    for group in 0..accesses.all_groups() {
        let members = accesses.members(accesses.group(group));
        for pair in members.windows(2).rev() {
            let same = !execution.is_write(pair[1])
                && execution.source[pair[0] as usize] == execution.source[pair[1] as usize];
            next[pair[0] as usize] = if same { next[pair[1] as usize] } else { pair[1] };
        }
    }
    next
}

/// Per write, its last reader in each chain, which the other readers in the chain precede.
fn last_readers(execution: &Execution<'_>, chains: &Chains) -> Csr {
    let mut last: Vec<(u32, u32)> = Vec::new();
    let mut place: FxHashMap<u32, usize> = FxHashMap::default();
    for write in 0..execution.len() as u32 {
        place.clear();
        for &reader in execution.readers.of(write) {
            let chain = chains.of[reader as usize];
            match place.get(&chain) {
                Some(&at) => last[at].1 = reader,
                None => {
                    place.insert(chain, last.len());
                    last.push((write, reader));
                }
            }
        }
    }
    Csr::new(execution.len(), last.iter().copied())
}
