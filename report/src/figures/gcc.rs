//! The figures of "Gradual consistency checking" (CAV 2019).

use std::collections::BTreeSet;

use super::Figure;
use super::caught::{self, by_algorithm, count};
use super::chart::Plot;
use super::paper::{self, Measure};
use super::sample::{Sample, algorithm_of};
use super::spread::{self, Group};
use super::style::{look, rank};
use super::times::Times;
use tables::Trial;

/// The algorithm of rows about the kernel.
pub const KERNEL: &str = "kernel";

/// The criterion below TSO; all others that papers give numbers for are below SC.
const WCCM: &str = "wccm";

/// All that there are trials for.
pub fn figures(trials: &[Trial]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for sample in Sample::all(trials, "gcc-fig4") {
        figures.extend(valid(&sample, "SC", FIG_4));
    }
    for sample in Sample::all(trials, "gcc-fig5") {
        figures.extend(invalid(&sample));
        figures.extend(found(&sample));
    }
    for sample in Sample::all(trials, "gcc-fig6") {
        figures.extend(valid(&sample, "TSO", FIG_6));
    }
    let unordered = Sample::all(trials, "gcc-unordered");
    figures.extend(unordered.iter().filter_map(unordered_pairs));
    figures
}

const FIG_4: &str = "As figure 4 of the paper, which shows means of 200 histories a point.";
const FIG_6: &str = "As figure 6 of the paper, on the histories of figure 4. The paper shows means of 200 histories a point.";

fn valid(sample: &Sample<'_>, model: &str, caption: &str) -> Vec<Figure> {
    let figure = |part: &str| {
        let times = Times {
            tail: part,
            title: format!("Time to find valid histories to be {model}, by number of {part}"),
            caption,
            stated: Vec::new(),
        };
        times.figure(sample, part)
    };
    ["operations", "threads"]
        .into_iter()
        .filter_map(figure)
        .collect()
}

fn invalid(sample: &Sample<'_>) -> Option<Figure> {
    let times = Times {
        tail: "threads",
        title: "Time to find violations of SC, by number of threads".to_owned(),
        caption: "As figure 5 of the paper, which shows means of 1000 histories in all. Histories are runs of mutants of MI.",
        stated: Vec::new(),
    };
    times.figure(sample, "threads")
}

/// What share of the violations is one of a weaker criterion.
fn found(sample: &Sample<'_>) -> Option<Figure> {
    let own = sample.trials.iter().map(|trial| trial.algorithm.clone());
    let own = own.filter(|name| ["cc", "ccv", "cm", "ccm", "wsc"].contains(&name.as_str()));
    let mut names: BTreeSet<String> = own.collect();
    names.extend(["cc or ccv", "ccm"].map(str::to_owned));
    let names: Vec<String> = names.into_iter().collect();
    let caught = count(sample, &names, |trials, name| match name {
        "cc or ccv" => by_either(trials),
        "ccm" => by_algorithm(trials, name).or_else(|| by_first_step(trials)),
        name => by_algorithm(trials, name),
    });
    let title = "Violations of SC that weaker criteria find";
    let caption = "The paper says how many of its violations break CC or CCv, and that all of them break CCM.";
    caught::figure(sample, &caught, title, caption)
}

/// Whether one of two criteria is violated.
fn by_either(trials: &[&Trial]) -> Option<bool> {
    let [cc, ccv] = ["cc", "ccv"].map(|name| by_algorithm(trials, name));
    match (cc, ccv) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

/// Whether gradual checking was done after its first step, which is CCM.
fn by_first_step(trials: &[&Trial]) -> Option<bool> {
    let gradual = |trial: &&&Trial| trial.algorithm.starts_with("sc-ccm-");
    let ended = trials
        .iter()
        .filter(gradual)
        .find(|trial| !trial.said.is_cut_off())?;
    Some(ended.fired.is_some())
}

/// How the share of pairs that criteria leave unordered is distributed.
fn unordered_pairs(sample: &Sample<'_>) -> Option<Figure> {
    let groups = shares_of_pairs(sample, Measure::Unordered, |trial| {
        Some(1.0 - ordered(trial)? as f64 / trial.write_pairs as f64)
    });
    let plot = Plot {
        title: "Pairs of writes of one location that criteria leave unordered".to_owned(),
        subtitle: sample.histories(),
        panels: vec![spread::panel("share of pairs unordered", &groups, true)],
        columns: 1,
        panel_size: spread::size(&groups),
        legend: spread::legend(&groups),
    };
    let caption = format!(
        "The paper's means are over 200 histories of 200 operations. What the kernel \
         leaves unordered, no criterion can order. {}",
        sample.circumstances()
    );
    let table = spread::table(&groups);
    Figure::new(sample.name(""), &plot, caption, table)
}

/// How many pairs of writes a criterion, or the kernel, orders; none if that is not known or there are no pairs.
pub fn ordered(trial: &Trial) -> Option<u64> {
    let ordered = match trial.algorithm.as_str() {
        KERNEL => trial.kernel,
        _ => trial.ordered,
    };
    ordered.filter(|_| trial.write_pairs > 0 && !trial.said.is_cut_off())
}

/// A group for each series of the sample, of a share that each trial may have.
pub fn shares_of_pairs(
    sample: &Sample<'_>,
    measure: Measure,
    share: impl Fn(&Trial) -> Option<f64>,
) -> Vec<Group> {
    let names: BTreeSet<(String, usize, String)> = sample
        .trials
        .iter()
        .map(|trial| {
            let name = sample.series(trial);
            (trial.model.clone(), rank(algorithm_of(&name)), name)
        })
        .collect();
    let group = |(_, _, name): (String, usize, String)| {
        let own = sample
            .trials
            .iter()
            .filter(|trial| sample.series(trial) == name);
        let shares = own.filter_map(|trial| share(trial)).collect();
        let algorithm = algorithm_of(&name);
        // The papers state each of these numbers for one model.
        let model = if algorithm == WCCM { "tso" } else { "sc" };
        let is_theirs = sample
            .trials
            .iter()
            .any(|trial| trial.model == model && sample.series(trial) == name);
        let stated = paper::stated(sample.experiment, algorithm, measure).filter(|_| is_theirs);
        let look = look(algorithm);
        Group::new(name, look, shares, stated)
    };
    names.into_iter().filter_map(group).collect()
}
