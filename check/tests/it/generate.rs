//! Tests that generated histories are consistent under their model, are the same for the same seed, and give no hint
//! of the order if the order was removed.

use std::collections::BTreeMap;

use crate::common::{MODELS, decide, print};
use check::generate::{Mix, Recipe, RecipeError, generate, without_order};
use check::verdict::Stage;
use check::{Algorithm, Model, Options, Verdict, check};
use history::{Ambiguity, History, Kind, OpId, ReadSource, ReadsFrom, Row};
use memory::machine::explore;

/// A recipe of histories that are small enough to try every run of the machine.
fn small(model: Model, seed: u64) -> Recipe {
    Recipe {
        model,
        threads: 2 + (seed % 3) as u32,
        operations: 6 + (seed % 7) as u32,
        locations: 1 + (seed % 3) as u32,
        mix: Mix { loads: 4, stores: 4, rmws: 1, fences: 1 },
        buffer: 1 + (seed % 4) as u32,
        seed,
        ..Recipe::default()
    }
}

fn rows(history: &History) -> Vec<Row> {
    history.ops().map(|op| history.row(op)).collect()
}

fn bare(recipe: &Recipe) -> History {
    without_order(&generate(recipe).unwrap()).unwrap()
}

#[test]
fn every_history_is_consistent_under_its_model() {
    for model in MODELS {
        for seed in 0..150 {
            let history = bare(&small(model, seed));
            for algorithm in [Algorithm::Stages, Algorithm::Complete, Algorithm::Sat] {
                let found = decide(&history, model, algorithm);
                assert_eq!(found, Some(true), "{model} {seed}\n{}", print(&history));
            }
            let run = explore(&history, model, 1 << 20).unwrap();
            assert!(run.is_some(), "{model} {seed}\n{}", print(&history));
        }
    }
}

#[test]
fn a_weaker_model_shows() {
    let violations = |weak: Model, strong: Model| {
        (0..100)
            .filter(|&seed| {
                let recipe =
                    Recipe { threads: 3, operations: 60, locations: 4, ..small(weak, seed) };
                decide(&bare(&recipe), strong, Algorithm::Stages) == Some(false)
            })
            .count()
    };
    let pso = Model::PSO;
    assert_eq!(violations(Model::SC, Model::SC), 0);
    let found = [
        violations(Model::TSO, Model::SC),
        violations(pso, Model::TSO),
        violations(pso, Model::PSO_RMW_ALL),
    ];
    assert!(found[0] > 10 && found[1] > 5 && found[2] > 0, "{found:?}");
}

#[test]
fn the_order_of_the_run_is_a_witness() {
    for model in MODELS {
        for seed in 0..20 {
            let recipe = Recipe { model, seed, skew: 0.8, ..Recipe::default() };
            let history = generate(&recipe).unwrap();
            let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
            let outcome = check(&history, &reads_from, model, &Options::default());
            assert_eq!(
                outcome.decided_by,
                Stage::By(check::Algorithm::TraceOrder),
                "{model} {seed}"
            );
            assert!(matches!(outcome.verdict, Verdict::Consistent(_)));
        }
    }
}

#[test]
fn a_seed_decides_everything() {
    for model in MODELS {
        let recipe = |seed| Recipe { model, seed, violations: 3, ..Recipe::default() };
        let first = rows(&generate(&recipe(5)).unwrap());
        assert_eq!(first, rows(&generate(&recipe(5)).unwrap()));
        assert_ne!(first, rows(&generate(&recipe(6)).unwrap()));
        assert_ne!(first, rows(&generate(&recipe(5 << 32)).unwrap()));
    }
}

#[test]
fn proportions_hold() {
    let recipe = Recipe {
        threads: 7,
        operations: 20_000,
        locations: 50,
        mix: Mix { loads: 6, stores: 3, rmws: 0, fences: 1 },
        skew: 1.0,
        ..Recipe::default()
    };
    let history = generate(&recipe).unwrap();
    let count = |kind| history.ops().filter(|&op| history.kind(op) == kind).count();
    let counts = [Kind::Load, Kind::Store, Kind::Rmw, Kind::Fence].map(count);
    for (count, expected) in counts.into_iter().zip([12_000, 6_000, 0, 2_000]) {
        assert!(count.abs_diff(expected) <= expected / 10, "{counts:?}");
    }
    let threads: Vec<usize> = (0..7).map(|t| history.thread_ops(t).len()).collect();
    assert_eq!(threads.iter().sum::<usize>(), 20_000);
    assert!(threads.iter().all(|&ops| ops.abs_diff(20_000 / 7) <= 1));

    // By Zipf's law, the most popular of 50 locations gets 1/4.5 of the accesses, and the second one half as many.
    let mut uses = vec![0; history.locations().len()];
    for location in history.ops().filter_map(|op| history.location(op)) {
        uses[location as usize] += 1;
    }
    uses.sort_unstable_by(|a, b| b.cmp(a));
    assert!((3_700..4_300).contains(&uses[0]), "{uses:?}");
    assert!((1_800..2_200).contains(&uses[1]), "{uses:?}");
}

/// The largest number of stores of one thread that were issued and not completed at the same time.
fn most_pending(history: &History) -> usize {
    let mut most = 0;
    for thread in 0..history.threads().len() {
        let stores = history.thread_ops(thread).filter(|&op| history.kind(op) == Kind::Store);
        let mut ends: Vec<u64> = Vec::new();
        for op in stores {
            let operation = history.operation(op);
            ends.retain(|&end| Some(end) > operation.issued);
            ends.extend(operation.completed);
            most = most.max(ends.len());
        }
    }
    most
}

#[test]
fn a_buffer_is_used_and_never_overflows() {
    for model in [Model::TSO, Model::PSO] {
        for buffer in [1, 2, 6, 20] {
            let recipe = Recipe {
                model,
                operations: 4000,
                locations: 64,
                mix: Mix { loads: 1, stores: 1, rmws: 0, fences: 0 },
                buffer,
                ..Recipe::default()
            };
            let most = most_pending(&generate(&recipe).unwrap());
            let buffer = buffer as usize;
            assert!(most <= buffer && most > buffer / 2, "{model} {buffer}: {most}");
        }
    }
}

#[test]
fn ticks_are_those_of_a_run() {
    for model in MODELS {
        let history = generate(&Recipe { model, ..Recipe::default() }).unwrap();
        let mut ops: Vec<OpId> = history.ops().collect();
        ops.sort_by_key(|&op| history.order(op));
        let completed: Vec<Option<u64>> =
            ops.iter().map(|&op| history.operation(op).completed).collect();
        assert!(completed.is_sorted_by(|a, b| a < b));
        for thread in 0..history.threads().len() {
            let issued: Vec<Option<u64>> =
                history.thread_ops(thread).map(|op| history.operation(op).issued).collect();
            assert!(issued.is_sorted_by(|a, b| a < b), "{model}");
        }
    }
}

/// The percentage of pairs of neighbouring values that ascend.
fn ascending(values: impl Iterator<Item = Vec<u64>>) -> usize {
    let (mut up, mut pairs) = (0, 0);
    for values in values {
        pairs += values.len().saturating_sub(1);
        up += values.windows(2).filter(|pair| pair[0] < pair[1]).count();
    }
    assert!(pairs > 1000, "{pairs}");
    100 * up / pairs
}

#[test]
fn values_give_no_hint_of_the_order() {
    for model in MODELS {
        let history =
            generate(&Recipe { model, threads: 8, operations: 10_000, ..Recipe::default() })
                .unwrap();
        let by_location = |ops: &[OpId]| {
            let mut values: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
            for &op in ops {
                if let (Some(location), Some(value)) = (history.location(op), history.written(op)) {
                    values.entry(location).or_default().push(value);
                }
            }
            ascending(values.into_values())
        };
        let program: Vec<OpId> = history.ops().collect();
        let mut memory = program.clone();
        memory.sort_by_key(|&op| history.order(op));
        for order in [program, memory] {
            let share = by_location(&order);
            assert!((46..=54).contains(&share), "{model}: {share}%");
        }
    }
}

#[test]
fn popular_locations_have_random_numbers() {
    let favourite = |seed| {
        let recipe = Recipe { seed, skew: 2.0, locations: 8, ..Recipe::default() };
        let history = generate(&recipe).unwrap();
        let uses = |location: &u32| {
            history.ops().filter(|&op| history.location(op) == Some(*location)).count()
        };
        let most = (0..history.locations().len() as u32).max_by_key(uses);
        history.locations()[most.unwrap() as usize].address
    };
    let favourites: std::collections::BTreeSet<u64> = (0..40).map(favourite).collect();
    assert!(favourites.len() > 5, "{favourites:?}");
}

#[test]
fn without_order_keeps_the_operations_and_nothing_else() {
    let history = generate(&Recipe { model: Model::TSO, ..Recipe::default() }).unwrap();
    let bare = without_order(&history).unwrap();
    assert_eq!(bare.digest(), history.digest());
    assert!(history.has_order() && !bare.has_order());
    for op in bare.ops() {
        let operation = bare.operation(op);
        assert_eq!((operation.issued, operation.completed), (None, None));
    }
}

/// The distance in memory order between a read and its source. The initial value comes before everything.
fn distance(history: &History, reads_from: &ReadsFrom, read: OpId) -> u32 {
    let place = |op| history.order(op).unwrap() + 1;
    match reads_from.source(read) {
        Some(ReadSource::Write(write)) => place(read).abs_diff(place(write)),
        Some(ReadSource::Initial) => place(read),
        other => panic!("{other:?}"),
    }
}

#[test]
fn re_pointed_reads_stay_within_their_distance() {
    for model in MODELS {
        for (seed, far) in [(1, 3), (2, 20), (3, 100), (4, 100_000)] {
            let plain = Recipe { model, seed, ..Recipe::default() };
            let recipe = Recipe { violations: 7, distance: far, ..plain.clone() };
            let (before, after) = (generate(&plain).unwrap(), generate(&recipe).unwrap());
            let reads_from = ReadsFrom::derive(&after, Ambiguity::Refuse).unwrap();
            let changed: Vec<OpId> =
                before.ops().filter(|&op| before.read(op) != after.read(op)).collect();
            assert_eq!(changed.len(), 7);
            for &read in &changed {
                let apart = distance(&after, &reads_from, read);
                assert!(apart <= far, "{apart} {far}");
                assert_ne!(after.read(read), after.written(read));
            }
            // Only the values of these reads have changed.
            for op in before.ops().filter(|op| !changed.contains(op)) {
                assert_eq!(before.row(op), after.row(op));
            }
        }
    }
}

#[test]
fn reads_are_re_pointed_to_the_initial_value_too() {
    let recipe =
        |violations| Recipe { operations: 30, locations: 2, violations, ..Recipe::default() };
    let (before, after) = (generate(&recipe(0)).unwrap(), generate(&recipe(9)).unwrap());
    let changed = |value| {
        before
            .ops()
            .filter(|&op| before.read(op) != after.read(op))
            .filter(|&op| (after.read(op) == Some(0)) == value)
            .count()
    };
    assert!(changed(true) > 0 && changed(false) > 0);
}

#[test]
fn a_re_pointed_history_may_violate_its_model_or_not() {
    let verdicts: Vec<Option<bool>> = (0..60)
        .map(|seed| {
            let recipe = Recipe { violations: 1, distance: 6, ..small(Model::SC, seed) };
            match generate(&recipe) {
                Ok(history) => {
                    let bare = without_order(&history).unwrap();
                    let found = decide(&bare, Model::SC, Algorithm::Stages);
                    let run = explore(&bare, Model::SC, 1 << 20).unwrap();
                    assert_eq!(found, Some(run.is_some()), "{}", print(&bare));
                    found
                }
                Err(error) => {
                    assert!(matches!(error, RecipeError::TooFewReads { found: 0, .. }));
                    None
                }
            }
        })
        .collect();
    let count = |verdict| verdicts.iter().filter(|&&found| found == verdict).count();
    let counts = [Some(true), Some(false), None].map(count);
    assert!(counts[0] > 5 && counts[1] > 5 && counts[2] < 30, "{counts:?}");
}

#[test]
fn impossible_recipes_say_why() {
    let usual = Recipe::default();
    let loads = Mix { loads: 1, stores: 0, rmws: 0, fences: 0 };
    let nothing = Mix { loads: 0, ..loads };
    let tso = Model::TSO;
    #[rustfmt::skip]
    let cases = [
        (Recipe { threads: 0, ..usual.clone() }, "no threads"),
        (Recipe { operations: 0, ..usual.clone() }, "no operations"),
        (Recipe { locations: 0, ..usual.clone() }, "no locations"),
        (Recipe { operations: u32::MAX, ..usual.clone() }, "operations: at most 4294967293"),
        (Recipe { threads: 1001, ..usual.clone() }, "1001 threads: at most 1000"),
        (Recipe { locations: 1 << 25, ..usual.clone() }, "locations: at most"),
        (Recipe { mix: nothing, ..usual.clone() }, "every weight"),
        (Recipe { model: tso, buffer: 0, ..usual.clone() }, "no room"),
        (Recipe { skew: -1.0, ..usual.clone() }, "a skew of -1"),
        (Recipe { skew: f64::NAN, ..usual.clone() }, "a skew of NaN"),
        (Recipe { violations: 1, distance: 0, ..usual.clone() }, "no distance"),
        (Recipe { violations: 1, mix: loads, ..usual.clone() }, "only 0 of 1 reads"),
        (Recipe { violations: 5000, ..usual.clone() }, "of 5000 reads"),
    ];
    for (recipe, expected) in cases {
        let error = generate(&recipe).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    // A machine without stores needs no buffer, and SC has none.
    for model in [tso, Model::SC] {
        let mix = if model == tso { loads } else { usual.mix };
        let recipe = Recipe { model, buffer: 0, mix, ..usual.clone() };
        assert!(generate(&recipe).is_ok());
    }
}
