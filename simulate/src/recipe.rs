//! Whole runs but for protocol and client, as varied as can be while every valid protocol bears them,
//! and small changes of them.
//!
//! A [`Recipe`] is drawn from a seed, and varied by others; its [`Lineage`], such as `17` or
//! `17.203.88`, is its name. A run is made again from its lineage, protocol, mutant and client alone, on
//! every machine.
//!
//! ```
//! use simulate::client::Client;
//! use simulate::protocol::Protocol;
//! use simulate::recipe::{Lineage, Recipe};
//!
//! let protocol = Protocol::open("MI_example").expect("it is built in");
//! let lineage: Lineage = "17.203.88".parse().expect("a lineage");
//! let recipe = Recipe::of(&lineage);
//! assert_eq!(recipe, Recipe::random(17).vary(203).vary(88));
//! let simulation = recipe.simulation(&protocol, Client::InOrder);
//! let plan = simulation.plan(&protocol).expect("it fits every protocol");
//! let run = simulation.run(&protocol, &plan, None).expect("the plan fits");
//! assert!(run.fault.is_none());
//! ```

mod knob;
mod lineage;
mod words;

use crate::client::Client;
use crate::config::{Options, Setting, Shape as Cache};
use crate::dice::Dice;
use crate::program::{Edit, EditKind, Shape};
use crate::protocol::Protocol;
use crate::simulation::Simulation;
use knob::Knob;
pub use lineage::Lineage;

/// A run, but for its protocol and client.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    lineage: Lineage,
    shape: Shape,
    options: Options,
    filter: Option<Filter>,
}

/// A filter of a directory, which knows which caches may have a line: for protocols that have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Filter {
    /// The parameter that turns it on.
    flag: &'static str,
    /// Its size.
    size: Cache,
}

/// Separates the choices of a recipe from those of a program with its seed.
const RANDOM: u64 = 0x52_45_43_49;
/// The same of a variation.
const VARY: u64 = 0x56_41_52_59;
/// Of 100 variations, how many have one change more; and of those, and so on.
const MORE: u32 = 50;
/// Of 100 changes, how many are edits of the program.
const EDITS: u32 = 50;
/// Of 100 changes, how many are to the timing alone.
const TIMING: u32 = 20;

impl Recipe {
    /// The recipe that a seed stands for.
    pub fn random(seed: u64) -> Recipe {
        let shape = Shape {
            seed,
            ..Shape::default()
        };
        let mut recipe = Recipe {
            lineage: Lineage::root(seed),
            shape,
            options: Options::default(),
            filter: None,
        };
        let mut dice = Dice::new(seed, RANDOM);
        for knob in Knob::ALL {
            knob.draw(&mut recipe, &mut dice);
        }
        recipe
    }

    /// A recipe by its name.
    pub fn of(lineage: &Lineage) -> Recipe {
        let root = Recipe::random(lineage.seed());
        let seeds = lineage.variations().iter();
        seeds.fold(root, |recipe, &seed| recipe.vary(seed))
    }

    /// A recipe that differs from it in little.
    #[must_use]
    pub fn vary(&self, seed: u64) -> Recipe {
        let mut recipe = self.clone();
        recipe.lineage = self.lineage.vary(seed);
        let mut dice = Dice::new(seed, VARY);
        recipe.change(&mut dice);
        while dice.percent(MORE) {
            recipe.change(&mut dice);
        }
        recipe
    }

    fn change(&mut self, dice: &mut Dice) {
        let lot = dice.below(100) as u32;
        if lot < EDITS {
            let kind = dice.one_of(&EditKind::ALL);
            let seed = dice.below(u64::MAX);
            self.shape.edits.push(Edit { kind, seed });
        } else if lot < EDITS + TIMING {
            self.options.timing = Some(dice.below(u64::MAX));
        } else {
            dice.one_of(&Knob::ALL).draw(self, dice);
        }
    }

    /// What it is called.
    pub fn lineage(&self) -> &Lineage {
        &self.lineage
    }

    /// The run of a client on a protocol.
    pub fn simulation(&self, protocol: &Protocol, client: Client) -> Simulation {
        Simulation {
            shape: self.shape.clone(),
            client,
            options: Options {
                settings: self.settings(protocol),
                ..self.options.clone()
            },
            deadlock_threshold: None,
        }
    }

    /// Parameters that only some protocols have.
    fn settings(&self, protocol: &Protocol) -> Vec<Setting> {
        let Some(Filter { flag, size }) = self.filter else {
            return Vec::new();
        };
        let mut parameters = protocol.machines().flat_map(|machine| &machine.parameters);
        if !parameters.any(|one| *one.name.text == *flag) {
            return Vec::new();
        }
        let setting = |parameter: &str, value: String| Setting {
            machine: None,
            parameter: parameter.to_owned(),
            value,
        };
        vec![
            setting(flag, "true".to_owned()),
            setting("probeFilter", size.to_string()),
        ]
    }
}
