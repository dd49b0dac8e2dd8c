//! [`Forced`]: the order that program order, reads and assumptions force. `values` has the rules R6 and R7,
//! which [`Forced::saturate`] applies until nothing changes.

mod values;

use certify::rule::Rule;
use history::{History, OpId, ReadSource, ReadsFrom};
use host::Bounds;
use memory::Execution;
use memory::Model;
use memory::weak::graph::Graph;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Task;
use crate::engine::csr::Csr;
use crate::engine::digraph::topological;
use crate::engine::proof::Assumption;

/// Marks a missing number, such as that of an operation that is no write among the writes.
pub(super) const NONE: u32 = u32::MAX;

/// Number of nodes, or of writes of a location, after which bounds are checked again.
const STEPS_PER_CHECK: usize = 64;

/// The reason why one node precedes another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EdgeReason {
    /// Preserved program order, perhaps over a join.
    Program,
    /// A rule about what reads return, or an assumption.
    Rule(Rule<OpId>),
}

/// An edge: the node `from` precedes the node `to`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub from: u32,
    pub to: u32,
    pub why: EdgeReason,
}

/// Why saturation stopped early.
pub(super) enum SaturationStop {
    /// The edges of these numbers form a cycle, each beginning where the one before it ends.
    Cycle(Vec<usize>),
    /// A bound was met.
    Exceeded,
}

/// The source of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Write(OpId),
    Initial,
    Unknown,
}

/// The writes of one location by one thread, in program order.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    /// The numbers of the writes among all writes are consecutive, from this one.
    pub first: u32,
    pub writes: Vec<OpId>,
}

/// An operation that depends on the value of a write: a read of it, or a store-conditional whose
/// load-linked read it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader {
    op: OpId,
    /// The read itself.
    pub read: OpId,
    /// Whether this is a store-conditional whose thread wrote the location since its load-linked. Then only
    /// writes of other threads are excluded between the source and it; otherwise all writes are.
    pub is_crossed: bool,
}

/// The order that is forced, as a graph, and for each node the writes that precede it.
///
/// The nodes are the operations, the joins of preserved program order, and the initial writes of the
/// locations.
pub(super) struct Forced<'a> {
    pub history: &'a History,
    bounds: &'a Bounds,
    pub model: Model,
    finals: Vec<OpId>,
    /// Sources of reads, given or assumed.
    source: Vec<Source>,
    /// Per operation, whether its source is an assumption. `assumed_finals` has by location the assumed write
    /// of its final value.
    assumed: Vec<bool>,
    assumed_finals: FxHashMap<u32, OpId>,
    pub execution: Execution<'a>,
    /// Number of the first initial write among the nodes.
    initial: u32,
    pub edges: Vec<Edge>,
    /// The pairs that a rule has ordered.
    known: FxHashSet<(u32, u32)>,
    /// Per location, its chains.
    pub chains: Vec<Vec<Chain>>,
    /// Per operation, its number among the writes; [`NONE`] for others.
    column: Vec<u32>,
    /// Per write, by its number, its readers.
    readers: Vec<Vec<Reader>>,
    /// Number of words in a row.
    width: usize,
    /// Per node, the writes that precede it, as bits.
    rows: Vec<u64>,
}

/// The state before an assumption about order, to which [`Forced::undo`] returns.
pub(super) struct Mark {
    edges: usize,
}

impl Mark {
    /// Number of edges that remain.
    pub(super) fn edges(&self) -> usize {
        self.edges
    }
}

impl<'a> Forced<'a> {
    /// Builds the graph, without saturating it.
    pub(super) fn new(task: &Task<'a>) -> Forced<'a> {
        let history = task.history;
        let source = history.ops().map(|op| source_of(task.reads_from, op)).collect();
        let mut forced = Forced {
            history,
            bounds: task.bounds,
            model: task.model,
            finals: task.finals.writes.clone(),
            source,
            assumed: vec![false; history.len()],
            assumed_finals: FxHashMap::default(),
            execution: Execution { history, reads_from: task.reads_from.clone() },
            initial: 0,
            edges: Vec::new(),
            known: FxHashSet::default(),
            chains: Vec::new(),
            column: vec![NONE; history.len()],
            readers: Vec::new(),
            width: 0,
            rows: Vec::new(),
        };
        forced.find_chains();
        forced.rebuild();
        forced
    }

    fn find_chains(&mut self) {
        self.chains = vec![Vec::new(); self.history.locations().len()];
        let mut threads = vec![NONE; self.chains.len()];
        for thread in 0..self.history.threads().len() {
            for op in self.history.thread_ops(thread) {
                let Some(at) = self.history.location(op).map(|at| at as usize) else { continue };
                if !self.history.kind(op).writes() {
                    continue;
                }
                if threads[at] != thread as u32 {
                    threads[at] = thread as u32;
                    self.chains[at].push(Chain { first: 0, writes: Vec::new() });
                }
                let last = self.chains[at].last_mut().expect("a chain was added");
                last.writes.push(op);
            }
        }
        let mut number = 0;
        for chain in self.chains.iter_mut().flatten() {
            chain.first = number;
            for &write in &chain.writes {
                self.column[write.at()] = number;
                number += 1;
            }
        }
        self.width = (number as usize).div_ceil(64);
        self.readers = vec![Vec::new(); number as usize];
    }

    /// Builds the edges that depend on no assumption about order, after a change of sources.
    fn rebuild(&mut self) {
        let graph = Graph::new(&self.execution, self.model);
        self.initial = graph.nodes();
        self.known.clear();
        let program = graph.edges().iter();
        self.edges =
            program.map(|&(from, to)| Edge { from, to, why: EdgeReason::Program }).collect();
        self.readers.iter_mut().for_each(Vec::clear);
        for op in self.history.ops() {
            self.add_reader(op);
        }
        self.add_finals();
    }

    /// The number of nodes.
    pub(super) fn nodes(&self) -> usize {
        self.initial as usize + self.history.locations().len()
    }

    /// The accesses among some nodes.
    pub(super) fn accesses(&self, nodes: &[u32]) -> Vec<OpId> {
        let ops = nodes.iter().filter(|node| (**node as usize) < self.history.len());
        ops.map(|&node| OpId(node)).filter(|&op| !self.history.kind(op).is_fence()).collect()
    }

    /// The node of a location's initial write.
    pub(super) fn initial_node(&self, location: u32) -> u32 {
        self.initial + location
    }

    /// The location whose initial write a node is.
    pub(super) fn initial_location(&self, node: u32) -> Option<u32> {
        node.checked_sub(self.initial)
    }

    /// Number of edges that were derived from what reads return.
    pub(super) fn derived(&self) -> usize {
        self.edges.iter().filter(|edge| edge.why != EdgeReason::Program).count()
    }

    /// The source of a read.
    pub(super) fn source(&self, read: OpId) -> Source {
        self.source[read.at()]
    }

    /// Whether the source of a read is an assumption.
    pub(super) fn is_assumed(&self, read: OpId) -> bool {
        self.assumed[read.at()]
    }

    /// The assumed source of a location's final value.
    pub(super) fn assumed_final(&self, location: u32) -> Option<OpId> {
        self.assumed_finals.get(&location).copied()
    }

    /// The operation as a [`Reader`], if it depends on the value of a read.
    pub(super) fn reader(&self, op: OpId) -> Option<Reader> {
        if let Some(read) = self.history.observing_read(op) {
            return Some(Reader { op, read, is_crossed: false });
        }
        let read = self.model.exclusive_load(self.history, op)?;
        Some(Reader { op, read, is_crossed: true })
    }

    /// Whether a write must not come between the source of a reader and the reader.
    fn is_excluded(&self, reader: Reader, write: OpId) -> bool {
        let is_own = self.history.thread_of(write) == self.history.thread_of(reader.op);
        write != reader.op && !(reader.is_crossed && is_own)
    }

    /// Adds the edges that follow from what one operation reads.
    fn add_reader(&mut self, op: OpId) {
        let Some(reader) = self.reader(op) else { return };
        let Some(location) = self.history.location(op) else { return };
        let read = reader.read;
        match self.source(read) {
            Source::Unknown => {}
            Source::Initial => {
                if op == read {
                    self.add_own_earlier(read, self.initial_node(location));
                }
                for write in self.first_writes(location) {
                    if self.is_excluded(reader, write) {
                        self.add(op.0, write.0, Rule::Overtaken);
                    }
                }
            }
            Source::Write(write) => {
                self.readers[self.column[write.at()] as usize].push(reader);
                if op != read {
                    return;
                }
                let same = self.history.thread_of(write) == self.history.thread_of(read);
                if !same || write >= read {
                    self.add(write.0, read.0, Rule::ReadsFrom);
                }
                self.add_own_earlier(read, write.0);
            }
        }
    }

    fn first_writes(&self, location: u32) -> impl Iterator<Item = OpId> + use<> {
        let chains = self.chains[location as usize].iter();
        chains.map(|chain| chain.writes[0]).collect::<Vec<_>>().into_iter()
    }

    /// Rule R5: the latest write of a location by a thread before its read of it precedes the write that it returns.
    fn add_own_earlier(&mut self, read: OpId, source: u32) {
        let location = self.history.location(read).expect("a read has a location");
        let thread = self.history.thread_of(read);
        let chains = self.chains[location as usize].iter();
        let mut own = chains.filter(|it| self.history.thread_of(it.writes[0]) == thread);
        let Some(chain) = own.next() else { return };
        let earlier = chain.writes.partition_point(|&write| write < read);
        let Some(&write) = chain.writes[..earlier].last() else { return };
        if write.0 == source {
            return;
        }
        self.add(write.0, source, Rule::OwnEarlier(read));
        if self.initial_location(source).is_some() {
            self.add(source, write.0, Rule::InitialFirst);
        }
    }

    fn add_finals(&mut self) {
        let assumed = self.assumed_finals.values().copied();
        let lasts: Vec<OpId> = self.finals.iter().copied().chain(assumed).collect();
        for last in lasts {
            let location = self.history.location(last).expect("a write has a location");
            let chains = self.chains[location as usize].iter();
            let ends: Vec<OpId> =
                chains.map(|chain| chain.writes[chain.writes.len() - 1]).collect();
            for write in ends.into_iter().filter(|&write| write != last) {
                self.add(write.0, last.0, Rule::Final);
            }
        }
    }

    /// Adds an edge, unless a rule has already ordered the pair, or the bounds do not allow the memory, which the next saturation reports.
    fn add(&mut self, from: u32, to: u32, rule: Rule<OpId>) {
        let is_full = self.edges.len() == self.edges.capacity();
        let known = size_of_val(&(from, to)) * 2 * self.known.len();
        if is_full && !(self.bounds.allows_items(&self.edges, 1) && self.bounds.allows(known)) {
            return;
        }
        if self.known.insert((from, to)) {
            self.edges.push(Edge { from, to, why: EdgeReason::Rule(rule) });
        }
    }

    /// Assumes the order of two writes.
    pub(super) fn assume_order(&mut self, first: OpId, second: OpId) {
        self.edges.push(Edge { from: first.0, to: second.0, why: EdgeReason::Rule(Rule::Assumed) });
    }

    /// Assumes the source of a read, or of a final value, given as in [`Assumption::From`].
    pub(super) fn assume_source(&mut self, assumption: Assumption) {
        self.set_source(assumption, true);
    }

    /// Withdraws the assumption about a source.
    pub(super) fn withdraw_source(&mut self, assumption: Assumption) {
        self.set_source(assumption, false);
    }

    fn set_source(&mut self, assumption: Assumption, is_assumed: bool) {
        use certify::certificate::Node;
        match assumption {
            Assumption::From(Node::Op(read), from) => {
                self.source[read.at()] = match from {
                    _ if !is_assumed => Source::Unknown,
                    Node::Op(write) => Source::Write(write),
                    Node::Initial(_) | Node::Final(_) => Source::Initial,
                };
                self.assumed[read.at()] = is_assumed;
                let source = &self.source;
                let reads_from = ReadsFrom::given(self.history, |op| {
                    let reads = self.history.kind(op).reads();
                    reads.then(|| match source[op.at()] {
                        Source::Write(write) => ReadSource::Write(write),
                        Source::Initial => ReadSource::Initial,
                        Source::Unknown => ReadSource::NotShown,
                    })
                });
                self.execution = Execution { history: self.history, reads_from };
            }
            Assumption::From(Node::Final(location), Node::Op(write)) if is_assumed => {
                self.assumed_finals.insert(location, write);
            }
            Assumption::From(Node::Final(location), _) => {
                self.assumed_finals.remove(&location);
            }
            _ => {}
        }
        self.rebuild();
    }

    /// The state before an assumption about order.
    pub(super) fn mark(&self) -> Mark {
        Mark { edges: self.edges.len() }
    }

    /// Withdraws all edges since a mark. Rows stay as they are until the next saturation.
    pub(super) fn undo(&mut self, mark: &Mark) {
        for edge in self.edges.drain(mark.edges..) {
            self.known.remove(&(edge.from, edge.to));
        }
    }

    /// Adds every edge that rules R6 and R7 force.
    ///
    /// # Errors
    /// Returns [`SaturationStop::Cycle`] if the order is contradictory, and [`SaturationStop::Exceeded`] if a bound was met.
    pub(super) fn saturate(&mut self, bounds: &Bounds) -> Result<(), SaturationStop> {
        loop {
            if bounds.passed() {
                return Err(SaturationStop::Exceeded);
            }
            let order = self.sorted().map_err(SaturationStop::Cycle)?;
            self.fill_rows(&order, bounds)?;
            let before = self.edges.len();
            self.observe(bounds)?;
            self.overtake(bounds)?;
            if self.edges.len() == before {
                return Ok(());
            }
        }
    }

    /// The nodes in an order that the edges allow.
    fn sorted(&self) -> Result<Vec<u32>, Vec<usize>> {
        let graph = Csr::new(self.nodes(), self.edges.iter().map(|edge| (edge.from, edge.to)));
        topological(&graph).map_err(|rest| {
            self.short_cycle(&self.successors(self.edges.len()), &rest.components())
        })
    }

    /// Per node, its position in an order that the edges allow. They must not form a cycle.
    pub(super) fn ranks(&self) -> Vec<u32> {
        let mut ranks = vec![0; self.nodes()];
        let order = self.sorted().unwrap_or_default();
        for (rank, node) in order.into_iter().enumerate() {
            ranks[node as usize] = rank as u32;
        }
        ranks
    }

    fn fill_rows(&mut self, order: &[u32], bounds: &Bounds) -> Result<(), SaturationStop> {
        let width = self.width;
        if self.rows.is_empty() && !bounds.allows(self.nodes() * width * 8) {
            return Err(SaturationStop::Exceeded);
        }
        let lists = self.successors(self.edges.len());
        self.rows.clear();
        self.rows.resize(self.nodes() * width, 0);
        let mut row = vec![0u64; width];
        for (at, &node) in order.iter().enumerate() {
            check(bounds, at)?;
            row.copy_from_slice(&self.rows[node as usize * width..][..width]);
            let column = self.column.get(node as usize).copied().unwrap_or(NONE);
            if column != NONE {
                row[column as usize / 64] |= 1 << (column % 64);
            }
            for &edge in lists.of(node) {
                let to = self.edges[edge as usize].to as usize;
                let target = &mut self.rows[to * width..][..width];
                target.iter_mut().zip(&row).for_each(|(word, more)| *word |= more);
            }
        }
        Ok(())
    }

    /// Whether a write is known to precede a node.
    pub(super) fn precedes(&self, write: OpId, node: u32) -> bool {
        let column = self.column[write.at()] as usize;
        self.rows[node as usize * self.width + column / 64] & (1 << (column % 64)) != 0
    }
}

/// Returns an error if a bound was met; checks only every [`STEPS_PER_CHECK`] steps.
fn check(bounds: &Bounds, step: usize) -> Result<(), SaturationStop> {
    if step.is_multiple_of(STEPS_PER_CHECK) && bounds.passed() {
        return Err(SaturationStop::Exceeded);
    }
    Ok(())
}

fn source_of(reads_from: &ReadsFrom, op: OpId) -> Source {
    match reads_from.source(op) {
        Some(ReadSource::Write(write)) => Source::Write(write),
        Some(ReadSource::Initial) => Source::Initial,
        _ => Source::Unknown,
    }
}
