//! Reads traces into [`history::History`]: traces of gem5's Ruby memory system above all, the axe format, JSON Lines,
//! and the binary logs of the cores that rubric adds to gem5 ([`tester`]).
//!
//! [`read_path`] and [`read`] detect the format by its content, decompress, and rebuild the operations that the text
//! shows, in one pass and with memory that grows with the history, not with the text. What a user should know about a
//! history besides its operations (sizes that were assumed, requests that were never answered, how the run ended) is in
//! its [`history::Provenance`]; counts of everything else are in [`Statistics`]. [`Live`] reads a text while it is
//! still being written.
//!
//! A format is a [`TraceFormat`], and [`FORMATS`] lists all of them. To add one, implement the trait in a module and
//! add a row to the list.
//!
//! ```
//! let trace = "\
//!      4: system.ruby.l1_cntrl1.sequencer.response_ports0: Timing request for address 0x1000 on port 0
//!               4   1        Seq               Begin       >       [0x1000, line 0x1000] ST
//!      4: system.ruby.l1_cntrl1.sequencer.response_ports0: Request WriteReq 0x1000 issued
//!              90   1        Seq                Done       >       [0x1000, line 0x1000] 86 cycles
//!     90: system.ruby.l1_cntrl1.sequencer: set data [ 0x7 0x0 0x0 0x0 0x0 0x0 0x0 0x0 ]
//!     90: system.ruby.l1_cntrl1.sequencer: Hit callback for WriteReq 0x1000
//! ";
//! let read = ingest::read(trace.as_bytes(), "example", &ingest::Options::default())?;
//! let history = &read.histories[0];
//! let store = history.ops().next().unwrap();
//! assert_eq!(history.describe(store), "store 0x1000 := 0x7");
//! assert_eq!(history.operation(store).thread, 1);
//! assert_eq!(history.line(store), Some(5));
//! assert_eq!(history.provenance.ended.as_deref(), Some("all requests answered"));
//! # Ok::<(), ingest::Error>(())
//! ```

pub mod axe;
pub mod ending;
mod error;
mod expressible;
mod folder;
mod format;
mod formats;
pub mod gem5;
pub mod initial;
pub mod input;
mod instruction_log;
pub mod json;
pub mod litmus;
mod live;
mod live_reader;
mod numbers;
mod options;
pub mod recorded;
mod selection;
mod statistics;
pub mod tester;
mod transitions;

use std::io::Read;
use std::path::Path;

use history::{History, Source};

pub use ending::Ending;
pub use error::{Error, WriteError, selection};
pub use format::{Contents, FormatInfo, Resemblance, TraceFormat};
pub use formats::{FORMATS, any_of};
pub use instructions::Addresses;
pub use live::Live;
pub use live_reader::{LiveEnd, LiveReader};
pub use options::Options;
pub use statistics::{Statistics, TransitionCount};
pub use transitions::{Transition, Transitions};

use gem5::Gem5;
use gem5::readers::reader;
use gem5::run::RunProperties;
use input::Lines;
use tester::Tester;

/// The contents of one input.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The file, as messages show it.
    pub name: String,
    /// The format of the input.
    pub format: &'static dyn TraceFormat,
    /// The histories in the input; gem5 traces hold one.
    pub histories: Vec<History>,
    /// Transitions of controllers, if [`Options::transitions`] asks for them.
    pub transitions: Transitions,
    /// How the run of a gem5 trace ended, as far as the trace shows it.
    pub ending: Ending,
    /// Counts of everything else.
    pub statistics: Statistics,
}

/// Reads a file; `-` is standard input, and a directory is a gem5 output folder, or has the logs of the harts of a testbench.
///
/// # Errors
/// Returns an [`Error`] if the input cannot be read, is of no known format, or breaks the rules of its format.
pub fn read_path(path: &Path, options: &Options) -> Result<Trace, Error> {
    let name = path.display().to_string();
    if path == Path::new("-") {
        let name = "standard input";
        let input = host::inputs::stdin();
        let input = input.map_err(|error| Error::Io { file: name.to_owned(), error })?;
        return read_lines(Lines::ahead_of(input, name, options.lossy)?, options);
    }
    let open = |path: &Path| {
        host::inputs::open(path)
            .map_err(|error| Error::Io { file: path.display().to_string(), error })
    };
    if path.is_dir() {
        if let Some((format, logs)) = folder::hart_logs(path)? {
            let contents = instruction_log::read_harts(format, &logs, options)?;
            return Ok(Trace::of(name, format, contents));
        }
        let (trace, surroundings) = folder::open(path)?;
        let name = trace.display().to_string();
        let lines = Lines::ahead_of(open(&trace)?, &name, options.lossy)?;
        if folder::is_log(&trace) {
            return read_log(lines, options, &surroundings);
        }
        return read_with(lines, options, |lines| {
            if surroundings.end.is_crash() {
                // gem5 does not finish the file that it compresses if it crashes.
                lines.allow_truncation();
            }
            let contents = reader::read(lines, options, &surroundings);
            Ok((&Gem5, contents.map_err(|error| formats::or_mixed(error, lines, &Gem5))?))
        });
    }
    let lines = Lines::ahead_of(open(path)?, &name, options.lossy)?;
    // A pipe can be opened once only.
    if path.is_file() && folder::is_log(path) {
        return read_log(lines, options, &folder::around(path));
    }
    read_lines(lines, options)
}

/// Whether a folder has the logs of the harts of a testbench, which [`read_path`] reads as one history.
pub fn has_logs_of_harts(folder: &Path) -> bool {
    matches!(folder::hart_logs(folder), Ok(Some(_)))
}

/// Reads a log of the plug-in for gem5; `surroundings` are the properties of its run that other files show.
fn read_log(
    lines: Lines<'_>,
    options: &Options,
    surroundings: &RunProperties,
) -> Result<Trace, Error> {
    read_with(lines, options, |lines| {
        lines.set_limit(Tester.info().line_limit);
        Ok((&Tester, tester::read(lines, options, surroundings)?))
    })
}

/// Reads bytes, plain or compressed with gzip; `name` is the file as messages show it.
///
/// # Errors
/// Returns an [`Error`] if the input cannot be read, is of no known format, or breaks the rules of its format.
pub fn read(reader: impl Read, name: &str, options: &Options) -> Result<Trace, Error> {
    read_lines(Lines::new(reader, name, options.lossy)?, options)
}

fn read_lines(lines: Lines<'_>, options: &Options) -> Result<Trace, Error> {
    read_with(lines, options, |lines| {
        let format = formats::detect(lines)?;
        lines.set_limit(format.info().line_limit);
        let contents = format.read(lines, options);
        let contents = contents.map_err(|error| formats::or_mixed(error, lines, format))?;
        Ok((format, contents))
    })
}

fn read_with<'a>(
    mut lines: Lines<'a>,
    options: &Options,
    read: impl FnOnce(&mut Lines<'a>) -> Result<(&'static dyn TraceFormat, Contents), Error>,
) -> Result<Trace, Error> {
    // Damaged data may look like any other mistake, so damage is reported instead.
    let (format, contents) = read(&mut lines).map_err(|error| match error {
        Error::Damaged { .. } => error,
        _ if options.lossy => error,
        _ => lines.check_rest(error.line()).unwrap_or(error),
    })?;
    let is_executed = |history: &History| history.provenance.source == Source::Exec;
    if options.addresses == Some(Addresses::Announced)
        && !contents.histories.iter().all(is_executed)
    {
        return Err(Error::NotAnnounced { file: lines.file().to_owned() });
    }
    Ok(Trace::of(lines.file().to_owned(), format, contents))
}

impl Trace {
    fn of(name: String, format: &'static dyn TraceFormat, contents: Contents) -> Trace {
        Trace {
            name,
            format,
            histories: contents.histories,
            transitions: contents.transitions,
            ending: contents.ending,
            statistics: contents.statistics,
        }
    }
}
