//! The table `mutants.csv`: runs in which the fault of each named mutant shows, as they were tried once, or the reason
//! why none shows it.

use serde::Deserialize;

/// A way to see the fault of a named mutant, or the reason why there is none: a row of the table.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedEffect {
    /// Identifier of the mutant.
    pub mutant: String,
    /// The kind of core; empty for the default, or if nothing shows the fault.
    pub client: String,
    /// Options of `rubric simulate`.
    pub options: String,
    /// The effect that the run shows, such as `deadlock` or `SC violation`; empty if nothing shows the fault.
    pub effect: String,
    /// The first seed whose run shows the effect.
    pub seed: String,
    /// The reason why nothing shows the fault; empty if something does.
    pub why: String,
}

/// The rows of the table; a mutant may have several.
///
/// # Errors
/// Returns an error if a row of the table cannot be read. The table is part of the program, and a test reads it.
pub fn named_effects() -> Result<Vec<NamedEffect>, csv::Error> {
    csv::Reader::from_reader(fixtures::NAMED_EFFECTS.as_bytes()).into_deserialize().collect()
}
