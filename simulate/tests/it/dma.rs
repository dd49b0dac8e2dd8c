//! DMA devices: their accesses are threads of the history, and protocols serve them correctly.

use crate::outcome::{effect, traced};
use crate::stress;
use mutate::named;
use simulate::client::Client;
use simulate::config::has_dma;
use simulate::program::Extras;
use simulate::recipe::{Lineage, Recipe};
use simulate::simulation::Simulation;
use slicc::protocol::Protocol;

/// The built-in protocols with DMA controllers.
const PROTOCOLS: [&str; 3] = ["MI_example", "MESI_Two_Level", "MOESI_hammer"];

/// Number of runs of each protocol and kind of core.
const RUNS: u64 = 12;

fn recipe(protocol: &Protocol, client: Client, seed: u64, devices: u32) -> Simulation {
    let lineage = Lineage::root(seed).with_extras(Extras { devices, ..Extras::default() });
    Recipe::of(&lineage).simulation(protocol, client)
}

#[test]
fn devices_and_cores_agree_on_memory() {
    for protocol in PROTOCOLS.map(stress::open) {
        for client in stress::CLIENTS {
            for seed in 0..RUNS {
                let simulation = recipe(&protocol, client, seed, 1 + seed as u32 % 3);
                let shown = effect(&protocol, &simulation);
                assert_eq!(shown, None, "{} {client} {seed}", protocol.name());
            }
        }
    }
}

#[test]
fn the_transitions_of_dma_are_reached() {
    for protocol in PROTOCOLS.map(stress::open) {
        let simulation = recipe(&protocol, Client::IN_ORDER, 1, 2);
        let plan = simulation.plan(&protocol).unwrap();
        let run = simulation.run(&protocol, &plan, None).unwrap();
        let taken = |event: &str| {
            let mut rows = run.coverage().into_iter();
            rows.any(|row| row.machine == "DMA" && row.event == event)
        };
        for event in ["ReadRequest", "WriteRequest", "Data", "Ack"] {
            assert!(taken(event), "{} {event}", protocol.name());
        }
    }
}

/// The trace of a run shows the same history as its records, devices included.
#[test]
fn devices_are_threads_after_those_of_the_cores() {
    let protocol = stress::open("MESI_Two_Level");
    let simulation = stress::simulation_of("--threads 3 --dma 2 --operations 40", Client::IN_ORDER);
    let (trace, run) = traced(&protocol, &simulation);
    let history = run.history().unwrap();
    let labels: Vec<String> = history.threads().iter().map(|one| one.label.to_string()).collect();
    assert_eq!(labels, ["0", "1", "2", "3", "4"]);
    let text = String::from_utf8(trace).unwrap();
    let lines = |thread: usize| text.matches(&format!("cpu{thread}: T{thread} op ")).count();
    let operations: Vec<usize> = (0..5).map(lines).collect();
    assert_eq!(operations[..3], [40; 3]);
    assert!(operations[3] > 80 && operations[4] > 80, "words of ranges: {operations:?}");
    assert_eq!(history.operations(), operations.iter().sum::<usize>());
}

#[test]
fn a_write_that_loses_the_owners_block_is_a_violation() {
    let mutant = named::find("mi-dir-dmawrite-clobbers-line").unwrap();
    let original = stress::open(&mutant.protocol);
    let mutated = original.with(&mutant).unwrap();
    let shows = |devices: u32| {
        let runs = (0..RUNS).map(|seed| recipe(&mutated, Client::IN_ORDER, seed, devices));
        runs.filter_map(|simulation| effect(&mutated, &simulation)).next()
    };
    assert_eq!(shows(1).as_deref(), Some("SC violation"));
    assert_eq!(shows(0), None);
}

#[test]
fn protocols_without_dma_controllers_refuse_devices_and_recipes_leave_them_out() {
    let protocol = stress::open("MOESI_AMD_Base");
    assert!(!has_dma(&protocol));
    let asked = stress::simulation_of("--dma 1", Client::IN_ORDER);
    let errors = asked.plan(&protocol).unwrap_err();
    assert!(errors[0].message.contains("DMASequencer"), "{}", errors[0].message);
    let drawn = recipe(&protocol, Client::IN_ORDER, 3, 2);
    assert_eq!(drawn.shape.extras, Extras::default());
    assert_eq!(effect(&protocol, &drawn), None);
}

/// Devices do not change what the cores do.
#[test]
fn devices_leave_the_programs_of_cores_as_they_are() {
    use simulate::program::Program;
    let protocol = stress::open("MI_example");
    let program = |devices| Program::random(&recipe(&protocol, Client::IN_ORDER, 5, devices).shape);
    assert_eq!(program(0).threads, program(2).threads);
    assert_eq!(program(2).devices.len(), 2);
    assert_eq!(program(1).devices[0], program(2).devices[0]);
}
