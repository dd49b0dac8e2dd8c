//! The table of equivalent mutants.

use std::path::Path;

use crate::TableError;
use crate::records::{Field, Record, read_records, write_records};

/// A mutant that cannot change what its protocol does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Equivalent {
    /// The protocol.
    pub protocol: String,
    /// Id of the mutant.
    pub mutant: String,
    /// What made it.
    pub operator: String,
    /// A word for how it is known, such as `commuting`.
    pub kind: String,
    /// How it is known that it changes nothing.
    pub reason: String,
}

impl Record for Equivalent {
    const TABLE: &'static str = "a table of equivalent mutants";
    const MADE_BY: &'static str = "rubric campaign";

    fn fields(&mut self) -> Vec<(&'static str, Field<'_>)> {
        use Field::Text;
        vec![
            ("protocol", Text(&mut self.protocol)),
            ("mutant", Text(&mut self.mutant)),
            ("operator", Text(&mut self.operator)),
            ("kind", Text(&mut self.kind)),
            ("reason", Text(&mut self.reason)),
        ]
    }
}

/// Writes equivalent mutants as a table, in the order given.
///
/// # Errors
/// If the file cannot be written; what was written of it is removed.
pub fn write_equivalents(path: &Path, rows: &[Equivalent]) -> Result<(), TableError> {
    write_records(path, rows)
}

/// Reads what [`write_equivalents`] wrote.
///
/// # Errors
/// A file that cannot be read, is damaged, or lacks columns or values.
pub fn read_equivalents(path: &Path) -> Result<Vec<Equivalent>, TableError> {
    read_records(path)
}
