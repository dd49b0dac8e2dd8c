//! Compares the online checker that derives the forced order only on demand with the one that always does.

use std::collections::BTreeMap;

use crate::common::{MODELS, seeded};
use crate::online::arrival;
use check::Model;
use check::generate::{Mix, Recipe, generate};
use check::online::{Arrival, ArrivalError, Lazy, Online, OnlineViolation};
use history::{History, Kind};
use rand::RngExt;
use rand::rngs::StdRng;

/// A call of a checker.
#[derive(Clone, Copy, Debug)]
enum Call {
    Arrive(Arrival),
    Settle(u32, u32),
}

/// The operations of a run in the order of their completion, but some of them delayed.
fn arrivals(random: &mut StdRng, history: &History) -> Vec<Arrival> {
    let late = [0.0, 0.002, 0.05][random.random_range(0..3)];
    let mut timed: Vec<(u32, Arrival)> = Vec::new();
    for op in history.ops() {
        let mut time = 4 * history.order(op).unwrap();
        if random.random_bool(late) {
            time += random.random_range(0..200);
        }
        timed.push((time, arrival(history, op)));
    }
    timed.sort_by_key(|it| it.0);
    timed.into_iter().map(|it| it.1).collect()
}

/// Changes threads, locations or values of some operations, so that they may no longer be those of a run.
fn spoil(random: &mut StdRng, arrivals: &mut [Arrival]) {
    let all = arrivals.len();
    for _ in 0..random.random_range(1..4) {
        let number = random.random_range(all / 4..all);
        let is_own = random.random_bool(0.5);
        let (thread, location) = (arrivals[number].thread, arrivals[number].location);
        let others = arrivals.iter().filter(|it| {
            it.kind.writes() && (!is_own || (it.thread, it.location) == (thread, location))
        });
        let others: Vec<Arrival> = others.copied().collect();
        let Some(&other) = others.get(random.random_range(0..others.len().max(1))) else {
            continue;
        };
        let at = &mut arrivals[number];
        match random.random_range(0..9) {
            0 if at.kind.writes() => at.written = other.written.or(Some(0)),
            1 if at.kind.reads() => at.read = Some(987_654_321),
            2 if at.kind.reads() => at.read = Some(0),
            3 if at.kind.reads() => at.read = None,
            4 | 5 => at.thread = 1000,
            _ if at.kind == Kind::Load => {
                at.read = other.written;
                at.location = other.location;
            }
            _ => {}
        }
    }
}

/// The calls for these operations: they arrive in batches, and after each batch the threads are settled as far as
/// all of their operations have arrived.
fn calls(random: &mut StdRng, arrivals: &[Arrival]) -> Vec<Call> {
    let batch = [1, 50, 4096, usize::MAX][random.random_range(0..4)];
    let mut calls = Vec::new();
    let mut seen: BTreeMap<u32, Vec<bool>> = BTreeMap::new();
    let mut settled: BTreeMap<u32, u32> = BTreeMap::new();
    for batch in arrivals.chunks(batch) {
        for arrival in batch {
            calls.push(Call::Arrive(*arrival));
            let seen = seen.entry(arrival.thread).or_default();
            let at = arrival.sequence as usize;
            seen.resize(seen.len().max(at + 2), false);
            seen[at] = true;
            let settled = settled.entry(arrival.thread).or_default();
            while seen[*settled as usize] {
                *settled += 1;
            }
        }
        calls.extend(settled.iter().map(|(&thread, &sequence)| Call::Settle(thread, sequence)));
    }
    calls
}

fn recipe(random: &mut StdRng, seed: u64) -> Recipe {
    let small = random.random_bool(0.93);
    let rmws = [0, 8, 40][random.random_range(0..3)];
    Recipe {
        model: MODELS[random.random_range(0..MODELS.len())],
        threads: random.random_range(2..=if small { 8 } else { 64 }),
        operations: if small { random.random_range(10..400) } else { 11_000 },
        locations: random.random_range(1..=32),
        mix: Mix { loads: 50, stores: 40, rmws, fences: 2 },
        buffer: random.random_range(1..=12),
        seed,
        ..Recipe::default()
    }
}

/// The result of a checker: whether it found a run, or after how many calls it stopped, and why.
type CheckerResult = Result<bool, (usize, ArrivalError)>;

/// The result of [`Online`], and the operations that it remembered at the end.
fn online(model: Model, calls: &[Call]) -> (CheckerResult, Vec<Arrival>) {
    let mut online = Online::new(model);
    for (number, call) in calls.iter().enumerate() {
        match *call {
            Call::Settle(thread, sequence) => online.settle(thread, sequence),
            Call::Arrive(arrival) => {
                if let Err(error) = online.arrive(arrival) {
                    return (Err((number, error)), online.window());
                }
            }
        }
    }
    let end = online.finish().map(|()| online.is_explained());
    (end.map_err(|broken| (calls.len(), broken.into())), online.window())
}

fn lazy(model: Model, room: usize, calls: &[Call]) -> (CheckerResult, Vec<Arrival>) {
    let mut lazy = Lazy::with_room(model, room);
    for (number, call) in calls.iter().enumerate() {
        match *call {
            Call::Settle(thread, sequence) => lazy.settle(thread, sequence),
            Call::Arrive(arrival) => {
                if let Err(error) = lazy.arrive(arrival) {
                    return (Err((number, error)), lazy.window());
                }
            }
        }
    }
    let end = lazy.finish().map(|()| lazy.is_explained());
    (end.map_err(|error| (calls.len(), error)), lazy.window())
}

#[test]
fn it_says_what_the_eager_checker_says_at_the_same_operation() {
    let mut found = BTreeMap::new();
    for seed in 0..1000 {
        let mut random = seeded(seed);
        let recipe = recipe(&mut random, seed);
        let history = generate(&recipe).unwrap();
        let mut arrivals = arrivals(&mut random, &history);
        if random.random_bool(0.4) {
            spoil(&mut random, &mut arrivals);
        }
        let calls = calls(&mut random, &arrivals);
        let model = if random.random_bool(0.7) {
            recipe.model
        } else {
            MODELS[random.random_range(0..MODELS.len())]
        };
        let (wanted, window) = online(model, &calls);
        for room in [usize::MAX, random.random_range(1..2000)] {
            let label = format!("seed {seed}, {model}, room {room}, {recipe:?}");
            let (said, left) = lazy(model, room, &calls);
            match (&wanted, &said) {
                // The lazy checker may find a run where the eager one does not, but not the other way around.
                (Ok(false), Ok(_)) | (Ok(true), Ok(true)) => {}
                _ => assert_eq!(said, wanted, "{label}"),
            }
            if said.is_err() {
                assert_eq!(left, window, "{label}");
            }
        }
        let kind = match &wanted {
            Ok(true) => "explained",
            Ok(false) => "open",
            Err((_, ArrivalError::OnlineViolation(broken))) => match **broken {
                OnlineViolation::ThinAir(_) => "thin air",
                _ => "broken",
            },
            Err((_, ArrivalError::WrittenTwice(_))) => "written twice",
            Err((_, ArrivalError::LateThread(_))) => "late thread",
            Err((_, ArrivalError::Exceeded)) => "exceeded",
        };
        *found.entry(kind).or_insert(0) += 1;
    }
    println!("{found:?}");
    for kind in ["explained", "thin air", "broken", "written twice", "late thread"] {
        assert!(found.get(kind) >= Some(&5), "{found:?}");
    }
}

#[test]
fn a_load_of_a_later_value_is_served_by_an_earlier_store_alone() {
    let arrival = |thread, sequence, kind: Kind, read, written| Arrival {
        thread,
        sequence,
        kind,
        location: Some(0),
        read,
        written,
        tag: 0,
    };
    // A load arrives before the write of its value.
    let load = arrival(0, 1, Kind::Load, Some(1), None);
    for (write, is_possible) in [
        (arrival(0, 0, Kind::Store, None, Some(1)), true),
        (arrival(0, 2, Kind::Store, None, Some(1)), false),
        (arrival(0, 0, Kind::Rmw, Some(0), Some(1)), true),
        (arrival(0, 2, Kind::Rmw, Some(0), Some(1)), false),
        (arrival(1, 0, Kind::Store, None, Some(1)), true),
        (arrival(1, 0, Kind::Rmw, Some(0), Some(1)), true),
    ] {
        for model in MODELS {
            let calls = [Call::Arrive(load), Call::Arrive(write)];
            let (wanted, _) = online(model, &calls);
            assert_eq!(wanted.is_ok(), is_possible, "{model}, {write:?}: {wanted:?}");
            assert_eq!(lazy(model, usize::MAX, &calls).0, wanted, "{model}, {write:?}");
        }
    }
}

#[test]
fn a_long_run_does_not_stay_in_memory() {
    // Two threads pass a token, so that every operation can be forgotten.
    let room = 5000;
    let mut lazy = Lazy::with_room(Model::TSO, room);
    let mut largest = 0;
    for round in 0..30_000 {
        for (thread, kind) in [(0, Kind::Store), (1, Kind::Load), (1, Kind::Store), (0, Kind::Load)]
        {
            let location = u64::from((kind == Kind::Load) != (thread == 0));
            let value = Some(u64::from(round) + 1);
            let arrival = Arrival {
                thread,
                sequence: 2 * round + u32::from((kind == Kind::Load) == (thread == 0)),
                kind,
                location: Some(location),
                read: value.filter(|_| kind == Kind::Load),
                written: value.filter(|_| kind == Kind::Store),
                tag: 0,
            };
            assert_eq!(lazy.arrive(arrival), Ok(()));
            lazy.settle(thread, arrival.sequence + 1);
        }
        largest = largest.max(lazy.remembered());
    }
    assert!(lazy.is_explained());
    assert!(largest < room + 10_000, "{largest}");
}
