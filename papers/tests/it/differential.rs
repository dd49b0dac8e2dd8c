//! Compares all algorithms with each other on small histories. proptest generates the histories, and shrinks one on
//! which two algorithms differ.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::common::{MODELS, build, certified, print};
use check::algorithm::Power;
use check::online::{Arrival, ArrivalError, Online};
use check::{Algorithm, Model, Options, Verdict, check};
use history::{Access, Ambiguity, History, Kind, Place, ReadsFrom};
use memory::machine::explore;
use proptest::prelude::*;

/// An operation: thread, kind, location, and which of the location's values it reads.
type Step = (u32, Kind, u64, usize);

fn step() -> impl Strategy<Value = Step> {
    let kind = prop_oneof![
        6 => Just(Kind::Store),
        6 => Just(Kind::Load),
        2 => Just(Kind::Rmw),
        1 => Just(Kind::Fence),
        1 => Just(Kind::FailedCas),
    ];
    (0..4_u32, kind, 0..3_u64, 0..6_usize)
}

/// Builds a history of operations that write unique values. Reads return the initial value or one that the history
/// writes to the location.
fn history(steps: &[Step]) -> History {
    let mut values: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for (number, &(_, kind, location, _)) in (1..).zip(steps) {
        if kind.writes() {
            values.entry(location).or_default().push(number);
        }
    }
    let mut sequences = [0_u64; 4];
    let accesses: Vec<Access> = (1_u64..)
        .zip(steps)
        .map(|(number, &(thread, kind, location, choice))| {
            let place = match kind {
                Kind::Fence => Place::Nowhere,
                _ => Place::Cell(location),
            };
            let known = values.get(&location).map_or(&[][..], |it| it);
            // An atomic operation does not read its own value.
            let others: Vec<u64> = known.iter().copied().filter(|&it| it != number).collect();
            let value = match choice % (others.len() + 1) {
                0 => 0,
                at => others[at - 1],
            };
            let sequence = sequences[thread as usize];
            sequences[thread as usize] += 1;
            Access {
                sequence,
                read: kind.reads().then_some(value),
                written: kind.writes().then_some(number),
                ..Access::new(thread, kind, place)
            }
        })
        .collect();
    build(&accesses, &[])
}

/// The answer of the online checker for operations that arrive in the order of their numbers.
fn watched(history: &History, model: Model) -> Option<bool> {
    let mut online = Online::new(model);
    for thread in history.threads() {
        online.settle(thread.label, 0);
    }
    for op in history.ops() {
        let it = history.operation(op);
        let arrival = Arrival {
            thread: it.thread,
            sequence: it.index,
            kind: it.kind,
            location: it.location.map(u64::from),
            read: it.read,
            written: it.written,
            tag: u64::from(op.0),
        };
        match online.arrive(arrival) {
            Ok(()) => online.settle(it.thread, it.index + 1),
            Err(ArrivalError::OnlineViolation(_)) => return Some(false),
            Err(other) => panic!("{other:?}"),
        }
        online.forget();
    }
    match online.finish() {
        Err(_) => Some(false),
        Ok(()) => online.is_explained().then_some(true),
    }
}

/// Compares all algorithms that apply to the model with the exhaustive search of the machine.
fn compare(history: &History, model: Model) -> Result<(), TestCaseError> {
    let Some(run) = explore(history, model, 200_000) else {
        return Ok(());
    };
    let expected = run.is_some();
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).expect("values are unique");
    for algorithm in papers::ALL {
        if !algorithm.applies_to(model) || algorithm.criterion().is_some() {
            continue;
        }
        let options =
            Options { algorithm, timeout: Some(Duration::from_secs(5)), ..Options::default() };
        let verdict = check(history, &reads_from, model, &options).verdict;
        let found = certified(history, model, &verdict);
        let is_complete = algorithm.power() == Power::Complete;
        prop_assert!(
            found == Some(expected) || (found.is_none() && !is_complete),
            "{} says {found:?} under {model}, the machine {expected}:\n{}",
            algorithm.name(),
            print(history)
        );
        if let (Verdict::Violation(violation), Algorithm::Stages) = (&verdict, algorithm) {
            let bounds = check::Bounds::none();
            let small =
                check::shrink::shrink(history, &reads_from, model, violation, &bounds, &mut |_| {});
            let small = small.expect("some operation takes part").history;
            let is_wrong = explore(&small, model, 200_000).is_none_or(|run| run.is_none());
            prop_assert!(is_wrong, "shrunk to a history that is {model}:\n{}", print(&small));
        }
    }
    let found = watched(history, model);
    prop_assert!(
        found.is_none_or(|it| it == expected),
        "watched it is {found:?} under {model}, the machine says {expected}:\n{}",
        print(history)
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1200, failure_persistence: None, ..Default::default() })]

    #[test]
    fn all_deciders_agree(steps in prop::collection::vec(step(), 1..14)) {
        let history = history(&steps);
        for model in MODELS {
            compare(&history, model)?;
        }
    }
}
