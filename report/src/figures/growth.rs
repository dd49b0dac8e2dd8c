//! Time of the baseline, slowdown of another algorithm over it, and time of that algorithm, against one parameter.

use std::collections::{BTreeMap, BTreeSet};

use super::sample::{Sample, time};
use super::slowdown::{BASELINE, OVER_BASELINE, slowdowns};
use super::times::{STACKED, TIME, place};
use crate::claims::paper::{BACK_LARGEST, BACK_SLOWDOWN, DERIV_LARGEST};
use crate::numbers::{changed, count, ratio};
use crate::plot::axis::{Axis, Scale};
use crate::plot::chart::{LegendEntry, Panel, Plot, Symbol};
use crate::plot::lines::{self, Quantity, Series};
use crate::plot::style::{PUBLISHED, unknown};
use crate::statistics::Estimate;
use tables::Trial;

/// The algorithm whose slowdowns the paper gives.
pub(super) const PUBLISHED_ALGORITHM: &str = "deriv-back";

/// Plots against the number of operations, with a curve for each number of threads.
pub(super) fn by_operations(sample: &Sample<'_>, algorithm: &str) -> Option<Plot> {
    plot(sample, algorithm, "operations", "threads", 512 << 10)
}

/// Plots against the number of threads, with a curve for each number of operations.
pub(super) fn by_threads(sample: &Sample<'_>, algorithm: &str) -> Option<Plot> {
    plot(sample, algorithm, "threads", "operations", 60)
}

/// Plots against the number of locations, with a curve for each number of operations.
pub(super) fn by_locations(sample: &Sample<'_>, algorithm: &str) -> Option<Plot> {
    plot(sample, algorithm, "locations", "operations", 256)
}

/// Plots the three panels. `largest` is the place on the axis of the largest programs of the paper.
fn plot(
    sample: &Sample<'_>,
    algorithm: &str,
    against: &str,
    by: &str,
    largest: u64,
) -> Option<Plot> {
    let own = || sample.trials.iter().filter(|trial| trial.algorithm == algorithm);
    let places: BTreeSet<u64> = own().map(|trial| place(against, trial)).collect();
    // A single place on an axis shows no growth.
    if algorithm == BASELINE || places.len() < 2 {
        return None;
    }
    let curves: BTreeSet<u64> = sample.trials.iter().map(|trial| place(by, trial)).collect();
    let series = |measured: Vec<(&Trial, Estimate)>| {
        let mut all: BTreeMap<u64, Vec<(String, u64, Estimate)>> = BTreeMap::new();
        for (trial, number) in measured {
            let curve = place(by, trial);
            let name = format!("{} {by}", count(curve));
            let points = all.entry(curve).or_default();
            points.push((name, place(against, trial), number));
        }
        let series = all.into_iter().flat_map(|(curve, points)| {
            let style = unknown(curves.iter().position(|one| *one == curve).unwrap_or(0) * 7);
            lines::series(points).into_iter().map(move |one| Series { style, ..one })
        });
        series.collect::<Vec<Series>>()
    };
    let times = |name: &str| {
        let own = sample.trials.iter().filter(|trial| trial.algorithm == name);
        series(own.filter_map(|trial| Some((*trial, time(trial)?))).collect())
    };
    let mut slowdowns = slowdowns(sample, BASELINE);
    slowdowns.retain(|(trial, _)| trial.algorithm == algorithm);
    let (baseline, slowdown, own) = (times(BASELINE), series(slowdowns), times(algorithm));
    let seconds = lines::times(&baseline).chain(lines::times(&own));
    let seconds = Axis::seconds(TIME, seconds, Scale::Logarithmic);
    let time = |heading: &str, series: &[Series]| {
        lines::panel(heading, against, series, Quantity::Seconds, seconds.clone())
    };
    let mut legend = lines::legend(&[&baseline[..], &own[..]].concat(), Quantity::Seconds);
    let largest = places.contains(&largest).then_some(largest as f64);
    let mut compared = compared(algorithm, against, &slowdown);
    if algorithm == PUBLISHED_ALGORITHM {
        add_published(&mut compared, &mut legend, largest);
    }
    let finding = told(&slowdown, &format!("slowdown of {algorithm}"), against);
    let groups =
        [(vec![BASELINE.to_owned()], baseline.clone()), (vec![algorithm.to_owned()], own.clone())];
    let mut table = lines::table(&["algorithm"], against, &groups, Quantity::Seconds);
    let ratios = [(vec![format!("{algorithm} / {BASELINE}, ratio")], slowdown)];
    let ratios = lines::table(&["algorithm"], against, &ratios, Quantity::Ratio);
    table.rows.extend(ratios.rows);
    Some(Plot {
        finding: finding.unwrap_or_default(),
        subtitle: format!(
            "{}; median and quartiles over programs and other parameters",
            sample.histories_per_point()
        ),
        panels: vec![
            time(&format!("(a) {BASELINE}"), &baseline),
            compared,
            time(&format!("(c) {algorithm}"), &own),
        ],
        panel_height: STACKED,
        legend,
        table,
    })
}

/// Says how a quantity changes from the first to the last place of the curve of the largest programs.
pub(super) fn told(slowdown: &[Series], what: &str, against: &str) -> Option<String> {
    let largest = slowdown.last()?;
    let [(_, first), .., (_, last)] = &largest.points[..] else { return None };
    let how = if last.median.is_open() || first.median.is_open() {
        "is not known, since runs did not end,"
    } else {
        changed(last.median.low / first.median.low)
    };
    Some(format!("With {}, the {what} {how} with the number of {against}", largest.name))
}

/// Makes the panel of slowdowns.
fn compared(algorithm: &str, against: &str, slowdown: &[Series]) -> Panel {
    let is_published = algorithm == PUBLISHED_ALGORITHM;
    let mean = BACK_SLOWDOWN.value().filter(|_| is_published);
    let numbers = lines::numbers(slowdown).chain(mean).chain([1.0]);
    let y = Axis::ratios(OVER_BASELINE, numbers, Scale::Auto);
    let heading = format!("(b) {algorithm} / {BASELINE}");
    lines::panel(&heading, against, slowdown, Quantity::Ratio, y)
}

/// Adds the published mean slowdown, and the published slowdowns of the largest programs at their place on the axis.
fn add_published(panel: &mut Panel, legend: &mut Vec<LegendEntry>, largest: Option<f64>) {
    if let Some(mean) = BACK_SLOWDOWN.value() {
        let text = format!("published mean slowdown: at most {}", ratio(mean));
        let (line, entry) = lines::published(mean, text);
        panel.layers.push(line);
        legend.push(entry);
    }
    if let Some(largest) = largest {
        let published = [BACK_LARGEST, DERIV_LARGEST].map(|claim| claim.value());
        let points = published.into_iter().flatten();
        panel.add_marks(PUBLISHED, true, points.map(|beyond| (largest, 1.0 + beyond)).collect());
        legend.push(LegendEntry::new(
            Symbol::Mark(PUBLISHED, true),
            "published for the largest programs (two numbers)",
        ));
    }
}
