//! The table of transitions that runs of protocols took.

use std::path::Path;

use crate::TableError;
use crate::records::{Field, Record, read_records, write_records};

/// How often a transition was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The protocol.
    pub protocol: String,
    /// The machine.
    pub machine: String,
    /// The state in which the event came.
    pub state: String,
    /// The event.
    pub event: String,
    /// Whether the machine stalls the event in this state, which then waits.
    pub stalls: bool,
    /// How often it was taken, or stalled; 0 if the machine has the transition and no run came to it.
    pub count: u64,
    /// Why no run comes to it, if a reason is known. Of protocols that are not built in none is.
    pub unreached: Option<String>,
}

impl Record for Coverage {
    const TABLE: &'static str = "a table of coverage";
    const MADE_BY: &'static str = "rubric campaign";
    const NEWER: &'static [&'static str] = &["unreached"];

    fn fields(&mut self) -> Vec<(&'static str, Field<'_>)> {
        use Field::{Flag, Number, Text, TextOrNull};
        vec![
            ("protocol", Text(&mut self.protocol)),
            ("machine", Text(&mut self.machine)),
            ("state", Text(&mut self.state)),
            ("event", Text(&mut self.event)),
            ("stalls", Flag(&mut self.stalls)),
            ("count", Number(&mut self.count)),
            ("unreached", TextOrNull(&mut self.unreached)),
        ]
    }
}

/// Writes coverage as a table, in the order given.
///
/// # Errors
/// If the file cannot be written; what was written of it is removed.
pub fn write_coverage(path: &Path, rows: &[Coverage]) -> Result<(), TableError> {
    write_records(path, rows)
}

/// Reads what [`write_coverage`] wrote.
///
/// # Errors
/// A file that cannot be read, is damaged, or lacks columns or values.
pub fn read_coverage(path: &Path) -> Result<Vec<Coverage>, TableError> {
    read_records(path)
}
