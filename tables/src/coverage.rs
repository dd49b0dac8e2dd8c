//! The table of transitions that runs of protocols took.

use crate::records::{Cell, Record, fields, table};

/// How often a transition was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The protocol.
    pub protocol: String,
    /// The machine of the protocol.
    pub machine: String,
    /// The state in which the event occurred.
    pub state: String,
    /// The event.
    pub event: String,
    /// Whether the machine stalls the event in this state.
    pub stalls: bool,
    /// How often the transition was taken or, if `stalls`, the event was stalled; 0 if no run reached it.
    pub count: u64,
    /// Why no run can reach it, if the reason is known; `None` for protocols that are not built in.
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
