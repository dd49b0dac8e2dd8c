//! What there is to say in the end.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use check::Model;
use check::online::{Arrival, Broken, Why};
use history::Source;
use serde_json::json;

use super::End;
use super::window::Window;
use crate::check::paint::Paint;
use crate::ending::RunEnd;

/// What there is to say in the end.
pub struct Said<'a> {
    pub file: &'a str,
    pub model: Model,
    pub window: &'a Window,
    pub source: Option<Source>,
    pub time: Duration,
    pub run: RunEnd<'a>,
}

impl Said<'_> {
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
        if let End::Violation { explained, .. } = end {
            match explained {
                Some(explained) => write!(out, "{explained}")?,
                None => writeln!(
                    out,
                    "  what it follows from is forgotten: `rubric check` proves it from the recorded trace"
                )?,
            }
        }
        let incomplete = self.run.note().filter(|_| self.run.crash.is_none());
        for note in incomplete.into_iter().chain(self.window.notes()) {
            writeln!(out, "  {} {note}", paint.faint("note:"))?;
        }
        Ok(())
    }

    pub fn json(&self, end: &End, out: &mut dyn Write) -> io::Result<()> {
        let (verdict, why, line) = match end {
            End::Consistent(why) => ("consistent", why, None),
            End::Violation { why, line, .. } => ("violation", why, *line),
            End::Undecided(why) => ("undecided", why, None),
        };
        let mut line = json!({
            "file": self.file,
            "model": self.model.name(),
            "verdict": verdict,
            "reason": why,
            "line": line,
            "operations": self.window.arrived(),
            "remembered": self.window.remembered(),
            "threads": self.window.threads(),
            "locations": self.window.locations(),
            "source": self.source.map(Source::name),
            "seconds": self.time.as_secs_f64(),
        });
        self.run.add_to_json(&mut line);
        writeln!(out, "{line}")
    }
}

/// Why it is wrong.
pub fn reason(window: &Window, broken: &Broken) -> String {
    let named = |it: &Arrival| window.named(it);
    match broken {
        Broken::Cycle(before, after, why) => {
            let (first, second) = (named(before), named(after));
            let because = match why {
                Why::ProgramOrder => "program order".to_owned(),
                Why::ReadsFrom => "the second reads what the first writes".to_owned(),
                Why::OwnEarlier(read) => format!(
                    "{} comes after the first in its thread, and returns the value of the second",
                    named(read)
                ),
                Why::Observed(read) => format!(
                    "{} comes after the first, and returns the value of the second",
                    named(read)
                ),
                Why::Overtaken => "the first reads what the second overwrites".to_owned(),
                Why::Forgotten => "operations that are forgotten said so".to_owned(),
            };
            format!("{first} must come before {second}, since {because}; but it comes after it")
        }
        Broken::Stale(read, write) => format!(
            "{} returns the initial value, but {} comes before it",
            named(read),
            named(write)
        ),
        Broken::Overwritten(read) => format!(
            "{} returns a value that was overwritten long before",
            named(read)
        ),
        Broken::ThinAir(read) => format!("{} returns a value that nobody has written", named(read)),
    }
}
