//! An independent, naive checker of every model, and what `rubric` answers.
//!
//! The checker shares no code with `check`, `certify`, `memory` or `history`. It has a plain form of recorded runs ([`run`]), tries
//! every source of each read and every order of the writes to each location ([`execution`]), and asks the axioms of the model, as
//! the papers, manuals and cat files state them ([`models`]). Random runs ([`random`], [`cycle`]) are written as JSON, which
//! `rubric` reads, and the answers are compared ([`compare`]).
//!
//! `RUBRIC_NAIVE_RUNS` is the number of runs, and `RUBRIC_NAIVE_SEED` the seed of the first: `make naive RUNS=1000000 SEED=5`
//! compares more than `make test`. A run that is answered wrongly is made small and printed.
mod atoms;
mod compare;
mod cycle;
mod execution;
mod json;
mod models;
mod random;
mod relation;
mod run;
mod shrink;

use std::collections::BTreeMap;
use std::env;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use compare::{Answer, Expected};
use models::{Axioms, MODELS};
use random::Feature;
use run::Run;

/// Number of runs whose verdicts are compared with the axioms, unless the environment says otherwise.
const RUNS: u64 = 20_000;

fn number(name: &str, default: u64) -> u64 {
    match env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name}={text}: expected a number")),
        Err(_) => default,
    }
}

/// How often each answer was given, by model and by feature.
#[derive(Default)]
struct Tally(BTreeMap<(String, &'static str), [u64; 3]>);

impl Tally {
    fn add(&mut self, what: String, kind: &'static str, answer: Answer) {
        self.0.entry((what, kind)).or_default()[answer as usize] += 1;
    }

    fn merge(&mut self, other: Tally) {
        for (key, counts) in other.0 {
            let sum = self.0.entry(key).or_default();
            sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }
}

/// The features that runs may have: all, or without those that `RUBRIC_NAIVE_WITHOUT` names, separated by commas.
fn features() -> Vec<Feature> {
    let without = env::var("RUBRIC_NAIVE_WITHOUT");
    let is_without = |feature: &Feature| match &without {
        Ok(names) => names.split(',').any(|name| name == format!("{feature:?}")),
        Err(_) => false,
    };
    Feature::ALL.into_iter().filter(|feature| !is_without(feature)).collect()
}

/// Examines the runs of many seeds, on all processors. `examine` returns what is wrong with a run.
fn all(
    runs: u64,
    examine: impl Fn(u64, &Run, &[Feature], &mut Tally) -> Result<(), String> + Sync,
) -> Tally {
    let features = features();
    let next = AtomicU64::new(number("RUBRIC_NAIVE_SEED", 1));
    let end = next.load(Ordering::Relaxed) + runs;
    let work = || {
        let mut tally = Tally::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= end {
                return tally;
            }
            let (run, features) = random::run(seed, &features);
            let examined = AssertUnwindSafe(|| examine(seed, &run, &features, &mut tally));
            let found = panic::catch_unwind(examined);
            if let Err(wrong) = found.unwrap_or_else(|_| Err(about(seed, &run, "a panic"))) {
                // The other threads need not go on.
                next.store(end, Ordering::Relaxed);
                panic!("{wrong}");
            }
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let mut tally = Tally::default();
        for worker in workers {
            tally.merge(worker.join().expect("a run is answered wrongly"));
        }
        tally
    })
}

/// A message about a run, with the run in text.
fn about(seed: u64, run: &Run, what: &str) -> String {
    format!("seed {seed}: {what}\n{}", json::line(run))
}

/// Whether a run gets this answer, which is wrong.
fn is_wrong(run: &Run, axioms: &dyn Axioms, answer: Answer) -> bool {
    // Nothing is decided about a history without operations.
    !run.threads.is_empty()
        && compare::answer(&compare::history(run), compare::model(axioms), false) == answer
        && !Expected::of(run, axioms).includes(answer)
}

/// Compares the answers for one run, the models in a random order.
fn compare_all(
    seed: u64,
    run: &Run,
    features: &[Feature],
    tally: &mut Tally,
) -> Result<(), String> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut models = MODELS;
    models.shuffle(&mut random);
    let history = compare::history(run);
    for axioms in models {
        let expected = Expected::of(run, axioms);
        let answer = compare::answer(&history, compare::model(axioms), random.random_ratio(1, 8));
        tally.add(axioms.name().to_owned(), "model", answer);
        features.iter().for_each(|feature| tally.add(format!("{feature:?}"), "feature", answer));
        if !expected.includes(answer) {
            let small = shrink::smallest(run, |run| is_wrong(run, axioms, answer));
            let what = format!(
                "{} is said to be {answer:?}, but by the axioms {:?}; small:",
                axioms.name(),
                Expected::of(&small, axioms)
            );
            return Err(about(seed, &small, &what));
        }
    }
    Ok(())
}

#[test]
fn verdicts_follow_from_the_axioms() {
    let runs = number("RUBRIC_NAIVE_RUNS", RUNS);
    let tally = all(runs, compare_all);
    for ((what, kind), counts) in &tally.0 {
        println!("{kind} {what}: {counts:?}");
    }
    // Each model and each feature has many runs of both answers.
    for ((what, _), [consistent, violation, _]) in &tally.0 {
        let expected = runs.min(RUNS) / 50;
        assert!(
            *consistent > expected && *violation > expected,
            "{what}: {consistent} {violation}"
        );
    }
    assert_eq!(tally.0.len(), MODELS.len() + features().len());
}

/// A verdict of a model does not depend on which models were asked before about the same history.
#[test]
fn models_do_not_influence_each_other() {
    all(number("RUBRIC_NAIVE_RUNS", RUNS) / 10, |seed, run, _, _| {
        let mut random = StdRng::seed_from_u64(seed);
        let alone: Vec<Answer> = MODELS
            .iter()
            .map(|axioms| compare::answer(&compare::history(run), compare::model(*axioms), false))
            .collect();
        let mut list: Vec<usize> = (0..MODELS.len()).chain(0..MODELS.len()).collect();
        list.shuffle(&mut random);
        let history = compare::history(run);
        for (place, &at) in list.iter().enumerate() {
            let answer = compare::answer(&history, compare::model(MODELS[at]), true);
            if answer != alone[at] {
                let names: Vec<&str> = list[..=place].iter().map(|&at| MODELS[at].name()).collect();
                let what = format!("{answer:?} after {}, alone {:?}", names.join(","), alone[at]);
                return Err(about(seed, run, &what));
            }
        }
        Ok(())
    });
}

/// Each model, and the next weaker one: what the first allows, the second allows.
const WEAKER: [(&str, &str); 10] = [
    ("sc", "ibm370"),
    ("ibm370", "tso"),
    ("tso", "pso --pso-rmw all"),
    ("pso --pso-rmw all", "pso"),
    ("pso", "wmo"),
    ("wmo", "rmo"),
    ("sc", "ztso"),
    ("ztso", "rvwmo"),
    ("sc", "rvwmo"),
    ("sc", "armv8"),
];

/// Whether a thread writes a location between a load-linked and its store-conditional. The atomicity axiom of RISC-V then still
/// excludes other threads' writes in between, while the other models promise nothing.
fn has_crossed_pair(run: &Run) -> bool {
    let reading = run.readings().swap_remove(0);
    let events = execution::Events::of(&reading, false, execution::Granularity::Split);
    events.pairs().into_iter().any(|pair| events.is_crossed(pair))
}

#[test]
fn weaker_models_allow_more() {
    all(number("RUBRIC_NAIVE_RUNS", RUNS) / 4, |seed, run, _, _| {
        let history = compare::history(run);
        let answers: BTreeMap<&str, Answer> = MODELS
            .iter()
            .map(|axioms| {
                (axioms.name(), compare::answer(&history, compare::model(*axioms), false))
            })
            .collect();
        let is_exempt = has_crossed_pair(run);
        for (strong, weak) in WEAKER {
            let holds = match (answers[strong], answers[weak]) {
                (Answer::Consistent, Answer::Undecided) => run.without_hidden_writes().is_some(),
                (strong, Answer::Violation) => strong == Answer::Violation,
                (strong, weak) => strong != Answer::Consistent || weak == Answer::Consistent,
            };
            if holds || (is_exempt && ["ztso", "rvwmo"].contains(&weak)) {
                continue;
            }
            let what = format!("{strong} {:?}, {weak} {:?}", answers[strong], answers[weak]);
            return Err(about(seed, run, &what));
        }
        Ok(())
    });
}
