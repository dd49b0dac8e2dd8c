//! Possible explanations of the times of Figures 6 to 9, from the rows.

use super::super::measure::{Axis, Trials};
use super::{ALGORITHMS, CCM_ENUM, WSC_DBCOP};
use crate::numbers::{percent, seconds, times};
use crate::statistics::{Estimate, mean};

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
    let (wsc, ccm) = ("wsc-enum", CCM_ENUM);
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
    match (looked("dbcop"), looked(WSC_DBCOP)) {
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
