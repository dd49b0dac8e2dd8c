//! Verdicts as human-readable text: the verdict first, then the reason.

use std::io::{self, Write};

use check::engine::proof::Violation;
use check::verdict::Stage;
use check::{Answer, Model, Outcome, Verdict, assumptions};
use history::History;
use host::Paint;

use super::certificates::Written;
use super::comparison::{self, Comparison};
use super::{Decided, Printer};
use lab::ending::RunEnd;
use lab::load::Input;
use lab::text::shown;
use report::explain::words;
use tables::VerdictRow;

/// Prints text.
pub(crate) struct Text {
    paint: Paint,
    /// The last violation printed: history, model and text.
    last: Option<(String, Model, Vec<u8>)>,
    /// Whether the crash of the file's run was printed.
    crash_is_printed: bool,
}

impl Text {
    /// Creates a printer.
    pub(crate) fn new(paint: Paint) -> Text {
        Text { paint, last: None, crash_is_printed: false }
    }

    /// Prints why a history violates a model, once for all models that fail for the same reason.
    fn reason(
        &mut self,
        decided: &Decided<'_>,
        violation: &Violation,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut text = Vec::new();
        let paint = |label: &str| self.paint.faint(label);
        words::violation(decided.answer.history(), violation, &paint, &mut text)?;
        let name = decided.name();
        match &self.last {
            Some((last, model, reason)) if *last == name && *reason == text => {
                writeln!(out, "  for the same reason as under {model}")
            }
            _ => {
                out.write_all(&text)?;
                self.last = Some((name, decided.answer.model, text));
                Ok(())
            }
        }
    }
}

impl Printer for Text {
    fn crash(&mut self, input: &Input, history: &History, out: &mut dyn Write) -> io::Result<()> {
        let end = RunEnd::of(history, &input.ending);
        self.crash_is_printed = end.crash.is_some();
        end.write(&shown(&input.file, history), self.paint, out)
    }

    fn verdict(&mut self, decided: &Decided<'_>, out: &mut dyn Write) -> io::Result<()> {
        let answer = &decided.answer;
        let history = answer.history();
        let name = decided.name();
        let headline = answer.headline(&name);
        writeln!(out, "{}", headline.painted(|word| self.paint.verdict(headline.word, word)))?;
        if let Some(fired) = answer.outcome.statistics.fired {
            writeln!(out, "  {} does not hold", fired.name())?;
        }
        if let Some(line) = backtracks(&answer.outcome) {
            writeln!(out, "  {line}")?;
        }
        match answer.verdict() {
            Verdict::Consistent(_) => {}
            Verdict::Violation(violation) => self.reason(decided, violation, out)?,
            Verdict::Undecided(reason) => writeln!(out, "  {}", reason.describe(history))?,
            Verdict::CriterionViolation(violation) => {
                let paint = |label: &str| self.paint.faint(label);
                words::criterion_violation(history, violation, &paint, out)?;
            }
            Verdict::Unproved => writeln!(
                out,
                "  {} found no run; no proof was found in the time and memory left",
                answer.algorithm.name()
            )?,
            Verdict::Satisfied => {}
        }
        for caveat in answer.caveats() {
            writeln!(out, "  {} {caveat}", self.paint.faint("note:"))?;
        }
        if let Some(Written { path, steps, bytes }) = &decided.certificate {
            let what = match answer.verdict() {
                Verdict::Violation(_) | Verdict::CriterionViolation(_) => "a proof",
                _ => "a run",
            };
            let path = path.display();
            writeln!(out, "  certificate: {path} ({what} of {steps} steps, {bytes} bytes)")?;
        }
        Ok(())
    }

    fn unreadable(&mut self, _: &VerdictRow, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn comparison(&mut self, compared: &Comparison<'_>, out: &mut dyn Write) -> io::Result<()> {
        if let Some(stages) = compared.decided.first() {
            self.verdict(stages, out)?;
        }
        let names = compared.decided.iter().map(|decided| decided.answer.algorithm.name().len());
        let width = names.max().unwrap_or(0).max(SHORTEST_COLUMN);
        writeln!(
            out,
            "\n  {:width$} {:6} {:10} {:>9}  {:>21}  search",
            "algorithm", "about", "verdict", "seconds", "pairs ordered"
        )?;
        for decided in &compared.decided {
            let answer = &decided.answer;
            let word = answer.verdict().word();
            writeln!(
                out,
                "  {:width$} {:6} {} {:9.3}  {:>21}  {}",
                answer.algorithm.name(),
                subject(answer),
                self.paint.verdict(word, &format!("{word:10}")),
                answer.seconds,
                comparison::pairs(answer),
                comparison::effort(answer),
            )?;
        }
        writeln!(out)
    }

    fn file(&mut self, input: &Input, out: &mut dyn Write) -> io::Result<()> {
        // Most assumptions are the same for all histories of a file.
        let mut told: Vec<String> = Vec::new();
        for history in &input.histories {
            let end = RunEnd::of(history, &input.ending);
            let notes = end.note().into_iter().chain(input.ending.unexplained.clone());
            let notes = notes.filter(|_| !self.crash_is_printed);
            for assumption in notes.chain(assumptions::of(&history.provenance)) {
                if !told.contains(&assumption) {
                    told.push(assumption);
                }
            }
        }
        for line in told {
            writeln!(out, "  {} {line}", self.paint.faint("note:"))?;
        }
        self.crash_is_printed = false;
        Ok(())
    }
}

/// Width of the column of algorithms, unless a name is longer.
const SHORTEST_COLUMN: usize = 14;

/// The model or the weaker criterion that an algorithm is asked about.
fn subject(answer: &Answer<&History>) -> &'static str {
    match answer.criterion() {
        // Variants are named after it: `wsc-pattern`, `ccm-published`.
        Some(criterion) => criterion.split('-').next().unwrap_or(criterion),
        None => answer.model.name(),
    }
}

/// The number of backtracks, in words; `None` if the algorithm that decided does not backtrack.
fn backtracks(outcome: &Outcome) -> Option<String> {
    let backtracking = [papers::HEU_BACK, papers::DERIV_BACK].map(Stage::By);
    if !backtracking.contains(&outcome.decided_by) {
        return None;
    }
    let statistics = &outcome.statistics;
    Some(match statistics.backtracks {
        0 => "no backtracks".to_owned(),
        1 => format!("1 backtrack, deepest {}", statistics.depth),
        number => format!("{number} backtracks, deepest {}", statistics.depth),
    })
}
