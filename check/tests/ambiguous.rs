//! Values that are written more than once: the engine chooses where reads take them from, and its
//! verdicts are those of the exhaustive machine.

mod common;

use memory::machine::explore;
use check::proof::Violation;
use check::{Algorithm, Model, Options, Verdict, check};
use common::{MODELS, Mix, accesses_of, certified, change_reads, print, program, run, seeded};
use history::{Access, Ambiguity, History, Kind, ReadsFrom};
use rand::RngExt;

/// A random history whose values are few, from a run of a machine.
fn history(seed: u64, linked: bool, model: Model) -> Option<History> {
    let mut random = seeded(seed);
    let mix = Mix {
        threads: random.random_range(2..=4),
        operations: random.random_range(4..=11),
        locations: random.random_range(1..=2),
        linked,
    };
    let values = random.random_range(2..=4);
    let mut accesses = program(&mut random, mix);
    for access in &mut accesses {
        access.written = access.written.map(|value| value % values);
    }
    let finals = random.random_bool(0.4);
    let history = run(&mut random, &accesses, model, finals)?;
    let changes = random.random_range(0..=3);
    let changed = change_reads(&mut random, &history, changes);
    // An atomic that writes what it reads is another kind of operation.
    let keeps = |access: &Access| access.kind == Kind::Rmw && access.read == access.written;
    (!accesses_of(&changed).iter().any(keeps)).then_some(changed)
}

fn verdict(history: &History, model: Model, algorithm: Algorithm) -> Verdict {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Keep).unwrap();
    let options = Options {
        algorithm,
        ..Options::default()
    };
    check(history, &reads_from, model, &options).verdict
}

fn compare(seeds: std::ops::Range<u64>, linked: bool) {
    let (mut consistent, mut violations, mut chosen) = (0, 0, 0);
    for seed in seeds {
        for made_by in MODELS {
            let Some(history) = history(seed, linked, made_by) else {
                continue;
            };
            for model in MODELS {
                let Some(expected) = explore(&history, model, 100_000) else {
                    continue;
                };
                for algorithm in [Algorithm::Stages, Algorithm::Sat] {
                    let found = verdict(&history, model, algorithm);
                    let label = format!("seed {seed} {model} {algorithm:?}\n{}", print(&history));
                    if let Verdict::Violation(violation) = &found {
                        chosen += usize::from(violation.chooses_sources());
                    }
                    let found = certified(&history, model, &found);
                    assert_eq!(found, Some(expected.is_some()), "{label}");
                }
                match expected {
                    Some(_) => consistent += 1,
                    None => violations += 1,
                }
            }
        }
    }
    // Both kinds must occur often, and so must proofs that speak of candidates.
    let enough = consistent > 300 && violations > 300 && chosen > 100;
    assert!(enough, "{consistent} {violations} {chosen}");
}

#[test]
fn loads_stores_atomics_and_fences() {
    compare(0..700, false);
}

#[test]
fn load_linked_pairs() {
    compare(50_000..50_400, true);
}

/// Leaving out a candidate would prove too much, so these proofs stay as they are.
#[test]
fn a_proof_that_speaks_of_candidates_names_them_all() {
    let proofs = (0..1500).filter_map(|seed| history(seed, false, Model::TSO));
    let proofs = proofs.filter_map(
        |history| match verdict(&history, Model::SC, Algorithm::Sat) {
            Verdict::Violation(violation) => Some(violation),
            _ => None,
        },
    );
    let speaks = |proof: &Violation| proof.chooses_sources();
    let proofs: Vec<Violation> = proofs.filter(speaks).collect();
    assert!(proofs.len() > 20, "{}", proofs.len());
    assert!(proofs.iter().all(|proof| !proof.resolvents.is_empty()));
}
