//! [`Structure`]: the threads of a history, and the kinds and locations of its operations.
//!
//! These decide which load-linked a store-conditional is paired with. The pairs are computed when they are first asked
//! for, and kept. A structure cannot be changed, only replaced by another one, so pairs never outlive the operations that
//! they were computed from.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::kind::Kind;
use crate::operation::{OpId, Thread};

/// The load-linked that a store-conditional is paired with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkedPair {
    pub(crate) load: OpId,
    /// Whether the thread wrote the location between the two.
    pub(crate) is_crossed: bool,
    /// Whether the pair excludes writes of other threads nevertheless.
    pub(crate) excludes_others: bool,
}

impl LinkedPair {
    fn new(load: OpId) -> LinkedPair {
        LinkedPair { load, is_crossed: false, excludes_others: true }
    }
}

/// The columns of a [`Structure`], while it is built.
#[derive(Clone, Debug, Default)]
pub(crate) struct StructureColumns {
    pub(crate) threads: Vec<Thread>,
    /// By operation, its kind.
    pub(crate) kinds: Vec<Kind>,
    /// By operation, the index of its location; [`NONE32`](crate::operation::NONE32) for a fence.
    pub(crate) locations: Vec<u32>,
    /// The operations, in ascending order, that end a reservation of their own thread although they do not write, or do not
    /// although they write. In the second case, the pair around the operation is crossed, but still excludes writes of other threads.
    pub(crate) exceptions: Vec<OpId>,
    /// Writes, in ascending order, after which a pair of their own thread around them excludes all writes in between, as if
    /// they were none.
    pub(crate) ignored: Vec<OpId>,
}

/// The threads of a history, and by operation its kind and location. Memory: 5 bytes an operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Structure {
    columns: StructureColumns,
    /// The pair of each store-conditional that has one.
    pairs: OnceLock<FxHashMap<u32, LinkedPair>>,
}

impl From<StructureColumns> for Structure {
    fn from(columns: StructureColumns) -> Structure {
        Structure { columns, pairs: OnceLock::new() }
    }
}

impl Structure {
    /// The structure with other kinds: that of each operation is what `kind` makes of it. Cost: linear.
    pub(crate) fn with_kinds(&self, kind: impl Fn(OpId, Kind) -> Kind) -> StructureColumns {
        let old = self.columns.kinds.iter().zip((0..).map(OpId));
        let kinds = old.map(|(&old, op)| kind(op, old)).collect();
        StructureColumns { kinds, ..self.columns.clone() }
    }

    pub(crate) fn threads(&self) -> &[Thread] {
        &self.columns.threads
    }

    pub(crate) fn kinds(&self) -> &[Kind] {
        &self.columns.kinds
    }

    /// By operation, the index of its location; [`NONE32`](crate::operation::NONE32) for a fence.
    pub(crate) fn locations(&self) -> &[u32] {
        &self.columns.locations
    }

    /// The operations that [`StructureColumns::exceptions`] describes.
    pub(crate) fn exceptions(&self) -> &[OpId] {
        &self.columns.exceptions
    }

    /// The operations that [`StructureColumns::ignored`] describes.
    pub(crate) fn ignored(&self) -> &[OpId] {
        &self.columns.ignored
    }

    /// The pair of a store-conditional. Cost: linear the first time, then constant.
    pub(crate) fn pair_of(&self, op: OpId) -> Option<LinkedPair> {
        self.pairs.get_or_init(|| self.find_pairs()).get(&op.0).copied()
    }

    fn find_pairs(&self) -> FxHashMap<u32, LinkedPair> {
        let mut pairs = FxHashMap::default();
        let StructureColumns { threads, kinds, locations, exceptions, ignored } = &self.columns;
        for thread in threads {
            // Per location, the last load-linked since the thread's last store-conditional to it.
            let mut reserved: FxHashMap<u32, LinkedPair> = FxHashMap::default();
            for op in (thread.start..thread.end).map(OpId) {
                let location = locations[op.at()];
                let is_exception = exceptions.binary_search(&op).is_ok();
                match kinds[op.at()] {
                    _ if ignored.binary_search(&op).is_ok() => {}
                    // The two parts of a read-modify-write that does not end the reservation around it.
                    Kind::LoadLinked if is_exception => {}
                    Kind::StoreConditional if is_exception => {
                        pairs.insert(op.0, LinkedPair::new(OpId(op.0 - 1)));
                        reserved.entry(location).and_modify(|pair| pair.is_crossed = true);
                    }
                    Kind::LoadLinked => {
                        reserved.insert(location, LinkedPair::new(op));
                    }
                    Kind::StoreConditional => {
                        pairs.extend(reserved.remove(&location).map(|pair| (op.0, pair)));
                    }
                    kind if kind.writes() || is_exception => {
                        let excludes_others = kind.writes() && is_exception;
                        reserved.entry(location).and_modify(|pair| {
                            pair.is_crossed = true;
                            pair.excludes_others &= excludes_others;
                        });
                    }
                    _ => {}
                }
            }
        }
        pairs
    }
}
