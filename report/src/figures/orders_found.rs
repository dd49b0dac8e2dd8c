//! Share of the programs for which algorithms find an order of all operations, by threads and locations.

use std::collections::{BTreeMap, BTreeSet};

use super::sample::Sample;
use super::slowdown::BASELINE;
use crate::numbers::{count, in_a_word, percent};
use crate::plot::axis::Axis;
use crate::plot::bars::{self, Bar, Groups};
use crate::plot::chart::{Panel, Plot, Table, share_axis_name};
use crate::plot::style::style;
use crate::statistics::Share;
use tables::Reported;

/// The number of programs that an algorithm ran, and of those for which it found an order or timed out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Orders {
    programs: usize,
    found: usize,
    timed_out: usize,
}

/// Plots a panel for each number of threads.
pub(super) fn plot(sample: &Sample<'_>) -> Option<Plot> {
    let mut names = sample.algorithms();
    names.retain(|name| name != BASELINE);
    let mut orders: BTreeMap<(u32, u32), BTreeMap<&str, Orders>> = BTreeMap::new();
    for trial in &sample.trials {
        if trial.algorithm != BASELINE {
            let point = orders.entry((trial.threads, trial.locations)).or_default();
            let known = point.entry(&trial.algorithm).or_default();
            known.programs += 1;
            known.found += usize::from(trial.said == Reported::Consistent);
            known.timed_out += usize::from(trial.said.is_cut_off());
        }
    }
    let threads: BTreeSet<u32> = orders.keys().map(|(threads, _)| *threads).collect();
    let panels = threads.iter().map(|threads| {
        let own = orders.iter().filter(|((own, _), _)| own == threads);
        let groups = own.map(|((_, locations), point)| {
            let bars = names.iter().map(|name| bar(name, point.get(name.as_str())));
            (locations.to_string(), bars.collect())
        });
        let groups: Groups = groups.collect();
        let y = Axis::shares("orders found", 0.0, 0.08);
        let mut panel = bars::panel(&format!("{threads} threads"), "locations", &groups, y);
        bars::add_markers(&mut panel, &groups);
        panel
    });
    let mut panels: Vec<Panel> = panels.collect();
    share_axis_name(&mut panels);
    let legend = names.iter().map(|name| bars::entry(Some(style(name)), name));
    let operations: BTreeSet<u64> = sample.trials.iter().map(|trial| trial.operations).collect();
    let operations: Vec<String> = operations.into_iter().map(count).collect();
    let rows = orders.iter().flat_map(|((threads, locations), point)| {
        point.iter().map(move |(name, known)| {
            vec![
                threads.to_string(),
                locations.to_string(),
                (*name).to_owned(),
                known.programs.to_string(),
                known.found.to_string(),
                known.timed_out.to_string(),
                percent(known.found as f64 / known.programs as f64),
            ]
        })
    });
    let columns =
        ["threads", "locations", "algorithm", "programs", "order found", "timed out", "share"];
    let total = |name: &str| {
        let own = orders.values().filter_map(|point| point.get(name));
        own.fold((0, 0), |sum, own| (sum.0 + own.found, sum.1 + own.programs))
    };
    // Algorithms that ran on a part of the programs are not comparable.
    let most = names.iter().map(|name| total(name).1).max();
    let told = names.iter().filter(|name| Some(total(name).1) == most).map(|name| {
        let (found, programs) = total(name);
        (name.as_str(), in_a_word(found as f64 / programs.max(1) as f64))
    });
    let told: Vec<(&str, &str)> = told.collect();
    let finding = told.split_first().map_or_else(String::new, |((name, part), others)| {
        let others = others.iter().map(|(name, part)| match *part {
            "no" => format!(", {name} of none"),
            part => format!(", {name} of {part}"),
        });
        format!("{name} finds an order of {part} programs{}", others.collect::<String>())
    });
    Some(Plot {
        finding,
        subtitle: format!(
            "{} operations; {}; t/o: timed out, no bar: not run; {}",
            operations.join(", "),
            sample.histories_per_point(),
            bars::INTERVALS
        ),
        panels,
        panel_height: 110,
        legend: legend.collect(),
        table: Table::new(&columns, rows.collect()),
    })
}

fn bar(name: &str, orders: Option<&Orders>) -> Bar {
    let share = orders.map_or_else(Share::default, |orders| Share {
        part: orders.found as u64,
        of: orders.programs as u64,
    });
    // Short, since bars stand side by side.
    let text = match orders {
        Some(Orders { timed_out: 1.., .. }) => "t/o",
        Some(Orders { found: 0, .. }) => "0",
        _ => "",
    };
    Bar::of_share(share, text.to_owned(), style(name))
}
