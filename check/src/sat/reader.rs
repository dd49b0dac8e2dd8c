//! [`Reader`]: what reads a value that may come from several writes.

use crate::engine::events::{Events, INITIAL};
use certify::certificate::Node;

/// A read, or the final value of a location, that has several candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// An event.
    Event(u32),
    /// The end of a run, by location.
    Final(u32),
}

impl Reader {
    /// The node of the reader: a read, or the end of a location.
    pub fn node(self, events: &Events) -> Node {
        match self {
            Reader::Event(event) => Node::Op(events.op[event as usize]),
            Reader::Final(location) => Node::Final(location),
        }
    }

    /// The node of a source of the reader: an event, or [`INITIAL`].
    pub fn source_node(self, events: &Events, source: u32) -> Node {
        match (self, source) {
            (Reader::Event(read), INITIAL) => Node::Initial(events.location[read as usize]),
            (Reader::Final(location), INITIAL) => Node::Initial(location),
            _ => Node::Op(events.op[source as usize]),
        }
    }
}
