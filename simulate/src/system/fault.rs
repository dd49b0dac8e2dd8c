//! The reasons why a simulation stops early.

use std::fmt;

use history::CrashKind;
use slicc::source::Span;

use crate::ruby::Misuse;
use crate::sequencer;

/// The condition that stops the code of a port or transition. [`System::fault`](super::System::fault) makes a [`Fault`]
/// of it.
#[derive(Clone, Debug)]
pub(super) enum Trap {
    /// There is no transition for the state and the event.
    NoTransition { state: u16, event: u16 },
    /// `error(...)`, with the index of the text.
    Error(u64),
    /// `assert(...)`
    Assert,
    /// A null pointer was followed.
    Null,
    /// A library object was used incorrectly.
    Misuse(Misuse),
    /// A sequencer was used incorrectly.
    Sequencer(sequencer::Misuse),
    /// Another defect, described by the text.
    Other(&'static str),
    /// A function of the library depends on something that is not simulated.
    Unsupported(&'static str),
}

impl Trap {
    pub(super) const EMPTY: Trap = Trap::Other("a peek into an empty buffer");
    pub(super) const NO_ENUMERATOR: Trap =
        Trap::Other("a value that is none of its enumeration was used");
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

macro_rules! fault_kinds {
    ($($(#[$about:meta])* $variant:ident = $name:literal, $crash:ident;)*) => {
        /// The kinds of faults.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum FaultKind { $($(#[$about])* $variant,)* }

        impl FaultKind {
            /// The name of the kind in output.
            pub fn name(self) -> &'static str {
                match self { $(FaultKind::$variant => $name,)* }
            }

            /// The kind of crash that a reader of gem5's output sees in such a fault.
            pub fn crash(self) -> CrashKind {
                match self { $(FaultKind::$variant => CrashKind::$crash,)* }
            }
        }
    };
}

fault_kinds! {
    /// An event occurred in a state that has no transition for it.
    InvalidTransition = "invalid transition", InvalidTransition;
    /// The protocol called `error`.
    Error = "protocol error", ProtocolError;
    /// An assertion failed.
    Assertion = "failed assertion", FailedAssertion;
    /// The protocol followed a null pointer, or used an object of the library in a way that gem5 refuses.
    Misuse = "misuse", Panic;
    /// A core waits, and no event is left, or events lead to no progress.
    Deadlock = "deadlock", Deadlock;
    /// The run ended without any completed operation.
    NothingCompleted = "nothing completed", Panic;
    /// The trace could not be written.
    Output = "output", Panic;
}

/// The reason why a simulation stopped before its end.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// The message, in gem5's words where it has any.
    pub message: String,
    /// The tick at which it happened.
    pub tick: u64,
    /// The controller that was running, such as `L1Cache 3`.
    pub controller: Option<String>,
    /// The address of the line that was being processed.
    pub address: Option<u64>,
    /// The place in the protocol's source.
    pub span: Option<Span>,
    /// The last transitions and messages for that line, the oldest first.
    pub recent: Vec<String>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
