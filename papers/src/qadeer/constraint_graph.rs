//! The constraint graph of a witness (Qadeer, *Verifying Sequential Consistency on Shared-Memory
//! Multiprocessors by Model Checking*, section 5).
//!
//! A witness orders the writes of each location; the simple witness takes the order in which they
//! completed (section 5.2). Below, the initial value is a write that comes first, and a write's *number*
//! is its position in its location's order, from 0. Two accesses x and y of a location are ordered, x
//! before y, if (section 5)
//!
//! 1. y reads what x wrote, or
//! 2. x reads the initial value, and y reads or writes another one, or
//! 3. the write of x's value comes before that of y's.
//!
//! The constraint graph is the union of these partial orders and program order. It is acyclic exactly if
//! a run of SC has the witness as its store order (Theorem 5.3); every topological order is then such a
//! run.
//!
//! The graph here has only the edges that imply the others: from each operation to the next of its
//! thread, from each write to its readers and to the next write, and from each reader to the next write.
//! Its size is linear, and so are all costs except that of finding a short cycle.
//!
//! A read-modify-write is one vertex that both reads and writes. It must come right after the write that it
//! reads from, and a store-conditional right after the source of its load-linked. If another write comes
//! in between, that write and the operation are a cycle, and only this pair is reported
//! ([`Atomicity`](check::nice_cycle::CycleShape::Atomicity)). A final value must be that of the last write
//! ([`Final`](check::nice_cycle::CycleShape::Final)). Fences order nothing that SC does not order anyway, and reads
//! with unknown sources have only the edges of program order.

use history::{History, OpId, ReadsFrom};

use crate::execution::{Execution, NONE};
use check::engine::csr::Csr;
use check::engine::digraph::Digraph;

/// A constraint graph. Memory: about 60 bytes an operation.
#[derive(Debug)]
pub struct ConstraintGraph<'a> {
    execution: Execution<'a>,
    /// Per location its writes in the witness's order, without the initial one.
    order: Csr,
    /// Per node, its position in its location's order: for a write twice its number, for a read one more
    /// than its source; [`NONE`] for fences and reads with unknown sources.
    level: Vec<u32>,
}

impl<'a> ConstraintGraph<'a> {
    /// Creates the graph of a witness, which has all writes of the history, those of each location in order.
    pub fn new(
        history: &'a History,
        reads_from: &ReadsFrom,
        witness: &[OpId],
    ) -> ConstraintGraph<'a> {
        let execution = Execution::new(history, reads_from);
        let location = |op: &OpId| execution.location[op.at()];
        let writes = witness.iter().map(|op| (location(op), op.0));
        let order = Csr::new(execution.locations() as usize, writes);
        let mut level = vec![NONE; execution.len()];
        for at in 0..execution.locations() {
            level[execution.initial(at) as usize] = 0;
            for (number, &write) in order.of(at).iter().enumerate() {
                level[write as usize] = 2 * (number as u32 + 1);
            }
        }
        for node in 0..execution.operations {
            let source = execution.source[node as usize];
            if !execution.is_write(node) && source != NONE {
                level[node as usize] = level[source as usize] + 1;
            }
        }
        ConstraintGraph { execution, order, level }
    }

    /// Whether an operation precedes another in program order.
    pub fn po(&self, first: OpId, second: OpId) -> bool {
        self.execution.po(first.0, second.0)
    }

    /// Whether an operation precedes another in the partial order of their location.
    pub fn location_order(&self, first: OpId, second: OpId) -> bool {
        let (a, b) = (self.level[first.at()], self.level[second.at()]);
        self.location(first) == self.location(second) && a != NONE && b != NONE && a < b
    }

    /// The thread of an operation, as an index into [`History::threads`].
    pub fn thread(&self, op: OpId) -> u32 {
        self.execution.thread[op.at()]
    }

    /// The location of an operation, [`NONE`] for a fence.
    pub fn location(&self, op: OpId) -> u32 {
        self.execution.location[op.at()]
    }

    /// An atomic operation that does not directly follow its source in the witness, and a write in between.
    pub(super) fn atomicity_violation(&self) -> Option<(OpId, OpId)> {
        (0..self.execution.operations).find_map(|write| {
            let source = self.execution.source[write as usize];
            // A load-linked that reads its own store-conditional is a cycle with program order.
            if source == NONE || source == write || !self.execution.is_write(write) {
                return None;
            }
            let (own, read) = (self.level[write as usize], self.level[source as usize]);
            if read + 2 == own {
                return None;
            }
            let between = if read < own {
                self.order.of(self.execution.location[write as usize])[read as usize / 2]
            } else {
                source
            };
            Some((OpId(write), OpId(between)))
        })
    }

    /// A write of a final value that is not the last of its location in the witness, and the last write.
    pub(super) fn overwritten(&self, finals: &[OpId]) -> Option<(OpId, OpId)> {
        finals.iter().find_map(|&write| {
            let last = OpId(*self.order.of(self.location(write)).last()?);
            (last != write).then_some((write, last))
        })
    }
}

impl Digraph for ConstraintGraph<'_> {
    fn nodes(&self) -> usize {
        self.execution.operations as usize
    }

    fn successors(&self, node: u32, mut visit: impl FnMut(u32)) {
        let next = node + 1;
        if next < self.execution.operations && self.execution.po(node, next) {
            visit(next);
        }
        let (location, level) = (self.execution.location[node as usize], self.level[node as usize]);
        if level == NONE {
            return;
        }
        // `order` lacks the initial write, so index i has the write of number i + 1: the next one.
        if let Some(&later) = self.order.of(location).get(level as usize / 2) {
            visit(later);
        }
        // A reader that also writes is the next write, which was visited above.
        let readers = self.execution.readers.of(node).iter();
        let readers = readers.filter(|&&reader| !self.execution.is_write(reader));
        readers.copied().for_each(visit);
    }
}
