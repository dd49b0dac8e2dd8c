//! Time to check a history, against the number of operations or threads.

use super::sample::{Sample, time};
use crate::claims::paper::FIG9_SECONDS;
use crate::numbers::{count, seconds, span};
use crate::plot::axis::{Axis, Scale};
use crate::plot::chart::{Layer, Panel, Plot};
use crate::plot::lines::{self, Quantity, Series};
use tables::Trial;

/// Height of a panel that stands alone, in pixels.
pub(super) const ALONE: i32 = 260;

/// Height of a panel above another one, in pixels.
pub(super) const STACKED: i32 = 190;

/// Factor by which a curve is far above others.
const FAR: f64 = 100.0;

/// Name of the axis of times.
pub(super) const TIME: &str = "time to check a history";

/// Plots against the number of operations.
pub(super) fn by_operations(sample: &Sample<'_>) -> Option<Plot> {
    plot(sample, "operations", None)
}

/// Plots against the number of threads.
pub(super) fn by_threads(sample: &Sample<'_>) -> Option<Plot> {
    plot(sample, "threads", None)
}

/// Plots against the number of threads, with the published bound on the time of wSC.
pub(super) fn with_bound(sample: &Sample<'_>) -> Option<Plot> {
    plot(sample, "threads", FIG9_SECONDS.value())
}

fn plot<'a>(sample: &Sample<'a>, part: &'a str, bound: Option<f64>) -> Option<Plot> {
    let sample = sample.part(part)?;
    let series = curves(&sample, part);
    let y = Axis::seconds(TIME, lines::times(&series).chain(bound), Scale::Auto);
    let mut panel = lines::panel("", &x_name(part, &sample.trials), &series, Quantity::Seconds, y);
    if panel.x.is_logarithmic() {
        let times = lines::times(&series).chain(bound);
        panel.y = Axis::seconds(TIME, times, Scale::Logarithmic);
    }
    let mut legend = lines::legend(&series, Quantity::Seconds);
    if let Some(bound) = bound {
        let text = format!("wsc, published: at most {}", seconds(bound));
        let (line, entry) = lines::published(bound, text);
        panel.layers.push(line);
        legend.push(entry);
    }
    let finding = lines::finding(|at| format!("{} {part}", count(at)), &series, Quantity::Seconds);
    let mut panels = vec![panel];
    panels.extend(closer(&series, part, &sample));
    if panels.len() > 1 {
        panels[0].heading = "(a) all algorithms".to_owned();
    }
    Some(Plot {
        finding,
        subtitle: subtitle(&sample),
        panel_height: if panels.len() > 1 { STACKED } else { ALONE },
        panels,
        legend,
        table: lines::table(&[], part, &[(Vec::new(), series)], Quantity::Seconds),
    })
}

/// Makes a second panel of the curves that a slower one presses together, on a linear axis and without quartiles;
/// `None` if there are no more such curves than have names at their ends.
fn closer(series: &[Series], part: &str, sample: &Sample<'_>) -> Option<Panel> {
    let largest =
        |one: &Series| one.points.iter().map(|(_, summary)| summary.median.low).fold(0.0, f64::max);
    let slowest = series.iter().map(largest).fold(0.0, f64::max);
    let mut near: Vec<Series> = series.to_vec();
    near.retain(|one| largest(one) * FAR < slowest);
    if near.len() <= lines::LABELLED || near.len() == series.len() {
        return None;
    }
    let medians = near.iter().flat_map(|one| &one.points).map(|(_, summary)| summary.median.low);
    let y = Axis::seconds(TIME, medians, Scale::Linear);
    let heading = "(b) the medians below, linear axis";
    let mut panel =
        lines::panel(heading, &x_name(part, &sample.trials), &near, Quantity::Seconds, y);
    panel.layers.retain(|layer| !matches!(layer, Layer::Whiskers { .. }));
    lines::name_ends(&mut panel, &near);
    Some(panel)
}

/// The curves of a sample, one for each series.
pub(super) fn curves(sample: &Sample<'_>, part: &str) -> Vec<Series> {
    let trials = sample.trials.iter();
    let measured =
        trials.filter_map(|trial| Some((sample.series(trial), place(part, trial), time(trial)?)));
    lines::series(measured)
}

/// The subtitle of medians of times.
pub(super) fn subtitle(sample: &Sample<'_>) -> String {
    format!("{}; median and quartiles", sample.histories_per_point())
}

/// The place of a trial on the axis of a part.
pub(super) fn place(part: &str, trial: &Trial) -> u64 {
    match part {
        "threads" => u64::from(trial.threads),
        "locations" => u64::from(trial.locations),
        _ => trial.operations,
    }
}

/// The name of the axis of a part, with the parameter that it does not vary: a number, or a range where the histories differ in it.
pub(super) fn x_name(part: &str, trials: &[&Trial]) -> String {
    let are_equally_long = trials.windows(2).all(|pair| pair[0].operations == pair[1].operations);
    match (part, trials) {
        ("operations", _) => format!("operations ({} threads)", threads(trials)),
        ("threads", [first, ..]) if are_equally_long => {
            format!("threads ({} operations)", count(first.operations))
        }
        ("threads", _) => format!("threads ({} operations each)", each(trials)),
        (part, _) => part.to_owned(),
    }
}

/// The numbers of threads of trials, such as `4` or `2–8`.
pub(super) fn threads(trials: &[&Trial]) -> String {
    span(trials.iter().map(|trial| trial.threads.into()))
}

/// The operations of each thread of trials, such as `50` or `37–150`.
pub(super) fn each(trials: &[&Trial]) -> String {
    let of = |trial: &&Trial| trial.operations / u64::from(trial.threads.max(1));
    span(trials.iter().map(of))
}
