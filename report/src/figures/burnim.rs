//! Tables 1 and 2 of Burnim, Sen and Stergiou: what the monitors find in all interleavings of programs.

use std::collections::BTreeMap;

use super::axis::{Axis, Division};
use super::bars::{self, Bar, Groups};
use super::chart::{Plot, Side};
use super::numbers::{count, percent, seconds};
use super::sample::{Sample, time};
use super::statistics::{Quantile, Summary};
use super::style::{BLACK, look};
use super::{Figure, Table};
use crate::claims::paper::{Explored, PROGRAMS};
use tables::Trial;

/// The experiments, and the preemptions of each.
const TABLES: [(&str, &str); 2] = [
    ("burnim-table1", "up to 1 preemption"),
    ("burnim-table2", "up to 2 preemptions"),
];

/// The monitors, and their models.
const MONITORS: [(&str, &str); 2] = [("monitor-tso", "TSO"), ("monitor-pso", "PSO")];

/// Exploring without a monitor.
const ALONE: &str = "explore";

/// The figures, if there are trials.
pub fn figures(trials: &[Trial]) -> Vec<Figure> {
    let tables = TABLES.iter().enumerate();
    tables
        .flat_map(|(table, (name, bound))| {
            let samples = Sample::all(trials, name);
            let figures = samples.iter().map(|sample| figure(sample, table, bound));
            figures.collect::<Vec<_>>()
        })
        .flatten()
        .collect()
}

fn figure(sample: &Sample<'_>, table: usize, bound: &str) -> Option<Figure> {
    let found = programs(sample);
    let panels = MONITORS.iter().enumerate().map(|(at, (monitor, model))| {
        let stated = |explored: &Explored| explored.violations[at];
        let groups: Groups = PROGRAMS
            .iter()
            .filter_map(|program| {
                let ours = found.get(program.name)?.get(monitor)?.pairs;
                let theirs = stated(&program.explored[table]);
                Some((program.name.to_owned(), pair(ours, theirs, monitor)))
            })
            .collect();
        let heights = groups
            .iter()
            .flat_map(|(_, bars)| bars.iter().filter_map(|bar| bar.height));
        let heights: Vec<f64> = heights.collect();
        let y = Axis::counts("distinct violations", heights.into_iter(), Division::Even);
        let mut panel = bars::panel(&format!("under {model}"), "", &groups, y);
        if groups.is_empty() {
            panel.say((0.0, 0.0), Side::Above, "not run".to_owned(), BLACK);
        }
        bars::mark(&mut panel, &groups);
        (panel, bars::size(&groups))
    });
    let (panels, sizes): (Vec<_>, Vec<_>) = panels.unzip();
    let mut legend: Vec<_> = MONITORS
        .iter()
        .map(|(monitor, _)| bars::entry(Some(look(monitor)), monitor))
        .collect();
    legend.push(bars::entry(None, "the paper"));
    let plot = Plot {
        title: "Ways in which programs can leave SC".to_owned(),
        subtitle: format!("pairs of statements found in all interleavings with {bound}"),
        panels,
        columns: 1,
        panel_size: sizes.into_iter().max()?,
        legend,
    };
    let caption = format!(
        "Each bar counts the pairs of statements that a monitor signals in any interleaving of a program. The paper explored C \
         programs; those here are written in a small language, with harnesses of their own, so that numbers differ and what can \
         be compared is where there are none. {}",
        sample.circumstances()
    );
    Figure::new(sample.name(""), &plot, caption, rows(&found, table))
}

/// Our bar and the paper's.
fn pair(ours: Option<u64>, theirs: u32, monitor: &str) -> Vec<Bar> {
    vec![
        Bar {
            height: ours.map(|pairs| pairs as f64),
            text: ours.map_or("cut off".to_owned(), |pairs| pairs.to_string()),
            look: Some(look(monitor)),
        },
        Bar {
            height: Some(theirs.into()),
            text: theirs.to_string(),
            look: None,
        },
    ]
}

/// What an algorithm found in a program.
#[derive(Clone, Debug, Default)]
struct Found {
    interleavings: Option<u64>,
    pairs: Option<u64>,
    /// The median.
    seconds: Option<f64>,
}

/// By program, then algorithm.
fn programs<'a>(sample: &Sample<'a>) -> BTreeMap<&'a str, BTreeMap<&'a str, Found>> {
    let mut groups: BTreeMap<(&str, &str), Vec<&Trial>> = BTreeMap::new();
    for trial in &sample.trials {
        let key = (trial.point.as_str(), trial.algorithm.as_str());
        groups.entry(key).or_default().push(trial);
    }
    let mut found: BTreeMap<&str, BTreeMap<&str, Found>> = BTreeMap::new();
    for ((program, algorithm), trials) in groups {
        let times = trials.iter().map(|trial| time(trial)).collect::<Vec<_>>();
        let is_whole = trials.iter().all(|trial| !trial.said.is_cut_off());
        let one = Found {
            interleavings: trials.iter().filter_map(|trial| trial.nodes).max(),
            pairs: trials
                .iter()
                .filter_map(|trial| trial.pairs)
                .max()
                .filter(|_| is_whole),
            seconds: Summary::of(&times).and_then(|summary| match summary.median {
                Quantile::At(seconds) => Some(seconds),
                Quantile::Beyond(_) => None,
            }),
        };
        found.entry(program).or_default().insert(algorithm, one);
    }
    found
}

/// The table as the paper has it, with the paper's numbers in brackets.
fn rows(found: &BTreeMap<&str, BTreeMap<&str, Found>>, table: usize) -> Table {
    let columns = [
        "program",
        "interleavings",
        "time",
        "with both monitors",
        "under TSO",
        "under PSO",
    ];
    let row = |program: &crate::claims::paper::Program| {
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
                "{} ({} with both)",
                alone.seconds.map_or("-".to_owned(), seconds),
                seconds(theirs.seconds)
            ),
            more.map_or("-".to_owned(), |more| format!("+{}", percent(more))),
            pairs(0),
            pairs(1),
        ])
    };
    Table {
        columns: columns.map(str::to_owned).to_vec(),
        rows: PROGRAMS.iter().filter_map(row).collect(),
    }
}
