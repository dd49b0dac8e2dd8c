//! Histories too large to try every run of, but large enough for the search to place, choose, go
//! back and start again. Every verdict is verified by its certificate.

use check::complete::{Completion, Limits, complete};
use check::deadline::Deadline;
use check::events::Events;
use check::generate::{Mix, Recipe, generate, without_order};
use check::saturate::Saturation;
use check::{Algorithm, Model, PsoRmw};
use history::{Ambiguity, History, ReadsFrom};
use rand::seq::SliceRandom;

mod common;

const MODELS: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso(PsoRmw::Own)];

fn history(seed: u64) -> History {
    let threads = [2, 3, 5, 8, 20][seed as usize % 5];
    let history = generate(&Recipe {
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
        // Some re-pointed reads make the search go back, most make a violation.
        violations: [0, 0, 1, 2][seed as usize % 4],
        distance: 60,
        seed,
        ..Recipe::default()
    });
    without_order(&history.unwrap()).unwrap()
}

#[test]
fn every_verdict_is_certified() {
    let mut counts = [0; 2];
    for seed in (0..300).filter(|seed| seed % 5 != 0 || seed % 3 != 0) {
        let history = history(seed);
        for model in MODELS {
            let consistent = common::decide(&history, model, Algorithm::Stages).unwrap();
            counts[usize::from(consistent)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}

/// A rank that says nothing makes for wrong choices; taking them for good at once makes every
/// wrong one cost a restart.
#[test]
fn restarts_change_no_verdict() {
    let mut backtracks = 0;
    let mut searched = 0;
    for seed in (0..300).filter(|seed| seed % 5 != 0 || seed % 3 != 0) {
        let history = history(seed);
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        for model in MODELS {
            let events = Events::new(&history, &reads_from, model, &vec![false; history.len()]);
            let deadline = Deadline::never();
            let mut search = |trail| {
                let mut rank: Vec<u32> = (0..events.len() as u32).collect();
                rank.shuffle(&mut common::seeded(seed));
                let mut saturation = Saturation::new(&events, rank, Vec::new(), &deadline);
                saturation.reset().ok()?;
                let limits = Limits {
                    trail,
                    ..Limits::new(u64::MAX)
                };
                match complete(&mut saturation, limits, &mut backtracks) {
                    Completion::Order(order) => Some(order.len()),
                    Completion::Violation(_) => Some(0),
                    end => panic!("{end:?}"),
                }
            };
            let with_restarts = search(1);
            assert_eq!(with_restarts, search(usize::MAX), "seed {seed} {model}");
            if let Some(placed) = with_restarts {
                assert!(placed == 0 || placed == history.len());
                searched += 1;
            }
        }
    }
    // The search must have had something to do.
    assert!(backtracks > 50 && searched > 100, "{backtracks} {searched}");
}
