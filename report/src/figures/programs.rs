//! Violations of SC that monitors detect in all interleavings of programs (Burnim, Sen and Stergiou, Tables 1 and 2).

use std::collections::BTreeMap;

use super::sample::{Sample, time};
use crate::claims::paper::{Explored, PROGRAMS, Program};
use crate::numbers::{capitalized, count, in_a_word, percent, seconds};
use crate::plot::axis::{Axis, Scale};
use crate::plot::bars::{self, Bar, Groups};
use crate::plot::chart::{Plot, Side, Table};
use crate::plot::style::{BLACK, style};
use crate::statistics::{Estimate, median};
use tables::Trial;

/// The monitors, each with its model.
const MONITORS: [(&str, &str); 2] = [("monitor-tso", "TSO"), ("monitor-pso", "PSO")];

/// The algorithm that explores programs without a monitor.
const ALONE: &str = "explore";

/// Plots the programs with up to one preemption.
pub(super) fn one_preemption(sample: &Sample<'_>) -> Option<Plot> {
    plot(sample, 0)
}

/// Plots the programs with up to two preemptions.
pub(super) fn two_preemptions(sample: &Sample<'_>) -> Option<Plot> {
    plot(sample, 1)
}

/// Plots a panel for each monitor; `table` is the index of the paper's table in [`Program::explored`].
fn plot(sample: &Sample<'_>, table: usize) -> Option<Plot> {
    let found = programs(sample);
    let panels = MONITORS.iter().enumerate().map(|(at, (monitor, model))| {
        let published = |explored: &Explored| explored.violations[at];
        let groups: Groups = PROGRAMS
            .iter()
            .filter_map(|program| {
                let ours = found.get(program.name)?.get(monitor)?.pairs;
                let theirs = published(&program.explored[table]);
                Some((program.name.to_owned(), pair(ours, theirs, monitor)))
            })
            .collect();
        let heights = groups.iter().flat_map(|(_, bars)| bars.iter().filter_map(|bar| bar.height));
        let heights: Vec<f64> = heights.collect();
        let y = Axis::counts("distinct violations", heights.into_iter(), Scale::Linear);
        let mut panel = bars::panel(&format!("under {model} ({monitor})"), "", &groups, y);
        if groups.is_empty() {
            panel.add_text((0.0, 0.0), Side::Above, "not run".to_owned(), BLACK);
        }
        panel
    });
    let [tso, pso] = MONITORS.map(|(monitor, _)| {
        let pairs = found.values().filter_map(|by| by.get(monitor)?.pairs);
        pairs.filter(|pairs| *pairs > 0).count()
    });
    let preemptions = ["1 preemption", "2 preemptions"][table];
    Some(Plot {
        finding: capitalized(&format!(
            "{} programs violate SC under PSO, {} under TSO, with up to {preemptions}",
            in_a_word(pso as f64 / found.len().max(1) as f64),
            in_a_word(tso as f64 / found.len().max(1) as f64).replace("no", "none")
        )),
        subtitle: format!(
            "{} programs, {pso} violate SC under PSO and {tso} under TSO; distinct pairs of statements, all interleavings",
            found.len()
        ),
        panels: panels.collect(),
        panel_height: bars::HEIGHT,
        legend: vec![bars::entry(None, "published")],
        table: rows(&found, table),
    })
}

/// Our bar and the published one.
fn pair(ours: Option<u64>, theirs: u32, monitor: &str) -> Vec<Bar> {
    vec![
        Bar {
            height: ours.map(|pairs| pairs as f64),
            text: ours.map_or("timed out".to_owned(), |pairs| pairs.to_string()),
            style: Some(style(monitor)),
            interval: None,
        },
        Bar { height: Some(theirs.into()), text: theirs.to_string(), style: None, interval: None },
    ]
}

/// The results of an algorithm about a program. `pairs` is `None` if a run was stopped by a limit.
#[derive(Clone, Debug, Default)]
struct Found {
    interleavings: Option<u64>,
    pairs: Option<u64>,
    /// The median time over all runs, in seconds.
    seconds: Option<f64>,
}

/// Returns the results by program and algorithm.
fn programs<'a>(sample: &Sample<'a>) -> BTreeMap<&'a str, BTreeMap<&'a str, Found>> {
    let mut groups: BTreeMap<(&str, &str), Vec<&Trial>> = BTreeMap::new();
    for trial in &sample.trials {
        let key = (trial.point.as_str(), trial.algorithm.as_str());
        groups.entry(key).or_default().push(trial);
    }
    let mut found: BTreeMap<&str, BTreeMap<&str, Found>> = BTreeMap::new();
    for ((program, algorithm), trials) in groups {
        let times: Vec<Estimate> = trials.iter().filter_map(|trial| time(trial)).collect();
        let is_whole = trials.iter().all(|trial| !trial.said.is_cut_off());
        let one = Found {
            interleavings: trials.iter().filter_map(|trial| trial.nodes).max(),
            pairs: trials.iter().filter_map(|trial| trial.pairs).max().filter(|_| is_whole),
            seconds: median(&times).filter(|median| !median.is_open()).map(|median| median.low),
        };
        found.entry(program).or_default().insert(algorithm, one);
    }
    found
}

/// Makes the table of the paper, with our numbers and the published ones in parentheses.
fn rows(found: &BTreeMap<&str, BTreeMap<&str, Found>>, table: usize) -> Table {
    let columns = [
        "program",
        "interleavings (published)",
        "time (published)",
        "added by both monitors",
        "under TSO (published)",
        "under PSO (published)",
    ];
    let row = |program: &Program| {
        let ours = found.get(program.name)?;
        let theirs = program.explored[table];
        let alone = ours.get(ALONE)?;
        let more: Option<f64> = MONITORS
            .iter()
            .map(|(monitor, _)| Some(ours.get(monitor)?.seconds? / alone.seconds? - 1.0))
            .sum();
        let pairs = |at: usize| {
            let pairs = ours.get(MONITORS[at].0).and_then(|found| found.pairs);
            let pairs = pairs.map_or("-".to_owned(), |pairs| pairs.to_string());
            format!("{pairs} ({})", theirs.violations[at])
        };
        let interleavings = alone.interleavings.map_or("-".to_owned(), count);
        Some(vec![
            program.name.to_owned(),
            format!("{interleavings} ({})", count(theirs.interleavings.into())),
            format!(
                "{} ({} with both monitors)",
                alone.seconds.map_or("-".to_owned(), seconds),
                seconds(theirs.seconds)
            ),
            more.map_or("-".to_owned(), |more| format!("+{}", percent(more))),
            pairs(0),
            pairs(1),
        ])
    };
    Table::new(&columns, PROGRAMS.iter().filter_map(row).collect())
}
