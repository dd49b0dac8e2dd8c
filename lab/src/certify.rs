//! Writes the certificate of a verdict, reads it back and verifies it, for programs that rely on no verdict without proof.

use std::io::{self, Write};

use certify::certificate::{self, Claim, Name, ReadError};
use certify::verify::{Rejection, verify};
use check::engine::steps::steps;
use check::{Model, Verdict};
use history::{History, ReadSource, ReadsFrom};
use memory::machine::{Machine, Step};
use thiserror::Error;

/// Why a certificate does not prove its verdict. Each of these is a defect of rubric.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CertifyError {
    /// The certificate cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// The certificate cannot be read back.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The verifier rejects the certificate.
    #[error(transparent)]
    Rejected(#[from] Rejection),
}

/// Writes the certificate of a verdict: the run or memory order, or the proof. Returns the number of its steps; `None`, with nothing
/// written, if the verdict has no certificate. `reads_from` must be the one from which the verdict was derived, and `claim` must be about
/// the same history and model.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write(
    out: &mut dyn Write,
    history: &History,
    reads_from: &ReadsFrom,
    claim: &Claim,
    verdict: &Verdict,
) -> io::Result<Option<usize>> {
    let mut out = out;
    match verdict {
        Verdict::Consistent(run) => {
            let sources = chosen_sources(history, reads_from, claim.model, run);
            certificate::write_consistent(&mut out, history, claim, &sources, run)?;
            Ok(Some(run.len()))
        }
        Verdict::Violation(violation) => {
            let proof = steps(history, violation);
            certificate::write_violation(&mut out, claim, &proof)?;
            Ok(Some(proof.len()))
        }
        Verdict::CriterionViolation(violation) => {
            let claim = Claim { criterion: Some(violation.criterion), ..claim.clone() };
            let proof = violation.steps(history);
            certificate::write_violation(&mut out, &claim, &proof)?;
            Ok(Some(proof.len()))
        }
        Verdict::Undecided(_) | Verdict::Unproved | Verdict::Satisfied => Ok(None),
    }
}

/// The sources that a run gives to the reads whose values do not determine them.
fn chosen_sources(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    run: &[Step],
) -> Vec<(Name, Name)> {
    if reads_from.ambiguous() == 0 {
        return Vec::new();
    }
    let mut machine = Machine::new(history, model);
    let mut sources = Vec::new();
    for &step in run {
        if let Step::Execute(op) = step
            && reads_from.source(op) == Some(ReadSource::Ambiguous)
            && let Some(location) = history.location(op)
        {
            let source = match machine.visible(op) {
                Some(write) => Name::of(history, write),
                None => Name::Initial(history.locations()[location as usize].address),
            };
            sources.push((Name::of(history, op), source));
        }
        if machine.step(step).is_err() {
            break;
        }
    }
    sources
}

/// Writes the certificate of a consistent history or of a violation of the model, reads it back and verifies it. Returns false, with
/// nothing verified, for all other verdicts.
///
/// # Errors
/// Fails if the certificate does not prove the verdict.
pub fn certify(history: &History, model: Model, verdict: &Verdict) -> Result<bool, CertifyError> {
    let claim = Claim::new(history, model, "");
    let mut text = Vec::new();
    match verdict {
        Verdict::Consistent(run) => {
            certificate::write_consistent(&mut text, history, &claim, &[], run)?;
        }
        Verdict::Violation(violation) => {
            let proof = steps(history, violation);
            certificate::write_violation(&mut text, &claim, &proof)?;
        }
        _ => return Ok(false),
    }
    verify(history, &certificate::read(&text[..])?)?;
    Ok(true)
}
