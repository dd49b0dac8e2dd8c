//! [`Plan`]: what the runs of a series have in common, and the commands that repeat one of them.

use check::Model;
use memory::models;
use simulate::client::Client;
use simulate::config::{Options, most_threads};
use simulate::program::{Extras, ProgramSize, Spelled, WeakShares};
use simulate::recipe::{Lineage, Recipe};
use simulate::simulation::Simulation;
use slicc::protocol::Protocol;

use crate::protocols::{Repairs, words_of};
use crate::text::{END_OF_NAME, quoted};

/// What the runs of a series have in common.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The repairs of known faults with which the protocols were opened.
    pub repairs: Repairs,
    /// The mutant that the protocol is, by the name that was given.
    pub mutant: Option<String>,
    /// The kinds of cores.
    pub clients: Vec<Client>,
    /// The number of runs of each protocol and kind of cores.
    pub runs: u32,
    /// The seed of the first run; the next one has the next number.
    pub seed: u64,
    /// The random programs.
    pub programs: Programs,
    /// The simulated system. Of it, a drawn run has the settings, the mesh, the latencies of gem5 and whether mistakes are faults.
    pub options: Options,
    /// The part of a command that stands for `options` and the threshold: the options that were given, each as a word or two.
    pub system: Vec<String>,
    /// The number of ticks after which a request that was not answered is a deadlock.
    pub deadlock_threshold: Option<u64>,
    /// The models under which histories are checked, the usual ones if the list is empty; `None` if none is checked.
    pub check: Option<Vec<Model>>,
    /// The options with which histories are checked.
    pub checking: check::Options,
}

/// The random programs of a series.
#[derive(Clone, Debug)]
pub enum Programs {
    /// Each run has program, caches and latencies of its own, drawn from its seed. Programs ask for these requests in addition to their
    /// accesses.
    Drawn(Extras),
    /// All runs have this recipe.
    Recipe(Lineage),
    /// All programs have one size and mix.
    Sized {
        /// The size and the mix, without the shares for a weak model.
        size: Box<ProgramSize>,
        /// Whether programs have fewer threads on protocols that do not work with as many.
        fits: bool,
        /// The shares of dependencies, annotations and weak fences; `None` for the default of the model.
        weak: [Option<u32>; 3],
    },
}

/// A protocol with a kind of cores.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// The index of the protocol among those that were opened.
    pub protocol: usize,
    /// The kind of cores.
    pub client: Client,
}

impl Plan {
    /// The cells of a series with this many protocols.
    pub fn cells(&self, protocols: usize) -> Vec<Cell> {
        let of = |protocol| self.clients.iter().map(move |&client| Cell { protocol, client });
        (0..protocols).flat_map(of).collect()
    }

    /// The models whose violation counts as a failure: those that the user names, else the model of the client and the usual
    /// models that follow from it.
    pub fn kept(&self, client: Client) -> Vec<Model> {
        match &self.check {
            Some(named) if !named.is_empty() => named.clone(),
            _ => {
                let kept = client.model();
                let is_asked = |model: &Model| *model == kept || model.is_usual();
                let weaker = models::ALL.iter().copied();
                weaker.filter(|model| model.includes(kept) && is_asked(model)).collect()
            }
        }
    }

    /// The models that a series is checked under.
    pub fn models(&self) -> Vec<Model> {
        match &self.check {
            None => Vec::new(),
            Some(named) if named.is_empty() => {
                let mut models: Vec<Model> = models::usual().collect();
                for model in self.clients.iter().map(|client| client.model()) {
                    if model.is_weak() && !models.contains(&model) {
                        models.push(model);
                    }
                }
                models
            }
            Some(named) => named.clone(),
        }
    }

    /// The seed of the run with this number in the series.
    pub fn seed_of(&self, run: u32) -> u64 {
        self.seed.wrapping_add(u64::from(run))
    }

    /// The recipe of the run with a seed; `None` if all programs have one size.
    pub fn recipe_of(&self, seed: u64) -> Option<Lineage> {
        match &self.programs {
            Programs::Drawn(extras) => Some(Lineage::root(seed).with_extras(*extras)),
            Programs::Recipe(recipe) => Some(recipe.clone()),
            Programs::Sized { .. } => None,
        }
    }

    /// The simulation of the run with a seed.
    pub fn simulation(&self, protocol: &Protocol, client: Client, seed: u64) -> Simulation {
        let deadlock_threshold = self.deadlock_threshold;
        if let Some(lineage) = self.recipe_of(seed) {
            let simulation = Recipe::of(&lineage).simulation(protocol, client);
            let mut options = simulation.options;
            options.settings.extend(self.options.settings.clone());
            options.mesh = self.options.mesh;
            options.gem5_latencies = self.options.gem5_latencies;
            options.strict = self.options.strict;
            let deadlock_threshold = deadlock_threshold.or(simulation.deadlock_threshold);
            return Simulation { options, deadlock_threshold, ..simulation };
        }
        let shape = self.size(protocol, client, seed);
        Simulation { shape, client, options: self.options.clone(), deadlock_threshold }
    }

    /// The size and the mix of the program with a seed on a protocol; the default ones if they are drawn.
    fn size(&self, protocol: &Protocol, client: Client, seed: u64) -> ProgramSize {
        let Programs::Sized { size, fits, weak } = &self.programs else {
            return ProgramSize { seed, ..ProgramSize::default() };
        };
        let most = most_threads(protocol).filter(|_| *fits).unwrap_or(u32::MAX);
        let weak = WeakShares::given(client.model(), *weak);
        ProgramSize { weak, threads: size.threads.min(most), seed, ..(**size).clone() }
    }

    /// The arguments of `rubric simulate` that repeat a run. Options that change nothing are left out.
    pub fn words(&self, given: &str, client: Client, seed: u64) -> String {
        let mut words = vec![words_of(given)];
        if self.repairs != Repairs::None {
            words.push(format!("--repair {}", self.repairs));
        }
        words.extend(self.mutant.iter().map(|name| format!("--mutant {}", quoted(name))));
        let mut options = vec![Spelled::new("client", client, Client::IN_ORDER)];
        if let Programs::Sized { size, weak, .. } = &self.programs {
            options.splice(0..0, size.counts());
            options.extend(size.mix());
            let weak = WeakShares::given(client.model(), *weak);
            options.extend(weak.iter().flat_map(WeakShares::words));
        }
        words.extend(options.iter().filter_map(Spelled::word));
        match (&self.programs, self.recipe_of(seed)) {
            (_, Some(recipe)) => words.push(format!("--recipe {recipe}")),
            (Programs::Sized { size, .. }, _) if size.extras.suppressed > 0 => {
                words.push("--suppress-func-errors".to_owned());
            }
            _ => {}
        }
        words.extend(self.system.iter().cloned());
        if matches!(self.programs, Programs::Sized { .. }) {
            words.push(format!("--seed {seed}"));
        }
        words.join(" ")
    }

    /// The command that repeats a run and checks it as the series did, so that the violation shows.
    pub fn command_of_violation(&self, given: &str, client: Client, seed: u64) -> String {
        let models: Vec<&str> = self.check.iter().flatten().map(|model| model.name()).collect();
        let models =
            if models.is_empty() { String::new() } else { format!("={}", models.join(",")) };
        format!("rubric simulate {} --check{models}", self.words(given, client, seed))
    }

    /// The command that repeats a run and its fault. A trace cannot show the operations of a weak model, so such
    /// a run is checked instead.
    pub fn command_of_fault(&self, given: &str, client: Client, seed: u64) -> String {
        if client.model().is_weak() {
            self.command_of_violation(given, client, seed)
        } else {
            format!("rubric simulate {}", self.words(given, client, seed))
        }
    }

    /// The command that repeats a run, followed by the version of rubric.
    pub fn command(&self, given: &str, client: Client, seed: u64) -> String {
        format!("rubric simulate {}{END_OF_NAME}", self.words(given, client, seed))
    }
}
