//! The kill matrix: the mutants found, by operator and finder.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::{Campaign, Mutant, Scope};
use tables::{CRITERIA, CampaignRun, RunOutcome};

/// The finders of mutants: the criteria, and failures of the protocol itself.
pub const FINDERS: [&str; 12] = {
    let mut finders = ["protocol error"; 12];
    finders[11] = "deadlock";
    let mut at = 0;
    while at < CRITERIA.len() {
        finders[at] = CRITERIA[at];
        at += 1;
    }
    finders
};

/// The mutants found, by operator and finder. Mutants known to be equivalent are excluded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KillMatrix {
    /// The runs that the numbers are about.
    pub scope: Scope,
    /// A row for each operator, by name.
    pub rows: Vec<KillRow>,
    /// All operators together.
    pub total: KillRow,
}

/// The mutants of an operator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KillRow {
    /// The operator; empty in the row of all operators.
    pub operator: String,
    /// The number of mutants that were run.
    pub mutants: u64,
    /// The number of mutants that any finder found.
    pub killed: u64,
    /// The mutants that each finder found, in the order of [`FINDERS`].
    pub by: Vec<Kills>,
}

/// The mutants that one finder found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Kills {
    /// The finder.
    pub finder: &'static str,
    /// The number of mutants that the finder found.
    pub killed: u64,
    /// The number of mutants that the finder could have found: those with a run for whose client the finder counts.
    pub of: u64,
}

/// Whether a mutant was found at all, and for each finder whether it found the mutant and could have found it.
#[derive(Default)]
struct MutantFindings {
    found: bool,
    found_by: [bool; FINDERS.len()],
    asked: [bool; FINDERS.len()],
}

pub(super) fn matrix(campaign: &Campaign<'_>, scope: &Scope) -> KillMatrix {
    let mut operators: BTreeMap<&str, BTreeSet<Mutant<'_>>> = BTreeMap::new();
    let mut findings: BTreeMap<Mutant<'_>, MutantFindings> = BTreeMap::new();
    for (mutant, run) in campaign.tried(scope) {
        let operator = run.operator.as_deref().unwrap_or_default();
        operators.entry(operator).or_default().insert(mutant);
        findings.entry(mutant).or_default().add(campaign, run);
    }
    let rows = operators.iter().map(|(operator, mutants)| {
        row(operator, mutants.iter().filter_map(|mutant| findings.get(mutant)))
    });
    KillMatrix { scope: scope.clone(), rows: rows.collect(), total: row("", findings.values()) }
}

impl MutantFindings {
    fn add(&mut self, campaign: &Campaign<'_>, run: &CampaignRun) {
        self.found |= campaign.detects(run);
        for at in 0..FINDERS.len() {
            self.asked[at] |= at >= CRITERIA.len() || campaign.counts(run, at);
            self.found_by[at] |= finds(campaign, run, at);
        }
    }
}

/// Whether the finder with this index in [`FINDERS`] finds something in a run.
pub(super) fn finds(campaign: &Campaign<'_>, run: &CampaignRun, finder: usize) -> bool {
    if finder < CRITERIA.len() {
        campaign.breaks(run, finder)
    } else {
        has_failed(run.outcome, FINDERS[finder])
    }
}

/// Whether a run ended with the failure that a finder is named after.
fn has_failed(outcome: RunOutcome, finder: &str) -> bool {
    matches!(outcome, RunOutcome::ProtocolError | RunOutcome::Deadlock) && outcome.name() == finder
}

fn row<'a>(operator: &str, mutants: impl Iterator<Item = &'a MutantFindings>) -> KillRow {
    let mut row = KillRow {
        operator: operator.to_owned(),
        by: FINDERS.map(nothing).to_vec(),
        ..KillRow::default()
    };
    for mutant in mutants {
        row.mutants += 1;
        row.killed += u64::from(mutant.found);
        for (at, kills) in row.by.iter_mut().enumerate() {
            kills.killed += u64::from(mutant.found_by[at]);
            kills.of += u64::from(mutant.asked[at]);
        }
    }
    row
}

fn nothing(finder: &'static str) -> Kills {
    Kills { finder, killed: 0, of: 0 }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answers, equivalent, failed, run, unmutated, violation};
    use super::*;

    /// The number of mutants found and their total, for each finder that could have found any.
    fn cells(row: &KillRow) -> Vec<(&str, u64, u64)> {
        let by = row.by.iter().filter(|kills| kills.of > 0);
        by.map(|kills| (kills.finder, kills.killed, kills.of)).collect()
    }

    #[test]
    fn runs_in_which_the_unmutated_protocol_fails_do_not_count() {
        let failing = |mutant, client, lineage| {
            failed(mutant, "x", client, RunOutcome::Deadlock).from(lineage)
        };
        let rows = [
            failing("", "in-order", "").unmutated().from("7"),
            unmutated("in-order").from("8"),
            failing("a", "in-order", "7"),
            failing("b", "in-order", "8"),
            failing("c", "store-buffer-8", "7"),
        ];
        let answers = answers(&rows, &[]);
        assert_eq!(answers.kills[0].total.mutants, 2);
        let caught: Vec<&str> = answers.caught.iter().map(|one| &*one.mutant).collect();
        assert_eq!(caught, ["b", "c"]);
        assert_eq!(answers.alarms.alarms.len(), 1);
    }

    #[test]
    fn mutants_are_counted_once_and_only_where_a_criterion_counts() {
        let rows = [
            // Found by SC's criteria with one client, twice. With the other client SC is violated, which is no fault.
            violation("a", "drop-action", "in-order", &["ccm", "wsc", "sc"]),
            violation("a", "drop-action", "in-order", &["sc"]),
            run("b", "drop-action", "in-order"),
            violation("b", "drop-action", "store-buffer-8", &["wsc", "sc"]).clean(),
            violation("c", "named", "store-buffer-8", &["wtso", "tso", "pso"]),
            failed("c", "named", "in-order", RunOutcome::Deadlock),
            failed("d", "named", "in-order", RunOutcome::ProtocolError),
            // An equivalent mutant and an unmutated protocol do not count.
            run("e", "named", "in-order"),
            unmutated("in-order"),
        ];
        let kills = answers(&rows, &[equivalent("e", "named")]).kills;
        let scopes: Vec<&Scope> = kills.iter().map(|matrix| &matrix.scope).collect();
        let [sc, tso] = ["sc", "tso"].map(|model| Scope::Model(model.to_owned()));
        let clients = ["in-order", "store-buffer-8"].map(|client| Scope::Client(client.to_owned()));
        assert_eq!(scopes, [&Scope::All, &sc, &tso, &clients[0], &clients[1]]);

        let all = &kills[0];
        assert_eq!(all.rows.len(), 2);
        assert_eq!(all.rows[0].operator, "drop-action");
        assert_eq!((all.rows[0].mutants, all.rows[0].killed), (2, 1));
        let sc_only = [("cm", 0, 2), ("ccm", 1, 2), ("wsc", 1, 2), ("sc", 1, 2)];
        let cells_of = cells(&all.rows[0]);
        assert_eq!(cells_of[2..6], sc_only);
        assert_eq!((all.rows[1].mutants, all.rows[1].killed), (2, 2));
        let named = cells(&all.rows[1]);
        assert_eq!(
            named[6..],
            [
                ("wccm", 0, 2),
                ("wtso", 1, 2),
                ("tso", 1, 2),
                ("pso", 1, 2),
                ("protocol error", 1, 2),
                ("deadlock", 1, 2)
            ]
        );
        assert_eq!((all.total.mutants, all.total.killed), (4, 3));

        let tso = &kills[2];
        assert_eq!((tso.total.mutants, tso.total.killed), (2, 1));
        assert_eq!(
            cells(&tso.total),
            [
                ("cc", 0, 2),
                ("ccv", 0, 2),
                ("wccm", 0, 2),
                ("wtso", 1, 2),
                ("tso", 1, 2),
                ("pso", 1, 2),
                ("protocol error", 0, 2),
                ("deadlock", 0, 2)
            ]
        );
        assert_eq!(kills[4].total, tso.total);
    }

    #[test]
    fn no_runs() {
        let kills = answers(&[], &[]).kills;
        assert_eq!(kills.len(), 1);
        assert_eq!(kills[0].total.mutants, 0);
    }
}
