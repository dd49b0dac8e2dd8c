//! Text to [`history::History`]: traces of gem5's Ruby memory system above all, the axe format,
//! and histories written as JSON.
//!
//! [`read_path`] and [`read`] tell the format by its content, decompress, and rebuild the
//! operations that the text shows, in one pass and with memory that grows with the history, not
//! with the text. What a user should know about a history besides its operations (sizes that were
//! assumed, requests that were never answered, how the run ended) is in its
//! [`history::Provenance`]; counts of everything else are in [`Statistics`].
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
mod folder;
mod format;
pub mod gem5;
pub mod input;
pub mod json;
pub mod litmus;
mod options;
mod statistics;
mod transitions;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use history::History;

pub use ending::Ending;
pub use error::Error;
pub use format::Format;
pub use options::Options;
pub use statistics::{Statistics, TransitionCount};
pub use transitions::{Transition, Transitions};

use gem5::Surroundings;
use input::Lines;

/// Most bytes of a line of JSON, which may hold a whole history.
const JSON_LINE_LIMIT: usize = 1 << 30;

/// What was read from one input.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The file, as messages show it.
    pub name: String,
    /// The format it is in.
    pub format: Format,
    /// The histories in it; gem5 traces hold one.
    pub histories: Vec<History>,
    /// Transitions of controllers, if [`Options::transitions`] asks for them.
    pub transitions: Transitions,
    /// What a gem5 trace shows of how its run ended.
    pub ending: Ending,
    /// Counts of everything else.
    pub statistics: Statistics,
}

/// Reads a file; `-` is standard input, and a directory is a gem5 output folder.
///
/// # Errors
/// See [`Error`].
pub fn read_path(path: &Path, options: &Options) -> Result<Trace, Error> {
    let name = path.display().to_string();
    if path == Path::new("-") {
        return read(io::stdin().lock(), "standard input", options);
    }
    let open = |path: &Path| {
        File::open(path).map_err(|error| Error::Io {
            file: path.display().to_string(),
            error,
        })
    };
    if path.is_dir() {
        let (trace, surroundings) = folder::open(path)?;
        let name = trace.display().to_string();
        return read_with(open(&trace)?, &name, options, &surroundings);
    }
    read_with(open(path)?, &name, options, &Surroundings::default())
}

/// Reads bytes, plain or compressed with gzip; `name` is the file as messages show it.
///
/// # Errors
/// See [`Error`].
pub fn read(reader: impl Read, name: &str, options: &Options) -> Result<Trace, Error> {
    read_with(reader, name, options, &Surroundings::default())
}

fn read_with(
    reader: impl Read,
    name: &str,
    options: &Options,
    surroundings: &Surroundings,
) -> Result<Trace, Error> {
    let mut lines = Lines::new(reader, name, options.lossy)?;
    if surroundings.end.is_crash() {
        // Who crashes does not finish the file that it compresses.
        lines.allow_truncation();
    }
    let result = dispatch(&mut lines, name, options, surroundings);
    // Damaged data may look like any other mistake; the damage is what the user has to know.
    match result {
        Err(error) if !options.lossy && !matches!(error, Error::Damaged { .. }) => {
            Err(lines.check_rest().unwrap_or(error))
        }
        result => result,
    }
}

fn dispatch(
    lines: &mut Lines<'_>,
    name: &str,
    options: &Options,
    surroundings: &Surroundings,
) -> Result<Trace, Error> {
    let format = format::detect(lines)?;
    let name = name.to_owned();
    if format == Format::Gem5 {
        let parsed = gem5::parse(lines, options, surroundings)?;
        return Ok(Trace {
            name,
            format,
            histories: vec![parsed.history],
            transitions: parsed.transitions,
            ending: parsed.ending,
            statistics: parsed.statistics,
        });
    }
    let histories = if format == Format::Json {
        lines.set_limit(JSON_LINE_LIMIT);
        json::parse(lines, options)
    } else {
        axe::parse(lines, options)
    };
    let mut histories = histories.map_err(|error| or_mixed(error, lines, format))?;
    // Whatever the reader left, so that damage at the end is found.
    while lines.advance()? {}
    if let Some(damage) = lines.damage() {
        for history in &mut histories {
            history.provenance.notes.push(format!("{damage}."));
        }
    }
    let statistics = Statistics {
        lines: lines.number(),
        bytes: lines.bytes(),
        skipped: lines.skipped(),
        ..Statistics::default()
    };
    Ok(Trace {
        name,
        format,
        histories,
        transitions: Transitions::default(),
        ending: Ending::default(),
        statistics,
    })
}

/// A line that breaks the rules of a format may be a line of another.
fn or_mixed(error: Error, lines: &Lines<'_>, expected: Format) -> Error {
    let is_about_line = matches!(error, Error::Syntax { .. } | Error::Cut { .. });
    match format::of_line(lines.line()) {
        Some(found) if is_about_line && found != expected => Error::Mixed {
            file: lines.file().to_owned(),
            line: lines.number(),
            found,
            expected,
        },
        _ => error,
    }
}
