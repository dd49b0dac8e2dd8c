//! Claims about the times of the algorithms and their slowdown over the baseline.
//!
//! The paper averages over the programs of a tuple of operations, threads and locations, and over tuples. Here the medians of the
//! programs of a tuple are averaged over tuples.

use super::super::measure::{AtSize, Axis, GROWS, History, Trials, time};
use super::super::paper::{self, FASTER, PublishedClaim};
use super::super::speed::all;
use super::super::{Decision, Evidence, Missing};
use super::{BACK, BASELINE, FEW_THREADS, reasons};
use crate::numbers::{percent, seconds, times};
use crate::statistics::{Estimate, mean, median};
use tables::Reported;

/// The largest programs of the paper: operations, threads, locations.
const LARGEST: (u64, u32, u32) = (512 << 10, 60, 256);

/// The number of operations of the paper's programs in Figure 3.
const FIGURE_3: u64 = 128 << 10;

/// The number of operations of the paper's programs in Table 1.
const TABLE_1: u64 = 256 << 10;

/// The mixes of Table 1, in its order.
const MIXES: [&str; 3] = ["50,16,30,2", "33,33,30,2", "16,50,30,2"];

/// Returns the median of the numbers of a tuple's programs, which `of` computes, for each tuple of operations, threads
/// and locations.
pub(crate) fn by_tuple(
    trials: &Trials<'_>,
    of: impl Fn(&Trials<'_>) -> Vec<Estimate>,
) -> Vec<Estimate> {
    let tuples = trials.tuples().into_iter();
    let medians = tuples.filter_map(|(_, tuple)| median(&of(&tuple)));
    medians.collect()
}

/// The times of the baseline.
pub(in crate::claims) fn baselines(trials: &Trials<'_>) -> Vec<Estimate> {
    trials.rows(BASELINE).filter_map(time).collect()
}

/// The slowdowns of Deriv+Back over the baseline.
pub(in crate::claims) fn ratios(trials: &Trials<'_>) -> Vec<Estimate> {
    trials.ratios(BACK, BASELINE)
}

pub(in crate::claims) fn heu(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let all = Trials::of(results, "tsotool-fig3", "tso")?.with(&["heu", BASELINE])?;
    // Heu ends early if it gets stuck, so that its time is not comparable.
    let is_whole = |history: &History<'_>| {
        history.by("heu").is_some_and(|row| row.said == Reported::Consistent)
    };
    let trials = all.filter(is_whole).enough()?;
    let overhead = median(&overheads(&trials, "heu"));
    let overhead = overhead.ok_or(Missing::TimedOut("tsotool-fig3"))?;
    let counts = Some("in the median".to_owned());
    let basis = format!("Where Heu finds an order: {}", trials.basis(&["heu", BASELINE]));
    let found = paper::HEU_OVERHEAD.number(overhead, counts, basis);
    let found = found.because(reasons::by_threads(&trials)).because(everywhere(&all));
    Ok(found.because(reasons::shorter(&trials, FIGURE_3)))
}

/// Says the mean overhead over all histories, including those for which Heu finds no order: the paper may have averaged
/// so.
fn everywhere(all: &Trials<'_>) -> String {
    mean(&overheads(all, "heu")).map_or_else(String::new, |mean| {
        format!(
            "Over all {} histories, also those where it finds no order, the mean is {}.",
            all.histories.len(),
            mean.shown(percent)
        )
    })
}

/// The time of an algorithm beyond the baseline, as a share of the time of the baseline.
pub(crate) fn overheads(trials: &Trials<'_>, algorithm: &str) -> Vec<Estimate> {
    let ratios = trials.ratios(algorithm, BASELINE).into_iter();
    ratios.map(beyond).collect()
}

fn beyond(ratio: Estimate) -> Estimate {
    Estimate { low: ratio.low - 1.0, high: ratio.high - 1.0 }
}

/// The trials of Figure 4 in which both algorithms took part.
fn grid(results: AtSize<'_>) -> Result<Trials<'_>, Missing> {
    Trials::of(results, "tsotool-fig4", "tso")?.with(&[BASELINE, BACK])?.enough()
}

pub(in crate::claims) fn slowdown(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let trials = grid(results)?;
    let mut medians = by_tuple(&trials, ratios);
    let average = mean(&medians).ok_or(Missing::TimedOut("tsotool-fig4"))?;
    medians.sort_by(|one, other| one.low.total_cmp(&other.low));
    let range = match (medians.first(), medians.last()) {
        (Some(first), Some(last)) => format!(
            "The medians of the programs of a tuple are {} to {}.",
            first.shown(times),
            last.shown(times)
        ),
        _ => String::new(),
    };
    let basis = trials.basis(&[BASELINE, BACK]);
    let found = paper::BACK_SLOWDOWN.number(average, None, basis);
    let found = found.because(plain(&trials)).because(range);
    Ok(found.because(by_operations(&trials)))
}

/// Says the plain mean over all histories, which the paper gives. Single runs can dominate it, so it may differ from
/// the mean of medians.
fn plain(trials: &Trials<'_>) -> String {
    mean(&ratios(trials)).map_or(String::new(), |mean| {
        format!("The plain mean over all histories is {}.", mean.shown(times))
    })
}

/// Says the slowdown by number of operations, with the time of the baseline: if that is very short, the slowdown says
/// little.
fn by_operations(trials: &Trials<'_>) -> String {
    let points = trials.along(Axis::Operations).into_iter();
    let slowdowns = points.filter_map(|(operations, point)| {
        let slowdown = mean(&by_tuple(&point, ratios))?.shown(times);
        let baseline = mean(&by_tuple(&point, baselines))?.shown(seconds);
        Some(format!("{slowdown} of {baseline} with {operations} operations"))
    });
    let slowdowns: Vec<String> = slowdowns.collect();
    format!("By operations, with the time of the baseline: {}.", slowdowns.join(", "))
}

pub(in crate::claims) fn largest(
    results: AtSize<'_>,
    stated: PublishedClaim,
    backtracks: bool,
) -> Result<Evidence, Missing> {
    let trials = grid(results)?.filter(|history| {
        let any = history.any;
        let is_largest = (any.operations, any.threads, any.locations) == LARGEST;
        is_largest && history.by(BACK).is_some_and(|row| (row.backtracks > 0) == backtracks)
    });
    let trials = trials.enough()?;
    let overhead = mean(&overheads(&trials, BACK));
    let overhead = overhead.ok_or(Missing::TimedOut("tsotool-fig4"))?;
    let found = stated.number(overhead, None, trials.basis(&[BASELINE, BACK]));
    Ok(found.because(reasons::edges(&[trials])))
}

pub(in crate::claims) fn few(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let trials = grid(results)?.filter(|history| history.any.threads <= FEW_THREADS);
    let trials = trials.enough()?;
    let overheads = by_tuple(&trials, |tuple| overheads(tuple, BACK));
    let middle = median(&overheads).ok_or(Missing::TimedOut("tsotool-fig4"))?;
    let counts = Some(format!("in the median of {} tuples", overheads.len()));
    Ok(paper::BACK_FEW.number(middle, counts, trials.basis(&[BASELINE, BACK])))
}

/// Returns the number that `of` computes at the smallest and at the largest value on an axis that have enough
/// histories.
pub(crate) fn ends(
    trials: &Trials<'_>,
    axis: Axis,
    of: impl Fn(&Trials<'_>) -> Option<Estimate>,
) -> Result<[(u64, Estimate); 2], Missing> {
    let points = trials.along(axis).into_iter();
    let points = points.filter_map(|(at, point)| Some((at, of(&point.enough().ok()?)?)));
    let points: Vec<(u64, Estimate)> = points.collect();
    match &points[..] {
        [first, .., last] => Ok([*first, *last]),
        _ => Err(Missing::Rows(trials.experiment, "more than one point on the axis")),
    }
}

pub(in crate::claims) fn grows(results: AtSize<'_>, axis: Axis) -> Result<Evidence, Missing> {
    let trials = grid(results)?;
    let [(first, low), (last, high)] = ends(&trials, axis, |point| mean(&by_tuple(point, ratios)))?;
    Ok(Evidence {
        ours: format!(
            "{} at {first}, {} at {last} {}",
            low.shown(times),
            high.shown(times),
            axis.name()
        ),
        holds: high.exceeds(low.times(GROWS)).into(),
        difference: String::new(),
        basis: trials.basis(&[BASELINE, BACK]),
    }
    .because(reasons::for_each_operation(&trials, axis))
    .because(reasons::derived(&trials, axis))
    .because(reasons::shorter(&trials, LARGEST.0)))
}

pub(in crate::claims) fn scales(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let trials = grid(results)?;
    let growth = |of: &dyn Fn(&Trials<'_>) -> Option<Estimate>| {
        let [(_, first), (_, last)] = ends(&trials, Axis::Operations, of)?;
        last.over(first).ok_or(Missing::TimedOut("tsotool-fig4"))
    };
    let baseline = growth(&|point| mean(&by_tuple(point, baselines)))?;
    let ratio = growth(&|point| mean(&by_tuple(point, ratios)))?;
    Ok(Evidence {
        ours: format!(
            "{} the slowdown, {} the time of the baseline",
            ratio.shown(times),
            baseline.shown(times)
        ),
        holds: baseline.exceeds(ratio).into(),
        difference: String::new(),
        basis: trials.basis(&[BASELINE, BACK]),
    })
}

pub(in crate::claims) fn minutes(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let trials = Trials::of(results, "tsotool-fig4", "tso")?.with(&[BACK])?;
    let is_largest = |history: &History<'_>| {
        (history.any.operations, history.any.threads) == (LARGEST.0, LARGEST.1)
    };
    let trials = trials.filter(is_largest).enough()?;
    let longest = trials.rows(BACK).filter_map(time).reduce(|one, other| Estimate {
        low: one.low.max(other.low),
        high: one.high.max(other.high),
    });
    let longest = longest.ok_or(Missing::TimedOut("tsotool-fig4"))?;
    Ok(paper::BACK_MINUTES.number(longest, None, trials.basis(&[BACK])))
}

/// Tests that a number, computed by `of`, grows with the share of stores in the mix.
pub(in crate::claims) fn mixes(
    results: AtSize<'_>,
    of: impl Fn(&Trials<'_>) -> Vec<Estimate>,
    stated: PublishedClaim,
) -> Result<Evidence, Missing> {
    let trials = Trials::of(results, "tsotool-table1", "tso")?.with(&[BASELINE, BACK])?;
    let (mut numbers, mut points) = (Vec::new(), Vec::new());
    for mix in MIXES {
        let point = trials.filter(|history| history.any.mix == mix).enough()?;
        let number = mean(&by_tuple(&point, &of));
        numbers.push(number.ok_or(Missing::TimedOut("tsotool-table1"))?);
        points.push(point);
    }
    let ours = numbers.iter().map(|number| stated.result.shown(*number));
    Ok(Evidence {
        ours: ours.collect::<Vec<_>>().join(", "),
        holds: rises(&numbers),
        difference: String::new(),
        basis: trials.basis(&[BASELINE, BACK]),
    }
    .because(reasons::edges(&points))
    .because(reasons::shorter(&trials, TABLE_1)))
}

/// Whether each number exceeds the one before, and the last the first by more than may be chance.
fn rises(numbers: &[Estimate]) -> Decision {
    let rises = |pair: &[Estimate]| match pair {
        [before, after] => after.exceeds(*before),
        _ => None,
    };
    let steps = numbers.windows(2).map(rises);
    let whole = match numbers {
        [first, .., last] => last.exceeds(first.times(FASTER)),
        _ => None,
    };
    all(steps.chain([whole]))
}
