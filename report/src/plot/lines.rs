//! Panels of curves: medians between quartiles, and the numbers of runs that timed out. Curves are shifted sideways by some pixels, so
//! that none covers another one.

use std::collections::{BTreeMap, BTreeSet};

use super::axis::Axis;
use super::chart::{EndLabel, Layer, LegendEntry, NumbersAbove, Panel, Reference, Symbol, Table};
use super::style::{GREY, Marker, Style, algorithm_of, rank, styles};
use crate::numbers::{digits, seconds};
use crate::statistics::{Estimate, Summary};

/// The largest number of rows of time-outs above a panel. The table has all of them.
const TIMEOUT_ROWS: usize = 8;

/// Distance by which a curve is shifted from the one before it, as a part of the axis.
const SHIFT: f64 = 0.016;

/// Largest part of the distance between two places of the axis over which curves are shifted.
const SHIFTED: f64 = 0.5;

/// Largest number of curves whose names stand at their ends; more curves are named in the legend.
pub(crate) const LABELLED: usize = 4;

/// A curve.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    /// The name of the series.
    pub name: String,
    /// The style of the series.
    pub style: Style,
    /// The measurements at each place of the axis, in ascending order of places.
    pub points: Vec<(u64, Summary)>,
    /// The limits at which runs timed out, in ascending order.
    pub limits: Vec<f64>,
}

/// The quantity that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// A time in seconds.
    Seconds,
    /// A ratio to another time.
    Ratio,
    /// A share from 0 to 1.
    Share,
}

/// Makes a curve of the measurements of each series: its name, the place on the axis, and the number.
pub(crate) fn series(measured: impl IntoIterator<Item = (String, u64, Estimate)>) -> Vec<Series> {
    let mut all: BTreeMap<(usize, String), BTreeMap<u64, Vec<Estimate>>> = BTreeMap::new();
    for (name, place, measured) in measured {
        let places = all.entry((rank(algorithm_of(&name)), name)).or_default();
        places.entry(place).or_default().push(measured);
    }
    let algorithms: BTreeSet<&str> = all.keys().map(|(_, name)| algorithm_of(name)).collect();
    let is_by_algorithm = algorithms.len() == all.len();
    let styled = |name| {
        if is_by_algorithm { algorithm_of(name) } else { name }
    };
    let styles = styles(all.keys().map(|(_, name)| styled(name)));
    let series = all.iter().zip(styles).map(|(((_, name), places), style)| Series {
        style,
        name: name.clone(),
        points: places
            .iter()
            .filter_map(|(place, numbers)| Some((*place, Summary::of(numbers)?)))
            .collect(),
        limits: distinct(places.values().flatten().filter(|one| one.is_open()).map(|one| one.low)),
    });
    series.collect()
}

/// Returns the numbers without repetitions, in ascending order.
fn distinct(numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    numbers
}

/// The limits at which runs of any series timed out.
pub(crate) fn limits(series: &[Series]) -> Vec<f64> {
    distinct(series.iter().flat_map(|one| one.limits.iter().copied()))
}

/// The numbers that the curves show.
pub(crate) fn numbers(series: &[Series]) -> impl Iterator<Item = f64> + Clone {
    let summaries = series.iter().flat_map(|one| &one.points);
    summaries
        .flat_map(|(_, summary)| [summary.lower, summary.median, summary.upper].map(|one| one.low))
}

/// The numbers of runs that ended, for a linear axis. Runs that did not end are drawn at the upper edge, so that a
/// limit far above the curves does not press them to the bottom.
pub(crate) fn ended(series: &[Series]) -> impl Iterator<Item = f64> + Clone {
    let summaries = series.iter().flat_map(|one| &one.points);
    let all = summaries.flat_map(|(_, summary)| [summary.lower, summary.median, summary.upper]);
    all.filter(|one| !one.is_open()).map(|one| one.low)
}

/// The numbers that curves of times show, and the limits of runs that timed out.
pub(crate) fn times(series: &[Series]) -> impl Iterator<Item = f64> + Clone {
    let limits = series.iter().flat_map(|one| one.limits.iter().copied());
    numbers(series).chain(limits)
}

/// Makes a panel with the curves; `x` names the horizontal axis.
pub(crate) fn panel(
    heading: &str,
    x: &str,
    series: &[Series],
    quantity: Quantity,
    y: Axis,
) -> Panel {
    let places = series.iter().flat_map(|one| &one.points);
    let places: Vec<u64> = places.map(|(place, _)| *place).collect();
    let mut panel = Panel::new(heading, Axis::points(x, &places), y);
    panel.has_columns = true;
    let x = panel.x.clone();
    let step = SHIFT.min(x.spacing() * SHIFTED / series.len().max(1) as f64);
    let middle = (series.len() as f64 - 1.0) / 2.0;
    let shifted = |at: usize, place: u64| x.moved(place as f64, step * (at as f64 - middle));
    let curves = || {
        let curves = series.iter().enumerate();
        curves.flat_map(|(at, one)| known(one).map(move |points| (at, one.style.color, points)))
    };
    if quantity == Quantity::Seconds {
        let kind = Reference::Limit;
        let limits = limits(series).into_iter().filter(|at| *at <= panel.y.high());
        panel.layers.extend(limits.map(|at| Layer::Reference { at, kind }));
    }
    panel.layers.extend(curves().map(|(at, color, points)| {
        let ends = points
            .iter()
            .map(|(place, summary)| (shifted(at, *place), summary.lower.low, summary.upper.low));
        Layer::Whiskers { color, points: ends.collect() }
    }));
    panel.layers.extend(curves().map(|(at, color, points)| {
        let medians =
            points.iter().map(|(place, summary)| (shifted(at, *place), summary.median.low));
        Layer::Line { color, points: medians.collect() }
    }));
    for is_open in [true, false] {
        for (at, one) in series.iter().enumerate() {
            let points = one.points.iter();
            let points = points.filter(|(_, summary)| summary.median.is_open() == is_open);
            let points = points.map(|(place, summary)| (shifted(at, *place), summary.median.low));
            panel.add_marks(one.style, is_open, points.collect());
        }
    }
    panel.above = series.iter().filter_map(not_ended).take(TIMEOUT_ROWS).collect();
    if series.len() <= LABELLED {
        name_ends(&mut panel, series);
    }
    panel
}

/// Names the curves of a panel at their ends.
pub(crate) fn name_ends(panel: &mut Panel, series: &[Series]) {
    panel.end_labels = series.iter().filter_map(end_label).collect();
}

/// The parts of a curve whose medians are known. No line is drawn to a median that is only a lower bound.
pub(crate) fn known(series: &Series) -> impl Iterator<Item = &[(u64, Summary)]> {
    let parts = series.points.split(|(_, summary)| summary.median.is_open());
    parts.filter(|points| !points.is_empty())
}

/// Makes the name of a curve at its end.
fn end_label(series: &Series) -> Option<EndLabel> {
    Some(EndLabel {
        style: series.style,
        y: series.points.last()?.1.median.low,
        text: series.name.clone(),
    })
}

/// The row of the numbers of runs of a series that did not end; `None` if all ended.
pub(crate) fn not_ended(series: &Series) -> Option<NumbersAbove> {
    let points = series.points.iter();
    let at = points.map(|(place, summary)| (*place as f64, summary.timed_out));
    NumbersAbove::not_ended(series.style, at)
}

/// Says what curves show at the last place that all of them have, in a sentence: the medians in ascending order, or
/// only the first and the last of many curves. `place` names a place on the axis. Empty without curves.
pub(crate) fn finding(
    place: impl Fn(u64) -> String,
    series: &[Series],
    quantity: Quantity,
) -> String {
    let places = |one: &Series| one.points.iter().map(|(place, _)| *place).collect::<BTreeSet<_>>();
    let mut sets = series.iter().map(places);
    let Some(first) = sets.next() else { return String::new() };
    let common = sets.fold(first, |all, own| all.intersection(&own).copied().collect());
    let Some(&last) = common.last() else { return String::new() };
    let medians = series.iter().filter_map(|one| {
        let (_, summary) = one.points.iter().find(|(place, _)| *place == last)?;
        Some((summary.median, &*one.name))
    });
    let mut medians: Vec<(Estimate, &str)> = medians.collect();
    medians.sort_by(|one, other| {
        let key = |median: Estimate| (median.is_open(), median.low);
        let (one, other) = (key(one.0), key(other.0));
        one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
    });
    let (best, worst) = match quantity {
        Quantity::Seconds => ("is the fastest", "the slowest"),
        Quantity::Ratio | Quantity::Share => ("takes the least", "the most"),
    };
    let [fastest, .., slowest] = &medians[..] else {
        return medians.first().map_or_else(String::new, |(_, only)| format!("{only} alone ran"));
    };
    let at = place(last);
    // A curve whose runs did not all end may lie below one whose runs did.
    let is_unsure =
        |(median, _): &&(Estimate, &str)| median.is_open() && median.low < fastest.0.low;
    if let Some((_, name)) = medians.iter().find(is_unsure) {
        return format!("{} {best} at {at} of those that always end; {name} does not", fastest.1);
    }
    let apart = slowest.0.low / fastest.0.low;
    let last = match () {
        () if fastest.0.is_open() => return format!("None ends in time at {at}"),
        () if slowest.0.is_open() => format!("{} does not end in time", slowest.1),
        () if apart < ALIKE => return format!("All take about as long at {at}"),
        () if apart >= BY_FAR => format!("{} {worst} by far", slowest.1),
        () => format!("{} {worst}", slowest.1),
    };
    format!("{} {best} at {at}, {last}", fastest.1)
}

/// Factor up to which times are about as long.
const ALIKE: f64 = 1.1;

/// Factor from which a time is longer by far.
const BY_FAR: f64 = 10.0;

/// The legend of panels with these curves.
pub(crate) fn legend(series: &[Series], quantity: Quantity) -> Vec<LegendEntry> {
    let mut entries: Vec<LegendEntry> = Vec::new();
    for one in series {
        let entry = LegendEntry::new(Symbol::Series(one.style), one.name.clone());
        // Several panels may have the same curves.
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    if entries.len() <= LABELLED {
        entries.clear();
    }
    entries.push(LegendEntry::new(Symbol::Whisker, "lower to upper quartile"));
    let mut summaries = series.iter().flat_map(|one| &one.points);
    if summaries.any(|(_, summary)| summary.median.is_open()) {
        let open = Style { color: GREY, marker: Marker::Circle };
        let meaning = match quantity {
            Quantity::Seconds => "open: median at least this; it did not end",
            Quantity::Ratio | Quantity::Share => "open: at least this, or above; it did not end",
        };
        entries.push(LegendEntry::new(Symbol::Mark(open, true), meaning));
    }
    let limits: Vec<String> = limits(series).into_iter().map(seconds).collect();
    if quantity == Quantity::Seconds && !limits.is_empty() {
        let text = format!("time limit {}", limits.join(", "));
        entries.push(LegendEntry::new(Symbol::Reference(Reference::Limit), text));
    }
    entries
}

/// Makes the table of the numbers of curves. `parts` are columns that distinguish groups of curves.
pub(crate) fn table(
    parts: &[&str],
    x: &str,
    groups: &[(Vec<String>, Vec<Series>)],
    quantity: Quantity,
) -> Table {
    let unit = match quantity {
        Quantity::Seconds => "s",
        Quantity::Ratio => "ratio",
        Quantity::Share => "share",
    };
    let quartiles = ["lower quartile", "median", "upper quartile"];
    let quartiles = quartiles.map(|number| format!("{number} ({unit})"));
    let mut columns: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
    columns.extend([x, "series", "runs", "timed out"].map(str::to_owned));
    columns.extend(quartiles);
    let mut rows = Vec::new();
    for (parts, series) in groups {
        for one in series {
            for (place, summary) in &one.points {
                let mut row = parts.clone();
                row.extend([place.to_string(), one.name.clone()]);
                row.extend([summary.runs.to_string(), summary.timed_out.to_string()]);
                row.extend([summary.lower, summary.median, summary.upper].map(number));
                rows.push(row);
            }
        }
    }
    Table { columns, rows }
}

/// Formats a number for a table.
pub(crate) fn number(number: Estimate) -> String {
    let text = digits(number.low, 4);
    if number.is_open() { format!("≥ {text}") } else { text }
}

/// Makes a dashed line at a published number, and its entry in the legend.
pub(crate) fn published(at: f64, text: String) -> (Layer, LegendEntry) {
    let kind = Reference::Published;
    (Layer::Reference { at, kind }, LegendEntry::new(Symbol::Reference(kind), text))
}
