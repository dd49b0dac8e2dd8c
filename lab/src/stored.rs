//! [`Stored`]: all results of a folder, from its tables and from the journals of campaigns and experiments that have not finished.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tables::results::{Results, Unfinished};
use tables::{CampaignRun, TransitionPair, Trial};

use crate::campaign;
use crate::error::Error;
use crate::experiment;
use crate::fidelity;

/// The results in a folder and its subfolders.
pub struct Stored {
    /// The rows of all tables and journals.
    pub results: Results,
    /// Facts about the campaigns that rows do not contain, each with a label.
    pub facts: Vec<(&'static str, String)>,
    /// The experiments whose journals have more rows than their tables, because they are running or were killed.
    pub unfinished: BTreeSet<String>,
    /// Whether there is a campaign.
    pub has_campaign: bool,
    /// Whether the campaign is running or was killed.
    pub is_running: bool,
}

impl Stored {
    /// Reads the tables and journals of a folder, whole or in shards. If a journal has more runs than the table, or shards are missing, the
    /// campaign is running or was killed.
    ///
    /// # Errors
    /// Fails if the folder has no results, or if a table or journal cannot be read.
    pub fn read(folder: &Path) -> Result<Stored, Error> {
        if !folder.is_dir() {
            return Err(Error::NoResults(folder.to_owned()));
        }
        let mut results = Results::read(folder)?;
        let logged = campaign::logged(folder)?;
        let is_logged = logged.is_some();
        let runs = results.runs.len();
        let trials = counts(&results.trials);
        add_journals(&mut results, folder, logged.unwrap_or_default())?;
        if results.is_empty() && !is_logged {
            return Err(Error::NoResults(folder.to_owned()));
        }
        let unfinished = with_more_rows(counts(&results.trials), &trials);
        let is_running = results.runs.len() > runs || campaign::lacks_shards(folder)?;
        results.unfinished = Unfinished {
            experiments: experiment::unfinished(&results.trials),
            campaign: is_running,
        };
        // An experiment whose journal has more rows than its table has not finished, whatever its size.
        let going_on = results.trials.iter().filter(|trial| unfinished.contains(&trial.experiment));
        let going_on = going_on.map(|trial| (trial.experiment.clone(), trial.size.clone()));
        results.unfinished.experiments.extend(going_on);
        Ok(Stored {
            unfinished,
            facts: campaign::facts(folder)?,
            has_campaign: is_logged || !results.runs.is_empty() || !results.equivalents.is_empty(),
            is_running,
            results,
        })
    }
}

/// Adds the rows of journals to those of tables: the runs of campaigns, which are given, trials, and runs in gem5.
fn add_journals(
    results: &mut Results,
    folder: &Path,
    logged: Vec<CampaignRun>,
) -> Result<(), Error> {
    let trials = experiment::logged(folder)?;
    let (runs, transitions) = fidelity::logged(folder)?;
    let adds_rows =
        !(logged.is_empty() && trials.is_empty() && runs.is_empty() && transitions.is_empty());
    if adds_rows {
        results.runs.extend(logged);
        results.trials.extend(trials);
        results.fidelity.extend(runs);
        results.transition_pairs =
            whole(std::mem::take(&mut results.transition_pairs), transitions);
        results.tidy();
    }
    Ok(())
}

/// Merges the transitions of tables and journals. Those of a journal replace the table's for the same protocol and mutant, since it has all
/// of them.
fn whole(stored: Vec<TransitionPair>, logged: Vec<TransitionPair>) -> Vec<TransitionPair> {
    let key = |pair: &TransitionPair| (pair.protocol.clone(), pair.mutant.clone());
    let known: BTreeSet<_> = logged.iter().map(key).collect();
    let others = stored.into_iter().filter(|pair| !known.contains(&key(pair)));
    others.chain(logged).collect()
}

/// The number of trials of each experiment.
fn counts(trials: &[Trial]) -> BTreeMap<String, usize> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for trial in trials {
        match counts.get_mut(&trial.experiment) {
            Some(count) => *count += 1,
            None => _ = counts.insert(trial.experiment.clone(), 1),
        }
    }
    counts
}

/// The experiments with more trials in `all` than in `known`.
fn with_more_rows(
    all: BTreeMap<String, usize>,
    known: &BTreeMap<String, usize>,
) -> BTreeSet<String> {
    let is_more = |(name, count): &(String, usize)| known.get(name).is_none_or(|few| few < count);
    all.into_iter().filter(is_more).map(|(name, _)| name).collect()
}
