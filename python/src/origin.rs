//! [`Origin`]: where histories were read from.

use std::path::Path;

use host::inputs::FileId;
use ingest::Transitions;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The file that histories were read from, and how it was read.
pub struct Origin {
    /// The file, as it was given.
    pub file: String,
    /// Name of its format.
    pub format: &'static str,
    /// The options with which it was read, as words of a command line.
    pub arguments: String,
    /// The transitions of the protocol's controllers.
    pub transitions: Transitions,
    /// The file's identity, if histories were read from one: none of them is written over it.
    pub source: Option<FileId>,
}

/// Refuses to write over the file that a history was read from.
///
/// # Errors
/// Returns a `ValueError` if the path leads to that file.
pub(crate) fn spare(source: Option<FileId>, path: &Path) -> PyResult<()> {
    if source.is_none() || source != FileId::of(path) {
        return Ok(());
    }
    Err(PyValueError::new_err(format!(
        "{}: the history was read from this file, which may hold more: name another file",
        path.display()
    )))
}
