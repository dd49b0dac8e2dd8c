//! TLB invalidations and syncs in CHI, whose files are gem5's.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mutate::repair::all_that_fit;
use simulate::client::Client;
use simulate::config::{handled, unhandled};
use simulate::program::Extras;
use simulate::recipe::{Lineage, Recipe};
use slicc::protocol::Protocol;

fn chi() -> Option<Protocol> {
    let root = PathBuf::from(std::env::var_os("RUBRIC_GEM5")?);
    let path = root.join("src/mem/ruby/protocol/chi/CHI.slicc");
    let released = Protocol::open(&path.display().to_string()).expect("CHI loads");
    let repaired = all_that_fit(&released);
    for (left, why) in &repaired.left_out {
        println!("{}: {why:?}", left.name);
    }
    Some(repaired.protocol)
}

#[test]
fn a_protocol_without_such_requests_refuses_them() {
    let protocol = Protocol::open("MI_example").unwrap();
    let asked = Extras { dvm: 10, ..Extras::default() };
    assert_eq!(handled(&protocol).dvm, 0);
    let refused = unhandled(&protocol, asked).unwrap();
    assert!(refused.message.contains("MI_example handles no TLB invalidations"), "{refused:?}");
}

/// Transitions of a MiscNode by whether they are taken, and of the DVM states of caches.
#[test]
#[ignore = "needs gem5's files: RUBRIC_GEM5=path/to/gem5"]
fn chi_completes_invalidations_and_syncs_in_all_programs() {
    let Some(protocol) = chi() else { return };
    assert_eq!(handled(&protocol).dvm, 10);
    let clients = [Client::IN_ORDER, Client::store_buffer(8), Client::early(8)];
    let mut taken: BTreeMap<String, u64> = BTreeMap::new();
    let mut faults: BTreeMap<String, (u64, String)> = BTreeMap::new();
    let programs = std::env::var("RUBRIC_PROGRAMS").map_or(200, |runs| runs.parse().unwrap());
    for seed in 1..=programs {
        let extras = Extras { dvm: 20, ..Extras::default() };
        let lineage = Lineage::root(seed).with_extras(extras);
        let client = clients[seed as usize % 3];
        let simulation = Recipe::of(&lineage).simulation(&protocol, client);
        let plan = simulation.plan(&protocol).unwrap();
        let run = simulation.run(&protocol, &plan, None).unwrap();
        for row in run.coverage() {
            let is_dvm = row.machine == "MiscNode" || (row.state.contains("Dvm") || row.event.contains("Dvm"));
            if is_dvm {
                let name = format!("{} {} {}", row.machine, row.state, row.event);
                *taken.entry(name).or_default() += row.count;
            }
        }
        if let Some(fault) = run.fault {
            let found = faults.entry(fault.message.clone()).or_insert((0, lineage.to_string()));
            found.0 += 1;
            if found.0 == 1 {
                println!("{fault:#?}");
            }
        }
    }
    for (row, count) in &taken {
        println!("{count:>8} {row}");
    }
    println!("{faults:#?}");
    let open: Vec<_> = faults.keys().collect();
    assert!(open.is_empty(), "{open:?}");
}
