//! [`Execution`]: a history as the papers define it, with program order, an initial write of every
//! location that precedes everything, and the write that each read takes its value from.

use history::{History, Kind, OpId, ReadSource, ReadsFrom};

use check::engine::csr::Csr;
use check::engine::relation::Relation;
use memory::{Label, Model};

/// Marks a missing location or source.
pub const NONE: u32 = u32::MAX;

/// A history ⟨O, po, wr⟩ (CAV 2019, Definition 1). Its *nodes* are the operations, numbered as in
/// the history, and after them an initial write for each location. Memory: about 30 bytes a node.
///
/// A store-conditional counts as a reader of the write that its load-linked read from. So every rule treats it as a
/// read-modify-write, whose source comes immediately before it in store order.
#[derive(Debug)]
pub struct Execution<'h> {
    /// The history.
    pub history: &'h History,
    /// Number of operations.
    pub operations: u32,
    /// Per node the thread, [`NONE`] for an initial write.
    pub thread: Vec<u32>,
    /// Per node the location, [`NONE`] for a fence.
    pub location: Vec<u32>,
    /// Per node the write that it takes its value from, [`NONE`] if it does not read or its source
    /// is not known.
    pub source: Vec<u32>,
    /// Per location its writes, the initial one first, then by thread and program order.
    pub writes: Csr,
    /// Per write its readers, by thread and program order.
    pub readers: Csr,
}

impl<'h> Execution<'h> {
    /// The execution of a history and its reads-from. Cost: linear.
    pub fn new(history: &'h History, reads_from: &ReadsFrom) -> Execution<'h> {
        let operations = history.len() as u32;
        let locations = history.locations().len() as u32;
        let initial = |location: u32| operations + location;
        let thread = (0..history.threads().len())
            .flat_map(|thread| history.thread_ops(thread).map(move |_| thread as u32));
        let location: Vec<u32> = history
            .ops()
            .map(|op| history.location(op).unwrap_or(NONE))
            .chain(0..locations)
            .collect();
        let source_of = |op: OpId| match source(history, reads_from, op)? {
            ReadSource::Write(write) => Some(write.0),
            ReadSource::Initial => Some(initial(location[op.at()])),
            _ => None,
        };
        let source: Vec<u32> = history
            .ops()
            .map(|op| source_of(op).unwrap_or(NONE))
            .chain((0..locations).map(|_| NONE))
            .collect();
        let mut writes: Vec<(u32, u32)> = (0..locations).map(|l| (l, initial(l))).collect();
        let by_operations = history.ops().filter(|&op| history.kind(op).writes());
        writes.extend(by_operations.map(|op| (location[op.at()], op.0)));
        let reads = 0..operations;
        let reads: Vec<(u32, u32)> = reads
            .map(|node| (source[node as usize], node))
            .filter(|&(source, _)| source != NONE)
            .collect();
        Execution {
            operations,
            thread: thread.chain((0..locations).map(|_| NONE)).collect(),
            writes: Csr::new(locations as usize, writes.into_iter()),
            readers: Csr::new(location.len(), reads.into_iter()),
            location,
            source,
            history,
        }
    }

    /// Memory that the execution of a history takes while it is made, in bytes.
    pub fn bytes(history: &History) -> usize {
        60 * (history.len() + history.locations().len())
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.location.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.location.is_empty()
    }

    /// Number of locations.
    pub fn locations(&self) -> u32 {
        self.writes.nodes() as u32
    }

    /// The initial write of a location.
    pub fn initial(&self, location: u32) -> u32 {
        self.operations + location
    }

    /// Whether a node is an initial write.
    pub fn is_initial(&self, node: u32) -> bool {
        node >= self.operations
    }

    /// The operation of a node; `None` for an initial write.
    pub fn op(&self, node: u32) -> Option<OpId> {
        (node < self.operations).then_some(OpId(node))
    }

    /// The kind of a node; an initial write is a plain store.
    pub fn kind(&self, node: u32) -> Kind {
        self.op(node).map_or(Kind::Store, |op| self.history.kind(op))
    }

    /// The label of a node; an initial write is a plain store.
    fn label(&self, node: u32) -> Label {
        self.op(node).map_or(Kind::Store.into(), |op| Label::of(self.history, op))
    }

    /// Whether a node writes.
    pub fn is_write(&self, node: u32) -> bool {
        self.kind(node).writes()
    }

    /// Whether `first` is po-before `second`: earlier in its thread, or initial and the other not.
    pub fn po(&self, first: u32, second: u32) -> bool {
        match (self.is_initial(first), self.is_initial(second)) {
            (true, false) => true,
            (false, false) => {
                first < second && self.thread[first as usize] == self.thread[second as usize]
            }
            _ => false,
        }
    }

    /// Whether a model preserves the order of two operations of one thread in its own right. `ppo` is the
    /// transitive closure of these pairs.
    pub fn preserves(&self, model: Model, first: u32, second: u32) -> bool {
        self.po(first, second)
            && model.preserves(
                self.label(first),
                self.label(second),
                self.location[first as usize] == self.location[second as usize],
            )
    }

    /// Whether a node reads from a write that is not po-before it, so that the pair is in `wr_e`. A read
    /// from a *later* write of its own thread counts as external; otherwise no axiom would forbid it.
    pub fn is_external(&self, read: u32) -> bool {
        let source = self.source[read as usize];
        source != NONE && !self.po(source, read)
    }

    /// The pairs of a write and its reader that memory order preserves, sorted by reader: `wr`, or `wr_e`
    /// for models with store buffers.
    pub fn wr(&self, model: Model) -> impl Iterator<Item = (u32, u32)> + Clone {
        let pairs = (0..self.operations).map(|node| (self.source[node as usize], node));
        pairs.filter(move |&(source, read)| {
            source != NONE && (!model.buffers() || self.is_external(read))
        })
    }

    /// The number of pairs of writes of one location that a relation has, without initial writes. Cost:
    /// for each write, the writes of its location.
    pub fn ordered_writes(&self, order: &Relation) -> u64 {
        let locations = (0..self.locations()).map(|location| &self.writes.of(location)[1..]);
        let pairs = locations.map(|writes| {
            let after = |&write: &u32| {
                let others = writes.iter();
                others.filter(|&&w| order.contains(write, w)).count() as u64
            };
            writes.iter().map(after).sum::<u64>()
        });
        pairs.sum()
    }
}

/// The source of an operation; for a store-conditional, that of its load-linked.
fn source(history: &History, reads_from: &ReadsFrom, op: OpId) -> Option<ReadSource> {
    reads_from.source(history.observing_read(op)?)
}
