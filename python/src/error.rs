//! The exceptions of the package, with rubric's messages.

use certify::verify::Rejection;
use lab::Refusal;
use lab::text::tame;
use pyo3::exceptions::PyException;
use pyo3::{PyErr, create_exception};

create_exception!(
    rubric,
    Error,
    PyException,
    "What rubric cannot do, and what to do about it. The base of its other exceptions."
);
create_exception!(rubric, InputError, Error, "A trace, a table or a litmus test cannot be read.");
create_exception!(
    rubric,
    CertificateError,
    Error,
    "A certificate cannot be read, or does not prove what it claims."
);
create_exception!(
    rubric,
    ProtocolError,
    Error,
    "A protocol, a mutant or a repair does not exist or cannot be used."
);

/// The exception for an error of `lab`.
pub(crate) fn lab(error: lab::Error) -> PyErr {
    let message = error.to_string();
    match error {
        lab::Error::Input(_) | lab::Error::Table(_) => InputError::new_err(message),
        lab::Error::Protocol(refusal) => ProtocolError::new_err(refused(&refusal)),
        lab::Error::NoMutant { .. }
        | lab::Error::OtherMutant { .. }
        | lab::Error::NoRepair { .. }
        | lab::Error::OtherRepair { .. } => ProtocolError::new_err(message),
        _ => Error::new_err(message),
    }
}

/// The messages about a protocol, each with its place.
fn refused(refusal: &Refusal) -> String {
    if !refusal.is_about_files() {
        return refusal.to_string();
    }
    let lines = refusal.diagnostics.iter().map(|one| {
        let place = one.span.map(|span| {
            let (path, line, column) = refusal.sources.position(span);
            format!("{}:{line}:{column}: ", path.display())
        });
        let hint = one.hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default();
        tame(&format!("{}{}{hint}", place.unwrap_or_default(), one.message))
    });
    format!("{} cannot be used:\n{}", refusal.given, lines.collect::<Vec<_>>().join("\n"))
}

/// The exception for a certificate that is refused.
pub(crate) fn rejected(rejection: Rejection) -> PyErr {
    CertificateError::new_err(format!("the certificate is refused: {rejection}"))
}
