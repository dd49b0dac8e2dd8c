//! Names and finds the files of a campaign, or of a shard of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::folder::{below, list};
use crate::shard::Shard;

const RUNS: &str = "runs";
const EQUIVALENTS: &str = "equivalents";
const COVERAGE: &str = "coverage";
const SETTINGS: &str = "campaign";
const TABLE: &str = "parquet";
const LOG: &str = "jsonl";
const JSON: &str = "json";

/// The files of a campaign, or of a shard of it.
pub(super) struct Files<'a> {
    /// The folder of the campaign.
    pub folder: &'a Path,
    /// The shard; none for the whole campaign.
    pub shard: Option<Shard>,
}

impl Files<'_> {
    /// The table of runs.
    pub(super) fn runs(&self) -> PathBuf {
        self.file(RUNS, TABLE)
    }

    /// The table of equivalent mutants.
    pub(super) fn equivalents(&self) -> PathBuf {
        self.file(EQUIVALENTS, TABLE)
    }

    /// The table of transitions that the unmutated protocols took.
    pub(super) fn coverage(&self) -> PathBuf {
        self.file(COVERAGE, TABLE)
    }

    /// The journal of runs.
    pub(super) fn log(&self) -> PathBuf {
        self.file(RUNS, LOG)
    }

    /// The settings of the campaign.
    pub(super) fn settings(&self) -> PathBuf {
        self.file(SETTINGS, JSON)
    }

    fn file(&self, stem: &str, extension: &str) -> PathBuf {
        self.folder.join(Shard::file(self.shard, stem, extension))
    }
}

/// The settings files in a folder and its subfolders, of whole campaigns and of shards.
///
/// # Errors
/// Fails if a folder cannot be read.
pub(super) fn all_settings(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut settings = below(folder)?;
    settings.retain(|path| Shard::of_file(path, SETTINGS, JSON).is_some());
    Ok(settings)
}

/// The settings files in a folder, of the whole campaign and of shards.
///
/// # Errors
/// Fails if the folder cannot be read.
pub(super) fn settings(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let paths = list(folder)?.into_iter();
    let is_settings = |path: &PathBuf| Shard::of_file(path, SETTINGS, JSON).is_some();
    Ok(paths.filter(is_settings).collect())
}

/// The logs in a folder and its subfolders, of whole campaigns and of shards.
///
/// # Errors
/// Fails if a folder cannot be read.
pub(super) fn logs(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut logs = below(folder)?;
    logs.retain(|path| Shard::of_file(path, RUNS, LOG).is_some());
    Ok(logs)
}

/// The tables in a folder and its subfolders, of whole campaigns and of shards: runs, equivalent mutants, coverage.
///
/// # Errors
/// Fails if a folder cannot be read.
pub fn tables(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut tables = below(folder)?;
    let is = |path: &PathBuf, stem| Shard::of_file(path, stem, TABLE).is_some();
    let place =
        |path: &PathBuf| [RUNS, EQUIVALENTS, COVERAGE].iter().position(|stem| is(path, stem));
    tables.retain(|path| place(path).is_some());
    tables.sort_by_key(place);
    Ok(tables)
}

/// Whether a folder and its subfolders have tables of some shards of a campaign, but not of all.
///
/// # Errors
/// Fails if a folder cannot be read.
pub fn lacks_shards(folder: &Path) -> Result<bool, Error> {
    let paths = below(folder)?;
    let found = paths.iter().filter_map(|path| Shard::of_file(path, RUNS, TABLE));
    let mut shards: BTreeMap<u32, BTreeSet<Shard>> = BTreeMap::new();
    for shard in found {
        match shard {
            // The table of the whole campaign contains the rows of all shards.
            None => return Ok(false),
            Some(shard) => shards.entry(shard.of()).or_default().insert(shard),
        };
    }
    let mut counts = shards.iter().map(|(of, shards)| (*of as usize, shards.len()));
    Ok(!shards.is_empty() && counts.all(|(of, found)| found < of))
}
