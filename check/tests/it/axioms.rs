//! Compares the axiomatic definitions (CAV 2019, section 2), decided by trying every store order of small
//! histories, with the engine. `random.rs` compares the machines with the engine.

use crate::common::axioms::Axioms;
use crate::common::{MODELS, change_reads, decide, print, run, seeded, sized_program};
use check::Algorithm;
use rand::RngExt;

#[test]
fn engine_agrees_with_the_axioms() {
    let mut counts = [0, 0];
    for seed in 0..2500 {
        let mut random = seeded(seed);
        let accesses = sized_program(&mut random, (2..=4, 4..=9, 1..=3), false);
        let machine = MODELS[random.random_range(0..MODELS.len())];
        let finals = random.random_bool(0.3);
        let history = run(&mut random, &accesses, machine, finals).unwrap();
        let changes = random.random_range(0..=2);
        let history = change_reads(&mut random, &history, changes);
        for model in MODELS {
            let expected = Axioms::new(&history, model).satisfiable(0, &mut Vec::new());
            let found = decide(&history, model, Algorithm::Complete);
            assert_eq!(found, Some(expected), "seed {seed} {model}\n{}", print(&history));
            counts[usize::from(expected)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
}
