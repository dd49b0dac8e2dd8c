//! Any input to histories: Parquet through `tables`, everything else through `ingest`.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::Path;

use history::{AssumedSize, History, HistoryBuilder, Initial, Provenance};
use ingest::{Ending, Options, Statistics, Transitions};

use crate::error::Error;

/// What was read.
pub struct Input {
    /// The path as the user gave it.
    pub file: String,
    /// Name of its format: `gem5`, `axe`, `json`, `parquet`.
    pub format: &'static str,
    /// The histories in it, at least one.
    pub histories: Vec<History>,
    /// Controller transitions, if they were asked for and are there.
    pub transitions: Transitions,
    /// What a trace shows of how its run ended.
    pub ending: Ending,
    /// Counts of what was read; all 0 for Parquet.
    pub statistics: Statistics,
}

/// Reads a file, a gem5 output folder, or standard input for `-`.
///
/// # Errors
/// It cannot be read, or the options do not go with what it holds.
pub fn open(path: &Path, options: &Options) -> Result<Input, Error> {
    let file = path.display().to_string();
    if is_parquet(path) {
        let histories = read_parquet(path, options)?;
        return Ok(Input {
            file,
            format: "parquet",
            histories,
            transitions: Transitions::default(),
            ending: Ending::default(),
            statistics: Statistics::default(),
        });
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

/// A file without any operation: a history that says nothing.
pub fn empty(file: &str) -> Result<Input, Error> {
    let provenance =
        Provenance { notes: vec!["the file is empty".to_owned()], ..Provenance::default() };
    let history = HistoryBuilder::new()
        .finish(AssumedSize::default(), &Initial::Zero, provenance)
        .map_err(|error| ingest::Error::Build { file: file.to_owned(), error })?;
    Ok(Input {
        file: file.to_owned(),
        format: "axe",
        histories: vec![history],
        transitions: Transitions::default(),
        ending: Ending::default(),
        statistics: Statistics::default(),
    })
}

/// Whether the first bytes are those of Parquet. What cannot be looked at without taking it away,
/// such as a pipe, is not; what cannot be read is left for the reader to complain about.
fn is_parquet(path: &Path) -> bool {
    if path == Path::new("-") {
        // Looking into the buffer of standard input takes nothing away.
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
        io::stdin().lock().read_to_end(&mut bytes).map_err(Error::file(path))?;
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

/// A finished history is not selected from: its final values and its order speak of all of it.
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
