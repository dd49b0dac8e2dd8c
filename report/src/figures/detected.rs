//! Share of violations that criteria detect.

use std::collections::BTreeSet;

use super::sample::Sample;
use crate::claims::paper::{FIG9_ALL, FIG9_MISSES, GCC_CAUSAL, GCC_VIOLATIONS};
use crate::numbers::{brief_percent, in_a_word, percent};
use crate::plot::axis::Axis;
use crate::plot::bars::{self, Bar, Groups};
use crate::plot::chart::{Plot, Table};
use crate::plot::style::{algorithm_of, rank, style};
use crate::statistics::Share;
use tables::{Reported, Trial};

/// The number of cases in which a criterion finds something, and the number of all cases.
pub(super) struct Detected {
    /// The criterion.
    pub name: String,
    share: Share,
}

impl Detected {
    /// Counts the cases, and those in which something is found.
    pub(super) fn count(name: String, found: impl Iterator<Item = bool>) -> Detected {
        Detected { name, share: Share::of(found) }
    }

    fn share(&self) -> f64 {
        self.share.value()
    }
}

/// Plots the shares that criteria weaker than SC refute. If CCM did not run, the first step of gradual checking counts
/// for it.
pub(super) fn below_sc(sample: &Sample<'_>) -> Option<Plot> {
    let own = sample.trials.iter().map(|trial| trial.algorithm.clone());
    let own = own.filter(|name| ["cc", "ccv", "cm", "ccm", "wsc"].contains(&name.as_str()));
    let mut names: BTreeSet<String> = own.collect();
    names.extend(["cc or ccv", "ccm"].map(str::to_owned));
    let finds = |trials: &[&Trial], name: &str| match name {
        "cc or ccv" => match ["cc", "ccv"].map(|name| by_algorithm(trials, name)) {
            [Some(true), _] | [_, Some(true)] => Some(true),
            [Some(false), Some(false)] => Some(false),
            _ => None,
        },
        "ccm" => by_algorithm(trials, name).or_else(|| by_first_step(trials)),
        name => by_algorithm(trials, name),
    };
    plot(sample, names, finds, &|name| match name {
        "cc or ccv" => GCC_CAUSAL.value(),
        "ccm" => GCC_VIOLATIONS.value(),
        _ => None,
    })
}

/// Plots the shares that saturating algorithms refute.
pub(super) fn by_saturation(sample: &Sample<'_>) -> Option<Plot> {
    let names = sample.trials.iter().map(|trial| trial.algorithm.clone());
    // The forms of this program refute what the published ones do.
    let names = names.filter(|name| name.ends_with("-published")).collect();
    plot(sample, names, by_algorithm, &|name| match name {
        "wsc-published" => FIG9_ALL.value(),
        "ccm-published" => FIG9_MISSES.value().map(|missed| 1.0 - missed),
        _ => None,
    })
}

/// Whether an algorithm refuted a history; `None` if it did not run or was stopped by a limit.
fn by_algorithm(trials: &[&Trial], name: &str) -> Option<bool> {
    let trial = trials.iter().find(|trial| trial.algorithm == name)?;
    match trial.said {
        Reported::Violation => Some(true),
        // *Satisfied* means only that saturation derived no cycle.
        Reported::Consistent | Reported::Satisfied | Reported::Undecided => Some(false),
        Reported::Timeout | Reported::Memory => None,
    }
}

/// Whether the first step of gradual checking, which is CCM, refuted a history.
fn by_first_step(trials: &[&Trial]) -> Option<bool> {
    let gradual = |trial: &&&Trial| trial.algorithm.starts_with("sc-ccm-");
    let ended = trials.iter().filter(gradual).find(|trial| !trial.said.is_cut_off())?;
    Some(ended.fired.is_some())
}

/// Plots the share of violations that each name finds. A history is a violation if any algorithm refuted it.
fn plot(
    sample: &Sample<'_>,
    names: BTreeSet<String>,
    finds: impl Fn(&[&Trial], &str) -> Option<bool>,
    published: &dyn Fn(&str) -> Option<f64>,
) -> Option<Plot> {
    let histories = sample.by_history();
    let is_violation =
        |trials: &&Vec<&Trial>| trials.iter().any(|trial| trial.said == Reported::Violation);
    let violations: Vec<&Vec<&Trial>> = histories.values().filter(is_violation).collect();
    let all = names.into_iter().map(|name| {
        let found: Vec<bool> =
            violations.iter().filter_map(|trials| finds(trials, &name)).collect();
        Detected::count(name, found.into_iter())
    });
    let bars = Bars { counted: "violations", found: "refuted", verb: "refutes", published };
    bars.plot(all.collect())
}

/// The number above a bar: its axis has the unit, for which there is no room between two bars.
fn number(percent: String) -> String {
    percent.trim_end_matches(" %").to_owned()
}

/// A figure with a bar for each criterion, beside the published share.
pub(super) struct Bars<'p> {
    /// The cases that are counted, such as `violations`.
    pub counted: &'p str,
    /// The heading of the table's column of cases in which something is found.
    pub found: &'p str,
    /// The verb for what a criterion does in these cases, such as `refutes`.
    pub verb: &'p str,
    /// The published shares, by algorithm.
    pub published: &'p dyn Fn(&str) -> Option<f64>,
}

impl Bars<'_> {
    /// Plots the bars; `None` if nothing was counted.
    pub(super) fn plot(&self, mut all: Vec<Detected>) -> Option<Plot> {
        all.retain(|one| one.share.of > 0);
        all.sort_by_key(|one| (rank(algorithm_of(&one.name)), one.name.clone()));
        let most = all.iter().map(|one| one.share.of).max()?;
        let published = |one: &Detected| (self.published)(algorithm_of(&one.name));
        let groups = all.iter().map(|one| {
            let text = number(brief_percent(one.share()));
            let ours = Bar::of_share(one.share, text, style(algorithm_of(&one.name)));
            let theirs = published(one).map(|share| Bar {
                height: Some(share),
                text: number(percent(share)),
                style: None,
                interval: None,
            });
            let bars = std::iter::once(ours).chain(theirs).collect();
            (one.name.clone(), bars)
        });
        let groups: Groups = groups.collect();
        let y = Axis::shares(&format!("share of {}", self.counted), 0.0, 0.08);
        let is_published = all.iter().any(|one| published(one).is_some());
        let rows = all.iter().map(|one| {
            vec![
                one.name.clone(),
                one.share.of.to_string(),
                one.share.part.to_string(),
                percent(one.share()),
                published(one).map_or_else(String::new, percent),
            ]
        });
        let columns = ["criterion", self.counted, self.found, "share", "published share"];
        // The title names the strongest and the weakest criterion.
        let mut sorted: Vec<&Detected> = all.iter().collect();
        sorted.sort_by(|one, other| one.share().total_cmp(&other.share()));
        let part = |one: &Detected| in_a_word(one.share());
        let strongest = sorted.last().map_or_else(String::new, |one| {
            format!("{} {} {} {}", one.name, self.verb, part(one), self.counted)
        });
        let weakest = sorted.first().zip(sorted.last()).filter(|_| sorted.len() > 1);
        let weakest = weakest.map_or_else(String::new, |(weakest, strongest)| {
            let of = if self.verb.ends_with(" of") { "of " } else { "" };
            match part(weakest) {
                same if same == part(strongest) => format!(", {} {of}the fewest", weakest.name),
                "no" => format!(", {} {of}none", weakest.name),
                other => format!(", {} {of}{other}", weakest.name),
            }
        });
        Some(Plot {
            finding: match (sorted.first(), sorted.last()) {
                (Some(one), Some(other)) if sorted.len() > 1 && one.share() >= other.share() => {
                    format!("Each criterion {} {} {}", self.verb, part(one), self.counted)
                }
                _ => format!("{strongest}{weakest}"),
            },
            subtitle: format!("{most} {}; {}", self.counted, bars::INTERVALS),
            panels: vec![bars::panel("", "criterion", &groups, y)],
            panel_height: bars::HEIGHT,
            legend: is_published.then(|| bars::entry(None, "published")).into_iter().collect(),
            table: Table::new(&columns, rows.collect()),
        })
    }
}
