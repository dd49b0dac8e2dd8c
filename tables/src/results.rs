//! [`Results`]: the rows of all tables of experiments and campaigns in a folder, whole or in shards.
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
//! // Equal rows count once, as where shards overlap or a file was copied.
//! assert_eq!(Results::read(folder.path())?.trials, [trial]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::{
    CampaignRun, Coverage, Equivalent, FidelityRun, Generator, Place, TableError, TableKind,
    TransitionPair, Trial, read_coverage, read_equivalents, read_fidelity, read_runs,
    read_transition_pairs, read_trials,
};

/// The rows of all tables of a folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// The trials of experiments, sorted by experiment, size, part, point, number, model and algorithm.
    pub trials: Vec<Trial>,
    /// The runs of campaigns, sorted by protocol, mutant, client, generator, repetition and number.
    pub runs: Vec<CampaignRun>,
    /// Mutants that are equivalent to their protocol.
    pub equivalents: Vec<Equivalent>,
    /// The transitions that the protocols of campaigns took without a mutant.
    pub coverage: Vec<Coverage>,
    /// Runs of the same programs on rubric's simulator and in gem5, sorted by protocol, mutant, client, number and place.
    pub fidelity: Vec<FidelityRun>,
    /// How often these runs took each transition, added up over all comparisons, sorted by protocol, mutant, machine, state and
    /// event. Rows do not name their comparison: see [`Results::tidy`].
    pub transition_pairs: Vec<TransitionPair>,
    /// The experiments and campaigns that are not complete. Tables do not show this: [`Results::read`] leaves it empty,
    /// and a caller that knows the plan fills it in.
    pub unfinished: Unfinished,
}

/// The results that are not complete, because they are under way, were interrupted, or lack shards. Their rows do not support a
/// verdict.
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
    /// Reads all tables of a folder and of the folders in it. Tables of other kinds, such as histories, are ignored, and equal
    /// rows count once. A folder without tables has empty results.
    ///
    /// # Errors
    /// Returns an error if the folder or a table cannot be read.
    pub fn read(folder: &Path) -> Result<Results, TableError> {
        let mut paths = Vec::new();
        collect(folder, &mut paths)?;
        paths.sort();
        let tables: Result<Vec<Results>, TableError> =
            paths.par_iter().map(|path| Results::of_table(path)).collect();
        let mut results = Results::default();
        for table in tables? {
            results.extend(table);
        }
        results.tidy();
        Ok(results)
    }

    /// Reads the rows of one table; empty if the table is of a kind that is ignored.
    fn of_table(path: &Path) -> Result<Results, TableError> {
        let mut results = Results::default();
        match crate::kind(path)? {
            Some(TableKind::Trials) => results.trials = read_trials(path)?,
            Some(TableKind::Runs) => results.runs = read_runs(path)?,
            Some(TableKind::Equivalents) => results.equivalents = read_equivalents(path)?,
            Some(TableKind::Coverage) => results.coverage = read_coverage(path)?,
            Some(TableKind::Fidelity) => results.fidelity = read_fidelity(path)?,
            Some(TableKind::TransitionPairs) => {
                results.transition_pairs = read_transition_pairs(path)?;
            }
            Some(TableKind::Verdicts) | None => {}
        }
        Ok(results)
    }

    /// Adds the rows of another table.
    fn extend(&mut self, table: Results) {
        self.trials.extend(table.trials);
        self.runs.extend(table.runs);
        self.equivalents.extend(table.equivalents);
        self.coverage.extend(table.coverage);
        self.fidelity.extend(table.fidelity);
        self.transition_pairs.extend(table.transition_pairs);
    }

    /// Sorts the rows and removes those that shards have in common. [`Results::read`] does so; it must be called again
    /// after rows are added.
    ///
    /// Rows of `transition_pairs` do not name the comparison that they belong to. Equal rows are taken for one that was copied, also if
    /// two comparisons with different seeds happen to have the same counts. Unequal ones are added up, so a row that is added again
    /// after that counts twice.
    pub fn tidy(&mut self) {
        sort_distinct(&mut self.trials, trial_key);
        sort_distinct(&mut self.runs, run_key);
        sort_distinct(&mut self.fidelity, fidelity_key);
        sort_distinct(&mut self.transition_pairs, |pair| {
            (pair_key(pair), pair.simulator, pair.gem5)
        });
        add_counts(&mut self.transition_pairs);
        let mut known = HashSet::new();
        let key = |one: &Equivalent| (one.protocol.clone(), one.mutant.clone());
        self.equivalents.retain(|one| known.insert(key(one)));
        self.equivalents.sort_by_cached_key(key);
        let mut counts: BTreeMap<[String; 4], Coverage> = BTreeMap::new();
        for row in self.coverage.drain(..) {
            let key = [&row.protocol, &row.machine, &row.state, &row.event].map(Clone::clone);
            // Every shard runs the unmutated protocols whole, so the counts are not added.
            let known = counts.entry(key).or_insert_with(|| row.clone());
            known.count = known.count.max(row.count);
            known.unreached = known.unreached.take().or(row.unreached);
        }
        self.coverage = counts.into_values().collect();
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        let Results { trials, runs, equivalents, coverage, fidelity, .. } = self;
        let is_empty = trials.is_empty() && runs.is_empty() && equivalents.is_empty();
        is_empty && coverage.is_empty() && fidelity.is_empty()
    }
}

/// Sorts rows by a key, and keeps the first of those with the same key. Each key is computed once.
fn sort_distinct<T, K: Ord>(rows: &mut Vec<T>, key: impl Fn(&T) -> K) {
    let mut keyed: Vec<(K, T)> = rows.drain(..).map(|row| (key(&row), row)).collect();
    keyed.sort_by(|(one, _), (other, _)| one.cmp(other));
    keyed.dedup_by(|(later, _), (first, _)| later == first);
    rows.extend(keyed.into_iter().map(|(_, row)| row));
}

/// Experiment, size, part, parameters of the point, number, model and algorithm.
type TrialKey = (String, String, String, Vec<(String, u64)>, u32, String, String);

/// The key by which trials are distinguished and sorted; numbers of the point are compared as numbers.
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

/// The key by which runs are distinguished.
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

/// The key by which runs on the simulator and in gem5 are distinguished and sorted. It includes the lineage, since
/// comparisons with different seeds use the same numbers for different programs.
fn fidelity_key(run: &FidelityRun) -> (String, Option<String>, String, u32, String, Place) {
    let FidelityRun { protocol, mutant, client, number, lineage, place, .. } = run.clone();
    (protocol, mutant, client, number, lineage, place)
}

/// Adds up the counts of each transition over several comparisons, whose rows must be adjacent.
fn add_counts(pairs: &mut Vec<TransitionPair>) {
    pairs.dedup_by(|later, first| {
        let is_same = pair_key(later) == pair_key(first);
        if is_same {
            first.simulator += later.simulator;
            first.gem5 += later.gem5;
        }
        is_same
    });
}

/// The key by which transitions on the simulator and in gem5 are distinguished and sorted.
fn pair_key(pair: &TransitionPair) -> (String, Option<String>, [String; 3]) {
    let place = [&pair.machine, &pair.state, &pair.event].map(Clone::clone);
    (pair.protocol.clone(), pair.mutant.clone(), place)
}

/// Collects the Parquet files of a folder and of the folders in it.
fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), TableError> {
    let failed = |error| TableError::Io { path: folder.to_owned(), error };
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        // Links to folders are not followed, since they may lead back.
        if entry.file_type().map_err(failed)?.is_dir() {
            collect(&path, paths)?;
        } else if path.is_file()
            && path.extension().is_some_and(|one| one == "parquet")
            && !host::files::is_unfinished(&path)
        {
            paths.push(path);
        }
    }
    Ok(())
}
