//! The errors of reading and writing: [`Error`] and [`WriteError`].

use std::io;
use std::path::PathBuf;

use history::{BuildError, History, OpId, Source};
use host::inputs::Refusal;
use settings::Setting;
use thiserror::Error;

/// What the user can do about an input that the system does not read.
fn advice(error: &io::Error) -> &'static str {
    Refusal::of(error).map_or("check the path and its permissions", Refusal::advice)
}

/// The settings that select operations of a trace, as a list in a sentence.
pub fn selection() -> String {
    format!("{}, {} and {}", Setting::Addresses, Setting::FromTick, Setting::ToTick)
}

/// The advice to do something about the damage, or to let the reader skip it, to some end.
pub(crate) fn or_lossy(repair: &str, end: &str) -> String {
    format!("{repair}, or use {} to {end}", Setting::Lossy)
}

/// Why an input could not be read. Each message names the file and, where there is one, the line, and says what was found there,
/// what was expected, and what to do.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The file could not be opened or read.
    #[error("{file}: {error}: {}", advice(error))]
    Io {
        /// Name of the file, as messages show it.
        file: String,
        /// The system's error.
        #[source]
        error: io::Error,
    },
    /// The path is a directory without a gem5 trace, or with several.
    #[error(
        "{}: is a directory, but neither a gem5 output folder with one trace nor one with the logs of harts: {found}",
        directory.display()
    )]
    Directory {
        /// Path of the directory.
        directory: PathBuf,
        /// Description of the files in the directory.
        found: String,
    },
    /// The input is a litmus test, whose outcomes are not known before it is run.
    #[error(
        "{file}: is a litmus test, not a trace: `rubric litmus` says which outcomes a model allows, and \
         `rubric convert TEST.litmus --outcome \"1:x5=1 /\\ 1:x8=0\"` makes a history of one"
    )]
    Litmus {
        /// Name of the file, as messages show it.
        file: String,
    },
    /// The input is a litmus test of an architecture whose tests cannot be run.
    #[error(
        "{file}: is a litmus test for {architecture}, not a trace; `rubric litmus` runs those for {run}"
    )]
    OtherLitmus {
        /// Name of the file, as messages show it.
        file: String,
        /// The architecture or language.
        architecture: &'static str,
        /// The architectures whose tests can be run.
        run: String,
    },
    /// The input is empty.
    #[error(
        "{file}: is empty; expected {expected} (was gem5 run with --debug-flags and --debug-file? did the program or the simulator start \
         that should write it?)"
    )]
    Empty {
        /// Name of the file, as messages show it.
        file: String,
        /// The formats that it could have.
        expected: String,
    },
    /// The input is not text.
    #[error("{file}:{line}: is not text; expected {expected}, plain or compressed with gzip")]
    Binary {
        /// Name of the file, as messages show it.
        file: String,
        /// The line that holds bytes that no text has.
        line: u64,
        /// The formats that it could have.
        expected: String,
    },
    /// The input is text in UTF-16, as some programs write it on Windows.
    #[error(
        "{file}:1: is not text in UTF-8: it begins with a byte order mark of UTF-16; convert it with \
         iconv -f UTF-16 -t UTF-8 FILE > NEW"
    )]
    Utf16 {
        /// Name of the file, as messages show it.
        file: String,
    },
    /// The input is of no known format.
    #[error(
        "{file}:{line}: found `{found}`, expected a line of {expected}; check that this is a trace"
    )]
    Unknown {
        /// Name of the file, as messages show it.
        file: String,
        /// The first line that fits no format.
        line: u64,
        /// The line, shortened.
        found: String,
        /// The formats that it could have, each with an example.
        expected: String,
    },
    /// The compressed file is cut off or corrupt.
    #[error(
        "{file}: the gzip data {what} up to line {line}. Copy or record the file again, or use {} to \
         keep what is good",
        Setting::Lossy
    )]
    Damaged {
        /// Name of the file, as messages show it.
        file: String,
        /// The last line that could be read whole.
        line: u64,
        /// Description of the damage, with a remark about the text before it.
        what: String,
    },
    /// The line is too long to be one of a trace.
    #[error(
        "{file}:{line}: the line is longer than {limit} bytes, the limit for trace lines; check that this is a trace, or use \
         {} to skip the line",
        Setting::Lossy
    )]
    LongLine {
        /// Name of the file, as messages show it.
        file: String,
        /// Number of the line, from 1.
        line: u64,
        /// The most bytes a line may have.
        limit: usize,
    },
    /// The line ends as lines do on Windows.
    #[error(
        "{file}:{line}: the line ends with CR LF, expected LF alone; convert the file with tr -d '\\r' < FILE > NEW"
    )]
    CrLf {
        /// Name of the file, as messages show it.
        file: String,
        /// Number of the line, from 1.
        line: u64,
    },
    /// The end of the line is missing.
    #[error(
        "{file}:{line}: the line is cut off: found `{found}`, expected {expected}; record the trace again, or use {} to skip \
         such lines",
        Setting::Lossy
    )]
    Cut {
        /// Name of the file, as messages show it.
        file: String,
        /// Number of the line, from 1.
        line: u64,
        /// The line's end, shortened.
        found: String,
        /// Description of what should follow.
        expected: String,
    },
    /// A binary record breaks the rules of its format.
    #[error("{file}: byte {byte}: found {found}, expected {expected}; {hint}")]
    Record {
        /// Name of the file, as messages show it.
        file: String,
        /// Number of bytes before the record, uncompressed.
        byte: u64,
        /// Description of what was found.
        found: String,
        /// Description of what was expected.
        expected: String,
        /// Advice for the user.
        hint: String,
    },
    /// The line breaks the rules of its format.
    #[error("{file}:{line}: found {found}, expected {expected}; {hint}")]
    Syntax {
        /// Name of the file, as messages show it.
        file: String,
        /// Number of the line, from 1.
        line: u64,
        /// Description of what was found.
        found: String,
        /// Description of what was expected.
        expected: String,
        /// Advice for the user.
        hint: String,
    },
    /// The input has lines of two formats.
    #[error(
        "{file}:{line}: found a line of {found} in {expected}; split the file, which mixes two formats"
    )]
    Mixed {
        /// Name of the file, as messages show it.
        file: String,
        /// Number of the line, from 1.
        line: u64,
        /// The format of that line, as sentences name it.
        found: &'static str,
        /// The format of the lines before it.
        expected: &'static str,
    },
    /// The format does not show in which order operations complete, so that a text of it cannot be watched.
    #[error(
        "{file}: {format} does not show in which order operations complete, so it cannot be checked while it is written; use \
         `rubric check`"
    )]
    Unwatchable {
        /// Name of the file, as messages show it.
        file: String,
        /// The format that cannot be watched, as sentences name it.
        format: &'static str,
    },
    /// The trace was recorded with too few debug flags.
    #[error("{file}: recorded without {missing}: {found}; record again with {flags}")]
    MissingFlag {
        /// Name of the file, as messages show it.
        file: String,
        /// The debug flags.
        missing: String,
        /// Description of what the trace shows, and what is therefore unknown.
        found: String,
        /// The gem5 option that records what is needed.
        flags: String,
    },
    /// The trace has no lines of the source that was asked for.
    #[error(
        "{file}: no lines of the source `{}`; record again with {flags}, or choose another \
         {}{available}",
        source_asked.name(),
        Setting::Source
    )]
    NoSource {
        /// Name of the file, as messages show it.
        file: String,
        /// The source that was asked for.
        source_asked: Source,
        /// The gem5 option that records the source.
        flags: String,
        /// The sources that the trace has, as ` (ruby, exec)`; empty if it has none.
        available: String,
    },
    /// The gem5 trace has no operation.
    #[error("{file}: no operations: {found}; record again with {flags}")]
    NoOperations {
        /// Name of the file, as messages show it.
        file: String,
        /// Description of the lines that the trace has instead.
        found: String,
        /// The gem5 option that records operations.
        flags: String,
    },
    /// The options select no operation of the trace.
    #[error(
        "{file}: no operation is selected; check {} (`rubric stats` shows the addresses and \
         ticks of the trace)",
        selection()
    )]
    NothingSelected {
        /// Name of the file, as messages show it.
        file: String,
    },
    /// The shared variables that a program announces were asked for, and none or several are announced.
    #[error(
        "{file}: {}: the trace does not show one program that announces its shared variables, as those of `rubric \
         generate c` do in a trace of executed instructions; give the addresses instead ({})",
        Setting::Addresses.to("auto"),
        Setting::Addresses.to("LO-HI")
    )]
    NotAnnounced {
        /// Name of the file, as messages show it.
        file: String,
    },
    /// The history cannot be built: it is too large, has two final values for a location, or a value that does not fit
    /// the given size.
    #[error("{file}: {error}")]
    Build {
        /// Name of the file, as messages show it.
        file: String,
        /// The reason.
        #[source]
        error: BuildError,
    },
}

impl Error {
    /// The number, from 1, of the line that the error is about, if it is about one.
    pub fn line(&self) -> Option<u64> {
        match self {
            Error::Damaged { line, .. }
            | Error::LongLine { line, .. }
            | Error::CrLf { line, .. }
            | Error::Cut { line, .. }
            | Error::Syntax { line, .. }
            | Error::Mixed { line, .. } => Some(*line),
            _ => None,
        }
    }
}

/// Why a history could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The output cannot be written.
    #[error("the output cannot be written: {0}")]
    Io(#[from] io::Error),
    /// The format cannot express something in the history.
    #[error("{what}: {format} cannot express that; write {instead} instead")]
    Inexpressible {
        /// The operation or location, with the property that the format cannot express.
        what: String,
        /// Name of the format in sentences.
        format: &'static str,
        /// Formats that can express it.
        instead: &'static str,
    },
}

/// Describes an operation for a message.
pub(crate) fn named(history: &History, op: OpId) -> String {
    let operation = history.operation(op);
    let line = operation.line;
    let line = line.map_or(String::new(), |line| format!(", line {line} of the trace"));
    let (index, thread) = (operation.index, operation.thread);
    let what = history.describe(op);
    format!("operation {index} of thread {thread} ({what}{line})")
}

/// At most `limit` characters from the start of a line, with control characters replaced, for a message.
pub(crate) fn excerpt(line: &[u8], limit: usize) -> String {
    let head = &line[..line.len().min(4 * limit)];
    let text = String::from_utf8_lossy(head);
    let mut shown: String = text
        .trim()
        .chars()
        .map(|c| if c.is_control() || is_invisible(c) { '\u{fffd}' } else { c })
        .take(limit)
        .collect();
    if text.trim().chars().count() > limit || head.len() < line.len() {
        shown.push('…');
    }
    shown
}

/// Whether a character looks like a blank or like nothing, and is not the blank of ASCII.
fn is_invisible(c: char) -> bool {
    let has_no_width = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}');
    has_no_width || (c.is_whitespace() && c != ' ')
}
