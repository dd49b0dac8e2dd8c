//! Nice cycles in all runs of small systems, after Qadeer: which systems have one, and how many states were searched.

use std::collections::{BTreeMap, BTreeSet};

use super::kills::{HeatCell, ROW_HEIGHT, heat_panel};
use super::sample::Sample;
use crate::numbers::short;
use crate::plot::chart::{Panel, Plot, Table};
use tables::{Reported, Trial};

/// The parts of the experiment, each with the heading of its panel.
const PARTS: [(&str, &str); 2] = [("systems", "memory systems"), ("protocols", "protocols")];

/// Shades of cells: a cycle, none, and a search that did not end.
const SHADES: [f64; 3] = [1.0, 0.12, 0.35];

/// Plots a row for each system, and in it a cell for each length of cycles.
pub(super) fn plot(sample: &Sample<'_>) -> Option<Plot> {
    let mut panels: Vec<(Panel, usize)> = Vec::new();
    for (part, heading) in PARTS {
        let own = sample.trials.iter().copied().filter(|trial| trial.part == part);
        panels.extend(panel(heading, &own.collect::<Vec<&Trial>>()));
    }
    let rows = panels.iter().map(|(_, rows)| *rows).max()?;
    let sizes = sample.trials.iter().map(|one| (one.threads, one.locations));
    let sizes: BTreeSet<(u32, u32)> = sizes.collect();
    let sizes = sizes.iter().map(|(threads, locations)| format!("{threads} × {locations}"));
    Some(Plot {
        finding: finding(&sample.trials),
        subtitle: format!(
            "events of a shortest run with a cycle, or states searched without one (>: of more); processors × locations: {}",
            sizes.collect::<Vec<_>>().join(", ")
        ),
        panels: panels.into_iter().map(|(panel, _)| panel).collect(),
        panel_height: ROW_HEIGHT * rows as i32,
        table: table(&sample.trials),
        ..Plot::default()
    })
}

/// The system and the length of cycles of a trial.
fn split(trial: &Trial) -> (&str, &str) {
    trial.point.rsplit_once(",k=").unwrap_or((&trial.point, ""))
}

/// Makes the panel of a part, and returns it with its number of rows; `None` if there are no trials.
fn panel(heading: &str, trials: &[&Trial]) -> Option<(Panel, usize)> {
    let mut names: Vec<String> = Vec::new();
    let mut by: BTreeMap<(&str, &str), &Trial> = BTreeMap::new();
    for trial in trials {
        let (name, k) = split(trial);
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
        by.insert((name, k), trial);
    }
    let lengths: BTreeSet<&str> = trials.iter().map(|trial| split(trial).1).collect();
    let columns: Vec<String> = lengths.iter().map(|k| format!("k = {k}")).collect();
    let cells: Vec<Vec<HeatCell>> = names
        .iter()
        .map(|name| {
            lengths.iter().map(|k| by.get(&(name.as_str(), k)).map(|one| cell(one))).collect()
        })
        .collect();
    let rows = names.len();
    let names: Vec<String> = names.iter().map(|name| name.replace(',', ", ")).collect();
    (rows > 0).then(|| {
        (
            heat_panel(heading, "processors and locations in the cycle", &columns, &names, &cells),
            rows,
        )
    })
}

fn cell(trial: &Trial) -> (f64, String) {
    let states = short(trial.nodes.unwrap_or(0));
    match trial.said {
        Reported::Violation => (SHADES[0], format!("{} events", trial.operations)),
        Reported::Satisfied => (SHADES[1], format!("{states} states")),
        _ => (SHADES[2], format!("> {states} states")),
    }
}

/// Names the memory systems, or else the protocols, in which no search found a cycle.
fn finding(trials: &[&Trial]) -> String {
    let told = PARTS.iter().find_map(|(part, _)| {
        let mut free: Vec<&str> = Vec::new();
        let own = || trials.iter().filter(|trial| trial.part == *part);
        for trial in own() {
            let (name, _) = split(trial);
            let same = || own().filter(|other| split(other).0 == name);
            if !free.contains(&name) && same().all(|one| one.said == Reported::Satisfied) {
                free.push(name);
            }
        }
        own().next()?;
        let names: Vec<String> = free.iter().map(|name| name.replace(',', " by ")).collect();
        Some(match names.len() {
            0 => "Every system has a run that is not SC by its order of writes".to_owned(),
            1 => format!("Only {} has no nice cycle, so all of its runs are SC", names[0]),
            several => format!(
                "All runs of {} and {} are SC, and of no other system",
                names[..several - 1].join(", "),
                names[several - 1]
            ),
        })
    });
    told.unwrap_or_default()
}

fn table(trials: &[&Trial]) -> Table {
    let rows = trials.iter().map(|trial| {
        let (name, k) = split(trial);
        let events = (trial.said == Reported::Violation).then(|| trial.operations.to_string());
        vec![
            name.to_owned(),
            trial.mutant.clone().unwrap_or_default(),
            format!("{} × {}", trial.threads, trial.locations),
            k.to_owned(),
            trial.said.name().to_owned(),
            events.unwrap_or_default(),
            trial.nodes.unwrap_or(0).to_string(),
            trial.edges.to_string(),
            trial.depth.to_string(),
        ]
    });
    let columns = ["system", "mutant", "size", "k", "result", "events", "states", "moves", "depth"];
    Table::new(&columns, rows.collect())
}
