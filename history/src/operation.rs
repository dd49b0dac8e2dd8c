//! [`Operation`] and what identifies one: [`OpId`] and [`Thread`].

use crate::annotation::Annotation;
use crate::kind::Kind;

/// An operation, identified by its position in [`History`](crate::History)'s columns. Threads are contiguous and in
/// program order, so comparing two operations of one thread compares program order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpId(pub u32);

impl OpId {
    /// The position in a column.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

/// Marks a missing `u32` in a column.
pub(crate) const NONE32: u32 = u32::MAX;
/// Marks a missing `u64` in a column.
pub(crate) const NONE64: u64 = u64::MAX;

/// Which values of an operation are known, whether it continues an access, and its annotation, as the
/// bits of one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct OperationFlags(pub u8);

impl OperationFlags {
    pub(crate) const READ: u8 = 1;
    pub(crate) const WRITTEN: u8 = 2;
    pub(crate) const CONTINUES: u8 = 4;
    /// The lowest bit of the annotation's number.
    const ANNOTATION: u8 = 8;

    pub(crate) fn with(self, annotation: Annotation) -> OperationFlags {
        OperationFlags(
            self.0 % OperationFlags::ANNOTATION + OperationFlags::ANNOTATION * annotation as u8,
        )
    }

    pub(crate) fn annotation(self) -> Annotation {
        Annotation::ALL[usize::from(self.0 / OperationFlags::ANNOTATION)]
    }

    pub(crate) fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }
}

/// A thread: its number in the trace and its range of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thread {
    /// The number that the trace gives the thread.
    pub label: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Thread {
    /// The thread's first operation.
    pub fn first(&self) -> OpId {
        OpId(self.start)
    }

    /// One past the thread's last operation.
    pub fn end(&self) -> OpId {
        OpId(self.end)
    }
}

/// One operation, gathered from the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Number of the thread in the trace.
    pub thread: u32,
    /// Position in the thread's program order, from 0. The parts of a split access have the position of the access.
    pub index: u32,
    /// Kind of the operation.
    pub kind: Kind,
    /// Acquire or release annotation.
    pub annotation: Annotation,
    /// Index into [`History::locations`](crate::History::locations); `None` for a fence.
    pub location: Option<u32>,
    /// Value read; `None` if the operation does not read or the trace does not show the value.
    pub read: Option<u64>,
    /// Value written; `None` if the operation does not write or the trace does not show the value.
    pub written: Option<u64>,
    /// Tick at which the operation was issued.
    pub issued: Option<u64>,
    /// Tick at which the operation completed.
    pub completed: Option<u64>,
    /// Line of the trace that shows the operation.
    pub line: Option<u64>,
    /// Whether the operation is a further part of the access before it (see
    /// [`crate::Provenance::split`]).
    pub continues: bool,
}
