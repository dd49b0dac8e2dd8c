//! The trials of an experiment that a figure shows.

use std::collections::{BTreeMap, BTreeSet};

use super::times::place;
use crate::claims::measure;
use crate::numbers::{seconds, span};
use crate::plot::style::rank;
use crate::statistics::Estimate;
use tables::{RECORDED, Reported, Trial};

/// Sizes of experiments, in ascending order.
pub const SIZES: [&str; 3] = ["quick", "paper", "large"];

/// The trials of an experiment of one size, or a part of them.
#[derive(Clone, Debug)]
pub(super) struct Sample<'a> {
    /// The size, if the experiment was also run at a larger one: figures then have the size in their names.
    pub lesser_size: Option<&'a str>,
    size: &'a str,
    /// The part of the experiment, if these are the trials of one part.
    part: Option<&'a str>,
    /// Whether the trials are of several models.
    has_several_models: bool,
    pub trials: Vec<&'a Trial>,
}

/// Identifies a history by part, point and number.
pub(super) type HistoryId<'a> = (&'a str, &'a str, u32);

impl<'a> Sample<'a> {
    /// The samples of an experiment, one for each size, the largest first. Sizes differ in points and limits, so no figure mixes them.
    pub(super) fn all(trials: &'a [Trial], experiment: &str) -> Vec<Sample<'a>> {
        let mut sizes: BTreeMap<(usize, &str), Vec<&Trial>> = BTreeMap::new();
        for trial in trials.iter().filter(|trial| trial.experiment == experiment) {
            let rank = SIZES.iter().position(|size| *size == trial.size);
            let size = (rank.map_or(0, |rank| rank + 1), trial.size.as_str());
            sizes.entry(size).or_default().push(trial);
        }
        let sizes = sizes.into_iter().rev().enumerate();
        let sample =
            |(at, ((_, size), trials)): (usize, ((usize, &'a str), Vec<&'a Trial>))| Sample {
                size,
                lesser_size: (at > 0).then_some(size),
                part: None,
                has_several_models: has_several_models(&trials),
                trials,
            };
        sizes.map(sample).collect()
    }

    /// The trials that satisfy a condition; `None` if no trial does.
    pub(super) fn only(&self, is_wanted: impl Fn(&Trial) -> bool) -> Option<Sample<'a>> {
        let trials: Vec<&Trial> =
            self.trials.iter().copied().filter(|trial| is_wanted(trial)).collect();
        let has_several_models = has_several_models(&trials);
        (!trials.is_empty()).then_some(Sample { has_several_models, trials, ..*self })
    }

    /// The trials of a part of the experiment; `None` if it has none.
    pub(super) fn part(&self, part: &'a str) -> Option<Sample<'a>> {
        let own = self.only(|trial| measure::is_of_part(trial, part))?;
        Some(Sample { part: Some(part), ..own })
    }

    /// The algorithms, in the order of legends.
    pub(super) fn algorithms(&self) -> Vec<String> {
        let names: BTreeSet<&str> = self.trials.iter().map(|trial| &*trial.algorithm).collect();
        let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        names.sort_by_key(|name| (rank(name), name.clone()));
        names
    }

    /// The number of histories of a point, such as `200 histories per point`.
    pub(super) fn histories_per_point(&self) -> String {
        per_point([self])
    }

    /// The number of histories of each point.
    fn numbers_of_histories(&self) -> Vec<u64> {
        let mut points: BTreeMap<(&str, String), BTreeSet<u32>> = BTreeMap::new();
        for trial in &self.trials {
            // The point of a recorded history names all of its parameters, and the axis shows one.
            let point = match self.part {
                Some(part) if trial.part == RECORDED => place(part, trial).to_string(),
                _ => trial.point.clone(),
            };
            points.entry((&trial.part, point)).or_default().insert(trial.number);
        }
        points.values().map(|numbers| numbers.len() as u64).collect()
    }

    /// The number of all histories, such as `200 histories`.
    pub(super) fn histories(&self) -> String {
        match self.by_history().len() {
            1 => "1 history".to_owned(),
            number => format!("{number} histories"),
        }
    }

    /// The trials of each history.
    pub(super) fn by_history(&self) -> BTreeMap<HistoryId<'a>, Vec<&'a Trial>> {
        let mut histories: BTreeMap<HistoryId<'_>, Vec<&Trial>> = BTreeMap::new();
        for &trial in &self.trials {
            let history = (trial.part.as_str(), trial.point.as_str(), trial.number);
            histories.entry(history).or_default().push(trial);
        }
        histories
    }

    /// The name of a series: the algorithm, with the model if the sample has several, and then the model alone for the engine's
    /// own stages.
    pub(super) fn series(&self, trial: &Trial) -> String {
        match trial.algorithm.as_str() {
            algorithm if !self.has_several_models => algorithm.to_owned(),
            "stages" => trial.model.to_uppercase(),
            algorithm => format!("{algorithm}, {}", trial.model.to_uppercase()),
        }
    }

    /// Where and how the trials were run: the last sentence of a caption.
    pub(super) fn circumstances(&self) -> String {
        let list = |of: &dyn Fn(&Trial) -> Option<String>| {
            let all: BTreeSet<String> = self.trials.iter().filter_map(|trial| of(trial)).collect();
            let all: Vec<String> = all.into_iter().filter(|one| !one.is_empty()).collect();
            all.join(", ")
        };
        let protocols = list(&|trial| trial.protocol.clone());
        let sources = list(&|trial| Some(trial.source.clone()));
        let limits = list(&|trial| Some(seconds(trial.timeout)));
        let mut said = vec![format!("Size {}", self.size), format!("histories: {sources}")];
        if !protocols.is_empty() {
            said.push(format!("protocols: {protocols}"));
        }
        said.push(format!("time limit: {}", limits));
        for (name, list) in [
            ("rubric", list(&|trial| Some(trial.version.clone()))),
            ("on", list(&|trial| Some(trial.machine.clone()))),
        ] {
            if !list.is_empty() {
                said.push(format!("{name} {list}"));
            }
        }
        format!("{}.", said.join("; "))
    }
}

/// The number of histories of a point of these samples, such as `200 histories per point`.
pub(super) fn per_point<'s, 'a: 's>(samples: impl IntoIterator<Item = &'s Sample<'a>>) -> String {
    let span = span(samples.into_iter().flat_map(Sample::numbers_of_histories));
    let word = if span == "1" { "history" } else { "histories" };
    format!("{span} {word} per point")
}

/// Whether trials are of several models.
fn has_several_models(trials: &[&Trial]) -> bool {
    trials.windows(2).any(|pair| pair[0].model != pair[1].model)
}

/// The time of a trial in seconds; `None` if the row has no finite time. A run that timed out, or ended after its
/// limit, took at least the limit. A run that exceeded the memory limit would have taken longer than it ran.
pub(super) fn time(trial: &Trial) -> Option<Estimate> {
    if trial.said == Reported::Memory {
        return measure::time(trial).map(|time| Estimate::at_least(time.low));
    }
    let has_limit = trial.timeout.is_finite() && trial.timeout > 0.0;
    let is_late = trial.said.is_cut_off() || trial.seconds > trial.timeout;
    if has_limit && is_late {
        Some(Estimate::at_least(trial.timeout))
    } else {
        measure::time(trial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(size: &str, point: &str, number: u32) -> Trial {
        Trial {
            experiment: "e".to_owned(),
            size: size.to_owned(),
            part: "threads".to_owned(),
            point: point.to_owned(),
            number,
            algorithm: "wsc".to_owned(),
            model: "sc".to_owned(),
            timeout: 60.0,
            ..Trial::default()
        }
    }

    #[test]
    fn sizes_are_kept_apart_and_the_largest_has_the_name() {
        let trials = [trial("quick", "threads=2", 0), trial("paper", "threads=2", 0)];
        let samples = Sample::all(&trials, "e");
        let sizes: Vec<Option<&str>> = samples.iter().map(|sample| sample.lesser_size).collect();
        assert_eq!(sizes, [None, Some("quick")]);
        assert_eq!(samples[0].trials, [&trials[1]]);
        assert!(Sample::all(&trials, "other").is_empty());
    }

    #[test]
    fn histories_are_counted_once() {
        let mut trials = vec![
            trial("quick", "threads=2", 0),
            trial("quick", "threads=2", 1),
            trial("quick", "threads=4", 0),
        ];
        trials.push(Trial { algorithm: "ccm".to_owned(), ..trials[0].clone() });
        let sample = &Sample::all(&trials, "e")[0];
        assert_eq!(sample.histories_per_point(), "1–2 histories per point");
        assert_eq!(sample.by_history().len(), 3);
        assert!(sample.part("operations").is_none());
        assert_eq!(sample.series(&trials[0]), "wsc");
    }

    #[test]
    fn several_models_are_named() {
        let trials = [
            trial("quick", "threads=2", 0),
            Trial { model: "tso".to_owned(), ..trial("quick", "threads=2", 0) },
        ];
        let sample = &Sample::all(&trials, "e")[0];
        assert_eq!(sample.series(&trials[1]), "wsc, TSO");
    }

    #[test]
    fn what_timed_out_took_at_least_the_limit() {
        let mut one = trial("quick", "threads=2", 0);
        let limit = Some(Estimate::at_least(60.0));
        one.seconds = 60.3;
        assert_eq!(time(&one), limit);
        one.said = Reported::Timeout;
        assert_eq!(time(&one), limit);
        one.seconds = 59.9;
        assert_eq!(time(&one), limit);
        // The run exceeded the memory limit before the time limit, so its own time is the bound.
        one.said = Reported::Memory;
        assert_eq!(time(&one), Some(Estimate::at_least(59.9)));
        one.said = Reported::Consistent;
        assert_eq!(time(&one), Some(Estimate::exactly(59.9)));
        (one.seconds, one.timeout) = (60.3, 0.0);
        assert_eq!(time(&one), Some(Estimate::exactly(60.3)));
        one.seconds = f64::NAN;
        assert_eq!(time(&one), None);
    }
}
