//! [`accepted`] and [`Settled::accepted`]: the one place that lets a violation pass, if the verifier accepts its proof.

use certify::verify::{verify_criterion_violation, verify_violation};
use history::History;
use memory::Model;

use crate::engine::steps::steps;
use crate::settle::{Case, Settled};
use crate::verdict::{Outcome, Reason, Verdict};

/// The outcome of deciding a history that a model sees, if it is no violation or the verifier accepts its proof. Otherwise that is a defect
/// of rubric, and the history is undecided. Cost: linear in the proof and the history.
pub fn accepted(history: &History, model: Model, mut outcome: Outcome) -> Outcome {
    if !is_accepted(history, model, &outcome.verdict) {
        outcome.verdict = Verdict::Undecided(Reason::ProofRefused);
    }
    outcome
}

impl Settled<'_> {
    /// The verdict, if it is no violation or the verifier accepts the proof of every case; else the history is undecided.
    pub(crate) fn accepted(mut self, model: Model) -> Self {
        let refused = |case: &Case| !is_accepted(&case.history, model, &case.verdict);
        if self.cases.others.iter().any(refused) {
            self.outcome.verdict = Verdict::Undecided(Reason::ProofRefused);
        }
        let outcome = accepted(&self.history, model, self.outcome);
        Settled { outcome, ..self }
    }
}

fn is_accepted(history: &History, model: Model, verdict: &Verdict) -> bool {
    let basis = history.basis_of_violations();
    match verdict {
        Verdict::Violation(violation) => {
            verify_violation(&basis, model, &steps(&basis, violation)).is_ok()
        }
        Verdict::CriterionViolation(violation) => {
            let steps = violation.steps(&basis);
            verify_criterion_violation(&basis, violation.criterion, &steps).is_ok()
        }
        _ => true,
    }
}
