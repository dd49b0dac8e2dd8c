//! Rows as CSV.

use std::io;
use std::path::Path;

use serde::Serialize;

use crate::files;

/// Writes rows as CSV under a heading with the names of their fields.
///
/// # Errors
/// Returns an error if the file cannot be written; an earlier file stays as it was.
pub fn write_csv(rows: &[impl Serialize], path: &Path) -> io::Result<()> {
    files::create(
        path,
        |error| error,
        |file| {
            let mut table = csv::Writer::from_writer(file);
            for row in rows {
                table.serialize(row)?;
            }
            table.flush()
        },
    )
}
