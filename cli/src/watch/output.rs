//! Prints the result of watching a trace: [`Output`].

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use check::{Headline, Model, assumptions};
use history::Source;
use report::explain::words;
use rubric::watch::{End, Window};
use serde_json::json;

use crate::check::paint::Paint;
use crate::ending::RunEnd;

/// The result of watching, to be printed.
pub struct Output<'a> {
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

impl Output<'_> {
    pub fn text(&self, end: &End, out: &mut dyn Write) -> io::Result<()> {
        let paint = Paint::new(io::stdout().is_terminal());
        self.run.print(self.file, paint, out)?;
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

    pub fn json(&self, end: &End, out: &mut dyn Write) -> io::Result<()> {
        let (verdict, why) = said(end);
        let (line, tick) = match end {
            End::Violation { line, tick, .. } => (*line, *tick),
            _ => (None, None),
        };
        let files: Vec<String> = self.files.iter().map(|file| file.display().to_string()).collect();
        let mut line = json!({
            "file": self.file,
            "model": self.model.name(),
            "verdict": verdict,
            "reason": why,
            "line": line,
            "tick": tick,
            "files": files,
            "operations": self.window.arrived(),
            "remembered": self.window.remembered(),
            "threads": self.window.threads(),
            "locations": self.window.locations(),
            "source": self.source.map(Source::name),
            "seconds": self.time.as_secs_f64(),
        });
        if !self.notes.is_empty() {
            line["notes"] = json!(self.notes);
        }
        self.run.add_to_json(&mut line);
        writeln!(out, "{line}")
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
