//! Writes the certificate of a verdict, reads it back and verifies it, for programs that rely on no verdict without proof.

use std::io;

use certify::certificate::{self, Claim, ReadError};
use certify::verify::{Rejection, verify};
use check::certificate::{Proved, write};
use check::{Model, Settled};
use history::History;
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

/// Writes the certificate of a verdict as [`check::certificate::write()`] does, reads it back and verifies it against the history as
/// it was read. Returns false, with nothing verified, if the verdict has no certificate.
///
/// # Errors
/// Fails if the certificate does not prove the verdict.
pub fn certify(whole: &History, settled: &Settled<'_>, model: Model) -> Result<bool, CertifyError> {
    let claim = Claim::new(whole, model, "");
    let mut text = Vec::new();
    if write(&mut text, &claim, Proved::of(whole, settled))?.is_none() {
        return Ok(false);
    }
    verify(whole, &certificate::read(&text[..])?)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use check::{Algorithm, Options, Verdict, check, settle};
    use history::{Ambiguity, ReadsFrom};

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
        let settled = settle(&history, &reads_from, Model::SC, |history, reads_from| {
            check(history, reads_from, Model::SC, &options)
        });
        let verdict = &settled.outcome.verdict;
        assert!(matches!(verdict, Verdict::CriterionViolation(_)), "{verdict:?}");
        assert!(certify(&history, &settled, Model::SC).unwrap());
    }
}
