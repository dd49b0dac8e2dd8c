//! Minimises the proof of a violation ([`minimise`]).
//!
//! The rules hold for a part of a history as they do for the whole, so the operations that a proof mentions
//! violate the model by themselves. Leaving out more of them, in ever smaller pieces, and deciding again
//! gives a proof from which no operation can be removed. The first proof found need not lead to the
//! smallest, so others are searched while that is cheap. A read whose source is left out counts as
//! unknown, so nothing wrong follows. But leaving out a candidate of a read with several would be unsound,
//! so proofs that choose between candidates are kept as they are.

use std::borrow::Cow;

use history::{History, Kind, OpId, ReadSource, ReadsFrom};
use host::Bounds;

use crate::algorithm::Algorithm;
use crate::engine::proof::{Contradiction, Violation};
use crate::options::Options;
use crate::verdict::{Outcome, Verdict};

/// Maximum number of contradictions in deciding a part.
const CONTRADICTION_BUDGET: u64 = 100;
/// Maximum work on the given proof: the operations visited plus the clock entries computed.
const SHRINK_WORK: usize = 4_000_000;
/// Maximum work on other proofs, in the same unit.
const SEARCH_WORK: usize = 600_000;

/// Decides a part of a history under the model of the proof.
pub(crate) type Decide<'a> = dyn Fn(&History, &ReadsFrom, &Options) -> Outcome + 'a;

/// Replaces a proof by the smallest of several from which no operation can be removed. Cost: bounded by
/// the work that the constants allow, most often some milliseconds.
pub(crate) fn minimise(
    history: &History,
    reads_from: &ReadsFrom,
    decide: &Decide<'_>,
    violation: &mut Violation,
    bounds: &Bounds,
) {
    // Without a write between them, a load-linked and a store-conditional may become a pair, which adds a
    // constraint that the whole history does not have.
    let paired = |op: OpId| history.kind(op) == Kind::StoreConditional;
    if history.ops().any(paired)
        || !violation.last().is_some_and(|block| matches!(block.end, Contradiction::Cycle(_)))
        || violation.chooses_sources()
    {
        return;
    }
    let mut trials = Trials { decide, bounds, work: SHRINK_WORK };
    let whole = Part {
        history: Cow::Borrowed(history),
        reads_from: Cow::Borrowed(reads_from),
        ops: history.ops().collect(),
    };
    let Some((mut fewest, smallest)) = trials.shrink(&whole, violation) else {
        return;
    };
    *violation = smallest;
    // Other violations may be smaller: leaves out an operation of each one found, and searches again.
    trials.work = trials.work.min(SEARCH_WORK);
    let mut left_out: Vec<OpId> = last_read(history, &fewest).into_iter().collect();
    while fewest.len() > 2 {
        let rest: Vec<OpId> = history.ops().filter(|op| !left_out.contains(op)).collect();
        let Some((ops, other)) = trials
            .decide(&whole, &rest, Algorithm::Saturate)
            .and_then(|found| trials.shrink(&whole, &found))
        else {
            return;
        };
        let Some(read) = last_read(history, &ops) else {
            return;
        };
        left_out.push(read);
        if ops.len() < fewest.len() {
            (fewest, *violation) = (ops, other);
        }
    }
}

fn last_read(history: &History, ops: &[OpId]) -> Option<OpId> {
    ops.iter().rev().copied().find(|&op| history.kind(op).reads())
}

/// Some operations of a history as a history of its own.
struct Part<'a> {
    history: Cow<'a, History>,
    reads_from: Cow<'a, ReadsFrom>,
    /// Per operation of the part, the operation of the whole.
    ops: Vec<OpId>,
}

impl Part<'_> {
    /// The part of this part with these operations of the whole.
    fn of(&self, ops: &[OpId]) -> Part<'static> {
        let (history, kept) =
            self.history.restrict(|op| ops.binary_search(&self.ops[op.at()]).is_ok());
        Part {
            reads_from: Cow::Owned(self.reads_from.restrict(&kept)),
            ops: kept.iter().map(|op| self.ops[op.at()]).collect(),
            history: Cow::Owned(history),
        }
    }
}

struct Trials<'a> {
    decide: &'a Decide<'a>,
    bounds: &'a Bounds,
    work: usize,
}

impl Trials<'_> {
    /// Leaves out operations of a proof about the whole, in ever smaller pieces, as long as the rest is a
    /// violation.
    fn shrink(
        &mut self,
        whole: &Part<'_>,
        violation: &Violation,
    ) -> Option<(Vec<OpId>, Violation)> {
        let source = |op: OpId| match whole.reads_from.source(op) {
            Some(ReadSource::Write(write)) => Some(write),
            _ => None,
        };
        let mut ops = violation.operations(source);
        let part = whole.of(&ops);
        let mut best = self.decide(&part, &ops, Algorithm::Complete)?;
        let mut piece = ops.len().div_ceil(2);
        while piece > 0 {
            let mut shrunk = false;
            let mut end = ops.len();
            while end > 0 {
                let start = end.saturating_sub(piece);
                let rest = [&ops[..start], &ops[end..]].concat();
                if let Some(smaller) = self.decide(&part, &rest, Algorithm::Complete) {
                    best = smaller;
                    ops = rest;
                    shrunk = true;
                }
                end = start;
            }
            if !shrunk || piece > 1 {
                piece /= 2;
            }
        }
        best.rename(&|op| op, &|location| in_larger(location, &part, whole));
        Some((ops, best))
    }

    /// The proof that these operations alone violate the model, if they do. Its operations are numbered as
    /// in the whole, its locations as in `part`.
    fn decide(&mut self, part: &Part<'_>, ops: &[OpId], algorithm: Algorithm) -> Option<Violation> {
        let smaller = part.of(ops);
        let width = 1 + smaller.history.threads().len() / 4;
        let cost = part.ops.len() + ops.len() * width;
        if self.work < cost || self.bounds.passed() {
            self.work = 0;
            return None;
        }
        self.work -= cost;
        let options = Options { algorithm, budget: CONTRADICTION_BUDGET, ..Options::default() };
        let outcome = (self.decide)(&smaller.history, &smaller.reads_from, &options);
        let Verdict::Violation(mut violation) = outcome.verdict else {
            return None;
        };
        let place = |location| in_larger(location, &smaller, part);
        violation.rename(&|op| smaller.ops[op.at()], &place);
        Some(violation)
    }
}

/// The number that a location of a part has in a larger part.
fn in_larger(location: u32, part: &Part<'_>, larger: &Part<'_>) -> u32 {
    part.history.location_in(location, &larger.history)
}
