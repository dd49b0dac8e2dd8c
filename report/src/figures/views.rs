//! Time to check a history, on a logarithmic axis, and without the slowest algorithm on a linear axis. Histories whose reads were re-pointed
//! have a panel of their own, since refuting a history and finding an order take different times; then the linear axes are left out.

use super::sample::Sample;
use super::times::{STACKED, TIME, curves, subtitle, x_name};
use crate::plot::axis::{Axis, Scale};
use crate::plot::chart::{Panel, Plot};
use crate::plot::lines::{self, Quantity, Series};

/// The algorithm that the paper leaves out of its closer view.
const SLOWEST: &str = "dbcop";

/// Plots against the number of threads.
pub(super) fn by_threads(sample: &Sample<'_>) -> Option<Plot> {
    let sample = sample.part("threads")?;
    let kinds = [
        ("as simulated", sample.only(|trial| trial.repointed == 0)),
        ("re-pointed", sample.only(|trial| trial.repointed > 0)),
    ];
    let kinds = kinds.into_iter();
    let kinds: Vec<(&str, Sample<'_>)> =
        kinds.filter_map(|(kind, sample)| Some((kind, sample?))).collect();
    let has_both = kinds.len() > 1;
    let x = x_name("threads", &sample.trials);
    let (mut panels, mut groups) = (Vec::new(), Vec::new());
    for (kind, sample) in &kinds {
        let series = curves(sample, "threads");
        let heading = if has_both { kind } else { "" };
        let mut own = views(heading, &x, &series, panels.len());
        // Four panels would be higher than a page.
        own.truncate(if has_both { 1 } else { 2 });
        if has_both {
            own[0].heading = own[0].heading.replace(": all algorithms", "");
        }
        panels.extend(own);
        let part = has_both.then(|| (*kind).to_owned());
        groups.push((part.into_iter().collect(), series));
    }
    let all: Vec<Series> = groups.iter().flat_map(|(_, series)| series.clone()).collect();
    let parts: &[&str] = if has_both { &["histories"] } else { &[] };
    let told = groups.iter().map(|(_, series)| {
        lines::finding(|place| format!("{place} threads"), series, Quantity::Seconds)
    });
    let told: Vec<String> = told.collect();
    let finding = match &told[..] {
        [one, other] if one == other => format!("Re-pointed or not, {one}"),
        [one, other] => format!("{one}; on re-pointed histories {other}"),
        others => others.concat(),
    };
    Some(Plot {
        finding,
        subtitle: subtitle(&sample),
        panels,
        panel_height: STACKED,
        legend: lines::legend(&all, Quantity::Seconds),
        table: lines::table(parts, "threads", &groups, Quantity::Seconds),
    })
}

/// Makes the two panels about histories of a kind, lettered from `first` on; only the first if the slowest algorithm is
/// missing or alone.
fn views(kind: &str, x: &str, series: &[Series], first: usize) -> Vec<Panel> {
    let panel = |at: usize, what: &str, series: &[Series], scale| {
        let letter = char::from(b'a'.saturating_add((first + at) as u8));
        let colon = if kind.is_empty() { "" } else { ": " };
        let heading = format!("({letter}) {kind}{colon}{what}");
        let y = match scale {
            // The limit is far above the curves of a closer view.
            Scale::Linear => Axis::seconds(TIME, lines::numbers(series), scale),
            _ => Axis::seconds(TIME, lines::times(series), scale),
        };
        lines::panel(&heading, x, series, Quantity::Seconds, y)
    };
    let mut panels = vec![panel(0, "all algorithms", series, Scale::Auto)];
    let mut others = series.to_vec();
    others.retain(|one| one.name != SLOWEST);
    if !others.is_empty() && others.len() < series.len() {
        let what = format!("without {SLOWEST}, linear axis");
        panels.push(panel(1, &what, &others, Scale::Linear));
    }
    panels
}
