//! The published computations of CCM, wCCM and wSC derive the same store orders as the fast ones, and the algorithms that begin with
//! them decide alike.

use std::time::Duration;

use crate::common::{change_reads, print, run, seeded, sized_program};
use crate::literal::{Pairs, literal};
use check::engine::relation::Relation;
use check::generate::{Mix, Recipe, generate};
use check::{Algorithm, Bounds, Model, Options, Outcome, Reason, Verdict, check, decide};
use history::{Ambiguity, History, OpId, ReadsFrom};
use papers::criteria::published;
use papers::execution::Execution;
use papers::saturation::ForcedOrder;
use papers::saturation::clocks;
use rand::RngExt;

/// The fast and the published form of an algorithm, and a model that it applies to.
const PAIRS: [(Algorithm, Algorithm, Model); 9] = [
    (papers::CCM, papers::CCM_PUBLISHED, Model::SC),
    (papers::WCCM, papers::WCCM_PUBLISHED, Model::TSO),
    (papers::WSC, papers::WSC_PUBLISHED, Model::SC),
    (papers::SC_CCM_ENUM, papers::SC_CCM_ENUM_PUBLISHED, Model::SC),
    (papers::SC_CCM_SAT, papers::SC_CCM_SAT_PUBLISHED, Model::SC),
    (papers::TSO_WCCM_ENUM, papers::TSO_WCCM_ENUM_PUBLISHED, Model::TSO),
    (papers::TSO_WCCM_SAT, papers::TSO_WCCM_SAT_PUBLISHED, Model::TSO),
    (papers::CCM_ENUM, papers::CCM_ENUM_PUBLISHED, Model::SC),
    (papers::WSC_DBCOP, papers::WSC_DBCOP_PUBLISHED, Model::SC),
];

fn decided(history: &History, model: Model, algorithm: Algorithm) -> Outcome {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
    let options = Options { algorithm, ..Options::default() };
    decide(history, &reads_from, model, &options, &Bounds::none())
}

/// Whether the history satisfies what the algorithm checks.
fn holds(outcome: &Outcome) -> bool {
    match outcome.verdict {
        Verdict::Consistent(_) | Verdict::Satisfied => true,
        Verdict::Violation(_) | Verdict::Unproved | Verdict::CriterionViolation(_) => false,
        ref other => panic!("{other:?}"),
    }
}

fn same(relation: &Relation, pairs: &Pairs, what: &str, history: &History) {
    for (a, row) in pairs.iter().enumerate() {
        for (b, &there) in row.iter().enumerate() {
            let found = relation.contains(a as u32, b as u32);
            assert_eq!(found, there, "{what} {a} {b}\n{}", print(history));
        }
    }
}

#[test]
fn both_forms_say_the_same_of_random_histories() {
    let mut broken = [0; PAIRS.len()];
    let mut held = [0; PAIRS.len()];
    for seed in 20_000..21_500 {
        let mut random = seeded(seed);
        let accesses = sized_program(&mut random, (2..=4, 3..=14, 1..=3), seed % 2 == 0);
        let machine = [Model::SC, Model::TSO][random.random_range(0..2)];
        let finals = random.random_bool(0.2);
        let Some(history) = run(&mut random, &accesses, machine, finals) else {
            continue;
        };
        let changes = random.random_range(0..=2);
        let history = change_reads(&mut random, &history, changes);
        for (at, (fast, published, model)) in PAIRS.into_iter().enumerate() {
            let one = decided(&history, model, fast);
            let other = decided(&history, model, published);
            let told = || format!("seed {seed}, {}\n{}", published.name(), print(&history));
            assert_eq!(holds(&one), holds(&other), "{}", told());
            let count = if holds(&one) { &mut held[at] } else { &mut broken[at] };
            *count += 1;
            if holds(&one) {
                assert_eq!(one.statistics.ordered, other.statistics.ordered, "{}", told());
            }
        }
    }
    assert!(broken.iter().all(|&broken| broken > 50), "{broken:?}");
    assert!(held.iter().all(|&held| held > 50), "{held:?}");
}

#[test]
fn published_orders_are_those_of_the_definitions() {
    for seed in 30_000..31_000 {
        let mut random = seeded(seed);
        let accesses = sized_program(&mut random, (2..=4, 3..=12, 1..=3), seed % 2 == 0);
        let machine = [Model::SC, Model::TSO][random.random_range(0..2)];
        let Some(history) = run(&mut random, &accesses, machine, false) else {
            continue;
        };
        let changes = random.random_range(0..=1);
        let history = change_reads(&mut random, &history, changes);
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        let exec = Execution::new(&history, &reads_from);
        let literal = literal(&exec);
        let none = Bounds::none();
        match published::convergent_memory(&exec, &none) {
            Ok(order) => same(&order, &literal.pww, "pww", &history),
            Err(stop) => assert!(stop == published::NotClosed::Cyclic && !literal.ccm),
        }
        match published::weak_memory(&exec, &none) {
            Ok(order) => same(&order, &literal.wpww, "wpww", &history),
            Err(stop) => assert!(stop == published::NotClosed::Cyclic && !literal.wccm),
        }
    }
}

/// A valid history as in the experiments.
fn valid(threads: u32, operations: u32, seed: u64) -> History {
    let mix = Mix { loads: 70, stores: 30, rmws: 0, fences: 0 };
    let recipe = Recipe { threads, operations, locations: 4, mix, seed, ..Recipe::default() };
    generate(&recipe).unwrap()
}

#[test]
fn long_histories_and_bounds() {
    let history = valid(4, 200, 7);
    for (fast, published, model) in PAIRS {
        let (one, other) = (decided(&history, model, fast), decided(&history, model, published));
        assert_eq!(one.statistics.ordered, other.statistics.ordered, "{}", published.name());
        assert!(holds(&one) && holds(&other));
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        let options = Options { algorithm: published, ..Options::default() };
        let late = Options { timeout: Some(Duration::ZERO), ..options.clone() };
        let found = check(&history, &reads_from, model, &late).verdict;
        assert!(matches!(found, Verdict::Undecided(Reason::Timeout)), "{found:?}");
        let small = Options { max_memory: Some(1), ..options };
        let found = check(&history, &reads_from, model, &small).verdict;
        assert!(matches!(found, Verdict::Undecided(Reason::Memory)), "{found:?}");
    }
}

/// The published fixpoint of wSC orders the same pairs of operations as the vector clocks.
#[test]
fn the_fixpoint_of_wsc_is_that_of_the_clocks() {
    use check::published::Problem;
    for seed in 0..20 {
        let history = valid(4, 80, seed);
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        let bounds = Bounds::none();
        let exec = Execution::new(&history, &reads_from);
        let forced = ForcedOrder::new(&exec, Model::SC, &[], &bounds).unwrap();
        let problem = Problem::new(&history, &reads_from, &[], Model::SC, &bounds);
        let events = clocks::events(&problem).unwrap();
        let saturation = clocks::saturate(&problem, &events).unwrap();
        let event = |op: u32| events.event_of(OpId(op)).unwrap();
        for first in 0..exec.operations {
            for second in (0..exec.operations).filter(|&second| second != first) {
                let by_clocks = saturation.precedes(event(first), event(second));
                assert_eq!(forced.hb().contains(first, second), by_clocks, "{first} {second}");
            }
        }
    }
}
