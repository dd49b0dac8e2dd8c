//! The table of transitions that runs of protocols took.

use crate::records::{Cell, Record, fields, table};

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

    fn fields(&mut self) -> Vec<(&'static str, &mut dyn Cell)> {
        fields!(self:
            protocol machine state event stalls count unreached
        )
    }
}

table!(Coverage: write_coverage read_coverage);
