//! Tests of generated histories of weak models: the order of the run is a memory order of the model, all
//! instructions of the model's instruction set occur, and some histories are not consistent under SC.

use std::collections::BTreeSet;

use crate::common::print;
use check::generate::families::{Family, HardRecipe, hard};
use check::generate::{Mix, Recipe, RecipeError, WeakMix, generate, without_order};
use check::{Model, Options, Verdict, check};
use history::{Ambiguity, DependencyKind, History, Kind, OpId, ReadsFrom};
use memory::weak::order;

const WEAK: [Model; 5] = [Model::ZTSO, Model::RVWMO, Model::ARMV8, Model::WMO, Model::RMO];

/// A recipe with few threads on few locations, and with many dependencies, annotations and weak fences.
fn racy(model: Model, seed: u64) -> Recipe {
    Recipe {
        model,
        threads: 1 + (seed % 5) as u32,
        operations: 120,
        locations: 1 + (seed % 4) as u32,
        mix: Mix { loads: 5, stores: 4, rmws: 2, fences: 1 },
        weak: WeakMix {
            window: [1, 2, 4, 16][(seed % 4) as usize],
            linked: 50,
            dependencies: [0, 30, 60][(seed % 3) as usize],
            annotations: [0, 30, 80][(seed / 3 % 3) as usize],
            weak_fences: 70,
        },
        seed,
        ..Recipe::default()
    }
}

/// The accesses of a history, in the order in which they were performed.
fn performed(history: &History) -> Vec<OpId> {
    let mut order: Vec<OpId> = history.ops().collect();
    order.retain(|&op| !history.kind(op).is_fence());
    order.sort_by_key(|&op| history.order(op));
    order
}

fn decide(history: &History, model: Model) -> Option<bool> {
    let history = model.prepare(history);
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    match check(&history, &reads_from, model, &Options::default()).verdict {
        Verdict::Consistent(_) => Some(true),
        Verdict::Violation(_) => Some(false),
        _ => None,
    }
}

#[test]
fn the_order_of_the_run_is_a_memory_order() {
    for model in WEAK {
        for seed in 0..400 {
            let history = generate(&racy(model, seed)).unwrap();
            let parts = model.prepare(&history);
            let found = order::check(&parts, model, &performed(&parts));
            assert!(found.is_ok(), "{model} {seed}: {found:?}\n{}", print(&history));
        }
    }
}

#[test]
fn the_engine_finds_an_order_by_itself() {
    for model in WEAK.into_iter().filter(|model| !model.uses_ticks()) {
        for seed in 0..25 {
            let history = without_order(&generate(&racy(model, seed)).unwrap()).unwrap();
            assert!(!history.has_order());
            assert_eq!(decide(&history, model), Some(true), "{model} {seed}\n{}", print(&history));
        }
    }
}

/// Without the reordering that a model allows, its histories would be consistent under SC.
#[test]
fn reordering_shows() {
    for model in WEAK {
        let stronger = (0..40).filter(|&seed| {
            let racy = racy(model, seed);
            let weak = WeakMix { window: 16, ..racy.weak };
            let recipe = Recipe { threads: 4, locations: 4, weak, ..racy };
            let history = generate(&recipe).unwrap();
            decide(&history, Model::SC) == Some(false)
        });
        assert!(stronger.count() > 10, "{model}");
    }
}

#[test]
fn a_window_of_one_keeps_program_order() {
    for model in WEAK {
        let recipe = racy(model, 3);
        let weak = WeakMix { window: 1, ..recipe.weak };
        let history = generate(&Recipe { weak, ..recipe }).unwrap();
        let order = performed(&history);
        let of_a_thread = |thread| {
            let own = order.iter().filter(|&&op| history.thread_of(op) == thread);
            own.is_sorted()
        };
        assert!((0..history.threads().len()).all(of_a_thread), "{model}");
    }
}

#[test]
fn programs_have_what_the_instruction_set_has() {
    let model = Model::ARMV8;
    let mut recipe = Recipe { operations: 20_000, ..racy(model, 8) };
    recipe.weak.dependencies = 30;
    let history = generate(&recipe).unwrap();
    let ops = || history.ops();
    let annotations: BTreeSet<_> = ops().map(|op| history.annotation(op)).collect();
    assert_eq!(annotations.len(), history::Annotation::ALL.len());
    let fences: BTreeSet<Kind> =
        ops().map(|op| history.kind(op)).filter(|kind| kind.is_fence()).collect();
    assert_eq!(fences.len(), 1 + model.instructions().fences().len());
    let depends: BTreeSet<DependencyKind> =
        ops().flat_map(|op| history.dependencies(op)).map(|it| it.kind).collect();
    assert_eq!(depends.len(), DependencyKind::ALL.len());
    assert!(ops().any(|op| history.linked_load(op).is_some()));
    let bare = without_order(&history).unwrap();
    assert_eq!(bare.digest(), history.digest());
}

#[test]
fn repointed_reads_can_violate_the_model() {
    for model in WEAK {
        let violations = (0..30).filter(|&seed| {
            let recipe = Recipe { violations: 3, threads: 3, locations: 2, ..racy(model, seed) };
            decide(&generate(&recipe).unwrap(), model) == Some(false)
        });
        assert!(violations.count() > 5, "{model}");
    }
}

#[test]
fn wrong_shares_are_refused() {
    let with = |weak| generate(&Recipe { model: Model::RVWMO, weak, ..Recipe::default() });
    let usual = WeakMix::default();
    assert!(matches!(with(WeakMix { window: 0, ..usual }), Err(RecipeError::None(_))));
    let many = with(WeakMix { dependencies: 101, ..usual });
    assert!(matches!(many, Err(RecipeError::TooMany { .. })), "{many:?}");
    assert_eq!(with(usual).unwrap().len(), 1000);
}

/// Fences keep the order of each thread of a hard history, so its verdict is that under SC.
#[test]
fn hard_histories_have_fences() {
    for family in Family::all() {
        let hard = |model| hard(&HardRecipe { size: 2, model, ..HardRecipe::new(family) });
        let expected = decide(&hard(Model::SC).unwrap(), Model::SC);
        assert!(expected.is_some());
        for model in WEAK {
            assert_eq!(decide(&hard(model).unwrap(), model), expected, "{family} {model}");
        }
    }
}
