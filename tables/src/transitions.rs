//! The table of controller transitions.

use std::path::Path;

use ingest::Transition;
use polars_core::prelude::{Column, DataFrame, PolarsResult};

use crate::TableError;
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
) -> impl Iterator<Item = PolarsResult<DataFrame>> {
    let mut first = true;
    std::iter::from_fn(move || {
        let piece: Vec<(u32, Transition<'a>)> = rows.by_ref().take(ROWS_IN_MEMORY).collect();
        let wanted = first || !piece.is_empty();
        first = false;
        wanted.then(|| frame(&piece))
    })
}

fn frame(rows: &[(u32, Transition<'_>)]) -> PolarsResult<DataFrame> {
    let numbers = |name: &str, of: fn(&Transition<'_>) -> u64| {
        Column::new(name.into(), rows.iter().map(|(_, row)| of(row)).collect::<Vec<u64>>())
    };
    let history: Vec<u32> = rows.iter().map(|(history, _)| *history).collect();
    let version: Vec<u32> = rows.iter().map(|(_, row)| row.version).collect();
    let text = |name: &str, of: for<'t> fn(&Transition<'t>) -> &'t str| {
        Column::new(name.into(), rows.iter().map(|(_, row)| of(row)).collect::<Vec<&str>>())
    };
    DataFrame::new_infer_height(vec![
        Column::new("history".into(), history),
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
