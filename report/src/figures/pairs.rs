//! Shares of the pairs of writes that criteria order, as distributions over histories, and histories whose whole kernel they order.

use std::collections::BTreeSet;

use super::detected::{Bars, Detected};
use super::sample::Sample;
use crate::claims::paper::{
    CCM_EXACT, CCM_PAIRS, GCC_UNORDERED_CCM, GCC_UNORDERED_CCV, GCC_UNORDERED_WCCM, WSC_EXACT,
    WSC_PAIRS, WSC_REST,
};
use crate::numbers::in_a_word;
use crate::plot::chart::Plot;
use crate::plot::spread::{self, Group};
use crate::plot::style::{algorithm_of, rank, style};
use tables::Trial;

/// The algorithm of rows about the kernel, the pairs that all memory orders have in common.
const KERNEL: &str = "kernel";

/// Factor from which a share is far larger than another.
const FAR: f64 = 2.0;

/// The algorithm of rows about the conflict order of CCv by itself.
pub(super) const CONFLICTS: &str = "cf";

/// Plots the share of pairs that criteria leave unordered.
pub(super) fn unordered(sample: &Sample<'_>) -> Option<Plot> {
    let share = |trial: &Trial| Some(1.0 - ordered(trial)? as f64 / trial.write_pairs as f64);
    let groups = groups(sample, share, |model, algorithm| match (model, algorithm) {
        ("sc", "ccm") => GCC_UNORDERED_CCM.value(),
        ("sc", "ccv") => GCC_UNORDERED_CCV.value(),
        ("tso", "wccm") => GCC_UNORDERED_WCCM.value(),
        _ => None,
    });
    distributions(
        sample,
        ("share of pairs unordered", "leaves", "of the pairs unordered"),
        &groups,
        true,
    )
}

/// Plots the share of pairs that criteria order.
pub(super) fn of_pairs(sample: &Sample<'_>) -> Option<Plot> {
    let share = |trial: &Trial| Some(ordered(trial)? as f64 / trial.write_pairs as f64);
    let groups = groups(sample, share, |_, algorithm| match algorithm {
        "wsc" => WSC_PAIRS.value(),
        "ccm" => CCM_PAIRS.value(),
        _ => None,
    });
    distributions(sample, ("share of pairs ordered", "orders", "of the pairs"), &groups, false)
}

/// Plots the share of the kernel that criteria order.
pub(super) fn of_kernel(sample: &Sample<'_>) -> Option<Plot> {
    let sample = sample.only(|trial| trial.algorithm != KERNEL)?;
    let share = |trial: &Trial| {
        let kernel = trial.kernel.filter(|kernel| *kernel > 0)?;
        Some(ordered(trial)? as f64 / kernel as f64)
    };
    let groups = groups(&sample, share, |_, algorithm| match algorithm {
        "wsc" => WSC_REST.value(),
        _ => None,
    });
    distributions(
        &sample,
        ("share of the kernel ordered", "orders", "of the kernel"),
        &groups,
        false,
    )
}

/// Plots the share of histories whose whole kernel criteria order.
pub(super) fn whole_kernels(sample: &Sample<'_>) -> Option<Plot> {
    let sample = sample.only(|trial| trial.algorithm != KERNEL)?;
    let names = series(&sample).into_iter().map(|(_, _, name)| name);
    let all = names.map(|name| {
        let own = sample.trials.iter().filter(|trial| sample.series(trial) == name);
        let known = own.filter_map(|trial| Some(ordered(trial)? == trial.kernel?));
        Detected::count(name.clone(), known)
    });
    let bars = Bars {
        counted: "histories",
        found: "whole kernel",
        verb: "orders the whole kernel of",
        published: &|name| match name {
            "wsc" => WSC_EXACT.value(),
            "ccm" => CCM_EXACT.value(),
            _ => None,
        },
    };
    let all: Vec<Detected> = all.collect();
    let cf = explained(all.iter().map(|one| &*one.name));
    let plot = bars.plot(all)?;
    Some(Plot { subtitle: format!("{}{cf}", plot.subtitle), ..plot })
}

/// The number of pairs of writes that a criterion, or the kernel, orders; `None` if it is not known or there are no
/// pairs.
pub(super) fn ordered(trial: &Trial) -> Option<u64> {
    let ordered = match trial.algorithm.as_str() {
        KERNEL => trial.kernel,
        _ => trial.ordered,
    };
    ordered.filter(|_| trial.write_pairs > 0 && !trial.said.is_cut_off())
}

/// The series of a sample, each with its model and its rank in legends, in the order of models and ranks.
fn series(sample: &Sample<'_>) -> BTreeSet<(String, usize, String)> {
    let names = sample.trials.iter().map(|trial| {
        let name = sample.series(trial);
        (trial.model.clone(), rank(algorithm_of(&name)), name)
    });
    names.collect()
}

/// Makes a group for each series, of the shares of its trials; `published` returns the published mean of a model and
/// algorithm.
fn groups(
    sample: &Sample<'_>,
    share: impl Fn(&Trial) -> Option<f64>,
    published: impl Fn(&str, &str) -> Option<f64>,
) -> Vec<Group> {
    let group = |(model, _, name): (String, usize, String)| {
        let own = sample.trials.iter();
        let own = own.filter(|trial| trial.model == model && sample.series(trial) == name);
        let shares = own.filter_map(|trial| share(trial)).collect();
        let algorithm = algorithm_of(&name);
        let (style, published) = (style(algorithm), published(&model, algorithm));
        Group::new(name.clone(), style, shares, published)
    };
    series(sample).into_iter().filter_map(group).collect()
}

/// Explains the name `cf` in a subtitle, if it is shown: no paper uses it.
fn explained<'n>(mut names: impl Iterator<Item = &'n str>) -> &'static str {
    if names.any(|name| algorithm_of(name) == CONFLICTS) {
        "; cf: the conflict order of CCv alone"
    } else {
        ""
    }
}

/// The groups of each model, split so that a panel has room for each part.
fn by_model(groups: &[Group]) -> impl Iterator<Item = &[Group]> {
    let model = |group: &Group| group.name.split_once(", ").map(|(_, model)| model.to_owned());
    let models = groups.chunk_by(move |one, other| model(one) == model(other));
    models.flat_map(|groups| groups.chunks(spread::GROUPS))
}

/// Plots the distributions of groups. The words name the axis, and complete the finding: what a criterion does with its
/// share, of what.
fn distributions(
    sample: &Sample<'_>,
    (y, verb, what): (&str, &str, &str),
    groups: &[Group],
    from_zero: bool,
) -> Option<Plot> {
    let shown = groups.iter().filter(|group| algorithm_of(&group.name) != KERNEL);
    let named = |group: &Group| match group.name.split_once(", ") {
        Some((name, model)) => format!("{name} ({model})"),
        None => group.name.clone(),
    };
    let mut means: Vec<(f64, String)> = shown.map(|group| (group.mean(), named(group))).collect();
    means.sort_by(|one, other| one.0.total_cmp(&other.0));
    let ends = means.first().zip(means.last());
    let finding = ends.map(|(least, most)| match means.len() {
        1 => format!("{} {verb} {} {what}", most.1, in_a_word(most.0)),
        _ => format!("{} {verb} the smallest share {what}, {} the largest", least.1, most.1),
    });
    // If no history comes near a published mean, that is the finding.
    let apart = groups.iter().find_map(|group| Some((group, group.published_apart()?)));
    let finding = apart.map_or(finding, |(group, published)| {
        let (name, ours) = (named(group), group.mean());
        let more = if ours > published { "larger" } else { "smaller" };
        let far = if (ours / published).ln().abs() >= FAR.ln() { "far " } else { "" };
        Some(format!("{name} {verb} a {far}{more} share {what} than published"))
    });
    Some(Plot {
        finding: finding.unwrap_or_default(),
        subtitle: format!(
            "{}{}",
            sample.histories(),
            explained(groups.iter().map(|one| &*one.name))
        ),
        panels: by_model(groups)
            .map(|some| {
                let model = some[0].name.split_once(", ").map_or("", |(_, model)| model);
                spread::panel(model, y, some, from_zero)
            })
            .collect(),
        panel_height: spread::HEIGHT,
        legend: spread::legend(groups),
        table: spread::table(groups),
    })
}
