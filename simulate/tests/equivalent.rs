//! Mutants that are called equivalent: by hand, and all exchanges, drops and repetitions of actions of
//! the protocols that come with the program, which must not show anything in runs.
//!
//! A few runs of a sample are made here; for all of them, set `RUBRIC_RUNS` to the number of runs of
//! each and have the longer ones made as well:
//! `RUBRIC_RUNS=40 cargo test --release -p simulate --test equivalent -- --ignored --nocapture`.

mod edits;
mod stress;
mod tables;

use std::collections::BTreeMap;

use check::{Model, Options as Asked, PsoRmw, Verdict, check};
use edits::{Edit, Kind, replaced};
use history::{Ambiguity, ReadsFrom};
use simulate::mutant::equivalent::{Reached, Reason, equivalent};
use simulate::mutant::named;
use simulate::mutant::touched::{Place, Touched, touched};
use simulate::protocol::Protocol;
use simulate::simulation::Simulation;
use simulate::slicc::builtin::BUILTINS;
use simulate::trace::Output;
use stress::Length;

fn open(name: &str) -> Protocol {
    Protocol::open(name).unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics))
}

/// The trace of a run, and what is wrong with it, if anything.
fn outcome(protocol: &Protocol, simulation: &Simulation) -> (Vec<u8>, Option<String>) {
    let plan = simulation.plan(protocol).unwrap();
    let mut run = simulation
        .run(protocol, &plan, Some(Output::Memory))
        .unwrap();
    let trace = run.finish_trace().unwrap();
    if let Some(fault) = &run.fault {
        return (trace, Some(fault.kind.name().to_owned()));
    }
    let history = run.history().unwrap();
    let model = match simulation.client.model() {
        "sc" => Model::Sc,
        "tso" => Model::Tso,
        _ => Model::Pso(PsoRmw::Own),
    };
    let Ok(reads_from) = ReadsFrom::derive(&history, Ambiguity::Refuse) else {
        return (trace, Some("ambiguous values".to_owned()));
    };
    let verdict = check(&history, &reads_from, model, &Asked::default()).verdict;
    let wrong = match verdict {
        Verdict::Consistent(_) => None,
        Verdict::Violation(_) => Some(format!("{model} violation")),
        other => panic!("{other:?}"),
    };
    (trace, wrong)
}

/// Runs of all clients, from a number on.
fn simulations(first: u64, count: u64) -> impl Iterator<Item = Simulation> {
    let length = Length {
        least: 20,
        most: 60,
    };
    (first..first + count).map(move |number| {
        let client = stress::CLIENTS[(number % stress::CLIENTS.len() as u64) as usize];
        stress::simulation(number, client, length)
    })
}

/// Runs of each mutant in the longer tests.
fn runs(otherwise: u64) -> u64 {
    let asked = std::env::var("RUBRIC_RUNS").ok();
    asked
        .and_then(|runs| runs.parse().ok())
        .unwrap_or(otherwise)
}

/// Nothing must come of a mutant, and where it keeps runs their traces must be the same.
fn shows_nothing(
    original: &Protocol,
    mutated: &Protocol,
    reason: &Reason,
    simulations: impl Iterator<Item = Simulation>,
    about: &str,
) {
    for simulation in simulations {
        let (trace, wrong) = outcome(mutated, &simulation);
        assert_eq!(wrong, None, "{about}: {reason}: {simulation:?}");
        if reason.keeps_runs() {
            let (before, _) = outcome(original, &simulation);
            assert!(trace == before, "{about}: {reason}: {simulation:?}");
        }
    }
}

/// All edits of a protocol, with the mutants and what is said of them.
fn judged(protocol: &Protocol) -> impl Iterator<Item = (Edit, Protocol, Option<Reason>)> {
    edits::all(protocol).into_iter().map(move |edit| {
        let mutated = edit.apply(protocol);
        let reason = equivalent(protocol, &mutated, None);
        (edit, mutated, reason)
    })
}

/// What is only written in another way is the same: actions with other names, in another place,
/// transitions one by one, comments.
#[test]
fn what_is_written_in_another_way_is_identical() {
    let protocol = open("MI_example");
    let both = "transition(M, {Load, Ifetch}) {read_hit, pop_core}";
    let apart = "transition(M, Ifetch) {read_hit; pop_core}  // fetches
        transition(M, Load, M) { read_hit, pop_core }";
    let renamed = |protocol: &Protocol| {
        let files = protocol.loaded.own_files();
        let (path, text) = files
            .iter()
            .find(|(path, _)| path.contains("cache"))
            .unwrap();
        edits::changed(protocol, path, text.replace("write_hit", "hit_by_write"))
    };
    let action =
        "action(pop_core, \"qc\", desc=\"Request done\") {\n    core_in.dequeue(clockEdge());\n  }";
    let here = "// ACTIONS: messages";
    let moved = replaced(
        &replaced(&protocol, action, ""),
        here,
        &format!("{action} {here}"),
    );
    for mutated in [replaced(&protocol, both, apart), renamed(&protocol), moved] {
        assert_eq!(touched(&protocol, &mutated), Touched::default());
        let reason = equivalent(&protocol, &mutated, None).unwrap();
        assert_eq!(reason, Reason::Identical);
        shows_nothing(&protocol, &mutated, &reason, simulations(0, 4), "identical");
    }
}

#[test]
fn what_is_touched() {
    let protocol = open("MI_example");
    let touched_by = |from: &str, to: &str| touched(&protocol, &replaced(&protocol, from, to));
    let entry = |machine, state, event| Place::new(machine, state, event);

    let order = touched_by(
        "{fill_entry, write_miss_done,",
        "{write_miss_done, fill_entry,",
    );
    assert_eq!(order.entries, [entry("L1Cache", "IM", "Data")]);
    assert!(order.elsewhere.is_empty());
    let next = touched_by("transition(M, Fwd_GETX, I)", "transition(M, Fwd_GETX)");
    assert_eq!(next.entries, [entry("L1Cache", "M", "Fwd_GETX")]);
    let gone = touched_by("transition(I, Replacement) {free_entry}", "");
    assert_eq!(gone.entries, [entry("L1Cache", "I", "Replacement")]);
    let added = touched(
        &replaced(&protocol, "transition(I, Replacement) {free_entry}", ""),
        &protocol,
    );
    assert_eq!(added.entries, gone.entries);
    let action = touched_by(
        "cache_entry.Dirty := true;\n  }\n\n  action(read_miss",
        "}\n  action(read_miss",
    );
    assert_eq!(action.entries, [entry("L1Cache", "M", "Store")]);

    // A function is part of all that call it.
    let function = touched_by("cache_entry.CacheState := state;", "");
    assert!(function.entries.len() > 20, "{function:?}");
    assert!(
        function
            .entries
            .iter()
            .all(|place| place.machine == "L1Cache")
    );

    let elsewhere = |from: &str, to: &str| touched_by(from, to).elsewhere;
    assert_eq!(
        elsewhere(
            "trigger(Event:Writeback_Ack,",
            "trigger(Event:Writeback_Nack,"
        ),
        ["the port forward_in of L1Cache"]
    );
    assert_eq!(
        elsewhere(
            "M,   AccessPermission:Read_Write",
            "M,   AccessPermission:Read_Only"
        ),
        ["the type L1Cache_State", "the states of L1Cache"]
    );
    assert_eq!(
        elsewhere("issue_latency := 2;", "issue_latency := 3;"),
        ["parameters or settings"]
    );
    let vnet = "* forwardToCache, network=\"From\", virtual_network=\"3\"";
    assert_eq!(
        elsewhere(vnet, &vnet.replace('3', "1")),
        ["parameters or settings"]
    );
    let fields = elsewhere(
        "bool Dirty, default=\"false\"",
        "bool Dirty, default=\"true\"",
    );
    assert_eq!(fields, ["the type L1Cache_Entry"]);
}

#[test]
fn runs_count_how_often_they_take_what_is_touched() {
    let protocol = open("MI_example");
    let swap = (
        "{fill_entry, write_miss_done,",
        "{write_miss_done, fill_entry,",
    );
    let mutated = replaced(&protocol, swap.0, swap.1);
    let simulation = simulations(0, 1).next().unwrap();
    let plan = simulation.plan(&protocol).unwrap();
    let run = simulation.run(&protocol, &plan, None).unwrap();
    let coverage = run.coverage();
    let mut rows = coverage.iter();
    let row = rows.find(|row| (row.machine, row.state, row.event) == ("L1Cache", "IM", "Data"));
    let visits = touched(&protocol, &mutated).visits(&coverage);
    assert_eq!(visits, row.unwrap().count);
    assert!(visits > 0);
}

/// A store that hits, as in the paper that exchanges the two: one action calls the core, another one
/// counts. In `MI_example` as it is here nobody counts.
const PROFILING: [(&str, &str); 2] = [
    (
        "action(read_miss_done,",
        "action(profile_hit, \"ph\", desc=\"Count\") { cacheMemory.profileDemandHit(); }
        action(note_use, \"nu\", desc=\"Remember which line was used last\") { cacheMemory.setMRU(cache_entry); }
        action(read_miss_done,",
    ),
    ("{write_hit, pop_core}", "{write_hit, profile_hit, note_use, pop_core}"),
];

/// `MI_example` with these actions on a store that hits.
fn profiling(actions: &str) -> Protocol {
    let [(place, action), (list, _)] = PROFILING;
    let protocol = replaced(&open("MI_example"), place, action);
    replaced(&protocol, list, &format!("{{{actions}}}"))
}

/// What is said of a list of actions of that store, compared with another one.
fn said(before: &str, after: &str) -> Option<Reason> {
    equivalent(&profiling(before), &profiling(after), None)
}

#[test]
fn the_example_of_the_paper_is_equivalent() {
    let (before, after) = (
        "write_hit, profile_hit, pop_core",
        "profile_hit, write_hit, pop_core",
    );
    let (original, mutated) = (profiling(before), profiling(after));
    let reason = equivalent(&original, &mutated, None).unwrap();
    let exchanged = vec![("write_hit".to_owned(), "profile_hit".to_owned())];
    assert_eq!(
        reason,
        Reason::Commuting {
            exchanged,
            up_to_delays: false
        }
    );
    let about = "neither touches what the other changes";
    assert_eq!(
        reason.to_string(),
        format!("write_hit and profile_hit: {about}")
    );
    assert!(reason.is_strict() && reason.keeps_runs());
    shows_nothing(
        &original,
        &mutated,
        &reason,
        simulations(0, 8),
        "the paper's example",
    );
}

#[test]
#[ignore = "takes a minute: thousands of runs of the paper's example"]
fn the_example_of_the_paper_shows_nothing() {
    let original = profiling("write_hit, profile_hit, note_use, pop_core");
    for after in [
        "profile_hit, write_hit, note_use, pop_core",
        "write_hit, note_use, profile_hit, pop_core",
    ] {
        let mutated = profiling(after);
        let reason = equivalent(&original, &mutated, None).unwrap();
        shows_nothing(
            &original,
            &mutated,
            &reason,
            simulations(0, runs(2000)),
            after,
        );
    }
}

#[test]
fn reasons() {
    let names = |actions: &[&str]| actions.iter().map(|one| (*one).to_owned()).collect();
    let hit = "write_hit, profile_hit, pop_core";
    let idle = Some(Reason::Idle {
        actions: names(&["profile_hit"]),
    });
    assert_eq!(said(hit, "write_hit, pop_core"), idle);
    assert_eq!(said("write_hit, pop_core", hit), idle);
    let hint = Some(Reason::VictimOnly {
        actions: names(&["note_use"]),
    });
    assert_eq!(
        said("note_use, write_hit, pop_core", "write_hit, pop_core"),
        hint
    );
    assert!(!hint.unwrap().is_strict());
    let twice = "note_use, write_hit, note_use, pop_core";
    let once = "note_use, write_hit, pop_core";
    // The action between uses the line as well.
    assert_ne!(
        said(once, twice).map(|reason| reason.name()),
        Some("repeated")
    );
    let repeated = Some(Reason::Repeated {
        actions: names(&["note_use"]),
    });
    assert_eq!(
        said(once, "note_use, note_use, write_hit, pop_core"),
        repeated
    );
    assert_eq!(
        said(once, "write_hit, note_use, pop_core").map(|one| one.name()),
        None
    );
    let both = said(
        "note_use, profile_hit, write_hit, pop_core",
        "write_hit, pop_core",
    )
    .unwrap();
    assert_eq!(both.name(), "several");
    assert!(!both.is_strict());

    for changed in [
        "pop_core",
        "write_hit",
        "write_hit, write_hit, pop_core",
        "read_hit, pop_core",
        "write_hit, pop_core, pop_core",
    ] {
        assert_eq!(said("write_hit, pop_core", changed), None, "{changed}");
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
    assert_eq!(
        judge(
            "forward_to_owner, refuse_put",
            "refuse_put, forward_to_owner"
        ),
        None
    );
    let other = judge(
        "forward_to_owner, fetch_for_cache",
        "fetch_for_cache, forward_to_owner",
    )
    .unwrap();
    assert!(other.is_strict() && !other.keeps_runs(), "{other}");
}

#[test]
fn what_was_not_reached() {
    // The list of entries that are never reached is about the protocol as it is.
    let protocol = replaced(&open("MI_example"), "// ACTIONS: messages", "// messages");
    let mutated = replaced(
        &protocol,
        "transition(I, DMA_READ, ID) {take_tbe, ",
        "transition(I, DMA_READ, ID) {",
    );
    assert_eq!(equivalent(&protocol, &mutated, None), None);
    let mut reached = Reached::default();
    assert_eq!(equivalent(&protocol, &mutated, Some(&reached)), None);
    for simulation in simulations(0, 3) {
        let plan = simulation.plan(&protocol).unwrap();
        reached.add(&simulation.run(&protocol, &plan, None).unwrap());
    }
    let entries = vec![Place::new("Directory", "I", "DMA_READ")];
    let reason = Reason::NotReached { entries, runs: 3 };
    assert_eq!(
        equivalent(&protocol, &mutated, Some(&reached)),
        Some(reason)
    );
    let reached_one = replaced(
        &protocol,
        "transition(I, GETX, IM) {take_tbe, ",
        "transition(I, GETX, IM) {",
    );
    assert_eq!(equivalent(&protocol, &reached_one, Some(&reached)), None);
}

/// No named mutant that shows its fault is called equivalent.
#[test]
fn real_bugs_are_not_equivalent() {
    let rows = tables::rows(&stress::fixture("mutants.csv"));
    for mutant in named::all() {
        let original = open(&mutant.protocol);
        let mutated = original.with(&mutant).unwrap();
        let touched = touched(&original, &mutated);
        assert!(
            !touched.entries.is_empty() || !touched.elsewhere.is_empty(),
            "{}",
            mutant.name
        );
        let mut own = rows.iter().filter(|row| row["mutant"] == *mutant.name);
        if own.any(|row| row["why"].is_empty()) {
            assert_eq!(
                equivalent(&original, &mutated, None),
                None,
                "{}",
                mutant.name
            );
        }
    }
}

/// The exchanges of neighbours in MI_example that matter, and what comes of each: all others are
/// equivalent. The transitions that DMA engines take are left out: they are never reached.
const EXCHANGES: [(&str, &str); 9] = [
    (
        "L1Cache (IS, Data, M) Swap fill_entry read_miss_done",
        "SC violation",
    ),
    (
        "L1Cache (IM, Data, M) Swap fill_entry write_miss_done",
        "SC violation",
    ),
    (
        "L1Cache (M, Replacement, MI) Swap take_tbe keep_copy",
        "misuse",
    ),
    (
        "L1Cache (MI, Fwd_GETX, II) Swap pass_put_block_on pop_forward",
        "invalid transition",
    ),
    (
        "L1Cache (MII, Fwd_GETX, I) Swap pass_put_block_on free_tbe",
        "failed assertion",
    ),
    (
        "Directory (I, GETX, IM) Swap set_owner pop_request",
        "misuse",
    ),
    (
        "Directory (M, GETX) Swap forward_to_owner set_owner",
        "deadlock",
    ),
    ("Directory (M, GETX) Swap set_owner pop_request", "misuse"),
    (
        "Directory ({I, M, M_DRD, M_DWR, M_DRDI, M_DWRI}, PUTX_NotOwner) Swap refuse_put pop_request",
        "invalid transition",
    ),
];

#[test]
fn exchanges_that_matter_show() {
    let protocol = open("MI_example");
    let mut left: BTreeMap<&str, &str> = EXCHANGES.into();
    for (edit, mutated, reason) in judged(&protocol) {
        if edit.kind != Kind::Swap || reason.is_some() {
            continue;
        }
        let expected = left
            .remove(&*edit.to_string())
            .unwrap_or_else(|| panic!("{edit}"));
        let shows = |simulation: Simulation| {
            outcome(&mutated, &simulation)
                .1
                .is_some_and(|one| one == expected)
        };
        assert!(simulations(0, 64).any(shows), "{edit}: no {expected}");
    }
    assert!(left.is_empty(), "{left:?}");
}

/// Edits of each protocol that are tried here.
const SAMPLE: usize = 24;

#[test]
fn a_sample_of_equivalent_mutants_shows_nothing() {
    for one in BUILTINS {
        let protocol = open(one.name);
        let edits = edits::all(&protocol);
        let (mut first, mut found) = (0, 0);
        for edit in edits.iter().step_by(edits.len() / SAMPLE) {
            let mutated = edit.apply(&protocol);
            let Some(reason) = equivalent(&protocol, &mutated, None) else {
                continue;
            };
            let about = edit.to_string();
            shows_nothing(&protocol, &mutated, &reason, simulations(first, 2), &about);
            (first, found) = (first + 2, found + 1);
        }
        assert!(found > 0, "{}", one.name);
    }
}

#[test]
#[ignore = "prints what each exchange of neighbours in MI_example does"]
fn exchanges_in_mi_example() {
    let protocol = open("MI_example");
    for (edit, mutated, reason) in judged(&protocol) {
        if edit.kind != Kind::Swap {
            continue;
        }
        let outcome = match reason {
            Some(reason) => format!("equivalent: {reason}"),
            None => outcomes(&mutated, runs(400)),
        };
        println!("{edit} | {outcome}");
    }
}

/// What comes of runs of a mutant, with how often.
fn outcomes(mutated: &Protocol, runs: u64) -> String {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for simulation in simulations(0, runs) {
        let (_, wrong) = outcome(mutated, &simulation);
        *counts
            .entry(wrong.unwrap_or("clean".to_owned()))
            .or_default() += 1;
    }
    format!("{counts:?}")
}

#[test]
#[ignore = "takes minutes: all edits of all protocols"]
fn no_equivalent_mutant_shows_anything() {
    for one in BUILTINS {
        let protocol = open(one.name);
        let mut counts: BTreeMap<(Kind, &str), usize> = BTreeMap::new();
        let mut first = 0;
        for (edit, mutated, reason) in judged(&protocol) {
            let name = reason.as_ref().map_or("-", Reason::name);
            *counts.entry((edit.kind, name)).or_default() += 1;
            let Some(reason) = reason else { continue };
            let runs = runs(8);
            shows_nothing(
                &protocol,
                &mutated,
                &reason,
                simulations(first, runs),
                &edit.to_string(),
            );
            first += runs;
        }
        println!("{}: {counts:?}", one.name);
    }
}
