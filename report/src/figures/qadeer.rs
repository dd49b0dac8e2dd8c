//! How long the cycles are that a violation of SC has to have, after Qadeer.

use std::collections::BTreeMap;

use super::axis::{Axis, Division};
use super::bars::{self, Bar};
use super::chart::Plot;
use super::numbers::percent;
use super::sample::Sample;
use super::style::{GREY, Look, Marker, look};
use super::{Figure, Table};
use tables::{Said, Trial};

/// What the search for a cycle ended with, in the order in which it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Cycle(u32),
    None,
    Undecided,
    CutOff,
}

/// The figure, if there are trials.
pub fn figures(trials: &[Trial]) -> Vec<Figure> {
    let samples = Sample::all(trials, "qadeer-cycles");
    samples.iter().filter_map(cycles).collect()
}

fn cycles(sample: &Sample<'_>) -> Option<Figure> {
    let sample = sample.only(|trial| trial.algorithm == "nice-cycle")?;
    let mut counts: BTreeMap<End, usize> = BTreeMap::new();
    for trial in &sample.trials {
        *counts.entry(end(trial)).or_default() += 1;
    }
    let all = sample.trials.len();
    let groups = counts.iter().map(|(end, number)| {
        let bar = Bar {
            height: Some(*number as f64),
            text: format!("{number} ({})", share(*number, all)),
            look: Some(end.look()),
        };
        (end.name(), vec![bar])
    });
    let groups: bars::Groups = groups.collect();
    let heights = counts.values().map(|number| *number as f64);
    let y = Axis::counts("violations", heights, Division::Even);
    let plot = Plot {
        title: "Length of the shortest nice cycle in violations of SC".to_owned(),
        subtitle: format!("{all} violations"),
        panels: vec![bars::panel(
            "",
            "k: threads, and locations, in the cycle",
            &groups,
            y,
        )],
        columns: 1,
        panel_size: bars::size(&groups),
        legend: Vec::new(),
    };
    let rows = counts
        .iter()
        .map(|(end, number)| vec![end.name(), number.to_string(), share(*number, all)]);
    let columns = ["k", "violations", "share"];
    let table = Table {
        columns: columns.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    };
    let caption = format!(
        "A violation of SC whose completion order is a witness of the store order has a k-nice cycle, with at most one edge in \
         each of k threads and k locations (theorem 6.1 of the paper, which does not count them). {}",
        sample.circumstances()
    );
    Figure::new(sample.name(""), &plot, caption, table)
}

fn end(trial: &Trial) -> End {
    match (trial.cycle, trial.said) {
        (Some(length), _) => End::Cycle(length),
        (None, Said::Timeout | Said::Memory) => End::CutOff,
        (None, Said::Undecided) => End::Undecided,
        (None, _) => End::None,
    }
}

impl End {
    fn name(self) -> String {
        match self {
            End::Cycle(length) => length.to_string(),
            End::None => "none".to_owned(),
            End::Undecided => "undecided".to_owned(),
            End::CutOff => "cut off".to_owned(),
        }
    }

    fn look(self) -> Look {
        match self {
            End::Cycle(_) => look("nice-cycle"),
            _ => Look {
                color: GREY,
                marker: Marker::Circle,
            },
        }
    }
}

fn share(number: usize, all: usize) -> String {
    percent((number as f64 / all as f64 * 1e3).round() / 1e3)
}
