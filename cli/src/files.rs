//! Output files.

use std::io::{BufWriter, Write};
use std::path::Path;

use crate::error::Error;

/// Writes a file with `write`; if that fails, what was there before stays.
pub fn create(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Error>,
) -> Result<(), Error> {
    let failed = |error| Error::File {
        file: path.display().to_string(),
        error,
    };
    report::files::create(path, failed, |file| {
        let mut out = BufWriter::new(file);
        match write(&mut out) {
            // A file has no reader that could go away.
            Err(Error::Output(error)) => Err(failed(error)),
            written => written.and_then(|()| out.flush().map_err(failed)),
        }
    })
}
