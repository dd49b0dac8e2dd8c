//! Tests of the search over interleavings (DBCOP): compares it with the machine and the corpus, and runs it on long
//! histories and within bounds.

use crate::common;
use std::time::Duration;

use crate::common::corpus::Corpus;
use crate::common::{change_reads, outcome, print, run, seeded, sized_program};
use check::generate::{Recipe, generate, without_order};
use check::{Algorithm, Model, Options, Outcome, Reason, Verdict, check};
use history::{Ambiguity, History, ReadsFrom};
use memory::machine::explore;
use rand::RngExt;

const BOTH: [Algorithm; 2] = [papers::DBCOP, papers::WSC_DBCOP];

fn is_consistent(outcome: &Outcome) -> bool {
    match outcome.verdict {
        Verdict::Consistent(_) => true,
        Verdict::Violation(_) => false,
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn random_histories() {
    let (mut consistent, mut violations) = (0, 0);
    for seed in 0..1500 {
        let mut random = seeded(seed);
        let accesses = sized_program(&mut random, (2..=4, 4..=12, 1..=3), seed % 2 == 0);
        let finals = random.random_bool(0.4);
        let Some(valid) = run(&mut random, &accesses, Model::SC, finals) else {
            continue;
        };
        let changes = random.random_range(1..=3);
        for history in [change_reads(&mut random, &valid, changes), valid] {
            let Some(found) = explore(&history, Model::SC, 300_000) else {
                continue;
            };
            for algorithm in BOTH {
                let outcome = outcome(&history, Model::SC, algorithm);
                let label = format!("seed {seed} {algorithm:?}\n{}", print(&history));
                assert_eq!(is_consistent(&outcome), found.is_some(), "{label}");
            }
            match found {
                Some(_) => consistent += 1,
                None => violations += 1,
            }
        }
    }
    assert!(consistent > 1000 && violations > 300, "{consistent} {violations}");
}

/// With saturation, the search visits a subset of the frontiers.
#[test]
fn saturation_prunes_frontiers() {
    let (mut plain, mut saturated) = (0, 0);
    for seed in 0..20 {
        let history = valid(4, 60, 3, seed);
        let [without, with] = BOTH.map(|algorithm| outcome(&history, Model::SC, algorithm));
        assert!(is_consistent(&without) && is_consistent(&with));
        assert!(with.statistics.ordered.is_some());
        plain += without.statistics.nodes.unwrap();
        saturated += with.statistics.nodes.unwrap();
    }
    assert!(saturated < plain, "{saturated} {plain}");
}

fn valid(threads: u32, operations: u32, locations: u32, seed: u64) -> History {
    let recipe = Recipe { threads, operations, locations, seed, ..Recipe::default() };
    without_order(&generate(&recipe).unwrap()).unwrap()
}

on_corpus!(oracle_histories, "oracle", dbcop_is_right);

fn dbcop_is_right(corpus: &Corpus) {
    let verdicts = corpus.table("verdicts.csv");
    for history in corpus.histories() {
        let name = history.name.as_deref().unwrap();
        for algorithm in BOTH {
            let found = is_consistent(&outcome(&history, Model::SC, algorithm));
            let expected = verdicts[name]["sc"] == "1";
            assert_eq!(found, expected, "{name} {algorithm:?}");
        }
    }
}

/// One thread that overwrites and reads back: the search has no choice and is as deep as the history is
/// long.
#[test]
fn a_deep_search_does_not_overflow_the_stack() {
    let mut accesses = Vec::new();
    for at in 0..100_000u64 {
        let place = history::Place::Cell(at % 7);
        let kind = history::Kind::Store;
        accesses.push(history::Access {
            written: Some(at + 1),
            ..history::Access::new((at % 2) as u32, kind, place)
        });
    }
    let history = common::build(&accesses, &[]);
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    for algorithm in BOTH {
        let options = Options { algorithm, ..Options::default() };
        let outcome = check(&history, &reads_from, Model::SC, &options);
        assert!(is_consistent(&outcome));
        assert_eq!(outcome.statistics.nodes, Some(100_000));
    }
}

#[test]
fn bounds_end_in_undecided() {
    let history = valid(6, 300, 8, 1);
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    for algorithm in BOTH {
        let limited = |timeout, max_memory| {
            let options = Options { algorithm, timeout, max_memory, ..Options::default() };
            check(&history, &reads_from, Model::SC, &options).verdict
        };
        let late = limited(Some(Duration::ZERO), None);
        assert_eq!(late, Verdict::Undecided(Reason::Timeout));
        let large = limited(None, Some(1));
        assert_eq!(large, Verdict::Undecided(Reason::Memory));
    }
}

/// A long search stops when a bound is met.
#[test]
fn a_long_search_meets_its_bounds() {
    let history = valid(16, 800, 16, 3);
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    let options = Options {
        algorithm: papers::DBCOP,
        timeout: Some(Duration::from_millis(50)),
        ..Options::default()
    };
    let verdict = check(&history, &reads_from, Model::SC, &options).verdict;
    assert_eq!(verdict, Verdict::Undecided(Reason::Timeout));
}
