//! Recognises the kind of table that a Parquet file holds.

use std::fs::File;
use std::path::Path;

use crate::TableError;
use crate::decode::Wanted;

/// A kind of table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Trials of experiments.
    Trials,
    /// Runs of a campaign.
    Runs,
    /// Mutants that are equivalent to their protocol.
    Equivalents,
    /// Transitions of the protocols of a campaign, with how often they were taken.
    Coverage,
    /// Runs on rubric's simulator and in gem5.
    Fidelity,
    /// Transitions, with how often the simulator and gem5 took them.
    TransitionPairs,
    /// Verdicts on traces.
    Verdicts,
}

/// Returns the kind of table in a file, by its columns; `None` if it is of no known kind.
///
/// # Errors
/// Returns an error if the file cannot be read or is damaged.
pub fn kind(path: &Path) -> Result<Option<TableKind>, TableError> {
    let mut file = File::open(path).map_err(TableError::io(path))?;
    let wanted =
        Wanted::of(path, &mut file, None).map_err(|error| error.made_by("rubric experiment"))?;
    let has = |names: &[&str]| names.iter().all(|name| wanted.columns.contains(name));
    Ok(match () {
        () if has(&["experiment", "said"]) => Some(TableKind::Trials),
        () if has(&["place", "finder", "outcome"]) => Some(TableKind::Fidelity),
        () if has(&["event", "simulator", "gem5"]) => Some(TableKind::TransitionPairs),
        () if has(&["file", "verdict", "decided_by"]) => Some(TableKind::Verdicts),
        () if has(&["lineage", "outcome"]) => Some(TableKind::Runs),
        () if has(&["mutant", "kind", "reason"]) => Some(TableKind::Equivalents),
        () if has(&["machine", "event", "count"]) => Some(TableKind::Coverage),
        () => None,
    })
}
