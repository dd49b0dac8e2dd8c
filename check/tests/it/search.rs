//! Tests of the search on histories that are too large to try every run of, and large enough for the search to
//! place, choose, backtrack and restart. Every verdict is verified by its certificate.

use crate::common;
use check::engine::complete::{Completion, complete};
use check::engine::events::Events;
use check::engine::limits::Limits;
use check::engine::saturate::Saturation;
use check::generate::families::{Family, HardRecipe, hard};
use check::generate::{Mix, Recipe, generate, without_order};
use check::{Algorithm, Bounds, Model, Options, Reason, Verdict, check};
use history::{Access, Ambiguity, History, Place, ReadsFrom};
use rand::seq::SliceRandom;

const MODELS: [Model; 3] = [Model::SC, Model::TSO, Model::PSO];

fn recipe(seed: u64) -> Recipe {
    let threads = [2, 3, 5, 8, 20][seed as usize % 5];
    Recipe {
        model: MODELS[seed as usize % 3],
        threads,
        operations: threads * [12, 20, 60][seed as usize % 3],
        locations: [2, 4, 16][seed as usize / 3 % 3],
        mix: Mix {
            loads: 45,
            stores: 45,
            rmws: [0, 10][seed as usize % 2],
            fences: [0, 0, 2][seed as usize % 3],
        },
        seed,
        ..Recipe::default()
    }
}

fn consistent(seed: u64) -> History {
    without_order(&generate(&recipe(seed)).unwrap()).unwrap()
}

fn perhaps_a_violation(seed: u64) -> History {
    let history = generate(&Recipe {
        // Some changed reads make the search backtrack, most cause a violation.
        violations: [0, 0, 1, 2][seed as usize % 4],
        distance: 60,
        ..recipe(seed)
    });
    without_order(&history.unwrap()).unwrap()
}

#[test]
fn every_verdict_is_certified() {
    let mut counts = [0; 2];
    for seed in (0..300).filter(|seed| seed % 5 != 0 || seed % 3 != 0) {
        let history = perhaps_a_violation(seed);
        for model in MODELS {
            let consistent = common::decide(&history, model, Algorithm::Stages).unwrap();
            counts[usize::from(consistent)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}

/// A history whose threads first perform a random consistent history, and then a hard one on other locations.
fn behind(first: &History, hard: &History) -> History {
    let mut accesses = common::accesses_of(first);
    accesses.extend(common::accesses_of(hard).into_iter().map(|access| Access {
        place: match access.place {
            Place::Cell(cell) => Place::Cell(cell + 1_000_000),
            place => place,
        },
        ..access
    }));
    common::build(&accesses, &[])
}

/// A meaningless rank leads to wrong choices. With short stretches many wrong choices lie before the stretch; with a
/// short trail, stretches end soon after they begin.
#[test]
fn stretches_change_no_verdict() {
    let mut contradictions = 0;
    let mut searched = [0; 2];
    let families: Vec<Family> = Family::all().collect();
    for seed in 0..90 {
        let model = MODELS[seed as usize % 3];
        let recipe = HardRecipe {
            size: 2,
            model,
            seed,
            ..HardRecipe::new(families[seed as usize % families.len()])
        };
        let hard = hard(&recipe).unwrap();
        let expected = common::decide(&hard, model, Algorithm::Complete).unwrap();
        let history = behind(&consistent(seed), &hard);
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        let events = Events::new(&history, &reads_from, model, &vec![false; history.len()]);
        for (trail, stretch) in
            [(1, 1 << 20), (1 << 40, 1), (1, 1), (50, 16), (1 << 40, 1 << 20), (0, 0)]
        {
            let mut rank: Vec<u32> = (0..events.len() as u32).collect();
            rank.shuffle(&mut common::seeded(seed));
            let bounds = Bounds::none();
            let mut saturation = Saturation::new(&events, rank, Vec::new(), &bounds);
            saturation.reset().unwrap();
            let limits = Limits { trail, stretch, ..Limits::new(u64::MAX) };
            let end = complete(&mut saturation, limits, &bounds, &mut contradictions);
            let found = match end {
                Completion::Order(order) => {
                    assert_eq!(order.len(), history.len());
                    true
                }
                Completion::Violation(violation) => {
                    let verdict = Verdict::Violation(violation);
                    common::certified(&history, model, &verdict).unwrap()
                }
                end => panic!("{end:?}"),
            };
            assert_eq!(found, expected, "{recipe:?} trail {trail} stretch {stretch}");
        }
        searched[usize::from(expected)] += 1;
    }
    // The search must have met contradictions.
    assert!(
        contradictions > 500 && searched.iter().all(|&count| count > 20),
        "{contradictions} {searched:?}"
    );
}

#[test]
fn the_budget_bounds_contradictions() {
    let family = Family::from_name("pairs").unwrap();
    let recipe = HardRecipe { size: 3, copies: 20, ..HardRecipe::new(family) };
    let history = hard(&recipe).unwrap();
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    for budget in [0, 1, 5, 50] {
        let options = Options { budget, ..Options::default() };
        let outcome = check(&history, &reads_from, Model::SC, &options);
        assert!(outcome.statistics.backtracks <= budget, "{budget}");
        let reason = Verdict::Undecided(Reason::Budget(budget));
        assert_eq!(outcome.verdict, reason);
    }
}
