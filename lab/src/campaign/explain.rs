//! Determines which alarms of unmutated protocols are known faults of gem5's released protocols.
//!
//! Of the alarms of a kind, that with the shortest run is tried: it is known if its program, and variations of it, are clean with the
//! repairs. So the cost stays small, and the result depends on nothing but the runs.
//!
//! A binary of gem5 cannot be repaired. An alarm in gem5 is known if rubric's simulator reproduces it with the program of one of the
//! shortest runs, or a variation of it, on the same caches, and if repairs explain it there. If the simulator does not reproduce it, the
//! column `known` stays empty.

use std::collections::{BTreeMap, BTreeSet};

use memory::{Model, models};
use simulate::client::Client;
use simulate::recipe::{Lineage, Recipe};
use simulate::simulation::Simulation;
use tables::{CampaignRun, Finding, RunOutcome};

use super::Options;
use crate::error::Error;
use crate::gem5::System;
use crate::protocols::Opened;
use crate::testing::{Explainer, FindingKind, MOST_KINDS, MOST_TRANSITIONS, Signature, VARIATIONS};

/// The kind of an alarm: its outcome, its fault, its message without numbers, and whether the cores load early.
type Kind = (String, Option<String>, Option<String>, bool);

/// Fills in the column `known` of the runs that are tried: the names of the repairs that explain the alarm, or `none`.
///
/// # Errors
/// Fails if a run cannot be repeated, or if a certificate is wrong.
pub(super) fn explain(
    opened: &[Opened],
    options: &Options,
    runs: &mut [CampaignRun],
) -> Result<(), Error> {
    for one in opened {
        if let Some(explainer) = Explainer::new(one, options.for_checking()) {
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
            runs[at].known = Some(repairs(explainer, &simulation, &signature)?);
        }
    }
    Ok(())
}

/// The names of the repairs with which a simulation no longer shows what it has shown, separated by commas; `none` if there are no such
/// repairs.
fn repairs(
    explainer: &Explainer<'_>,
    simulation: &Simulation,
    signature: &Signature,
) -> Result<String, Error> {
    let known = explainer.explain(simulation, signature)?;
    Ok(known.map_or("none".to_owned(), |known| known.repairs.join(",")))
}

/// Fills in the column `known` of runs in gem5 as [`explain`] does, if rubric's simulator reproduces the alarm.
///
/// # Errors
/// Fails if a run cannot be made, or if a certificate is wrong.
pub(super) fn explain_in_gem5(
    opened: &[Opened],
    options: &Options,
    runs: &mut [CampaignRun],
) -> Result<(), Error> {
    for one in opened {
        let Some(explainer) = Explainer::new(one, options.for_checking()) else { continue };
        for kind in kinds(one, runs) {
            for at in kind.into_iter().take(MOST_REPEATED) {
                if let Some((simulation, signature)) = repeated(one, &explainer, &runs[at])? {
                    runs[at].known = Some(repairs(&explainer, &simulation, &signature)?);
                    break;
                }
            }
        }
    }
    Ok(())
}

/// The number of runs of a kind in gem5 that rubric's simulator tries to repeat.
const MOST_REPEATED: usize = 8;

/// A simulation that reproduces the alarm of a run in gem5, and its signature; none if neither the same program nor its variations
/// reproduce it.
fn repeated(
    opened: &Opened,
    explainer: &Explainer<'_>,
    run: &CampaignRun,
) -> Result<Option<(Simulation, Signature)>, Error> {
    let client = run.client.parse().map_err(Error::run(&opened.given))?;
    let lineage: Lineage = run.lineage.parse().map_err(Error::run(&opened.given))?;
    let system = System::of(&lineage, &opened.protocol).with_cores(run.threads);
    let recipe = Recipe::of(&lineage).simulation(&opened.protocol, client);
    let options =
        simulate::config::Options { settings: recipe.options.settings, ..system.options() };
    let simulation = Simulation { options, ..recipe };
    let varied = (0..VARIATIONS).map(|seed| simulation.vary(seed));
    for simulation in std::iter::once(simulation.clone()).chain(varied) {
        let mut signatures = explainer.signatures(&simulation)?.into_iter();
        if let Some(signature) = signatures.find(|one| is_shown(run, client, one)) {
            return Ok(Some((simulation, signature)));
        }
    }
    Ok(None)
}

/// Whether a run in gem5 shows a finding, as far as its row contains that.
fn is_shown(run: &CampaignRun, client: Client, signature: &Signature) -> bool {
    match run.outcome {
        RunOutcome::Deadlock => signature.kind == FindingKind::Deadlock,
        RunOutcome::Violation => {
            let is_violated = |model: &Model| {
                let checked = run.checked(model.name());
                checked.is_some_and(|checked| checked.finding == Some(Finding::Violation))
            };
            let violated: Vec<Model> = models::ALL.iter().copied().filter(is_violated).collect();
            Signature::of_violations(&violated, client).as_ref() == Some(signature)
        }
        RunOutcome::ProtocolError => {
            let message = run.message.as_deref().unwrap_or_default();
            signature.kind == FindingKind::UndefinedTransition
                && is_about(message, &signature.place)
        }
        RunOutcome::Clean | RunOutcome::Undecided => false,
    }
}

/// Whether gem5's message, as rows have it, is about the undefined transition `Machine (state, event)`. A message that names the
/// controller by its object, such as `system.cpu0.l1d`, does not show the machine, so that state and event decide.
fn is_about(message: &str, place: &str) -> bool {
    let machine_and_controller = || {
        let (machine, transition) = place.split_once(" (")?;
        let (state, event) = transition.strip_suffix(')')?.split_once(", ")?;
        let (before, _) = message.split_once(&format!(", state {state}, event {event}, "))?;
        Some((machine, before.rsplit(": ").next()?))
    };
    machine_and_controller().is_some_and(|(machine, controller)| {
        // `L1Cache 3` is the controller of number 3.
        let name = controller.rsplit_once(' ').map_or(controller, |(name, _)| name);
        name == machine || name.contains('.')
    })
}

/// The shortest run of each kind of alarm of a protocol.
fn representatives(opened: &Opened, runs: &[CampaignRun]) -> Vec<usize> {
    let mut found: Vec<usize> = kinds(opened, runs).into_iter().map(|kind| kind[0]).collect();
    found.sort_unstable();
    found
}

/// The runs of each kind of alarm of a protocol, the shortest first.
fn kinds(opened: &Opened, runs: &[CampaignRun]) -> Vec<Vec<usize>> {
    let mut kinds: BTreeMap<Kind, Vec<usize>> = BTreeMap::new();
    let is_own = |run: &CampaignRun| run.mutant.is_none() && run.protocol == opened.given;
    let alarms = runs.iter().enumerate().filter(|(_, run)| is_own(run) && is_alarm(run));
    for (at, run) in alarms.filter(|(_, run)| run.transitions <= MOST_TRANSITIONS) {
        kinds.entry(kind(run)).or_default().push(at);
    }
    let mut found: Vec<Vec<usize>> = kinds.into_values().collect();
    found.iter_mut().for_each(|kind| kind.sort_by_key(|at| length(&runs[*at])));
    found.sort_by_key(|kind| kind[0]);
    found.truncate(MOST_KINDS);
    found
}

/// The length of a run. Rows of runs in gem5 do not say how many transitions there were.
fn length(run: &CampaignRun) -> (u64, u32) {
    (run.transitions, run.operations)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn run(outcome: RunOutcome, message: &str) -> CampaignRun {
        CampaignRun { outcome, message: Some(message.to_owned()), ..CampaignRun::default() }
    }

    fn signature(kind: FindingKind, place: &str) -> Signature {
        Signature { kind, place: place.to_owned() }
    }

    #[test]
    fn what_gem5_says_is_what_the_simulator_shows() {
        let undefined = run(
            RunOutcome::ProtocolError,
            "invalid transition: L1Cache 3, state IS, event Store, address 0x1000, tick 90",
        );
        let is_it = |run: &CampaignRun, kind, place| {
            is_shown(run, Client::IN_ORDER, &signature(kind, place))
        };
        assert!(is_it(&undefined, FindingKind::UndefinedTransition, "L1Cache (IS, Store)"));
        assert!(!is_it(&undefined, FindingKind::UndefinedTransition, "L1Cache (S, Store)"));
        assert!(!is_it(&undefined, FindingKind::UndefinedTransition, "L2Cache (IS, Store)"));
        let unnamed = run(
            RunOutcome::ProtocolError,
            "invalid transition: system.cpu0.l1d, state IS, event Store, address 0x1000, cycle 9",
        );
        assert!(is_it(&unnamed, FindingKind::UndefinedTransition, "Cache (IS, Store)"));
        assert!(!is_it(&undefined, FindingKind::Deadlock, ""));
        let stuck = run(RunOutcome::Deadlock, "deadlock: address 0x1000");
        assert!(is_it(&stuck, FindingKind::Deadlock, ""));
        let mut violation = run(RunOutcome::Violation, "");
        violation.checked_mut("sc").unwrap().finding = Some(Finding::Violation);
        let expected = Signature::of_violation(Model::SC, Client::IN_ORDER);
        assert!(is_shown(&violation, Client::IN_ORDER, &expected));
        assert!(!is_shown(&violation, Client::early(8), &expected), "other cores");
    }
}
