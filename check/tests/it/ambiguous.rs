//! Tests of histories in which values are written more than once: the engine chooses the sources of reads, and its
//! verdicts equal those of the exhaustive machine.

use crate::common::{
    MODELS, Mix, accesses_of, build, certified, change_reads, print, program, run, seeded,
};
use check::engine::proof::Violation;
use check::{Algorithm, Model, Options, Verdict, check};
use history::{Access, Ambiguity, History, Kind, Place, ReadsFrom};
use memory::machine::explore;
use rand::RngExt;

/// Makes a random history with few values from a run of a model's machine.
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
    // An atomic that writes the value it reads would be another kind of operation.
    let keeps = |access: &Access| access.kind == Kind::Rmw && access.read == access.written;
    (!accesses_of(&changed).iter().any(keeps)).then_some(changed)
}

fn verdict(history: &History, model: Model, algorithm: Algorithm) -> Verdict {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Keep).unwrap();
    let options = Options { algorithm, ..Options::default() };
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
    // Both verdicts must occur often, and so must proofs that mention candidates.
    let enough = consistent > 300 && violations > 300 && chosen > 100;
    assert!(enough, "{consistent} {violations} {chosen}");
}

#[test]
fn loads_stores_atomics_and_fences() {
    compare(0..700, false);
}

/// Store buffering in which a thread reads its own store early, and another thread writes the same value:
/// the own store is a possible source even if it reaches memory later.
#[test]
fn a_forwarded_store_may_reach_memory_after_the_read() {
    let store = |thread, cell| Access {
        written: Some(1),
        ..Access::new(thread, Kind::Store, Place::Cell(cell))
    };
    let load = |thread, cell, value| Access {
        read: Some(value),
        ..Access::new(thread, Kind::Load, Place::Cell(cell))
    };
    let fence = Access::new(0, Kind::Fence, Place::Nowhere);
    let mut accesses = vec![store(0, 1), fence, load(0, 2, 0)];
    accesses.extend([load(1, 2, 1), store(1, 2)]);
    accesses.extend([store(2, 2), load(2, 2, 1), load(2, 1, 0)]);
    let history = build(&accesses, &[]);
    for model in MODELS {
        let expected = explore(&history, model, 100_000).unwrap().is_some();
        assert_eq!(expected, model.forwards());
        for algorithm in [Algorithm::Stages, Algorithm::Sat] {
            let found = certified(&history, model, &verdict(&history, model, algorithm));
            assert_eq!(found, Some(expected), "{model} {algorithm:?}");
        }
    }
}

/// Histories in which reads of own stores are frequent: threads of two or three operations on two cells
/// that store only one value.
#[test]
fn own_stores_of_values_that_others_store_too() {
    const SHAPES: [&[Kind]; 5] = [
        &[Kind::Store, Kind::Fence, Kind::Load],
        &[Kind::Load, Kind::Store],
        &[Kind::Store, Kind::Load, Kind::Load],
        &[Kind::Load, Kind::Load],
        &[Kind::Store, Kind::Load],
    ];
    let mut counts = [0, 0];
    for seed in 0..4000 {
        let mut random = seeded(seed);
        let mut accesses = Vec::new();
        for thread in 0..3 {
            for &kind in SHAPES[random.random_range(0..SHAPES.len())] {
                let cell = Place::Cell(random.random_range(0..2));
                let place = if kind.is_fence() { Place::Nowhere } else { cell };
                accesses.push(Access {
                    written: kind.writes().then_some(1),
                    read: kind.reads().then(|| random.random_range(0..2)),
                    ..Access::new(thread, kind, place)
                });
            }
        }
        let history = build(&accesses, &[]);
        for model in MODELS {
            let expected = explore(&history, model, 100_000).unwrap().is_some();
            for algorithm in [Algorithm::Stages, Algorithm::Sat] {
                let found = certified(&history, model, &verdict(&history, model, algorithm));
                let label = || format!("seed {seed} {model} {algorithm:?}\n{}", print(&history));
                assert_eq!(found, Some(expected), "{}", label());
            }
            counts[usize::from(expected)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 1000), "{counts:?}");
}

#[test]
fn load_linked_pairs() {
    compare(50_000..50_400, true);
}

/// Leaving out a candidate would be unsound, so these proofs are not minimised.
#[test]
fn a_proof_lists_all_candidates() {
    let proofs = (0..1500).filter_map(|seed| history(seed, false, Model::TSO));
    let proofs = proofs.filter_map(|history| match verdict(&history, Model::SC, Algorithm::Sat) {
        Verdict::Violation(violation) => Some(violation),
        _ => None,
    });
    let speaks = |proof: &Violation| proof.chooses_sources();
    let proofs: Vec<Violation> = proofs.filter(speaks).collect();
    assert!(proofs.len() > 20, "{}", proofs.len());
    assert!(proofs.iter().all(|proof| !proof.resolvents.is_empty()));
}
