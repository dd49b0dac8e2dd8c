//! Measurements on the trials of an experiment: times, their medians and ratios, and shares.
//!
//! A measured number is an [`Estimate`], because a run that timed out gives a lower bound only. Algorithms are compared on the histories
//! that all of them ran.

use std::collections::{BTreeMap, BTreeSet};

use super::Missing;
use super::campaign::BothRates;
use crate::statistics::{Estimate, Share, median};
use tables::results::Results;
use tables::{RECORDED, Reported, Trial};

/// Time in seconds below which algorithms are not compared, since caches and clock make more of a difference.
pub(crate) const FLEETING: f64 = 1e-3;

/// Factor by which a number has to change to count as growing or shrinking; a smaller change may be chance.
pub(crate) const GROWS: f64 = 1.25;

/// Smallest number of histories for a median.
pub(crate) const FEWEST: usize = 10;

/// Smallest number of cases for a share. If something is true of all of them, its share is above 97 %, with 95 %
/// confidence.
pub(crate) const FEWEST_CASES: u64 = 100;

/// The size whose results are shown but decide no claim.
pub(crate) const QUICK: &str = "quick";

/// The sizes of experiments in the order in which claims are tested on them: the first that decides counts.
pub(crate) const SIZES: [&str; 3] = ["paper", "large", QUICK];

/// The results at one size of the experiments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtSize<'r> {
    pub results: &'r Results,
    pub size: &'static str,
    /// The shares of the campaigns, which have no size.
    pub campaign: &'r BothRates,
}

impl<'r> AtSize<'r> {
    /// The trials of an experiment.
    pub(crate) fn rows(self, experiment: &str) -> impl Iterator<Item = &'r Trial> {
        let rows = self.results.trials.iter();
        rows.filter(move |row| row.experiment == experiment && row.size == self.size)
    }
}

/// The time of a trial in seconds; `None` if the row has no finite time. A run that timed out took at least its limit;
/// one that exceeded the memory limit took at least as long as it ran.
pub(crate) fn time(trial: &Trial) -> Option<Estimate> {
    let is_sensible = |seconds: f64| seconds.is_finite() && seconds >= 0.0;
    let low = match trial.said {
        Reported::Timeout if is_sensible(trial.timeout) => trial.timeout,
        _ => trial.seconds,
    };
    let is_known = is_sensible(trial.seconds) && is_sensible(low);
    is_known.then_some(Estimate {
        low,
        high: if trial.said.is_cut_off() { f64::INFINITY } else { low },
    })
}

/// Whether a trial belongs to a part of its experiment. Recorded histories belong to all parts.
pub(crate) fn is_of_part(trial: &Trial, part: &str) -> bool {
    trial.part == part || trial.part == RECORDED
}

/// A history of an experiment, with the rows of all algorithms.
#[derive(Clone, Debug)]
pub(crate) struct History<'a> {
    /// One of the history's rows, for the columns that all of them share.
    pub any: &'a Trial,
    by: BTreeMap<&'a str, &'a Trial>,
}

impl<'a> History<'a> {
    /// The row of an algorithm.
    pub(crate) fn by(&self, algorithm: &str) -> Option<&'a Trial> {
        self.by.get(algorithm).copied()
    }

    /// All rows.
    pub(crate) fn all(&self) -> impl Iterator<Item = &'a Trial> {
        self.by.values().copied()
    }
}

/// A parameter that an experiment varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    /// The number of operations.
    Operations,
    /// The number of threads.
    Threads,
    /// The number of locations.
    Locations,
}

impl Axis {
    /// The name of the parameter, and of the part of an experiment that varies it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Axis::Operations => "operations",
            Axis::Threads => "threads",
            Axis::Locations => "locations",
        }
    }

    /// The value of the parameter in a trial.
    pub(crate) fn of(self, trial: &Trial) -> u64 {
        match self {
            Axis::Operations => trial.operations,
            Axis::Threads => trial.threads.into(),
            Axis::Locations => trial.locations.into(),
        }
    }
}

/// The histories of an experiment, at one size and for one model.
#[derive(Clone, Debug)]
pub(crate) struct Trials<'a> {
    pub experiment: &'static str,
    pub size: &'a str,
    /// The histories, in the order of the table.
    pub histories: Vec<History<'a>>,
}

impl<'a> Trials<'a> {
    /// The trials of an experiment for a model.
    ///
    /// # Errors
    /// Fails if there are no trials.
    pub(crate) fn of(
        results: AtSize<'a>,
        experiment: &'static str,
        model: &str,
    ) -> Result<Trials<'a>, Missing> {
        let mut histories: Vec<History<'a>> = Vec::new();
        let mut places: BTreeMap<(&str, &str, u32), usize> = BTreeMap::new();
        let rows = results.rows(experiment);
        for row in rows.filter(|row| row.model == model) {
            let place = places.entry((&row.part, &row.point, row.number));
            let place = *place.or_insert_with(|| {
                histories.push(History { any: row, by: BTreeMap::new() });
                histories.len() - 1
            });
            histories[place].by.insert(&row.algorithm, row);
        }
        if histories.is_empty() {
            Err(Missing::Experiment(experiment))
        } else {
            Ok(Trials { experiment, size: results.size, histories })
        }
    }

    /// The histories that satisfy a condition.
    pub(crate) fn filter(&self, keep: impl Fn(&History<'a>) -> bool) -> Trials<'a> {
        let histories = self.histories.iter().filter(|history| keep(history));
        Trials { histories: histories.cloned().collect(), ..*self }
    }

    /// The histories of the part of the experiment that varies a parameter.
    pub(crate) fn part(&self, axis: Axis) -> Trials<'a> {
        self.filter(|history| is_of_part(history.any, axis.name()))
    }

    /// The histories that all of these algorithms ran.
    ///
    /// # Errors
    /// Fails if there are no histories, or if an algorithm has no rows at all.
    pub(crate) fn with(&self, algorithms: &[&str]) -> Result<Trials<'a>, Missing> {
        if self.histories.is_empty() {
            return Err(Missing::Few(self.experiment, 0));
        }
        for algorithm in algorithms {
            let ran = |history: &History<'_>| history.by(algorithm).is_some();
            if !self.histories.iter().any(ran) {
                return Err(self.without(algorithm));
            }
        }
        let ran = |history: &History<'_>| {
            let mut algorithms = algorithms.iter();
            algorithms.all(|algorithm| history.by(algorithm).is_some())
        };
        Ok(self.filter(ran))
    }

    /// The error that an algorithm has no rows.
    pub(crate) fn without(&self, algorithm: &str) -> Missing {
        Missing::Algorithm(self.experiment, algorithm.to_owned())
    }

    /// These trials, if they have enough histories for a median.
    ///
    /// # Errors
    /// Fails if there are too few histories.
    pub(crate) fn enough(self) -> Result<Trials<'a>, Missing> {
        match self.histories.len() {
            few if few < FEWEST => Err(Missing::Few(self.experiment, few)),
            _ => Ok(self),
        }
    }

    /// The trials with each history once: in tables of older versions, a recorded history has rows in every part of its
    /// experiment.
    fn distinct(self) -> Trials<'a> {
        let mut seen = BTreeSet::new();
        let is_new = |history: &History<'a>| {
            history.any.source != RECORDED || seen.insert(history.any.trace_hash.as_str())
        };
        Trials { histories: self.histories.into_iter().filter(is_new).collect(), ..self }
    }

    /// These trials, each history once, if they have enough histories for a mean of shares.
    ///
    /// # Errors
    /// Fails if there are too few histories.
    pub(crate) fn enough_cases(self) -> Result<Trials<'a>, Missing> {
        let all = self.distinct();
        match all.histories.len() as u64 {
            few if few < FEWEST_CASES => Err(Missing::Cases(all.experiment, few)),
            _ => Ok(all),
        }
    }

    /// Returns the reason why none of these groups of histories decides a claim.
    pub(crate) fn undecided<'g>(&self, groups: impl Iterator<Item = &'g Trials<'a>>) -> Missing
    where
        'a: 'g,
    {
        match groups.map(|group| group.histories.len()).max() {
            Some(most) if most >= FEWEST => Missing::TimedOut(self.experiment),
            most => Missing::Few(self.experiment, most.unwrap_or_default()),
        }
    }

    /// Groups the histories by their value on an axis.
    pub(crate) fn along(&self, axis: Axis) -> Vec<(u64, Trials<'a>)> {
        self.grouped(|trial| axis.of(trial))
    }

    /// Groups the histories by their numbers of operations, threads and locations.
    pub(crate) fn tuples(&self) -> Vec<((u64, u32, u32), Trials<'a>)> {
        self.grouped(|trial| (trial.operations, trial.threads, trial.locations))
    }

    /// Groups the histories by a key.
    pub(crate) fn grouped<K: Ord>(&self, key: impl Fn(&Trial) -> K) -> Vec<(K, Trials<'a>)> {
        let mut groups: BTreeMap<K, Vec<History<'a>>> = BTreeMap::new();
        for history in &self.histories {
            let group = groups.entry(key(history.any)).or_default();
            group.push(history.clone());
        }
        let trials = |histories| Trials { histories, ..*self };
        let groups = groups.into_iter();
        groups.map(|(key, histories)| (key, trials(histories))).collect()
    }

    /// The rows of an algorithm.
    pub(crate) fn rows(&self, algorithm: &str) -> impl Iterator<Item = &'a Trial> {
        let histories = self.histories.iter();
        histories.filter_map(move |history| history.by(algorithm))
    }

    /// The median time of an algorithm.
    pub(crate) fn median_time(&self, algorithm: &str) -> Option<Estimate> {
        let times: Vec<Estimate> = self.rows(algorithm).filter_map(time).collect();
        median(&times)
    }

    /// The ratio of the median times of two algorithms over the histories that both ran; `None` if it is not known.
    pub(crate) fn ratio(&self, slow: &str, fast: &str) -> Option<Estimate> {
        let both = self.with(&[slow, fast]).ok()?;
        let ratio = both.median_time(slow)?.over(both.median_time(fast)?)?;
        ratio.is_informative().then_some(ratio)
    }

    /// The ratio of the times of two algorithms on each history that both ran and on which the second did not time out.
    pub(crate) fn ratios(&self, slow: &str, fast: &str) -> Vec<Estimate> {
        let ratio = |history: &History<'_>| {
            let (slow, fast) = (history.by(slow)?, history.by(fast)?);
            (!fast.said.is_cut_off()).then_some(())?;
            time(slow)?.over(time(fast)?)
        };
        self.histories.iter().filter_map(ratio).collect()
    }

    /// The time limit at which runs of an algorithm timed out, in seconds, as text: the shortest and the longest, if
    /// there are several.
    fn limit(&self, algorithm: &str) -> String {
        let late = self.rows(algorithm).filter(|row| row.said == Reported::Timeout);
        let limits = late.map(|row| Estimate::exactly(row.timeout));
        let ends = limits.reduce(|one, other| Estimate {
            low: one.low.min(other.low),
            high: one.high.max(other.high),
        });
        ends.map_or(String::new(), |ends| ends.shown(|limit| limit.to_string()))
    }

    /// The median and the largest of the counts in the rows of an algorithm.
    pub(crate) fn count(
        &self,
        algorithm: &str,
        of: impl Fn(&Trial) -> Option<u64>,
    ) -> Option<(Estimate, u64)> {
        let counts: Vec<u64> = self.rows(algorithm).filter_map(of).collect();
        let numbers = counts.iter().map(|count| Estimate::exactly(*count as f64));
        let middle = median(&numbers.collect::<Vec<_>>())?;
        Some((middle, counts.into_iter().max()?))
    }

    /// Says which size the experiment has, and how often each of the algorithms timed out.
    pub(crate) fn basis(&self, algorithms: &[&str]) -> String {
        let histories = self.histories.len();
        let mut basis = format!("{histories} histories, size {}.", self.size);
        for algorithm in algorithms {
            let said = |what: Reported| Share::of(self.rows(algorithm).map(|row| row.said == what));
            let (late, large) = (said(Reported::Timeout), said(Reported::Memory));
            if late.part > 0 {
                let limit = self.limit(algorithm);
                basis += &format!(" {late} runs of {algorithm} timed out at {limit} s.");
            }
            if large.part > 0 {
                basis += &format!(" {large} runs of {algorithm} exceeded the memory limit.");
            }
        }
        basis
    }
}
