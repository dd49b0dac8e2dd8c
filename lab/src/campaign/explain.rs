//! Which alarms of unmutated protocols are known faults of gem5's released ones.
//!
//! Of the alarms of a kind, that with the shortest run is tried: it is known if its program, and variations of it, are clean with the
//! repairs. So the cost stays small, and the result depends on nothing but the runs.

use std::collections::{BTreeMap, BTreeSet};

use simulate::recipe::Recipe;
use simulate::simulation::Simulation;
use tables::{CampaignRun, RunOutcome};

use super::Options;
use crate::error::Error;
use crate::protocols::Opened;
use crate::testing::{Explainer, FindingKind, MOST_KINDS, MOST_TRANSITIONS, Signature};

/// What alarms of one kind have in common, as far as the rows show it.
type Kind = (String, Option<String>, Option<String>, bool);

/// Fills in the column `known` of the runs that are tried: the names of the repairs that explain the alarm, or `none`.
///
/// # Errors
/// A run cannot be repeated, or a certificate is wrong.
pub fn explain(
    opened: &[Opened],
    options: &Options,
    runs: &mut [CampaignRun],
) -> Result<(), Error> {
    for one in opened {
        if let Some(explainer) = Explainer::new(one, options.for_checking())? {
            explain_protocol(one, &explainer, options, runs)?;
        }
    }
    Ok(())
}

fn explain_protocol(
    opened: &Opened,
    explainer: &Explainer<'_>,
    options: &Options,
    runs: &mut [CampaignRun],
) -> Result<(), Error> {
    let mut done: BTreeSet<Signature> = BTreeSet::new();
    for at in representatives(opened, runs) {
        let simulation = simulation(opened, options, &runs[at])?;
        let signatures = explainer.signatures(&simulation)?;
        let Some(signature) = signatures.into_iter().find(|one| one.kind != FindingKind::Warning)
        else {
            continue;
        };
        if done.insert(signature.clone()) {
            let known = explainer.explain(&simulation, &signature)?;
            let repairs = known.map_or("none".to_owned(), |known| known.repairs.join(","));
            runs[at].known = Some(repairs);
        }
    }
    Ok(())
}

/// The shortest run of each kind of alarm of a protocol.
fn representatives(opened: &Opened, runs: &[CampaignRun]) -> Vec<usize> {
    let mut shortest: BTreeMap<Kind, usize> = BTreeMap::new();
    let is_own = |run: &CampaignRun| run.mutant.is_none() && run.protocol == opened.given;
    let alarms = runs.iter().enumerate().filter(|(_, run)| is_own(run) && is_alarm(run));
    for (at, run) in alarms.filter(|(_, run)| run.transitions <= MOST_TRANSITIONS) {
        let best = shortest.entry(kind(run)).or_insert(at);
        if run.transitions < runs[*best].transitions {
            *best = at;
        }
    }
    let mut found: Vec<usize> = shortest.into_values().collect();
    found.sort_unstable();
    found.truncate(MOST_KINDS);
    found
}

fn is_alarm(run: &CampaignRun) -> bool {
    match run.outcome {
        RunOutcome::Violation | RunOutcome::ProtocolError | RunOutcome::Deadlock => true,
        RunOutcome::Clean | RunOutcome::Undecided => false,
    }
}

fn kind(run: &CampaignRun) -> Kind {
    let message = run.message.as_deref().map(without_numbers);
    let loads_early = run.client.starts_with("early");
    (run.outcome.name().to_owned(), run.fault.clone(), message, loads_early)
}

/// A message without the words that differ from run to run: numbers and addresses.
fn without_numbers(message: &str) -> String {
    let words = message.split_whitespace();
    let kept = words.filter(|word| !word.starts_with(|first: char| first.is_ascii_digit()));
    kept.collect::<Vec<_>>().join(" ")
}

/// The simulation of a row.
fn simulation(opened: &Opened, options: &Options, run: &CampaignRun) -> Result<Simulation, Error> {
    let failed = Error::run(&opened.given);
    let client = run.client.parse().map_err(&failed)?;
    let lineage = run.lineage.parse().map_err(Error::run(&opened.given))?;
    let mut simulation = Recipe::of(&lineage).simulation(&opened.protocol, client);
    simulation.options.strict = options.strict;
    Ok(simulation)
}
