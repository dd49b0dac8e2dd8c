//! The size and the mix of a program as options of the command line.

use memory::Model;

use super::{ProgramSize, WeakShares};

/// An option with its value and its default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spelled {
    /// The name of the option, without dashes.
    pub option: &'static str,
    value: String,
    usual: String,
}

impl Spelled {
    /// An option with its value and its default.
    pub fn new<T: ToString>(option: &'static str, value: T, usual: T) -> Spelled {
        Spelled { option, value: value.to_string(), usual: usual.to_string() }
    }

    /// The option and its value as they are given on the command line; `None` if the value is the default.
    pub fn word(&self) -> Option<String> {
        (self.value != self.usual).then(|| format!("--{} {}", self.option, self.value))
    }
}

impl ProgramSize {
    /// The options for the size of the program.
    pub fn counts(&self) -> Vec<Spelled> {
        let usual = ProgramSize::default();
        vec![
            Spelled::new("threads", self.threads, usual.threads),
            Spelled::new("dma", self.extras.devices, 0),
            Spelled::new("flush", self.extras.flushes, 0),
            Spelled::new("operations", self.operations, usual.operations),
            Spelled::new("locations", self.locations, usual.locations),
            Spelled::new("per-line", self.per_line, usual.per_line),
        ]
    }

    /// The options for the shares of kinds of operations.
    pub fn mix(&self) -> Vec<Spelled> {
        let usual = ProgramSize::default();
        vec![
            Spelled::new("reads", self.reads, usual.reads),
            Spelled::new("rmws", self.rmws, usual.rmws),
            Spelled::new("fences", self.fences, usual.fences),
            Spelled::new("fetches", self.fetches, usual.fetches),
            Spelled::new("linked", self.linked, usual.linked),
            Spelled::new("atomics", self.extras.atomics, 0),
            Spelled::new("dvm", self.extras.dvm, 0),
            Spelled::new("partial", self.extras.partial, 0),
            Spelled::new("functional", self.extras.functional, 0),
            Spelled::new("skew", self.skew, usual.skew),
            Spelled::new("think", self.think, usual.think),
        ]
    }
}

impl WeakShares {
    /// The shares of dependencies, annotations and weak fences for a model, with its defaults where none is given; `None` if the
    /// model is not weak.
    pub fn given(model: Model, shares: [Option<u32>; 3]) -> Option<WeakShares> {
        let usual = WeakShares::usual(model);
        let [dependencies, annotations, weak_fences] = shares;
        model.is_weak().then(|| WeakShares {
            model,
            dependencies: dependencies.unwrap_or(usual.dependencies),
            annotations: annotations.unwrap_or(usual.annotations),
            weak_fences: weak_fences.unwrap_or(usual.weak_fences),
        })
    }

    /// The options for the shares.
    pub fn words(&self) -> [Spelled; 3] {
        let usual = WeakShares::usual(self.model);
        [
            Spelled::new("dependencies", self.dependencies, usual.dependencies),
            Spelled::new("annotations", self.annotations, usual.annotations),
            Spelled::new("weak-fences", self.weak_fences, usual.weak_fences),
        ]
    }
}
