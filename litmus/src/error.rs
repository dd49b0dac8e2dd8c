//! [`Error`]: why a litmus test cannot be read or run.

use host::{Bounds, Exceeded};
use thiserror::Error;

/// Why a litmus test cannot be read or run.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Error {
    /// The text is not a litmus test.
    #[error("{file}:{line}: found {found}, expected {expected}")]
    Syntax {
        /// Name of the file, as messages show it.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The text found there.
        found: String,
        /// The text that was expected there.
        expected: String,
    },
    /// An instruction is not known, or not with these operands.
    #[error(
        "{file}:{line}: the {architecture} instruction `{instruction}` is not supported: {what}"
    )]
    Instruction {
        /// Name of the file, as messages show it.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The name of the instruction set.
        architecture: &'static str,
        /// The instruction.
        instruction: String,
        /// The part that is not understood.
        what: String,
    },
    /// The text uses a part of herd's language that is not supported.
    #[error("{file}:{line}: {what} not supported")]
    Unsupported {
        /// Name of the file, as messages show it.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The part of the language, with its verb: `symbolic registers such as %x are`.
        what: String,
    },
    /// The test cannot be run.
    #[error("{file}:{line}: {what}")]
    Run {
        /// Name of the file, as messages show it.
        file: String,
        /// The line of the instruction, from 1.
        line: usize,
        /// A description of the problem.
        what: String,
    },
    /// The test is larger than what can be enumerated.
    #[error("{file}: {what}")]
    TooLarge {
        /// Name of the file, as messages show it.
        file: String,
        /// A description of the limit that the test exceeds.
        what: String,
    },
    /// The limit of time or memory was met, or the caller cancelled the run.
    #[error("{file}: stopped by a limit of time or memory")]
    Stopped {
        /// Name of the file, as messages show it.
        file: String,
        /// The limit.
        exceeded: Exceeded,
    },
}

impl Error {
    /// The error for a test whose bounds have been met.
    pub(crate) fn stopped(file: &str, bounds: &Bounds) -> Error {
        let exceeded = bounds.exceeded().unwrap_or(Exceeded::Interrupted);
        Error::Stopped { file: file.to_owned(), exceeded }
    }
}
