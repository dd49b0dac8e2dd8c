//! A history as the trace that gem5 would print of it.
//!
//! Each operation is printed as the request and the completion of a Ruby sequencer (flags
//! ProtocolTrace without transitions, RubySequencer and RubyPort), at its ticks. Where program order
//! cannot be seen in that (fences, store buffers), its client's lines are printed besides.
//! `plan` decides what is printed when, `text` spells it.

mod plan;
mod text;

use std::io::Write;

use history::{History, Kind, OpId};

use super::Gem5;
use crate::error::WriteError;
use crate::format::TraceFormat;

use plan::{Plan, Start};
use text::{Access, Text};

/// The error for what a trace cannot show.
pub(super) fn inexpressible(what: impl Into<String>) -> WriteError {
    WriteError::Inexpressible {
        what: what.into(),
        format: Gem5.title(),
        instead: "axe text or Parquet",
    }
}

/// Writes a history of cells as a trace: cell `c` becomes the 8 bytes at `0x1000 + 64 c`, alone on
/// its cache line. The history's name is the `command line:` at the top. Reading the trace gives
/// the same operations with the same order of completions.
///
/// Cost: linear but for a sort of the ticks of issue; about 40 bytes of memory an operation.
///
/// # Errors
/// If the output cannot be written, or the history has what a trace cannot show: operations
/// without ticks or values, two that complete at one tick, sizes, initial and final values,
/// load-linked and store-conditional, weak fences, acquire and release annotations.
pub fn write(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    check(history)?;
    let plan = Plan::new(history)?;
    let mut text = Text::new(history);
    if let Some(name) = &history.name {
        text.command_line(name);
    }
    let mut starts = plan.starts();
    for &op in plan.order() {
        let access = access(history, op)?;
        let cycles = plan.cycles(op);
        if let Some(cycles) = cycles {
            let done = plan.done(op);
            print_starts(history, starts.until(done), &mut text)?;
            text.completion(&access, done, cycles);
        }
        if let Some(seen) = plan.seen(op) {
            print_starts(history, starts.until(seen), &mut text)?;
            text.client(&access, seen, cycles.is_none());
        }
        text.write_if_long(out)?;
    }
    text.write(out)?;
    Ok(())
}

fn print_starts(history: &History, starts: &[Start], text: &mut Text) -> Result<(), WriteError> {
    for start in starts {
        let access = access(history, start.op)?;
        if start.request {
            text.request(&access, start.tick);
        } else {
            text.client(&access, start.tick, false);
        }
    }
    Ok(())
}

/// What the lines of an operation show of it.
fn access(history: &History, op: OpId) -> Result<Access, WriteError> {
    let thread = history.thread_of(op);
    let kind = history.kind(op);
    let cell = |location| history.locations()[location as usize].address;
    let (read, written) = (history.read(op), history.written(op));
    let is_hidden = (kind.reads() && read.is_none()) || (kind.writes() && written.is_none());
    let address = match history.location(op).map(cell) {
        None => Some(0),
        Some(cell) => address(cell),
    };
    match address {
        Some(address) if !is_hidden => Ok(Access {
            thread,
            index: op.0 - history.threads()[thread].first().0,
            kind,
            address,
            read: read.unwrap_or(0),
            written: written.or(read).unwrap_or(0),
        }),
        None => Err(inexpressible(format!(
            "{} is too far up",
            history.describe(op)
        ))),
        Some(_) => Err(inexpressible(format!(
            "{} has a hidden value",
            history.describe(op)
        ))),
    }
}

/// The address of a cell: one cache line each, since completions of one line come in order.
fn address(cell: u64) -> Option<u64> {
    cell.checked_mul(64)?.checked_add(0x1000)
}

/// What is wrong with a history as a whole, or with the kind of an operation.
fn check(history: &History) -> Result<(), WriteError> {
    if history
        .locations()
        .iter()
        .any(|location| location.size.is_some())
    {
        return Err(inexpressible("locations with sizes"));
    }
    if !history.finals().is_empty() {
        return Err(inexpressible("final values"));
    }
    let locations = 0..history.locations().len() as u32;
    if let Some(location) = locations
        .into_iter()
        .find(|&l| history.initial(l) != Some(0))
    {
        let location = history.locations()[location as usize];
        return Err(inexpressible(format!(
            "{location} starts at another value than 0"
        )));
    }
    let has_no_line = |&op: &OpId| {
        let is_plain = matches!(
            history.kind(op),
            Kind::Load | Kind::Store | Kind::Rmw | Kind::FailedCas | Kind::Fence
        );
        !is_plain || !history.annotation(op).is_none()
    };
    match history.ops().find(has_no_line) {
        Some(op) => Err(inexpressible(history.describe(op))),
        None => Ok(()),
    }
}
