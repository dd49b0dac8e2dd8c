//! Writes the certificate of a verdict, reads it back and verifies it, for programs that rely on no verdict without proof.

use std::io;

use certify::certificate::{self, Claim, ReadError};
use certify::verify::{Rejection, verify};
use check::engine::steps::steps;
use check::{Model, Verdict};
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

/// Writes the certificate of a verdict, reads it back and verifies it. Returns false if the verdict has no certificate.
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
