//! The proof of a violation mentions no operation that could be removed.

mod common;

use check::{Algorithm, Model, Options, Verdict, check};
use common::{MODELS, Mix, change_reads, print, program, run, seeded};
use history::{Ambiguity, History, OpId, ReadsFrom};
use rand::RngExt;

fn verdict(history: &History, reads_from: &ReadsFrom, model: Model) -> Verdict {
    let options = Options { algorithm: Algorithm::Complete, ..Options::default() };
    check(history, reads_from, model, &options).verdict
}

#[test]
fn every_operation_of_a_proof_is_needed() {
    let mut proofs = 0;
    for seed in 0..250 {
        let mut random = seeded(seed);
        let mix = Mix {
            threads: random.random_range(2..=5),
            operations: random.random_range(10..=60),
            locations: random.random_range(1..=4),
            linked: false,
        };
        let accesses = program(&mut random, mix);
        let history = run(&mut random, &accesses, Model::SC, false).unwrap();
        let history = change_reads(&mut random, &history, 4);
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        for model in MODELS {
            let Verdict::Violation(violation) = verdict(&history, &reads_from, model) else {
                continue;
            };
            proofs += 1;
            let ops = violation.operations(|_| None);
            for &gone in &ops {
                let keep = |op: OpId| op != gone && ops.binary_search(&op).is_ok();
                let (rest, kept) = history.restrict(keep);
                let found = verdict(&rest, &reads_from.restrict(&kept), model);
                // Without the source of a read, the part may be undecided.
                assert!(
                    !matches!(found, Verdict::Violation(_)),
                    "seed {seed} {model}: {} can go\n{}",
                    history.describe(gone),
                    print(&history)
                );
            }
        }
    }
    assert!(proofs > 250, "{proofs}");
}
