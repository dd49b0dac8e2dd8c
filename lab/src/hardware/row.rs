//! [`ProgramRow`]: what the runs of a program showed.

use check::Model;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::journal::Row;

/// What the runs of a program showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramRow {
    /// The seed of the program.
    pub seed: u64,
    /// How often it ran.
    pub runs: u64,
    /// The number of operations of a run.
    pub operations: u64,
    /// The number of different outcomes.
    pub outcomes: u64,
    /// How long the runs took on the machine, in nanoseconds.
    pub nanoseconds: u64,
    /// How far apart the threads began a run: the median, in ticks of the processor's clock. 0 if there is no common clock.
    pub spread: u64,
    /// How long the compiler took, in seconds.
    pub compiling: f64,
    /// How long reading and deciding took, in seconds.
    pub deciding: f64,
    /// The verdicts under each model.
    pub verdicts: Vec<Tally>,
    /// How many certificates were verified.
    pub certificates: u64,
    /// The outcomes that violate what the machine should keep.
    pub found: Vec<Found>,
}

/// How many runs of a program had each verdict under a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// The name of the memory model that was asked about.
    pub model: String,
    /// The number of runs that the model allows.
    pub consistent: u64,
    /// The number of runs that violate the model.
    pub violation: u64,
    /// The number of runs that were not decided.
    pub undecided: u64,
    /// The number of different outcomes that violate the model.
    pub outcomes: u64,
}

/// An outcome that violates a model which the machine should keep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Found {
    /// The name of the memory model that the outcome violates.
    pub model: String,
    /// The number of the outcome, in the order in which outcomes were first seen.
    pub outcome: usize,
    /// The first run that had it.
    pub run: u64,
    /// The number of runs that had it.
    pub runs: u64,
}

impl Tally {
    /// Counts of 0.
    pub(super) fn new(model: Model) -> Tally {
        Tally {
            model: model.name().to_owned(),
            consistent: 0,
            violation: 0,
            undecided: 0,
            outcomes: 0,
        }
    }

    /// Adds the counts of another program.
    pub fn merge(&mut self, other: &Tally) {
        self.consistent += other.consistent;
        self.violation += other.violation;
        self.undecided += other.undecided;
        self.outcomes += other.outcomes;
    }
}

impl Row for ProgramRow {
    type Key = u64;
    const ADVICE: &'static str = "remove the line, and its program runs again";

    fn key(&self) -> u64 {
        self.seed
    }
}
