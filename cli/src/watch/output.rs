//! Prints the result of watching a trace: [`Output`].

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use check::{Headline, Model, assumptions};
use history::Source;
use report::explain::words;
use rubric::watch::{End, Window};
use schemars::JsonSchema;
use serde::Serialize;

use crate::check::paint::paint;
use crate::json;
use lab::ending::RunEnd;
use lab::ending::json::EndJson;

/// The result of watching, to be printed.
pub(crate) struct Output<'a> {
    pub file: &'a str,
    pub model: Model,
    pub window: &'a Window,
    pub source: Option<Source>,
    pub time: Duration,
    pub run: RunEnd<'a>,
    /// Remarks on the trace's lines.
    pub notes: &'a [String],
    /// The files that were written.
    pub files: &'a [PathBuf],
}

/// What `rubric watch --format json` prints at the end: one object.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Document<'a> {
    /// The file or pipe that the history was read from, as it was given.
    file: &'a str,
    /// The name of the memory model, such as `tso`.
    model: &'a str,
    /// The verdict.
    #[schemars(extend("enum" = ["consistent", "violation", "undecided"]))]
    verdict: &'a str,
    /// Why watching ended, in a sentence.
    reason: &'a str,
    /// The trace line at which the history violates the model.
    line: Option<u64>,
    /// The tick of that line.
    tick: Option<u64>,
    /// The files that were written.
    files: Vec<String>,
    /// The number of operations that were read.
    operations: u64,
    /// The number of operations that were remembered at the end.
    remembered: usize,
    /// The number of threads.
    threads: usize,
    /// The number of locations.
    locations: usize,
    /// The kind of lines of the trace that the operations come from.
    source: Option<&'static str>,
    /// Seconds that watching took.
    seconds: f64,
    /// Remarks on the trace's lines.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    #[serde(flatten)]
    end: EndJson<'a>,
}

impl Output<'_> {
    pub(crate) fn text(&self, end: &End, out: &mut dyn Write) -> io::Result<()> {
        let paint = paint();
        self.run.write(self.file, paint, out)?;
        let (word, why) = said(end);
        let seconds = self.time.as_secs_f64();
        let headline = Headline {
            word,
            subject: self.model.name(),
            name: self.file,
            threads: self.window.threads(),
            operations: self.window.arrived() as usize,
            crashed: self.run.crash.is_some(),
            how: format!(
                "{:.0} a second, {} remembered",
                self.window.arrived() as f64 / seconds.max(1e-6),
                self.window.remembered()
            ),
            seconds,
        };
        writeln!(out, "{}", headline.painted(|column| paint.verdict(word, column)))?;
        writeln!(out, "  {why}")?;
        if let End::Violation { proof, .. } = end {
            match proof {
                Some(proof) => {
                    let explained = words::explanation(&proof.history, &proof.violation);
                    write!(out, "{}", self.window.renamed(&explained))?
                }
                None => writeln!(
                    out,
                    "  the operations of its proof were forgotten: `rubric check` proves it from the recorded trace"
                )?,
            }
        }
        let incomplete = self.run.note().filter(|_| self.run.crash.is_none());
        let provenance = self.window.provenance(self.source);
        let assumed = assumptions::of(&provenance).into_iter();
        let assumed = assumed.chain(assumptions::of_model(&provenance, self.model));
        for note in incomplete.into_iter().chain(assumed).chain(self.notes.iter().cloned()) {
            writeln!(out, "  {} {note}", paint.faint("note:"))?;
        }
        Ok(())
    }

    pub(crate) fn json(&self, end: &End, out: &mut dyn Write) -> io::Result<()> {
        let (verdict, why) = said(end);
        let (line, tick) = match end {
            End::Violation { line, tick, .. } => (*line, *tick),
            _ => (None, None),
        };
        let files: Vec<String> = self.files.iter().map(|file| file.display().to_string()).collect();
        let document = Document {
            file: self.file,
            model: self.model.name(),
            verdict,
            reason: why,
            line,
            tick,
            files,
            operations: self.window.arrived(),
            remembered: self.window.remembered(),
            threads: self.window.threads(),
            locations: self.window.locations(),
            source: self.source.map(Source::name),
            seconds: self.time.as_secs_f64(),
            notes: self.notes,
            end: self.run.json(),
        };
        json::sorted_line(&document, out)
    }
}

/// The verdict in a word, and why.
fn said(end: &End) -> (&'static str, &str) {
    match end {
        End::Consistent(why) => ("consistent", why),
        End::Violation { why, .. } => ("violation", why),
        End::Undecided(why) => ("undecided", why),
    }
}
