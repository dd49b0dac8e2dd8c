//! [`Verified`]: a certificate that was verified.

use std::path::PathBuf;
use std::sync::Arc;

use ::history::History as Operations;
use certify::certificate;
use pyo3::prelude::*;

use crate::call;
use crate::error::{CertificateError, rejected};
use crate::history::History;

/// Largest certificate that is read as a whole, in bytes.
const LARGEST_CERTIFICATE_BYTES: u64 = 4 << 30;

/// A certificate that was verified.
#[pyclass(module = "rubric", frozen)]
pub struct Verified {
    model: &'static str,
    criterion: Option<&'static str>,
    verdict: &'static str,
    steps: usize,
}

#[pymethods]
impl Verified {
    /// The model that the certificate is about.
    #[getter]
    fn model(&self) -> &str {
        self.model
    }

    /// The criterion that does not hold, if it is weaker than the model; else `None`.
    #[getter]
    fn criterion(&self) -> Option<&str> {
        self.criterion
    }

    /// What was proved: `consistent` or `violation`.
    #[getter]
    fn verdict(&self) -> &str {
        self.verdict
    }

    /// The number of steps of the run, the memory order or the proof.
    #[getter]
    fn steps(&self) -> usize {
        self.steps
    }

    fn __repr__(&self) -> String {
        let about = self.criterion.unwrap_or(self.model);
        format!("<rubric.Verified: {} {about}, {} steps>", self.verdict, self.steps)
    }
}

/// Checks that a certificate (its text, or a path of its file) proves a verdict on a history. No code of the engines takes part. Raises
/// `CertificateError` if it does not.
///
/// >>> import rubric
/// >>> history = rubric.simulate("MI_example", seed=3, operations=50).history
/// >>> verdict = history.check("sc")
/// >>> rubric.verify(history, verdict.certificate).verdict
/// 'consistent'
/// >>> rubric.verify(rubric.parse("0: M[0] := 1"), verdict.certificate)  # doctest: +ELLIPSIS
/// Traceback (most recent call last):
///     ...
/// rubric.CertificateError: the certificate is refused: ...
#[pyfunction]
#[pyo3(signature = (history, certificate))]
pub(crate) fn verify(
    py: Python<'_>,
    history: &Bound<'_, History>,
    certificate: &Bound<'_, PyAny>,
) -> PyResult<Verified> {
    let text = match certificate.extract::<String>() {
        // A certificate has several lines, and the path of a file has one.
        Ok(text) if text.contains('\n') => text,
        _ => {
            host::inputs::read_text(&certificate.extract::<PathBuf>()?, LARGEST_CERTIFICATE_BYTES)?
        }
    };
    verified(py, &history.get().operations, text)
}

/// Verifies the text of a certificate, without Python's lock.
pub(crate) fn verified(
    py: Python<'_>,
    history: &Arc<Operations>,
    text: String,
) -> PyResult<Verified> {
    let history = Arc::clone(history);
    call::run(py, move |_| {
        let certificate = certificate::read(text.as_bytes()).map_err(|error| {
            CertificateError::new_err(format!("the certificate is refused: {error}"))
        })?;
        let verified = ::certify::verify::verify(&history, &certificate).map_err(rejected)?;
        let (verdict, criterion, steps) = match verified {
            rubric::Verified::Consistent { steps } => ("consistent", None, steps),
            rubric::Verified::Violation { steps } => ("violation", None, steps),
            rubric::Verified::CriterionViolation { criterion, steps } => {
                ("violation", Some(criterion.name()), steps)
            }
        };
        Ok(Verified { model: certificate.claim.model.name(), criterion, verdict, steps })
    })?
}
