//! Determines whether an experiment has all planned rows. One that is running, was killed or lacks shards has fewer.

use std::collections::{BTreeMap, BTreeSet};

use tables::{RECORDED, Trial};

use super::catalog::{EXPERIMENTS, Experiment};
use super::point::Size;

/// The model and the algorithm of a row.
type Asked<'a> = (&'a str, &'a str);

/// The experiments that lack rows, each with the size at which it does. Rows of recorded traces are ignored, since their number
/// depends on the traces.
pub fn unfinished(trials: &[Trial]) -> BTreeSet<(String, String)> {
    let mut unfinished = BTreeSet::new();
    for experiment in &EXPERIMENTS {
        for size in Size::ALL {
            let is_its = |trial: &&Trial| {
                trial.experiment == experiment.name
                    && trial.size == size.name()
                    && trial.source != RECORDED
            };
            let rows: Vec<&Trial> = trials.iter().filter(is_its).collect();
            if !rows.is_empty() && lacks(experiment, size, &rows) {
                unfinished.insert((experiment.name.to_owned(), size.name().to_owned()));
            }
        }
    }
    unfinished
}

/// Whether a planned history has no rows, or fewer rows than other histories of its point.
fn lacks(experiment: &Experiment, size: Size, rows: &[&Trial]) -> bool {
    let mut points: BTreeMap<(&str, &str), BTreeMap<u32, BTreeSet<Asked<'_>>>> = BTreeMap::new();
    for row in rows {
        let point = points.entry((&row.part, &row.point)).or_default();
        let asked = point.entry(row.number).or_default();
        asked.insert((&row.model, &row.algorithm));
    }
    experiment.points(size).iter().any(|planned| {
        let Some(point) = points.get(&(planned.part, &*planned.name)) else {
            return true;
        };
        let all: BTreeSet<Asked<'_>> = point.values().flatten().copied().collect();
        let mut numbers = planned.first..planned.first + planned.histories;
        numbers.any(|number| point.get(&number).is_none_or(|asked| asked.len() < all.len()))
    })
}
