//! Making the proof of a violation small.
//!
//! The rules hold for a part of a history as they do for the whole, so the operations that a
//! proof speaks of violate the model by themselves. Leaving out more of them, in ever smaller
//! pieces, and deciding again gives a proof from which no operation can go. The first proof found
//! need not lead to the smallest, so others are looked for while it is cheap. A read whose source
//! is left out counts as unknown, which proves nothing.

use history::{History, Kind, OpId, ReadSource, ReadsFrom};

use crate::deadline::Deadline;
use crate::decide::{Algorithm, Options, Verdict, decide};
use crate::model::Model;
use crate::proof::{Contradiction, Node, Rule, Violation};

/// Contradictions met at most in deciding a part.
const BUDGET: u64 = 100;
/// Work spent at most, in operations decided: first on the proof at hand, then on others.
const SHRINK_WORK: usize = 2_000_000;
const SEARCH_WORK: usize = 150_000;

/// Replaces a proof by one that no operation can leave, the smallest of several. Cost: bounded by
/// the work that the constants allow, well under a second.
pub fn minimise(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    violation: &mut Violation,
    deadline: &Deadline,
) {
    // Leaving out a write between a load-linked and its store-conditional would pair them.
    let paired = |op: OpId| history.kind(op) == Kind::StoreConditional;
    if history.ops().any(paired) || !matches!(violation.last().end, Contradiction::Cycle(_)) {
        return;
    }
    let mut trials = Trials {
        history,
        reads_from,
        model,
        deadline,
        work: SHRINK_WORK,
    };
    let Some((mut fewest, smallest)) = trials.shrink(violation) else {
        return;
    };
    *violation = smallest;
    // Other violations may be smaller: leave out an operation of each that was found, and look
    // again.
    trials.work = trials.work.min(SEARCH_WORK);
    let mut left_out: Vec<OpId> = last_read(history, &fewest).into_iter().collect();
    while fewest.len() > 2 {
        let rest: Vec<OpId> = history.ops().filter(|op| !left_out.contains(op)).collect();
        let Some((ops, other)) = trials
            .decide(&rest, Algorithm::Saturate)
            .and_then(|found| trials.shrink(&found))
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
    ops.iter()
        .rev()
        .copied()
        .find(|&op| history.kind(op).reads())
}

struct Trials<'a> {
    history: &'a History,
    reads_from: &'a ReadsFrom,
    model: Model,
    deadline: &'a Deadline,
    work: usize,
}

impl Trials<'_> {
    /// Leaves out operations of a proof, in ever smaller pieces, while a violation stays.
    fn shrink(&mut self, violation: &Violation) -> Option<(Vec<OpId>, Violation)> {
        let source = |op: OpId| match self.reads_from.source(op) {
            Some(ReadSource::Write(write)) => Some(write),
            _ => None,
        };
        let mut ops = violation.operations(source);
        let mut best = self.decide(&ops, Algorithm::Complete)?;
        let mut piece = ops.len().div_ceil(2);
        while piece > 0 {
            let mut shrunk = false;
            let mut end = ops.len();
            while end > 0 {
                let start = end.saturating_sub(piece);
                let rest = [&ops[..start], &ops[end..]].concat();
                if let Some(smaller) = self.decide(&rest, Algorithm::Complete) {
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
        Some((ops, best))
    }

    /// The proof that these operations alone violate the model, if they do.
    fn decide(&mut self, ops: &[OpId], algorithm: Algorithm) -> Option<Violation> {
        if self.work < ops.len() || self.deadline.passed() {
            self.work = 0;
            return None;
        }
        self.work -= ops.len();
        let (part, kept) = self.history.restrict(|op| ops.binary_search(&op).is_ok());
        let options = Options {
            algorithm,
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
