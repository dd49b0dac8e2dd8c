//! Runs the program of one thread in all ways that it can go, whatever its loads return.
//!
//! What a load returns stays unknown: registers hold [expressions](crate::expression) over it. Where the
//! program's course depends on one, at a branch, a computed address, a compare-and-swap or a
//! store-conditional, the run forks, and each [`Path`] records as [`Constraint`]s what must be true for
//! it. Loops are unrolled a bounded number of times; a path that would go on is kept, with
//! [`End::LoopLimit`], to find out whether it can happen.
//!
//! [`Event`]s carry dependencies as bits of earlier events of the thread. As in herd, a dependency goes
//! through registers, even where the value does not matter (`xor x5,x5,x5`), but not through constants.
//! AArch64's *pick* dependencies, through the condition of `CSEL` or the comparison of `CAS`, are kept
//! apart, since they order writes only. An address that was picked acts on later writes as a branch does.

mod atomic;
mod code;
mod run;

use history::{Annotation, Kind};

use crate::expression::{Expression, Expressions};
use crate::isa::{Register, Width};
use crate::value::Location;

pub use code::Unfolding;
pub(crate) use run::unfold;

/// All ways in which the program of a thread can go.
#[derive(Clone, Debug)]
pub struct Unfolded {
    /// The ways.
    pub paths: Vec<Path>,
    /// The expressions that the paths speak of.
    pub expressions: Expressions,
}

/// One way in which the program of a thread can go.
#[derive(Clone, Debug)]
pub struct Path {
    /// The accesses and fences, in program order.
    pub events: Vec<Event>,
    /// What must be true for the thread to go this way.
    pub constraints: Vec<Constraint>,
    /// The registers that were set, with their last values.
    pub registers: Vec<(Register, Expression)>,
    /// How the path ends.
    pub end: End,
}

/// What must be true for a thread to go a certain way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// The expression that is or is not zero.
    pub condition: Expression,
    /// Whether it is not zero.
    pub holds: bool,
    /// The line of the instruction, from 1.
    pub line: usize,
}

/// How a path ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The program ended.
    Program,
    /// A loop was left unfinished; the line is that of its branch.
    LoopLimit(usize),
    /// The instruction on this line accesses an address that is not that of a location.
    UnknownAddress(usize),
}

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// Reads a location.
    Read,
    /// Writes a location.
    Write,
    /// Reads a location and writes it, with nothing in between.
    Update,
    /// Reads a location for an update that did not come about, as a failed compare-and-swap of x86.
    FailedUpdate,
    /// A fence.
    Fence(Kind),
}

impl EventKind {
    /// Whether the event reads memory.
    pub fn reads(self) -> bool {
        matches!(self, EventKind::Read | EventKind::Update | EventKind::FailedUpdate)
    }

    /// Whether the event writes memory.
    pub fn writes(self) -> bool {
        matches!(self, EventKind::Write | EventKind::Update)
    }
}

/// The instructions that an event's read or write belongs to, if they are a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// None: the access stands alone.
    Alone,
    /// A load that opens a reservation, or a store-conditional.
    Exclusive,
    /// The read or the write of one atomic instruction.
    Instruction,
}

/// An access of memory, or a fence.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// What it does.
    pub kind: EventKind,
    /// The location, for an access.
    pub location: Option<Location>,
    /// The bits that are accessed.
    pub width: Width,
    /// Acquire or release.
    pub annotation: Annotation,
    /// The instructions that it belongs to, if they are a pair.
    pub pairing: Pairing,
    /// The read of the pair, for a write that belongs to one.
    pub pair: Option<u8>,
    /// The earlier events that the address depends on, as bits.
    pub address: u64,
    /// The earlier events that the value written depends on.
    pub data: u64,
    /// The earlier events that earlier branches depend on.
    pub control: u64,
    /// The earlier events that the value written depends on through a choice between values.
    pub choice: u64,
    /// The value written.
    pub written: Option<Expression>,
    /// The line of the instruction, from 1.
    pub line: usize,
}
