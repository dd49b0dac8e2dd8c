//! Writes a history as the trace that gem5 would print.
//!
//! Each operation is printed as the request and the completion of a Ruby sequencer (flags ProtocolTrace without
//! transitions, RubySequencer and RubyPort), at its ticks. If these lines do not show program order (because of fences
//! or store buffers), lines of a client are printed as well. `plan` decides at which tick each line is printed, and
//! [`super::text`] formats the lines.

mod plan;

use std::io::Write;

use history::{History, Kind, OpId};

use super::lines::fault::TITLE;
use super::text::{ClientLine, Names, Text};
use crate::error::WriteError;
use crate::expressible::beyond_operations;

use plan::{Plan, Start, keeps_ticks};

/// The error about something that a trace cannot express.
pub(super) fn inexpressible(what: impl Into<String>) -> WriteError {
    WriteError::Inexpressible { what: what.into(), format: TITLE, instead: "axe text or Parquet" }
}

/// Writes a history of cells as a trace: cell `c` becomes the 8 bytes at `0x1000 + 64 c`, alone on
/// its cache line. The history's name is the `command line:` at the top. Reading the trace gives
/// the same operations with the same order of completions.
///
/// Cost: linear but for a sort of the ticks of issue; about 40 bytes of memory an operation.
///
/// # Errors
/// Returns [`WriteError::Io`] if the output cannot be written, and [`WriteError::Inexpressible`] if the history has what a
/// trace cannot show: operations without ticks or values, two that complete at one tick, sizes, initial and final values,
/// load-linked and store-conditional, failed compare-and-swaps, weak fences, acquire and release annotations, dependencies.
pub fn write(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    check(history)?;
    let plan = Plan::new(history)?;
    let mut printer = Printer::new(history);
    let mut starts = plan.starts();
    for &op in plan.order() {
        let access = printer.access(op)?;
        let cycles = plan.cycles(op);
        if let Some(cycles) = cycles {
            let done = plan.done(op);
            printer.starts(starts.until(done))?;
            printer.completion(&access, done, cycles);
        }
        if let Some(seen) = plan.seen(op) {
            printer.starts(starts.until(seen))?;
            printer.client(&access, seen, cycles.is_none());
        }
        if printer.text.is_long() {
            out.write_all(printer.text.bytes())?;
            printer.text.clear();
        }
    }
    out.write_all(printer.text.bytes())?;
    Ok(())
}

/// Says what the trace of a history does not keep although it decides verdicts of some models.
pub(super) fn loss(history: &History) -> Option<&'static str> {
    (!keeps_ticks(history)).then_some(
        "the trace does not show all ticks of issue: verdicts of models that use them (wmo, rmo) may differ",
    )
}

/// Prints the lines of operations.
struct Printer<'h> {
    history: &'h History,
    text: Text,
    /// The names of each thread's sequencer, ports and client.
    names: Vec<Names>,
}

impl Printer<'_> {
    /// Creates a printer, and prints the name of the history as the first line.
    fn new(history: &History) -> Printer<'_> {
        let mut text = Text::default();
        if let Some(name) = &history.name {
            text.put("command line: ");
            text.put(&name.replace(|c: char| c.is_control(), " "));
            text.put("\n");
        }
        let labels = history.threads().iter().map(|thread| thread.label);
        let names = |label| Names::new(&format!("system.ruby.l1_cntrl{label}.sequencer"), label);
        Printer { history, text, names: labels.map(names).collect() }
    }

    fn starts(&mut self, starts: &[Start]) -> Result<(), WriteError> {
        for start in starts {
            let access = self.access(start.op)?;
            if start.request {
                self.request(&access, start.tick);
            } else {
                self.client(&access, start.tick, false);
            }
        }
        Ok(())
    }

    /// Prints that a sequencer accepts the request of an operation.
    fn request(&mut self, access: &ClientLine, tick: u64) {
        let kind = if access.kind == Kind::Load { "LD" } else { "ST" };
        let (text, names) = (&mut self.text, &self.names[access.thread as usize]);
        text.timing_request(names, tick, 0, access.address);
        text.begin(names, tick, (access.address, access.address), kind);
        text.issued(names, tick, 0, (command(access.kind), access.address));
    }

    /// Prints that a sequencer completes the request of an operation.
    fn completion(&mut self, access: &ClientLine, tick: u64, cycles: u32) {
        let (text, names) = (&mut self.text, &self.names[access.thread as usize]);
        text.done(names, tick, (access.address, access.address), u64::from(cycles), true);
        // The value is the first 8 bytes of the block, and the others are 0.
        let mut data = |words, value| text.data(names, tick, words, &[value, 0, 0, 0, 0, 0, 0, 0]);
        match access.kind {
            Kind::Load => data("read data ", access.read),
            Kind::Store => data("set data ", access.written),
            _ => {
                data("AMO original data ", access.read);
                data("AMO new data ", access.written);
            }
        }
        text.hit(names, tick, command(access.kind), access.address);
        text.port_line(names, tick, 0, "Hit callback needs response 1");
        text.port_line(names, tick, 0, "Sending packet back over port");
        text.port_line(names, tick, 0, "Hit callback done!");
    }

    /// Prints the client's line of an operation.
    fn client(&mut self, access: &ClientLine, tick: u64, forwarded: bool) {
        let line = ClientLine { forwarded: forwarded && access.kind == Kind::Load, ..*access };
        self.text.client(&self.names[access.thread as usize], tick, &line, false);
    }

    /// Returns the fields that the lines of an operation show. Every atomic operation is printed as a
    /// read-modify-write, a silent one as one that writes the value that it read.
    fn access(&self, op: OpId) -> Result<ClientLine, WriteError> {
        let history = self.history;
        let thread = history.thread_of(op);
        let kind = history.kind(op);
        let cell = |location| history.locations()[location as usize].address;
        let (read, written) = (history.read(op), history.written(op));
        let is_hidden = (kind.reads() && read.is_none()) || (kind.writes() && written.is_none());
        if is_hidden {
            let what = format!("{} has a value that is not known", history.describe(op));
            return Err(inexpressible(what));
        }
        let address = history.location(op).map_or(Some(0), |location| address(cell(location)));
        let too_large =
            || inexpressible(format!("{} has too large an address", history.describe(op)));
        Ok(ClientLine {
            thread: thread as u32,
            index: op.0 - history.threads()[thread].first().0,
            kind: if kind.is_atomic() { Kind::Rmw } else { kind },
            address: address.ok_or_else(too_large)?,
            size: 8,
            read: read.unwrap_or(0),
            written: written.or(read).unwrap_or(0),
            forwarded: false,
        })
    }
}

/// The command of an operation's packet.
fn command(kind: Kind) -> &'static str {
    match kind {
        Kind::Store => "WriteReq",
        Kind::Rmw => "SwapReq",
        _ => "ReadReq",
    }
}

/// The address of a cell. Each cell has a separate cache line, since requests to one line complete in order.
fn address(cell: u64) -> Option<u64> {
    cell.checked_mul(64)?.checked_add(0x1000)
}

/// Refuses a history that a trace cannot express because of a property of the whole history or the kind of an
/// operation.
fn check(history: &History) -> Result<(), WriteError> {
    if let Some(what) = beyond_operations(history) {
        return Err(inexpressible(what));
    }
    if history.locations().iter().any(|location| location.size.is_some()) {
        return Err(inexpressible("locations with sizes"));
    }
    if !history.finals().is_empty() {
        return Err(inexpressible("final values"));
    }
    let locations = 0..history.locations().len() as u32;
    if let Some(location) = locations.into_iter().find(|&l| history.initial(l) != Some(0)) {
        let location = history.locations()[location as usize];
        return Err(inexpressible(format!("the initial value of {location} is not 0")));
    }
    if let Some(it) = history.all_dependencies().first() {
        return Err(inexpressible(format!("the dependencies of {}", history.describe(it.op))));
    }
    let is_inexpressible = |&op: &OpId| {
        // It would be read as one that may have failed.
        let has_written = history.kind(op) == Kind::Rmw && history.writes_back(op);
        let is_plain = matches!(
            history.kind(op),
            Kind::Load | Kind::Store | Kind::Rmw | Kind::SilentRmw | Kind::Fence
        );
        !is_plain || has_written || !history.annotation(op).is_none()
    };
    match history.ops().find(is_inexpressible) {
        Some(op) => Err(inexpressible(history.describe(op))),
        None => Ok(()),
    }
}
