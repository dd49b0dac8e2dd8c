//! The errors of commands, and how they are printed.

use std::fmt::Display;
use std::io::{self, Write};

use check::generate::RecipeError;
use history::{History, WrittenTwice};
use host::files::advice;
use lab::save::SaveError;
use lab::text::named;
use rubric::watch::WatchError;
use tables::TableError;
use thiserror::Error;

use crate::lines;
use crate::status::Status;

/// The reason why a command failed, printed as one message on standard error.
#[derive(Debug, Error)]
pub(crate) enum Error {
    /// The input cannot be read.
    #[error(transparent)]
    Input(#[from] ingest::Error),
    /// A Parquet file cannot be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A file cannot be read or written.
    #[error("{file}: {error}: {}", advice(error))]
    File {
        /// The file.
        file: String,
        /// The system's error.
        #[source]
        error: io::Error,
    },
    /// A line of a file that the user wrote cannot be parsed.
    #[error("{file}:{line}: {what}")]
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What was found and what was expected.
        what: String,
    },
    /// A value is written twice to a location, so it is ambiguous which write a read takes it from.
    #[error("{file}: {twice}. Record a run that writes unique values, or try --ambiguous search")]
    WrittenTwice {
        /// The file, and the history in it.
        file: String,
        /// The two writes.
        twice: Box<WrittenTwice>,
    },
    /// No program could be made and run on a machine.
    #[error(transparent)]
    Machine(#[from] lab::hardware::Stopped),
    /// A certificate that cannot be read or does not prove its claim.
    #[error("{file}: the certificate is refused: {what}")]
    Certificate {
        /// The file.
        file: String,
        /// Description of the problem.
        what: String,
    },
    /// A random history that cannot be made.
    #[error("{error} (seed {seed})")]
    Recipe {
        /// The seed of the history.
        seed: u64,
        /// The reason why the history cannot be made.
        #[source]
        error: RecipeError,
    },
    /// Two algorithms that cannot both be right.
    #[error("{file}: {what}. This is a defect of rubric: please report it, with the history")]
    Disagreement {
        /// The file.
        file: String,
        /// The algorithms and their verdicts.
        what: String,
    },
    /// A protocol has errors.
    #[error("{name} cannot be used:\n\n{errors}\n")]
    Protocol {
        /// The name or path of the protocol.
        name: String,
        /// The errors, each with its place in the files.
        errors: String,
    },
    /// A campaign or an experiment failed, or its input cannot be read.
    #[error(transparent)]
    Lab(Box<lab::Error>),
    /// A litmus test cannot be read or run.
    #[error(transparent)]
    Litmus(#[from] litmus::Error),
    /// A trace cannot be watched.
    #[error(transparent)]
    Watch(#[from] WatchError),
    /// Standard output cannot be written.
    #[error("standard output cannot be written: {0}")]
    Output(#[source] io::Error),
    /// Options that do not fit each other or the input.
    #[error("{0}")]
    Usage(String),
}

impl From<SaveError> for Error {
    fn from(error: SaveError) -> Error {
        match error {
            SaveError::Output(error) => Error::Output(error),
            SaveError::Inexpressible(what) => Error::Usage(what),
        }
    }
}

impl Error {
    /// A value is written twice in this history of this file.
    pub(crate) fn written_twice(file: &str, history: &History, twice: &WrittenTwice) -> Error {
        Error::WrittenTwice { file: named(file, history), twice: Box::new(twice.clone()) }
    }

    /// Whether the reader of the output has closed the pipe, which is no error.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Error::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// Prints an error on standard error.
pub(crate) fn print(error: &impl Display) {
    // If standard error is closed, the exit status still reports the failure.
    let error = harmless(&error.to_string());
    let _ = lines::erased(|| writeln!(io::stderr(), "rubric: error: {error}"));
}

/// Replaces control characters but line ends, tabs and colours: a message may show a part of a file, which must not command the terminal.
fn harmless(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(one) = rest.chars().next() {
        let length = colour(rest).unwrap_or(one.len_utf8());
        let (shown, after) = rest.split_at(length);
        if length == one.len_utf8() && one.is_control() && !matches!(one, '\n' | '\t') {
            harmless.push(char::REPLACEMENT_CHARACTER);
        } else {
            harmless.push_str(shown);
        }
        rest = after;
    }
    harmless
}

/// The length of the escape sequence for a colour with which a text begins, if it does.
fn colour(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\x1b[")?;
    let end = parameters.find(|one: char| !one.is_ascii_digit() && one != ';')?;
    parameters[end..].starts_with('m').then_some("\x1b[".len() + end + 1)
}

/// Prints a remark on standard error.
pub(crate) fn tell(remark: impl Display) {
    // If standard error is closed or full, nothing is left to be done.
    let _ = writeln!(io::stderr(), "rubric: {remark}");
}

/// Prints an error about one of several inputs, after the output so far. The remaining inputs are still processed.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub(crate) fn complain(error: &Error, out: &mut dyn Write) -> Result<Status, Error> {
    out.flush().map_err(Error::Output)?;
    print(error);
    Ok(Status::Bad)
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn messages_do_not_command_the_terminal() {
        for plain in ["a\tb\nc", "\x1b[1;31mred\x1b[0m", "λ", ""] {
            assert_eq!(harmless(plain), plain);
        }
        for (text, shown) in [
            ("\x1b[2J", "\u{fffd}[2J"),
            ("\x1b]0;title\x07", "\u{fffd}]0;title\u{fffd}"),
            ("\x1b", "\u{fffd}"),
            ("\x1b[31", "\u{fffd}[31"),
            ("a\r\0\u{9b}2J", "a\u{fffd}\u{fffd}\u{fffd}2J"),
        ] {
            assert_eq!(harmless(text), shown);
        }
    }
}
