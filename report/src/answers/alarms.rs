//! Alarms: violations and faults that were found in unmutated protocols.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::Campaign;
use tables::{CRITERIA, CampaignRun, RunOutcome};

/// The alarms in unmutated protocols.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Alarms {
    /// The runs of unmutated protocols, by protocol and client.
    pub runs: Vec<Unmutated>,
    /// The runs that raised an alarm, in the order of the table.
    pub alarms: Vec<Alarm>,
    /// The warnings in these runs.
    pub warnings: Vec<Warned>,
}

/// A warning in runs of an unmutated protocol: something that gem5 accepts although it is evidently wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Warned {
    /// The protocol.
    pub protocol: String,
    /// The warning, with its place in the protocol.
    pub warning: String,
    /// The number of runs.
    pub runs: u64,
    /// The command that reproduces the first of these runs.
    pub command: String,
}

/// The runs of an unmutated protocol with one client.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unmutated {
    /// The protocol.
    pub protocol: String,
    /// The cores.
    pub client: String,
    /// The model that the cores guarantee.
    pub model: String,
    /// The number of runs.
    pub runs: u64,
    /// The number of runs whose history violates the model.
    pub violations: u64,
    /// The number of runs in which the protocol failed.
    pub failures: u64,
    /// The number of runs whose history was not decided.
    pub undecided: u64,
}

/// A run of an unmutated protocol that violates the model or in which the protocol failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Alarm {
    /// The protocol.
    pub protocol: String,
    /// The cores.
    pub client: String,
    /// The model that the cores guarantee.
    pub model: String,
    /// The outcome of the run.
    #[schemars(extend("enum" = RunOutcome::ALL.map(RunOutcome::name)))]
    pub outcome: &'static str,
    /// The criteria that its history violates, of those that follow from the model.
    pub violates: Vec<&'static str>,
    /// The message of the protocol's fault, if there was one.
    pub message: Option<String>,
    /// The command that reproduces the run.
    pub command: String,
    /// The known faults of gem5's released protocol that explain the alarm, by the names of their repairs; empty if
    /// none does. `None` if no explanation was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<Vec<String>>,
    /// Whether gem5 made the run, rather than rubric's simulator.
    #[serde(skip)]
    pub is_in_gem5: bool,
}

pub(super) fn alarms(campaign: &Campaign<'_>) -> Alarms {
    let mut runs: BTreeMap<[&str; 3], Unmutated> = BTreeMap::new();
    let mut alarms = Vec::new();
    let mut warnings: Vec<Warned> = Vec::new();
    for run in campaign.runs.iter().filter(|run| run.mutant.is_none()) {
        let key = [&*run.protocol, &run.client, &run.model];
        let entry = runs.entry(key).or_insert_with(|| about(run));
        let violates = campaign.violates(run);
        entry.runs += 1;
        entry.violations += u64::from(violates);
        entry.failures += u64::from(campaign.detects(run) && !violates);
        entry.undecided += u64::from(run.outcome == RunOutcome::Undecided);
        if campaign.detects(run) {
            alarms.push(alarm(campaign, run));
        }
        for warning in run.warning.iter().flat_map(|all| all.split("; ")) {
            let known = warnings
                .iter_mut()
                .find(|known| known.protocol == run.protocol && known.warning == warning);
            match known {
                Some(known) => known.runs += 1,
                None => warnings.push(Warned {
                    protocol: run.protocol.clone(),
                    warning: warning.to_owned(),
                    runs: 1,
                    command: run.command.clone(),
                }),
            }
        }
    }
    Alarms { runs: runs.into_values().collect(), alarms, warnings }
}

fn about(run: &CampaignRun) -> Unmutated {
    Unmutated {
        protocol: run.protocol.clone(),
        client: run.client.clone(),
        model: run.model.clone(),
        ..Unmutated::default()
    }
}

fn alarm(campaign: &Campaign<'_>, run: &CampaignRun) -> Alarm {
    let is_broken = |at: &usize| campaign.breaks(run, *at);
    Alarm {
        protocol: run.protocol.clone(),
        client: run.client.clone(),
        model: run.model.clone(),
        outcome: run.outcome.name(),
        violates: (0..CRITERIA.len()).filter(is_broken).map(|at| CRITERIA[at]).collect(),
        message: run.message.clone(),
        command: run.command.clone(),
        known: run.known.as_deref().map(repairs),
        is_in_gem5: run.gem5.is_some(),
    }
}

/// The repairs that the column `known` names.
fn repairs(known: &str) -> Vec<String> {
    known.split(',').filter(|name| *name != "none").map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answers, failed, unmutated, violation};
    use super::*;

    #[test]
    fn only_unmutated_runs_that_find_something() {
        let rows = [
            unmutated("in-order"),
            unmutated("in-order").ended(RunOutcome::Undecided),
            violation("", "", "in-order", &["sc"]).unmutated(),
            failed("", "", "in-order", RunOutcome::Deadlock).unmutated(),
            violation("", "", "store-buffer-8", &["sc"]).clean().unmutated(),
            violation("a", "x", "in-order", &["sc"]),
        ];
        let found = answers(&rows, &[]).alarms;
        let counts: Vec<_> = found
            .runs
            .iter()
            .map(|row| (row.client.as_str(), row.runs, row.violations, row.failures, row.undecided))
            .collect();
        assert_eq!(counts, [("in-order", 4, 1, 1, 1), ("store-buffer-8", 1, 0, 0, 0)]);
        let outcomes: Vec<_> = found.alarms.iter().map(|alarm| alarm.outcome).collect();
        assert_eq!(outcomes, ["violation", "deadlock"]);
        assert_eq!(found.alarms[0].known, None);
        assert_eq!(found.alarms[0].model, "sc");
        let violates: Vec<_> = found.alarms.iter().map(|alarm| &alarm.violates).collect();
        assert_eq!(violates, [&vec!["sc"], &Vec::new()]);
    }

    #[test]
    fn alarms_name_what_explains_them() {
        let tried = |known: &str| {
            let row = failed("", "", "in-order", RunOutcome::Deadlock).unmutated().known(known);
            answers(&[row], &[]).alarms.alarms[0].known.clone()
        };
        assert_eq!(tried("a,b"), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(tried("none"), Some(Vec::new()));
    }
}
