//! Output files, and what is in a folder.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::journal::failed;

/// Refuses the name of an output that says another format than the one that is written: `endings` are those that fit. What is there
/// and no file, such as `/dev/stdout`, has no name that says anything.
///
/// # Errors
/// The name ends otherwise; `expected` says what was expected instead, and what else to do.
pub fn check_ending(
    option: &str,
    path: &Path,
    endings: &[&str],
    expected: &str,
) -> Result<(), Error> {
    let fits = ending(path).is_some_and(|it| endings.contains(&&*it));
    let is_special = path.exists() && !path.is_file() && !path.is_dir();
    match fits || is_special {
        true => Ok(()),
        false => Err(Error::Usage(format!(
            "{option} {}: a name that ends in {expected}",
            path.display()
        ))),
    }
}

/// What stands behind the last dot of a name, in small letters.
pub fn ending(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// Writes a file with `write`; if that fails, what was there before stays.
pub fn create(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Error>,
) -> Result<(), Error> {
    let failed = |error| Error::File {
        file: path.display().to_string(),
        error,
    };
    tables::files::create(path, failed, |file| {
        let mut out = BufWriter::new(file);
        match write(&mut out) {
            // A file has no reader that could go away.
            Err(Error::Output(error)) => Err(failed(error)),
            written => written.and_then(|()| out.flush().map_err(failed)),
        }
    })
}

/// The files of a folder and of folders in it, in the order of their names.
///
/// # Errors
/// A folder cannot be read.
pub fn below(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for path in list(folder)? {
        match path.is_dir() {
            true => files.extend(below(&path)?),
            false => files.push(path),
        }
    }
    Ok(files)
}

/// What is in a folder, by name.
///
/// # Errors
/// It cannot be read.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = std::fs::read_dir(folder).map_err(failed(folder))?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths
        .collect::<io::Result<Vec<PathBuf>>>()
        .map_err(failed(folder))?;
    paths.sort();
    Ok(paths)
}
