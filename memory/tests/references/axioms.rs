//! Compares the operational machines with the axioms, and the models with each other, on small random histories.

use crate::common::{build, random};
use history::History;
use memory::Execution;
use memory::axioms::allows;
use memory::machine::explore;
use memory::{Model, PsoRmw, models};

/// Every model with its variants.
fn every_model() -> Vec<Model> {
    let variants =
        models::with_machines().flat_map(|model| PsoRmw::ALL.map(|rmw| model.with_rmw(rmw)));
    let mut every: Vec<Model> = variants.collect();
    every.dedup();
    every
}

/// Which models allow a history, by the axioms.
fn allowed(history: &History) -> Vec<(Model, bool)> {
    let execution = Execution::new(history).unwrap();
    let models = every_model().into_iter();
    models.map(|model| (model, allows(&execution, &model))).collect()
}

#[test]
fn the_machine_is_what_the_axioms_say() {
    let mut counts = [0, 0];
    for seed in 0..1500 {
        let accesses = random(seed, 7, seed % 2 == 0);
        let history = build(&accesses);
        for (model, expected) in allowed(&history) {
            let run = explore(&history, model, 200_000).expect("a small state space");
            assert_eq!(run.is_some(), expected, "seed {seed} {model} {accesses:#?}");
            counts[usize::from(expected)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 1000), "{counts:?}");
}

#[test]
fn a_model_allows_what_stronger_ones_do() {
    // Counts the histories that `strong` allows and `weak`, which does not include it, forbids.
    let mut distinguished = 0;
    for seed in 10_000..12_000 {
        let history = build(&random(seed, 7, false));
        let allowed = allowed(&history);
        for &(weak, allows_weak) in &allowed {
            for &(strong, allows_strong) in &allowed {
                if weak.includes(strong) {
                    assert!(allows_weak || !allows_strong, "seed {seed}: {weak}, {strong}");
                } else {
                    distinguished += usize::from(allows_strong && !allows_weak);
                }
            }
        }
    }
    assert!(distinguished > 30, "{distinguished}");
}
