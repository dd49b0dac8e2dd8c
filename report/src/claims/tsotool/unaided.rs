//! Claims about the algorithms without the baseline before them, and about the share of stores from which on the time falls.

use super::super::measure::{AtSize, GROWS, Trials};
use super::super::speed::all;
use super::super::{Decision, Evidence, Missing};
use super::times::{baselines, by_tuple};
use super::{BACK, SORTS, found, is_above, shown};
use crate::claims::measure::time;
use crate::claims::paper::FAR_MORE;
use crate::numbers::{seconds, times};
use crate::statistics::{Estimate, mean};

/// The algorithms without the baseline.
const UNAIDED: [&str; 2] = ["heu-no-baseline", "deriv-no-baseline"];
const UNAIDED_BACK: &str = "deriv-back-no-baseline";

const NO_BASELINE: &str = "tsotool-no-baseline";
const STORES: &str = "tsotool-stores";

/// Tests that Heu and Deriv find an order less often without the baseline.
pub(in crate::claims) fn less_often(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let names = [SORTS, UNAIDED].concat();
    let trials = Trials::of(results, NO_BASELINE, "tso")?.with(&names)?.enough()?;
    let (mut ours, mut decisions) = (Vec::new(), Vec::new());
    for (with, without) in SORTS.into_iter().zip(UNAIDED) {
        let (aided, alone) = (found(&trials, with)?, found(&trials, without)?);
        ours.push(format!("{with} {} with it, {} without", shown(aided), shown(alone)));
        decisions.push(is_above(aided, alone));
    }
    Ok(Evidence {
        ours: ours.join("; "),
        holds: all(decisions),
        difference: String::new(),
        basis: trials.basis(&names),
    })
}

/// Tests that Deriv+Back takes far longer without the baseline, and backtracks far more.
pub(in crate::claims) fn explodes(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let names = [BACK, UNAIDED_BACK];
    let trials = Trials::of(results, NO_BASELINE, "tso")?.with(&names)?.enough()?;
    let slowdown = mean(&by_tuple(&trials, |tuple| tuple.ratios(UNAIDED_BACK, BACK)));
    let slowdown = slowdown.ok_or(Missing::TimedOut(NO_BASELINE))?;
    let backtracks = |name| trials.rows(name).map(|row| row.backtracks).sum::<u64>();
    let (aided, alone) = (backtracks(BACK), backtracks(UNAIDED_BACK));
    let by_tuple = trials.tuples().into_iter().filter_map(|((_, threads, locations), tuple)| {
        let ratio = crate::statistics::median(&tuple.ratios(UNAIDED_BACK, BACK))?.shown(times);
        Some(format!("{ratio} with {threads} threads and {locations} locations"))
    });
    let by_tuple: Vec<String> = by_tuple.collect();
    let more_time = slowdown.exceeds(Estimate::exactly(FAR_MORE));
    Ok(Evidence {
        ours: format!(
            "{} the time with it, {alone} backtracks against {aided}",
            slowdown.shown(times)
        ),
        holds: all([Decision::from(more_time), (alone as f64 > FAR_MORE * aided as f64).into()]),
        difference: String::new(),
        basis: format!("{} Medians: {}.", trials.basis(&names), by_tuple.join(", ")),
    })
}

/// Tests that with ever more stores, and at last no loads at all, there comes a point from which the analysis takes less time.
pub(in crate::claims) fn tips(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let trials = Trials::of(results, STORES, "tso")?.with(&[BACK])?;
    let back = |trials: &Trials<'_>| trials.rows(BACK).filter_map(time).collect();
    let mut points = Vec::new();
    for (stores, point) in trials.grouped(|trial| stores_of(&trial.mix)) {
        let point = point.enough()?;
        let number = mean(&by_tuple(&point, back)).ok_or(Missing::TimedOut(STORES))?;
        let baseline = mean(&by_tuple(&point, baselines));
        points.push((stores, number, baseline));
    }
    let [_, .., (last, end, _)] = &points[..] else {
        return Err(Missing::Rows(STORES, "more than one mix"));
    };
    let most = points.iter().max_by(|one, other| one.1.low.total_cmp(&other.1.low));
    let Some((at, largest, _)) = most else {
        return Err(Missing::Rows(STORES, "more than one mix"));
    };
    let course = points.iter().map(|(stores, back, baseline)| {
        let baseline = baseline.map_or(String::new(), |it| format!(" ({})", it.shown(seconds)));
        format!("{} at {stores} %{baseline}", back.shown(seconds))
    });
    let course = course.collect::<Vec<_>>().join(", ");
    Ok(Evidence {
        ours: format!(
            "longest at {at} % stores with {}, {} at {last} %",
            largest.shown(seconds),
            end.shown(seconds)
        ),
        holds: largest.exceeds(end.times(GROWS)).into(),
        difference: String::new(),
        basis: format!(
            "{} Deriv+Back by the share of stores, and the baseline alone: {course}.",
            trials.basis(&[BACK])
        ),
    })
}

/// The share of stores of a mix of loads, stores, swaps and fences, in percent.
fn stores_of(mix: &str) -> u64 {
    let weights: Vec<u64> = mix.split(',').filter_map(|weight| weight.parse().ok()).collect();
    let all: u64 = weights.iter().sum();
    weights.get(1).map_or(0, |stores| (100 * stores + all / 2) / all.max(1))
}
