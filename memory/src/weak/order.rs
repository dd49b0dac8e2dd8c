//! [`check`]: checks a memory order against the axioms of a weak model, in linear time.

use history::{History, Kind, OpId, ReadSource, ReadsFrom};
use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use super::graph::Graph;
use super::rules::known_source;
use crate::execution::Execution;
use crate::machine::{may_lack_writes, written_values};
use crate::model::Model;

/// Why a list of operations is no memory order that satisfies the axioms.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum OrderProblem {
    /// The operation is listed twice, or is a fence, which memory order does not have.
    #[error("it is listed twice, or is a fence, which memory order does not have")]
    Repeated(OpId),
    /// The operation is not listed.
    #[error("it is missing from the memory order")]
    Missing(OpId),
    /// The operation comes before one that preserved program order puts before it.
    #[error("an operation comes after it that preserved program order puts before it")]
    ProgramOrder(OpId),
    /// The read returns another value than the latest write before it.
    #[error("it returns another value than the latest write that precedes it")]
    Value(OpId),
    /// A write of another thread comes between the source of the load-linked and this store-conditional.
    #[error("another thread's write comes between it and the write that its load-linked returned")]
    Atomicity(OpId),
    /// The location does not end with its final value.
    #[error("its location does not end with its final value")]
    Final(OpId),
    /// A location without writes has a final value that is not its initial one.
    #[error("a location without writes has a final value that is not its initial one")]
    Unwritten,
}

impl OrderProblem {
    /// The operation that the problem is about.
    pub fn op(self) -> Option<OpId> {
        match self {
            OrderProblem::Repeated(op)
            | OrderProblem::Missing(op)
            | OrderProblem::ProgramOrder(op)
            | OrderProblem::Value(op)
            | OrderProblem::Atomicity(op)
            | OrderProblem::Final(op) => Some(op),
            OrderProblem::Unwritten => None,
        }
    }
}

/// Marks an operation or location without an entry.
const NONE: u32 = u32::MAX;

/// Checks that `order`, all accesses of the history, is a memory order that satisfies the axioms of a
/// weak model. Which write a read returns follows from the order; its value must be the one that the
/// history shows. Returns the write that each read returns. Cost: linear.
///
/// A read whose value the history does not show, or that may have returned a write that the history lacks, has the
/// source [`ReadSource::Unrecorded`]. With the latest write as its source,
/// [`PpoRule::ReadsApart`](super::PpoRule::ReadsApart) would order it although its source is unknown.
///
/// # Errors
/// Returns the first problem found, as [`OrderProblem`].
pub fn check(history: &History, model: Model, order: &[OpId]) -> Result<ReadsFrom, OrderProblem> {
    let position = positions(history, order)?;
    let latest = LatestWrites::of(history, order, &position);
    let free = FreeReads::of(history);
    // Initial values that are not known, and that reads return, by location.
    let mut shown: FxHashMap<u32, u64> = FxHashMap::default();
    for &op in order {
        let value = match (latest.source[op.at()], history.location(op)) {
            _ if !history.kind(op).reads() => continue,
            (NONE, Some(at)) if history.is_initial_open(at) && !free.allows(history, op) => {
                history.read(op).map(|value| *shown.entry(at).or_insert(value))
            }
            (NONE, at) => at.and_then(|at| history.initial(at)),
            (write, _) => history.written(OpId(write)),
        };
        let is_other = history.read(op).is_some_and(|read| value != Some(read));
        if is_other && !free.allows(history, op) {
            return Err(OrderProblem::Value(op));
        }
    }
    let reads_from = ReadsFrom::given(history, |op| {
        let source = history.kind(op).reads().then(|| latest.source[op.at()])?;
        Some(match source {
            _ if free.allows(history, op) => ReadSource::Unrecorded,
            NONE => ReadSource::Initial,
            write => ReadSource::Write(OpId(write)),
        })
    });
    let execution = Execution { history, reads_from };
    keeps_program_order(&execution, model, &position)?;
    if let Some(&op) = order.iter().find(|&&op| !latest.is_atomic(&execution, model, op, &position))
    {
        return Err(OrderProblem::Atomicity(op));
    }
    latest.ends_as_recorded(history)?;
    Ok(execution.reads_from)
}

/// The reads whose value is not checked, because the history may lack the write that they returned.
struct FreeReads {
    /// Per location, whether a write of it has an unknown value.
    hidden: Vec<bool>,
    /// The values that are written, if others may come from writes that were not recorded.
    written: Option<FxHashSet<(u32, u64)>>,
}

impl FreeReads {
    fn of(history: &History) -> FreeReads {
        let written = may_lack_writes(history).then(|| written_values(history));
        FreeReads { hidden: history.hidden_writes(), written }
    }

    /// Whether a read may have returned any write: its value is not shown, or the history may lack the write of its
    /// value, or does not show the value of a write of the location.
    fn allows(&self, history: &History, read: OpId) -> bool {
        let (Some(location), Some(value)) = (history.location(read), history.read(read)) else {
            return true;
        };
        let is_initial = history.initial(location) == Some(value);
        let is_unwritten = |values: &FxHashSet<_>| !values.contains(&(location, value));
        let may_be_unrecorded = self.written.as_ref().is_some_and(is_unwritten) && !is_initial;
        self.hidden[location as usize] || may_be_unrecorded
    }
}

/// The position of each access in the order. Checks that each access is listed once, and no fence.
fn positions(history: &History, order: &[OpId]) -> Result<Vec<u32>, OrderProblem> {
    let mut position = vec![NONE; history.len()];
    for (at, &op) in order.iter().enumerate() {
        let place = &mut position[op.at()];
        if *place != NONE || history.kind(op).is_fence() {
            return Err(OrderProblem::Repeated(op));
        }
        *place = at as u32;
    }
    let is_missing = |op: &OpId| position[op.at()] == NONE && !history.kind(*op).is_fence();
    match history.ops().find(is_missing) {
        Some(op) => Err(OrderProblem::Missing(op)),
        None => Ok(position),
    }
}

fn keeps_program_order(
    execution: &Execution<'_>,
    model: Model,
    position: &[u32],
) -> Result<(), OrderProblem> {
    let graph = Graph::new(execution, model);
    // Per operation, its position; per join, the position of the last operation that precedes it.
    let mut last = position.to_vec();
    last.resize(graph.nodes() as usize, 0);
    for &(from, to) in graph.edges() {
        let before = last[from as usize];
        if to >= graph.operations() {
            last[to as usize] = last[to as usize].max(before);
        } else if before >= last[to as usize] {
            return Err(OrderProblem::ProgramOrder(OpId(to)));
        }
    }
    Ok(())
}

/// The latest writes in a memory order, as the axioms need them.
struct LatestWrites {
    /// Per read, the write that it returns by the load value axiom; [`NONE`] for the initial one.
    source: Vec<u32>,
    /// Per store-conditional, the latest write of its location by another thread before it; [`NONE`] if there is none.
    other: Vec<u32>,
    /// Per location, the last write; [`NONE`] if there is none.
    last: Vec<u32>,
}

impl LatestWrites {
    fn of(history: &History, order: &[OpId], position: &[u32]) -> LatestWrites {
        let own = own_writes(history);
        let locations = history.locations().len();
        let mut latest = LatestWrites {
            source: vec![NONE; history.len()],
            other: vec![NONE; history.len()],
            last: vec![NONE; locations],
        };
        // Per location, the latest write by a thread other than that of the latest write.
        let mut before_last = vec![NONE; locations];
        for &op in order {
            let Some(at) = history.location(op).map(|at| at as usize) else { continue };
            let kind = history.kind(op);
            let last = latest.last[at];
            if kind.reads() {
                let pending = own[op.at()];
                let is_pending = pending != NONE && position[pending as usize] > position[op.at()];
                latest.source[op.at()] = if is_pending { pending } else { last };
            }
            if !kind.writes() {
                continue;
            }
            let thread = history.thread_of(op);
            let is_own = last != NONE && history.thread_of(OpId(last)) == thread;
            if kind == Kind::StoreConditional {
                latest.other[op.at()] = if is_own { before_last[at] } else { last };
            }
            if !is_own {
                before_last[at] = last;
            }
            latest.last[at] = op.0;
        }
        latest
    }

    /// The atomicity axiom for an operation `op`: if it is a store-conditional, no write of another thread comes between
    /// the source of its load-linked, if that is known, and `op`.
    fn is_atomic(
        &self,
        execution: &Execution<'_>,
        model: Model,
        op: OpId,
        position: &[u32],
    ) -> bool {
        let Some(read) = model.exclusive_load(execution.history, op) else { return true };
        if known_source(execution, read).is_none() {
            return true;
        }
        let (source, other) = (self.source[read.at()], self.other[op.at()]);
        let place = |write: u32| position[write as usize];
        let precedes = source == NONE || place(source) < position[op.at()];
        precedes
            && (other == NONE
                || other == source
                || (source != NONE && place(other) < place(source)))
    }

    fn ends_as_recorded(&self, history: &History) -> Result<(), OrderProblem> {
        for last in history.finals() {
            let write = self.last[last.location as usize];
            if write == NONE {
                if history.initial(last.location) != Some(last.value) {
                    return Err(OrderProblem::Unwritten);
                }
            } else if history.written(OpId(write)).is_some_and(|value| value != last.value) {
                return Err(OrderProblem::Final(OpId(write)));
            }
        }
        Ok(())
    }
}

/// Per read, the latest write of its location before it in its thread.
fn own_writes(history: &History) -> Vec<u32> {
    let mut own = vec![NONE; history.len()];
    let mut last = vec![(usize::MAX, NONE); history.locations().len()];
    for thread in 0..history.threads().len() {
        for op in history.thread_ops(thread) {
            let Some(at) = history.location(op) else { continue };
            let (writer, write) = last[at as usize];
            if writer == thread {
                own[op.at()] = write;
            }
            if history.kind(op).writes() {
                last[at as usize] = (thread, op.0);
            }
        }
    }
    own
}
