//! Output files: checks of their names, and writing them whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Refuses a file name whose ending belongs to another format than the one that is written; `endings` are the accepted ones. The name
/// of a device such as `/dev/stdout` is accepted.
///
/// # Errors
/// Returns an error if the name has another ending; `expected` says in it which ending was expected, and what else to do.
pub(crate) fn check_ending(
    option: &str,
    path: &Path,
    endings: &[&str],
    expected: &str,
) -> Result<(), Error> {
    let fits = ending(path).is_some_and(|it| endings.contains(&&*it));
    let is_special = path.exists() && !path.is_file() && !path.is_dir();
    if fits || is_special {
        return Ok(());
    }
    let path = path.display();
    Err(Error::Usage(format!("{option} {path}: a name that ends in {expected}")))
}

/// The part of a name after its last dot, in lower case.
pub(crate) fn ending(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// Refuses outputs that are inputs, before any work is done. `inputs` are those that were not opened yet. Whatever turns out to be an input
/// later, such as a file that another one includes, [`create`] still refuses.
///
/// # Errors
/// Returns an error if an output is an input.
pub(crate) fn spare<'a>(
    inputs: impl IntoIterator<Item = &'a PathBuf>,
    outputs: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<(), Error> {
    inputs.into_iter().for_each(|input| host::inputs::declare(input));
    outputs
        .into_iter()
        .try_for_each(|output| host::files::check_no_input(output).map_err(failed(output)))
}

/// Checks that a file can be written, without touching it.
///
/// # Errors
/// Returns an error if it cannot be written.
pub(crate) fn check_writable(path: &Path) -> Result<(), Error> {
    host::files::check_writable(path).map_err(failed(path))
}

/// Writes a file with `write`. If that fails, an earlier file of that name stays as it was.
///
/// # Errors
/// Returns the error of `write`, or an error if the file cannot be written.
pub(crate) fn create(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Error>,
) -> Result<(), Error> {
    let failed = |error| Error::File { file: path.display().to_string(), error };
    host::files::create(path, failed, |file| {
        let mut out = BufWriter::new(file);
        match write(&mut out) {
            // A file is not a pipe, so every failure is an error.
            Err(Error::Output(error)) => Err(failed(error)),
            written => written.and_then(|()| out.flush().map_err(failed)),
        }
    })
}

/// An error of the file system, with the name of the file.
pub(crate) fn failed(path: &Path) -> impl Fn(io::Error) -> Error {
    let file = path.display().to_string();
    move |error| Error::File { file: file.clone(), error }
}
