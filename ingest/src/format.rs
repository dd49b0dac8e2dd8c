//! The formats that can be read, and the detection of the format of a text.
//!
//! A [`TraceFormat`] is one format; [`FORMATS`] lists all of them. Reading, watching, converting and every message or option that
//! names formats go through that list, so a new format is a module with one implementation of the trait, and one row.

use std::fmt;
use std::io::Write;

use history::History;

use crate::axe::Axe;
use crate::ending::Ending;
use crate::error::{Error, WriteError, excerpt};
use crate::gem5::Gem5;
use crate::input::Lines;
use crate::json::Json;
use crate::live::LiveReader;
use crate::options::Options;
use crate::statistics::Statistics;
use crate::tester::Tester;
use crate::transitions::Transitions;

/// Every format, in the order in which lists name them.
pub const FORMATS: &[&dyn TraceFormat] = &[&Gem5, &Axe, &Json, &Tester];

/// The names and limits of a format.
#[derive(Clone, Copy, Debug)]
pub struct FormatInfo {
    /// The name in options, tables and JSON, such as `axe`.
    pub name: &'static str,
    /// The name in sentences, such as `axe text`.
    pub title: &'static str,
    /// A line of the format, for the message about a text of no known format.
    pub example: &'static str,
    /// The extensions of file names that mean this format when a file is written; empty if [`TraceFormat::write`] always fails.
    pub extensions: &'static [&'static str],
    /// The most bytes that a line may have.
    pub line_limit: usize,
}

/// A format that holds histories: text, one statement a line, or binary behind a first line of text.
pub trait TraceFormat: Sync {
    /// The names and limits of the format.
    fn info(&self) -> &'static FormatInfo;

    /// The name in options, tables and JSON, such as `axe`.
    fn name(&self) -> &'static str {
        self.info().name
    }

    /// The name in sentences, such as `axe text`.
    fn title(&self) -> &'static str {
        self.info().title
    }

    /// The line's resemblance to the format. The first line that any format recognises decides the format of a text.
    fn recognises(&self, line: &[u8]) -> Resemblance;

    /// Reads a text to its end.
    ///
    /// [`Lines`] applies the option `lossy` to damaged compression only. The reader applies `addresses`, `from_tick`,
    /// `to_tick`, `access_size` and `initial`, as far as they make sense for the format. It sets the `source` of each
    /// history's provenance: `Source::Axe` stands for histories that a program made, whose initial values are 0 by
    /// definition.
    ///
    /// # Errors
    /// Returns an error if the text breaks the format's rules or holds no history.
    fn read(&self, lines: &mut Lines<'_>, options: &Options) -> Result<Contents, Error>;

    /// A reader of a text that is still being written, or `None` if the format does not show in which order operations complete.
    fn watch<'o>(&self, options: &'o Options) -> Option<Box<dyn LiveReader + 'o>> {
        let _ = options;
        None
    }

    /// Writes one history of a text that has `count` of them.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written, or the format cannot express the history.
    fn write(
        &self,
        history: &History,
        count: usize,
        out: &mut dyn Write,
    ) -> Result<(), WriteError> {
        let _ = (history, count, out);
        let what = "a history".to_owned();
        Err(WriteError::Inexpressible { what, format: self.title(), instead: "JSON or Parquet" })
    }
}

impl fmt::Display for dyn TraceFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

impl fmt::Debug for dyn TraceFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl PartialEq for dyn TraceFormat {
    fn eq(&self, other: &dyn TraceFormat) -> bool {
        self.name() == other.name()
    }
}

/// The contents of a text.
#[derive(Debug, Default)]
pub struct Contents {
    /// The histories; gem5 traces hold one.
    pub histories: Vec<History>,
    /// Transitions of controllers, if [`Options::transitions`] asks for them.
    pub transitions: Transitions,
    /// How the run of a gem5 trace ended, as far as the trace shows it.
    pub ending: Ending,
    /// Counts of everything else.
    pub statistics: Statistics,
}

impl Contents {
    /// The contents of a text that holds histories alone. The rest of the text is read, so that damage at its end is
    /// found.
    ///
    /// # Errors
    /// Returns an error if the rest cannot be read.
    pub fn histories(
        lines: &mut Lines<'_>,
        mut histories: Vec<History>,
    ) -> Result<Contents, Error> {
        while lines.advance()? {}
        if let Some(damage) = lines.damage() {
            for history in &mut histories {
                history.provenance.notes.push(format!("{damage}."));
            }
        }
        let statistics = Statistics {
            lines: lines.number(),
            bytes: lines.bytes(),
            skipped: lines.skipped(),
            first_skipped: lines.first_skipped(),
            ..Statistics::default()
        };
        Ok(Contents { histories, statistics, ..Contents::default() })
    }
}

/// A note on the lines of a history that were skipped.
pub(crate) fn skipped_lines(count: u64, first: u64) -> String {
    format!("lines that could not be read, skipped: {count}, the first at line {first}")
}

/// How certainly a line belongs to a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resemblance {
    /// The line says nothing about the format.
    None,
    /// A text of the format may begin with this line.
    Likely,
    /// The line belongs to the format and to no other.
    Certain,
}

/// Detects the format of a text line by line. Lines of no format are skipped, since gem5 prints other output before the
/// lines of a trace; if no line shows a format, the error names the first of them.
#[derive(Debug, Default)]
pub(crate) struct Detector {
    lines: u64,
    unknown: Option<(u64, String)>,
}

impl Detector {
    /// Takes in the next line, and returns the format if the line shows it.
    pub fn line(
        &mut self,
        line: &[u8],
        file: &str,
    ) -> Result<Option<&'static dyn TraceFormat>, Error> {
        self.lines += 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Some(format) = certain(line) {
            return Ok(Some(format));
        }
        if self.unknown.is_none() && is_litmus(line) {
            return Err(Error::Litmus { file: file.to_owned() });
        }
        if is_binary(line) {
            return Err(Error::Binary { file: file.to_owned(), line: self.lines });
        }
        let likely =
            FORMATS.iter().copied().find(|format| format.recognises(line) == Resemblance::Likely);
        if likely.is_none() && self.unknown.is_none() && !line.trim_ascii().is_empty() {
            self.unknown = Some((self.lines, excerpt(line, 60)));
        }
        Ok(likely)
    }

    /// The error for a text in which no line was recognised.
    pub fn finish(self, file: &str) -> Error {
        let file = file.to_owned();
        match self.unknown {
            Some((line, found)) => Error::Unknown { file, line, found },
            None => Error::Empty { file },
        }
    }
}

/// Whether a line is the first of a litmus test: an architecture and a name.
fn is_litmus(line: &[u8]) -> bool {
    let mut words = line.split(|byte| *byte == b' ');
    let architecture = words.next().unwrap_or_default();
    [&b"RISCV"[..], b"AArch64", b"X86_64", b"X86"].contains(&architecture) && words.count() == 1
}

/// Detects the format of an input by its beginning.
pub(crate) fn detect(lines: &mut Lines<'_>) -> Result<&'static dyn TraceFormat, Error> {
    let file = lines.file().to_owned();
    let mut detector = Detector::default();
    let head = lines.head();
    if !head.is_empty() {
        for line in head.split(|&byte| byte == b'\n') {
            if let Some(format) = detector.line(line, &file)? {
                return Ok(format);
            }
        }
    } else if lines.is_damaged() {
        // Any format will do: reading the text reports the damage.
        return Ok(FORMATS[0]);
    }
    Err(detector.finish(&file))
}

/// The format that a line certainly belongs to.
pub(crate) fn certain(line: &[u8]) -> Option<&'static dyn TraceFormat> {
    let mut formats = FORMATS.iter().copied();
    formats.find(|format| format.recognises(line) == Resemblance::Certain)
}

/// The titles of all formats as a list for sentences, such as `a gem5 trace, axe text or JSON`.
pub(crate) fn titles() -> String {
    any_of(&FORMATS.iter().map(|format| format.title().to_owned()).collect::<Vec<_>>())
}

/// The titles of all formats, each with an example, as a list for sentences.
pub(crate) fn examples() -> String {
    let example =
        |format: &&dyn TraceFormat| format!("{} (`{}`)", format.title(), format.info().example);
    any_of(&FORMATS.iter().map(example).collect::<Vec<_>>())
}

/// Words as a list for sentences: `a, b or c`.
pub fn any_of(words: &[String]) -> String {
    match words {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => words.concat(),
    }
}

/// Whether a line holds bytes that text does not have.
fn is_binary(line: &[u8]) -> bool {
    let is_odd = |&byte: &u8| byte == 0 || (byte < b' ' && !matches!(byte, b'\t' | b'\r' | 0x1b));
    line.iter().any(is_odd) || std::str::from_utf8(line).is_err()
}
