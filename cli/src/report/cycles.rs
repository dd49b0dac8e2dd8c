//! Why runs of a campaign are violations: they are run again, and what `check` prints and `explain` draws is taken.

use std::time::Duration;

use check::{Model, Verdict, check};
use history::{Ambiguity, History, ReadsFrom};
use rayon::prelude::*;
use report::page::Cycle;
use report::picture::Picture;
use simulate::client::Client;
use simulate::recipe::{Lineage, Recipe};
use tables::CampaignRun;

use crate::check::text::explanation;
use crate::ending;
use crate::explain::drawn;
use crate::simulate::MODELS;
use crate::simulate::protocols::Opened;

/// How long a verdict may take. A page must not wait for what is hard.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The cycles of runs, or why there is none: the files of a protocol may be others by now, or gone.
pub fn of(runs: &[&CampaignRun]) -> Vec<Cycle> {
    let cycle = |run: &&CampaignRun| {
        let (text, picture) = match explained(run) {
            Ok((text, picture)) => (text, Some(picture)),
            Err(what) => (format!("The run could not be repeated: {what}"), None),
        };
        Cycle {
            command: run.command.clone(),
            text,
            picture,
        }
    };
    runs.par_iter().map(cycle).collect()
}

fn explained(run: &CampaignRun) -> Result<(String, Picture), String> {
    let history = repeated(run)?;
    if run
        .trace_hash
        .as_ref()
        .is_some_and(|hash| *hash != history.digest())
    {
        return Err(
            "it is another one now, of another version of rubric or of the protocol".to_owned(),
        );
    }
    let reads_from =
        ReadsFrom::derive(&history, Ambiguity::RefuseShared).map_err(|twice| twice.to_string())?;
    let options = check::Options {
        timeout: Some(TIMEOUT),
        ..check::Options::default()
    };
    let model = model(run)?;
    match check(&history, &reads_from, model, &options).verdict {
        Verdict::Violation(violation) => Ok((
            explanation(&history, &violation) + &left_over(&history),
            drawn(
                &history,
                &reads_from,
                &violation,
                format!("Why it violates {model}"),
            ),
        )),
        _ => Err("its history was not found to be a violation".to_owned()),
    }
}

/// That requests were never answered, if the run left some.
fn left_over(history: &History) -> String {
    let note = ending::note(history);
    note.map_or(String::new(), |note| format!("  note: {note}\n"))
}

/// The history of a run, from its lineage.
fn repeated(run: &CampaignRun) -> Result<History, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let opened = Opened::new(&run.protocol, run.mutant.as_deref()).map_err(|error| text(&error))?;
    let client: Client = run.client.parse().map_err(|error| text(&error))?;
    let lineage: Lineage = run.lineage.parse().map_err(|error| text(&error))?;
    let simulation = Recipe::of(&lineage).simulation(&opened.protocol, client);
    let plan = opened.plan(&simulation).map_err(|error| text(&error))?;
    let run = simulation.run(&opened.protocol, &plan, None);
    let run = run.map_err(|error| text(&error))?;
    run.history().map_err(|error| text(&error))
}

fn model(run: &CampaignRun) -> Result<Model, String> {
    let found = MODELS.into_iter().find(|model| model.name() == run.model);
    found.ok_or_else(|| format!("there is no model {}", run.model))
}
