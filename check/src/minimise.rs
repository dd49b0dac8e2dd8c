//! Making the proof of a violation small.
//!
//! The rules hold for a part of a history as they do for the whole, so the operations that a
//! proof speaks of violate the model by themselves. Leaving out more of them, in ever smaller
//! pieces, and deciding again gives a proof from which no operation can go. A read whose source
//! is left out counts as unknown, which proves nothing.

use history::{History, Kind, OpId, ReadSource, ReadsFrom};

use crate::deadline::Deadline;
use crate::decide::{Algorithm, Options, Verdict, decide};
use crate::model::Model;
use crate::proof::{Contradiction, Node, Rule, Violation};

/// Decisions made at most, and contradictions met in each.
const TRIALS: usize = 4000;
const BUDGET: u64 = 100;
/// Work spent at most, in operations decided.
const WORK: usize = 2_000_000;

/// Replaces a proof by one that no operation can leave. Cost: bounded by [`WORK`].
pub fn minimise(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    violation: &mut Violation,
    deadline: &Deadline,
) {
    let source = |op: OpId| match reads_from.source(op) {
        Some(ReadSource::Write(write)) => Some(write),
        _ => None,
    };
    let mut ops = violation.operations(source);
    // Leaving out a write between a load-linked and its store-conditional would pair them.
    let paired = ops
        .iter()
        .any(|&op| history.kind(op) == Kind::StoreConditional);
    if paired || !matches!(violation.last().end, Contradiction::Cycle(_)) {
        return;
    }
    let mut trials = Trials {
        history,
        reads_from,
        model,
        deadline,
        left: TRIALS,
        work: WORK,
    };
    let Some(mut best) = trials.decide(&ops) else {
        return;
    };
    let mut piece = ops.len().div_ceil(2);
    while piece > 0 {
        let mut shrunk = false;
        let mut end = ops.len();
        while end > 0 {
            let start = end.saturating_sub(piece);
            let rest: Vec<OpId> = [&ops[..start], &ops[end..]].concat();
            if let Some(smaller) = trials.decide(&rest) {
                best = smaller;
                ops = rest;
                shrunk = true;
            }
            end = start.min(ops.len());
        }
        if trials.left == 0 {
            break;
        }
        if !shrunk || piece > 1 {
            piece /= 2;
        }
    }
    *violation = best;
}

struct Trials<'a> {
    history: &'a History,
    reads_from: &'a ReadsFrom,
    model: Model,
    deadline: &'a Deadline,
    left: usize,
    work: usize,
}

impl Trials<'_> {
    /// The proof that these operations alone violate the model, if they do.
    fn decide(&mut self, ops: &[OpId]) -> Option<Violation> {
        if self.left == 0 || self.work < ops.len() || self.deadline.passed() {
            self.left = 0;
            return None;
        }
        self.left -= 1;
        self.work -= ops.len();
        let (part, kept) = self.history.restrict(|op| ops.binary_search(&op).is_ok());
        let options = Options {
            algorithm: Algorithm::Complete,
            budget: BUDGET,
            ..Options::default()
        };
        let reads_from = self.reads_from.restrict(&kept);
        match decide(&part, &reads_from, self.model, &options, self.deadline).verdict {
            Verdict::Violation(violation) => Some(rename(violation, &kept)),
            _ => None,
        }
    }
}

/// Gives a proof about part of a history the names of the whole.
fn rename(mut violation: Violation, kept: &[OpId]) -> Violation {
    let rename = |op: &mut OpId| *op = kept[op.at()];
    for block in &mut violation.blocks {
        for (first, second) in &mut block.assumptions {
            rename(first);
            rename(second);
        }
        for fact in &mut block.facts {
            for node in [&mut fact.before, &mut fact.after] {
                if let Node::Op(op) = node {
                    rename(op);
                }
            }
            if let Rule::OwnEarlier(read) | Rule::Observed(read) = &mut fact.rule {
                rename(read);
            }
        }
        if let Contradiction::ThinAir(op) = &mut block.end {
            rename(op);
        }
    }
    violation
}
