//! [`Reader`]: a read or a final value that has several candidate sources.

use crate::engine::events::{Events, INITIAL};
use certify::certificate::Node;

/// A read or a final value that takes its value from one of several candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    /// A read, as an event.
    Event(u32),
    /// The final value of this location.
    Final(u32),
}

impl Reader {
    /// The node of the reader: a read, or the end of a location.
    pub(crate) fn node(self, events: &Events) -> Node {
        match self {
            Reader::Event(event) => Node::Op(events.op[event as usize]),
            Reader::Final(location) => Node::Final(location),
        }
    }

    /// The node of a source of the reader: an event, or [`INITIAL`].
    pub(crate) fn source_node(self, events: &Events, source: u32) -> Node {
        match (self, source) {
            (Reader::Event(read), INITIAL) => Node::Initial(events.location[read as usize]),
            (Reader::Final(location), INITIAL) => Node::Initial(location),
            _ => Node::Op(events.op[source as usize]),
        }
    }
}
