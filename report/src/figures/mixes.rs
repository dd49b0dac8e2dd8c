//! Time of the baseline and slowdowns over it, for programs with more loads and with more stores.

use std::collections::BTreeSet;

use super::sample::{Sample, time};
use super::slowdown::{BASELINE, OVER_BASELINE, slowdowns};
use super::times::{STACKED, TIME};
use crate::claims::paper::{MIX_BASELINE, MIX_SLOWDOWN};
use crate::numbers::{changed, digits, ratio, seconds};
use crate::plot::axis::{Axis, Scale};
use crate::plot::bars::{self, Bar, Groups};
use crate::plot::chart::{LegendEntry, NumbersAbove, Panel, Plot, Side, Symbol, Table};
use crate::plot::lines;
use crate::plot::style::{BLACK, PUBLISHED, style};
use crate::statistics::{Estimate, Summary};

/// The mixes of the paper: their shares of loads, stores, swaps and membars as the rows have them, and their names.
const MIXES: [(&str, &str); 3] =
    [("50,16,30,2", "LD-biased"), ("33,33,30,2", "LD-ST equal"), ("16,50,30,2", "ST-biased")];

/// The algorithm whose slowdowns the paper gives.
const PUBLISHED_ALGORITHM: &str = "deriv-back";

/// The measurements of a mix.
struct Mix {
    name: String,
    baseline: Option<Summary>,
    /// Slowdowns over the baseline, by algorithm.
    slowdowns: Vec<(String, Summary)>,
    /// The published mean time of the baseline in seconds, and the published slowdown.
    published: Option<(f64, f64)>,
}

impl Mix {
    fn of(sample: &Sample<'_>, mix: &str, names: &[String]) -> Mix {
        let place = MIXES.iter().position(|(known, _)| *known == mix);
        let own = sample.trials.iter().filter(|trial| trial.mix == mix);
        let own = own.filter(|trial| trial.algorithm == BASELINE);
        let baseline: Vec<Estimate> = own.filter_map(|trial| time(trial)).collect();
        let all = slowdowns(sample, BASELINE);
        let slowdowns = names.iter().filter_map(|name| {
            let own = all.iter().filter(|(trial, _)| trial.mix == mix && trial.algorithm == *name);
            let own: Vec<Estimate> = own.map(|(_, slowdown)| *slowdown).collect();
            Some((name.clone(), Summary::of(&own)?))
        });
        Mix {
            name: place.map_or(mix, |place| MIXES[place].1).to_owned(),
            baseline: Summary::of(&baseline),
            slowdowns: slowdowns.collect(),
            published: place.and_then(|at| {
                Some((*MIX_BASELINE.values().get(at)?, *MIX_SLOWDOWN.values().get(at)?))
            }),
        }
    }
}

/// Plots a panel of times and one of slowdowns.
pub(super) fn plot(sample: &Sample<'_>) -> Option<Plot> {
    let mixes: BTreeSet<&str> = sample.trials.iter().map(|trial| &*trial.mix).collect();
    let mut mixes: Vec<&str> = mixes.into_iter().collect();
    mixes
        .sort_by_key(|mix| MIXES.iter().position(|(known, _)| known == mix).unwrap_or(MIXES.len()));
    let mut names = sample.algorithms();
    names.retain(|name| name != BASELINE);
    let mixes: Vec<Mix> = mixes.iter().map(|mix| Mix::of(sample, mix, &names)).collect();
    let mut legend = vec![
        LegendEntry::new(Symbol::Mark(style(BASELINE), false), format!("{BASELINE}, mean")),
        LegendEntry::new(Symbol::Mark(PUBLISHED, true), "published mean, on a machine of 2006"),
    ];
    legend.extend(names.iter().map(|name| bars::entry(Some(style(name)), name)));
    legend.push(bars::entry(None, &format!("{PUBLISHED_ALGORITHM}, published")));
    let mean = |mix: &Mix| {
        let (_, own) = mix.slowdowns.iter().find(|(name, _)| name == PUBLISHED_ALGORITHM)?;
        own.mean
    };
    let ends = mixes.first().and_then(mean).zip(mixes.last().and_then(mean));
    let finding = ends.filter(|_| mixes.len() > 1).map_or_else(String::new, |(first, last)| {
        format!(
            "The slowdown of {PUBLISHED_ALGORITHM} {} with the share of stores",
            changed(last / first)
        )
    });
    Some(Plot {
        finding,
        subtitle: format!("{}; means, none where runs timed out", sample.histories_per_point()),
        panels: vec![times(&mixes), ratios(&mixes)],
        panel_height: STACKED,
        legend,
        table: table(&mixes),
    })
}

/// Makes the panel of times: points on a logarithmic axis, since the machines differ by more than the mixes.
fn times(mixes: &[Mix]) -> Panel {
    let names: Vec<String> = mixes.iter().map(|mix| mix.name.clone()).collect();
    let mean = |mix: &Mix| mix.baseline.and_then(|summary| summary.mean);
    let published = mixes.iter().filter_map(|mix| Some(mix.published?.0));
    let times = mixes.iter().filter_map(mean).chain(published);
    let y = Axis::seconds(TIME, times, Scale::Logarithmic);
    let mut panel = Panel::new("(a) baseline", Axis::names("", &names), y);
    for (at, mix) in mixes.iter().enumerate() {
        let at = at as f64 - 0.15;
        let ours = mean(mix).map(|time| (time, style(BASELINE), false));
        let theirs = mix.published.map(|(time, _)| (time, PUBLISHED, true));
        for (time, style, is_open) in ours.into_iter().chain(theirs) {
            panel.add_marks(style, is_open, vec![(at, time)]);
            panel.add_text((at, time), Side::Right, seconds(time), BLACK);
        }
        let timed_out = mix.baseline.map(|summary| (at, summary.timed_out));
        panel.above.extend(NumbersAbove::not_ended(style(BASELINE), timed_out.into_iter()));
    }
    panel
}

fn ratios(mixes: &[Mix]) -> Panel {
    let groups = mixes.iter().map(|mix| {
        let ours = mix.slowdowns.iter().map(|(name, summary)| Bar {
            height: summary.mean,
            text: summary.mean.map_or_else(
                || format!("{} timed out", summary.timed_out),
                |mean| ratio((mean * 100.0).round() / 100.0),
            ),
            style: Some(style(name)),
            interval: None,
        });
        let theirs = mix.published.map(|(_, slowdown)| Bar {
            height: Some(slowdown),
            text: ratio(slowdown),
            style: None,
            interval: None,
        });
        (mix.name.clone(), ours.chain(theirs).collect())
    });
    let groups: Groups = groups.collect();
    let heights = groups.iter().flat_map(|(_, bars)| bars).filter_map(|bar| bar.height);
    let y = Axis::ratios(OVER_BASELINE, heights, Scale::Linear);
    let mut panel = bars::panel("(b) slowdown", "", &groups, y);
    bars::add_markers(&mut panel, &groups);
    panel
}

fn table(mixes: &[Mix]) -> Table {
    let mut rows = Vec::new();
    let number = |number: Option<f64>| number.map_or_else(String::new, |number| digits(number, 4));
    for mix in mixes {
        let baseline = mix.baseline.iter().map(|summary| (BASELINE, "seconds", summary));
        let others = mix.slowdowns.iter();
        let others = others.map(|(name, summary)| (name.as_str(), "slowdown", summary));
        for (name, quantity, summary) in baseline.chain(others) {
            let published = match name {
                BASELINE => mix.published.map(|(seconds, _)| seconds),
                PUBLISHED_ALGORITHM => mix.published.map(|(_, slowdown)| slowdown),
                _ => None,
            };
            rows.push(vec![
                mix.name.clone(),
                name.to_owned(),
                quantity.to_owned(),
                summary.runs.to_string(),
                summary.timed_out.to_string(),
                lines::number(summary.median),
                number(summary.mean),
                number(published),
            ]);
        }
    }
    let columns =
        ["mix", "algorithm", "quantity", "runs", "timed out", "median", "mean", "published mean"];
    Table::new(&columns, rows)
}
