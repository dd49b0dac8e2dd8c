//! An entry of the transition table by names, which are the same in every version of a protocol.

use std::fmt;

/// An entry of the transition table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableEntry {
    /// Name of the machine.
    pub machine: String,
    /// The state before the transition.
    pub state: String,
    /// Name of the event.
    pub event: String,
}

impl TableEntry {
    /// Creates an entry from its names.
    pub fn new(machine: &str, state: &str, event: &str) -> TableEntry {
        let [machine, state, event] = [machine, state, event].map(str::to_owned);
        TableEntry { machine, state, event }
    }
}

impl fmt::Display for TableEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}.{}", self.machine, self.state, self.event)
    }
}
