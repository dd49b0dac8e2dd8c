//! Errors in the tables of named faults.

use thiserror::Error;

use slicc::error::ParseError;

/// A line of a table of faults that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{protocol}: `{line}`: {reason}")]
pub(super) struct FaultTableError {
    pub protocol: &'static str,
    pub line: String,
    pub reason: LineError,
}

/// The reason why a line cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum LineError {
    #[error("it has no value")]
    NoValue,
    #[error("it stands before the first `fault` line")]
    NoFault,
    #[error("unknown keyword")]
    UnknownKeyword,
    #[error(transparent)]
    Setting(ParseError),
    #[error(transparent)]
    Clause(ClauseError),
}

/// The reason why a clause cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum ClauseError {
    #[error("expected `{0}`")]
    Expected(&'static str),
    #[error("expected `{separator}` in `{text}`")]
    NoSeparator { separator: &'static str, text: String },
    #[error("`{text}` is not {what}")]
    Unknown { what: &'static str, text: String },
}

impl ClauseError {
    /// The error that `text` is not `what`, such as "a pattern".
    pub(crate) fn unknown(what: &'static str, text: &str) -> ClauseError {
        ClauseError::Unknown { what, text: text.to_owned() }
    }
}
