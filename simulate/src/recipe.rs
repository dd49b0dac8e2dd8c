//! Recipes: the parameters of runs except protocol and client, as varied as every valid protocol
//! allows, and small variations of them.
//!
//! A [`Recipe`] is drawn from a seed, and varied by further seeds; its name is its [`Lineage`],
//! such as `17` or `17.203.88`. A run can be reproduced from its lineage, protocol, mutant and
//! client, on every machine.
//!
//! ```
//! use simulate::client::Client;
//! use slicc::protocol::Protocol;
//! use simulate::recipe::{Lineage, Recipe};
//!
//! let protocol = Protocol::open("MI_example").expect("it is built in");
//! let lineage: Lineage = "17.203.88".parse().expect("a lineage");
//! let recipe = Recipe::of(&lineage);
//! assert_eq!(recipe, Recipe::random(17).vary(203).vary(88));
//! let simulation = recipe.simulation(&protocol, Client::IN_ORDER);
//! let plan = simulation.plan(&protocol).expect("it fits every protocol");
//! let run = simulation.run(&protocol, &plan, None).expect("the plan fits");
//! assert!(run.fault.is_none());
//! ```

mod knob;
mod lineage;
mod words;

use history::random::Rng;
use slicc::protocol::Protocol;
use slicc::scripts::Script;
use slicc::setting::Setting;

use crate::client::Client;
use crate::config::{
    CacheGeometry, Options, clusters, evictions, has_dma, most_threads, policies, prefetchers,
    slots, takes_flushes, takes_invalidations,
};
use crate::program::{Edit, EditKind, Extras, ProgramSize, WeakShares};
use crate::simulation::Simulation;
use crate::system::DEADLOCK_THRESHOLD;
use knob::Knob;
pub use lineage::Lineage;

/// The parameters of a run, except for its protocol and client.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    lineage: Lineage,
    shape: ProgramSize,
    options: Options,
    filter: Option<Filter>,
}

/// A probe filter of a directory, which records which caches may have a line. Not every protocol
/// has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Filter {
    /// The parameter that enables it.
    flag: &'static str,
    /// The size of the filter.
    size: CacheGeometry,
}

/// Makes the generator of a recipe differ from that of a program with the same seed.
const RANDOM: u64 = 0x52_45_43_49;
/// Makes the generator of a variation differ from others with the same seed.
const VARY: u64 = 0x56_41_52_59;
/// The probability, in percent, that a variation has a second change; likewise for every further
/// one.
const MORE: u32 = 70;
/// The percentage of changes that are edits of the program.
const EDITS: u32 = 30;
/// The percentage of changes that affect the timing only.
const TIMING: u32 = 20;
/// Ticks after which a request is a deadlock where numbers of slots are drawn: the requests of all cores may wait for one slot, and
/// a slow network has each of them take thousands of ticks.
const THRESHOLD_OF_FEW_SLOTS: u64 = 10 * DEADLOCK_THRESHOLD;

impl Recipe {
    /// Draws the recipe of a seed.
    pub fn random(seed: u64) -> Recipe {
        let shape = ProgramSize { seed, ..ProgramSize::default() };
        let mut recipe = Recipe {
            lineage: Lineage::root(seed),
            shape,
            options: Options::default(),
            filter: None,
        };
        let mut rng = Rng::new(seed, RANDOM);
        for knob in Knob::ALL {
            knob.draw(&mut recipe, &mut rng);
        }
        recipe
    }

    /// The recipe with this lineage.
    pub fn of(lineage: &Lineage) -> Recipe {
        let mut root = Recipe::random(lineage.seed());
        root.lineage = root.lineage.with_extras(lineage.extras());
        root.shape.extras = lineage.extras();
        let seeds = lineage.variations().iter();
        seeds.fold(root, |recipe, &seed| recipe.vary(seed))
    }

    /// Returns a recipe with small changes.
    #[must_use]
    pub fn vary(&self, seed: u64) -> Recipe {
        let mut recipe = self.clone();
        let mut rng = Rng::new(seed, VARY);
        // A value that is drawn again may be the same.
        while recipe == *self || rng.percent(MORE) {
            recipe.change(&mut rng);
        }
        recipe.lineage = self.lineage.vary(seed);
        recipe
    }

    fn change(&mut self, rng: &mut Rng) {
        let lot = rng.below(100) as u32;
        if lot < EDITS {
            let kind = rng.one_of(&EditKind::ALL);
            let seed = rng.below(u64::MAX);
            self.shape.edits.push(Edit { kind, seed });
        } else if lot < EDITS + TIMING {
            self.options.timing = Some(rng.below(u64::MAX));
        } else {
            rng.one_of(&Knob::ALL).draw(self, rng);
        }
    }

    /// The name of the recipe.
    pub fn lineage(&self) -> &Lineage {
        &self.lineage
    }

    /// The simulation of these parameters with a client on a protocol.
    pub fn simulation(&self, protocol: &Protocol, client: Client) -> Simulation {
        let options = self.options(protocol, client);
        let deadlock_threshold = threshold(&options);
        Simulation { shape: self.shape_for(protocol, client), client, options, deadlock_threshold }
    }

    /// The options of the system, as far as the protocol and its script in gem5 have them.
    fn options(&self, protocol: &Protocol, client: Client) -> Options {
        let script = Script::find(protocol.name(), &protocol.declared());
        let has_one_directory = script.is_some_and(|script| script.known.has_one_directory());
        Options {
            directories: if has_one_directory { 1 } else { self.options.directories },
            settings: self.settings(protocol, client),
            ..self.options.clone()
        }
    }

    /// The program for a client. Annotations, dependencies and weak fences, which only weak models have, are drawn from
    /// the seed apart from the rest, so that a lineage has the same accesses on all cores. Protocols get no DMA devices
    /// and no flushes or TLB invalidations that they cannot handle.
    fn shape_for(&self, protocol: &Protocol, client: Client) -> ProgramSize {
        let model = client.model();
        let weak = model.is_weak().then(|| WeakShares::random(model, self.lineage.seed()));
        let most = most_threads(protocol).unwrap_or(u32::MAX);
        let threads = self.shape.threads.min(most);
        ProgramSize {
            weak,
            threads,
            extras: self.extras_for(protocol, client),
            ..self.shape.clone()
        }
    }

    /// The extras of the program that a protocol and a kind of cores handle.
    fn extras_for(&self, protocol: &Protocol, client: Client) -> Extras {
        let Extras { devices, flushes, atomics, dvm, functional, suppressed, .. } =
            self.shape.extras;
        let is_functional = client.makes_functional_accesses();
        Extras {
            devices: if has_dma(protocol) { devices } else { 0 },
            flushes: if flushes > 0 && takes_flushes(protocol) { flushes } else { 0 },
            atomics,
            dvm: if dvm > 0 && takes_invalidations(protocol) { dvm } else { 0 },
            functional: if is_functional { functional } else { 0 },
            suppressed: if is_functional { suppressed } else { 0 },
            ..self.shape.extras
        }
    }

    /// The settings of the recipe that the protocol has: its policies, its clusters, and a probe filter.
    fn settings(&self, protocol: &Protocol, client: Client) -> Vec<Setting> {
        let mut settings = self.filter_settings(protocol);
        if self.shape.extras.policies > 0 {
            settings.extend(policies(protocol, self.lineage.seed()));
        }
        if self.shape.extras.policies > 1 {
            settings.extend(slots(protocol, self.lineage.seed()));
        }
        if self.shape.extras.policies > 2 {
            let sizes = self.options.caches.sizes();
            settings.extend(prefetchers(protocol, self.lineage.seed(), &sizes));
        }
        if self.shape.extras.policies > 3 && !client.needs_evictions() {
            settings.extend(evictions(protocol, self.lineage.seed()));
        }
        if self.shape.extras.clusters > 0 {
            settings.extend(clusters(protocol, self.lineage.seed()));
        }
        settings
    }

    /// The settings that enable the probe filter of the recipe, if it has one and the protocol declares its flag.
    fn filter_settings(&self, protocol: &Protocol) -> Vec<Setting> {
        let Some(Filter { flag, size }) = self.filter else {
            return Vec::new();
        };
        let mut parameters = protocol.machines().flat_map(|machine| &machine.parameters);
        if !parameters.any(|one| *one.name.text == *flag) {
            return Vec::new();
        }
        vec![Setting::of_all(flag, true), Setting::of_all("probeFilter", size)]
    }
}

/// The ticks after which a request is a deadlock in a system with these options, if they are not the usual ones.
fn threshold(options: &Options) -> Option<u64> {
    let mut settings = options.settings.iter();
    let has_few = settings.any(|one| one.parameter.starts_with("number_of_"));
    has_few.then_some(THRESHOLD_OF_FEW_SLOTS)
}

#[cfg(test)]
mod tests {
    use memory::Model;

    use super::*;
    use crate::program::Program;

    fn protocol(name: &str) -> Protocol {
        Protocol::open(name).unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics))
    }

    /// A lineage is promised to stand for the same run for ever: this test fails if it does not.
    #[test]
    fn a_lineage_stands_for_one_run_forever() {
        let protocol = protocol("MOESI_hammer");
        let seen = ["17", "17.203", "17.203.88"].map(|lineage| {
            let lineage: Lineage = lineage.parse().unwrap();
            let recipe = Recipe::of(&lineage);
            assert_eq!(*recipe.lineage(), lineage);
            let simulation = recipe.simulation(&protocol, Client::early(8));
            let plan = simulation.plan(&protocol).unwrap();
            let tally = simulation.run(&protocol, &plan, None).unwrap().tally;
            (recipe.words(&protocol, Client::early(8)), tally.ticks, tally.transitions)
        });
        let expected =
            RUNS.map(|(words, ticks, transitions)| (words.to_owned(), ticks, transitions));
        assert_eq!(seen, expected);
    }

    const RUNS: [(&str, u64, u64); 3] = [
        (
            "--threads 5 --operations 82 --locations 19 --reads 20 --rmws 10 --think 0 --l2-banks 4 \
             --directories 2 --network 1-1000 --memory 1-2 --set full_bit_dir_enabled=true \
             --set probeFilter=512:2 --seed 17",
            243_879,
            6247,
        ),
        (
            "--threads 5 --operations 82 --locations 19 --reads 20 --rmws 10 --think 0 --l2-banks 4 \
             --directories 2 --network 1-1000 --memory 1-2 --seed 17",
            143_192,
            5076,
        ),
        (
            "--threads 5 --operations 82 --locations 19 --reads 65 --rmws 10 --think 0 --l2-banks 4 \
             --directories 2 --network 1-1000 --memory 1-2 --seed 17",
            104_213,
            4886,
        ),
    ];

    #[test]
    fn recipes_differ_and_are_as_large_as_they_may_be() {
        let recipes: Vec<Recipe> = (0..300).map(Recipe::random).collect();
        let threads = |one: &Recipe| one.shape.threads;
        let operations = |one: &Recipe| one.shape.operations;
        assert_eq!(recipes.iter().map(threads).min(), Some(2));
        assert_eq!(recipes.iter().map(threads).max(), Some(8));
        assert!(recipes.iter().all(|one| (30..=200).contains(&operations(one))));
        assert!(recipes.iter().any(|one| one.filter.is_some()));
        let knobs = |one: &Recipe| {
            format!("{:?} {:?}", ProgramSize { seed: 0, ..one.shape.clone() }, one.options)
        };
        let different: std::collections::BTreeSet<String> = recipes.iter().map(knobs).collect();
        assert!(different.len() > 290);
    }

    /// Variations change something, include every kind of change, and are mostly small.
    #[test]
    fn variations_are_near() {
        let recipe = Recipe::random(1);
        let steps = |one: &Recipe| Program::random(&one.shape).threads;
        let (mut programs, mut systems, mut timings) = (0, 0, 0);
        for seed in 0..100 {
            let varied = recipe.vary(seed);
            assert_eq!(varied, recipe.vary(seed));
            programs += usize::from(steps(&varied) != steps(&recipe));
            timings += usize::from(varied.options.timing.is_some());
            systems += usize::from(varied.options.caches != recipe.options.caches);
            assert_eq!(varied.shape.seed, recipe.shape.seed);
            // Values that are drawn again may be the same.
            let changes = varied.shape.edits.len() + usize::from(varied.options.timing.is_some());
            assert!(changes < 12, "{seed}");
        }
        let in_range = |count: usize, least: usize| (least..95).contains(&count);
        assert!(in_range(programs, 40), "{programs}");
        assert!(in_range(timings, 20), "{timings}");
        assert!(in_range(systems, 3), "{systems}");
    }

    #[test]
    fn weak_cores_get_programs_with_orderings() {
        let recipe = Recipe::random(3);
        let protocol = protocol("MI_example");
        let simulation = |client| recipe.simulation(&protocol, client);
        let (weak, strong) =
            (simulation(Client::out_of_order(Model::RVWMO, 8)), simulation(Client::early(8)));
        assert_eq!(strong.shape.weak, None);
        assert_eq!(ProgramSize { weak: None, ..weak.shape }, strong.shape);
        let words = recipe.words(&protocol, weak.client);
        let shares = weak.shape.weak.unwrap();
        let given = format!("--dependencies {}", shares.dependencies);
        assert_eq!(words.contains(&given), shares.dependencies != 20, "{words}");
    }

    #[test]
    fn requests_may_wait_longer_where_slots_are_few() {
        let with = |setting: &str| {
            let settings = vec![setting.parse().unwrap()];
            threshold(&Options { settings, ..Options::default() })
        };
        assert_eq!(with("L2.number_of_TBEs=1"), Some(2_000_000));
        assert_eq!(with("L2.enable_DCT=false"), None);
    }

    #[test]
    fn filters_are_for_protocols_that_have_them() {
        let filtered = (0..).map(Recipe::random).find(|one| one.filter.is_some());
        let filtered = filtered.unwrap();
        assert_eq!(filtered.settings(&protocol("MOESI_hammer"), Client::IN_ORDER).len(), 2);
        assert_eq!(filtered.settings(&protocol("MI_example"), Client::IN_ORDER), []);
        let words = filtered.words(&protocol("MOESI_hammer"), Client::IN_ORDER);
        assert!(words.contains("_enabled=true --set probeFilter="), "{words}");
        assert!(!filtered.words(&protocol("MI_example"), Client::IN_ORDER).contains("--set"));
    }
}
