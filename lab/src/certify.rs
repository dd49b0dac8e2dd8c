//! Writes the certificate of a verdict, reads it back and verifies it, for programs that rely on no verdict without proof.

use std::io::{self, Write};

use certify::certificate::{self, Claim, Name, ReadError};
use certify::verify::{Rejection, verify};
use check::engine::steps::steps;
use check::{Model, Verdict};
use history::{History, OpId, ReadSource, ReadsFrom};
use memory::machine::{Machine, Step};
use memory::weak::order;
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

/// The sources that a run gives to the reads whose values do not determine them, each behind its read.
fn chosen_sources(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    run: &[Step],
) -> Vec<(Name, Name)> {
    if reads_from.ambiguous() == 0 {
        return Vec::new();
    }
    let mut sources = if model.is_weak() {
        sources_in_order(history, model, run)
    } else {
        sources_in_run(history, model, run)
    };
    sources.retain(|(read, _)| reads_from.source(*read) == Some(ReadSource::Ambiguous));
    let named = sources.into_iter().filter_map(|(read, source)| {
        let location = history.location(read)?;
        let initial = Name::Initial(history.locations()[location as usize].address);
        let source = source.map_or(initial, |write| Name::of(history, write));
        Some((Name::of(history, read), source))
    });
    named.collect()
}

/// A read and its source; the source is `None` for the initial value.
type Source = (OpId, Option<OpId>);

/// The sources of the reads in a run of the model's machine.
fn sources_in_run(history: &History, model: Model, run: &[Step]) -> Vec<Source> {
    let mut machine = Machine::new(history, model);
    let mut sources = Vec::new();
    for &step in run {
        if let Step::Execute(op) = step
            && history.kind(op).reads()
        {
            sources.push((op, machine.visible(op)));
        }
        if machine.step(step).is_err() {
            break;
        }
    }
    sources
}

/// The sources of the reads in a memory order of a weak model.
fn sources_in_order(history: &History, model: Model, run: &[Step]) -> Vec<Source> {
    let executed = run.iter().filter_map(|step| match step {
        Step::Execute(op) => Some(*op),
        Step::Commit(_) => None,
    });
    let order: Vec<OpId> = executed.collect();
    let Ok(reads_from) = order::check(history, model, &order) else { return Vec::new() };
    let known = order.into_iter().filter_map(|read| match reads_from.source(read)? {
        ReadSource::Write(write) => Some((read, Some(write))),
        ReadSource::Initial => Some((read, None)),
        _ => None,
    });
    known.collect()
}

/// Writes the certificate of a verdict as [`write()`] does, reads it back and verifies it. Returns false, with nothing verified, if the
/// verdict has no certificate.
///
/// # Errors
/// Fails if the certificate does not prove the verdict.
pub fn certify(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    verdict: &Verdict,
) -> Result<bool, CertifyError> {
    let claim = Claim::new(history, model, "");
    let mut text = Vec::new();
    if write(&mut text, history, reads_from, &claim, verdict)?.is_none() {
        return Ok(false);
    }
    verify(history, &certificate::read(&text[..])?)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use check::{Algorithm, Options, check};
    use history::Ambiguity;

    use super::*;

    fn history(axe: &str) -> History {
        let trace = ingest::read(axe.as_bytes(), "test", &ingest::Options::default()).unwrap();
        trace.histories.into_iter().next().unwrap()
    }

    /// Message passing that fails violates CCM, too, which has a certificate of its own.
    #[test]
    fn violations_of_criteria_are_certified() {
        let history = history("0: M[0] := 1\n0: M[1] := 1\n1: M[1] == 1\n1: M[0] == 0\ncheck\n");
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        let options = Options { algorithm: Algorithm::Ccm, ..Options::default() };
        let verdict = check(&history, &reads_from, Model::SC, &options).verdict;
        assert!(matches!(verdict, Verdict::CriterionViolation(_)), "{verdict:?}");
        assert!(certify(&history, &reads_from, Model::SC, &verdict).unwrap());
    }

    /// The run of a weak model is a memory order, in which no store waits in a buffer.
    #[test]
    fn chosen_sources_of_a_weak_model_are_those_of_the_memory_order() {
        let history = history("0: M[0] := 1\n1: M[0] := 1\n2: M[0] == 1\ncheck\n");
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Keep).unwrap();
        let order = [0, 2, 1].map(|thread| history.find(thread, 0).unwrap());
        let run = order.map(Step::Execute).to_vec();
        let sources = chosen_sources(&history, &reads_from, Model::RVWMO, &run);
        assert_eq!(sources, [(Name::Op(2, 0), Name::Op(0, 0))]);
        let verdict = Verdict::Consistent(run);
        assert!(certify(&history, &reads_from, Model::RVWMO, &verdict).unwrap());
    }
}
