//! Protocols with every kind of core: runs end, and their histories keep the model of the core and
//! use the freedom that it allows. Every verdict is verified.
//!
//! Each protocol is run only a few times; `RUBRIC_RUNS` sets another number: `RUBRIC_RUNS=2000
//! cargo test -p rubric-simulate --test it models:: -- --nocapture`.

use crate::stress;
use certify::certificate::{self, Claim};
use certify::verify;
use check::engine::steps::steps;
use check::{Model, Options, Verdict, check};
use history::{Ambiguity, History, ReadsFrom};
use memory::models;
use simulate::client::Client;
use simulate::simulation::Simulation;
use slicc::protocol::Protocol;

/// Number of runs of a protocol, unless the environment sets another.
const RUNS: u64 = 128;

/// Histories with more operations are not checked against models that they may violate, since
/// finding the smallest proof takes long.
const LARGE: usize = 1500;

/// Whether a history satisfies a model, by a certificate that was verified.
fn satisfies(history: &History, model: Model, about: &dyn Fn() -> String) -> bool {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse);
    let reads_from = reads_from.unwrap_or_else(|error| panic!("{}: {error:?}", about()));
    let verdict = check(history, &reads_from, model, &Options::default()).verdict;
    let claim = Claim::new(history, model, "");
    let mut file = Vec::new();
    match &verdict {
        Verdict::Consistent(run) => {
            certificate::write_consistent(&mut file, history, &claim, &[], run).unwrap();
        }
        Verdict::Violation(violation) => {
            let proof = steps(history, violation);
            certificate::write_violation(&mut file, &claim, &proof).unwrap();
        }
        other => panic!("{}: {model}: {other:?}", about()),
    }
    let certificate = certificate::read(file.as_slice()).unwrap();
    match (verdict, verify::verify(history, &certificate)) {
        (Verdict::Consistent(_), Ok(verify::Verified::Consistent { .. })) => true,
        (Verdict::Violation(_), Ok(verify::Verified::Violation { .. })) => false,
        (_, verified) => panic!("{}: {model}: {verified:?}", about()),
    }
}

/// The model that a client keeps, and the next stronger one.
fn models_of(client: Client) -> (Model, Option<Model>) {
    let model = client.model();
    let mut stronger = models::usual().filter(|&other| other != model && model.includes(other));
    (model, stronger.next_back())
}

/// The results of the runs of one client.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    runs: u64,
    operations: u64,
    /// The runs that were checked against the stronger model, and those that violate it.
    compared: u64,
    freer: u64,
}

fn examine(protocol: &Protocol, simulation: &Simulation, counts: &mut Counts) {
    let run = stress::run(protocol, simulation);
    let about = || format!("{}: {simulation:?}", protocol.name());
    let history = run.history();
    let history = history.unwrap_or_else(|error| panic!("{}: {error:?}", about()));
    let (kept, stronger) = models_of(simulation.client);
    let keeps = satisfies(&history, kept, &about);
    assert!(keeps, "{}: not {kept}", about());
    counts.runs += 1;
    counts.operations += history.len() as u64;
    if let Some(stronger) = stronger
        && history.len() <= LARGE
    {
        counts.compared += 1;
        counts.freer += u64::from(!satisfies(&history, stronger, &about));
    }
}

/// All clients keep their models on a protocol.
fn hold(name: &str) {
    let protocol = stress::open(name);
    let asked = std::env::var("RUBRIC_RUNS").ok();
    let runs = asked.and_then(|runs| runs.parse().ok());
    let mut counts = [Counts::default(); stress::CLIENTS.len()];
    for number in 0..runs.unwrap_or(RUNS) {
        // Other runs than those of the standard stress run.
        let simulation = stress::simulation(&protocol, stress::STANDARD + number);
        let at = (number % counts.len() as u64) as usize;
        examine(&protocol, &simulation, &mut counts[at]);
    }
    for (client, counts) in stress::CLIENTS.iter().zip(&counts) {
        println!("{name} {client}: {counts:?}");
        let is_free = models_of(*client).1.is_none() || counts.freer > 0;
        assert!(is_free, "{name}: {client} never uses its freedom");
    }
}

#[test]
fn mi_example() {
    hold("MI_example");
}

#[test]
fn mesi_two_level() {
    hold("MESI_Two_Level");
}

#[test]
fn moesi_hammer() {
    hold("MOESI_hammer");
}

#[test]
fn moesi_amd_base() {
    hold("MOESI_AMD_Base");
}
