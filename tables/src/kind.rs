//! What a Parquet file is a table of.

use std::fs::File;
use std::path::Path;

use crate::TableError;
use crate::guard::{guarded, reader};

/// A kind of table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Trials of experiments.
    Trials,
    /// Runs of a campaign.
    Runs,
    /// Mutants that cannot differ from their protocol.
    Equivalents,
    /// Transitions that were taken.
    Coverage,
}

/// What a file is a table of, by its columns; none if it is neither of these.
///
/// # Errors
/// A file that cannot be read or is damaged.
pub fn kind(path: &Path) -> Result<Option<Table>, TableError> {
    let file = File::open(path).map_err(TableError::io(path))?;
    let schema = guarded(path, || reader(file).schema())
        .map_err(|error| error.made_by("rubric experiment"))?;
    let has = |names: &[&str]| names.iter().all(|name| schema.contains(name));
    Ok(match () {
        () if has(&["experiment", "said"]) => Some(Table::Trials),
        () if has(&["lineage", "outcome"]) => Some(Table::Runs),
        () if has(&["mutant", "kind", "reason"]) => Some(Table::Equivalents),
        () if has(&["machine", "event", "count"]) => Some(Table::Coverage),
        () => None,
    })
}
