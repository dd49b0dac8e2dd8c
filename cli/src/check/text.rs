//! Verdicts as human-readable text: the verdict first, then the reason.

use std::io::{self, Write};

use certify::certificate::Node;
use check::engine::proof::{Block, Contradiction, Violation};
use check::papers::criteria::violation::CriterionViolation;
use check::verdict::Stage;
use check::{Algorithm, Model, Outcome, Reason, Verdict};
use history::{History, OpId};

use super::certificates::Written;
use super::comparison::{self, Comparison};
use super::paint::Paint;
use super::{Decided, Printer};
use crate::ending::RunEnd;
use lab::load::Input;
use lab::text::tame;
use report::assumptions;
use report::explain::notes::Cycle;
use report::explain::{criterion, why};

/// Number of cases of a proof that are printed in full.
const CASES_IN_FULL: usize = 4;
/// Most histories that the table at the end lists.
const MOST_LISTED: usize = 40;
/// Number of characters of a history's name that are printed.
const NAME_CHARACTERS: usize = 60;

/// A row of the table at the end: what was checked, and the verdict under each model or criterion.
#[derive(Default)]
struct Row {
    name: String,
    threads: usize,
    operations: usize,
    verdicts: Vec<(&'static str, &'static str)>,
    /// Whether the run crashed.
    crashed: bool,
}

/// Prints text.
pub struct Text {
    paint: Paint,
    rows: Vec<Row>,
    /// The last violation printed: history, model and text.
    last: Option<(String, Model, Vec<u8>)>,
    /// Whether the crash of the file's run was printed.
    crash_is_printed: bool,
}

impl Text {
    /// Creates a printer.
    pub fn new(paint: Paint) -> Text {
        Text { paint, rows: Vec::new(), last: None, crash_is_printed: false }
    }

    fn painted(&self, word: &str, padded: &str) -> String {
        match word {
            "consistent" => self.paint.good(padded),
            "violation" => self.paint.bad(padded),
            _ => self.paint.unsure(padded),
        }
    }

    fn note(&mut self, decided: &Decided<'_>, verdict: &'static str) {
        let name = name(decided.input, decided.history);
        let same = self.rows.last().is_some_and(|row| {
            row.name == name
                && row.verdicts.iter().all(|(subject, _)| *subject != decided.subject())
        });
        if !same {
            self.rows.push(Row {
                name,
                threads: decided.history.threads().len(),
                operations: decided.history.operations(),
                verdicts: Vec::new(),
                crashed: decided.history.provenance.crash.is_some(),
            });
        }
        if let Some(row) = self.rows.last_mut() {
            row.verdicts.push((decided.subject(), verdict));
        }
    }

    /// Prints why a history violates a model, once for all models that fail for the same reason.
    fn reason(
        &mut self,
        decided: &Decided<'_>,
        violation: &Violation,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut text = Vec::new();
        self.violation(decided.history, violation, &mut text)?;
        let name = name(decided.input, decided.history);
        match &self.last {
            Some((last, model, reason)) if *last == name && *reason == text => {
                writeln!(out, "  for the same reason as under {model}")
            }
            _ => {
                out.write_all(&text)?;
                self.last = Some((name, decided.model, text));
                Ok(())
            }
        }
    }

    fn violation(
        &self,
        history: &History,
        violation: &Violation,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        writeln!(out, "  {}", why::headline(history, violation))?;
        if let Contradiction::ThinAir(op) = violation.last().end {
            writeln!(out, "    {}", why::operation(history, op))?;
            writeln!(
                out,
                "    if memory held that value before the trace begins, say so: --initial infer, or a file"
            )?;
        }
        let cases = violation.blocks.len();
        if cases == 1 {
            return self.block(history, violation.last(), "    ", out);
        }
        for (case, block) in violation.blocks.iter().enumerate() {
            if case >= CASES_IN_FULL && case + 1 < cases {
                continue;
            }
            let assumed = block.assumptions.iter();
            let assumed = assumed.map(|&assumed| why::assumption(history, assumed));
            let assumed: Vec<String> = assumed.collect();
            if assumed.is_empty() {
                writeln!(out, "    in any case:")?
            } else {
                writeln!(out, "    case {}: assume {}:", case + 1, assumed.join(", "))?
            }
            self.block(history, block, "      ", out)?;
        }
        if cases > CASES_IN_FULL + 1 {
            let left = cases - CASES_IN_FULL - 1;
            writeln!(out, "    and {left} more cases; --certificate writes all of the proof")?;
        }
        if !violation.resolvents.is_empty() {
            writeln!(
                out,
                "    one of the cases always holds: the proof shows it in {} steps",
                violation.resolvents.len()
            )?;
        }
        Ok(())
    }

    fn block(
        &self,
        history: &History,
        block: &Block,
        indent: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Some(cycle) = why::cycle(history, block) else {
            return Ok(());
        };
        let proof = Violation { blocks: vec![block.clone()], resolvents: Vec::new() };
        self.cycle(history, &cycle, proof.operations(|_| None), indent, out)
    }

    /// Why a history does not satisfy a criterion.
    fn criterion_violation(
        &self,
        history: &History,
        violation: &CriterionViolation,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        writeln!(out, "  {}", criterion::headline(history, violation))?;
        let cycle = criterion::cycle(history, violation);
        self.cycle(history, &cycle, violation.operations(), "    ", out)
    }

    /// A cycle with its notes, and those of the proof's operations that the cycle does not show.
    fn cycle(
        &self,
        history: &History,
        cycle: &Cycle,
        mut operations: Vec<OpId>,
        indent: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        for (at, edge) in cycle.edges.iter().enumerate() {
            if at == 0 {
                writeln!(out, "{indent}{}", place(history, edge.before))?;
            }
            let cited = edge.letter.as_ref().map(|letter| format!(" [{letter}]"));
            let label = format!("{}{}", edge.name, cited.unwrap_or_default());
            writeln!(out, "{indent}  | {}", self.paint.faint(&label))?;
            let last = at + 1 == cycle.edges.len();
            let back = if last { " (again)" } else { "" };
            writeln!(out, "{indent}{}{back}", place(history, edge.after))?;
        }
        for note in &cycle.notes {
            writeln!(out, "{indent}[{}] {}", note.letter, note.text)?;
        }
        let shown = |op: &OpId| cycle.edges.iter().any(|edge| edge.before == Node::Op(*op));
        operations.retain(|op| !shown(op));
        if !operations.is_empty() {
            writeln!(out, "{indent}with")?;
        }
        for op in operations {
            writeln!(out, "{indent}  {}", why::operation(history, op))?;
        }
        Ok(())
    }
}

impl Printer for Text {
    fn crash(&mut self, input: &Input, history: &History, out: &mut dyn Write) -> io::Result<()> {
        let end = RunEnd::of(history, &input.ending);
        self.crash_is_printed = end.crash.is_some();
        end.print(&name(input, history), self.paint, out)
    }

    fn verdict(&mut self, decided: &Decided<'_>, out: &mut dyn Write) -> io::Result<()> {
        let history = decided.history;
        let word = word(&decided.outcome.verdict);
        self.note(decided, word);
        writeln!(
            out,
            "{} {:4} {}  ({} threads, {} {}operations; {}, {:.3} s)",
            self.painted(word, &format!("{word:10}")),
            decided.subject(),
            name(decided.input, history),
            history.threads().len(),
            history.operations(),
            match history.provenance.crash {
                Some(_) => "completed ",
                None => "",
            },
            match decided.criterion() {
                Some(_) => format!("weaker than {}", decided.model),
                None => format!("{} by {}", decided.model, decided.outcome.decided_by),
            },
            decided.seconds,
        )?;
        if let Some(fired) = decided.outcome.statistics.fired {
            writeln!(out, "  {} does not hold", fired.name())?;
        }
        if let Some(line) = backtracks(&decided.outcome) {
            writeln!(out, "  {line}")?;
        }
        match &decided.outcome.verdict {
            Verdict::Consistent(_) => {}
            Verdict::Violation(violation) => self.reason(decided, violation, out)?,
            Verdict::Undecided(reason) => undecided(history, reason, out)?,
            Verdict::CriterionViolation(violation) => {
                self.criterion_violation(decided.history, violation, out)?;
            }
            Verdict::Unproved => writeln!(
                out,
                "  {} found no run; no proof was found in the time and memory left",
                decided.algorithm.name()
            )?,
            Verdict::Satisfied => {}
        }
        for caveat in &decided.caveats {
            writeln!(out, "  {} {caveat}", self.paint.faint("note:"))?;
        }
        if let Some(Written { path, steps, bytes }) = &decided.certificate {
            let what = match decided.outcome.verdict {
                Verdict::Violation(_) | Verdict::CriterionViolation(_) => "a proof",
                _ => "a run",
            };
            let path = path.display();
            writeln!(out, "  certificate: {path} ({what} of {steps} steps, {bytes} bytes)")?;
        }
        Ok(())
    }

    fn comparison(&mut self, compared: &Comparison<'_>, out: &mut dyn Write) -> io::Result<()> {
        if let Some(stages) = compared.decided.first() {
            self.verdict(stages, out)?;
        }
        writeln!(
            out,
            "\n  {:14} {:6} {:10} {:>9}  {:>21}  search",
            "algorithm", "about", "verdict", "seconds", "pairs ordered"
        )?;
        for decided in &compared.decided {
            let word = word(&decided.outcome.verdict);
            writeln!(
                out,
                "  {:14} {:6} {} {:9.3}  {:>21}  {}",
                decided.algorithm.name(),
                subject(decided),
                self.painted(word, &format!("{word:10}")),
                decided.seconds,
                comparison::pairs(decided),
                comparison::effort(decided),
            )?;
        }
        writeln!(out)
    }

    fn file(&mut self, input: &Input, out: &mut dyn Write) -> io::Result<()> {
        // Most assumptions are the same for all histories of a file.
        let mut told: Vec<String> = Vec::new();
        for history in &input.histories {
            let end = RunEnd::of(history, &input.ending);
            let note = end.note().filter(|_| !self.crash_is_printed);
            for assumption in note.into_iter().chain(assumptions::of(&history.provenance)) {
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

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.rows.len() > MOST_LISTED {
            return totals(&self.rows, out);
        }
        if self.rows.len() < 2 {
            return Ok(());
        }
        let width = self.rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
        write!(out, "\n{:width$}  threads  operations", "history")?;
        for (subject, _) in &self.rows[0].verdicts {
            write!(out, "  {subject:10}")?;
        }
        writeln!(out)?;
        for row in &self.rows {
            write!(out, "{:width$}  {:7}  {:10}", row.name, row.threads, row.operations)?;
            for (_, word) in &row.verdicts {
                write!(out, "  {}", self.painted(word, &format!("{word:10}")))?;
            }
            if row.crashed {
                write!(out, "  {}", self.paint.bad("crashed"))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// Why a history violates a model, as it is printed, without colour.
pub fn explanation(history: &History, violation: &Violation) -> String {
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = Text::new(Paint::plain()).violation(history, violation, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// How many histories had each verdict under each model.
fn totals(rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
    let mut counts: Vec<((&str, &str), usize)> = Vec::new();
    for verdict in rows.iter().flat_map(|row| &row.verdicts) {
        match counts.iter_mut().find(|(known, _)| known == verdict) {
            Some((_, count)) => *count += 1,
            None => counts.push((*verdict, 1)),
        }
    }
    writeln!(out, "\n{} histories", rows.len())?;
    for ((subject, word), count) in counts {
        writeln!(out, "{subject:4} {word:10} {count}")?;
    }
    match rows.iter().filter(|row| row.crashed).count() {
        0 => {}
        crashed => writeln!(out, "{:15} {crashed}", "crashed")?,
    }
    Ok(())
}

fn undecided(history: &History, reason: &Reason, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  {}", reason.describe(history))
}

/// The model or the weaker criterion that an algorithm is asked about.
fn subject(decided: &Decided<'_>) -> &'static str {
    match decided.algorithm.criterion() {
        Some(criterion) if criterion.len() <= 4 => criterion,
        Some(_) => "wsc",
        None => decided.model.name(),
    }
}

/// The word for a verdict.
pub fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Consistent(_) | Verdict::Satisfied => "consistent",
        Verdict::Violation(_) | Verdict::Unproved | Verdict::CriterionViolation(_) => "violation",
        Verdict::Undecided(_) => "undecided",
    }
}

/// File, and the history's name if it has one.
fn name(input: &Input, history: &History) -> String {
    let name = match &history.name {
        Some(name) => format!("{}: {}", input.file, shortened(name)),
        None => input.file.clone(),
    };
    // Control characters in a name must not reach the terminal.
    tame(&name)
}

/// A name that leaves room on the line.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(NAME_CHARACTERS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// An operation with what is needed to find it in the trace.
fn place(history: &History, node: Node) -> String {
    match node {
        Node::Op(op) => why::operation(history, op),
        Node::Initial(_) | Node::Final(_) => why::node(history, node),
    }
}

/// How often an algorithm that backtracks did so.
fn backtracks(outcome: &Outcome) -> Option<String> {
    let Stage::By(Algorithm::HeuBack | Algorithm::DerivBack) = outcome.decided_by else {
        return None;
    };
    let statistics = &outcome.statistics;
    Some(match statistics.backtracks {
        0 => "no backtracks".to_owned(),
        1 => format!("1 backtrack, deepest {}", statistics.depth),
        number => format!("{number} backtracks, deepest {}", statistics.depth),
    })
}
