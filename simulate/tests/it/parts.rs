//! Accesses to parts of words: runs of every protocol and kind of core keep the model of the core, and traces show the
//! accesses with their sizes.

use std::collections::BTreeSet;

use history::{Kind, Source};
use memory::Model;
use simulate::client::Client;
use simulate::program::{Extras, Operation, Program};
use simulate::recipe::{Lineage, Recipe};
use simulate::simulation::Simulation;
use slicc::protocol::Protocol;

use crate::outcome::{effect, traced};
use crate::stress;

const PROTOCOLS: [&str; 4] = ["MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"];
/// Number of runs of each protocol and kind of core.
const RUNS: u64 = 4;

fn recipe(protocol: &Protocol, client: Client, seed: u64, extras: Extras) -> Simulation {
    let mut simulation =
        Recipe::of(&Lineage::root(seed).with_extras(extras)).simulation(protocol, client);
    simulation.shape.operations = simulation.shape.operations.min(100);
    simulation
}

fn clients() -> impl Iterator<Item = Client> {
    let weak = [Model::RVWMO, Model::ARMV8, Model::WMO].map(|model| Client::out_of_order(model, 8));
    stress::CLIENTS.into_iter().chain(weak)
}

#[test]
fn accesses_to_parts_keep_every_model() {
    for protocol in PROTOCOLS.map(stress::open) {
        for client in clients() {
            for seed in 0..RUNS {
                let devices = seed as u32 % 2;
                let extras = Extras { partial: 60, devices, ..Extras::default() };
                let shown = effect(&protocol, &recipe(&protocol, client, seed, extras));
                assert_eq!(shown, None, "{} {client} {seed}", protocol.name());
            }
        }
    }
}

/// The trace of a run shows the same history as its records, in the lines of clients and in Ruby's own.
#[test]
fn traces_show_accesses_with_their_sizes() {
    let protocol = stress::open("MESI_Two_Level");
    let mut sources = BTreeSet::new();
    for client in stress::CLIENTS {
        for (seed, options) in
            ["", "--dma 1", "--rmws 20 --linked 50", "--fetches 20"].iter().enumerate()
        {
            let options = format!("--per-line 4 --partial 70 --seed {seed} {options}");
            let simulation = stress::simulation_of(&options, client);
            let (trace, run) = traced(&protocol, &simulation);
            let history = run.history().unwrap();
            sources.insert(format!("{:?}", history.provenance.source));
            let options = ingest::Options { fetches: true, ..ingest::Options::default() };
            let read = ingest::read(&trace[..], "trace", &options).unwrap();
            let read = &read.histories[0];
            assert!(history.provenance.split && read.provenance.split, "{client} {options:?}");
            assert_eq!(read.provenance.sizes, history.provenance.sizes);
            assert_eq!(read.digest(), history.digest(), "{client} {seed}");
        }
    }
    let both = [Source::Client, Source::Ruby].map(|source| format!("{source:?}"));
    assert_eq!(sources.into_iter().collect::<Vec<_>>(), both);
}

/// A buffer serves loads of bytes that one store covers; others wait until memory has performed the store.
#[test]
fn buffers_serve_loads_of_what_a_store_covers() {
    let protocol = stress::open("MI_example");
    let options = "--threads 1 --locations 1 --operations 400 --partial 100 --think 0";
    let simulation = stress::simulation_of(options, Client::store_buffer(8));
    let (trace, run) = traced(&protocol, &simulation);
    assert!(run.fault.is_none());
    let text = String::from_utf8(trace).unwrap();
    let forwarded: Vec<&str> = text.lines().filter(|line| line.ends_with(" forwarded")).collect();
    let sizes = ["1", "2", "4", "8"].map(|size| format!(" size {size} forwarded"));
    let counts = sizes.map(|size| forwarded.iter().filter(|line| line.ends_with(&size)).count());
    assert!(counts[0] > counts[3] && counts.iter().all(|&count| count > 0), "{counts:?}");
    let loads = text.lines().filter(|line| line.contains(" load ")).count();
    assert!(forwarded.len() * 10 < loads * 9, "{} of {loads}", forwarded.len());
}

/// A protocol that writes whole blocks loses what others wrote to the rest of the word.
#[test]
fn stores_do_not_touch_the_bytes_beside_them() {
    let protocol = stress::open("MI_example");
    let simulation = stress::simulation_of("--partial 100 --threads 3", Client::IN_ORDER);
    let program = Program::random(&simulation.shape);
    let bytes = |step: &simulate::program::Step| match step.operation {
        Operation::Store(bytes, _) => Some(bytes),
        _ => None,
    };
    let stores: Vec<_> = program.threads.iter().flatten().filter_map(bytes).collect();
    let cut = stores.iter().filter(|one| {
        stores
            .iter()
            .any(|other| one.overlaps(*other) && !one.covers(*other) && !other.covers(**one))
    });
    assert!(cut.count() > 20);
    let (_, run) = traced(&protocol, &simulation);
    let history = run.history().unwrap();
    let single = history.locations().iter().filter(|location| location.size == Some(1)).count();
    assert!(single > 40, "{single}");
    let writes = history.ops().filter(|&op| history.kind(op) == Kind::Store);
    assert!(writes.count() > 2 * stores.len());
}
