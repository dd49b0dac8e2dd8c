//! Mutants that are classified as equivalent must not show any effect in runs. They are
//! hand-written here, or made by operators from the protocols that come with the program.
//!
//! A sample of mutants is tried with a few runs; `RUBRIC_MUTANTS` and `RUBRIC_RUNS` increase both:
//! `RUBRIC_MUTANTS=99999 RUBRIC_RUNS=4 cargo test -p rubric-simulate --test it equivalent:: -- --nocapture`.

use std::collections::BTreeMap;

use crate::outcome::{effect, traced};
use crate::stress;
use mutate::equivalent::{Reached, Reason};
use mutate::touched::Touched;
use mutate::{Operator, made, named};
use simulate::differences::{equivalent, touched};
use simulate::named_effects::named_effects;
use simulate::simulation::Simulation;
use simulate::system::{entry_of, visits};
use slicc::builtin::BUILTINS;
use slicc::outline::TableEntry;
use slicc::protocol::{BLOCK_BYTES, Protocol};
use slicc::source::Changed;

fn open(name: &str) -> Protocol {
    Protocol::open(name).unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics))
}

/// The protocol with one of its files replaced.
fn changed(protocol: &Protocol, path: &str, text: String) -> Protocol {
    let path = path.to_owned();
    let loaded = protocol.loaded.reload(&[Changed { path, text }]);
    let compiled = loaded.and_then(|loaded| Protocol::new(loaded, BLOCK_BYTES));
    compiled.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics))
}

/// The protocol with a piece of text replaced, which must occur once.
fn replaced(protocol: &Protocol, from: &str, to: &str) -> Protocol {
    let files = protocol.loaded.own_files();
    let mut found = files.iter().filter(|(_, text)| text.contains(from));
    let (path, text) = found.next().unwrap_or_else(|| panic!("there is no {from}"));
    assert!(found.next().is_none() && text.matches(from).count() == 1, "{from}");
    changed(protocol, path, text.replace(from, to))
}

/// Runs of all clients, from this number on.
fn simulations(protocol: &Protocol, first: u64, count: u64) -> impl Iterator<Item = Simulation> {
    (first..first + count).map(move |number| stress::simulation(protocol, number))
}

/// Number of runs of each mutant, unless the environment sets another.
fn runs(otherwise: u64) -> u64 {
    let asked = std::env::var("RUBRIC_RUNS").ok();
    asked.and_then(|runs| runs.parse().ok()).unwrap_or(otherwise)
}

/// Checks that this many runs of a mutant show no effect, and that their traces are the same if the
/// mutant keeps runs.
fn shows_nothing(
    original: &Protocol,
    mutated: &Protocol,
    reason: &Reason,
    (first, count): (u64, u64),
    about: &str,
) {
    for simulation in simulations(original, first, count) {
        assert_eq!(effect(mutated, &simulation), None, "{about}: {reason}: {simulation:?}");
        if reason.keeps_runs() {
            let (before, after) = (traced(original, &simulation).0, traced(mutated, &simulation).0);
            assert!(before == after, "{about}: {reason}: {simulation:?}");
        }
    }
}

/// Protocols are identical if they only differ in how they are written: other names or places of
/// actions, one transition for each event, comments.
#[test]
fn code_that_only_looks_different_is_identical() {
    let protocol = open("MI_example");
    let both = "transition(M, {Load, Ifetch}) {read_hit, pop_core}";
    let apart = "transition(M, Ifetch) {read_hit; pop_core}  // fetches
        transition(M, Load, M) { read_hit, pop_core }";
    let renamed = |protocol: &Protocol| {
        let files = protocol.loaded.own_files();
        let (path, text) = files.iter().find(|(path, _)| path.contains("cache")).unwrap();
        changed(protocol, path, text.replace("write_hit", "hit_by_write"))
    };
    let moved = |protocol: &Protocol| {
        let action = "action(pop_core, \"qc\", desc=\"Request done\") {\n    core_in.dequeue(clockEdge());\n  }";
        let files = protocol.loaded.own_files();
        let mut found = files.iter().filter(|(_, text)| text.contains(action));
        let (path, text) = found.next().unwrap();
        let here = "// ACTIONS: messages";
        let text = text.replace(action, "").replace(here, &format!("{action} {here}"));
        changed(protocol, path, text)
    };
    let all = [replaced(&protocol, both, apart), renamed(&protocol), moved(&protocol)];
    for mutated in all {
        assert_eq!(touched(&protocol, &mutated), Touched::default());
        let reason = equivalent(&protocol, &mutated, None).unwrap();
        assert_eq!(reason, Reason::Identical);
        shows_nothing(&protocol, &mutated, &reason, (0, 4), "identical");
    }
}

#[test]
fn changed_entries_are_touched() {
    let protocol = open("MI_example");
    let touched_by = |from: &str, to: &str| touched(&protocol, &replaced(&protocol, from, to));
    let entry = |machine, state, event| TableEntry::new(machine, state, event);

    let order = touched_by("{fill_entry, write_miss_done,", "{write_miss_done, fill_entry,");
    assert_eq!(order.entries, [entry("L1Cache", "IM", "Data")]);
    assert!(order.elsewhere.is_empty());
    let next = touched_by("transition(M, Fwd_GETX, I)", "transition(M, Fwd_GETX)");
    assert_eq!(next.entries, [entry("L1Cache", "M", "Fwd_GETX")]);
    let gone = touched_by("transition(I, Replacement) {free_entry}", "");
    assert_eq!(gone.entries, [entry("L1Cache", "I", "Replacement")]);
    let added =
        touched(&replaced(&protocol, "transition(I, Replacement) {free_entry}", ""), &protocol);
    assert_eq!(added.entries, gone.entries);
    let action = touched_by(
        "cache_entry.Dirty := true;\n  }\n\n  action(read_miss",
        "}\n  action(read_miss",
    );
    assert_eq!(action.entries, [entry("L1Cache", "M", "Store")]);

    // A function is part of all code that calls it.
    let function = touched_by("cache_entry.CacheState := state;", "");
    assert!(function.entries.len() > 20, "{function:?}");
    assert!(function.entries.iter().all(|place| place.machine == "L1Cache"));

    let elsewhere = |from: &str, to: &str| touched_by(from, to).elsewhere;
    assert_eq!(
        elsewhere("trigger(Event:Writeback_Ack,", "trigger(Event:Writeback_Nack,"),
        ["the port forward_in of L1Cache"]
    );
    assert_eq!(
        elsewhere("M,   AccessPermission:Read_Write", "M,   AccessPermission:Read_Only"),
        ["the type L1Cache_State", "the states of L1Cache"]
    );
    assert_eq!(elsewhere("issue_latency := 2;", "issue_latency := 3;"), ["parameters or settings"]);
    let vnet = "* forwardToCache, network=\"From\", virtual_network=\"3\"";
    assert_eq!(elsewhere(vnet, &vnet.replace('3', "1")), ["parameters or settings"]);
    let fields = elsewhere("bool Dirty, default=\"false\"", "bool Dirty, default=\"true\"");
    assert_eq!(fields, ["the type L1Cache_Entry"]);
}

#[test]
fn runs_count_visits_of_touched_entries() {
    let protocol = open("MI_example");
    let swap = ("{fill_entry, write_miss_done,", "{write_miss_done, fill_entry,");
    let mutated = replaced(&protocol, swap.0, swap.1);
    let simulation = stress::simulation(&protocol, 0);
    let plan = simulation.plan(&protocol).unwrap();
    let run = simulation.run(&protocol, &plan, None).unwrap();
    let coverage = run.coverage();
    let mut rows = coverage.iter();
    let row = rows.find(|row| (row.machine, row.state, row.event) == ("L1Cache", "IM", "Data"));
    let visits = visits(&touched(&protocol, &mutated).entries, &coverage);
    assert_eq!(visits, row.unwrap().count);
    assert!(visits > 0);
}

/// The example of the paper, which exchanges two actions of a store that hits: one calls the core,
/// the other one counts. The built-in `MI_example` does not count.
const PROFILING: [(&str, &str); 2] = [
    (
        "action(read_miss_done,",
        "action(profile_hit, \"ph\", desc=\"Count\") { cacheMemory.profileDemandHit(); }
        action(think, \"th\", desc=\"Nothing comes of it\") { int n := 1; }
        action(use_line, \"ul\", desc=\"Remember which line was used last\") { cacheMemory.setMRU(cache_entry); }
        action(read_miss_done,",
    ),
    ("{write_hit, pop_core}", "{write_hit, profile_hit, use_line, pop_core}"),
];

/// `MI_example` with these actions on a store that hits.
fn profiling(actions: &str) -> Protocol {
    let [(place, action), (list, _)] = PROFILING;
    let protocol = replaced(&open("MI_example"), place, action);
    replaced(&protocol, list, &format!("{{{actions}}}"))
}

/// The classification of a list of actions of that store, compared with another one.
fn classify(before: &str, after: &str) -> Option<Reason> {
    equivalent(&profiling(before), &profiling(after), None)
}

/// The code that counts is not compiled, so that both lists compile to the same code.
#[test]
fn the_example_of_the_paper_is_equivalent() {
    let (before, after) = ("write_hit, profile_hit, pop_core", "profile_hit, write_hit, pop_core");
    assert_eq!(classify(before, after), Some(Reason::Identical));
    assert_eq!(classify(before, "write_hit, pop_core"), Some(Reason::Identical));
    // The hit itself also records the use of the line.
    let (before, after) = ("write_hit, use_line, pop_core", "write_hit, pop_core, use_line");
    let exchanged = vec![("use_line".to_owned(), "pop_core".to_owned())];
    let up_to_delays = false;
    let reason = classify(before, after).unwrap();
    assert_eq!(reason, Reason::Commuting { exchanged, up_to_delays });
    let about = "neither accesses what the other changes";
    assert_eq!(reason.to_string(), format!("use_line and pop_core: {about}"));
    assert!(reason.is_strict() && reason.keeps_runs());
}

#[test]
fn runs_do_not_show_the_example_of_the_paper() {
    let original = profiling("write_hit, profile_hit, use_line, pop_core");
    for after in
        ["profile_hit, write_hit, use_line, pop_core", "write_hit, use_line, profile_hit, pop_core"]
    {
        let mutated = profiling(after);
        let reason = equivalent(&original, &mutated, None).unwrap();
        shows_nothing(&original, &mutated, &reason, (0, runs(40)), after);
    }
}

#[test]
fn each_reason_is_recognized() {
    let names = |actions: &[&str]| actions.iter().map(|one| (*one).to_owned()).collect();
    let hit = "write_hit, think, pop_core";
    let idle = Some(Reason::Idle { actions: names(&["think"]) });
    assert_eq!(classify(hit, "write_hit, pop_core"), idle);
    assert_eq!(classify("write_hit, pop_core", hit), idle);
    let hint = Some(Reason::VictimOnly { actions: names(&["use_line"]) });
    assert_eq!(classify("use_line, write_hit, pop_core", "write_hit, pop_core"), hint);
    assert!(hint.is_some_and(|reason| !reason.is_strict()));
    let twice = "use_line, write_hit, use_line, pop_core";
    let once = "use_line, write_hit, pop_core";
    // The action between the two also uses the line.
    assert_ne!(classify(once, twice).map(|reason| reason.name()), Some("repeated"));
    let repeated = Some(Reason::Repeated { actions: names(&["use_line"]) });
    assert_eq!(classify(once, "use_line, use_line, write_hit, pop_core"), repeated);
    assert_eq!(classify(once, "write_hit, use_line, pop_core").map(|one| one.name()), None);
    let both = classify("use_line, think, write_hit, pop_core", "write_hit, pop_core").unwrap();
    assert_eq!(both.name(), "several");
    assert!(!both.is_strict());

    for changed in [
        "pop_core",
        "write_hit",
        "write_hit, write_hit, pop_core",
        "read_hit, pop_core",
        "write_hit, pop_core, pop_core",
    ] {
        assert_eq!(classify("write_hit, pop_core", changed), None, "{changed}");
    }
}

/// The directory sends a second message to a cache.
#[test]
fn messages_keep_their_order_in_one_network() {
    let protocol = open("MI_example");
    let list = "transition(M, GETX) {forward_to_owner, set_owner, pop_request}";
    let with = |actions: &str| {
        replaced(
            &protocol,
            list,
            &format!("transition(M, GETX) {{{actions}, set_owner, pop_request}}"),
        )
    };
    let judge = |one: &str, other: &str| equivalent(&with(one), &with(other), None);
    assert_eq!(judge("forward_to_owner, refuse_put", "refuse_put, forward_to_owner"), None);
    let other =
        judge("forward_to_owner, fetch_for_cache", "fetch_for_cache, forward_to_owner").unwrap();
    assert!(other.is_strict() && !other.keeps_runs(), "{other}");
}

#[test]
fn changes_of_unreached_entries_are_equivalent() {
    // The list of entries that are never reached applies only to the unchanged protocol.
    let protocol = replaced(&open("MI_example"), "// ACTIONS: messages", "// messages");
    let mutated = replaced(
        &protocol,
        "transition(I, DMA_READ, ID) {take_tbe, ",
        "transition(I, DMA_READ, ID) {",
    );
    assert_eq!(equivalent(&protocol, &mutated, None), None);
    let mut reached = Reached::default();
    assert_eq!(equivalent(&protocol, &mutated, Some(&reached)), None);
    for simulation in simulations(&protocol, 0, 3) {
        let plan = simulation.plan(&protocol).unwrap();
        let run = simulation.run(&protocol, &plan, None).unwrap();
        let triples = run.reached().into_iter().map(|one| one.triple);
        reached.add(triples.filter_map(|triple| entry_of(&protocol, triple)));
    }
    let entries = vec![TableEntry::new("Directory", "I", "DMA_READ")];
    let reason = Reason::NotReached { entries, runs: 3 };
    assert_eq!(equivalent(&protocol, &mutated, Some(&reached)), Some(reason));
    let reached_one =
        replaced(&protocol, "transition(I, GETX, IM) {take_tbe, ", "transition(I, GETX, IM) {");
    assert_eq!(equivalent(&protocol, &reached_one, Some(&reached)), None);
}

/// No named mutant that shows its fault is classified as equivalent.
#[test]
fn real_bugs_are_not_equivalent() {
    let rows = named_effects().expect("every row of mutants.csv can be read");
    for mutant in named::all() {
        let original = open(&mutant.protocol);
        let mutated = original.with(&mutant).unwrap();
        let mut own = rows.iter().filter(|row| row.mutant == mutant.name);
        if let Some(way) = own.find(|row| row.why.is_empty()) {
            let asks_more = ["--dma", "--flush"].iter().any(|one| way.options.contains(one));
            let reason = equivalent(&original, &mutated, None);
            let reason = reason.filter(|one| !(asks_more && one.assumes_accesses_only()));
            assert_eq!(reason, None, "{}", mutant.name);
        }
    }
}

/// The exchanges of adjacent actions in MI_example that matter: all others are equivalent.
const EXCHANGES: [&str; 10] = [
    "L1Cache/IS.Data/swap-actions:fill_entry+read_miss_done",
    "L1Cache/IM.Data/swap-actions:fill_entry+write_miss_done",
    "L1Cache/M.Replacement/swap-actions:take_tbe+keep_copy",
    "L1Cache/MI.Fwd_GETX/swap-actions:pass_put_block_on+pop_forward",
    "L1Cache/MII.Fwd_GETX/swap-actions:pass_put_block_on+free_tbe",
    "Directory/I.GETX/swap-actions:set_owner+pop_request",
    "Directory/M.GETX/swap-actions:forward_to_owner+set_owner",
    "Directory/M.GETX/swap-actions:set_owner+pop_request",
    "Directory/I.PUTX_NotOwner/swap-actions:refuse_put+pop_request",
    "Directory/M.PUTX_NotOwner/swap-actions:refuse_put+pop_request",
];

#[test]
fn few_exchanges_in_mi_example_matter() {
    let protocol = open("MI_example");
    let mut swaps = made::all(&protocol);
    swaps.retain(|mutant| mutant.origin.operator() == Some(Operator::SwapActions));
    swaps.retain(|mutant| {
        let mutated = protocol.with(mutant).unwrap();
        equivalent(&protocol, &mutated, None).is_none()
    });
    let matter: Vec<&str> = swaps.iter().map(|mutant| &*mutant.name).collect();
    let expected = EXCHANGES.map(|id| format!("MI_example/{id}"));
    assert_eq!(matter, expected);
}

/// Number of mutants of each protocol that are tried, unless the environment sets another.
const SAMPLE: usize = 40;

#[test]
fn equivalent_mutants_show_nothing() {
    let asked = std::env::var("RUBRIC_MUTANTS").ok();
    let sample = asked.and_then(|sample| sample.parse().ok()).unwrap_or(SAMPLE);
    for one in BUILTINS {
        let protocol = open(one.name);
        let all = made::all(&protocol);
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut first = 0;
        for mutant in all.iter().step_by((all.len() / sample).max(1)) {
            let mutated = protocol.with(mutant).unwrap();
            let reason = equivalent(&protocol, &mutated, None);
            let name = reason.as_ref().map_or("not equivalent", Reason::name);
            *counts.entry(name).or_default() += 1;
            let Some(reason) = reason else { continue };
            shows_nothing(&protocol, &mutated, &reason, (first, runs(2)), &mutant.name);
            first += runs(2);
        }
        println!("{}: {counts:?}", one.name);
        let others = counts.get("not equivalent").copied().unwrap_or(0);
        assert!(others + SAMPLE / 10 < counts.values().sum(), "{}: {counts:?}", one.name);
    }
}
