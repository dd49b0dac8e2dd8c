//! Figures of the share of violations that criteria below SC and TSO find.

use super::axis::Axis;
use super::bars::{self, Bar};
use super::chart::Plot;
use super::numbers::percent;
use super::paper::{self, Measure};
use super::sample::Sample;
use super::style::{look, rank};
use super::{Figure, Table};
use tables::{Said, Trial};

/// How many histories a finder found to be violations, of how many that are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caught {
    /// The finder.
    pub name: String,
    /// Violations about which it came to an end.
    pub of: usize,
    /// Those that it found.
    pub found: usize,
}

/// What each finder found, of the histories that are violations: those that any of them found, since what is found is one.
/// `asks` says of the trials of a history whether the finder of a name found it, or nothing.
pub fn count(
    sample: &Sample<'_>,
    names: &[String],
    asks: impl Fn(&[&Trial], &str) -> Option<bool>,
) -> Vec<Caught> {
    let histories = sample.by_history();
    let is_violation =
        |trials: &&Vec<&Trial>| trials.iter().any(|trial| trial.said == Said::Violation);
    let violations: Vec<&Vec<&Trial>> = histories.values().filter(is_violation).collect();
    let caught = names.iter().map(|name| {
        let found = violations.iter().filter_map(|trials| asks(trials, name));
        let found: Vec<bool> = found.collect();
        Caught {
            name: name.clone(),
            of: found.len(),
            found: found.iter().filter(|found| **found).count(),
        }
    });
    caught.filter(|one| one.of > 0).collect()
}

/// Whether an algorithm found a violation; none if it did not run or came to no end.
pub fn by_algorithm(trials: &[&Trial], name: &str) -> Option<bool> {
    let trial = trials.iter().find(|trial| trial.algorithm == name)?;
    match trial.said {
        Said::Violation => Some(true),
        Said::Consistent | Said::Satisfied => Some(false),
        // A saturation that is not complete says no more than that it derived no cycle.
        Said::Undecided => Some(false),
        Said::Timeout | Said::Memory => None,
    }
}

/// A figure with a bar for each, beside what the paper states.
pub fn figure(
    sample: &Sample<'_>,
    caught: &[Caught],
    title: &str,
    caption: &str,
) -> Option<Figure> {
    let mut caught = caught.to_vec();
    caught.sort_by_key(|one| (rank(&one.name), one.name.clone()));
    let stated = |one: &Caught| paper::stated(sample.experiment, &one.name, Measure::Caught);
    let groups = caught.iter().map(|one| {
        let share = one.found as f64 / one.of as f64;
        let ours = Bar {
            height: Some(share),
            text: percent((share * 1e4).round() / 1e4),
            look: Some(look(&one.name)),
        };
        let theirs = stated(one).map(|stated| Bar {
            height: Some(stated),
            text: percent(stated),
            look: None,
        });
        let bars = std::iter::once(ours).chain(theirs).collect();
        (one.name.clone(), bars)
    });
    let groups: bars::Groups = groups.collect();
    let violations = caught.iter().map(|one| one.of).max()?;
    let y = Axis::shares("share of violations", 0.0, 0.08);
    let mut legend = Vec::new();
    if caught.iter().any(|one| stated(one).is_some()) {
        legend.push(bars::entry(None, "in the paper"));
    }
    let plot = Plot {
        title: title.to_owned(),
        subtitle: format!("{violations} violations"),
        panels: vec![bars::panel("", "criterion", &groups, y)],
        columns: 1,
        panel_size: bars::size(&groups),
        legend,
    };
    let rows = caught.iter().map(|one| {
        let stated = stated(one).map_or_else(String::new, percent);
        let share = percent(one.found as f64 / one.of as f64);
        vec![
            one.name.clone(),
            one.of.to_string(),
            one.found.to_string(),
            share,
            stated,
        ]
    });
    let columns = [
        "criterion",
        "violations",
        "caught",
        "share",
        "share in the paper",
    ];
    let table = Table {
        columns: columns.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    };
    let caption = format!("{caption} {}", sample.circumstances());
    Figure::new(sample.name("caught"), &plot, caption, table)
}
