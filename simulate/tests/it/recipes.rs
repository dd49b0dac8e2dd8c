//! Recipes compared with the command line, and their variations on every protocol with every
//! client.

use crate::stress;
use simulate::recipe::{Lineage, Recipe};
use slicc::builtin::BUILTINS;
use slicc::protocol::Protocol;

#[test]
fn the_words_of_a_recipe_stand_for_its_run() {
    for one in BUILTINS {
        let protocol = stress::open(one.name);
        for seed in 0..100 {
            let client = stress::CLIENTS[0];
            let recipe = Recipe::random(seed);
            let words = recipe.words(&protocol, client);
            let said = stress::simulation_of(&words, client);
            let meant = recipe.simulation(&protocol, client);
            assert_eq!(format!("{said:?}"), format!("{meant:?}"), "{words}");
        }
    }
}

/// Number of runs of a protocol.
const RUNS: u64 = 100;

fn bear_variations(protocol: &Protocol) {
    for number in 0..RUNS {
        let mut lineage = Lineage::root(number);
        for seed in 0..=number % 7 {
            lineage = lineage.vary(seed + number);
        }
        let client = stress::CLIENTS[(number % 8) as usize];
        let simulation = Recipe::of(&lineage).simulation(protocol, client);
        let run = stress::run(protocol, &simulation);
        assert!(run.history().is_ok(), "{lineage}");
    }
}

#[test]
fn variations_run_on_every_protocol() {
    for one in BUILTINS {
        bear_variations(&stress::open(one.name));
    }
}
