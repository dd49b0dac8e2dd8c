//! Summarises the rows of each experiment.
//!
//! ```
//! use report::summary::experiments;
//! use tables::{Reported, Trial};
//!
//! let trial = |number, said| Trial { experiment: "scale".to_owned(), number, said, ..Trial::default() };
//! let summary = &experiments(&[trial(0, Reported::Consistent), trial(1, Reported::Timeout)])[0];
//! assert_eq!((summary.rows, summary.histories, summary.timed_out), (2, 2, 1));
//! ```

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::claims::measure::time;
use crate::statistics::{Estimate, median};
use tables::{RECORDED, Reported, Trial};

/// The summary of an experiment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Summary {
    /// The experiment.
    pub experiment: String,
    /// The sizes at which the experiment was run.
    pub sizes: BTreeSet<String>,
    /// The number of rows, one for each history, model and algorithm.
    pub rows: usize,
    /// The number of histories.
    pub histories: usize,
    /// The number of rows whose algorithm reached a limit.
    pub timed_out: usize,
    /// The number of rows whose algorithm ended without a verdict.
    pub undecided: usize,
    /// The models.
    pub models: BTreeSet<String>,
    /// The algorithms.
    pub algorithms: BTreeSet<String>,
    /// The seeds of the experiment, that is, the seeds that its commands have. The seeds of histories follow from these.
    pub seeds: BTreeSet<u64>,
    /// The time limits, in seconds.
    pub timeouts: Vec<f64>,
    /// The versions of rubric.
    pub versions: BTreeSet<String>,
    /// The machines, with how many trials ran at a time.
    pub machines: BTreeSet<String>,
    /// The command that reproduces the first row of the experiment.
    pub command: String,
}

/// Summarises the experiments of some trials, which must be sorted by experiment, in the order in which they come.
pub fn experiments(trials: &[Trial]) -> Vec<Summary> {
    trials.chunk_by(|a, b| a.experiment == b.experiment).filter_map(summary).collect()
}

fn summary(trials: &[Trial]) -> Option<Summary> {
    let first = trials.first()?;
    let words = |word: fn(&Trial) -> &String| {
        let distinct: BTreeSet<&String> = trials.iter().map(word).collect();
        distinct.into_iter().cloned().collect()
    };
    let count = |is: fn(&Reported) -> bool| trials.iter().filter(|trial| is(&trial.said)).count();
    Some(Summary {
        experiment: first.experiment.clone(),
        sizes: words(|trial| &trial.size),
        rows: trials.len(),
        histories: trials.iter().map(history).collect::<BTreeSet<_>>().len(),
        timed_out: count(|said| said.is_cut_off()),
        undecided: count(|said| *said == Reported::Undecided),
        models: words(|trial| &trial.model),
        algorithms: words(|trial| &trial.algorithm),
        seeds: trials.iter().filter_map(|trial| seed(&trial.command)).collect(),
        timeouts: timeouts(trials),
        versions: words(|trial| &trial.version),
        machines: words(|trial| &trial.machine),
        command: first.command.clone(),
    })
}

/// The median time of some trials, in seconds: the mean of the two in the middle if their number is even, and only its
/// bounds if a trial in the middle reached a limit. `None` if no trial has a time.
pub fn median_time<'t>(trials: impl IntoIterator<Item = &'t Trial>) -> Option<Estimate> {
    median(&trials.into_iter().filter_map(time).collect::<Vec<_>>())
}

/// Returns the seed in a command.
fn seed(command: &str) -> Option<u64> {
    let mut words = command.split(' ').skip_while(|word| *word != "--seed");
    words.nth(1)?.parse().ok()
}

/// Returns the columns that identify a history of an experiment. In tables of older versions, a recorded history has
/// rows in every part of the experiment; these count as one history.
fn history(trial: &Trial) -> (&str, &str, &str, u32) {
    if trial.source == RECORDED {
        (&trial.size, "", &trial.trace_hash, 0)
    } else {
        (&trial.size, &trial.part, &trial.point, trial.number)
    }
}

fn timeouts(trials: &[Trial]) -> Vec<f64> {
    let mut timeouts: Vec<f64> = trials.iter().map(|trial| trial.timeout).collect();
    timeouts.sort_by(f64::total_cmp);
    timeouts.dedup();
    timeouts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(experiment: &str, number: u32, algorithm: &str, said: Reported) -> Trial {
        Trial {
            experiment: experiment.to_owned(),
            number,
            seed: u64::from(number) + 700,
            command: format!("rubric experiment {experiment} --seed 7 --only {number}"),
            algorithm: algorithm.to_owned(),
            said,
            ..Trial::default()
        }
    }

    #[test]
    fn a_recorded_trace_is_one_history_in_all_parts() {
        let of_part = |part: &str, hash: &str| Trial {
            part: part.to_owned(),
            point: format!("{part}=4"),
            source: "recorded".to_owned(),
            trace_hash: hash.to_owned(),
            ..trial("a", 0, "x", Reported::Consistent)
        };
        let rows = [("operations", "h"), ("threads", "h"), ("threads", "i")];
        let rows = rows.map(|(part, hash)| of_part(part, hash));
        let found = &experiments(&rows)[0];
        assert_eq!((found.rows, found.histories), (3, 2));
    }

    #[test]
    fn rows_histories_and_ends() {
        let found = experiments(&[
            trial("a", 0, "x", Reported::Consistent),
            trial("a", 0, "y", Reported::Timeout),
            trial("a", 1, "x", Reported::Undecided),
            trial("a", 1, "y", Reported::Memory),
            trial("b", 0, "x", Reported::Satisfied),
        ]);
        let numbers: Vec<_> = found
            .iter()
            .map(|one| (one.rows, one.histories, one.timed_out, one.undecided))
            .collect();
        assert_eq!(numbers, [(4, 2, 2, 1), (1, 1, 0, 0)]);
        assert_eq!(found[0].seeds, BTreeSet::from([7]));
        assert_eq!(found[0].algorithms.len(), 2);
        assert!(experiments(&[]).is_empty());
        assert_eq!(["rubric", "rubric --seed", "rubric --seed x"].map(seed), [None; 3]);
    }
}
