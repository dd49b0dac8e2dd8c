//! Explains why runs of a campaign are violations: repeats the runs, and takes what `check` prints and `explain` draws.

use std::time::Duration;

use check::{Model, Verdict, check};
use history::{Ambiguity, History, ReadsFrom};
use memory::PsoRmw;
use rayon::prelude::*;
use report::page::Cycle;
use report::picture::Picture;
use tables::CampaignRun;

use crate::error::Error;
use lab::campaign;
use lab::ending;
use report::explain::drawn;
use report::explain::words::explanation;

/// Time limit of a verdict, so that a page does not wait for a hard history.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Returns the cycles of runs, or the reason why there is none: for example, the files of a protocol may have changed.
pub(super) fn of(runs: &[&CampaignRun]) -> Vec<Cycle> {
    let cycle = |run: &&CampaignRun| {
        let (text, picture) = match explained(run) {
            Ok((text, picture)) => (text, Some(picture)),
            Err(what) if run.gem5.is_some() => (format!("Not drawn: {what}"), None),
            Err(what) => (format!("The run could not be reproduced: {what}"), None),
        };
        Cycle { command: run.command.clone(), text, picture }
    };
    runs.par_iter().map(cycle).collect()
}

fn explained(run: &CampaignRun) -> Result<(String, Picture), String> {
    let history = campaign::repeat(run).map_err(|error| Error::from(error).to_string())?;
    if run.trace_hash.as_ref().is_some_and(|hash| *hash != history.digest()) {
        return Err(
            "the run differs now, since rubric or the protocol has another version".to_owned()
        );
    }
    let reads_from =
        ReadsFrom::derive(&history, Ambiguity::RefuseShared).map_err(|twice| twice.to_string())?;
    let options = check::Options { timeout: Some(TIMEOUT), ..check::Options::default() };
    let model = model(run)?;
    match check(&history, &reads_from, model, &options).verdict {
        Verdict::Violation(violation) => Ok((
            explanation(&history, &violation) + &left_over(&history),
            drawn(&history, &reads_from, &violation, format!("Why it violates {model}")),
        )),
        _ => Err("its history was not found to be a violation".to_owned()),
    }
}

/// A note about the requests that were never answered, if there are any.
fn left_over(history: &History) -> String {
    let note = ending::note(history);
    note.map_or(String::new(), |note| format!("  note: {note}\n"))
}

fn model(run: &CampaignRun) -> Result<Model, String> {
    let found = Model::from_name(&run.model, PsoRmw::default());
    found.ok_or_else(|| format!("there is no model {}", run.model))
}
