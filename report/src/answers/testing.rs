//! Builds rows for tests.

use super::Answers;
use tables::{CRITERIA, CampaignRun, Checked, Equivalent, Finding, Generator, RunOutcome};

/// A row that is being built.
#[derive(Clone, Debug)]
pub(super) struct Row(CampaignRun);

/// A run in which all criteria were checked and hold. Clients with a store buffer guarantee TSO, others SC.
pub(super) fn run(mutant: &str, operator: &str, client: &str) -> Row {
    let model = if client.starts_with("store-buffer") { "tso" } else { "sc" };
    let consistent = Checked { finding: Some(Finding::Consistent), ..Checked::default() };
    Row(CampaignRun {
        protocol: "P".to_owned(),
        mutant: Some(mutant.to_owned()),
        operator: Some(operator.to_owned()),
        client: client.to_owned(),
        model: model.to_owned(),
        criteria: [consistent; CRITERIA.len()],
        ..CampaignRun::default()
    })
}

/// A run that violates these criteria.
pub(super) fn violation(mutant: &str, operator: &str, client: &str, breaks: &[&str]) -> Row {
    let row = run(mutant, operator, client).ended(RunOutcome::Violation);
    let broken = |row: Row, name: &&str| row.found(name, Some(Finding::Violation));
    breaks.iter().fold(row, broken)
}

/// A run in which the protocol failed and no criterion was checked.
pub(super) fn failed(mutant: &str, operator: &str, client: &str, outcome: RunOutcome) -> Row {
    let mut row = run(mutant, operator, client).ended(outcome);
    row.0.criteria = Default::default();
    row
}

/// A run of the unmutated protocol.
pub(super) fn unmutated(client: &str) -> Row {
    run("", "", client).unmutated()
}

impl Row {
    pub(super) fn ended(mut self, outcome: RunOutcome) -> Row {
        self.0.outcome = outcome;
        self
    }

    pub(super) fn of_protocol(mut self, protocol: &str) -> Row {
        self.0.protocol = protocol.to_owned();
        self
    }

    pub(super) fn known(mut self, repairs: &str) -> Row {
        self.0.known = Some(repairs.to_owned());
        self
    }

    pub(super) fn clean(self) -> Row {
        self.ended(RunOutcome::Clean)
    }

    pub(super) fn unmutated(mut self) -> Row {
        self.0.mutant = None;
        self.0.operator = None;
        // With a program that no mutant runs.
        self.from("alone")
    }

    pub(super) fn from(mut self, lineage: &str) -> Row {
        self.0.lineage = lineage.to_owned();
        self
    }

    pub(super) fn covered(mut self, times: u64) -> Row {
        self.0.covered = Some(times);
        self
    }

    pub(super) fn found(mut self, criterion: &str, finding: Option<Finding>) -> Row {
        self.0.checked_mut(criterion).unwrap().finding = finding;
        self
    }

    pub(super) fn after(mut self, criterion: &str, operations: u32) -> Row {
        self.0.checked_mut(criterion).unwrap().operations = Some(operations);
        self
    }

    pub(super) fn numbered(mut self, generator: Generator, repetition: u32, number: u32) -> Row {
        self.0.generator = generator;
        self.0.repetition = repetition;
        self.0.number = number;
        self
    }
}

/// An equivalent mutant.
pub(super) fn equivalent(mutant: &str, operator: &str) -> Equivalent {
    Equivalent {
        protocol: "P".to_owned(),
        mutant: mutant.to_owned(),
        operator: operator.to_owned(),
        kind: "identical".to_owned(),
        reason: "alike".to_owned(),
    }
}

/// Computes the answers from rows. For SC all criteria count, for TSO those that follow from it.
pub(super) fn answers(rows: &[Row], equivalents: &[Equivalent]) -> Answers {
    let runs: Vec<CampaignRun> = rows.iter().map(|row| row.0.clone()).collect();
    let counts = |model: &str, criterion: &str| {
        model == "sc" || !["cm", "ccm", "wsc", "sc"].contains(&criterion)
    };
    Answers::of(&runs, equivalents, &counts)
}
