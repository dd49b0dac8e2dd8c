//! [`shrink`]: finds a small part of a history that still violates a model, from which no operation can be
//! removed.
//!
//! If a part violates a model, so does every larger part, provided that parts are closed
//! ([`crate::shrink::closure`]). So operations are left out one after the other, each with all that depend on
//! it, as long as the rest is a violation; an operation that could not be removed once never can be. Parts
//! with few threads and locations are preferred: one of the threads or locations of the smallest part so far
//! is left out of the whole history, in addition to those left out before, and if the rest still violates the
//! model, it has a part without that thread or location. Everything is tried in a fixed order, so that a
//! history shrinks to the same part each time.
//!
//! ```
//! use check::shrink::shrink;
//! use check::{Bounds, Model, Options, Verdict, check};
//! use history::{Access, Ambiguity, HistoryBuilder, Initial, Kind, Place, Provenance, ReadsFrom};
//!
//! // Store buffering, and a third thread that has nothing to do with it.
//! let mut builder = HistoryBuilder::new();
//! for thread in 0..3u32 {
//!     let (own, other) = (Place::Cell(u64::from(thread)), Place::Cell(u64::from(1 - thread.min(1))));
//!     builder.push(Access { written: Some(1), ..Access::new(thread, Kind::Store, own) });
//!     let read = Some(u64::from(thread == 2));
//!     builder.push(Access { read, ..Access::new(thread, Kind::Load, other) });
//! }
//! let history = builder.finish(Default::default(), &Initial::Zero, Provenance::made()).unwrap();
//! let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
//!
//! let Verdict::Violation(violation) = check(&history, &reads_from, Model::SC, &Options::default()).verdict else {
//!     unreachable!("both loads are too early");
//! };
//! let shrunk = shrink(&history, &reads_from, Model::SC, &violation, &Bounds::none(), &mut |_| {}).unwrap();
//! assert_eq!(shrunk.history.len(), 4);
//! assert!(shrunk.is_minimal);
//! ```

pub mod closure;
mod detection;
mod litmus;
pub mod prefixes;

pub use detection::{Detection, First, detect};
pub use litmus::{LitmusShape, litmus_shape};

use std::collections::BTreeSet;

use history::{History, OpId, ReadSource, ReadsFrom};
use host::Bounds;
use rustc_hash::FxHashSet;

use crate::decide::{check_within, decide};
use crate::engine::csr::Csr;
use crate::engine::proof::{Contradiction, Violation};
use crate::options::Options;
use crate::shrink::closure::Requirements;
use crate::verdict::Verdict;
use memory::Model;

/// Maximum number of contradictions in deciding the history without a thread or location.
const GROUP_BUDGET: u64 = 20_000;

/// A part of a history that violates a model.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The part, as a history of its own.
    pub history: History,
    /// The part's reads-from.
    pub reads_from: ReadsFrom,
    /// Per operation of the part, the operation of the whole history.
    pub kept: Vec<OpId>,
    /// The proof that the part violates the model.
    pub violation: Violation,
    /// Whether no operation can be removed. If not, a bound was met before that was known.
    pub is_minimal: bool,
    /// Number of parts that were decided.
    pub trials: u64,
}

impl Shrunk {
    /// The proof in terms of the whole history.
    pub fn violation_in(&self, whole: &History) -> Violation {
        let mut violation = self.violation.clone();
        let location = |location| self.history.location_in(location, whole);
        violation.rename(&|op| self.kept[op.at()], &location);
        violation
    }
}

/// The size of a part. Sizes are compared by threads, then locations, then operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// Number of threads.
    pub threads: usize,
    /// Number of locations.
    pub locations: usize,
    /// Number of operations; a split access counts once.
    pub operations: usize,
}

impl Size {
    /// The size of a history.
    pub fn of(history: &History) -> Size {
        Size {
            threads: history.threads().len(),
            locations: history.locations().len(),
            operations: history.operations(),
        }
    }
}

/// Shrinks a history, given the proof that it violates the model. Calls `smaller` whenever a smaller part is
/// found. If a bound is met, returns the smallest part so far. Returns `None` if no operation takes part in
/// the violation, because a location ends with a value that was not written there. Cost: deciding the
/// whole history about once for each thread and location of the result, and parts of it some hundred
/// times.
pub fn shrink(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    violation: &Violation,
    bounds: &Bounds,
    smaller: &mut dyn FnMut(Size),
) -> Option<Shrunk> {
    if ends_with_final_value(violation) {
        return None;
    }
    let begin = Part { ops: history.ops().collect(), violation: violation.clone() };
    let mut search = Search::new(history, reads_from, model, bounds);
    let part = search.smallest(begin, smaller);
    Some(search.finish(&part))
}

/// Whether the proof is about a final value, which no part of the history may keep.
fn ends_with_final_value(violation: &Violation) -> bool {
    violation.last().is_some_and(|block| matches!(block.end, Contradiction::ThinFinal(_)))
}

/// Shrinks the part that the proof mentions. This is quick and gives the same result for the same proof, but
/// there may be parts with fewer threads, locations or operations. Returns `None` as [`shrink`] does.
pub fn reduce(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    violation: &Violation,
) -> Option<Shrunk> {
    if ends_with_final_value(violation) {
        return None;
    }
    let bounds = Bounds::none();
    let mut search = Search::new(history, reads_from, model, &bounds);
    let part = search.reduced(&Part { ops: history.ops().collect(), violation: violation.clone() });
    Some(search.finish(&part))
}

/// Some operations of the whole history that violate the model.
#[derive(Clone, Debug)]
struct Part {
    /// The operations, in ascending order.
    ops: Vec<OpId>,
    /// The proof; operations and locations are those of the part as a history of its own.
    violation: Violation,
}

struct Search<'a> {
    history: &'a History,
    reads_from: &'a ReadsFrom,
    model: Model,
    bounds: &'a Bounds,
    requirements: Requirements<'a>,
    /// Per operation, those that have to be left out with it.
    dependents: Csr,
    trials: u64,
}

impl<'a> Search<'a> {
    fn new(
        history: &'a History,
        reads_from: &'a ReadsFrom,
        model: Model,
        bounds: &'a Bounds,
    ) -> Search<'a> {
        let requirements = Requirements::of(history, reads_from, model);
        Search {
            history,
            reads_from,
            model,
            bounds,
            dependents: requirements.dependents(),
            requirements,
            trials: 0,
        }
    }

    /// The smallest part that the search finds.
    fn smallest(&mut self, whole: Part, smaller: &mut dyn FnMut(Size)) -> Part {
        let mut rest = whole;
        let mut best = self.reduced(&rest);
        smaller(self.size(&best.ops));
        while let Some(less) = self.without_a_group(&rest, &best) {
            let other = self.reduced(&less);
            rest = less;
            if self.size(&other.ops) < self.size(&best.ops) {
                best = other;
                smaller(self.size(&best.ops));
            }
        }
        best
    }

    /// The part `rest` without one of the threads or locations of `best`, if that still violates the model.
    fn without_a_group(&mut self, rest: &Part, best: &Part) -> Option<Part> {
        let history = self.history;
        let threads: BTreeSet<usize> = best.ops.iter().map(|&op| history.thread_of(op)).collect();
        let locations: BTreeSet<u32> =
            best.ops.iter().filter_map(|&op| history.location(op)).collect();
        let less = threads
            .into_iter()
            .find_map(|thread| self.without_these(rest, |op| history.thread_of(op) == thread));
        less.or_else(|| {
            let mut locations = locations.into_iter();
            locations.find_map(|location| {
                self.without_these(rest, |op| history.location(op) == Some(location))
            })
        })
    }

    fn without_these(&mut self, rest: &Part, is_gone: impl Fn(OpId) -> bool) -> Option<Part> {
        let ops = self.without(&rest.ops, is_gone);
        // A group without operations in `rest` was left out before.
        if ops.len() < rest.ops.len() { self.trial(ops, GROUP_BUDGET) } else { None }
    }

    /// A part of the given part from which no operation can be removed, unless a bound is met.
    fn reduced(&mut self, part: &Part) -> Part {
        let proved = self.proved(part);
        // Works on a history of its own, so that the rest of the history costs nothing.
        let (history, reads_from) = self.restricted(&proved.ops);
        let mut search = Search::new(&history, &reads_from, self.model, self.bounds);
        let all = Part { ops: history.ops().collect(), violation: proved.violation };
        let reduced = search.fewest(all);
        self.trials += search.trials;
        Part {
            ops: reduced.ops.iter().map(|op| proved.ops[op.at()]).collect(),
            violation: reduced.violation,
        }
    }

    /// Leaves out operations in ever smaller pieces, from the end.
    fn fewest(&mut self, mut part: Part) -> Part {
        let mut piece = part.ops.len().div_ceil(2);
        while piece > 0 {
            let mut end = part.ops.len();
            while end > 0 {
                if self.bounds.passed() {
                    return part;
                }
                let first = part.ops[end.saturating_sub(piece)];
                let range = first..=part.ops[end - 1];
                let ops = self.without(&part.ops, |op| range.contains(&op));
                if let Some(less) = self.trial(ops, u64::MAX) {
                    part = less;
                }
                // Operations before the piece may have been left out with it.
                end = part.ops.partition_point(|op| *op < first);
            }
            piece /= 2;
        }
        part
    }

    /// The operations that a part's proof mentions, as a part if they violate the model by themselves, else
    /// the given part.
    fn proved(&mut self, part: &Part) -> Part {
        let reads_from = self.reads_from.restrict(&part.ops);
        let source = |op: OpId| match reads_from.source(op) {
            Some(ReadSource::Write(write)) => Some(write),
            _ => None,
        };
        let mut open: Vec<OpId> = part.violation.operations(source);
        for op in &mut open {
            *op = part.ops[op.at()];
        }
        let mut needed = BTreeSet::new();
        while let Some(op) = open.pop() {
            if needed.insert(op) {
                self.requirements.needs(op, &mut open);
            }
        }
        let ops = needed.into_iter().collect();
        self.trial(ops, u64::MAX).unwrap_or_else(|| part.clone())
    }

    /// These operations without those that `is_gone` selects and all that depend on them.
    fn without(&self, ops: &[OpId], is_gone: impl Fn(OpId) -> bool) -> Vec<OpId> {
        let mut open: Vec<OpId> = ops.iter().copied().filter(|&op| is_gone(op)).collect();
        let mut gone = FxHashSet::default();
        while let Some(op) = open.pop() {
            if gone.insert(op) {
                let dependents = self.dependents.of(op.0).iter();
                open.extend(dependents.map(|&it| OpId(it)));
            }
        }
        ops.iter().copied().filter(|op| !gone.contains(op)).collect()
    }

    /// Some operations as a part, if the engine finds within a budget of contradictions that they violate the
    /// model by themselves.
    fn trial(&mut self, ops: Vec<OpId>, budget: u64) -> Option<Part> {
        if ops.is_empty() || self.bounds.passed() {
            return None;
        }
        self.trials += 1;
        let (history, reads_from) = self.restricted(&ops);
        let options = Options { budget, ..Options::default() };
        let outcome = decide(&history, &reads_from, self.model, &options, self.bounds);
        match outcome.verdict {
            Verdict::Violation(violation) => Some(Part { ops, violation }),
            _ => None,
        }
    }

    /// Some operations as a history of their own.
    fn restricted(&self, ops: &[OpId]) -> (History, ReadsFrom) {
        let keeps = |op: OpId| ops.binary_search(&op).is_ok();
        let (history, kept) = self.history.restrict(keeps);
        let reads_from = self.reads_from.restrict(&kept);
        (history, reads_from)
    }

    fn size(&self, ops: &[OpId]) -> Size {
        Size::of(&self.restricted(ops).0)
    }

    /// The result for a part, with a minimised proof.
    fn finish(&self, part: &Part) -> Shrunk {
        let is_minimal = !self.bounds.passed();
        let (history, reads_from) = self.restricted(&part.ops);
        let mut violation = part.violation.clone();
        if is_minimal {
            let options = Options::default();
            let again = check_within(&history, &reads_from, self.model, &options, self.bounds);
            if let Verdict::Violation(shorter) = again.verdict {
                violation = shorter;
            }
        }
        Shrunk {
            history,
            reads_from,
            kept: part.ops.clone(),
            violation,
            is_minimal,
            trials: self.trials,
        }
    }
}
