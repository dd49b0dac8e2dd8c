//! Output files.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::error::Error;

/// Writes a file with `write`; if that fails, what was written of it is removed.
pub fn create(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Error>,
) -> Result<(), Error> {
    let failed = |error| Error::File {
        file: path.display().to_string(),
        error,
    };
    let mut out = BufWriter::new(File::create(path).map_err(failed)?);
    let written = write(&mut out).and_then(|()| out.flush().map_err(failed));
    drop(out);
    match written {
        Err(error) => {
            if path.is_file() {
                // The error that matters is the first one.
                let _ = fs::remove_file(path);
            }
            // A file has no reader that could go away.
            Err(match error {
                Error::Output(error) => failed(error),
                error => error,
            })
        }
        Ok(()) => Ok(()),
    }
}
