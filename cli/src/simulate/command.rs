//! The command that repeats a run.

use lab::text::quoted;
use memory::Model;
use simulate::client::Client;
use simulate::program::{ProgramSize, WeakShares};

use super::args::Args;
use super::options::{Program, System};
use crate::version::END_OF_NAME;
use lab::protocols::{Repairs, words_of};

impl Args {
    /// The arguments of `rubric simulate` that repeat a run. Options that change nothing are left out.
    pub(crate) fn words(&self, protocol: &str, client: Client, seed: u64) -> String {
        let mut words = vec![words_of(protocol)];
        if self.repair != Repairs::None {
            words.push(format!("--repair {}", self.repair));
        }
        let mutant = self.mutant.iter();
        words.extend(mutant.map(|name| format!("--mutant {}", quoted(name))));
        let cores =
            ["client", &client.to_string(), &Client::IN_ORDER.to_string()].map(str::to_owned);
        let recipe = self.recipe_of(seed);
        let options = match recipe {
            Some(_) => vec![cores],
            None => self.shaped(cores, client),
        };
        let unusual = options.into_iter().filter(|[_, value, usual]| value != usual);
        words.extend(unusual.map(|[option, value, _]| format!("--{option} {value}")));
        if let Some(recipe) = &recipe {
            words.push(format!("--recipe {recipe}"));
        }
        if recipe.is_none() && self.functional.suppress_func_errors {
            words.push("--suppress-func-errors".to_owned());
        }
        words.extend(self.system.given());
        if recipe.is_none() {
            words.push(format!("--seed {seed}"));
        }
        words.join(" ")
    }

    /// The options of programs and of the cores, each with its value and its default.
    fn shaped(&self, cores: [String; 3], client: Client) -> Vec<[String; 3]> {
        let shape = self.shape(0);
        let mut options = counts(&shape);
        options.push(cores);
        options.extend(mix(&shape));
        options.extend(self.program.weak_words(client.model()));
        options
    }

    /// The arguments of `rubric simulate` that repeat a run and check it as the series did, so that the violation shows.
    pub(crate) fn checked_words(&self, protocol: &str, client: Client, seed: u64) -> String {
        let words = self.words(protocol, client, seed);
        let models: Vec<&str> = self.named_models().map(|model| model.name()).collect();
        if models.is_empty() {
            format!("{words} --check")
        } else {
            format!("{words} --check={}", models.join(","))
        }
    }

    /// The command that repeats a run and its fault. A trace cannot show the operations of a weak model, so such
    /// a run is checked instead.
    pub(crate) fn command_of_fault(&self, protocol: &str, client: Client, seed: u64) -> String {
        let words = if client.model().is_weak() {
            self.checked_words(protocol, client, seed)
        } else {
            self.words(protocol, client, seed)
        };
        format!("rubric simulate {words}")
    }

    /// The command that repeats a run, followed by the version of rubric.
    pub(crate) fn command(&self, protocol: &str, client: Client, seed: u64) -> String {
        format!("rubric simulate {}{END_OF_NAME}", self.words(protocol, client, seed))
    }
}

/// An option with its value and its default.
pub(crate) fn option(option: &str, value: &dyn ToString, usual: &dyn ToString) -> [String; 3] {
    [option.to_owned(), value.to_string(), usual.to_string()]
}

/// The options that give the size of a program, each with its value and its default.
pub(crate) fn counts(shape: &ProgramSize) -> Vec<[String; 3]> {
    let usual = ProgramSize::default();
    vec![
        option("threads", &shape.threads, &usual.threads),
        option("dma", &shape.extras.devices, &0),
        option("flush", &shape.extras.flushes, &0),
        option("operations", &shape.operations, &usual.operations),
        option("locations", &shape.locations, &usual.locations),
        option("per-line", &shape.per_line, &usual.per_line),
    ]
}

/// The options that give the shares of kinds of operations in a program, each with its value and its default.
pub(crate) fn mix(shape: &ProgramSize) -> Vec<[String; 3]> {
    let usual = ProgramSize::default();
    vec![
        option("reads", &shape.reads, &usual.reads),
        option("rmws", &shape.rmws, &usual.rmws),
        option("fences", &shape.fences, &usual.fences),
        option("fetches", &shape.fetches, &usual.fetches),
        option("linked", &shape.linked, &usual.linked),
        option("atomics", &shape.extras.atomics, &0),
        option("partial", &shape.extras.partial, &0),
        option("functional", &shape.extras.functional, &0),
        option("skew", &shape.skew, &usual.skew),
        option("think", &shape.think, &usual.think),
    ]
}

impl Program {
    /// The options that give the shares of dependencies, annotations and weak fences in a program for a weak model, each with its
    /// value and its default; empty if the model is not weak.
    pub(crate) fn weak_words(&self, model: Model) -> Vec<[String; 3]> {
        let Some(weak) = self.weak_shares(model) else { return Vec::new() };
        let usual = WeakShares::usual(model);
        vec![
            option("dependencies", &weak.dependencies, &usual.dependencies),
            option("annotations", &weak.annotations, &usual.annotations),
            option("weak-fences", &weak.weak_fences, &usual.weak_fences),
        ]
    }
}

impl System {
    /// The options that differ from their defaults, as words of a command line.
    fn given(&self) -> Vec<String> {
        let mut words = Vec::new();
        if let Some((sizes, _)) = self.cache_size.as_ref().filter(|(sizes, _)| sizes != "tiny") {
            words.push(format!("--cache-size {sizes}"));
        }
        for (option, count) in [("l2-banks", self.l2_banks), ("directories", self.directories)] {
            let count = count.filter(|&count| count != 1);
            words.extend(count.map(|count| format!("--{option} {count}")));
        }
        for (option, latency) in [("network", self.network), ("memory", self.memory)] {
            words.extend(latency.map(|latency| format!("--{option} {latency}")));
        }
        words.extend(self.mesh.map(|mesh| format!("--mesh {mesh}")));
        if self.gem5_latencies {
            words.push("--gem5-latencies".to_owned());
        }
        if self.steady {
            words.push("--steady".to_owned());
        }
        if self.strict {
            words.push("--strict".to_owned());
        }
        let settings = self.set.iter();
        words.extend(settings.map(|setting| format!("--set {}", quoted(&setting.to_string()))));
        words.extend(self.deadlock_threshold.map(|ticks| format!("--deadlock-threshold {ticks}")));
        words
    }
}
