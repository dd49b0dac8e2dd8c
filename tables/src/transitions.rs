//! The table of controller transitions.

use std::path::Path;

use ingest::Transition;
use polars_arrow::record_batch::RecordBatch;

use crate::TableError;
use crate::batch::Batch;
use crate::write::{ROWS_IN_MEMORY, create};

/// Writes transitions as a table, in the order given, each with the number of its history.
///
/// # Errors
/// Returns an error if the file cannot be written; what was written of it is removed.
pub fn write_transitions<'a>(
    path: &Path,
    transitions: impl IntoIterator<Item = (u32, Transition<'a>)>,
) -> Result<(), TableError> {
    create(path, None, pieces(transitions.into_iter()))
}

/// The table in pieces, at least one so that there is a schema.
pub(super) fn pieces<'a>(
    mut rows: impl Iterator<Item = (u32, Transition<'a>)>,
) -> impl Iterator<Item = RecordBatch> {
    let mut first = true;
    std::iter::from_fn(move || {
        let piece: Vec<(u32, Transition<'a>)> = rows.by_ref().take(ROWS_IN_MEMORY).collect();
        let wanted = first || !piece.is_empty();
        first = false;
        wanted.then(|| batch(&piece))
    })
}

fn batch(rows: &[(u32, Transition<'_>)]) -> RecordBatch {
    let mut batch = Batch::default();
    macro_rules! column {
        ($name:literal, $of:expr) => {
            batch.push($name, rows.iter().map($of).map(Some))
        };
    }
    column!("history", |row| row.0);
    column!("tick", |row| row.1.tick);
    column!("machine", |row| row.1.machine);
    column!("version", |row| row.1.version);
    column!("event", |row| row.1.event);
    column!("state", |row| row.1.state);
    column!("next_state", |row| row.1.next_state);
    column!("address", |row| row.1.address);
    column!("line", |row| u64::from(row.1.line));
    batch.finish()
}
