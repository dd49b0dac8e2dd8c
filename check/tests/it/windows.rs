//! Tests of memory orders that are found window by window: the machine runs each of them, and they are found for
//! most consistent histories, although windows are so small that placements are often undone.

use crate::common;
use check::engine::events::Events;
use check::engine::schedule::schedule;
use check::engine::windows::{WindowOutcome, order_of};
use check::generate::{Recipe, WeakMix, generate, without_order};
use check::{Algorithm, Bounds, Model, Options, Verdict, check};
use history::{Ambiguity, History, OpId, ReadsFrom};
use memory::{machine, models};

const MODELS: [Model; 3] = [Model::SC, Model::TSO, Model::PSO];

fn history(recipe: &Recipe) -> History {
    without_order(&generate(recipe).expect("a sound recipe")).expect("a history")
}

/// Whether windows of this size find an order, which the machine then runs.
fn is_found(history: &History, model: Model, size: usize) -> bool {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
    let events = Events::new(history, &reads_from, model, &vec![false; history.len()]);
    match order_of(&events, &[], size, &Bounds::none()) {
        WindowOutcome::Order(order) => {
            let order: Vec<OpId> = order.iter().map(|&event| events.op[event as usize]).collect();
            let steps = schedule(history, model, &order, |_| false).expect("program order is kept");
            machine::run(history, model, &steps).is_ok()
        }
        WindowOutcome::GaveUp { .. } => false,
        WindowOutcome::Exceeded => panic!("there are no bounds"),
    }
}

#[test]
fn orders_of_consistent_histories_are_found_and_run() {
    for model in MODELS {
        let found = |seed: u64| {
            let threads = [2, 3, 8, 16][seed as usize % 4];
            let locations = [8, 32][seed as usize / 4 % 2];
            let recipe =
                Recipe { model, threads, locations, operations: 2000, seed, ..Recipe::default() };
            is_found(&history(&recipe), model, [64, 256][seed as usize / 8 % 2])
        };
        let found = (0..48).filter(|&seed| found(seed)).count();
        assert!(found >= 36, "{model}: {found} of 48");
    }
}

/// These histories are long enough to be placed in halves.
#[test]
fn orders_of_two_halves_are_run_as_one() {
    for model in MODELS {
        for (seed, threads, locations, size) in
            [(1, 4, 16, 256), (2, 8, 64, 256), (3, 16, 256, 512)]
        {
            let recipe =
                Recipe { model, threads, locations, operations: 70_000, seed, ..Recipe::default() };
            assert!(is_found(&history(&recipe), model, size), "{model} {seed}");
        }
    }
}

#[test]
fn no_order_of_a_violation_is_found() {
    let mut violations = 0;
    for seed in 0..40 {
        let model = MODELS[seed as usize % 3];
        let recipe = Recipe { model, operations: 800, violations: 1, seed, ..Recipe::default() };
        let history = history(&recipe);
        if common::decide(&history, model, Algorithm::Stages) == Some(false) {
            violations += 1;
            assert!(!is_found(&history, model, 128), "seed {seed}");
        }
    }
    assert!(violations > 10, "{violations}");
}

#[test]
fn long_histories_are_decided_with_certificates() {
    for model in [Model::SC, Model::TSO, Model::PSO, Model::WMO, Model::RVWMO] {
        let of = if model.is_weak() { Model::PSO } else { model };
        for violations in [0, 3] {
            let recipe = Recipe { model: of, operations: 9000, violations, ..Recipe::default() };
            let history = history(&recipe);
            let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
            let outcome = check(&history, &reads_from, model, &Options::default());
            let verdict = common::certified(&history, model, &outcome.verdict);
            if violations == 0 {
                assert_eq!(verdict, Some(true), "{model}");
                assert_eq!(outcome.statistics.edges, 0, "{model}: windows should find an order");
            } else {
                let is_decided =
                    matches!(outcome.verdict, Verdict::Consistent(_) | Verdict::Violation(_));
                assert!(is_decided, "{model}");
            }
        }
    }
}

/// Without the order of completions, WMO leaves many orders possible between two accesses of a location, so
/// placements are undone more often than under other models. Saturation would take a minute.
#[test]
fn weak_models_are_decided_by_windows_on_many_locations() {
    let recipe = Recipe {
        model: Model::TSO,
        threads: 32,
        operations: 32_000,
        locations: 256,
        seed: 3,
        ..Recipe::default()
    };
    let history = history(&recipe);
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    let outcome = check(&history, &reads_from, Model::WMO, &Options::default());
    assert_eq!(common::certified(&history, Model::WMO, &outcome.verdict), Some(true));
    assert_eq!(outcome.statistics.edges, 0, "windows should find an order");
}

/// Under a weak model writes may precede earlier reads of their thread, so program order does not determine when an
/// event enters a window. Saturation would take a minute for each of these histories.
#[test]
fn histories_of_weak_machines_are_decided_by_windows() {
    for &model in models::ALL.iter().filter(|model| model.is_weak()) {
        for (threads, locations) in [(32, 4), (16, 16)] {
            let recipe =
                Recipe { model, threads, locations, operations: 6000, ..Recipe::default() };
            assert_decided_by_windows(&recipe);
        }
    }
}

/// Without dependencies and fences, most writes could come first in memory order. Only the order of admission to
/// windows keeps them near their positions, and guesses are often wrong.
#[test]
fn histories_of_weak_machines_with_little_order_are_decided_by_windows() {
    let weak = WeakMix { linked: 0, dependencies: 0, annotations: 0, weak_fences: 0, window: 8 };
    for &model in models::ALL.iter().filter(|model| model.is_weak()) {
        for seed in 0..3 {
            let recipe = Recipe {
                model,
                threads: 64,
                locations: 256,
                operations: 20_000,
                weak,
                seed,
                ..Recipe::default()
            };
            assert_decided_by_windows(&recipe);
        }
    }
}

fn assert_decided_by_windows(recipe: &Recipe) {
    let model = recipe.model;
    let history = model.prepare(&history(recipe)).into_owned();
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    let outcome = check(&history, &reads_from, model, &Options::default());
    let verdict = common::certified(&history, model, &outcome.verdict);
    assert_eq!(verdict, Some(true), "{recipe:?}");
    assert_eq!(outcome.statistics.edges, 0, "windows should find an order: {recipe:?}");
}
