//! The table of a campaign's runs.

use serde::{Deserialize, Serialize};

use crate::names;
use crate::records::{Cell, Record, fields, table, words};

/// The criteria that a history is checked against: those weaker than SC, SC, those weaker than TSO, TSO, and PSO. Each has
/// three columns, in this order.
pub const CRITERIA: [&str; 10] =
    ["cc", "ccv", "cm", "ccm", "wsc", "sc", "wccm", "wtso", "tso", "pso"];

/// The names of the criteria's columns: the finding, the number of operations, and the seconds.
const COLUMNS: [[&str; 3]; 10] = [
    ["cc", "cc_operations", "cc_seconds"],
    ["ccv", "ccv_operations", "ccv_seconds"],
    ["cm", "cm_operations", "cm_seconds"],
    ["ccm", "ccm_operations", "ccm_seconds"],
    ["wsc", "wsc_operations", "wsc_seconds"],
    ["sc", "sc_operations", "sc_seconds"],
    ["wccm", "wccm_operations", "wccm_seconds"],
    ["wtso", "wtso_operations", "wtso_seconds"],
    ["tso", "tso_operations", "tso_seconds"],
    ["pso", "pso_operations", "pso_seconds"],
];

/// How the programs of runs are chosen.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Generator {
    /// Each program is random.
    #[default]
    Blind,
    /// Programs are variations of those that reached something new.
    Guided,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunOutcome {
    /// The run completed, and its history satisfies the client's model.
    #[default]
    Clean,
    /// The history violates the client's model.
    Violation,
    /// The protocol has no transition for what happened, or an assertion in it failed.
    ProtocolError,
    /// Requests were not answered.
    Deadlock,
    /// Whether its history satisfies the model is undecided.
    Undecided,
}

/// The verdict on a history under a criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// The history satisfies the criterion.
    Consistent,
    /// The history does not satisfy the criterion.
    Violation,
    /// Whether the history satisfies the criterion is undecided.
    Undecided,
}

/// The result of checking a history against one criterion; empty if it was not checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// The result; `None` if the criterion was not checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding: Option<Finding>,
    /// An upper bound on the number of operations that had completed when the criterion was violated, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<u32>,
    /// Seconds that checking the whole history took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// A run of a protocol, mutated or not, with a random program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CampaignRun {
    /// The protocol.
    pub protocol: String,
    /// The mutant; `None` if the protocol is not mutated. The next five fields are `None` then, too.
    pub mutant: Option<String>,
    /// The operator that made the mutant; `named` for a named fault.
    pub operator: Option<String>,
    /// The machine that was edited.
    pub machine: Option<String>,
    /// The state of the transition that was edited.
    pub state: Option<String>,
    /// The event of the transition that was edited.
    pub event: Option<String>,
    /// The part of the transition that was edited.
    pub place: Option<String>,
    /// The kind of cores.
    pub client: String,
    /// The model that the cores guarantee, such as `sc` or `rvwmo`.
    #[serde(deserialize_with = "names::model")]
    pub model: String,
    /// How the program was chosen.
    pub generator: Generator,
    /// Number of the repetition of the campaign, from 0.
    pub repetition: u32,
    /// Number of the run among those of the mutant with this client and generator in the repetition, from 0.
    pub number: u32,
    /// The seed.
    pub seed: u64,
    /// The seeds from which the program was made.
    pub lineage: String,
    /// Number of threads.
    pub threads: u32,
    /// Number of operations.
    pub operations: u32,
    /// Number of transitions that were taken; 0 in gem5, where they are not counted.
    pub transitions: u64,
    /// Simulated time of the run, in ticks.
    pub ticks: u64,
    /// How the run ended.
    pub outcome: RunOutcome,
    /// The kind of the fault, if the run ended with one.
    pub fault: Option<String>,
    /// The message of the fault.
    pub message: Option<String>,
    /// A mistake that gem5 accepts, and where in the protocol it was made; `None` if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// How often the run took the edited transition.
    pub covered: Option<u64>,
    /// Number of triples of machine, state and event that this run was the first to reach.
    pub new: u32,
    /// The results of checking, in the order of [`CRITERIA`].
    pub criteria: [Checked; 10],
    /// Digest of the history, which `rubric check` shows for the run's trace and which certificates contain.
    pub trace_hash: Option<String>,
    /// Seconds that simulating took; in gem5, those from the fork to the end of the process.
    pub simulate_seconds: f64,
    /// The command that repeats the run.
    pub command: String,
    /// The known faults of gem5's released protocol that explain the alarm, by the names of their repairs; `none` if
    /// none does. `None` if no explanation was searched: a campaign does so for one run of each kind of alarm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
    /// The binary of gem5 that made the run; `None` for rubric's simulator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gem5: Option<String>,
}

impl CampaignRun {
    /// The result for the criterion of this name.
    pub fn checked(&self, criterion: &str) -> Option<&Checked> {
        let at = CRITERIA.iter().position(|name| *name == criterion)?;
        Some(&self.criteria[at])
    }

    /// The result for the criterion of this name, to be filled in.
    pub fn checked_mut(&mut self, criterion: &str) -> Option<&mut Checked> {
        let at = CRITERIA.iter().position(|name| *name == criterion)?;
        Some(&mut self.criteria[at])
    }
}

impl Record for CampaignRun {
    const TABLE: &'static str = "a table of runs";
    const MADE_BY: &'static str = "rubric campaign";
    const NEWER: &'static [&'static str] = &["warning", "known", "gem5"];
    const NAMES: &'static [(&'static str, &'static [&'static str])] = &[("model", names::MODELS)];

    fn fields(&mut self) -> Vec<(&'static str, &mut dyn Cell)> {
        let mut fields = fields!(self:
            protocol mutant operator machine state event place client model generator
            repetition number seed lineage threads operations transitions ticks outcome
            fault message warning covered new
        );
        for ([found, operations, seconds], checked) in COLUMNS.into_iter().zip(&mut self.criteria) {
            fields.push((found, &mut checked.finding));
            fields.push((operations, &mut checked.operations));
            fields.push((seconds, &mut checked.seconds));
        }
        fields.extend(fields!(self: trace_hash simulate_seconds command known gem5));
        fields
    }
}

words!(Generator: Blind "blind" Guided "guided");

words!(RunOutcome:
    Clean "clean"
    Violation "violation"
    ProtocolError "protocol error"
    Deadlock "deadlock"
    Undecided "undecided"
);

words!(Finding: Consistent "consistent" Violation "violation" Undecided "undecided");

table!(CampaignRun: write_runs read_runs);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_criterion_has_its_columns() {
        for (name, columns) in CRITERIA.into_iter().zip(COLUMNS) {
            let expected =
                [name.to_owned(), format!("{name}_operations"), format!("{name}_seconds")];
            assert_eq!(columns.map(str::to_owned), expected);
        }
    }

    #[test]
    fn criteria_are_found_by_name() {
        let mut run = CampaignRun::default();
        let wsc = Checked { finding: Some(Finding::Violation), ..Checked::default() };
        *run.checked_mut("wsc").unwrap() = wsc;
        assert_eq!(run.checked("wsc"), Some(&wsc));
        assert_eq!(run.criteria[4], wsc);
        assert_eq!(run.checked("stages"), None);
        assert!(run.checked_mut("stages").is_none());
    }
}
