//! Compares the online checker with saturation of all operations that have arrived.

use std::collections::BTreeSet;

use crate::common::{MODELS, change_reads, print, run, seeded, sized_program};
use check::online::{Arrival, ArrivalError, Lazy, Online, OnlineViolation};
use check::{Algorithm, Bounds, Model, Options, Verdict, decide};
use history::{Ambiguity, History, OpId, ReadSource, ReadsFrom};
use rand::RngExt;
use rand::rngs::StdRng;

/// The arrival of an operation of a history at the online checker.
pub(crate) fn arrival(history: &History, op: OpId) -> Arrival {
    let operation = history.operation(op);
    Arrival {
        thread: operation.thread,
        sequence: operation.index,
        kind: operation.kind,
        location: operation.location.map(|at| history.locations()[at as usize].address),
        read: operation.read,
        written: operation.written,
        tag: u64::from(op.0),
    }
}

/// A possible order of completions: loads and atomics in program order, and stores in program order but
/// late.
fn completions(random: &mut StdRng, history: &History) -> Vec<OpId> {
    let threads = 0..history.threads().len();
    let mut queues: Vec<[Vec<OpId>; 2]> = threads
        .map(|thread| {
            let is_store = |op: &OpId| history.kind(*op).may_be_buffered();
            let (stores, others) = history.thread_ops(thread).rev().partition(is_store);
            [others, stores]
        })
        .collect();
    let late = [0.2, 0.5, 0.9][random.random_range(0..3)];
    let mut order = Vec::new();
    while order.len() < history.len() {
        let thread = random.random_range(0..queues.len());
        let [others, stores] = &mut queues[thread];
        // A store never comes before an earlier operation of its thread.
        let may_store =
            stores.last().is_some_and(|store| others.last().is_none_or(|other| other > store));
        let queue = if may_store && (others.is_empty() || !random.random_bool(late)) {
            stores
        } else {
            others
        };
        order.extend(queue.pop());
    }
    order
}

/// The answer of saturation for the operations that have arrived, without reads whose sources have not.
fn is_refuted(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    arrived: &BTreeSet<OpId>,
) -> bool {
    let mut known = arrived.clone();
    loop {
        let waits = |op: &&OpId| matches!(reads_from.source(**op), Some(ReadSource::Write(write)) if !known.contains(&write));
        let Some(&waiting) = known.iter().find(waits) else {
            break;
        };
        known.remove(&waiting);
    }
    let (part, kept) = history.restrict(|op| known.contains(&op));
    let options = Options { algorithm: Algorithm::Saturate, ..Options::default() };
    let verdict =
        decide(&part, &reads_from.restrict(&kept), model, &options, &Bounds::none()).verdict;
    matches!(verdict, Verdict::Violation(_))
}

struct Case {
    history: History,
    reads_from: ReadsFrom,
    order: Vec<OpId>,
    model: Model,
}

fn case(seed: u64, linked: bool) -> Option<Case> {
    let mut random = seeded(seed);
    let accesses = sized_program(&mut random, (2..=4, 4..=40, 1..=4), linked);
    let (machine, model) =
        (random.random_range(0..MODELS.len()), random.random_range(0..MODELS.len()));
    let history = run(&mut random, &accesses, MODELS[machine], false)?;
    let history = change_reads(&mut random, &history, (seed % 3) as usize);
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).ok()?;
    let thin = |op: OpId| reads_from.source(op) == Some(ReadSource::ThinAir);
    if history.ops().any(thin) {
        return None;
    }
    let order = completions(&mut random, &history);
    Some(Case { history, reads_from, order, model: MODELS[model] })
}

/// The number of arrived operations after which a violation is reported; `None` if none is.
fn noticed(case: &Case, forgets: bool) -> Option<usize> {
    watched(case, forgets).err()
}

/// Runs the online checker. Returns whether it found a run by the end, or as the error the number of arrived
/// operations after which it reports a violation. If `forgets`, it forgets operations as early as possible.
fn watched(case: &Case, forgets: bool) -> Result<bool, usize> {
    let history = &case.history;
    let mut online = Online::new(case.model);
    for thread in history.threads() {
        online.settle(thread.label, 0);
    }
    let mut arrived = BTreeSet::new();
    for (number, &op) in (1..).zip(&case.order) {
        arrived.insert(op);
        match online.arrive(arrival(history, op)) {
            Ok(()) => {}
            Err(ArrivalError::OnlineViolation(broken)) => {
                assert!(!matches!(*broken, OnlineViolation::ThinAir(_)), "nobody knows yet");
                return Err(number);
            }
            Err(other) => panic!("{other:?}"),
        }
        if forgets {
            for thread in 0..history.threads().len() {
                let first = history.threads()[thread].first();
                let missing = history.thread_ops(thread).find(|op| !arrived.contains(op));
                let settled = missing.unwrap_or(history.threads()[thread].end()).0 - first.0;
                online.settle(history.threads()[thread].label, settled);
            }
            online.forget();
        }
    }
    assert_eq!(online.finish(), Ok(()));
    Ok(online.is_explained())
}

/// Whether the lazy checker finds a run in the order in which the operations arrive.
fn explain_themselves(case: &Case) -> bool {
    let mut lazy = Lazy::new(case.model);
    let all = case.order.iter();
    let taken = all.map(|&op| lazy.arrive(arrival(&case.history, op))).all(|taken| taken.is_ok());
    taken && lazy.is_explained()
}

#[test]
fn a_violation_is_reported_at_the_first_impossible_operation() {
    let mut found = [0; 2];
    for seed in 0..2500 {
        let Some(case) = case(seed, false) else {
            continue;
        };
        let (history, model) = (&case.history, case.model);
        let mut arrived = BTreeSet::new();
        let wanted = case.order.iter().position(|&op| {
            arrived.insert(op);
            is_refuted(history, &case.reads_from, model, &arrived)
        });
        let wanted = wanted.map(|at| at + 1);
        found[usize::from(wanted.is_some())] += 1;
        let label = || format!("seed {seed}, {model}, {:?}\n{}", case.order, print(history));
        assert_eq!(noticed(&case, false), wanted, "{}", label());
        assert_eq!(noticed(&case, true), wanted, "with forgetting: {}", label());
    }
    assert!(found.iter().all(|&count| count > 200), "{found:?}");
}

#[test]
fn found_runs_are_real_and_most_are_found() {
    let (mut explained, mut by_themselves, mut consistent) = ([0; 2], 0, 0);
    for (seed, linked) in (10_000..14_000).map(|seed| (seed, seed % 4 == 0)) {
        let Some(case) = case(seed, linked) else {
            continue;
        };
        let checked =
            check::check(&case.history, &case.reads_from, case.model, &Options::default());
        let is_consistent = matches!(checked.verdict, Verdict::Consistent(_));
        consistent += usize::from(is_consistent);
        for forgets in [false, true] {
            let is_explained = watched(&case, forgets).unwrap_or(false);
            assert!(
                is_consistent || !is_explained,
                "seed {seed}, {}, {:?}\n{}",
                case.model,
                case.order,
                print(&case.history)
            );
            explained[usize::from(forgets)] += usize::from(is_explained);
        }
        let is_explained = explain_themselves(&case);
        assert!(is_consistent || !is_explained, "seed {seed}, {}, {:?}", case.model, case.order);
        by_themselves += usize::from(is_explained);
    }
    // The orders of completions are unusual here, and every operation is forgotten as early as possible.
    println!("{explained:?} and {by_themselves} of {consistent}");
    assert!(consistent > 500 && by_themselves > 200);
    assert!(explained.iter().all(|it| it * 10 > consistent * 9), "{explained:?} of {consistent}");
}

#[test]
fn with_load_linked_violations_are_real_and_rarely_missed() {
    let (mut found, mut missed) = ([0; 2], 0);
    for seed in 0..1500 {
        let Some(case) = case(seed, true) else {
            continue;
        };
        let all: BTreeSet<OpId> = case.history.ops().collect();
        let wanted = is_refuted(&case.history, &case.reads_from, case.model, &all);
        found[usize::from(wanted)] += 1;
        for forgets in [false, true] {
            let is_noticed = noticed(&case, forgets).is_some();
            let label = || {
                format!("seed {seed}, {}, {:?}\n{}", case.model, case.order, print(&case.history))
            };
            assert!(wanted || !is_noticed, "{}", label());
            // A store-conditional whose load-linked still waits when it arrives counts as a plain store.
            missed += usize::from(wanted && !is_noticed);
        }
    }
    assert!(missed * 20 < found[1], "{missed} of {found:?}");
    assert!(found.iter().all(|&count| count > 100), "{found:?}");
}

#[test]
fn operations_that_no_longer_matter_are_forgotten() {
    // Two threads pass a token, so that every operation can be forgotten.
    let mut online = Online::new(Model::TSO);
    let mut largest = 0;
    for round in 0..20_000u32 {
        for (thread, kind) in [
            (0, history::Kind::Store),
            (1, history::Kind::Load),
            (1, history::Kind::Rmw),
            (0, history::Kind::Load),
        ] {
            let value = u64::from(round) + 1;
            let (location, read, written) = match (thread, kind) {
                (0, history::Kind::Store) => (0, None, Some(value)),
                (1, history::Kind::Load) => (0, Some(value), None),
                (1, _) => (1, Some(value - 1), Some(value)),
                _ => (1, Some(value), None),
            };
            let sequence = 2 * round
                + u32::from(
                    kind != history::Kind::Store && (thread, kind) != (1, history::Kind::Load),
                );
            let arrival =
                Arrival { thread, sequence, kind, location: Some(location), read, written, tag: 0 };
            assert_eq!(online.arrive(arrival), Ok(()));
            online.settle(thread, sequence + 1);
        }
        largest = largest.max(online.remembered());
    }
    assert!(largest < 10_000, "{largest}");
    // A value that was overwritten long ago must not be read.
    let late = Arrival {
        thread: 0,
        sequence: 50_000,
        kind: history::Kind::Load,
        location: Some(0),
        read: Some(19_000),
        written: None,
        tag: 7,
    };
    assert!(matches!(online.arrive(late), Err(ArrivalError::OnlineViolation(_))));
}
