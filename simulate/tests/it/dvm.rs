//! TLB invalidations and syncs in CHI, whose files are gem5's.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mutate::repair::{all_that_fit, all_that_fit_but};
use simulate::client::Client;
use simulate::config::{handled, unhandled};
use simulate::program::Extras;
use simulate::recipe::{Lineage, Recipe};
use simulate::simulation::Run;
use slicc::protocol::Protocol;

/// The repairs without which no request about translations completes.
const REPAIRS: [&str; 2] = ["chi-cache-dvm-request-without-id", "chi-mn-never-distributes"];

fn chi() -> Option<Protocol> {
    let root = PathBuf::from(std::env::var_os("RUBRIC_GEM5")?);
    let path = root.join("src/mem/ruby/protocol/chi/CHI.slicc");
    Some(Protocol::open(&path.display().to_string()).expect("CHI loads"))
}

/// A run with requests about translations before a fifth of the operations.
fn run(protocol: &Protocol, seed: u64, settings: &[&str]) -> Run {
    let clients = [Client::IN_ORDER, Client::store_buffer(8), Client::early(8)];
    let extras = Extras { dvm: 20, ..Extras::default() };
    let lineage = Lineage::root(seed).with_extras(extras);
    let mut simulation =
        Recipe::of(&lineage).simulation(protocol, clients[seed as usize % clients.len()]);
    simulation.options.settings.extend(settings.iter().map(|one| one.parse().unwrap()));
    let plan = simulation.plan(protocol).expect("every parameter has a value");
    simulation.run(protocol, &plan, None).expect("the plan fits")
}

/// Whether a row of the tables is about such requests.
fn is_about_translations(machine: &str, state: &str, event: &str) -> bool {
    machine == "MiscNode" || state.contains("Dvm") || event.contains("Dvm")
}

#[test]
fn a_protocol_without_such_requests_refuses_them() {
    let protocol = Protocol::open("MI_example").unwrap();
    let asked = Extras { dvm: 10, ..Extras::default() };
    assert_eq!(handled(&protocol).dvm, 0);
    let refused = unhandled(&protocol, asked).unwrap();
    assert!(refused.message.contains("MI_example handles no TLB invalidations"), "{refused:?}");
}

/// `RUBRIC_GEM5=path/to/gem5 cargo test -p rubric-simulate --test it dvm:: -- --ignored --nocapture` prints the rows.
#[test]
#[ignore = "needs gem5's files: RUBRIC_GEM5=path/to/gem5"]
fn chi_completes_invalidations_and_syncs_in_all_programs() {
    let Some(protocol) = chi() else { return };
    assert_eq!(handled(&protocol).dvm, 10);
    let protocol = all_that_fit(&protocol).protocol;
    let mut taken: BTreeMap<(String, String, String), u64> = BTreeMap::new();
    // The second has so few slots that requests are refused and get credit later, the third confirms invalidations early.
    for (settings, runs) in [
        (&[][..], 200),
        (&["MiscNode.number_of_DVM_TBEs=2"], 60),
        (&["MiscNode.early_nonsync_comp=true"], 60),
    ] {
        for seed in 1..=runs {
            let run = run(&protocol, seed, settings);
            assert!(run.fault.is_none(), "{settings:?}, seed {seed}: {:#?}", run.fault);
            for row in run.coverage() {
                let place = (row.machine.to_owned(), row.state.to_owned(), row.event.to_owned());
                *taken.entry(place).or_default() += row.count;
            }
        }
    }
    let mut left = Vec::new();
    for machine in &protocol.program.machines {
        for row in &machine.transitions {
            let state = &machine.states[usize::from(row.state)];
            let event = &machine.events[usize::from(row.event)];
            if is_about_translations(&machine.name, state, event) {
                let place = (machine.name.to_string(), state.to_string(), event.to_string());
                let count = taken.get(&place).copied().unwrap_or(0);
                println!("{count:>8} {} {state} {event}", machine.name);
                if count == 0 {
                    left.push(format!("{} {state} {event}", machine.name));
                }
            }
        }
    }
    assert_eq!(left, Vec::<String>::new());
}

#[test]
#[ignore = "needs gem5's files: RUBRIC_GEM5=path/to/gem5"]
fn chi_as_released_completes_none() {
    let Some(released) = chi() else { return };
    let message = |protocol: &Protocol| run(protocol, 1, &[]).fault.expect("it fails").message;
    assert!(message(&released).starts_with("assert failure: Cache"));
    let but = |name: &str| all_that_fit_but(&released, &[name.to_owned()].into()).protocol;
    assert!(message(&but(REPAIRS[0])).starts_with("assert failure: Cache"));
    let stuck = message(&but(REPAIRS[1]));
    assert!(stuck.contains("Deadlock") && stuck.contains("nothing is going to happen"), "{stuck}");
}
