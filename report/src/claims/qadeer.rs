//! Claims of *Verifying Sequential Consistency on Shared-Memory Multiprocessors by Model Checking*.

use std::collections::BTreeMap;

use super::measure::{AtSize, History, Trials};
use super::paper::PublishedClaim;
use super::{Decision, Evidence, Missing, paper};
use crate::numbers::grouped;
use crate::statistics::{Estimate, Share};
use tables::{Reported, Trial};

pub(super) fn simple(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let name = "simple-witness";
    let trials = Trials::of(results, paper::SIMPLE.experiment, "sc")?.with(&[name])?;
    // Whether a history is valid is known from how it was made, not from the witness that is tested.
    let is_valid = |history: &History<'_>| {
        let refuted = history.all().any(|row| row.said == Reported::Violation);
        history.any.mutant.is_none() && history.any.repointed == 0 && !refuted
    };
    let valid = trials.filter(is_valid);
    let rows = valid.rows(name).filter(|row| !row.said.is_cut_off());
    let share = Share::of(rows.map(|row| row.said == Reported::Consistent));
    paper::SIMPLE.share(share, "valid histories", valid.basis(&[name]))
}

/// The experiment that searches all runs of systems.
const SYSTEMS: &str = "qadeer-systems";

/// The searches of a system, one for each length of cycles, which are lengths 1 and 2.
fn searches<'r>(results: AtSize<'r>, system: &'static str) -> Result<Vec<&'r Trial>, Missing> {
    let is_of = |row: &&Trial| {
        row.part == "systems"
            && row.point.rsplit_once(",k=").is_some_and(|(name, _)| name == system)
    };
    let all: Vec<&Trial> = results.rows(SYSTEMS).filter(is_of).collect();
    match all.len() {
        0 | 1 if results.rows(SYSTEMS).next().is_none() => Err(Missing::Experiment(SYSTEMS)),
        0 | 1 => Err(Missing::Rows(SYSTEMS, system)),
        _ => Ok(all),
    }
}

/// Whether no search of a system found a cycle; `None` if one did not end.
fn is_free(searches: &[&Trial]) -> Option<bool> {
    match () {
        () if searches.iter().any(|row| row.said == Reported::Violation) => Some(false),
        () if searches.iter().all(|row| row.said == Reported::Satisfied) => Some(true),
        () => None,
    }
}

/// What each search found, in how many states.
fn told(searches: &[&Trial]) -> String {
    let told = searches.iter().map(|row| {
        let (_, k) = row.point.rsplit_once(",k=").unwrap_or_default();
        let states = grouped(row.nodes.unwrap_or(0));
        match row.said {
            Reported::Violation => format!("k = {k}: {} events, {states} states", row.operations),
            Reported::Satisfied => format!("k = {k}: none in {states} states"),
            _ => format!("k = {k}: not ended, {states} states"),
        }
    });
    told.collect::<Vec<String>>().join("; ")
}

fn evidence(ours: String, holds: impl Into<Decision>, results: AtSize<'_>) -> Evidence {
    let basis = format!("{SYSTEMS}, size {}.", results.size);
    Evidence { ours, holds: holds.into(), difference: String::new(), basis }
}

pub(super) fn piranha(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let found = searches(results, "piranha")?;
    Ok(evidence(told(&found), is_free(&found), results))
}

pub(super) fn error(results: AtSize<'_>, stated: PublishedClaim) -> Result<Evidence, Missing> {
    let found = searches(results, "piranha-buggy")?;
    let is_found = |row: &&&Trial| row.cycle == Some(2);
    let run = found.iter().find(is_found).ok_or(Missing::Rows(SYSTEMS, "this cycle"))?;
    let length = Estimate::exactly(run.operations as f64);
    let basis = format!("{SYSTEMS}, size {}.", results.size);
    Ok(stated.number(length, None, basis).because(format!("All searches: {}.", told(&found))))
}

pub(super) fn lazy(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let simple = searches(results, "lazy-caching,simple")?;
    let ordered = searches(results, "lazy-caching,memory-order")?;
    let holds = match (is_free(&simple), is_free(&ordered)) {
        (Some(true), _) | (_, Some(false)) => Some(false),
        (Some(false), Some(true)) => Some(true),
        _ => None,
    };
    let ours =
        format!("as they happen: {}; as they reach memory: {}", told(&simple), told(&ordered));
    Ok(evidence(ours, holds, results))
}

fn cycles(results: AtSize<'_>) -> Result<Trials<'_>, Missing> {
    let name = "nice-cycle";
    Trials::of(results, "qadeer-cycles", "sc")?.with(&[name])?.enough()
}

pub(super) fn nice(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let trials = cycles(results)?;
    let rows = trials.rows("nice-cycle").filter(|row| !row.said.is_cut_off());
    let share = Share::of(rows.map(|row| {
        let most = row.threads.min(row.locations);
        row.cycle.is_some_and(|k| (1..=most).contains(&k))
    }));
    let found = paper::NICE.share(share, "violations", trials.basis(&["nice-cycle"]))?;
    Ok(found.because(otherwise(&trials)).because(lengths(&trials)))
}

/// Says why violations have no cycle: a read of a value that no store wrote is a violation without one.
fn otherwise(trials: &Trials<'_>) -> String {
    let rows = trials.rows("nice-cycle").filter(|row| row.cycle.is_none());
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        *reasons.entry(row.reason.as_deref().unwrap_or(row.said.name())).or_default() += 1;
    }
    let reasons: Vec<String> =
        reasons.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    if reasons.is_empty() {
        String::new()
    } else {
        format!("Without a cycle: {}.", reasons.join(", "))
    }
}

/// Says how many cycles there are of each length.
fn lengths(trials: &Trials<'_>) -> String {
    let mut lengths: Vec<u32> = trials.rows("nice-cycle").filter_map(|row| row.cycle).collect();
    lengths.sort_unstable();
    let groups = lengths.chunk_by(|one, other| one == other);
    let counts =
        groups.filter_map(|group| Some(format!("k = {}: {}", group.first()?, group.len())));
    let counts: Vec<String> = counts.collect();
    if counts.is_empty() {
        String::new()
    } else {
        format!("Cycles by length: {}; the paper's own error has k = 2.", counts.join(", "))
    }
}
