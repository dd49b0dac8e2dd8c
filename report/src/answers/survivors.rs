//! Lists the mutants that nothing found.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Campaign, Mutant, Scope};
use tables::{CampaignRun, RunOutcome};

/// A mutant that nothing found, and that is not known to be equivalent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Survivor {
    /// The protocol.
    pub protocol: String,
    /// The mutant.
    pub mutant: String,
    /// The operator that made the mutant.
    pub operator: String,
    /// The machine that was edited, if it is known.
    pub machine: Option<String>,
    /// The state of the edited transition.
    pub state: Option<String>,
    /// The event of the edited transition.
    pub event: Option<String>,
    /// The number of runs of the mutant.
    pub runs: u64,
    /// The number of runs whose history was not decided.
    pub undecided: u64,
    /// The number of runs that took the edited transitions.
    pub covering: u64,
    /// How often all runs together took the edited transitions; `None` if it is not known.
    pub covered: Option<u64>,
}

/// The survivors, the most suspicious first: those whose edited transitions were taken most often, then those for which that is not
/// known, last those that no run took.
pub(super) fn survivors(campaign: &Campaign<'_>) -> Vec<Survivor> {
    let mut mutants: BTreeMap<Mutant<'_>, Option<Survivor>> = BTreeMap::new();
    for (mutant, run) in campaign.tried(&Scope::All) {
        let survivor = mutants.entry(mutant).or_insert_with(|| Some(about(run)));
        if campaign.detects(run) {
            *survivor = None
        } else {
            survivor.iter_mut().for_each(|survivor| survivor.add(run))
        }
    }
    let mut survivors: Vec<Survivor> = mutants.into_values().flatten().collect();
    survivors.sort_by_key(|survivor| {
        let rank = match survivor.covered {
            Some(0) => 2,
            Some(_) => 0,
            None => 1,
        };
        (rank, Reverse(survivor.covered), Reverse(survivor.runs))
    });
    survivors
}

fn about(run: &CampaignRun) -> Survivor {
    Survivor {
        protocol: run.protocol.clone(),
        mutant: run.mutant.clone().unwrap_or_default(),
        operator: run.operator.clone().unwrap_or_default(),
        machine: run.machine.clone(),
        state: run.state.clone(),
        event: run.event.clone(),
        ..Survivor::default()
    }
}

impl Survivor {
    fn add(&mut self, run: &CampaignRun) {
        self.runs += 1;
        self.undecided += u64::from(run.outcome == RunOutcome::Undecided);
        self.covering += u64::from(run.covered.is_some_and(|times| times > 0));
        if let Some(times) = run.covered {
            *self.covered.get_or_insert(0) += times;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answers, equivalent, failed, run, unmutated, violation};
    use super::*;

    #[test]
    fn the_most_suspicious_first() {
        let rows = [
            run("never", "x", "in-order").covered(0),
            run("often", "x", "in-order").covered(30),
            run("unknown", "x", "in-order"),
            run("seldom", "x", "in-order").covered(0),
            run("often", "x", "store-buffer-8").covered(12).ended(RunOutcome::Undecided),
            run("seldom", "x", "in-order").covered(1),
            // Found in one run only.
            run("found", "x", "in-order").covered(99),
            violation("found", "x", "in-order", &["sc"]).covered(1),
            run("found", "x", "in-order").covered(99),
            failed("stuck", "x", "in-order", RunOutcome::Deadlock).covered(99),
            run("same", "x", "in-order").covered(99),
            unmutated("in-order"),
            // A client with a store buffer does not guarantee SC.
            violation("buffered", "x", "store-buffer-8", &["sc"]).clean().covered(2),
        ];
        let survivors = answers(&rows, &[equivalent("same", "x")]).survivors;
        let found: Vec<_> = survivors
            .iter()
            .map(|survivor| {
                (survivor.mutant.as_str(), survivor.runs, survivor.covering, survivor.covered)
            })
            .collect();
        assert_eq!(
            found,
            [
                ("often", 2, 2, Some(42)),
                ("buffered", 1, 1, Some(2)),
                ("seldom", 2, 1, Some(1)),
                ("unknown", 1, 0, None),
                ("never", 1, 0, Some(0)),
            ]
        );
        assert_eq!(survivors[0].undecided, 1);
        assert_eq!(survivors[0].operator, "x");
    }
}
