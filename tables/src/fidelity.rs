//! The tables of the experiment `fidelity`, which runs the same programs on rubric's simulator and in gem5.

use serde::{Deserialize, Serialize};

use crate::RunOutcome;
use crate::names;
use crate::records::{Cell, Record, fields, table, words};

/// Where a program ran.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// On rubric's simulator.
    #[default]
    Simulator,
    /// In a binary of gem5 with the plug-in.
    Gem5,
}

/// A run of a program on the simulator or in gem5. Every program has one row for each.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FidelityRun {
    /// The protocol.
    pub protocol: String,
    /// The mutant; `None` if the protocol is not mutated.
    pub mutant: Option<String>,
    /// The kind of cores.
    pub client: String,
    /// The model that the cores guarantee.
    #[serde(deserialize_with = "names::model")]
    pub model: String,
    /// Number of the run among those of the mutant with this client, from 0.
    pub number: u32,
    /// Where the program ran.
    pub place: Place,
    /// The seeds from which the program was made.
    pub lineage: String,
    /// Number of threads.
    pub threads: u32,
    /// Number of operations.
    pub operations: u32,
    /// Number of transitions that were taken.
    pub transitions: u64,
    /// Simulated time of the run, in ticks.
    pub ticks: u64,
    /// How the run ended.
    pub outcome: RunOutcome,
    /// The kind of the fault, if the run ended with one.
    pub fault: Option<String>,
    /// The message of the fault.
    pub message: Option<String>,
    /// The weakest criterion that the history violates, `protocol error` or `deadlock`; `None` if nothing was found.
    pub finder: Option<String>,
    /// Number of completed operations by which the finder has found the fault; an upper bound.
    pub detected: Option<u32>,
    /// Seconds of real time that the simulation took.
    pub seconds: f64,
}

/// How often all runs of a protocol or mutant took a transition, on the simulator and in gem5.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransitionPair {
    /// The protocol.
    pub protocol: String,
    /// The mutant; `None` if the protocol is not mutated.
    pub mutant: Option<String>,
    /// The machine of the protocol.
    pub machine: String,
    /// The state in which the event occurred.
    pub state: String,
    /// The event.
    pub event: String,
    /// How often rubric's simulator took the transition.
    pub simulator: u64,
    /// How often gem5 took the transition.
    pub gem5: u64,
}

impl Record for FidelityRun {
    const TABLE: &'static str = "a table of runs in both places";
    const MADE_BY: &'static str = "rubric experiment fidelity";
    const NAMES: &'static [(&'static str, &'static [&'static str])] = &[("model", names::MODELS)];

    fn fields(&mut self) -> Vec<(&'static str, &mut dyn Cell)> {
        fields!(self:
            protocol mutant client model number place lineage threads operations transitions ticks outcome
            fault message finder detected seconds
        )
    }
}

impl Record for TransitionPair {
    const TABLE: &'static str = "a table of transitions in both places";
    const MADE_BY: &'static str = "rubric experiment fidelity";

    fn fields(&mut self) -> Vec<(&'static str, &mut dyn Cell)> {
        fields!(self: protocol mutant machine state event simulator gem5)
    }
}

words!(Place: Simulator "simulator" Gem5 "gem5");

table!(FidelityRun: write_fidelity read_fidelity);
table!(TransitionPair: write_transition_pairs read_transition_pairs);
