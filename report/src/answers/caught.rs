//! Lists the mutants that were found, each with the run that found it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Campaign, FINDERS, Mutant, Scope, kills};
use tables::{CampaignRun, RunOutcome};

/// A mutant that something found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CaughtMutant {
    /// The protocol.
    pub protocol: String,
    /// The mutant.
    pub mutant: String,
    /// The operator that made the mutant.
    pub operator: String,
    /// The outcome of the first run that found the mutant. Runs that violate what their client guarantees take
    /// precedence.
    #[schemars(extend("enum" = RunOutcome::ALL.map(RunOutcome::name)))]
    pub outcome: &'static str,
    /// The finders that found the mutant in any run, in the order of [`FINDERS`].
    pub finders: Vec<&'static str>,
    /// The clients whose runs found the mutant.
    pub clients: Vec<String>,
    /// The number of the run that `outcome` is about, among the runs of its client, from 1.
    pub runs: u64,
    /// The command that reproduces that run.
    pub command: String,
}

/// The mutants that something found, by protocol and mutant.
pub(super) fn caught(campaign: &Campaign<'_>) -> Vec<CaughtMutant> {
    let mut mutants: BTreeMap<Mutant<'_>, Vec<&CampaignRun>> = BTreeMap::new();
    for (mutant, run) in campaign.tried(&Scope::All) {
        if campaign.detects(run) {
            mutants.entry(mutant).or_default().push(run);
        }
    }
    let runs = mutants.into_values();
    runs.filter_map(|runs| about(campaign, &runs)).collect()
}

fn about(campaign: &Campaign<'_>, runs: &[&CampaignRun]) -> Option<CaughtMutant> {
    let first = runs.iter().min_by_key(|run| (!campaign.violates(run), run.number))?;
    let finds = |at: &usize| runs.iter().any(|run| kills::finds(campaign, run, *at));
    let mut clients: Vec<String> = runs.iter().map(|run| run.client.clone()).collect();
    clients.sort();
    clients.dedup();
    Some(CaughtMutant {
        protocol: first.protocol.clone(),
        mutant: first.mutant.clone().unwrap_or_default(),
        operator: first.operator.clone().unwrap_or_default(),
        outcome: if campaign.violates(first) { "violation" } else { first.outcome.name() },
        finders: (0..FINDERS.len()).filter(finds).map(|at| FINDERS[at]).collect(),
        clients,
        runs: u64::from(first.number) + 1,
        command: first.command.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answers, failed, run, violation};
    use tables::{Generator, RunOutcome};

    #[test]
    fn a_violation_counts_before_an_earlier_failure() {
        let rows = [
            run("a", "x", "in-order"),
            failed("a", "x", "store-buffer-8", RunOutcome::Deadlock).numbered(
                Generator::Blind,
                0,
                1,
            ),
            violation("a", "x", "in-order", &["wsc", "sc"]).numbered(Generator::Blind, 0, 4),
            violation("a", "x", "in-order", &["sc"]).numbered(Generator::Blind, 0, 3),
            failed("b", "x", "in-order", RunOutcome::ProtocolError).numbered(
                Generator::Blind,
                0,
                7,
            ),
            run("c", "x", "in-order"),
            // A client with a store buffer does not guarantee SC.
            violation("d", "x", "store-buffer-8", &["sc"]).clean(),
        ];
        let found = answers(&rows, &[]).caught;
        let [a, b] = &found[..] else { panic!("{found:?}") };
        assert_eq!((a.mutant.as_str(), a.outcome, a.runs), ("a", "violation", 4));
        assert_eq!(a.finders, ["wsc", "sc", "deadlock"]);
        assert_eq!(a.clients, ["in-order", "store-buffer-8"]);
        assert_eq!((b.mutant.as_str(), b.outcome, b.runs), ("b", "protocol error", 8));
        assert_eq!(b.finders, ["protocol error"]);
    }
}
