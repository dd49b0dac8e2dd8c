//! Compares every stage with the exhaustive search of the operational machines on small random histories,
//! and verifies every certificate.

use crate::common::{MODELS, change_reads, decide, print, run, seeded, sized_program};
use check::{Algorithm, Model};
use history::History;
use memory::machine::explore;
use rand::RngExt;

/// Compares all stages with the machine; returns whether the history is consistent.
fn compare(history: &History, model: Model, label: &str) -> Option<bool> {
    let expected = explore(history, model, 300_000)?.is_some();
    for algorithm in [Algorithm::Stages, Algorithm::Complete, Algorithm::Sat] {
        let found = decide(history, model, algorithm);
        assert_eq!(found, Some(expected), "{label} {model} {algorithm:?}\n{}", print(history));
    }
    if let Some(found) = decide(history, model, Algorithm::Saturate) {
        assert_eq!(found, expected, "{label} {model} saturate\n{}", print(history));
    }
    Some(expected)
}

fn search(seeds: std::ops::Range<u64>, linked: bool) {
    let (mut consistent, mut violations) = (0, 0);
    for seed in seeds {
        let mut random = seeded(seed);
        let accesses = sized_program(&mut random, (2..=4, 4..=12, 1..=3), linked);
        let machine = MODELS[random.random_range(0..MODELS.len())];
        let finals = random.random_bool(0.3);
        let Some(history) = run(&mut random, &accesses, machine, finals) else {
            continue;
        };
        assert_ne!(compare(&history, machine, &format!("seed {seed}")), Some(false));
        let changes = random.random_range(0..=3);
        let changed = change_reads(&mut random, &history, changes);
        for model in MODELS {
            match compare(&changed, model, &format!("seed {seed}, changed")) {
                Some(true) => consistent += 1,
                Some(false) => violations += 1,
                None => {}
            }
        }
    }
    // Both verdicts must occur often, or the test shows little.
    assert!(consistent > 100 && violations > 100, "{consistent} {violations}");
}

#[test]
fn loads_stores_atomics_and_fences() {
    search(0..4000, false);
}

#[test]
fn load_linked_pairs() {
    search(100_000..102_000, true);
}
