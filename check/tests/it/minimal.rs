//! Tests that the proof of a violation mentions no operation that could be removed.

use crate::common::{MODELS, change_reads, print, run, seeded, sized_program};
use check::{Algorithm, Model, Options, Verdict, check};
use history::{Ambiguity, History, OpId, ReadsFrom};

fn verdict(history: &History, reads_from: &ReadsFrom, model: Model) -> Verdict {
    let options = Options { algorithm: Algorithm::Complete, ..Options::default() };
    check(history, reads_from, model, &options).verdict
}

#[test]
fn every_operation_of_a_proof_is_needed() {
    let mut proofs = 0;
    for seed in 0..250 {
        let mut random = seeded(seed);
        let accesses = sized_program(&mut random, (2..=5, 10..=60, 1..=4), false);
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
