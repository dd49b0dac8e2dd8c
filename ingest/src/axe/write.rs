//! A history as axe text.

use std::io::{self, Write};

use history::{Ambiguity, History, Kind, OpId, Operation, ReadSource, ReadsFrom};
use thiserror::Error;

/// Why a history could not be written as axe text.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The output cannot be written.
    #[error("the output cannot be written: {0}")]
    Io(#[from] io::Error),
    /// The format has no words for it.
    #[error("{what}: the axe format cannot say that; write JSON or Parquet instead")]
    CannotSay {
        /// Which operation or location, and what about it.
        what: String,
    },
}

fn cannot_say(what: String) -> WriteError {
    WriteError::CannotSay { what }
}

/// Writes a history, thread by thread, its final values and `check`. Sizes of locations, trace
/// lines and notes are lost.
///
/// # Errors
/// What the format cannot say: load-linked and store-conditional, failed compare-and-swap, split
/// accesses, values the trace does not show, stores of 0, initial values other than 0.
pub fn write(history: &History, out: &mut impl Write) -> Result<(), WriteError> {
    check_history(history)?;
    if let Some(name) = &history.name {
        writeln!(out, "# {}", one_line(name))?;
    }
    for op in history.ops() {
        write_operation(history, op, out)?;
    }
    for last in history.finals() {
        let cell = history.locations()[last.location as usize].address;
        writeln!(out, "final M[{cell}] == {}", last.value)?;
    }
    writeln!(out, "check")?;
    Ok(())
}

/// A name is one comment, whatever is in it.
fn one_line(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

fn check_history(history: &History) -> Result<(), WriteError> {
    if history.provenance.split {
        return Err(cannot_say(
            "accesses of different sizes overlap and were split".to_owned(),
        ));
    }
    for (at, location) in history.locations().iter().enumerate() {
        match history.initial(at as u32) {
            Some(0) => {}
            Some(value) => {
                return Err(cannot_say(format!(
                    "location {location} holds {value} at the start, not 0"
                )));
            }
            None if history
                .finals()
                .iter()
                .any(|last| last.location == at as u32) =>
            {
                return Err(cannot_say(format!(
                    "location {location} has a final value, and what it holds at the start is unknown"
                )));
            }
            // Nothing reads it.
            None => {}
        }
    }
    check_unfinished(history)
}

/// A read that a cut-off store may have served would turn into a read of a value from nowhere.
fn check_unfinished(history: &History) -> Result<(), WriteError> {
    if history.provenance.unfinished.is_empty() {
        return Ok(());
    }
    let Ok(reads_from) = ReadsFrom::derive(history, Ambiguity::Keep) else {
        return Ok(());
    };
    let unfinished = |&op: &OpId| reads_from.source(op) == Some(ReadSource::UnfinishedStore);
    match history.ops().find(unfinished) {
        None => Ok(()),
        Some(op) => Err(cannot_say(format!(
            "{} reads what only a store without a completion may have written",
            name(history, op)
        ))),
    }
}

fn write_operation(history: &History, op: OpId, out: &mut impl Write) -> Result<(), WriteError> {
    let operation = history.operation(op);
    let cell = operation
        .location
        .map_or(0, |at| history.locations()[at as usize].address);
    let hidden = || {
        cannot_say(format!(
            "{} has a value that is not known",
            name(history, op)
        ))
    };
    let read = || operation.read.ok_or_else(hidden);
    let written = || match operation.written {
        None => Err(hidden()),
        Some(0) => Err(cannot_say(format!(
            "{} stores 0, which every location holds from the start",
            name(history, op)
        ))),
        Some(value) => Ok(value),
    };
    let thread = operation.thread;
    match operation.kind {
        Kind::Fence => write!(out, "{thread}: sync")?,
        Kind::Load => write!(out, "{thread}: M[{cell}] == {}", read()?)?,
        Kind::Store => write!(out, "{thread}: M[{cell}] := {}", written()?)?,
        Kind::Rmw => {
            let (read, written) = (read()?, written()?);
            write!(
                out,
                "{thread}: <M[{cell}] == {read}; M[{cell}] := {written}>"
            )?;
        }
        Kind::FailedCas | Kind::LoadLinked | Kind::StoreConditional => {
            return Err(cannot_say(format!(
                "{} is a {}",
                name(history, op),
                operation.kind.name()
            )));
        }
    }
    write_ticks(&operation, out)?;
    Ok(())
}

fn write_ticks(operation: &Operation, out: &mut impl Write) -> io::Result<()> {
    match (operation.issued, operation.completed) {
        (None, None) => writeln!(out),
        (Some(issued), None) => writeln!(out, " @ {issued} :"),
        (None, Some(completed)) => writeln!(out, " @ : {completed}"),
        (Some(issued), Some(completed)) => writeln!(out, " @ {issued} : {completed}"),
    }
}

/// An operation, for a message.
fn name(history: &History, op: OpId) -> String {
    let operation = history.operation(op);
    let line = operation
        .line
        .map_or(String::new(), |line| format!(", line {line} of the trace"));
    format!(
        "operation {} of thread {} ({}{line})",
        operation.index,
        operation.thread,
        history.describe(op)
    )
}
