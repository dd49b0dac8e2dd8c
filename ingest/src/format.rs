//! [`TraceFormat`]: what a format of histories has and does. [`FORMATS`](crate::FORMATS) lists all of them.

use std::fmt;
use std::io::Write;

use history::History;

use crate::ending::Ending;
use crate::error::{Error, WriteError};
use crate::input::Lines;
use crate::live_reader::LiveReader;
use crate::options::Options;
use crate::statistics::Statistics;
use crate::transitions::Transitions;

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

/// A format that holds histories: text, one statement a line, or binary after a first line of text.
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

    /// The error about a line that would be one of the format without text that was added to it; `None` for any other
    /// line. It is the error about a text in which no line is recognised.
    fn changed(&self, line: &[u8], number: u64, file: &str) -> Option<Error> {
        let _ = (line, number, file);
        None
    }

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

    /// What [`TraceFormat::write`] does not keep of a history although it decides verdicts of some models, as a sentence
    /// for the user.
    fn loss(&self, history: &History) -> Option<&'static str> {
        let _ = history;
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
        let damage = lines.damage().map(|damage| format!("{damage}."));
        let notes: Vec<String> = damage.into_iter().chain(lines.notes()).collect();
        for history in &mut histories {
            history.provenance.notes.extend_from_slice(&notes);
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
