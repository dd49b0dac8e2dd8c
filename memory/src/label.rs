//! [`Label`]: the properties of an operation that memory models depend on, besides its location.

use history::{Annotation, History, Kind, OpId};

/// An operation's kind and its acquire or release annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label {
    /// The operation's kind.
    pub kind: Kind,
    /// The operation's acquire or release annotation.
    pub annotation: Annotation,
}

impl Label {
    /// The label of an operation.
    pub fn of(history: &History, op: OpId) -> Label {
        Label { kind: history.kind(op), annotation: history.annotation(op) }
    }

    /// Whether the operation is a store, not a read-modify-write, with a release annotation.
    pub fn is_release_store(self) -> bool {
        self.kind.may_be_buffered() && self.annotation.releases()
    }

    /// Whether the operation is a read that every earlier release of its thread precedes.
    pub fn is_ordered_acquire(self) -> bool {
        self.kind.reads() && self.annotation.acquires_in_order()
    }
}

/// The label of an operation without an annotation.
impl From<Kind> for Label {
    fn from(kind: Kind) -> Label {
        Label { kind, annotation: Annotation::None }
    }
}
