//! Possible explanations of the slowdowns over the baseline, from the rows.

use super::super::measure::{Axis, History, Trials, time};
use super::times::{by_tuple, ends, overheads};
use super::{BACK, BASELINE};
use crate::numbers::{percent, seconds, times};
use crate::statistics::{Estimate, mean, median};

/// Says the median overhead of Heu by number of threads, with the time of the baseline, which grows faster with the
/// number of threads than that of a sort does.
pub(super) fn by_threads(trials: &Trials<'_>) -> String {
    let points = trials.along(Axis::Threads).into_iter();
    let overheads = points.filter_map(|(threads, point)| {
        let overhead = median(&overheads(&point, "heu"))?.shown(percent);
        let baseline = point.median_time(BASELINE)?.shown(seconds);
        Some(format!("{overhead} of {baseline} with {threads} threads"))
    });
    let overheads: Vec<String> = overheads.collect();
    format!("By threads, of the time of the baseline: {}.", overheads.join(", "))
}

/// Says how many times as many edges as the baseline Deriv+Back derives, which accounts for a part of the time.
pub(super) fn derived(trials: &Trials<'_>, axis: Axis) -> String {
    let edges = |point: &Trials<'_>| {
        let of = |name| point.rows(name).map(|row| row.edges as f64).sum::<f64>();
        Estimate::exactly(of(BACK)).over(Estimate::exactly(of(BASELINE)))
    };
    match ends(trials, axis, edges) {
        Ok([(first, low), (last, high)]) => format!(
            "It derives {} as many edges as the baseline at {first}, {} at {last}.",
            low.shown(times),
            high.shown(times)
        ),
        Err(_) => String::new(),
    }
}

/// Says how long the baseline takes per operation, and how much the search adds. Where the former grows faster, the
/// slowdown falls.
pub(super) fn for_each_operation(trials: &Trials<'_>, axis: Axis) -> String {
    let both = |history: &History<'_>| {
        let rows = [history.by(BASELINE), history.by(BACK)];
        rows.into_iter().all(|row| row.is_some_and(|row| !row.said.is_cut_off()))
    };
    let finished = trials.filter(both);
    let each = |of: &dyn Fn(&History<'_>) -> Option<f64>| {
        ends(&finished, axis, |point| {
            mean(&by_tuple(point, |tuple| {
                let histories = tuple.histories.iter();
                let numbers = histories.filter_map(|history| {
                    let operations = history.any.operations.max(1) as f64;
                    Some(Estimate::exactly(of(history)? / operations))
                });
                numbers.collect()
            }))
        })
    };
    let its = |history: &History<'_>, name: &str| Some(time(history.by(name)?)?.low);
    let baseline = each(&|history| its(history, BASELINE));
    let search = each(&|history| Some(its(history, BACK)? - its(history, BASELINE)?));
    match (baseline, search) {
        (Ok([(first, few), (last, many)]), Ok([(_, little), (_, much)])) => format!(
            "For each operation the baseline takes {} at {first} and {} at {last}, and Deriv+Back {} and {} beyond it.",
            few.shown(seconds),
            many.shown(seconds),
            little.shown(seconds),
            much.shown(seconds)
        ),
        _ => String::new(),
    }
}

/// Says how many operations the programs have, if these are fewer than the paper's.
pub(super) fn shorter(trials: &Trials<'_>, theirs: u64) -> String {
    let operations = trials.histories.iter().map(|history| history.any.operations);
    match operations.max() {
        Some(most) if most < theirs => {
            format!("Programs have up to {most} operations here and {theirs} in the paper.")
        }
        _ => String::new(),
    }
}

/// Says how many edges the algorithms derive in each group of histories.
pub(super) fn edges(groups: &[Trials<'_>]) -> String {
    let of = |name: &str| {
        let medians = groups.iter().map(|group| {
            let (middle, _) = group.count(name, |row| Some(row.edges))?;
            Some(middle.shown(|edges| format!("{edges:.0}")))
        });
        Some(medians.collect::<Option<Vec<String>>>()?.join(", "))
    };
    match (of(BASELINE), of(BACK)) {
        (Some(baseline), Some(back)) => {
            format!("In the median the baseline derives {baseline} edges, and Deriv+Back {back}.")
        }
        _ => String::new(),
    }
}
