//! [`Violation`]: the first outcome of a series that violates what the machine should keep, and the file that has it.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use check::Model;
use history::History;
use ingest::json;

use super::Series;
use super::row::ProgramRow;
use crate::error::Error;
use crate::load;

/// The first violation of a series.
#[derive(Debug)]
pub struct Violation {
    /// The seed of the program.
    pub seed: u64,
    /// How often the program ran.
    pub runs: u64,
    /// The model that the outcome violates.
    pub model: Model,
    /// The outcome. `None` if the series was resumed and the file of the outcome is gone or cannot be read.
    pub history: Option<History>,
}

impl Violation {
    /// The violation that the row of a program shows, if it shows one.
    pub(super) fn of(
        row: &ProgramRow,
        models: &[Model],
        history: Option<History>,
    ) -> Option<Violation> {
        let model = *models.last().filter(|_| !row.found.is_empty())?;
        Some(Violation { seed: row.seed, runs: row.runs, model, history })
    }
}

impl Series {
    /// The file of the outcome that violates what the machine should keep, if the series has a folder.
    pub fn outcome_file(&self, seed: u64) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("seed-{seed}.jsonl")))
    }
}

/// Writes an outcome, before the row that mentions it: a series that is resumed reads it again.
pub(super) fn keep(path: &Path, history: &History) -> Result<(), Error> {
    let failed = Error::file(path);
    host::files::create(path, &failed, |file| {
        let mut out = BufWriter::new(file);
        json::write(history, &mut out).and_then(|()| out.flush()).map_err(&failed)
    })
}

/// The outcome that an earlier process has written.
pub(super) fn kept(path: &Path) -> Option<History> {
    let input = load::open(path, &ingest::Options::default()).ok()?;
    input.histories.into_iter().next()
}
