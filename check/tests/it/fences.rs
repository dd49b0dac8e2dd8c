//! Tests of weak fences, acquires and releases: compares the engine with the exhaustive machine and the axioms, on
//! random histories and on litmus tests whose verdicts are known.

use crate::common::axioms::Axioms;
use crate::common::{
    MODELS, accesses_of, build, change_reads, decide, fenced_history, print, refine, seeded,
};
use certify::certificate::{Certificate, Name};
use certify::certificate::{Claim, Evidence};
use certify::verify;
use check::engine::steps::steps;
use check::generate::{self, Recipe, generate};
use check::{Algorithm, Model, Options, Verdict, check};
use history::{Access, Ambiguity, Annotation, History, Kind, Place, ReadsFrom, Side, WeakFence};
use memory::machine::{Step, explore};
use rand::RngExt;
use rand::seq::IndexedRandom;

#[test]
fn engine_machine_and_axioms_agree() {
    let mut counts = [[0, 0]; MODELS.len()];
    for seed in 0..3000 {
        let Some((history, _)) = fenced_history(seed, false, 9) else {
            continue;
        };
        for (at, model) in MODELS.into_iter().enumerate() {
            let Some(run) = explore(&history, model, 200_000) else {
                continue;
            };
            let expected = run.is_some();
            let label = || format!("seed {seed} {model}\n{}", print(&history));
            let axioms = Axioms::new(&history, model).satisfiable(0, &mut Vec::new());
            assert_eq!(axioms, expected, "axioms and machine: {}", label());
            compare(&history, model, expected, &label());
            counts[at][usize::from(expected)] += 1;
        }
    }
    assert!(counts.iter().flatten().all(|&count| count > 300), "{counts:?}");
}

#[test]
fn engine_and_machine_agree_on_longer_histories_and_linked_pairs() {
    let mut counts = [0, 0];
    for seed in 10_000..12_000 {
        let Some((history, _)) = fenced_history(seed, true, 13) else {
            continue;
        };
        for model in MODELS {
            let Some(run) = explore(&history, model, 100_000) else {
                continue;
            };
            let label = format!("seed {seed} {model}\n{}", print(&history));
            compare(&history, model, run.is_some(), &label);
            counts[usize::from(run.is_some())] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
}

/// Compares every stage with the known verdict, and verifies the certificates.
fn compare(history: &History, model: Model, expected: bool, label: &str) {
    for algorithm in [Algorithm::Stages, Algorithm::Complete, Algorithm::Sat] {
        let found = decide(history, model, algorithm);
        assert_eq!(found, Some(expected), "{algorithm:?} {label}");
    }
    for algorithm in [Algorithm::Saturate, Algorithm::TraceOrder] {
        let found = decide(history, model, algorithm);
        assert!(found.is_none_or(|it| it == expected), "{algorithm:?} {label}");
    }
}

/// The stages agree with each other on histories that are too long for an exhaustive search.
#[test]
fn stages_agree_on_long_histories() {
    let mut counts = [0, 0];
    for seed in 0..100 {
        let mut random = seeded(seed);
        let history = generate(&Recipe {
            model: *[Model::SC, Model::TSO].choose(&mut random).unwrap(),
            threads: random.random_range(2..=6),
            operations: random.random_range(30..=150),
            locations: random.random_range(2..=12),
            mix: generate::Mix {
                loads: 45,
                stores: 45,
                rmws: random.random_range(0..10),
                fences: random.random_range(0..4),
            },
            seed,
            ..Recipe::default()
        });
        let mut accesses = accesses_of(&history.unwrap());
        let share = [0.05, 0.2][random.random_range(0..2)];
        let annotations = [Annotation::Release, Annotation::AcquirePc];
        refine(&mut random, &mut accesses, (share, &WeakFence::ALL), &annotations);
        let history = build(&accesses, &[]);
        let changes = random.random_range(0..=2);
        let history = change_reads(&mut random, &history, changes);
        for model in MODELS {
            let label = format!("seed {seed} {model}");
            let found = decide(&history, model, Algorithm::Stages).expect(&label);
            compare(&history, model, found, &label);
            counts[usize::from(found)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 60), "{counts:?}");
}

/// A certificate of the history with full fences is rejected for the history with weak fences.
#[test]
fn certificates_of_other_fences_are_refused() {
    let mut refused = [0, 0];
    for seed in 30_000..31_500 {
        let Some((history, _)) = fenced_history(seed, false, 9) else {
            continue;
        };
        for (without, at) in [(true, 0), (false, 1)] {
            let other = with_other_fences(&history, without);
            let reads_from = ReadsFrom::derive(&other, Ambiguity::Refuse).unwrap();
            for model in [Model::TSO, Model::PSO] {
                let verdict = check(&other, &reads_from, model, &Options::default()).verdict;
                let evidence = match &verdict {
                    Verdict::Consistent(run) => Evidence::Consistent {
                        reads_from: Vec::new(),
                        steps: run.iter().map(|&step| named(&history, step)).collect(),
                    },
                    Verdict::Violation(violation) => Evidence::Violation(steps(&other, violation)),
                    other => panic!("{other:?}"),
                };
                let claimed = matches!(verdict, Verdict::Consistent(_));
                let Some(truth) = explore(&history, model, 100_000) else {
                    continue;
                };
                let certificate = Certificate::new(Claim::new(&history, model, ""), evidence);
                let verified = verify::verify(&history, &certificate);
                if truth.is_some() != claimed {
                    assert!(verified.is_err(), "seed {seed} {model}\n{}", print(&history));
                    refused[at] += 1;
                }
            }
        }
    }
    assert!(refused.iter().all(|&count| count > 20), "{refused:?}");
}

fn named(history: &History, step: Step) -> (bool, Name) {
    match step {
        Step::Execute(op) => (false, Name::of(history, op)),
        Step::Commit(op) => (true, Name::of(history, op)),
    }
}

/// The same operations without annotations, and with fences that order nothing under the model (if `without`) or
/// full fences instead of weak ones.
fn with_other_fences(history: &History, without: bool) -> History {
    let mut accesses = accesses_of(history);
    for access in &mut accesses {
        access.annotation = Annotation::None;
        if let Kind::WeakFence(_) = access.kind {
            access.kind = if without { Kind::fence(Side::Reads, Side::Both) } else { Kind::Fence };
        }
    }
    build(&accesses, &[])
}

/// Builds a history from the text of its threads. In it `x=1` is a store, `x:0` a load and `x:0=1` a
/// read-modify-write; `/rel`, `/acq`, `/pc` and `/both` annotate an access; `tso`, `full` and any word with a comma
/// are fences.
fn litmus(threads: &[&str]) -> History {
    let mut accesses = Vec::new();
    for (thread, text) in (0..).zip(threads) {
        for word in text.split_whitespace() {
            let (word, annotation) = word.split_once('/').unwrap_or((word, ""));
            let fence = match word {
                "full" => Some(Kind::Fence),
                word => Kind::from_name(&format!("fence {word}")),
            };
            if let Some(fence) = fence {
                accesses.push(Access::new(thread, fence, Place::Nowhere));
                continue;
            }
            let place = Place::Cell(u64::from(word.as_bytes()[0]));
            let (read, written) = word[1..].split_once('=').unwrap_or((&word[1..], ""));
            let read = read.strip_prefix(':').map(|value| value.parse().unwrap());
            let written: Option<u64> = written.parse().ok();
            let kind = match (read, written) {
                (Some(_), Some(_)) => Kind::Rmw,
                (Some(_), None) => Kind::Load,
                _ => Kind::Store,
            };
            accesses.push(Access {
                read,
                written,
                annotation: match annotation {
                    "rel" => Annotation::Release,
                    "acq" => Annotation::Acquire,
                    "pc" => Annotation::AcquirePc,
                    "both" => Annotation::AcquireRelease,
                    _ => Annotation::None,
                },
                ..Access::new(thread, kind, place)
            });
        }
    }
    build(&accesses, &[])
}

#[test]
fn litmus_tests_have_their_verdicts() {
    // Threads, and whether they are allowed by SC, TSO, PSO, and PSO with read-modify-writes that wait for all stores.
    let cases: &[(&[&str], [bool; 4])] = &[
        // Store buffering.
        (&["x=1 y:0", "y=1 x:0"], [false, true, true, true]),
        (&["x=1 w,r y:0", "y=1 w,r x:0"], [false; 4]),
        (&["x=1 w,rw y:0", "y=1 rw,r x:0"], [false; 4]),
        (&["x=1 w,r y:0", "y=1 full x:0"], [false; 4]),
        (&["x=1 w,r y:0", "y=1 x:0"], [false, true, true, true]),
        (&["x=1 r,w y:0", "y=1 r,w x:0"], [false, true, true, true]),
        (&["x=1 rw,w y:0", "y=1 tso x:0"], [false, true, true, true]),
        (&["x=1 w,w r,rw y:0", "y=1 w,r x:0"], [false, true, true, true]),
        // RCsc and RCpc.
        (&["x=1/rel y:0/acq", "y=1/rel x:0/acq"], [false; 4]),
        (&["x=1/rel y:0/pc", "y=1/rel x:0/acq"], [false, true, true, true]),
        (&["x=1/rel y:0", "y=1/rel x:0"], [false, true, true, true]),
        (&["x=1 y:0/acq", "y=1 x:0/acq"], [false, true, true, true]),
        // The release waits for the store before it, and the acquire for the release.
        (&["x=1 z=1/rel w:0/acq y:0", "y=1 full x:0"], [false; 4]),
        (&["x=1 z=1/rel w:0/pc y:0", "y=1 full x:0"], [false, true, true, true]),
        // A load that is ordered after a store is not served by the buffer.
        (&["x=1 x:1 y:0", "y=1 y:1 x:0"], [false, true, true, true]),
        (&["x=1/rel x:1/acq y:0", "y=1/rel y:1/acq x:0"], [false; 4]),
        // Message passing.
        (&["x=1 y=1", "y:1 x:0"], [false, false, true, true]),
        (&["x=1 w,w y=1", "y:1 r,r x:0"], [false; 4]),
        (&["x=1 tso y=1", "y:1 x:0"], [false; 4]),
        (&["x=1 rw,w y=1", "y:1 x:0"], [false; 4]),
        (&["x=1 w,r y=1", "y:1 x:0"], [false, false, true, true]),
        (&["x=1 w,r r,w y=1", "y:1 x:0"], [false, false, true, true]),
        (&["x=1 w,r z:0 y=1", "y:1 x:0"], [false; 4]),
        (&["x=1 w,rw y=1", "y:1 x:0"], [false; 4]),
        (&["x=1 r,rw y=1", "y:1 r,rw x:0"], [false, false, true, true]),
        (&["x=1 y=1/rel", "y:1 x:0"], [false; 4]),
        (&["x=1/rel y=1", "y:1 x:0"], [false, false, true, true]),
        (&["x=1 z=1/rel y=1", "y:1 x:0"], [false, false, true, true]),
        (&["x=1 z=1/rel y=1", "y:1 x:0 z:0"], [false, false, true, true]),
        // A read-modify-write counts as a write, and one with a release waits for the stores before it.
        (&["x=1 y:0=1", "y:1 x:0"], [false, false, true, false]),
        (&["x=1 w,w y:0=1", "y:1 x:0"], [false; 4]),
        (&["x=1 w,r y:0=1", "y:1 x:0"], [false; 4]),
        (&["x=1 r,w y:0=1", "y:1 x:0"], [false, false, true, false]),
        (&["x=1 y:0=1/rel", "y:1 x:0"], [false; 4]),
        (&["x=1 y:0=1/acq", "y:1 x:0"], [false, false, true, false]),
        (&["x=1 y:0=1/both", "y:1 x:0"], [false; 4]),
        // Write to read causality and two plus two writes.
        (&["x=1 w,w y=2", "y=1 w,w x=2", "x:2 x:1", "y:2 y:1"], [false; 4]),
        (&["x=1 y=2", "y=1 x=2", "x:2 x:1", "y:2 y:1"], [false, false, true, true]),
        (&["x=1 w,r y=2", "y=1 w,r x=2", "x:2 x:1", "y:2 y:1"], [false, false, true, true]),
    ];
    for (threads, expected) in cases {
        let history = litmus(threads);
        for (model, expected) in MODELS.into_iter().zip(expected) {
            let label = format!("{threads:?} {model}");
            let run = explore(&history, model, 100_000).unwrap();
            assert_eq!(run.is_some(), *expected, "machine: {label}");
            let axioms = Axioms::new(&history, model).satisfiable(0, &mut Vec::new());
            assert_eq!(axioms, *expected, "axioms: {label}");
            compare(&history, model, *expected, &label);
        }
    }
}
