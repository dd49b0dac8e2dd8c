//! The places whose content a repair overwrites.

use std::collections::BTreeSet;
use std::fmt;

use slicc::outline::TableEntry;

use super::clause::{BodyChange, Change, Place as At, PortChange, RowChange};
use super::fault::Fault;

/// A row of a table, or a port.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// A row, which need not exist.
    Row { machine: String, state: String, event: String },
    /// The port that reads a buffer.
    Port { machine: String, buffer: String },
}

impl Place {
    /// The machine.
    pub(crate) fn machine(&self) -> &str {
        match self {
            Place::Row { machine, .. } | Place::Port { machine, .. } => machine,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Row { machine, state, event } => write!(f, "{machine} ({state}, {event})"),
            Place::Port { machine, buffer } => write!(f, "{machine} port {buffer}"),
        }
    }
}

/// The places whose content a fault or a repair overwrites, each once. Places to which it only adds something are not among them.
pub(crate) fn places(fault: &Fault) -> BTreeSet<Place> {
    let mut places = BTreeSet::new();
    for clause in &fault.changes {
        let machine = &clause.machine;
        match &clause.change {
            Change::Rows(rows, change) if overwrites(change) => {
                places.extend(rows.needed.iter().chain(&rows.if_any).map(|(state, event)| {
                    let (machine, state, event) = (machine.clone(), state.clone(), event.clone());
                    Place::Row { machine, state, event }
                }));
            }
            Change::Port(buffer, PortChange::Do(_)) => {
                places.insert(Place::Port { machine: machine.clone(), buffer: buffer.clone() });
            }
            _ => {}
        }
    }
    places
}

/// The rows that a fault or a repair adds to the tables.
pub(crate) fn added(fault: &Fault) -> Vec<TableEntry> {
    let mut entries = Vec::new();
    for clause in &fault.changes {
        if let Change::Rows(rows, RowChange::Like(_) | RowChange::New { .. }) = &clause.change {
            let pairs = rows.needed.iter();
            let entry =
                |(state, event): &(String, String)| TableEntry::new(&clause.machine, state, event);
            entries.extend(pairs.map(entry));
        }
    }
    entries
}

/// Whether a change replaces something of a row that may be a user's own. What it names exactly, such as the expression that it replaces, is not
/// a user's own.
fn overwrites(change: &RowChange) -> bool {
    match change {
        RowChange::Add { .. } | RowChange::Move { .. } | RowChange::Read { .. } => false,
        RowChange::Do { place, .. } => matches!(place, At::Instead(_) | At::Alone),
        RowChange::In(_, change) => !matches!(change, BodyChange::First(_) | BodyChange::Last(_)),
        RowChange::Dropped
        | RowChange::Next(_)
        | RowChange::Stall
        | RowChange::Nothing
        | RowChange::Without(_)
        | RowChange::SetAside { .. }
        | RowChange::Take(_)
        | RowChange::Replace { .. }
        | RowChange::Like(_)
        | RowChange::SameAs(_)
        | RowChange::New { .. } => true,
    }
}
