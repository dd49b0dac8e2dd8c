//! [`ValueProblems`]: reads and final values whose source is not a single known write, and the effect that
//! they have on a verdict.

use history::{History, OpId, ReadSource, ReadsFrom};

use crate::engine::finals::Finals;
use crate::verdict::{Outcome, Reason, Verdict};

/// The reads and final values of a history whose source is not a single known write, or not a possible
/// one.
#[derive(Clone, Debug)]
pub(crate) struct ValueProblems {
    /// A read of a value that no write has.
    pub thin_air: Option<OpId>,
    /// Whether a read-modify-write returns a value that only it writes.
    pub reads_itself: bool,
    /// Number of reads and final values with several candidates.
    pub ambiguous: usize,
    unfinished: Option<OpId>,
    unfinished_final: Option<u32>,
    hidden_final: Option<u32>,
    hidden: Option<OpId>,
    unrecorded: Option<OpId>,
}

impl ValueProblems {
    /// Finds the problems of a history, of each kind the first by trace line. Cost: linear.
    pub(crate) fn of(history: &History, reads_from: &ReadsFrom, finals: &Finals) -> ValueProblems {
        let first = |wanted: ReadSource| {
            history
                .ops()
                .filter(|&op| reads_from.source(op) == Some(wanted))
                .min_by_key(|&op| (history.line(op), op))
        };
        let itself = |op: OpId| reads_from.source(op) == Some(ReadSource::Write(op));
        ValueProblems {
            thin_air: first(ReadSource::ThinAir),
            reads_itself: history.ops().any(itself),
            ambiguous: reads_from.ambiguous() + finals.open.len(),
            unfinished: first(ReadSource::UnfinishedStore),
            unfinished_final: finals.unfinished,
            hidden_final: finals.hidden,
            hidden: first(ReadSource::HiddenWrite),
            unrecorded: first(ReadSource::Unrecorded),
        }
    }

    /// The reason, if any, because of which the history cannot be called consistent.
    pub(crate) fn unknowable(&self) -> Option<Reason> {
        let of_reads = [
            self.unfinished.map(Reason::UnfinishedStore),
            self.hidden.map(Reason::HiddenWrite),
            self.unrecorded.map(Reason::UnrecordedWrite),
        ];
        let of_final = self.unfinished_final.map(Reason::UnfinishedFinal);
        of_reads.into_iter().flatten().next().or(of_final)
    }

    /// The reason, if any, why an order that a search finds may be no run: searches ignore the final value of a location with a write whose
    /// value is not shown. Executing the order on the machine decides.
    pub(crate) fn unchecked(&self) -> Option<Reason> {
        self.hidden_final.map(Reason::HiddenFinal)
    }

    /// Adjusts an outcome for reads and final values that were left unconstrained: a history that would be consistent is
    /// undecided if their sources are unknown.
    pub(crate) fn qualify(&self, mut outcome: Outcome) -> Outcome {
        let failed = matches!(outcome.verdict, Verdict::Undecided(Reason::FreeReads));
        let satisfied = outcome.verdict == Verdict::Satisfied;
        let found = matches!(outcome.verdict, Verdict::Consistent(_) | Verdict::Satisfied);
        if let Some(reason) = self.unknowable().filter(|_| found || failed) {
            outcome.verdict = Verdict::Undecided(reason);
        } else if let Some(reason) = self.unchecked().filter(|_| failed || satisfied) {
            outcome.verdict = Verdict::Undecided(reason);
        } else if failed && self.ambiguous > 0 {
            outcome.verdict = Verdict::Undecided(Reason::Ambiguous(self.ambiguous));
        }
        outcome
    }
}
