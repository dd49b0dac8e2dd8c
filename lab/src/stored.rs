//! All results of a folder: its tables, and the rows of runs that are under way or were killed, which only journals have.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tables::Trial;
use tables::results::{Results, Unfinished};

use crate::campaign;
use crate::error::Error;
use crate::experiment;

/// The results in a folder and in folders in it.
pub struct Stored {
    /// The rows; those that only the log of a campaign has, too.
    pub results: Results,
    /// What the rows of campaigns do not say of them.
    pub told: Vec<(&'static str, String)>,
    /// The experiments of which journals have more rows than tables: they are under way or were killed.
    pub unfinished: BTreeSet<String>,
    /// Whether there is a campaign.
    pub has_campaign: bool,
    /// Whether it is under way or was killed.
    pub is_running: bool,
}

impl Stored {
    /// Reads the tables of a folder, whole or in shards. If a log knows of more runs, or shards are missing,
    /// the campaign is under way or was killed.
    ///
    /// # Errors
    /// A folder without results, or a table that cannot be read.
    pub fn read(folder: &Path) -> Result<Stored, Error> {
        if !folder.is_dir() {
            return Err(Error::NoResults(folder.to_owned()));
        }
        let mut results = Results::read(folder)?;
        let logged = campaign::logged(folder)?;
        let trials = results.trials.clone();
        results.trials.extend(experiment::logged(folder)?);
        results.tidy();
        let unfinished = more(&results.trials, &trials);
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
        // Where a journal knows more, the experiment goes on, at whatever size that is.
        let going_on = results.trials.iter().filter(|trial| unfinished.contains(&trial.experiment));
        let going_on = going_on.map(|trial| (trial.experiment.clone(), trial.size.clone()));
        results.unfinished.experiments.extend(going_on);
        Ok(Stored {
            unfinished,
            told: campaign::told(folder)?,
            has_campaign: is_logged || !results.runs.is_empty() || !results.equivalents.is_empty(),
            is_running,
            results,
        })
    }
}

/// The experiments of which there are more trials than were known.
fn more(trials: &[Trial], known: &[Trial]) -> BTreeSet<String> {
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
