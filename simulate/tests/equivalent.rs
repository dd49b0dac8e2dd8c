//! Mutants that are called equivalent: by hand, and all exchanges, drops and repetitions of actions of
//! the protocols that come with the program, which must not show anything in runs.
//!
//! A few runs of a sample are made here; for all of them, set `RUBRIC_RUNS` to the number of runs of
//! each and have the longer ones made as well:
//! `RUBRIC_RUNS=40 cargo test --release -p simulate --test equivalent -- --ignored --nocapture`.

mod edits;
mod stress;

use std::collections::BTreeMap;

use check::{Model, Options as Asked, PsoRmw, Verdict, check};
use edits::{Edit, Kind, replaced};
use history::{Ambiguity, ReadsFrom};
use simulate::mutant::equivalent::{Reached, Reason, equivalent};
use simulate::mutant::named;
use simulate::mutant::touched::{Place, touched};
use simulate::protocol::Protocol;
use simulate::simulation::Simulation;
use simulate::slicc::builtin::BUILTINS;
use simulate::trace::Output;
use stress::Length;

fn open(name: &str) -> Protocol {
    Protocol::open(name).unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics))
}

/// The trace of a run, and what is wrong with it, if anything.
fn outcome(protocol: &Protocol, simulation: &Simulation) -> (Vec<u8>, Option<String>) {
    let plan = simulation.plan(protocol).unwrap();
    let mut run = simulation
        .run(protocol, &plan, Some(Output::Memory))
        .unwrap();
    let trace = run.finish_trace().unwrap();
    if let Some(fault) = &run.fault {
        return (trace, Some(fault.kind.name().to_owned()));
    }
    let history = run.history().unwrap();
    let model = match simulation.client.model() {
        "sc" => Model::Sc,
        "tso" => Model::Tso,
        _ => Model::Pso(PsoRmw::Own),
    };
    let Ok(reads_from) = ReadsFrom::derive(&history, Ambiguity::Refuse) else {
        return (trace, Some("ambiguous values".to_owned()));
    };
    let verdict = check(&history, &reads_from, model, &Asked::default()).verdict;
    let wrong = match verdict {
        Verdict::Consistent(_) => None,
        Verdict::Violation(_) => Some(format!("{model} violation")),
        other => panic!("{other:?}"),
    };
    (trace, wrong)
}

/// Runs of all clients, from a number on.
fn simulations(first: u64, count: u64) -> impl Iterator<Item = Simulation> {
    let length = Length {
        least: 20,
        most: 60,
    };
    (first..first + count).map(move |number| {
        let client = stress::CLIENTS[(number % stress::CLIENTS.len() as u64) as usize];
        stress::simulation(number, client, length)
    })
}

/// Runs of each mutant in the longer tests.
fn runs(otherwise: u64) -> u64 {
    let asked = std::env::var("RUBRIC_RUNS").ok();
    asked
        .and_then(|runs| runs.parse().ok())
        .unwrap_or(otherwise)
}

/// Nothing must come of a mutant, and where it keeps runs their traces must be the same.
fn shows_nothing(
    original: &Protocol,
    mutated: &Protocol,
    reason: &Reason,
    simulations: impl Iterator<Item = Simulation>,
    about: &str,
) {
    for simulation in simulations {
        let (trace, wrong) = outcome(mutated, &simulation);
        assert_eq!(wrong, None, "{about}: {reason}: {simulation:?}");
        if reason.keeps_runs() {
            let (before, _) = outcome(original, &simulation);
            assert!(trace == before, "{about}: {reason}: {simulation:?}");
        }
    }
}

/// All edits of a protocol, with the mutants and what is said of them.
fn judged(protocol: &Protocol) -> impl Iterator<Item = (Edit, Protocol, Option<Reason>)> {
    edits::all(protocol).into_iter().map(move |edit| {
        let mutated = edit.apply(protocol);
        let reason = equivalent(protocol, &mutated, None);
        (edit, mutated, reason)
    })
}

#[test]
#[ignore = "prints what each exchange of neighbours in MI_example does"]
fn exchanges_in_mi_example() {
    let protocol = open("MI_example");
    for (edit, mutated, reason) in judged(&protocol) {
        if edit.kind != Kind::Swap {
            continue;
        }
        let outcome = match reason {
            Some(reason) => format!("equivalent: {reason}"),
            None => outcomes(&mutated, runs(400)),
        };
        println!("{edit} | {outcome}");
    }
}

/// What comes of runs of a mutant, with how often.
fn outcomes(mutated: &Protocol, runs: u64) -> String {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for simulation in simulations(0, runs) {
        let (_, wrong) = outcome(mutated, &simulation);
        *counts
            .entry(wrong.unwrap_or("clean".to_owned()))
            .or_default() += 1;
    }
    format!("{counts:?}")
}

#[test]
#[ignore = "takes minutes: all edits of all protocols"]
fn no_equivalent_mutant_shows_anything() {
    for one in BUILTINS {
        let protocol = open(one.name);
        let mut counts: BTreeMap<(Kind, &str), usize> = BTreeMap::new();
        let mut first = 0;
        for (edit, mutated, reason) in judged(&protocol) {
            let name = reason.as_ref().map_or("-", Reason::name);
            *counts.entry((edit.kind, name)).or_default() += 1;
            let Some(reason) = reason else { continue };
            let runs = runs(8);
            shows_nothing(
                &protocol,
                &mutated,
                &reason,
                simulations(first, runs),
                &edit.to_string(),
            );
            first += runs;
        }
        println!("{}: {counts:?}", one.name);
    }
}
