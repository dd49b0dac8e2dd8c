//! The algorithms of HPCA 2006: never wrong, complete where they backtrack, and as strong as the
//! paper says.

mod common;

use std::time::Duration;

use check::machine::explore;
use check::{Algorithm, Model, Options, Power, Reason, Verdict, check};
use common::{Mix, change_reads, print, program, run, seeded};
use history::{Ambiguity, History, ReadsFrom};
use rand::RngExt;

const FAMILY: [Algorithm; 6] = [
    Algorithm::TsoBaseline,
    Algorithm::HpcaR8,
    Algorithm::Heu,
    Algorithm::Deriv,
    Algorithm::HeuBack,
    Algorithm::DerivBack,
];
const MODELS: [Model; 2] = [Model::Sc, Model::Tso];

/// What an algorithm finds; every verdict is cross-checked by `check` itself.
fn decide(history: &History, model: Model, options: &Options) -> Result<bool, Reason> {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
    match check(history, &reads_from, model, options).verdict {
        Verdict::Consistent(_) => Ok(true),
        Verdict::Violation(_) => Ok(false),
        Verdict::Undecided(reason) => Err(reason),
        other => panic!("{other:?}"),
    }
}

fn options(algorithm: Algorithm, no_baseline: bool) -> Options {
    Options {
        algorithm,
        no_baseline,
        timeout: Some(Duration::from_secs(20)),
        ..Options::default()
    }
}

/// Runs all of them, with and without the baseline.
fn compare(history: &History, model: Model, expected: bool, label: &str) {
    for algorithm in FAMILY {
        for no_baseline in [false, true] {
            let found = decide(history, model, &options(algorithm, no_baseline));
            let told = || {
                format!(
                    "{label} {model} {algorithm:?} {no_baseline}\n{}",
                    print(history)
                )
            };
            match found {
                Ok(found) => assert_eq!(found, expected, "{}", told()),
                Err(Reason::NoForcedContradiction) => {
                    assert_eq!(algorithm.power(), Power::Refutes, "{}", told());
                }
                Err(Reason::GaveUp { placed, operations }) => {
                    assert_eq!(algorithm.power(), Power::Incomplete, "{}", told());
                    assert!(placed < operations, "{}", told());
                }
                Err(other) => panic!("{other:?} {}", told()),
            }
        }
    }
}

fn random(seeds: std::ops::Range<u64>, linked: bool) {
    let (mut consistent, mut violations) = (0, 0);
    for seed in seeds {
        let mut random = seeded(seed);
        let mix = Mix {
            threads: random.random_range(2..=4),
            operations: random.random_range(4..=12),
            locations: random.random_range(1..=3),
            linked,
        };
        let accesses = program(&mut random, mix);
        let machine = MODELS[random.random_range(0..2)];
        let finals = random.random_bool(0.3);
        let Some(history) = run(&mut random, &accesses, machine, finals) else {
            continue;
        };
        let changes = random.random_range(0..=3);
        let changed = change_reads(&mut random, &history, changes);
        for (history, label) in [(&history, "run"), (&changed, "changed")] {
            for model in MODELS {
                let Some(expected) = explore(history, model, 300_000) else {
                    continue;
                };
                let expected = expected.is_some();
                compare(history, model, expected, &format!("seed {seed} {label}"));
                *(if expected {
                    &mut consistent
                } else {
                    &mut violations
                }) += 1;
            }
        }
    }
    assert!(
        consistent > 100 && violations > 100,
        "{consistent} {violations}"
    );
}

#[test]
fn loads_stores_atomics_and_fences() {
    random(0..3000, false);
}

#[test]
fn load_linked_pairs() {
    random(100_000..101_500, true);
}
