//! Possible explanations of the times of Figures 6 to 9, from the rows.

use super::super::measure::{AtSize, Axis, Trials};
use super::ALGORITHMS;
use crate::numbers::{percent, seconds, times};
use crate::statistics::{Estimate, mean};

/// Says how long the two saturations take alone on the same histories, as far as the experiment wsc-kernel has them.
pub(super) fn saturations(results: AtSize<'_>, trials: &Trials<'_>) -> String {
    let kernels = Trials::of(results, "wsc-kernel", "sc");
    let same = kernels.map(|kernels| trials.among(&kernels));
    let medians = same.map(|same| (same.median_time("wsc"), same.median_time("ccm")));
    match medians {
        Ok((Some(wsc), Some(ccm))) => format!(
            "By itself, saturation takes {} for wSC and {} for CCM in the median of the same histories.",
            wsc.shown(seconds),
            ccm.shown(seconds)
        ),
        _ => String::new(),
    }
}

/// Says how long the two saturations take on the valid histories of wsc-kernel, compared with violations.
pub(super) fn unrefuted(results: AtSize<'_>, violations: &Trials<'_>) -> String {
    let Ok(valid) = Trials::of(results, "wsc-kernel", "sc") else {
        return String::new();
    };
    let edges = |trials: &Trials<'_>| {
        let (middle, _) = trials.count("wsc", |row| Some(row.edges))?;
        Some(middle.shown(|edges| format!("{edges:.0}")))
    };
    let times = (valid.median_time("wsc"), valid.median_time("ccm"));
    match (times, edges(violations), edges(&valid)) {
        ((Some(wsc), Some(ccm)), Some(fewer), Some(edges)) => format!(
            "A violation ends saturation early: wSC derives {fewer} edges in the median here and {edges} on the valid histories of \
             wsc-kernel, where it takes {} and CCM {}.",
            wsc.shown(seconds),
            ccm.shown(seconds)
        ),
        _ => String::new(),
    }
}

/// Says which share of the pairs each of the two saturations orders before SAT, and how many conflicts SAT met.
pub(super) fn left_to_sat(trials: &Trials<'_>) -> String {
    let share = |name: &str| {
        let rows = trials.rows(name).filter(|row| row.write_pairs > 0);
        let shares = rows.filter_map(|row| {
            let ordered = row.ordered?.min(row.write_pairs);
            Some(Estimate::exactly(ordered as f64 / row.write_pairs as f64))
        });
        Some(mean(&shares.collect::<Vec<_>>())?.shown(percent))
    };
    let whole = |name: &str| {
        let median = trials.median_time(name)?.shown(seconds);
        Some(match trials.count(name, |row| row.conflicts) {
            Some((_, 0)) => format!("{name} takes {median} without a conflict"),
            Some((_, most)) => format!("{name} takes {median} with up to {most} conflicts"),
            None => format!("{name} takes {median}"),
        })
    };
    let (wsc, ccm) = ("wsc-enum", "ccm-enum");
    let ordered = match (share(wsc), share(ccm)) {
        (Some(wsc), Some(ccm)) => {
            format!("Before SAT, wSC orders {wsc} of the pairs of writes and CCM {ccm}. ")
        }
        _ => String::new(),
    };
    match (whole(wsc), whole(ccm)) {
        (Some(wsc), Some(ccm)) => {
            format!("{ordered}In the median of all histories {wsc} and {ccm}.")
        }
        _ => ordered,
    }
}

/// Says how many nodes the searches visited.
pub(super) fn looked(trials: &Trials<'_>) -> String {
    let looked = |name| {
        let (middle, most) = trials.count(name, |row| row.nodes)?;
        let middle = middle.shown(|nodes| format!("{nodes:.0}"));
        Some(format!("{name} at {middle} in the median and {most} at most"))
    };
    match (looked("dbcop"), looked("wsc-dbcop")) {
        (Some(dbcop), Some(with)) => {
            format!("The searches looked at states of a history: {dbcop}, {with}.")
        }
        _ => String::new(),
    }
}

/// Says how many nodes DBCOP visited on violations.
pub(super) fn looked_for(trials: &Trials<'_>) -> String {
    match trials.count("dbcop", |row| row.nodes) {
        Some((middle, most)) => format!(
            "dbcop looked at {} states in the median and {most} at most.",
            middle.shown(|nodes| format!("{nodes:.0}"))
        ),
        None => String::new(),
    }
}

/// Says the ratio of the times of two algorithms at each point of an axis.
pub(super) fn course(trials: &Trials<'_>, axis: Axis, slow: &str, fast: &str) -> String {
    let points = trials.part(axis).along(axis).into_iter();
    let ratios = points.filter_map(|(at, point)| {
        let ratio = point.enough().ok()?.ratio(slow, fast)?;
        Some(format!("{} at {at}", ratio.shown(times)))
    });
    let ratios: Vec<String> = ratios.collect();
    match ratios.len() {
        0 | 1 => String::new(),
        _ => format!("By {}: {}.", axis.name(), ratios.join(", ")),
    }
}

/// Says how long the algorithms take on histories as simulated, on those whose reads were re-pointed, and on those of
/// Figure 7.
pub(super) fn apart(trials: &Trials<'_>, reference: &Trials<'_>) -> String {
    let valid = trials.filter(|history| history.any.repointed == 0);
    let repointed = trials.filter(|history| history.any.repointed > 0);
    let medians = ALGORITHMS.into_iter().filter_map(|name| {
        let median = |trials: &Trials<'_>| Some(trials.median_time(name)?.shown(seconds));
        let (valid, repointed, reference) =
            (median(&valid)?, median(&repointed)?, median(reference)?);
        Some(format!("{name} {valid}, {repointed}, {reference}"))
    });
    let medians: Vec<String> = medians.collect();
    if medians.is_empty() {
        String::new()
    } else {
        format!(
            "Medians over the histories as they are, over those with re-pointed reads, and over those of {}: {}.",
            reference.experiment,
            medians.join("; ")
        )
    }
}
