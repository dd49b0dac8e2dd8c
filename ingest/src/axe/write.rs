//! Writes a history as axe text: [`write()`] as it is, [`write_small`] for programs that read small numbers alone.

use std::io::Write;

use history::{History, Kind, OpId, Operation, dependencies_as_text};

use super::Axe;
use super::remark::{self, MARK};
use crate::error::{WriteError, named};
use crate::expressible::beyond_operations;
use crate::format::TraceFormat;
use crate::numbers::{LARGEST, Numbers};

/// The error about something that axe text cannot express.
fn inexpressible(what: String) -> WriteError {
    WriteError::Inexpressible { what, format: Axe.title(), instead: "JSON or Parquet" }
}

/// Writes a history, thread by thread, its final values and `check`. Sizes of locations, trace
/// lines and notes are lost.
///
/// Returns [`WriteError::Inexpressible`] for what the format cannot express: split accesses, values that the trace does
/// not show, stores of 0, initial values other than 0 and unknown ones, instructions that were not understood, fences whose
/// order is not known, and reads and final values that a write which was not recorded may explain. Returns [`WriteError::Io`] if `out` cannot be written.
pub fn write(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    check_history(history)?;
    Text { history, numbers: None }.write(out)?;
    Ok(writeln!(out, "check")?)
}

/// Whether the Axe checker can read a history without renumbering. It reads numbers of at most nine digits and values below
/// 2^23, and assumes that every location is initially 0.
pub fn is_small(history: &History) -> bool {
    Numbers::are_small(history) && check_initial(history).is_ok()
}

/// Writes a history without the last `check`. Unless its numbers are [small](is_small), threads,
/// locations and values are numbered: the initial value of a location is 0, the others are 1, 2, …, and comments state
/// the original numbers. gem5's addresses and the values of random programs are not small. Ticks stay, since they decide
/// verdicts of models such as WMO.
///
/// # Errors
/// As [`write()`], except that initial values other than 0 are allowed, since they are numbered.
pub fn write_small(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    check_operations(history)?;
    let numbers = (!is_small(history)).then(|| Numbers::of(history));
    Text { history, numbers }.write(out)
}

/// A history and the form in which it is written.
struct Text<'a> {
    history: &'a History,
    /// The small numbers that replace the history's own, if it is renumbered.
    numbers: Option<Numbers>,
}

/// Replaces control characters by spaces, so that a name stays a comment of one line.
fn one_line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn check_history(history: &History) -> Result<(), WriteError> {
    check_operations(history)?;
    check_initial(history)
}

fn check_operations(history: &History) -> Result<(), WriteError> {
    beyond_operations(history).map_or(Ok(()), |what| Err(inexpressible(what)))
}

fn check_initial(history: &History) -> Result<(), WriteError> {
    for (at, location) in history.locations().iter().enumerate() {
        if let Some(value) = history.initial(at as u32).filter(|value| *value != 0) {
            return Err(inexpressible(format!(
                "the initial value of location {location} is {value}, not 0"
            )));
        }
    }
    Ok(())
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
        for thread in 0..self.history.threads().len() {
            let mut ticks = Ticks::default();
            for op in self.history.thread_ops(thread) {
                let ticks = ticks.of(&self.history.operation(op));
                self.write_operation(op, ticks, out)?;
            }
        }
        for last in self.history.finals() {
            let value = self.value(last.location, last.value);
            writeln!(out, "final M[{}] == {value}", self.cell(last.location))?;
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

    fn write_operation(
        &self,
        op: OpId,
        ticks: ShownTicks,
        out: &mut dyn Write,
    ) -> Result<(), WriteError> {
        let operation = self.history.operation(op);
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
        let words = self.remark(op, &operation, &ticks);
        match remark::shown(operation.kind) {
            Kind::Load => write!(out, "{thread}: M[{cell}] == {}", read()?)?,
            Kind::Store => write!(out, "{thread}: M[{cell}] := {}", written()?)?,
            Kind::Rmw => {
                let (read, written) = (read()?, written()?);
                write!(out, "{thread}: {{ M[{cell}] == {read}; M[{cell}] := {written} }}")?;
            }
            // The checker's one fence is a full one.
            Kind::WeakFence(weak) => write!(out, "{MARK}{thread}: {weak}")?,
            _ => write!(out, "{thread}: sync")?,
        }
        write_ticks(ticks.issued, ticks.completed, out)?;
        match operation.kind {
            _ if words.is_empty() => {}
            Kind::WeakFence(_) => write!(out, " {words}")?,
            _ => write!(out, " {MARK}{words}")?,
        }
        Ok(writeln!(out)?)
    }

    /// The words of the remark on an operation; empty if it needs none.
    fn remark(&self, op: OpId, operation: &Operation, ticks: &ShownTicks) -> String {
        let mut words = Vec::new();
        // Without a remark, a read-modify-write that writes back what it read may have failed.
        let has_written = operation.kind == Kind::Rmw && operation.read == operation.written;
        let is_shown = remark::shown(operation.kind) == operation.kind && !has_written;
        words.extend((!is_shown).then(|| operation.kind.name().to_owned()));
        let annotation = operation.annotation;
        words.extend((!annotation.is_none()).then(|| annotation.name().to_owned()));
        let depends = self.history.row(op).dependencies;
        words.extend((!depends.is_empty()).then(|| dependencies_as_text(&depends)));
        words.extend(ticks.hidden_issued.map(|tick| format!("issued:{tick}")));
        words.extend(ticks.hidden_completed.map(|tick| format!("completed:{tick}")));
        words.join(" ")
    }
}

/// The ticks of an operation: those that the Axe checker reads, and the hidden ones, which it would refuse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ShownTicks {
    issued: Option<u64>,
    completed: Option<u64>,
    hidden_issued: Option<u64>,
    hidden_completed: Option<u64>,
}

/// The latest begin-time of a thread, by which the ticks of the next operation are shown or hidden. The checker demands
/// that begin-times increase from operation to operation, that a store has no end-time, and that an end-time is larger
/// than the begin-times of its operation and of those before. Without a time it derives less order.
#[derive(Default)]
struct Ticks {
    last: Option<u64>,
}

impl Ticks {
    fn of(&mut self, operation: &Operation) -> ShownTicks {
        let is_fence = matches!(operation.kind, Kind::WeakFence(_));
        let readable = |tick: &u64, last| !is_fence && *tick <= LARGEST && last < Some(*tick);
        let issued = operation.issued.filter(|tick| readable(tick, self.last));
        self.last = issued.or(self.last);
        let is_store = remark::shown(operation.kind) == Kind::Store;
        let completed = operation.completed.filter(|tick| !is_store && readable(tick, self.last));
        ShownTicks {
            issued,
            completed,
            hidden_issued: operation.issued.filter(|_| issued.is_none()),
            hidden_completed: operation.completed.filter(|_| completed.is_none()),
        }
    }
}

fn write_ticks(
    issued: Option<u64>,
    completed: Option<u64>,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    match (issued, completed) {
        (None, None) => Ok(()),
        (Some(issued), None) => write!(out, " @ {issued}:"),
        (None, Some(completed)) => write!(out, " @ :{completed}"),
        (Some(issued), Some(completed)) => write!(out, " @ {issued}:{completed}"),
    }
}
