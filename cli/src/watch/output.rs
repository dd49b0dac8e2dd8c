//! Prints the result of watching a trace: [`Output`].

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use check::Model;
use history::Source;
use report::assumptions;
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
        let (word, why) = match end {
            End::Consistent(why) => (paint.good("consistent"), why),
            End::Violation { why, .. } => (paint.bad("violation "), why),
            End::Undecided(why) => (paint.unsure("undecided "), why),
        };
        writeln!(
            out,
            "{word} {:4} {}  ({} threads, {} operations, {:.0} a second, {} remembered; {:.3} s)",
            self.model.name(),
            self.file,
            self.window.threads(),
            self.window.arrived(),
            self.window.arrived() as f64 / self.time.as_secs_f64().max(1e-6),
            self.window.remembered(),
            self.time.as_secs_f64()
        )?;
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
        let assumed = assumptions::of(&self.window.provenance(self.source));
        for note in incomplete.into_iter().chain(assumed).chain(self.notes.iter().cloned()) {
            writeln!(out, "  {} {note}", paint.faint("note:"))?;
        }
        Ok(())
    }

    pub fn json(&self, end: &End, out: &mut dyn Write) -> io::Result<()> {
        let (verdict, why, line, tick) = match end {
            End::Consistent(why) => ("consistent", why, None, None),
            End::Violation { why, line, tick, .. } => ("violation", why, *line, *tick),
            End::Undecided(why) => ("undecided", why, None, None),
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
