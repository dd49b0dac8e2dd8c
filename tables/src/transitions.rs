//! The table of controller transitions.

use std::path::Path;

use ingest::Transition;
use polars_core::prelude::{Column, DataFrame, PolarsResult};

use crate::TableError;
use crate::write::{ROWS_IN_MEMORY, create};

/// Writes transitions as a table, in the order given.
///
/// # Errors
/// Returns an error if the file cannot be written; what was written of it is removed.
pub fn write_transitions<'a>(
    path: &Path,
    transitions: impl IntoIterator<Item = Transition<'a>>,
) -> Result<(), TableError> {
    let mut rows = transitions.into_iter();
    let mut first = true;
    let pieces = std::iter::from_fn(|| {
        let piece: Vec<Transition<'a>> = rows.by_ref().take(ROWS_IN_MEMORY).collect();
        let wanted = first || !piece.is_empty();
        first = false;
        wanted.then(|| frame(&piece))
    });
    create(path, None, pieces)
}

fn frame(rows: &[Transition<'_>]) -> PolarsResult<DataFrame> {
    let numbers = |name: &str, of: fn(&Transition<'_>) -> u64| {
        Column::new(name.into(), rows.iter().map(of).collect::<Vec<u64>>())
    };
    let version: Vec<u32> = rows.iter().map(|row| row.version).collect();
    let text = |name: &str, of: for<'t> fn(&Transition<'t>) -> &'t str| {
        Column::new(name.into(), rows.iter().map(of).collect::<Vec<&str>>())
    };
    DataFrame::new_infer_height(vec![
        numbers("tick", |row| row.tick),
        text("machine", |row| row.machine),
        Column::new("version".into(), version),
        text("event", |row| row.event),
        text("state", |row| row.state),
        text("next_state", |row| row.next_state),
        numbers("address", |row| row.address),
        numbers("line", |row| u64::from(row.line)),
    ])
}
