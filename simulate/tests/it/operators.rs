//! Runs of mutants that operators make: each shows the effect that its edit should have.

use std::collections::BTreeSet;

use check::{Model, Options as Asked, Verdict, check};
use history::{Ambiguity, ReadsFrom};
use mutate::made;
use simulate::client::Client;
use simulate::config::{Caches, Options, Plan};
use simulate::program::ProgramSize;
use simulate::simulation::Simulation;
use slicc::protocol::Protocol;

fn open(name: &str) -> Protocol {
    Protocol::open(name).unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics))
}

/// A protocol with the mutant of this id.
fn mutated(protocol: &Protocol, id: &str) -> Protocol {
    let mutant = made::find(protocol, &format!("{}/{id}", protocol.name())).expect(id);
    let mutated = protocol.with(&mutant);
    mutated.unwrap_or_else(|failure| panic!("{id}: {:?}", failure.diagnostics))
}

/// How a run ends, or else whether it violates SC.
fn outcome(protocol: &Protocol, seed: u64) -> String {
    let simulation = Simulation {
        shape: ProgramSize { threads: 4, operations: 100, seed, ..ProgramSize::default() },
        client: Client::IN_ORDER,
        options: Options {
            // In every other run, the caches are so large that no line is evicted, which may hide a
            // violation.
            caches: [Caches::Tiny, Caches::Default][seed as usize % 2],
            ..Options::default()
        },
        deadlock_threshold: Some(50_000),
    };
    let plan = simulation.plan(protocol).unwrap();
    let run = simulation.run(protocol, &plan, None).unwrap();
    if let Some(fault) = &run.fault {
        return fault.kind.name().to_owned();
    }
    let history = run.history().unwrap();
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    match check(&history, &reads_from, Model::SC, &Asked::default()).verdict {
        Verdict::Consistent(_) => "consistent".to_owned(),
        Verdict::Violation(_) => "violation".to_owned(),
        other => panic!("{other:?}"),
    }
}

/// One of twenty runs shows the effect, or all of them if they should be consistent.
#[test]
fn edits_have_the_expected_effects() {
    let expected = [
        ("L1Cache/IM.Data/swap-actions:fill_entry+write_miss_done", "violation"),
        ("L1Cache/IS.Data/drop-action:fill_entry", "violation"),
        ("L1Cache/action:keep_copy/data-not-written:DataBlk@1", "violation"),
        ("L1Cache/M.Fwd_GETX/next-state-other:M", "violation"),
        ("L1Cache/I.Load/drop-transition", "invalid transition"),
        ("L1Cache/action:ask_for_ownership/message-not-sent:request_out@1", "deadlock"),
        ("L1Cache/M.Load/stall-added:z_stall", "deadlock"),
        ("L1Cache/I.Load/swap-actions:take_entry+take_tbe", "consistent"),
    ];
    let protocol = open("MI_example");
    for (id, effect) in expected {
        let mutant = mutated(&protocol, id);
        let outcomes: BTreeSet<String> = (1..=20).map(|seed| outcome(&mutant, seed)).collect();
        let only = effect == "consistent";
        let shown = outcomes.contains(effect) && (!only || outcomes.len() == 1);
        assert!(shown, "{id}: {outcomes:?}, and not {effect}");
    }
}

/// A buffer that is ordered by gem5's script, and not by the protocol itself.
#[test]
fn a_setting_removes_the_order_of_a_script() {
    let original = open("MI_example");
    let mutant = mutated(&original, "L1Cache/buffer:forwardToCache/unordered-buffer");
    let plan = |protocol: &Protocol| Plan::of(protocol, &Options::default()).unwrap();
    assert_ne!(plan(&original), plan(&mutant));
}
