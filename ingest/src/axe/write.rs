//! A history as axe text.

use std::io::{self, Write};

use history::{Ambiguity, History, Kind, OpId, Operation, ReadSource, ReadsFrom};

use super::Axe;
use crate::error::{WriteError, named};
use crate::format::TraceFormat;
use crate::numbers::Numbers;

/// The error for what axe text cannot show.
fn inexpressible(what: String) -> WriteError {
    WriteError::Inexpressible { what, format: Axe.title(), instead: "JSON or Parquet" }
}

/// Writes a history, thread by thread, its final values and `check`. Sizes of locations, trace
/// lines and notes are lost.
///
/// # Errors
/// Returns [`WriteError::Inexpressible`] for what the format cannot say: load-linked and store-conditional, failed
/// compare-and-swap, fences that are not full, acquire and release annotations, split accesses, values the trace does not show,
/// stores of 0, initial values other than 0, instructions that were not understood, reads of writes that were not recorded.
/// Returns [`WriteError::Io`] if `out` cannot be written.
pub fn write(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    check_history(history)?;
    let text = Text { history, numbers: None, is_plain: false };
    text.write(out)
}

/// Whether the Axe checker can read a history without renumbering. It reads numbers of at most nine digits and values below
/// 2^23, and assumes that every location is initially 0.
pub fn is_small(history: &History) -> bool {
    Numbers::are_small(history) && check_initial(history).is_ok()
}

/// Writes a history for checkers that take less than the format allows, as the stored versions of Axe do: without
/// ticks and the last `check`, and with braces around a read-modify-write. Unless its numbers are [small](is_small) (as
/// gem5's addresses and the values of random programs are not) threads, locations and values are numbered, the initial
/// value 0 and those written 1, 2, …; comments say what they were.
///
/// # Errors
/// As [`write()`], except that initial values other than 0 are allowed, since they are numbered.
pub fn write_small(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    check_history_but_initial(history)?;
    check_unknown_initial(history)?;
    let text = Text {
        history,
        numbers: (!is_small(history)).then(|| Numbers::of(history)),
        is_plain: true,
    };
    text.write(out)
}

/// A history and how it is to be written.
struct Text<'a> {
    history: &'a History,
    /// The small numbers that replace the history's own, if it is renumbered.
    numbers: Option<Numbers>,
    /// Whether to leave out what some checkers do not read: ticks, angle brackets, and the `check` at the end.
    is_plain: bool,
}

/// Replaces control characters by spaces, so that a name stays a comment of one line.
fn one_line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn check_history(history: &History) -> Result<(), WriteError> {
    check_history_but_initial(history)?;
    check_initial(history)
}

fn check_history_but_initial(history: &History) -> Result<(), WriteError> {
    if history.provenance.split {
        return Err(inexpressible("accesses of different sizes overlap and were split".to_owned()));
    }
    if let Some(what) = history.provenance.not_understood.first() {
        return Err(inexpressible(format!(
            "line {} of the trace: `{}` is not understood, which withholds verdicts",
            what.line, what.instruction
        )));
    }
    check_sources(history)
}

/// Refuses a history with a read that may take its value from a write that is not recorded. Other formats keep the note that
/// writes may be missing, which makes the verdict undecided; in axe text the read would become a thin-air violation.
fn check_sources(history: &History) -> Result<(), WriteError> {
    let provenance = &history.provenance;
    let may_lack_writes = !provenance.unfinished.is_empty()
        || provenance.unrecorded_writes
        || provenance.outside_writes;
    if !may_lack_writes {
        return Ok(());
    }
    let Ok(reads_from) = ReadsFrom::derive(history, Ambiguity::Keep) else {
        return Ok(());
    };
    let missing = |op: OpId| match reads_from.source(op)? {
        ReadSource::UnfinishedStore => Some((op, "only a store without a completion")),
        ReadSource::Unrecorded | ReadSource::Outside => {
            Some((op, "only a write that is not in the history"))
        }
        _ => None,
    };
    match history.ops().find_map(missing) {
        None => Ok(()),
        Some((op, what)) => {
            Err(inexpressible(format!("{} reads what {what} may have written", named(history, op))))
        }
    }
}

fn check_initial(history: &History) -> Result<(), WriteError> {
    check_unknown_initial(history)?;
    for (at, location) in history.locations().iter().enumerate() {
        if let Some(value) = history.initial(at as u32).filter(|value| *value != 0) {
            return Err(inexpressible(format!(
                "the initial value of location {location} is {value}, not 0"
            )));
        }
    }
    Ok(())
}

/// Refuses a final value of a location whose initial value is unknown: it may be the initial value, and in axe text it would
/// become a value that nothing wrote. Otherwise an unknown initial value does no harm, since nothing reads it.
fn check_unknown_initial(history: &History) -> Result<(), WriteError> {
    let is_unknown = |at: &u32| history.initial(*at).is_none();
    let mut finals = history.finals().iter().map(|last| last.location);
    match finals.find(is_unknown) {
        None => Ok(()),
        Some(at) => Err(inexpressible(format!(
            "location {} has a final value, but its initial value is unknown",
            history.locations()[at as usize]
        ))),
    }
}

impl Text<'_> {
    fn write(&self, out: &mut dyn Write) -> Result<(), WriteError> {
        // The first comment is read as the name, so a comment about numbers must not come first.
        match (&self.history.name, &self.numbers) {
            (Some(name), _) => writeln!(out, "# {}", one_line(name))?,
            (None, Some(_)) => writeln!(out, "# numbered")?,
            (None, None) => {}
        }
        if let Some(crash) = &self.history.provenance.crash {
            if self.history.name.is_none() && self.numbers.is_none() {
                writeln!(out, "# crashed")?;
            }
            writeln!(out, "# the run crashed: {}", one_line(&crash.headline()))?;
        }
        if let Some(numbers) = &self.numbers {
            numbers.explain(self.history, out)?;
        }
        for op in self.history.ops() {
            self.write_operation(op, out)?;
        }
        for last in self.history.finals() {
            let value = self.value(last.location, last.value);
            writeln!(out, "final M[{}] == {value}", self.cell(last.location))?;
        }
        if !self.is_plain {
            writeln!(out, "check")?;
        }
        Ok(())
    }

    fn cell(&self, location: u32) -> u64 {
        match self.numbers {
            Some(_) => u64::from(location),
            None => self.history.locations()[location as usize].address,
        }
    }

    fn value(&self, location: u32, value: u64) -> u64 {
        match &self.numbers {
            Some(numbers) => numbers.value(location, value),
            None => value,
        }
    }

    fn write_operation(&self, op: OpId, out: &mut dyn Write) -> Result<(), WriteError> {
        let operation = self.history.operation(op);
        if !operation.annotation.is_none() {
            return Err(inexpressible(format!(
                "{} has an acquire or release annotation",
                named(self.history, op)
            )));
        }
        let at = operation.location.unwrap_or(0);
        let cell = operation.location.map_or(0, |at| self.cell(at));
        let hidden =
            || inexpressible(format!("{} has a value that is not known", named(self.history, op)));
        let read = || operation.read.map(|it| self.value(at, it)).ok_or_else(hidden);
        let written = || match operation.written.map(|it| self.value(at, it)) {
            None => Err(hidden()),
            Some(0) => Err(inexpressible(format!(
                "{} stores {}, the initial value of its location",
                named(self.history, op),
                operation.written.unwrap_or(0)
            ))),
            Some(value) => Ok(value),
        };
        let thread = match self.numbers {
            Some(_) => self.history.thread_of(op) as u64,
            None => u64::from(operation.thread),
        };
        match operation.kind {
            Kind::Fence => write!(out, "{thread}: sync")?,
            Kind::Load => write!(out, "{thread}: M[{cell}] == {}", read()?)?,
            Kind::Store => write!(out, "{thread}: M[{cell}] := {}", written()?)?,
            Kind::Rmw => {
                let (read, written) = (read()?, written()?);
                let (open, close) = if self.is_plain { ("{ ", " }") } else { ("<", ">") };
                write!(out, "{thread}: {open}M[{cell}] == {read}; M[{cell}] := {written}{close}")?;
            }
            Kind::FailedCas | Kind::LoadLinked | Kind::StoreConditional | Kind::WeakFence(_) => {
                return Err(inexpressible(format!(
                    "{} is a {}",
                    named(self.history, op),
                    operation.kind.name()
                )));
            }
        }
        if self.is_plain {
            writeln!(out)?
        } else {
            write_ticks(&operation, out)?
        }
        Ok(())
    }
}

fn write_ticks(operation: &Operation, out: &mut dyn Write) -> io::Result<()> {
    match (operation.issued, operation.completed) {
        (None, None) => writeln!(out),
        (Some(issued), None) => writeln!(out, " @ {issued}:"),
        (None, Some(completed)) => writeln!(out, " @ :{completed}"),
        (Some(issued), Some(completed)) => writeln!(out, " @ {issued}:{completed}"),
    }
}
