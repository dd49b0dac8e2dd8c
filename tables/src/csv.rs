//! Rows as CSV.

use std::io;
use std::path::Path;

use serde::Serialize;

use host::files;

/// Writes rows as CSV to `out` under a heading with the names of their fields.
///
/// # Errors
/// Returns the error of `out`.
pub fn csv_to(rows: &[impl Serialize], out: impl io::Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    for row in rows {
        table.serialize(row)?;
    }
    table.flush()
}

/// Writes rows as CSV under a heading with the names of their fields.
///
/// # Errors
/// Returns an error if the file cannot be written; an earlier file stays as it was.
pub fn write_csv(rows: &[impl Serialize], path: &Path) -> io::Result<()> {
    files::create(path, |error| error, |file| csv_to(rows, file))
}
