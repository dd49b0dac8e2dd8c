//! Requests beside loads, stores and locked or linked accesses: flushes, atomic requests and prefetches.

use std::path::Path;

use crate::outcome::{effect, traced};
use crate::stress;
use history::Kind;
use mutate::repair::all_that_fit;
use simulate::client::Client;
use simulate::config::takes_flushes;
use simulate::program::Extras;
use simulate::recipe::{Lineage, Recipe};
use simulate::simulation::Simulation;
use slicc::protocol::Protocol;

/// Number of runs of each kind of core.
const RUNS: u64 = 12;

fn recipe(protocol: &Protocol, client: Client, seed: u64, extras: Extras) -> Simulation {
    Recipe::of(&Lineage::root(seed).with_extras(extras)).simulation(protocol, client)
}

fn flushing(flushes: u32) -> Extras {
    Extras { flushes, ..Extras::default() }
}

/// Whether a run takes a transition of an event of the first-level cache.
fn takes(protocol: &Protocol, simulation: &Simulation, event: &str) -> bool {
    let plan = simulation.plan(protocol).unwrap();
    let run = simulation.run(protocol, &plan, None).unwrap();
    let mut rows = run.coverage().into_iter();
    rows.any(|row| row.machine == "L1Cache" && row.event == event)
}

#[test]
fn cores_that_flush_lines_keep_their_models() {
    let protocol = stress::open("MOESI_hammer");
    for client in stress::CLIENTS {
        for seed in 0..RUNS {
            let simulation = recipe(&protocol, client, seed, flushing(20));
            assert_eq!(effect(&protocol, &simulation), None, "{client} {seed}");
        }
    }
}

#[test]
fn a_flush_reaches_the_protocol_and_is_no_operation() {
    let protocol = stress::open("MOESI_hammer");
    let simulation = stress::simulation_of("--operations 40 --flush 50", Client::IN_ORDER);
    assert!(takes(&protocol, &simulation, "Flush_line"));
    let (trace, run) = traced(&protocol, &simulation);
    let history = run.history().unwrap();
    assert_eq!(history.operations(), 160);
    let text = String::from_utf8(trace).unwrap();
    assert!(text.matches("Hit callback for FlushReq").count() > 60);
    // Ruby's lines are enough for a reader, who leaves the flushes out.
    let read = ingest::read(text.as_bytes(), "trace", &ingest::Options::default()).unwrap();
    assert_eq!(read.histories[0].digest(), history.digest());
}

#[test]
fn protocols_without_flushes_refuse_them_and_recipes_leave_them_out() {
    let protocol = stress::open("MESI_Two_Level");
    assert!(!takes_flushes(&protocol));
    let asked = stress::simulation_of("--flush 10", Client::IN_ORDER);
    let errors = asked.plan(&protocol).unwrap_err();
    assert!(errors[0].message.contains("RubyRequestType:FLUSH"), "{}", errors[0].message);
    assert_eq!(
        recipe(&protocol, Client::IN_ORDER, 3, flushing(10)).shape.extras,
        Extras::default()
    );
}

#[test]
fn atomic_requests_keep_every_model() {
    for name in ["MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"] {
        let protocol = stress::open(name);
        for client in stress::CLIENTS {
            for seed in 0..RUNS / 2 {
                let extras = Extras { atomics: 60, ..Extras::default() };
                let mut simulation = recipe(&protocol, client, seed, extras);
                simulation.shape.rmws = 30;
                assert_eq!(effect(&protocol, &simulation), None, "{name} {client} {seed}");
            }
        }
    }
}

/// An atomic request that returns the old value is a read-modify-write, one that does not is a store.
#[test]
fn atomic_requests_are_operations_of_the_history() {
    let protocol = stress::open("MI_example");
    let options = "--threads 2 --operations 100 --reads 100 --rmws 50 --atomics 100";
    let simulation = stress::simulation_of(options, Client::IN_ORDER);
    let (trace, run) = traced(&protocol, &simulation);
    let history = run.history().unwrap();
    let count = |kind| history.ops().filter(|&op| history.kind(op) == kind).count();
    let (whole, silent) = (count(Kind::Rmw), count(Kind::Store));
    assert!(whole > 30 && silent > 30 && whole + silent > 80, "{whole} {silent}");
    let text = String::from_utf8(trace).unwrap();
    assert_eq!(text.matches("AMO original data").count(), whole + silent);
    assert_eq!(text.matches("AMO new data").count(), whole + silent);
    let read = ingest::read(text.as_bytes(), "trace", &ingest::Options::default()).unwrap();
    assert_eq!(read.histories[0].digest(), history.digest());
}

#[test]
#[ignore = "needs gem5's files: RUBRIC_GEM5=path/to/gem5"]
fn prefetchers_are_off_unless_a_setting_turns_them_on() {
    let Some(root) = std::env::var_os("RUBRIC_GEM5") else { return };
    let file = Path::new(&root).join("src/mem/ruby/protocol/MESI_Two_Level.slicc");
    let protocol = Protocol::open(file.to_str().unwrap()).expect("it loads");
    let protocol = all_that_fit(&protocol).protocol;
    let options = "--operations 400 --locations 20 --set enable_prefetch=";
    let run = |flag: &str, seed: u64| {
        stress::simulation_of(&format!("{options}{flag} --seed {seed}"), Client::IN_ORDER)
    };
    let prefetches = |flag| {
        let mut runs = (0..RUNS).map(|seed| run(flag, seed));
        runs.any(|simulation| takes(&protocol, &simulation, "PF_Load"))
    };
    assert!(prefetches("true") && !prefetches("false"));
    for seed in 0..RUNS {
        assert_eq!(effect(&protocol, &run("true", seed)), None, "{seed}");
    }
}
