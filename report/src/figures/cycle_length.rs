//! Length of the nice cycles of violations, after Qadeer.

use std::collections::BTreeMap;

use super::sample::Sample;
use crate::numbers::{capitalized, in_a_word, percent};
use crate::plot::axis::{Axis, Scale};
use crate::plot::bars::{self, Bar, Groups};
use crate::plot::chart::{Plot, Table};
use crate::plot::style::{GREY, Marker, Style, style};
use crate::statistics::Share;
use tables::{Reported, Trial};

/// How the search for a cycle ended, in the order in which it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Cycle(u32),
    NoCycle,
    Undecided,
    TimedOut,
}

/// Plots a bar for each length.
pub(super) fn plot(sample: &Sample<'_>) -> Option<Plot> {
    let sample = sample.only(|trial| trial.algorithm == "nice-cycle")?;
    let mut counts: BTreeMap<Outcome, usize> = BTreeMap::new();
    for trial in &sample.trials {
        *counts.entry(outcome(trial)).or_default() += 1;
    }
    let all = sample.trials.len();
    let share = |number: usize| percent((number as f64 / all as f64 * 1e3).round() / 1e3);
    let interval =
        |number: usize| Share { part: number as u64, of: all as u64 }.interval().times(all as f64);
    let groups = counts.iter().map(|(outcome, number)| {
        let interval = interval(*number);
        let bar = Bar {
            height: Some(*number as f64),
            text: format!("{number} ({})", share(*number)),
            style: Some(outcome.style()),
            interval: Some((interval.low, interval.high)),
        };
        (outcome.name(), vec![bar])
    });
    let groups: Groups = groups.collect();
    let heights = counts.values().map(|number| interval(*number).high);
    let y = Axis::counts("violations", heights, Scale::Linear);
    let x = "k: threads and locations in the cycle";
    let rows = counts
        .iter()
        .map(|(outcome, number)| vec![outcome.name(), number.to_string(), share(*number)]);
    let short: usize = counts
        .iter()
        .filter_map(|(outcome, number)| match outcome {
            Outcome::Cycle(..=2) => Some(*number),
            _ => None,
        })
        .sum();
    Some(Plot {
        finding: capitalized(&format!(
            "{} violations show a cycle of at most 2 threads",
            in_a_word(short as f64 / all as f64)
        )),
        subtitle: format!("{all} violations; {}", bars::INTERVALS),
        panels: vec![bars::panel("", x, &groups, y)],
        panel_height: bars::HEIGHT,
        legend: Vec::new(),
        table: Table::new(&["k", "violations", "share"], rows.collect()),
    })
}

fn outcome(trial: &Trial) -> Outcome {
    match (trial.cycle, trial.said) {
        (Some(length), _) => Outcome::Cycle(length),
        (None, Reported::Timeout | Reported::Memory) => Outcome::TimedOut,
        (None, Reported::Undecided) => Outcome::Undecided,
        (None, _) => Outcome::NoCycle,
    }
}

impl Outcome {
    fn name(self) -> String {
        match self {
            Outcome::Cycle(length) => length.to_string(),
            Outcome::NoCycle => "none".to_owned(),
            Outcome::Undecided => "undecided".to_owned(),
            Outcome::TimedOut => "timed out".to_owned(),
        }
    }

    fn style(self) -> Style {
        match self {
            Outcome::Cycle(_) => style("nice-cycle"),
            _ => Style { color: GREY, marker: Marker::Circle },
        }
    }
}
