//! [`accepted`]: the one place that lets a violation pass, if the verifier accepts its proof.

use certify::verify::{verify_criterion_violation, verify_violation};
use history::History;
use memory::Model;

use crate::engine::steps::steps;
use crate::verdict::{Outcome, Reason, Verdict};

/// The outcome of deciding a history that a model sees, if it is no violation or the verifier accepts its proof. Otherwise that is a defect
/// of rubric, and the history is undecided. Cost: linear in the proof and the history.
pub fn accepted(history: &History, model: Model, mut outcome: Outcome) -> Outcome {
    let basis = history.basis_of_violations();
    let verified = match &outcome.verdict {
        Verdict::Violation(violation) => verify_violation(&basis, model, &steps(&basis, violation)),
        Verdict::CriterionViolation(violation) => {
            verify_criterion_violation(&basis, violation.criterion, &violation.steps(&basis))
        }
        _ => return outcome,
    };
    if verified.is_err() {
        outcome.verdict = Verdict::Undecided(Reason::ProofRefused);
    }
    outcome
}
