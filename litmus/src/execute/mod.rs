//! Unfolds the program of one thread into all paths that it can take, whatever its loads return.
//!
//! The value that a load returns stays unknown: registers hold [expressions](crate::expression) over it. Where the
//! course of the program depends on such a value, at a branch, a computed address, a compare-and-swap or a
//! store-conditional, the run forks, and each [`Path`] records its conditions as [`Constraint`]s. Loops are unrolled
//! a bounded number of times; a path that would continue beyond the bound is kept, with [`End::LoopLimit`], to find
//! out whether it is possible.
//!
//! [`Event`]s carry dependencies as bits of earlier events of the thread. As in herd, a dependency goes
//! through registers, even where the value does not matter (`xor x5,x5,x5`), but not through constants.
//! AArch64's *pick* dependencies, through the condition of `CSEL` or the comparison of `CAS`, are kept
//! apart, since they order writes only. An address that was picked acts on later writes as a branch does.

mod access;
mod atomic;
mod code;
mod jumps;
mod run;

use history::{Annotation, Kind};

use crate::expression::{Expression, Expressions};
use crate::isa::{Register, Width};
use crate::value::Location;

pub(crate) use code::Unfolding;
pub(crate) use run::unfold;

/// All paths that the program of a thread can take.
#[derive(Clone, Debug)]
pub(crate) struct Unfolded {
    pub paths: Vec<Path>,
    /// The expressions that the paths refer to.
    pub expressions: Expressions,
}

/// One path that the program of a thread can take.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    /// The accesses and fences, in program order.
    pub events: Vec<Event>,
    /// The conditions under which the thread takes this path.
    pub constraints: Vec<Constraint>,
    /// The registers that were set, with their last values.
    pub registers: Vec<(Register, Expression)>,
    /// How the path ends.
    pub end: End,
}

/// A condition under which a thread takes a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Constraint {
    /// The expression that is compared with zero.
    pub condition: Expression,
    /// Whether the expression must be nonzero; if false, it must be zero.
    pub holds: bool,
    /// The line of the instruction, from 1.
    pub line: usize,
}

/// How a path ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The program ended.
    Program,
    /// A loop was left unfinished; the line is that of its branch.
    LoopLimit(usize),
    /// The instruction on this line accesses an address that is not that of a location.
    UnknownAddress(usize),
}

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventKind {
    /// Reads a location.
    Read,
    /// Writes a location.
    Write,
    /// Reads a location and writes it, with nothing in between.
    Update,
    /// Reads a location for an update that writes nothing, such as a failed compare-and-swap of x86.
    FailedUpdate,
    Fence(Kind),
}

impl EventKind {
    /// Whether the event reads memory.
    pub(crate) fn reads(self) -> bool {
        matches!(self, EventKind::Read | EventKind::Update | EventKind::FailedUpdate)
    }

    /// Whether the event writes memory.
    pub(crate) fn writes(self) -> bool {
        matches!(self, EventKind::Write | EventKind::Update)
    }
}

/// The kind of pair of a read and a write that an event belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pairing {
    /// No pair: the access stands alone.
    Alone,
    /// A load that opens a reservation, or a store-conditional.
    Exclusive,
    /// The read or the write of one atomic instruction.
    Instruction,
}

/// An access of memory, or a fence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub kind: EventKind,
    /// The location, for an access.
    pub location: Option<Location>,
    /// The number of bytes of the location before those that are accessed.
    pub offset: u16,
    /// The number of bits that are accessed, and how a load extends them.
    pub width: Width,
    /// Whether the access acquires or releases.
    pub annotation: Annotation,
    /// The kind of pair that the access belongs to.
    pub pairing: Pairing,
    /// The read of the pair, for a write that belongs to one.
    pub pair: Option<u8>,
    /// The first event of the instruction, if the instruction has several accesses that are in no order.
    pub group: Option<u8>,
    /// The earlier events that the address depends on, as bits.
    pub address: u64,
    /// The earlier events that the value written depends on, as bits.
    pub data: u64,
    /// The earlier events that earlier branches depend on, as bits.
    pub control: u64,
    /// The earlier events that the value written depends on through a choice between values, as bits.
    pub choice: u64,
    /// The value written.
    pub written: Option<Expression>,
    /// The line of the instruction, from 1.
    pub line: usize,
}
