//! [`Graph`]: preserved program order of a weak model as a graph whose size is linear in that of the history.
//!
//! A fence orders every access before it before every access after it, so preserved program order may
//! have quadratically many pairs. Besides the operations, the graph has nodes called *joins*, each of which stands
//! for all operations that precede it. If a path leads from one operation to another over joins alone, a
//! [`PpoRule`] orders the two in its own right.

mod through_memory;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use history::{DependencyKind, History, Kind, OpId, WeakFence};
use rustc_hash::FxHashMap;

use super::PpoRule;
use super::carried::own_read;
use super::rules::{
    is_acquire, is_atomic_write, is_full_atomic, is_further_part, is_ordered_acquire, is_rcsc,
    is_release, known_source, returns_read,
};
use crate::execution::Execution;
use crate::model::Model;
use through_memory::ThroughMemory;

pub(super) use through_memory::locally_precedes;

/// A node: an operation by its number, or a join, whose numbers follow those of all operations.
pub type Node = u32;

/// Preserved program order as a graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Number of operations.
    operations: u32,
    /// Number of joins.
    joins: u32,
    /// The edges, such that all edges to a node come before all edges from it.
    edges: Vec<(Node, Node)>,
}

impl Graph {
    /// Builds the graph of a weak model's preserved program order. A rule that depends on the source of a read applies
    /// only if the source is known. Fences are not ordered. Cost: linear, times a logarithm for looking up
    /// dependencies.
    pub fn new(execution: &Execution<'_>, model: Model) -> Graph {
        let mut graph = Graph { operations: execution.history.len() as u32, ..Graph::default() };
        let rules = Rules::of(model.ppo_rules());
        for thread in 0..execution.history.threads().len() {
            let mut builder = Builder::new(execution, rules, &mut graph);
            for op in execution.history.thread_ops(thread) {
                builder.add(op);
            }
        }
        graph
    }

    /// Number of operations, which are the first nodes.
    pub fn operations(&self) -> u32 {
        self.operations
    }

    /// Number of nodes: operations and joins.
    pub fn nodes(&self) -> u32 {
        self.operations + self.joins
    }

    /// The edges. All edges to a node come before all edges from it.
    pub fn edges(&self) -> &[(Node, Node)] {
        &self.edges
    }

    /// Adds a join that follows the nodes, and returns it. Returns the node itself if there is only one, and `None` if
    /// there is none.
    fn join(&mut self, nodes: &[Node]) -> Option<Node> {
        if let [] | [_] = nodes {
            return nodes.first().copied();
        }
        let join = self.operations + self.joins;
        self.joins += 1;
        self.edges.extend(nodes.iter().map(|&node| (node, join)));
        Some(join)
    }
}

/// A bound on later accesses of some kind: the node that all of them have to follow, if any.
#[derive(Clone, Copy, Default)]
struct Bound(Option<Node>);

/// The accesses of one kind that were added so far.
#[derive(Default)]
struct AccessesSoFar {
    /// A node that stands for all of them but the `uncounted` ones.
    join: Option<Node>,
    /// The accesses since the last [`Builder::snapshot`], which `join` does not stand for.
    uncounted: Vec<Node>,
}

/// Consecutive reads of one location by a thread that return the same write, since the thread's last write of the
/// location.
struct SameSourceReads {
    source: Option<OpId>,
    reads: AccessesSoFar,
    /// The node that stands for the reads of the run before this one.
    before: Option<Node>,
}

/// The latest accesses of a thread to a location.
#[derive(Default)]
struct LocationHistory {
    last_write: Option<OpId>,
    /// The accesses after the last write.
    reads_since: Vec<OpId>,
    /// The last read, which may also write.
    last_read: Option<OpId>,
    /// The last run of reads that return the same write.
    run: Option<SameSourceReads>,
}

/// The set of rules of a model, with a bit for each rule.
#[derive(Clone, Copy, Default)]
struct Rules(u32);

impl Rules {
    fn of(rules: &[PpoRule]) -> Rules {
        Rules(rules.iter().fold(0, |bits, &rule| bits | 1 << rule as u32))
    }

    fn has(self, rule: PpoRule) -> bool {
        self.0 & (1 << rule as u32) != 0
    }
}

/// Whether a dependency is one of the address or the written value of an operation.
fn is_used(kind: DependencyKind) -> bool {
    matches!(kind, DependencyKind::Address | DependencyKind::Data)
}

/// Adds the operations of one thread to a graph, in program order.
struct Builder<'a, 'h> {
    execution: &'a Execution<'h>,
    history: &'h History,
    graph: &'a mut Graph,
    rules: Rules,
    /// Reads that return what they read. An atomic is a read and a write.
    reads: AccessesSoFar,
    /// Reads of atomics that do not return what they read.
    silent_reads: AccessesSoFar,
    writes: AccessesSoFar,
    /// The bound on later reads.
    before_reads: Bound,
    /// The bound on later writes.
    before_writes: Bound,
    /// The bound on all accesses after the next `ISB`.
    before_isb: Bound,
    /// The last atomic access with an acquire or release annotation.
    last_annotated: Bound,
    /// The last write with a release annotation.
    last_release: Bound,
    /// The parts so far of the access that is being added, to which rules about later accesses do not apply yet.
    parts: Range<u32>,
    /// Reads, by the tick at which they returned their value, after which no operation has been issued yet.
    in_flight: BinaryHeap<Reverse<(u64, u32)>>,
    /// The latest accesses, by location.
    places: FxHashMap<u32, LocationHistory>,
    through_memory: ThroughMemory,
}

impl<'a, 'h> Builder<'a, 'h> {
    fn new(execution: &'a Execution<'h>, rules: Rules, graph: &'a mut Graph) -> Self {
        Builder {
            execution,
            history: execution.history,
            graph,
            rules,
            reads: AccessesSoFar::default(),
            silent_reads: AccessesSoFar::default(),
            writes: AccessesSoFar::default(),
            before_reads: Bound::default(),
            before_writes: Bound::default(),
            before_isb: Bound::default(),
            last_annotated: Bound::default(),
            last_release: Bound::default(),
            parts: 0..0,
            in_flight: BinaryHeap::new(),
            places: FxHashMap::default(),
            through_memory: ThroughMemory::default(),
        }
    }

    fn add(&mut self, op: OpId) {
        if !is_further_part(self.history, op) {
            self.end_access();
        }
        self.follow_branches(op);
        match self.history.kind(op) {
            Kind::Fence | Kind::WeakFence(_) => self.add_fence(op),
            _ => self.add_access(op),
        }
    }

    fn add_access(&mut self, op: OpId) {
        self.follow_ticks(op);
        let kind = self.history.kind(op);
        for bound in [(kind.reads(), self.before_reads), (kind.writes(), self.before_writes)] {
            if let (true, Bound(Some(node))) = bound {
                self.edge(node, op);
            }
        }
        self.follow_dependencies(op);
        self.follow_annotations(op);
        self.follow_location(op);
        self.follow_choices(op);
        self.bind_by_dependencies(op);
        let start = if self.parts.is_empty() { op.0 } else { self.parts.start };
        self.parts = start..op.0 + 1;
    }

    fn edge(&mut self, from: Node, to: OpId) {
        self.graph.edges.push((from, to.0));
        self.through_memory.note_edge(from);
    }

    /// Adds a join that follows the nodes, and returns it. Returns the node itself if there is only one, and `None` if
    /// there is none.
    fn join(&mut self, nodes: impl IntoIterator<Item = Node>) -> Option<Node> {
        let nodes = Vec::from_iter(nodes);
        let join = self.graph.join(&nodes)?;
        self.through_memory.note_join(join, &nodes, self.graph);
        Some(join)
    }

    /// Returns a bound that follows the nodes as well as the given bound.
    fn raise(&mut self, bound: Bound, nodes: impl IntoIterator<Item = Node>) -> Bound {
        let mut nodes = nodes.into_iter().filter(|&node| Some(node) != bound.0).peekable();
        match nodes.peek() {
            None => bound,
            Some(_) => Bound(self.join(bound.0.into_iter().chain(nodes))),
        }
    }

    fn raise_all(&mut self, nodes: &[Node]) {
        let shared = self.join(nodes.iter().copied());
        self.before_reads = self.raise(self.before_reads, shared);
        self.before_writes = self.raise(self.before_writes, shared);
    }

    /// Returns one node that stands for all accesses of a kind that were added so far.
    fn snapshot(&mut self, of: fn(&mut Self) -> &mut AccessesSoFar) -> Option<Node> {
        let so_far = std::mem::take(of(self));
        let join = self.join(so_far.join.into_iter().chain(so_far.uncounted));
        of(self).join = join;
        join
    }

    fn everything(&mut self) -> Vec<Node> {
        let parts: [fn(&mut Self) -> &mut AccessesSoFar; 3] =
            [|it| &mut it.reads, |it| &mut it.silent_reads, |it| &mut it.writes];
        parts.into_iter().filter_map(|part| self.snapshot(part)).collect()
    }

    /// Orders reads that had returned before this operation was issued before it and all later accesses
    /// ([`PpoRule::Ticks`]).
    fn follow_ticks(&mut self, op: OpId) {
        let Some(begin) = self.history.issued(op).filter(|_| self.rules.has(PpoRule::Ticks)) else {
            return;
        };
        let mut returned = Vec::new();
        while let Some(&Reverse((end, read))) = self.in_flight.peek().filter(|it| it.0.0 < begin) {
            debug_assert!(end < begin);
            returned.push(read);
            self.in_flight.pop();
        }
        self.raise_all(&returned);
    }

    /// Orders the reads that a branch before this operation depends on before this operation and all later ones, if
    /// they write ([`PpoRule::Control`]).
    fn follow_branches(&mut self, op: OpId) {
        if self.rules.has(PpoRule::Control) {
            let on = self.sources_of(op, |kind| kind == DependencyKind::Control);
            self.before_writes = self.raise(self.before_writes, on.iter().copied());
            self.before_isb = self.raise(self.before_isb, on);
            self.bind_isb_by_choice(op, DependencyKind::Control);
        }
    }

    /// The operations of other instructions that an operation depends on by dependencies of the wanted kinds, and those
    /// whose values these carry.
    fn sources_of(&self, op: OpId, is_wanted: fn(DependencyKind) -> bool) -> Vec<Node> {
        let all = self.history.dependencies(op);
        if all.is_empty() {
            return Vec::new();
        }
        let own = own_read(self.history, op);
        let others =
            all.iter().filter(|it| is_wanted(it.kind) && it.on != op && Some(it.on) != own);
        others.flat_map(|it| self.through_memory.with_carried(it.on)).collect()
    }

    fn add_fence(&mut self, op: OpId) {
        let fence = self.history.kind(op);
        if fence == Kind::WeakFence(WeakFence::Instruction) {
            if self.rules.has(PpoRule::InstructionFence) {
                let before = Vec::from_iter(self.before_isb.0);
                self.raise_all(&before);
            }
            return;
        }
        if !self.rules.has(PpoRule::Fence) {
            return;
        }
        if fence == Kind::Fence {
            let all = self.everything();
            self.raise_all(&all);
            return;
        }
        let before_reads = self.fenced(fence, Kind::Load);
        let before_writes = self.fenced(fence, Kind::Store);
        self.before_reads = self.raise(self.before_reads, before_reads);
        self.before_writes = self.raise(self.before_writes, before_writes);
    }

    /// Returns a node for all accesses that a weak fence orders before later accesses of a kind.
    fn fenced(&mut self, fence: Kind, later: Kind) -> Option<Node> {
        let Kind::WeakFence(weak) = fence else { return None };
        let reads =
            weak.orders(Kind::Load, later).then(|| self.snapshot(|it| &mut it.reads)).flatten();
        let writes =
            weak.orders(Kind::Store, later).then(|| self.snapshot(|it| &mut it.writes)).flatten();
        self.join(reads.into_iter().chain(writes))
    }

    fn follow_dependencies(&mut self, op: OpId) {
        let (address, data) = (PpoRule::Address, PpoRule::Data);
        if !self.rules.has(address) && !self.rules.has(data) {
            return;
        }
        for on in self.sources_of(op, is_used) {
            self.edge(on, op);
        }
        if self.rules.has(PpoRule::Choice) && self.history.kind(op).writes() {
            for on in self.sources_of(op, |kind| kind == DependencyKind::Choice) {
                self.edge(on, op);
            }
        }
    }

    fn follow_annotations(&mut self, op: OpId) {
        let annotation = self.history.annotation(op);
        if (self.rules.has(PpoRule::Release) && is_release(self.history, op))
            || (self.rules.has(PpoRule::AnyRelease) && annotation.releases())
            || (self.rules.has(PpoRule::Write) && self.history.kind(op).writes())
        {
            for node in self.everything() {
                self.edge(node, op);
            }
        }
        if self.rules.has(PpoRule::ReleaseToAcquire)
            && is_ordered_acquire(self.history, op)
            && let Some(release) = self.last_release.0
        {
            self.edge(release, op);
        }
        if self.rules.has(PpoRule::AcquireRelease)
            && is_rcsc(self.history, op)
            && let Some(annotated) = self.last_annotated.0
        {
            self.edge(annotated, op);
        }
    }

    /// Applies the rules about accesses of one location.
    fn follow_location(&mut self, op: OpId) {
        let Some(location) = self.history.location(op) else { return };
        let mut place = self.places.remove(&location).unwrap_or_default();
        let kind = self.history.kind(op);
        if self.rules.has(PpoRule::Paired)
            && let Some(read) = self.history.linked_load(op)
        {
            self.edge(read.0, op);
        }
        if kind.reads() {
            self.follow_own_write(op, &place);
            self.follow_run(op, &mut place);
        }
        if self.rules.has(PpoRule::SameLocation) {
            // Reads of the location are in order, and writes follow both reads and writes.
            let write =
                place.last_write.filter(|&write| kind.writes() || self.history.kind(write).reads());
            for earlier in place.last_read.into_iter().chain(write) {
                self.edge(earlier.0, op);
            }
        } else if kind.writes() && self.rules.has(PpoRule::LocalWrite) {
            for earlier in place.last_write.into_iter().chain(place.reads_since.drain(..)) {
                self.edge(earlier.0, op);
            }
        }
        if kind.writes() {
            place.reads_since.clear();
            place.last_write = Some(op);
            place.run = None;
        } else {
            place.reads_since.push(op);
        }
        if kind.reads() {
            place.last_read = Some(op);
        }
        self.places.insert(location, place);
    }

    /// Applies the rules by which a read follows other operations because of its thread's latest write of the
    /// location.
    fn follow_own_write(&mut self, read: OpId, place: &LocationHistory) {
        let Some(write) = place.last_write else { return };
        self.follow_values(read, write);
        if self.rules.has(PpoRule::AtomicForwarded) && is_atomic_write(self.history, write) {
            self.edge(write.0, read);
        }
        if self.rules.has(PpoRule::DependencyForwarded) {
            for on in self.sources_of(write, is_used) {
                self.edge(on, read);
            }
        }
        if self.rules.has(PpoRule::PairForwarded)
            && is_acquire(self.history, read)
            && let Some(paired) = self.history.linked_load_across_writes(write)
        {
            self.edge(paired.0, read);
        }
    }

    /// Applies [`PpoRule::ReadsApart`]: a read follows the earlier reads of its location that return another write. It
    /// suffices that it follows those of the previous run, which in turn follow the runs before them.
    fn follow_run(&mut self, read: OpId, place: &mut LocationHistory) {
        let source = known_source(self.execution, read);
        let (Some(source), true) = (source, self.rules.has(PpoRule::ReadsApart)) else {
            return;
        };
        if place.run.as_ref().is_none_or(|run| run.source != source) {
            let before = place.run.take().and_then(|run| {
                let reads = run.reads.join.into_iter().chain(run.reads.uncounted);
                self.graph.join(&Vec::from_iter(reads))
            });
            place.run = Some(SameSourceReads { source, reads: AccessesSoFar::default(), before });
        }
        let run = place.run.as_mut().expect("it was set above");
        run.reads.uncounted.push(read.0);
        if let Some(before) = run.before {
            // Armv8 does not count this order as local, so it has no effect on choices.
            self.graph.edges.push((before, read.0));
        }
    }

    /// Adds the last access to those that later fences and releases follow, and raises the bounds on later accesses that
    /// follow from its annotations.
    fn end_access(&mut self) {
        let parts = std::mem::take(&mut self.parts).map(OpId);
        parts.clone().for_each(|op| self.count(op));
        let those = |is_wanted: &dyn Fn(OpId) -> bool| -> Vec<Node> {
            parts.clone().filter(|&op| is_wanted(op)).map(|op| op.0).collect()
        };
        let acquires = those(&|op| self.is_before_all_later(op));
        let releases = those(&|op| is_release(self.history, op));
        let annotated = those(&|op| is_rcsc(self.history, op));
        self.raise_all(&acquires);
        // What a bound stood for until now comes before each of these.
        self.last_release = Bound(self.join(releases).or(self.last_release.0));
        self.last_annotated = Bound(self.join(annotated).or(self.last_annotated.0));
    }

    fn count(&mut self, op: OpId) {
        let kind = self.history.kind(op);
        if returns_read(self.history, op) {
            self.reads.uncounted.push(op.0);
        } else if kind.reads() {
            self.silent_reads.uncounted.push(op.0);
        }
        if kind.writes() {
            self.writes.uncounted.push(op.0);
        }
    }

    /// Whether all later accesses follow this operation.
    fn is_before_all_later(&self, op: OpId) -> bool {
        let (history, rules) = (self.history, self.rules);
        (rules.has(PpoRule::Acquire) && is_acquire(history, op))
            || (rules.has(PpoRule::AnyAcquire) && history.annotation(op).acquires())
            || (rules.has(PpoRule::Read) && history.kind(op).reads())
            || (rules.has(PpoRule::FullAtomic) && is_full_atomic(history, op))
    }

    /// Raises the bounds on later operations that follow from the address dependencies and the ticks of this one.
    fn bind_by_dependencies(&mut self, op: OpId) {
        let on = self.sources_of(op, |kind| kind == DependencyKind::Address);
        if self.rules.has(PpoRule::AddressThenWrite) {
            self.before_writes = self.raise(self.before_writes, on.iter().copied());
        }
        if self.rules.has(PpoRule::InstructionFence) {
            self.before_isb = self.raise(self.before_isb, on);
            self.bind_isb_by_choice(op, DependencyKind::Address);
        }
        let end = self.history.completed(op).filter(|_| self.history.kind(op).reads());
        if let (Some(end), true) = (end, self.rules.has(PpoRule::Ticks)) {
            self.in_flight.push(Reverse((end, op.0)));
        }
    }
}
