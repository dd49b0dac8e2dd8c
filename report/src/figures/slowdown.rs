//! Slowdown of algorithms over another one, history by history.

use super::sample::{Sample, time};
use super::times::{ALONE, x_name};
use crate::claims::paper::{FIG9_DBCOP, HEU_OVERHEAD};
use crate::numbers::ratio;
use crate::plot::axis::{Axis, Scale};
use crate::plot::chart::{LegendEntry, Plot, Symbol};
use crate::plot::lines::{self, Quantity};
use crate::plot::style::PUBLISHED;
use crate::statistics::Estimate;
use tables::Trial;

/// The algorithm that all others of the TSO tool are compared with.
pub(super) const BASELINE: &str = "tso-baseline";

/// The saturation that others are compared with on violations.
const WSC: &str = "wsc-published";

/// The name of the axis of slowdowns over the baseline.
pub(super) const OVER_BASELINE: &str = "slowdown over baseline";

/// Returns the trials of other algorithms, each with its slowdown over the algorithm `over` on the same history.
/// Histories on which `over` timed out are left out.
pub(super) fn slowdowns<'a>(sample: &Sample<'a>, over: &str) -> Vec<(&'a Trial, Estimate)> {
    let mut slowdowns = Vec::new();
    for trials in sample.by_history().into_values() {
        let base = trials.iter().find(|trial| trial.algorithm == over);
        let base = base.and_then(|trial| time(trial)).filter(|time| !time.is_open());
        for trial in trials.into_iter().filter(|trial| trial.algorithm != over) {
            let slowdown = base.and_then(|base| time(trial)?.over(base));
            slowdowns.extend(slowdown.map(|slowdown| (trial, slowdown)));
        }
    }
    slowdowns
}

/// Plots the slowdown over wSC on violations.
pub(super) fn over_wsc(sample: &Sample<'_>) -> Option<Plot> {
    let of_threads = sample.part("threads")?;
    let mut plot = by_threads(&of_threads, WSC, "slowdown over wsc-published", FIG9_DBCOP.value());
    let published = FIG9_DBCOP.value()?;
    plot.panels[0].add_marks(PUBLISHED, true, vec![(8.0, published)]);
    let text = format!("dbcop, published: {}", ratio(published));
    plot.legend.push(LegendEntry::new(Symbol::Mark(PUBLISHED, true), text));
    Some(plot)
}

/// Plots the slowdown over the baseline of the TSO tool.
pub(super) fn over_baseline(sample: &Sample<'_>) -> Option<Plot> {
    let published = 1.0 + HEU_OVERHEAD.value()?;
    let mut plot = by_threads(sample, BASELINE, OVER_BASELINE, Some(published));
    let text = format!("heu, published: about {}", ratio(published));
    let (line, entry) = lines::published(published, text);
    plot.panels[0].layers.push(line);
    plot.legend.push(entry);
    Some(plot)
}

fn by_threads(sample: &Sample<'_>, over: &str, y: &str, published: Option<f64>) -> Plot {
    let slowdowns = slowdowns(sample, over).into_iter();
    let series =
        lines::series(slowdowns.map(|(trial, slowdown)| {
            (trial.algorithm.clone(), u64::from(trial.threads), slowdown)
        }));
    let near = lines::ended(&series).chain(published).chain([1.0]);
    let near = Axis::ratios(y, near, Scale::Auto);
    // A published bound a little above the curves is drawn at its place, one far above them at the upper edge.
    let y = if near.is_logarithmic() {
        Axis::ratios(y, lines::numbers(&series).chain(published).chain([1.0]), Scale::Auto)
    } else {
        near
    };
    let x = x_name("threads", &sample.trials);
    let finding = lines::finding(|place| format!("{place} threads"), &series, Quantity::Ratio);
    let base = if over == BASELINE { "the baseline" } else { "wsc-published" };
    Plot {
        finding: if finding.is_empty() {
            finding
        } else {
            format!("Relative to {base}, {finding}")
        },
        subtitle: format!(
            "{}; median and quartiles of the ratio, history by history",
            sample.histories_per_point()
        ),
        panels: vec![lines::panel("", &x, &series, Quantity::Ratio, y)],
        panel_height: ALONE,
        legend: lines::legend(&series, Quantity::Ratio),
        table: lines::table(&[], "threads", &[(Vec::new(), series)], Quantity::Ratio),
    }
}
