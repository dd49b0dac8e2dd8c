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
/// What the format cannot say: load-linked and store-conditional, failed compare-and-swap, fences
/// that are not full, acquire and release annotations, split accesses, values the trace does not show, stores of 0, initial values other than 0,
/// instructions that were not understood, reads of writes that were not recorded.
pub fn write(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    check_history(history)?;
    let text = Text { history, numbers: None, is_plain: false };
    text.write(out)
}

/// Whether the Axe checker can read the numbers of a history as they are, and takes its locations to begin as they do.
/// It reads at most nine digits, values below 2^23, and every location begins with 0.
pub fn is_small(history: &History) -> bool {
    Numbers::are_small(history) && check_initial(history).is_ok()
}

/// Writes a history for checkers that take less than the format allows, as the stored versions of Axe do: without
/// ticks and the last `check`, and with braces around a read-modify-write. Unless its numbers are [small](is_small) (as
/// gem5's addresses and the values of random programs are not) threads, locations and values are numbered, the initial
/// value 0 and those written 1, 2, …; comments say what they were.
///
/// # Errors
/// As [`write()`], but where values are numbered a location may hold anything at the start.
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

/// A history on its way to a text.
struct Text<'a> {
    history: &'a History,
    /// What stands for its numbers, if they do not stand for themselves.
    numbers: Option<Numbers>,
    /// Without what some checkers do not read: ticks, angle brackets, and a `check` after which nothing comes.
    is_plain: bool,
}

/// A name is one comment, whatever is in it.
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

/// Other formats keep what withholds a verdict: that writes may be missing, so that a value that nobody wrote is no thin-air read.
/// Here it would turn into a violation.
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
                "location {location} holds {value} at the start, not 0"
            )));
        }
    }
    Ok(())
}

/// A final value of a location that may have held it from the start would turn into a value from nowhere. Nothing reads
/// what is unknown otherwise.
fn check_unknown_initial(history: &History) -> Result<(), WriteError> {
    let is_unknown = |at: &u32| history.initial(*at).is_none();
    let mut finals = history.finals().iter().map(|last| last.location);
    match finals.find(is_unknown) {
        None => Ok(()),
        Some(at) => Err(inexpressible(format!(
            "location {} has a final value, and what it holds at the start is unknown",
            history.locations()[at as usize]
        ))),
    }
}

impl Text<'_> {
    fn write(&self, out: &mut dyn Write) -> Result<(), WriteError> {
        // The first comment is the name: it must not be what a number stands for.
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
                "{} stores {}, which its location holds from the start",
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
        match self.is_plain {
            true => writeln!(out)?,
            false => write_ticks(&operation, out)?,
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
