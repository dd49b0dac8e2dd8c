//! Output files.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::error::Error;

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

/// An error of the file system, about a file.
pub fn failed(path: &Path) -> impl Fn(io::Error) -> Error {
    let file = path.display().to_string();
    move |error| Error::File {
        file: file.clone(),
        error,
    }
}
