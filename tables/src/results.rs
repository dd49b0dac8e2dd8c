//! All results in a folder: the tables of experiments and campaigns, whole or in shards.
//!
//! ```
//! use tables::results::Results;
//! use tables::{Trial, write_trials};
//!
//! let folder = tempfile::tempdir()?;
//! let trial = Trial {
//!     experiment: "scale".to_owned(),
//!     size: "quick".to_owned(),
//!     model: "sc".to_owned(),
//!     ..Trial::default()
//! };
//! write_trials(&folder.path().join("scale.1-of-2.parquet"), &[trial.clone()])?;
//! write_trials(&folder.path().join("scale.2-of-2.parquet"), &[trial.clone()])?;
//! // The same row twice is one: two shards overlap, or one was copied.
//! assert_eq!(Results::read(folder.path())?.trials, [trial]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use crate::{
    CampaignRun, Coverage, Equivalent, Generator, Table, TableError, Trial, read_coverage,
    read_equivalents, read_runs, read_trials,
};

/// What the tables of a folder hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// The trials of experiments; by experiment, size, part and point as planned, number and algorithm.
    pub trials: Vec<Trial>,
    /// The runs of campaigns, by subject and number.
    pub runs: Vec<CampaignRun>,
    /// Mutants that cannot differ from their protocol.
    pub equivalents: Vec<Equivalent>,
    /// What the protocols of campaigns did without a mutant.
    pub coverage: Vec<Coverage>,
    /// What is not complete. Tables alone do not say so: who knows what was planned has to.
    pub unfinished: Unfinished,
}

/// What of results is under way, was killed, or lacks shards: its rows are no basis for a verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unfinished {
    /// Experiments, each with the size at which it is not complete.
    pub experiments: BTreeSet<(String, String)>,
    /// Whether a campaign is not complete.
    pub campaign: bool,
}

impl Unfinished {
    /// Whether an experiment is not complete at a size.
    pub fn has(&self, experiment: &str, size: &str) -> bool {
        let mut all = self.experiments.iter();
        all.any(|(name, at)| name == experiment && at == size)
    }
}

impl Results {
    /// Reads all tables of a folder and of folders in it. Tables of other kinds, such as histories, are passed over, and rows that
    /// are there twice count once. A folder without tables has empty results.
    ///
    /// # Errors
    /// The folder or a table cannot be read.
    pub fn read(folder: &Path) -> Result<Results, TableError> {
        let mut results = Results::default();
        let mut paths = Vec::new();
        collect(folder, &mut paths)?;
        paths.sort();
        for path in &paths {
            match crate::kind(path)? {
                Some(Table::Trials) => results.trials.extend(read_trials(path)?),
                Some(Table::Runs) => results.runs.extend(read_runs(path)?),
                Some(Table::Equivalents) => results.equivalents.extend(read_equivalents(path)?),
                Some(Table::Coverage) => results.coverage.extend(read_coverage(path)?),
                None => {}
            }
        }
        results.tidy();
        Ok(results)
    }

    /// Rows that shards have in common count once, and the order does not depend on shards. So are all that were
    /// read; whoever adds rows has to do it again.
    pub fn tidy(&mut self) {
        self.trials.sort_by_cached_key(trial_key);
        self.trials.dedup_by_key(|trial| trial_key(trial));
        self.runs.sort_by_cached_key(run_key);
        self.runs.dedup_by_key(|run| run_key(run));
        let mut known = HashSet::new();
        let key = |one: &Equivalent| (one.protocol.clone(), one.mutant.clone());
        self.equivalents.retain(|one| known.insert(key(one)));
        self.equivalents.sort_by_cached_key(key);
        let mut counts: BTreeMap<[String; 4], Coverage> = BTreeMap::new();
        for row in self.coverage.drain(..) {
            let key = [&row.protocol, &row.machine, &row.state, &row.event].map(Clone::clone);
            // Shards run the unmutated protocols alike: their counts are the same, not parts.
            let known = counts.entry(key).or_insert_with(|| row.clone());
            known.count = known.count.max(row.count);
            known.unreached = known.unreached.take().or(row.unreached);
        }
        self.coverage = counts.into_values().collect();
    }

    /// Whether there is nothing at all.
    pub fn is_empty(&self) -> bool {
        let Results { trials, runs, equivalents, coverage, .. } = self;
        trials.is_empty() && runs.is_empty() && equivalents.is_empty() && coverage.is_empty()
    }
}

/// Experiment, size, part, parameters of the point, number, model and algorithm.
type TrialKey = (String, String, String, Vec<(String, u64)>, u32, String, String);

/// What tells trials apart, in an order in which numbers count as such.
fn trial_key(trial: &Trial) -> TrialKey {
    let parameters = trial.point.split(',').map(|parameter| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        match value.parse() {
            Ok(number) => (name.to_owned(), number),
            Err(_) => (parameter.to_owned(), 0),
        }
    });
    (
        trial.experiment.clone(),
        trial.size.clone(),
        trial.part.clone(),
        parameters.collect(),
        trial.number,
        trial.model.clone(),
        trial.algorithm.clone(),
    )
}

/// What tells runs apart.
fn run_key(run: &CampaignRun) -> (String, Option<String>, String, Generator, u32, u32) {
    (
        run.protocol.clone(),
        run.mutant.clone(),
        run.client.clone(),
        run.generator,
        run.repetition,
        run.number,
    )
}

/// The Parquet files of a folder and of folders in it.
fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), TableError> {
    let failed = |error| TableError::Io { path: folder.to_owned(), error };
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else if path.extension().is_some_and(|one| one == "parquet")
            && !crate::files::is_unfinished(&path)
        {
            paths.push(path);
        }
    }
    Ok(())
}
