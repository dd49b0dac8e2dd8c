//! Mutants that operators make, run: each shows what is to be expected of its edit.

use std::collections::BTreeSet;

use check::{Model, Options as Asked, Verdict, check};
use history::{Ambiguity, ReadsFrom};
use simulate::client::Client;
use simulate::config::{Caches, Options, Plan};
use simulate::program::ProgramSize;
use simulate::simulation::Simulation;
use slicc::mutant::made;
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
            // Every other run has so much room that no line has to leave: that may hide a violation.
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

/// Of twenty runs one shows the effect, or all if it is none.
#[test]
fn edits_do_to_runs_what_is_to_be_expected() {
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

/// A buffer that gem5's script makes ordered, and not the protocol itself.
#[test]
fn an_order_that_a_script_gives_is_taken_away_by_a_setting() {
    let original = open("MI_example");
    let mutant = mutated(&original, "L1Cache/buffer:forwardToCache/unordered-buffer");
    let plan = |protocol: &Protocol| Plan::of(protocol, &Options::default()).unwrap();
    assert_ne!(plan(&original), plan(&mutant));
}
