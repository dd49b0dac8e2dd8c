//! [`Fault`]: what is wrong with a line of a gem5 trace.

use crate::error::{Error, or_lossy};
use crate::gem5::lines::cause::cause;

/// What sentences call a text of this format.
pub(crate) const TITLE: &str = "a gem5 trace";

/// A fault of one line of a gem5 trace. The reader adds file and line to make it an [`Error`], or counts the line if
/// damaged lines are to be skipped.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The end of the line is missing; the text says what was expected there.
    Cut(&'static str),
    /// A part of the line is not what gem5 prints; the text says what was expected there.
    Unread(&'static str),
    /// The line contradicts earlier lines, or cannot be understood.
    Broken { found: String, expected: String, hint: String },
    /// The line is of another format, of which this is the title.
    Mixed(&'static str),
}

impl Fault {
    pub(crate) fn broken(
        found: impl Into<String>,
        expected: impl Into<String>,
        hint: impl Into<String>,
    ) -> Fault {
        Fault::Broken { found: found.into(), expected: expected.into(), hint: hint.into() }
    }

    /// The error for a line of a gem5 trace.
    pub(crate) fn at(self, file: &str, line: u64, text: &[u8]) -> Error {
        let file = file.to_owned();
        let cause = cause(text);
        match self {
            Fault::Cut(expected) if cause.is_none() => {
                Error::Cut { file, line, found: tail(text, 60), expected: expected.to_owned() }
            }
            Fault::Cut(expected) | Fault::Unread(expected) => Error::Syntax {
                file,
                line,
                found: format!("`{}`, which cannot be read", tail(text, 60)),
                expected: expected.to_owned(),
                hint: or_lossy(
                    &format!(
                        "{}: copy the file of the trace itself",
                        cause.unwrap_or("the trace is damaged")
                    ),
                    "skip such lines",
                ),
            },
            Fault::Broken { found, expected, hint } => {
                Error::Syntax { file, line, found, expected, hint }
            }
            Fault::Mixed(found) => Error::Mixed { file, line, found, expected: TITLE },
        }
    }
}

/// The last `limit` characters of a line, with control characters replaced, for a message about its end.
fn tail(line: &[u8], limit: usize) -> String {
    let text: String = String::from_utf8_lossy(&line[line.len().saturating_sub(4 * limit)..])
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    let count = text.chars().count();
    if count <= limit && line.len() <= 4 * limit {
        return text.trim_start().to_owned();
    }
    let shown: String = text.chars().skip(count.saturating_sub(limit)).collect();
    format!("…{shown}")
}
