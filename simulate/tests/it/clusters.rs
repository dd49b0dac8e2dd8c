//! Clusters of CHI's cores, and drawn policies of its controllers.

use std::path::PathBuf;

use mutate::repair::all_that_fit;
use simulate::client::Client;
use simulate::program::Extras;
use simulate::recipe::{Lineage, Recipe};
use slicc::protocol::Protocol;

const DRAWN: Extras = Extras {
    devices: 0,
    flushes: 0,
    atomics: 0,
    dvm: 0,
    partial: 0,
    functional: 0,
    policies: 4,
    clusters: 1,
    suppressed: 0,
};

#[test]
fn recipes_have_no_clusters_for_other_protocols() {
    let protocol = Protocol::open("MI_example").unwrap();
    let simulation = |extras| {
        let lineage = Lineage::root(5).with_extras(extras);
        Recipe::of(&lineage).simulation(&protocol, Client::IN_ORDER)
    };
    let (plain, drawn) = (simulation(Extras::default()), simulation(DRAWN));
    assert_eq!(plain.options, drawn.options);
    let mut asked = plain;
    asked.options.settings.push("clusters=2:1".parse().unwrap());
    let error = asked.plan(&protocol).unwrap_err();
    assert!(error[0].message.contains("no machine has a parameter clusters"), "{error:?}");
}

/// CHI of gem5's files, with all repairs.
fn chi() -> Option<Protocol> {
    let root = std::env::var_os("RUBRIC_GEM5").map(PathBuf::from)?;
    let path = root.join("src/mem/ruby/protocol/chi/CHI.slicc");
    let protocol = Protocol::open(&path.display().to_string()).expect("CHI loads");
    Some(all_that_fit(&protocol).protocol)
}

/// Programs that were taken for deadlocks since they are slow, and one that finds `chi-cache-stale-copy-back-of-unique-line`.
#[test]
#[ignore = "needs gem5's files: RUBRIC_GEM5=path/to/gem5"]
fn chi_completes_programs_that_are_slow() {
    let Some(protocol) = chi() else { return };
    for (client, lineage) in [
        ("early-8-buffer-8", "302130+dma2+atomics50+partial20+policies3+dvm10+clusters1"),
        ("early-8-buffer-8", "302224+dma2+atomics50+partial20+policies3+dvm10+clusters1"),
        ("per-location-4", "307798+dma2+policies3+dvm20+clusters1"),
        ("early-16", "303994+dma1+atomics100+partial60+policies3+dvm20+clusters1"),
    ] {
        let lineage: Lineage = lineage.parse().unwrap();
        let simulation = Recipe::of(&lineage).simulation(&protocol, client.parse().unwrap());
        let plan = simulation.plan(&protocol).expect("drawn settings do not contradict each other");
        let run = simulation.run(&protocol, &plan, None).expect("the plan fits");
        assert_eq!(run.fault.map(|fault| fault.message), None, "{lineage}");
    }
}

/// `RUBRIC_GEM5=path/to/gem5 cargo test -p rubric-simulate --test it clusters:: -- --ignored`
#[test]
#[ignore = "needs gem5's files: RUBRIC_GEM5=path/to/gem5"]
fn chi_completes_programs_with_all_policies_and_clusters() {
    let Some(protocol) = chi() else { return };
    for seed in 0..200 {
        let extras = Extras { devices: 2, atomics: 50, ..DRAWN };
        let lineage = Lineage::root(seed).with_extras(extras);
        let simulation = Recipe::of(&lineage).simulation(&protocol, Client::IN_ORDER);
        assert!(simulation.options.settings.iter().any(|one| one.parameter == "clusters"));
        let plan = simulation.plan(&protocol).expect("drawn settings do not contradict each other");
        let run = simulation.run(&protocol, &plan, None).expect("the plan fits");
        assert_eq!(run.fault.map(|fault| fault.message), None, "{lineage}");
    }
}
