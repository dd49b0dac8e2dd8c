//! Claims of *Verifying Sequential Consistency on Shared-Memory Multiprocessors by Model Checking*.

use std::collections::BTreeMap;

use super::measure::{AtSize, History, Trials};
use super::{Evidence, Missing, paper};
use crate::statistics::Share;
use tables::Reported;

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
