//! [`Problem`]: why an instruction cannot be taken in.

use history::Isa;

/// The reason why an instruction cannot be taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A part of the line is missing, which this names.
    Cut(&'static str),
    /// The instruction is of another instruction set than the known one.
    OtherIsa {
        /// The instruction set that the instruction shows.
        shown: Isa,
        /// The known instruction set.
        known: Isa,
        /// Why that one is known.
        basis: IsaBasis,
    },
    /// The instruction, as messages show it, accesses memory, and no instruction set is known.
    UnknownIsa(String),
}

/// Why the instruction set of a log is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IsaBasis {
    /// The user gave it.
    Chosen,
    /// Other files of the run name it.
    Configured,
    /// Earlier instructions show it.
    Earlier,
}
