//! Reads histories from any input: Parquet through `tables`, everything else through `ingest`.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::ops::Range;
use std::path::Path;

use history::{Ambiguity, AssumedSize, History, HistoryBuilder, Initial, Provenance};
use ingest::{Addresses, Ending, Options, Statistics, Transitions};

use crate::error::Error;

/// The histories of an input, and what else it contains.
pub struct Input {
    /// The path as the user gave it.
    pub file: String,
    /// Name of its format: `gem5`, `axe`, `json`, `parquet`.
    pub format: &'static str,
    /// The histories, at least one.
    pub histories: Vec<History>,
    /// Controller transitions, if they were requested and recorded.
    pub transitions: Transitions,
    /// How the run of a trace ended, as far as the trace shows it.
    pub ending: Ending,
    /// Counts of what was read; all 0 for Parquet.
    pub statistics: Statistics,
}

impl Input {
    /// Histories that were not read from a trace, so that nothing else is known of them.
    pub fn of(file: impl Into<String>, format: &'static str, histories: Vec<History>) -> Input {
        Input {
            file: file.into(),
            format,
            histories,
            transitions: Transitions::default(),
            ending: Ending::default(),
            statistics: Statistics::default(),
        }
    }
}

/// Reads a file, a gem5 output folder, or standard input for `-`.
///
/// # Errors
/// Fails if the input cannot be read or parsed, or if the options do not apply to its format.
pub fn open(path: &Path, options: &Options) -> Result<Input, Error> {
    let file = path.display().to_string();
    if is_parquet(path) {
        let histories = read_parquet(path, options)?;
        return Ok(Input::of(file, "parquet", histories));
    }
    let trace = ingest::read_path(path, options)?;
    Ok(Input {
        file,
        format: trace.format.name(),
        histories: trace.histories,
        transitions: trace.transitions,
        ending: trace.ending,
        statistics: trace.statistics,
    })
}

/// Reads a file as [`open`] does, but returns one history without operations for an empty file, so that a check of many traces has a row
/// for it.
///
/// # Errors
/// Fails where [`open`] does, except for an empty file.
pub fn open_or_empty(path: &Path, options: &Options) -> Result<Input, Error> {
    match open(path, options) {
        Err(Error::Input(ingest::Error::Empty { file, .. })) => empty(&file),
        input => input,
    }
}

fn empty(file: &str) -> Result<Input, Error> {
    let provenance =
        Provenance { notes: vec!["the file is empty".to_owned()], ..Provenance::made() };
    let history = HistoryBuilder::new()
        .finish(AssumedSize::default(), &Initial::Zero, provenance)
        .map_err(|error| ingest::Error::Build { file: file.to_owned(), error })?;
    Ok(Input::of(file, "axe", vec![history]))
}

/// The options of reading that differ from their defaults, as words of a command line. A certificate records with them how its history
/// was read; initial values that were given are not among them.
pub fn arguments(options: &Options) -> String {
    let mut words = Vec::new();
    if let Some(source) = options.source {
        words.push(format!("--source {}", source.name()));
    }
    if let AssumedSize::Exactly(bytes) = options.access_size {
        words.push(format!("--access-size {bytes}"));
    }
    match &options.addresses {
        Some(Addresses::Range(Range { start, end })) => {
            words.push(format!("--addresses {start:#x}-{end:#x}"));
        }
        Some(Addresses::Announced) => words.push("--addresses auto".to_owned()),
        None => {}
    }
    if let Some(tick) = options.from_tick {
        words.push(format!("--from-tick {tick}"));
    }
    if let Some(tick) = options.to_tick {
        words.push(format!("--to-tick {tick}"));
    }
    match options.initial {
        Some(Initial::Zero) => words.push("--initial zero".to_owned()),
        Some(Initial::Infer) => words.push("--initial infer".to_owned()),
        Some(Initial::Given(_)) | None => {}
    }
    if let Some(isa) = options.isa {
        words.push(format!("--isa {}", isa.name()));
    }
    if options.lossy {
        words.push("--lossy".to_owned());
    }
    if options.fetches {
        words.push("--fetches".to_owned());
    }
    words.join(" ")
}

/// The default treatment of values that are written twice to a location: the axe format promises that values are written once. In other
/// formats a repeated value is harmless at a location that one thread alone uses.
pub fn ambiguity(format: &str, histories: &[History]) -> Ambiguity {
    // Locations that the reader found by itself include locks and flags, to which values are written repeatedly.
    if histories.iter().any(|history| history.provenance.locations_found) {
        return Ambiguity::Keep;
    }
    if format == "axe" { Ambiguity::Refuse } else { Ambiguity::RefuseShared }
}

/// Whether the first bytes are those of Parquet. False for a pipe, whose first bytes cannot be read without consuming them, and for a
/// file that cannot be read, which the reader of text then reports.
fn is_parquet(path: &Path) -> bool {
    if path == Path::new("-") {
        // Looking into the buffer of standard input consumes nothing.
        return io::stdin().lock().fill_buf().is_ok_and(|head| head.starts_with(tables::MAGIC));
    }
    let mut magic = [0; tables::MAGIC.len()];
    path.is_file()
        && File::open(path)
            .and_then(|mut file| file.read_exact(&mut magic))
            .is_ok_and(|()| magic == tables::MAGIC)
}

fn read_parquet(path: &Path, options: &Options) -> Result<Vec<History>, Error> {
    let histories = if path == Path::new("-") {
        let mut bytes = Vec::new();
        host::inputs::stdin()
            .and_then(|input| input.lock().read_to_end(&mut bytes))
            .map_err(Error::file(path))?;
        tables::read_bytes(path, &bytes)?
    } else {
        tables::read_histories(path)?
    };
    check_selection(path, &histories, options)?;
    let Some(initial) = options.initial.as_ref().filter(|it| **it != Initial::Zero) else {
        return Ok(histories);
    };
    histories.into_iter().map(|history| with_initial(path, &history, initial)).collect()
}

/// Refuses options that select a part of a finished history: its final values and its order are about the whole.
fn check_selection(path: &Path, histories: &[History], options: &Options) -> Result<(), Error> {
    if options.addresses.is_some() || options.from_tick.is_some() || options.to_tick.is_some() {
        return Err(Error::Finished(path.to_owned()));
    }
    let other = |history: &&History| {
        options.source.is_some_and(|source| source != history.provenance.source)
    };
    match histories.iter().find(other) {
        None => Ok(()),
        Some(history) => Err(Error::OtherSource {
            path: path.to_owned(),
            source_name: history.provenance.source.name(),
        }),
    }
}

fn with_initial(path: &Path, history: &History, initial: &Initial) -> Result<History, Error> {
    let rows = history.ops().map(|op| history.row(op));
    History::restore(history.frame(), rows, Some(initial))
        .map_err(|error| Error::Restore { path: path.to_owned(), error })
}
