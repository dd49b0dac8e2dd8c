//! Share of pairs that CCM, CCv and the conflict relation of CCv alone leave unordered, by share of reads and number of
//! locations.

use std::collections::BTreeMap;

use super::pairs::{CONFLICTS, ordered};
use super::sample::Sample;
use super::times::STACKED;
use crate::claims::measure::GROWS;
use crate::claims::paper::{FAR_MORE, GCC_UNORDERED_CCM, GCC_UNORDERED_CCV};
use crate::numbers::{brief_percent, percent};
use crate::plot::axis::Axis;
use crate::plot::chart::Plot;
use crate::plot::lines::{self, Quantity, Series};
use crate::statistics::Estimate;
use tables::Trial;

/// The series that are shown. The other criteria of the experiment leave nearly as many pairs unordered as CCM.
const SHOWN: [&str; 3] = ["ccm", "ccv", CONFLICTS];

/// Plots a panel for each number of locations.
pub(super) fn plot(sample: &Sample<'_>) -> Option<Plot> {
    let mut by_locations: BTreeMap<u32, Vec<(String, u64, Estimate)>> = BTreeMap::new();
    for trial in sample.trials.iter().filter(|trial| SHOWN.contains(&&*trial.algorithm)) {
        if let (Some(reads), Some(ordered)) = (reads(trial), ordered(trial)) {
            let unordered = 1.0 - ordered as f64 / trial.write_pairs as f64;
            let points = by_locations.entry(trial.locations).or_default();
            points.push((trial.algorithm.clone(), reads, Estimate::exactly(unordered)));
        }
    }
    let panels: Vec<(u32, Vec<Series>)> = by_locations
        .into_iter()
        .map(|(locations, points)| (locations, lines::series(points)))
        .collect();
    let published = GCC_UNORDERED_CCV.value()?;
    let (line, entry) =
        lines::published(published, format!("ccv, published: {}", percent(published)));
    let all: Vec<Series> = panels.iter().flat_map(|(_, series)| series).cloned().collect();
    let most = lines::numbers(&all).chain([published]).fold(0.0, f64::max);
    let drawn = panels.iter().map(|(locations, series)| {
        let y = Axis::shares_to("share unordered", most);
        let heading = if *locations == 1 {
            "1 location".to_owned()
        } else {
            format!("{locations} locations")
        };
        let mut panel =
            lines::panel(&heading, "reads in 100 operations", series, Quantity::Share, y);
        panel.layers.push(line.clone());
        panel
    });
    let panels_drawn = drawn.collect();
    let mut legend = lines::legend(&all, Quantity::Share);
    legend.push(entry);
    let groups =
        panels.into_iter().map(|(locations, series)| (vec![locations.to_string()], series));
    let groups: Vec<_> = groups.collect();
    Some(Plot {
        finding: finding(&groups).unwrap_or_default(),
        subtitle: format!(
            "{}; medians and quartiles; cf: the conflict order of CCv alone",
            sample.histories_per_point()
        ),
        panels: panels_drawn,
        panel_height: STACKED,
        legend,
        table: lines::table(&["locations"], "reads in 100 operations", &groups, Quantity::Share),
    })
}

/// Says by which factor at most CCv leaves more pairs unordered than CCM, compared with the paper, and which share of
/// pairs the conflict relation alone leaves at most.
fn finding(groups: &[(Vec<String>, Vec<Series>)]) -> Option<String> {
    let median = |series: &[Series], name: &str, reads: u64| {
        let own = series.iter().find(|one| one.name == name)?;
        own.points.iter().find(|(place, _)| *place == reads).map(|(_, summary)| summary.median.low)
    };
    let (mut more, mut conflicts) = (0.0_f64, 0.0_f64);
    for (_, series) in groups {
        for (reads, _) in series.iter().flat_map(|one| &one.points) {
            if let [Some(ccm), Some(ccv), Some(cf)] = SHOWN.map(|name| median(series, name, *reads))
            {
                more = more.max(ccv / ccm);
                conflicts = conflicts.max(cf);
            }
        }
    }
    let published = GCC_UNORDERED_CCV.value()? / GCC_UNORDERED_CCM.value()?;
    (more.is_finite() && more > 0.0).then(|| {
        let how = match more {
            hardly if hardly < GROWS => "hardly more",
            some if some < FAR_MORE => "more",
            _ => "far more",
        };
        let unlike = if published > FAR_MORE * more { ", unlike in the paper" } else { "" };
        format!(
            "CCv leaves {how} pairs unordered than CCM{unlike}; its conflicts alone leave up to {}",
            brief_percent(conflicts)
        )
    })
}

/// The number of reads in 100 operations of the trial's programs; `None` if the mix is not recorded.
fn reads(trial: &Trial) -> Option<u64> {
    trial.mix.split(',').next()?.parse().ok()
}
