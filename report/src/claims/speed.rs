//! Compares the times of algorithms, for claims that several papers make about their figures.

use super::measure::{Axis, FLEETING, GROWS, Trials};
use super::paper::{ALIKE, FASTER, SIMILAR};
use super::{Decision, Evidence, Missing};
use crate::numbers::{digits, seconds, times};
use crate::statistics::{Estimate, median};

/// A claim about a whole figure holds if more than this share of its comparisons agrees.
const MOST: f64 = 0.5;

/// The times of two algorithms at one point of an experiment.
#[derive(Clone, Copy)]
struct Compared {
    at: u64,
    /// The medians of the slow and of the fast algorithm.
    medians: [Estimate; 2],
    ratio: Estimate,
}

impl Compared {
    /// Whether both medians are too short to be compared.
    fn is_fleeting(&self) -> bool {
        self.medians.into_iter().all(is_fleeting)
    }
}

/// Whether a time is too short for a comparison.
fn is_fleeting(median: Estimate) -> bool {
    median.high < FLEETING
}

/// The ratio of the median times of `slow` and `fast`, at every comparable point that has enough histories.
fn compared(
    trials: &Trials<'_>,
    axis: Axis,
    slow: &str,
    fast: &str,
) -> Result<Vec<Compared>, Missing> {
    let part = trials.part(axis).with(&[slow, fast])?;
    let points = part.along(axis);
    let compared = points.iter().filter_map(|(at, point)| {
        let point = point.clone().enough().ok()?;
        Some(Compared {
            at: *at,
            medians: [point.median_time(slow)?, point.median_time(fast)?],
            ratio: point.ratio(slow, fast)?,
        })
    });
    let compared: Vec<Compared> = compared.collect();
    if compared.is_empty() {
        Err(part.undecided(points.iter().map(|(_, point)| point)))
    } else {
        Ok(compared)
    }
}

/// The comparisons that a claim is about, each with its decision.
#[derive(Default)]
struct Tally {
    shown: Vec<String>,
    decisions: Vec<Decision>,
}

impl Tally {
    fn push(&mut self, decision: Decision, shown: String) {
        self.decisions.push(decision);
        self.shown.push(shown);
    }

    /// The evidence of all comparisons: the claim holds if each of them agrees.
    fn found(self, basis: String) -> Evidence {
        let holds = all(self.decisions.iter().copied());
        let fails = self.decisions.iter().filter(|decision| **decision == Decision::No);
        let difference = match (fails.count(), self.decisions.len()) {
            (0, _) => String::new(),
            (fails, of) if fails == of => "Here it is not so.".to_owned(),
            (fails, of) => format!("Here it is not so in {fails} of {of} comparisons."),
        };
        Evidence { ours: self.shown.join("; "), holds, difference, basis }
    }
}

/// The decision that all of several statements hold: no if one does not, otherwise undecided if one is.
pub(super) fn all(decisions: impl IntoIterator<Item = impl Into<Decision>>) -> Decision {
    let mut all = Decision::Yes;
    for one in decisions {
        match one.into() {
            Decision::No => return Decision::No,
            Decision::Yes => {}
            unknown => all = unknown,
        }
    }
    all
}

/// Describes the times of two algorithms at a point.
fn in_words(slow: &str, fast: &str, axis: Axis, point: &Compared) -> String {
    let [slow_median, fast_median] = point.medians.map(|median| median.shown(seconds));
    format!(
        "{slow} takes {} as long as {fast} at {} {} ({slow_median}, {fast_median})",
        point.ratio.shown(times),
        point.at,
        axis.name()
    )
}

/// Tests that each of the `fast` algorithms is faster than `slow` at the last point of each axis.
pub(super) fn faster(
    trials: &Trials<'_>,
    axes: &[Axis],
    fast: &[&str],
    slow: &str,
) -> Result<Evidence, Missing> {
    let mut tally = Tally::default();
    for &axis in axes {
        for fast in fast {
            let points = compared(trials, axis, slow, fast)?;
            let long = points.iter().rfind(|point| !point.is_fleeting());
            if let Some(point) = long.or(points.last()) {
                let decision = match long {
                    Some(point) => point.ratio.exceeds(Estimate::exactly(FASTER)).into(),
                    None => Decision::TooShort,
                };
                tally.push(decision, in_words(slow, fast, axis, point));
            }
        }
    }
    Ok(tally.found(trials.basis(&[&[slow], fast].concat())))
}

/// Tests that the advantage of each of the `fast` algorithms over `slow` is larger at the last point than at the first.
pub(super) fn grows(
    trials: &Trials<'_>,
    axis: Axis,
    fast: &[&str],
    slow: &str,
) -> Result<Evidence, Missing> {
    let mut tally = Tally::default();
    for fast in fast {
        let mut points = compared(trials, axis, slow, fast)?;
        points.retain(|point| !point.is_fleeting());
        let [first, others @ .., last] = &points[..] else {
            return Err(Missing::Rows(trials.experiment, "more than one comparable point"));
        };
        let grows = |point: &Compared| point.ratio.exceeds(first.ratio.times(GROWS));
        // If the slow algorithm timed out at the last point, an earlier point may decide.
        let largest = [others, std::slice::from_ref(last)].concat();
        let decided = largest.iter().rfind(|point| grows(point).is_some());
        let last = decided.unwrap_or(last);
        let shown = format!(
            "{slow} takes {} as long as {fast} at {}, {} at {} {}",
            first.ratio.shown(times),
            first.at,
            last.ratio.shown(times),
            last.at,
            axis.name()
        );
        tally.push(grows(last).into(), shown);
    }
    Ok(tally.found(trials.basis(&[&[slow], fast].concat())))
}

/// Tests that two algorithms take about the same time at the last point of each axis.
pub(super) fn alike(
    trials: &Trials<'_>,
    axes: &[Axis],
    first: &str,
    second: &str,
) -> Result<Evidence, Missing> {
    let mut tally = Tally::default();
    for &axis in axes {
        let points = compared(trials, axis, first, second)?;
        let long = points.iter().rfind(|point| !point.is_fleeting());
        if let Some(last) = long.or(points.last()) {
            tally.push(is_alike(last), in_words(first, second, axis, last));
        }
    }
    Ok(tally.found(trials.basis(&[first, second])))
}

/// Says how long this program's own forms of the papers' algorithms take on the same histories, in the median.
pub(super) fn instead(trials: &Trials<'_>, ours: &[&str]) -> String {
    let medians = ours
        .iter()
        .filter_map(|name| Some(format!("{name} {}", trials.median_time(name)?.shown(seconds))));
    let medians: Vec<String> = medians.collect();
    if medians.is_empty() {
        return String::new();
    }
    format!(
        "With this program's computation of the criterion, the medians of all histories are: {}.",
        medians.join(", ")
    )
}

/// Whether two algorithms take about the same time.
fn is_alike(point: &Compared) -> Decision {
    if point.is_fleeting() {
        return Decision::TooShort;
    }
    let too_high = point.ratio.exceeds(Estimate::exactly(ALIKE));
    let low_enough = point.ratio.exceeds(Estimate::exactly(1.0 / ALIKE));
    all([too_high.map(|too_high| !too_high), low_enough])
}

/// Tests that an algorithm is the fastest at most of the points.
pub(super) fn fastest(
    trials: &Trials<'_>,
    axis: Axis,
    best: &str,
    others: &[&str],
) -> Result<Evidence, Missing> {
    let all_of_them = [&[best], others].concat();
    let part = trials.part(axis).with(&all_of_them)?;
    let points = part.along(axis);
    let mut ranked: Vec<(u64, Vec<(&str, Estimate)>)> = Vec::new();
    for (at, point) in &points {
        if let Ok(point) = point.clone().enough() {
            let medians = ranking(&point, &all_of_them);
            let is_known = |(_, median): &(&str, Estimate)| median.high < f64::INFINITY;
            if medians.first().is_some_and(is_known) {
                ranked.push((*at, medians));
            }
        }
    }
    let Some((last, medians)) = ranked.last() else {
        return Err(part.undecided(points.iter().map(|(_, point)| point)));
    };
    let is_first = |(_, medians): &&(u64, Vec<(&str, Estimate)>)| {
        medians.first().is_some_and(|(name, _)| *name == best)
    };
    let is_comparable = |ranked: &&(u64, Vec<(&str, Estimate)>)| is_comparable(&ranked.1, best);
    let comparable = ranked.iter().filter(is_comparable).count();
    let won = ranked.iter().filter(is_comparable).filter(is_first).count();
    let medians = medians.iter().map(|(name, median)| format!("{name} {}", median.shown(seconds)));
    Ok(Evidence {
        ours: format!(
            "{best} is the fastest at {won} of {comparable} comparable points; at {last} {}: {}",
            axis.name(),
            medians.collect::<Vec<_>>().join(", ")
        ),
        holds: match comparable {
            0 => Decision::TooShort,
            comparable => (won as f64 / comparable as f64 > MOST).into(),
        },
        difference: String::new(),
        basis: part.basis(&all_of_them),
    })
}

/// Whether a point can show that an algorithm is the fastest: its time or that of the fastest other one is long enough
/// to be compared.
fn is_comparable(ranking: &[(&str, Estimate)], best: &str) -> bool {
    let its = ranking.iter().find(|(name, _)| *name == best);
    let next = ranking.iter().find(|(name, _)| *name != best);
    let medians = [its, next].into_iter().flatten();
    !medians.map(|(_, median)| *median).all(is_fleeting)
}

/// The medians of algorithms, the smallest first.
fn ranking<'n>(point: &Trials<'_>, algorithms: &[&'n str]) -> Vec<(&'n str, Estimate)> {
    let medians = algorithms.iter().filter_map(|name| Some((*name, point.median_time(name)?)));
    let mut medians: Vec<(&str, Estimate)> = medians.collect();
    medians.sort_by(|one, other| one.1.high.total_cmp(&other.1.high));
    medians
}

/// Tests that from the point `from` on an algorithm's time grows more than that of each of the others.
pub(super) fn degrades(
    trials: &Trials<'_>,
    axis: Axis,
    from: u64,
    slow: &str,
    others: &[&str],
) -> Result<Evidence, Missing> {
    let all_of_them = [&[slow], others].concat();
    let part = trials.part(axis).with(&all_of_them)?;
    let points = part.along(axis).into_iter();
    let points = points.filter(|(at, point)| *at >= from && point.clone().enough().is_ok());
    let points: Vec<_> = points.collect();
    let [(first, start), .., (last, end)] = &points[..] else {
        return Err(Missing::Rows(trials.experiment, "enough histories beyond 8 threads"));
    };
    let growth = |name: &str| end.median_time(name)?.over(start.median_time(name)?);
    let unknown = Estimate { low: 0.0, high: f64::INFINITY };
    let growths = all_of_them.iter().map(|name| (*name, growth(name).unwrap_or(unknown)));
    let growths: Vec<(&str, Estimate)> = growths.collect();
    let ours = growths.iter().map(|(name, growth)| format!("{name} {}", growth.shown(times)));
    let slowest = growths.first().map_or(unknown, |(_, growth)| *growth);
    Ok(Evidence {
        ours: format!(
            "From {first} to {last} {} the median grows: {}",
            axis.name(),
            ours.collect::<Vec<_>>().join(", ")
        ),
        holds: all(growths.iter().skip(1).map(|(_, growth)| slowest.exceeds(growth.times(GROWS)))),
        difference: String::new(),
        basis: part.basis(&all_of_them),
    })
}

/// Tests that algorithms take about as long on the histories of one experiment as on those of another with the same points.
pub(super) fn similar(
    trials: &Trials<'_>,
    reference: &Trials<'_>,
    axis: Axis,
    algorithms: &[&str],
) -> Result<Evidence, Missing> {
    let points = trials.part(axis).with(algorithms)?.along(axis);
    let known = reference.part(axis).with(algorithms)?.along(axis);
    let mut ratios = Vec::new();
    for (at, point) in &points {
        let Some((_, other)) = known.iter().find(|(known, _)| known == at) else {
            continue;
        };
        if point.clone().enough().is_err() || other.clone().enough().is_err() {
            continue;
        }
        for algorithm in algorithms {
            let medians = (point.median_time(algorithm), other.median_time(algorithm));
            let (Some(mine), Some(its)) = medians else {
                continue;
            };
            if is_fleeting(mine) && is_fleeting(its) {
                continue;
            }
            ratios.extend(mine.over(its).filter(|ratio| ratio.is_informative()));
        }
    }
    if ratios.is_empty() {
        return Err(trials.undecided(points.iter().map(|(_, point)| point)));
    }
    let near = |ratio: &&Estimate| ratio.low <= SIMILAR && ratio.high >= 1.0 / SIMILAR;
    let similar = ratios.iter().filter(near).count();
    let middle = median(&ratios).map_or(String::new(), |middle| middle.shown(times));
    Ok(Evidence {
        ours: format!(
            "{similar} of {} medians within a factor of {} of those of {}; the middle one is {middle} that",
            ratios.len(),
            digits(SIMILAR, 3),
            reference.experiment
        ),
        holds: (similar as f64 / ratios.len() as f64 > MOST).into(),
        difference: String::new(),
        basis: trials.basis(algorithms),
    })
}
