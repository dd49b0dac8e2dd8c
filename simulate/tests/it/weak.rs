//! Out-of-order cores: on an atomic memory and on the built-in protocols each history satisfies the model of
//! its cores, and the freedom that the model gives is used.
//!
//! Each protocol is run only a few times; `RUBRIC_RUNS` sets another number of runs for each model.

use crate::common::{Run, run};
use crate::stress;
use check::{Model, Options, Verdict, check};
use history::{Ambiguity, DependencyKind, History, Kind, ReadsFrom};
use simulate::client::Client;
use simulate::program::{ProgramSize, WeakShares};
use simulate::recipe::Recipe;

const MODELS: [Model; 5] = [Model::RVWMO, Model::ARMV8, Model::WMO, Model::ZTSO, Model::RMO];

/// A few threads on few locations, with all kinds of operations.
fn racy(model: Model, seed: u64) -> ProgramSize {
    ProgramSize {
        threads: 2 + (seed % 4) as u32,
        operations: 40,
        locations: 2 + (seed % 5) as u32,
        per_line: [1, 2, 8][(seed % 3) as usize],
        reads: 60,
        rmws: if seed.is_multiple_of(2) { 8 } else { 0 },
        fences: if seed.is_multiple_of(3) { 6 } else { 0 },
        fetches: if seed.is_multiple_of(5) { 20 } else { 0 },
        linked: 50,
        think: [0, 5, 30][(seed / 3 % 3) as usize],
        seed,
        weak: Some(WeakShares {
            dependencies: [0, 20, 60][(seed / 2 % 3) as usize],
            annotations: [0, 50][(seed % 2) as usize],
            ..WeakShares::usual(model)
        }),
        ..ProgramSize::default()
    }
}

fn on_atomic_memory(model: Model, window: u32, seed: u64) -> Run {
    Run::new(Client::out_of_order(model, window), racy(model, seed))
}

fn satisfies(history: &History, model: Model) -> bool {
    let parts = model.prepare(history);
    let reads_from = ReadsFrom::derive(&parts, Ambiguity::Refuse).unwrap();
    match check(&parts, &reads_from, model, &Options::default()).verdict {
        Verdict::Consistent(_) => true,
        Verdict::Violation(_) => false,
        verdict => panic!("{verdict:?}"),
    }
}

#[test]
fn histories_satisfy_the_model() {
    for model in MODELS {
        for seed in 0..150 {
            let window = [2, 8, 32][(seed % 3) as usize];
            let ran = run(&on_atomic_memory(model, window, seed));
            assert!(satisfies(&ran.history, model), "{model}, seed {seed}");
            assert!(ran.history.provenance.unfinished.is_empty());
        }
    }
}

#[test]
fn aborted_runs_satisfy_it_too() {
    for model in MODELS {
        for seed in 0..40 {
            let whole = on_atomic_memory(model, 8, seed);
            let ran = run(&Run { abort: 200 + 37 * seed, ..whole });
            assert!(satisfies(&ran.history, model), "{model}, seed {seed}");
        }
    }
}

#[test]
fn the_freedom_is_used() {
    let violations = |model: Model, strong: Model| {
        let runs = (0..60).map(|seed| {
            let mut whole = on_atomic_memory(model, 8, seed);
            whole.shape = ProgramSize { fences: 0, rmws: 0, weak: None, ..whole.shape };
            run(&whole).history
        });
        runs.filter(|history| !satisfies(history, strong)).count()
    };
    assert!(violations(Model::ZTSO, Model::SC) > 15);
    assert!(violations(Model::WMO, Model::PSO) > 15);
    for model in [Model::RVWMO, Model::ARMV8] {
        assert!(violations(model, Model::TSO) > 15 && violations(model, Model::ZTSO) > 15);
    }
}

/// Loads that overtake loads of their location are repeated if their line is lost; a system that does
/// not tell of that violates the model.
#[test]
fn unreported_evictions_show() {
    let crowded = |seed, evictions| {
        let model = Model::RVWMO;
        let mut whole = on_atomic_memory(model, 16, seed);
        whole.shape.locations = 2;
        run(&Run { evictions, ..whole })
    };
    assert!((0..60).any(|seed| crowded(seed, true).repeated > 0));
    let wrong = (0..60).filter(|&seed| !satisfies(&crowded(seed, false).history, Model::RVWMO));
    assert!(wrong.count() > 0);
}

#[test]
fn histories_have_what_orders_their_operations() {
    let shape = ProgramSize { rmws: 30, linked: 50, fences: 10, ..racy(Model::RVWMO, 11) };
    let client = Client::out_of_order(Model::RVWMO, 8);
    let history = run(&Run::new(client, ProgramSize { operations: 400, ..shape })).history;
    let has = |kind: fn(Kind) -> bool| history.ops().any(|op| kind(history.kind(op)));
    assert!(has(|kind| kind == Kind::Rmw) && has(|kind| matches!(kind, Kind::WeakFence(_))));
    assert!(history.ops().any(|op| history.linked_load(op).is_some()));
    assert!(history.ops().any(|op| history.annotation(op).releases()));
    for kind in DependencyKind::ALL {
        let depends = |op| history.dependencies(op).iter().any(|it| it.kind == kind);
        assert!(history.ops().any(depends), "{kind:?}");
    }
}

/// Under WMO an operation is issued after the reads have returned that it depends on.
#[test]
fn ticks_stand_for_dependencies() {
    let history = run(&on_atomic_memory(Model::WMO, 8, 4)).history;
    assert!(history.ops().all(|op| history.dependencies(op).is_empty()));
    for thread in 0..history.threads().len() {
        let issued = history.thread_ops(thread).map(|op| history.issued(op).unwrap());
        assert!(issued.is_sorted());
    }
    let waits = |op| {
        let earlier = history.thread_ops(history.thread_of(op)).take_while(|&other| other < op);
        let last = earlier.filter(|&other| history.kind(other).reads()).last();
        last.is_some_and(|read| history.completed(read) < history.issued(op))
    };
    assert!(history.ops().any(waits));
}

/// Runs recipes of a protocol under each model.
fn hold(name: &str) {
    let protocol = stress::open(name);
    let asked = std::env::var("RUBRIC_RUNS").ok();
    let runs: u64 = asked.and_then(|runs| runs.parse().ok()).unwrap_or(24);
    for model in MODELS {
        for seed in 0..runs {
            let client = Client::out_of_order(model, [4, 8, 16][(seed % 3) as usize]);
            let simulation = Recipe::random(seed).simulation(&protocol, client);
            let run = stress::run(&protocol, &simulation);
            let history = run.history().unwrap();
            assert!(satisfies(&history, model), "{name} {client}: --recipe {seed}");
        }
    }
}

#[test]
fn mi_example() {
    hold("MI_example");
}

#[test]
fn mesi_two_level() {
    hold("MESI_Two_Level");
}

#[test]
fn moesi_hammer() {
    hold("MOESI_hammer");
}

#[test]
fn moesi_amd_base() {
    hold("MOESI_AMD_Base");
}
