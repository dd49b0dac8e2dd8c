//! How the faults of the named mutants show, as it was tried once for each: the rows of `mutants.csv`.

use serde::Deserialize;

/// A way to see the fault of a named mutant, or the reason why there is none: a row of the table.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedEffect {
    /// The mutant.
    pub mutant: String,
    /// The kind of core; empty for the default, or if there is a reason.
    pub client: String,
    /// Options of `rubric simulate`.
    pub options: String,
    /// What the run shows, such as `deadlock` or `SC violation`; empty if there is a reason.
    pub effect: String,
    /// The first seed that shows it.
    pub seed: String,
    /// The reason why nothing shows it; empty if something does.
    pub why: String,
}

/// The rows of the table; a mutant may have several.
///
/// # Errors
/// Returns an error if a row of the table cannot be read. The table is part of the program, and a test reads it.
pub fn named_effects() -> Result<Vec<NamedEffect>, csv::Error> {
    csv::Reader::from_reader(fixtures::NAMED_EFFECTS.as_bytes()).into_deserialize().collect()
}
