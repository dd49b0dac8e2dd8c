//! What stops a simulation before its end.

use std::fmt;

use slicc::source::Span;

use crate::ruby::Misuse;
use crate::sequencer;

/// What a piece of code ran into.
#[derive(Clone, Debug)]
pub(super) enum Trap {
    /// No transition for the state and the event.
    NoTransition { state: u16, event: u16 },
    /// `error(...)`; the number of the text.
    Error(u64),
    /// `assert(...)`
    Assert,
    /// A pointer that should not be null.
    Null,
    /// A library object was used in a way that makes no sense.
    Misuse(Misuse),
    /// So was a sequencer.
    Sequencer(sequencer::Misuse),
    /// Anything else.
    Other(&'static str),
    /// A function that needs something that is not simulated.
    Unsupported(&'static str),
}

impl Trap {
    pub(super) const EMPTY: Trap = Trap::Other("a peek into an empty buffer");
    pub(super) const WRONG_MESSAGE: Trap =
        Trap::Other("executed a peek statement with the wrong message type specified");
}

impl From<Misuse> for Trap {
    fn from(misuse: Misuse) -> Trap {
        Trap::Misuse(misuse)
    }
}

impl From<sequencer::Misuse> for Trap {
    fn from(misuse: sequencer::Misuse) -> Trap {
        Trap::Sequencer(misuse)
    }
}

/// What sort of fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// An event came up in a state that has no transition for it.
    InvalidTransition,
    /// The protocol called `error`.
    Error,
    /// An assertion failed.
    Assertion,
    /// The protocol used a pointer that is null, or an object of the library in a way that makes no sense.
    Misuse,
    /// Nothing moves any more, or nothing useful.
    Deadlock,
    /// The run came to its end, and no operation completed.
    NothingCompleted,
    /// The trace could not be written.
    Output,
}

impl FaultKind {
    /// A short name.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::InvalidTransition => "invalid transition",
            FaultKind::Error => "protocol error",
            FaultKind::Assertion => "failed assertion",
            FaultKind::Misuse => "misuse",
            FaultKind::Deadlock => "deadlock",
            FaultKind::NothingCompleted => "nothing completed",
            FaultKind::Output => "output",
        }
    }
}

/// Why a simulation stopped before its end.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What sort of fault it is.
    pub kind: FaultKind,
    /// What happened, in gem5's words where it has any.
    pub message: String,
    /// When.
    pub tick: u64,
    /// The controller that was running, such as `L1Cache 3`.
    pub controller: Option<String>,
    /// The line that it was about.
    pub address: Option<u64>,
    /// Where in the protocol.
    pub span: Option<Span>,
    /// The last transitions and messages for that line, the oldest first.
    pub recent: Vec<String>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
