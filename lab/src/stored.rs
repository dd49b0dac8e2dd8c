//! [`Stored`]: all results of a folder, from its tables and from the journals of campaigns and experiments that have not finished.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tables::results::{Results, Unfinished};
use tables::{TransitionPair, Trial};

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
        let trials = results.trials.clone();
        results.trials.extend(experiment::logged(folder)?);
        let (runs, transitions) = fidelity::logged(folder)?;
        results.fidelity.extend(runs);
        results.transition_pairs = whole(results.transition_pairs, transitions);
        results.tidy();
        let unfinished = with_more_rows(&results.trials, &trials);
        if results.is_empty() && logged.is_none() {
            return Err(Error::NoResults(folder.to_owned()));
        }
        let is_logged = logged.is_some();
        let known = results.runs.len();
        results.runs.extend(logged.unwrap_or_default());
        results.tidy();
        let is_running = results.runs.len() > known || campaign::lacks_shards(folder)?;
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

/// The transitions of tables and journals. A journal has all that the table beside it has.
fn whole(stored: Vec<TransitionPair>, logged: Vec<TransitionPair>) -> Vec<TransitionPair> {
    let key = |pair: &TransitionPair| (pair.protocol.clone(), pair.mutant.clone());
    let known: BTreeSet<_> = logged.iter().map(key).collect();
    let others = stored.into_iter().filter(|pair| !known.contains(&key(pair)));
    others.chain(logged).collect()
}

/// The experiments with more rows in `trials` than in `known`.
fn with_more_rows(trials: &[Trial], known: &[Trial]) -> BTreeSet<String> {
    let count = |trials: &[Trial]| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for trial in trials {
            *counts.entry(trial.experiment.clone()).or_default() += 1;
        }
        counts
    };
    let known = count(known);
    let all = count(trials).into_iter();
    let is_more = |(name, count): &(String, usize)| known.get(name).is_none_or(|few| few < count);
    all.filter(is_more).map(|(name, _)| name).collect()
}
