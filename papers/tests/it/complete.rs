//! Tests of the papers' complete algorithms: every verdict equals that of the oracle and of the exhaustive machine,
//! and has a certificate.

use std::time::Duration;

use crate::common::corpus::Corpus;
use crate::common::{Mix, certified, change_reads, print, program, run, seeded};
use check::algorithm::Power;
use check::{Algorithm, Model, Options, Reason, Verdict, check};
use history::{Ambiguity, History, ReadsFrom};
use memory::machine::explore;
use rand::RngExt;

/// The algorithms that decide a model, given enough time.
fn complete(model: Model) -> impl Iterator<Item = Algorithm> {
    let all = papers::ALL.into_iter();
    all.filter(move |algorithm| {
        !algorithm.is_stage() && algorithm.power() == Power::Complete && algorithm.applies_to(model)
    })
}

/// The verdict, whose certificate is verified; `None` if the time limit was met.
fn decide(history: &History, model: Model, algorithm: Algorithm) -> Option<bool> {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
    let options =
        Options { algorithm, timeout: Some(Duration::from_secs(2)), ..Options::default() };
    let verdict = check(history, &reads_from, model, &options).verdict;
    if let Verdict::Undecided(reason) = &verdict {
        assert_eq!(*reason, Reason::Timeout, "{}", algorithm.name());
    }
    certified(history, model, &verdict)
}

#[test]
fn random_histories() {
    let (mut consistent, mut violations) = (0, 0);
    for seed in 0..600 {
        let mut random = seeded(seed);
        let mix = Mix {
            threads: random.random_range(2..=4),
            operations: random.random_range(4..=12),
            locations: random.random_range(1..=3),
            linked: random.random_bool(0.3),
        };
        let model = [Model::SC, Model::TSO][random.random_range(0..2)];
        let accesses = program(&mut random, mix);
        let finals = random.random_bool(0.3);
        let Some(history) = run(&mut random, &accesses, model, finals) else {
            continue;
        };
        let changes = random.random_range(0..=2);
        let history = change_reads(&mut random, &history, changes);
        for model in [Model::SC, Model::TSO] {
            let Some(expected) = explore(&history, model, 100_000) else {
                continue;
            };
            for algorithm in complete(model) {
                let found = decide(&history, model, algorithm);
                let label = format!("seed {seed} {model} {}", algorithm.name());
                assert_eq!(found, Some(expected.is_some()), "{label}\n{}", print(&history));
            }
            match expected {
                Some(_) => consistent += 1,
                None => violations += 1,
            }
        }
    }
    assert!(consistent > 200 && violations > 200, "{consistent} {violations}");
}

on_corpus!(oracle_histories, "oracle", all_algorithms_are_right);

fn all_algorithms_are_right(corpus: &Corpus) {
    let verdicts = corpus.table("verdicts.csv");
    let mut late = Vec::new();
    for history in corpus.histories() {
        let name = history.name.clone().unwrap();
        for (column, model) in [("sc", Model::SC), ("tso", Model::TSO)] {
            let expected = verdicts[&name][column] == "1";
            for algorithm in complete(model) {
                let label = format!("{name} {model} {}", algorithm.name());
                match decide(&history, model, algorithm) {
                    Some(found) => assert_eq!(found, expected, "{label}"),
                    None => late.push(label),
                }
            }
        }
    }
    // Enumeration and backtracking are exponential where pairs are hard.
    assert!(late.len() < 50, "{late:?}");
}

/// Whether a history violates a criterion, or a model as decided by the stages.
fn refutes(history: &History, model: Model, algorithm: Algorithm) -> bool {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
    let options = Options { algorithm, ..Options::default() };
    let verdict = check(history, &reads_from, model, &options).verdict;
    matches!(verdict, Verdict::Violation(_) | Verdict::CriterionViolation(_))
}

/// SC ⇒ wSC ⇒ CCM ⇒ {CC, CCv, CM}, TSO ⇒ wTSO ⇒ wCCM and TSO ⇒ {CC, CCv}: a history that violates the
/// weaker one violates the stronger one.
#[test]
fn the_lattice_of_criteria() {
    use Algorithm::Stages;
    use papers::{CC, CCM, CCV, CM, WCCM, WSC, WTSO};
    let implications = [
        (Model::SC, Stages, WSC),
        (Model::SC, WSC, CCM),
        (Model::SC, CCM, CC),
        (Model::SC, CCM, CCV),
        (Model::SC, CCM, CM),
        (Model::TSO, Stages, WTSO),
        (Model::TSO, WTSO, WCCM),
        (Model::TSO, Stages, CC),
        (Model::TSO, Stages, CCV),
    ];
    let mut refuted = [0; 9];
    for seed in 0..3000 {
        let mut random = seeded(seed);
        let mix = Mix {
            threads: random.random_range(2..=4),
            operations: random.random_range(4..=16),
            locations: random.random_range(1..=3),
            linked: random.random_bool(0.3),
        };
        let accesses = program(&mut random, mix);
        let model = [Model::SC, Model::TSO][random.random_range(0..2)];
        let Some(history) = run(&mut random, &accesses, model, false) else {
            continue;
        };
        let changes = random.random_range(0..=3);
        let history = change_reads(&mut random, &history, changes);
        for (&(model, stronger, weaker), refuted) in implications.iter().zip(&mut refuted) {
            if refutes(&history, model, weaker) {
                *refuted += 1;
                let names = format!("{model}: {} {}", stronger.name(), weaker.name());
                assert!(refutes(&history, model, stronger), "{names}\n{}", print(&history));
            }
        }
    }
    assert!(refuted.iter().all(|&refuted| refuted > 100), "{refuted:?}");
}
