//! The axioms of a memory model, decided by trying every memory order of a small history.
//!
//! A model allows a history if there is a total *memory order* of its operations such that
//!
//! - it includes the model's preserved program order (`ppo`);
//! - every read-modify-write and every pair of load-linked and store-conditional is atomic;
//! - the last write of each location has the location's final value, if one is recorded;
//! - every read returns the *latest* write, in memory order, among the writes to its location that
//!   precede it in memory order or, if the model forwards, in program order (the load value axiom).
//!
//! `ppo` may depend on reads-from, as RVWMO's does, so [`Axioms::preserves`] gets an [`Execution`]: a
//! history with its reads-from.
//!
//! The code is meant to be checked by eye, not to be fast: its cost is exponential, and tests use it for
//! histories of about ten operations. A read is not constrained if the history does not show its value or may lack
//! the write of that value. A read of a value that several writes have (such as a write, and a read-modify-write
//! that reads the value and writes it back) is tried with each of them as its source.

use history::{History, Kind, OpId, ReadSource, ReadsFrom};

use crate::execution::Execution;
use crate::model::Model;

/// The part of the axioms that differs from model to model.
pub trait Axioms {
    /// Whether the model preserves the order of `first` and `second`, a later operation of the same
    /// thread, in its own right. `ppo` is the transitive closure.
    fn preserves(&self, execution: &Execution<'_>, first: OpId, second: OpId) -> bool;

    /// Whether the operation has a place in memory order. Fences of weak models have none, since they only
    /// order pairs of accesses.
    fn has_place(&self, execution: &Execution<'_>, op: OpId) -> bool;

    /// Whether a read may return a write of its own thread that follows it in memory order.
    fn forwards(&self, execution: &Execution<'_>, read: OpId) -> bool;

    /// The load-linked of a store-conditional, if the pair excludes writes of other threads in between.
    fn exclusive_load(&self, history: &History, op: OpId) -> Option<OpId>;
}

impl Axioms for Model {
    fn preserves(&self, execution: &Execution<'_>, first: OpId, second: OpId) -> bool {
        if self.is_weak() {
            self.ppo_rule(execution, first, second).is_some()
        } else {
            self.preserves_ops(execution.history, first, second)
        }
    }

    fn has_place(&self, execution: &Execution<'_>, op: OpId) -> bool {
        !self.is_weak() || !execution.history.kind(op).is_fence()
    }

    fn forwards(&self, execution: &Execution<'_>, read: OpId) -> bool {
        let kind = execution.history.kind(read);
        Model::forwards(*self) && (self.is_weak() || kind.may_be_forwarded())
    }

    fn exclusive_load(&self, history: &History, op: OpId) -> Option<OpId> {
        Model::exclusive_load(*self, history, op)
    }
}

/// A memory order that satisfies the axioms of a model; `None` if there is none. Cost: exponential in
/// the number of operations.
pub fn memory_order(execution: &Execution<'_>, model: &dyn Axioms) -> Option<Vec<OpId>> {
    let source = |op| execution.reads_from.source(op);
    let is_open = |op: &OpId| source(*op) == Some(ReadSource::Ambiguous);
    let Some(read) = execution.history.ops().find(is_open) else {
        return memory_order_of(execution, model);
    };
    candidates(execution, read).into_iter().find_map(|chosen| {
        let source = |op| if op == read { Some(chosen) } else { source(op) };
        let reads_from = ReadsFrom::given(execution.history, source);
        memory_order(&Execution { history: execution.history, reads_from }, model)
    })
}

/// The candidate sources of a read: the other writes of its location with its value, and the initial value if it
/// may be the same.
fn candidates(execution: &Execution<'_>, read: OpId) -> Vec<ReadSource> {
    let history = execution.history;
    let value = history.read(read);
    let is_source = |&write: &OpId| {
        write != read
            && execution.same_location(write, read)
            && history.written(write).is_some_and(|written| Some(written) == value)
    };
    let writes = history.ops().filter(is_source).map(ReadSource::Write);
    let location = history.location(read).zip(value);
    let is_initial = location.is_some_and(|(at, value)| history.may_be_initial(at, value))
        && !history.ops().any(|other| {
            // Reads that return an initial value that is not known agree on it.
            execution.reads_from.source(other) == Some(ReadSource::Initial)
                && execution.same_location(other, read)
                && history.read(other) != value
        });
    writes.chain(is_initial.then_some(ReadSource::Initial)).collect()
}

/// [`memory_order`] for an execution without ambiguous reads.
fn memory_order_of(execution: &Execution<'_>, model: &dyn Axioms) -> Option<Vec<OpId>> {
    let history = execution.history;
    let mut before = vec![Vec::new(); history.len()];
    for thread in 0..history.threads().len() {
        for second in history.thread_ops(thread) {
            let earlier = history.thread_ops(thread).take_while(|&op| op < second);
            before[second.at()] =
                earlier.filter(|&first| model.preserves(execution, first, second)).collect();
        }
    }
    let mut search = Search {
        execution,
        model,
        before,
        placed: history.ops().map(|op| !model.has_place(execution, op)).collect(),
        order: Vec::with_capacity(history.len()),
    };
    search.extend().then_some(search.order)
}

/// Whether a model allows a history. Cost: as [`memory_order`].
pub fn allows(execution: &Execution<'_>, model: &dyn Axioms) -> bool {
    memory_order(execution, model).is_some()
}

struct Search<'a, 'h> {
    execution: &'a Execution<'h>,
    model: &'a dyn Axioms,
    /// Per operation, the operations that precede it in `ppo`, without those that only transitivity
    /// adds.
    before: Vec<Vec<OpId>>,
    placed: Vec<bool>,
    order: Vec<OpId>,
}

impl Search<'_, '_> {
    /// Tries every order of the remaining operations, until the axioms hold.
    fn extend(&mut self) -> bool {
        if self.placed.iter().all(|&is_placed| is_placed) {
            return self.holds();
        }
        for op in self.execution.history.ops() {
            let is_placed = |earlier: &OpId| self.placed[earlier.at()];
            if self.placed[op.at()] || !self.before[op.at()].iter().all(is_placed) {
                continue;
            }
            self.placed[op.at()] = true;
            self.order.push(op);
            if self.may_still_hold(op) && self.extend() {
                return true;
            }
            self.order.pop();
            self.placed[op.at()] = false;
        }
        false
    }

    /// Whether the axioms may still hold with `op`, which was placed last. A read's value is already decided, unless a
    /// write that follows it in memory order may be forwarded to it.
    fn may_still_hold(&self, op: OpId) -> bool {
        let history = self.execution.history;
        let at = self.order.len() - 1;
        let may_follow = |write: OpId| !self.placed[write.at()] && self.is_forwarded(write, op);
        self.is_linked(op, at)
            && (!history.kind(op).reads()
                || history.ops().any(may_follow)
                || self.reads_latest(op, at))
    }

    /// Whether `read` may return `write` even if `write` follows it in memory order.
    fn is_forwarded(&self, write: OpId, read: OpId) -> bool {
        let history = self.execution.history;
        write < read
            && history.kind(write).writes()
            && self.execution.same_location(write, read)
            && self.model.forwards(self.execution, read)
            && history.thread_of(write) == history.thread_of(read)
    }

    fn holds(&self) -> bool {
        let history = self.execution.history;
        let mut all = self.order.iter().enumerate();
        all.all(|(at, &op)| {
            (!history.kind(op).reads() || self.reads_latest(op, at)) && self.is_linked(op, at)
        }) && self.ends_as_recorded()
    }

    /// The load value axiom for a read at position `at` of the order.
    fn reads_latest(&self, read: OpId, at: usize) -> bool {
        let history = self.execution.history;
        let mut candidates = self.order.iter().enumerate().rev();
        let latest = candidates.find(|&(place, &write)| {
            if place < at {
                history.kind(write).writes() && self.execution.same_location(write, read)
            } else {
                self.is_forwarded(write, read)
            }
        });
        match self.execution.reads_from.source(read) {
            Some(ReadSource::Write(write)) => latest.is_some_and(|(_, &found)| found == write),
            Some(ReadSource::Initial) => latest.is_none(),
            Some(ReadSource::ThinAir | ReadSource::Ambiguous) | None => false,
            // The history does not show what the read returned, so the read may be anywhere.
            Some(
                ReadSource::NotShown
                | ReadSource::HiddenWrite
                | ReadSource::UnfinishedStore
                | ReadSource::Outside
                | ReadSource::Unrecorded,
            ) => true,
        }
    }

    /// The atomicity axiom for an operation at position `at` of the order: no write of another thread
    /// comes between the source of a load-linked and its store-conditional.
    fn is_linked(&self, op: OpId, at: usize) -> bool {
        let history = self.execution.history;
        let Some(load) = self.model.exclusive_load(history, op) else {
            return true;
        };
        debug_assert_eq!(history.kind(op), Kind::StoreConditional);
        let after = match self.execution.reads_from.source(load) {
            Some(ReadSource::Write(source)) => {
                match self.order[..at].iter().position(|&write| write == source) {
                    Some(place) => place + 1,
                    None => return false,
                }
            }
            Some(ReadSource::Initial) => 0,
            // Without the source of the load-linked, nothing is known about the writes after it.
            _ => return true,
        };
        let mut between = self.order[after..at].iter();
        !between.any(|&write| {
            history.kind(write).writes()
                && self.execution.same_location(write, op)
                && history.thread_of(write) != history.thread_of(op)
        })
    }

    fn ends_as_recorded(&self) -> bool {
        let history = self.execution.history;
        history.finals().iter().all(|last| {
            let mut writes = self.order.iter().rev();
            let write = writes.find(|&&op| {
                history.kind(op).writes() && history.location(op) == Some(last.location)
            });
            let value = match write {
                Some(&write) => history.written(write),
                None => history.initial(last.location),
            };
            value == Some(last.value)
        })
    }
}
