//! No run takes an entry of the table that `slicc::reachable` excludes, of protocols as they are and with faults.

use std::collections::BTreeMap;
use std::path::Path;

use crate::stress;
use mutate::named;
use mutate::repair::all_that_fit;
use simulate::client::Client;
use simulate::config::{Systems, handled};
use simulate::program::Extras;
use simulate::recipe::{Lineage, Recipe};
use simulate::simulation::{Run, Simulation};
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;
use slicc::reachable::{World, reachable};

/// Number of runs of a protocol.
const RUNS: u64 = 60;

/// Number of runs of a protocol with a fault.
const RUNS_WITH_FAULT: u64 = 8;

/// One of the runs of a protocol: every other one has all kinds of requests that the protocol handles.
fn simulation(protocol: &Protocol, number: u64) -> Simulation {
    let client = stress::CLIENTS[(number % stress::CLIENTS.len() as u64) as usize];
    let all = Extras { partial: 20, functional: 5, suppressed: 100, ..handled(protocol) };
    let extras = if number.is_multiple_of(2) { Extras::default() } else { all };
    let extras = if simulate::config::unhandled(protocol, extras).is_some() {
        handled(protocol)
    } else {
        extras
    };
    Recipe::of(&Lineage::root(number).with_extras(extras)).simulation(protocol, client)
}

/// The entries that a run took, or that it stalled.
fn entries(run: &Run) -> impl Iterator<Item = TableEntry> {
    let all = run.coverage().into_iter().chain(run.stalls()).filter(|row| row.count > 0);
    let all: Vec<_> = all.map(|row| TableEntry::new(row.machine, row.state, row.event)).collect();
    all.into_iter()
}

/// Runs a protocol, whether or not it fails, and expects no entry that is excluded for any system, or for these.
fn check(protocol: &Protocol, runs: impl Iterator<Item = Simulation>) {
    let mut systems = Systems::default();
    let mut taken = BTreeMap::new();
    for simulation in runs {
        let Ok(plan) = simulation.plan(protocol) else { continue };
        systems.add(protocol, &plan, simulation.shape.extras);
        let Ok(run) = simulation.run(protocol, &plan, None) else { continue };
        for entry in entries(&run) {
            taken.entry(entry).or_insert_with(|| format!("{simulation:?}"));
        }
    }
    assert!(taken.len() > 10, "{}: only {} entries", protocol.title(), taken.len());
    for found in [reachable(protocol, &World::any()), systems.reachable(protocol)] {
        for (entry, run) in &taken {
            let why = found.why_not(entry).map(ToString::to_string);
            assert_eq!(why, None, "{}: {entry} is taken by {run}", protocol.title());
        }
    }
}

fn check_runs(protocol: &Protocol, count: u64) {
    check(protocol, (0..count).map(|number| simulation(protocol, number)));
}

#[test]
fn runs_take_no_excluded_entry() {
    for one in slicc::builtin::BUILTINS {
        check_runs(&stress::open(one.name), RUNS);
    }
}

/// A fault makes other messages and states come up, so what is excluded changes.
#[test]
fn runs_with_faults_take_no_excluded_entry() {
    for one in slicc::builtin::BUILTINS {
        let protocol = stress::open(one.name);
        let mutants = named::all().filter(|mutant| mutant.protocol == one.name);
        for mutant in mutants.step_by(6) {
            if let Ok(faulty) = protocol.with(&mutant) {
                check_runs(&faulty, RUNS_WITH_FAULT);
            }
        }
    }
}

/// gem5's protocols, in `src/mem/ruby/protocol`.
pub(crate) const RELEASED: [&str; 10] = [
    "MI_example",
    "MESI_Two_Level",
    "MESI_Three_Level",
    "MESI_Three_Level_HTM",
    "MOESI_CMP_directory",
    "MOESI_CMP_token",
    "MOESI_hammer",
    "MOESI_AMD_Base",
    "GPU_VIPER",
    "chi/CHI",
];

/// `RUBRIC_GEM5=path/to/gem5 cargo test -p rubric-simulate --test it unreachable:: -- --ignored`
#[test]
#[ignore = "needs gem5's files: RUBRIC_GEM5=path/to/gem5"]
fn runs_of_released_protocols_take_no_excluded_entry() {
    let Some(root) = std::env::var_os("RUBRIC_GEM5") else { return };
    for name in RELEASED {
        let path = Path::new(&root).join(format!("src/mem/ruby/protocol/{name}.slicc"));
        let protocol = Protocol::open(&path.display().to_string()).expect("it loads");
        check_runs(&protocol, RUNS);
        check_runs(&all_that_fit(&protocol).protocol, RUNS);
    }
}

/// Without requests of some types, the entries that need them are excluded, and the reason says so.
#[test]
fn what_needs_flushes_or_devices_is_excluded_without_them() {
    let protocol = stress::open("MOESI_hammer");
    let without = |extras: Extras| {
        let simulation = Recipe::of(&Lineage::root(1).with_extras(extras))
            .simulation(&protocol, Client::IN_ORDER);
        let plan = simulation.plan(&protocol).unwrap();
        let mut systems = Systems::default();
        systems.add(&protocol, &plan, extras);
        systems.reachable(&protocol)
    };
    let flush = TableEntry::new("L1Cache", "I", "Flush_line");
    let found = without(Extras::default());
    let why = found.why_not(&flush).expect("no core flushes").to_string();
    assert_eq!(why, "needs requests of type FLUSH, which no core or device here makes");
    let found = without(Extras { flushes: 10, ..Extras::default() });
    assert_eq!(found.why_not(&flush), None);
}
