//! Parses initial values as the user gives them.

use std::path::Path;

use history::Initial;
use host::inputs::{self, LARGEST_TEXT_BYTES};

use crate::error::Error;

/// Parses `zero`, `infer`, or the path of a file of lines `ADDRESS VALUE`.
///
/// # Errors
/// Returns an error if the file cannot be read or one of its lines cannot be parsed.
pub(crate) fn parse(text: &str) -> Result<Initial, Error> {
    match text {
        "zero" => Ok(Initial::Zero),
        "infer" => Ok(Initial::Infer),
        path => read(path),
    }
}

fn read(path: &str) -> Result<Initial, Error> {
    let bytes = inputs::read(Path::new(path), LARGEST_TEXT_BYTES).map_err(|error| {
        Error::Usage(format!(
            "--initial {path}: {error}: expected zero, infer or a file of lines `ADDRESS VALUE`"
        ))
    })?;
    let values = ingest::initial::parse(&String::from_utf8_lossy(&bytes));
    values.map(Initial::Given).map_err(|wrong| Error::Line {
        file: path.to_owned(),
        line: wrong.line,
        what: wrong.what,
    })
}
