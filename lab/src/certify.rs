//! Writes the certificate of a verdict, reads it back and verifies it, for programs that rely on no verdict without proof.

use std::borrow::Borrow;
use std::io;

use certify::certificate::{self, ReadError};
use certify::verify::{Rejection, verify};
use check::{Answer, Model, Options, Question};
use history::{Ambiguity, History, ReadsFrom};
use thiserror::Error;

use crate::error::Error as LabError;

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

/// Writes the certificate of an answer as [`Answer::certify`] does, reads it back and verifies it against the history as it was read.
/// Returns false, with nothing verified, if the answer has no certificate.
///
/// # Errors
/// Fails if the certificate does not prove the verdict.
pub fn certify<H: Borrow<History>>(answer: &Answer<H>) -> Result<bool, CertifyError> {
    let mut text = Vec::new();
    if answer.certify(&mut text, None, "")?.is_none() {
        return Ok(false);
    }
    verify(answer.whole.borrow(), &certificate::read(&text[..])?)?;
    Ok(true)
}

/// The answer whether a model allows a history, and whether it has a certificate, which is then verified. `command` is what repeats the run
/// that the history is of.
///
/// # Errors
/// Fails if a value is written twice, or if the certificate does not prove the verdict.
pub(crate) fn certified<'h>(
    history: &'h History,
    model: Model,
    options: &Options,
    command: &dyn Fn() -> String,
) -> Result<(Answer<&'h History>, bool), LabError> {
    let reads_from = ReadsFrom::derive(history, Ambiguity::RefuseShared);
    let reads_from = reads_from.map_err(|twice| LabError::MadeTwice(Box::new(twice)))?;
    let answer = Question::new(model, options).ask(history, &reads_from);
    match certify(&answer) {
        Ok(is_certified) => Ok((answer, is_certified)),
        Err(error) => Err(LabError::Certificate { command: command(), error }),
    }
}

#[cfg(test)]
mod tests {
    use check::Verdict;

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
        let options = Options { algorithm: papers::CCM, ..Options::default() };
        let answer = Question::new(Model::SC, &options).ask(&history, &reads_from);
        let verdict = answer.verdict();
        assert!(matches!(verdict, Verdict::CriterionViolation(_)), "{verdict:?}");
        assert!(certify(&answer).unwrap());
    }
}
