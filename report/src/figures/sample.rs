//! The trials that a figure is about.

use std::collections::{BTreeMap, BTreeSet};

use super::numbers::{seconds, span};
use super::statistics::Measured;
use tables::Trial;

/// Sizes of experiments, the larger ones later.
const SIZES: [&str; 3] = ["quick", "paper", "large"];

/// The trials of an experiment of one size, or a part of them.
#[derive(Clone, Debug)]
pub struct Sample<'a> {
    /// The experiment.
    pub experiment: &'a str,
    size: &'a str,
    /// Whether there is a larger one.
    is_lesser: bool,
    /// The trials.
    pub trials: Vec<&'a Trial>,
}

/// What a history is: part, point and number.
pub type HistoryId<'a> = (&'a str, &'a str, u32);

impl<'a> Sample<'a> {
    /// The samples of an experiment, one of each size, the largest first. They are never put together: they have
    /// other points and limits.
    pub fn all(trials: &'a [Trial], experiment: &'a str) -> Vec<Sample<'a>> {
        let mut sizes: BTreeMap<(usize, &str), Vec<&Trial>> = BTreeMap::new();
        for trial in trials.iter().filter(|trial| trial.experiment == experiment) {
            let rank = SIZES.iter().position(|size| *size == trial.size);
            let size = (rank.map_or(0, |rank| rank + 1), trial.size.as_str());
            sizes.entry(size).or_default().push(trial);
        }
        let sizes = sizes.into_iter().rev().enumerate();
        let sample = |(at, ((_, size), trials)): (usize, ((usize, &'a str), _))| Sample {
            experiment,
            size,
            is_lesser: at > 0,
            trials,
        };
        sizes.map(sample).collect()
    }

    /// Those of which something is true; none if there are none.
    pub fn only(&self, is_wanted: impl Fn(&Trial) -> bool) -> Option<Sample<'a>> {
        let mut sample = self.clone();
        sample.trials.retain(|trial| is_wanted(trial));
        (!sample.trials.is_empty()).then_some(sample)
    }

    /// Those of a part.
    pub fn part(&self, part: &str) -> Option<Sample<'a>> {
        self.only(|trial| trial.part == part)
    }

    /// The name of a figure of it, with what tells it from others of the same experiment.
    pub fn name(&self, tail: &str) -> String {
        let names = [
            self.experiment,
            tail,
            if self.is_lesser { self.size } else { "" },
        ];
        let names = names.into_iter().filter(|name| !name.is_empty());
        let name = names.collect::<Vec<_>>().join("-");
        // It is to be the name of a file, whatever a table says.
        name.replace(|one: char| !one.is_ascii_alphanumeric() && one != '-', "-")
    }

    /// How many histories a point has, such as `200 histories a point`.
    pub fn histories_a_point(&self) -> String {
        let mut points: BTreeMap<(&str, &str), BTreeSet<u32>> = BTreeMap::new();
        for trial in &self.trials {
            let point = points.entry((&trial.part, &trial.point)).or_default();
            point.insert(trial.number);
        }
        let span = span(points.values().map(BTreeSet::len));
        let word = if span == "1" { "history" } else { "histories" };
        format!("{span} {word} a point")
    }

    /// How many histories there are in all.
    pub fn histories(&self) -> String {
        match self.by_history().len() {
            1 => "1 history".to_owned(),
            number => format!("{number} histories"),
        }
    }

    /// The trials of each history.
    pub fn by_history(&self) -> BTreeMap<HistoryId<'a>, Vec<&'a Trial>> {
        let mut histories: BTreeMap<HistoryId<'_>, Vec<&Trial>> = BTreeMap::new();
        for &trial in &self.trials {
            let history = (trial.part.as_str(), trial.point.as_str(), trial.number);
            histories.entry(history).or_default().push(trial);
        }
        histories
    }

    /// What a series is called: the algorithm, with the model if there are several in the sample.
    pub fn series(&self, trial: &Trial) -> String {
        let has_several = self.trials.iter().any(|other| other.model != trial.model);
        match has_several {
            true => format!("{}, {}", trial.algorithm, trial.model.to_uppercase()),
            false => trial.algorithm.clone(),
        }
    }

    /// Where and with what the trials were run: the last sentence of a caption.
    pub fn circumstances(&self) -> String {
        let list = |of: &dyn Fn(&Trial) -> Option<String>| {
            let all: BTreeSet<String> = self.trials.iter().filter_map(|trial| of(trial)).collect();
            let all: Vec<String> = all.into_iter().filter(|one| !one.is_empty()).collect();
            all.join(", ")
        };
        let protocols = list(&|trial| trial.protocol.clone());
        let sources = list(&|trial| Some(trial.source.clone()));
        let limits: BTreeSet<String> = self.limits().map(seconds).collect();
        let limits: Vec<String> = limits.into_iter().collect();
        let mut said = vec![
            format!("Size {}", self.size),
            format!("histories: {sources}"),
        ];
        if !protocols.is_empty() {
            said.push(format!("protocols: {protocols}"));
        }
        said.push(format!("limit a run: {}", limits.join(", ")));
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

    /// The time limits of all trials.
    pub fn limits(&self) -> impl Iterator<Item = f64> {
        self.trials.iter().map(|trial| trial.timeout)
    }
}

/// How long a trial took. One that was cut off took as long as its limit, however long it really took; and one that came to its
/// end after the limit was only not looked at in time.
pub fn time(trial: &Trial) -> Measured {
    let has_limit = trial.timeout.is_finite() && trial.timeout > 0.0;
    let is_late = has_limit && trial.seconds > trial.timeout;
    let is_cut_off = trial.said.is_cut_off() || is_late;
    Measured {
        value: if is_cut_off && has_limit {
            trial.timeout
        } else {
            trial.seconds
        },
        is_cut_off,
    }
}

/// What its algorithm is called in a legend, if the series has several models.
pub fn algorithm_of(series: &str) -> &str {
    series.split_once(", ").map_or(series, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tables::Said;

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
        let trials = [
            trial("quick", "threads=2", 0),
            trial("paper", "threads=2", 0),
        ];
        let samples = Sample::all(&trials, "e");
        let names: Vec<String> = samples.iter().map(|sample| sample.name("../x")).collect();
        assert_eq!(names, ["e----x", "e----x-quick"]);
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
        trials.push(Trial {
            algorithm: "ccm".to_owned(),
            ..trials[0].clone()
        });
        let sample = &Sample::all(&trials, "e")[0];
        assert_eq!(sample.histories_a_point(), "1–2 histories a point");
        assert_eq!(sample.by_history().len(), 3);
        assert!(sample.part("operations").is_none());
        assert_eq!(sample.series(&trials[0]), "wsc");
    }

    #[test]
    fn several_models_are_named() {
        let trials = [
            trial("quick", "threads=2", 0),
            Trial {
                model: "tso".to_owned(),
                ..trial("quick", "threads=2", 0)
            },
        ];
        let sample = &Sample::all(&trials, "e")[0];
        assert_eq!(sample.series(&trials[1]), "wsc, TSO");
        assert_eq!(algorithm_of("wsc, TSO"), "wsc");
    }

    #[test]
    fn what_is_cut_off_took_the_limit() {
        let mut one = trial("quick", "threads=2", 0);
        one.seconds = 60.3;
        assert_eq!((time(&one).value, time(&one).is_cut_off), (60.0, true));
        one.said = Said::Timeout;
        assert_eq!((time(&one).value, time(&one).is_cut_off), (60.0, true));
        one.seconds = 59.9;
        assert_eq!((time(&one).value, time(&one).is_cut_off), (60.0, true));
        one.said = Said::Consistent;
        assert_eq!(time(&one), Measured::exactly(59.9));
        one.seconds = 60.3;
        one.timeout = 0.0;
        assert_eq!(time(&one).value, 60.3);
    }
}
