//! Builds rows for tests of claims.

use super::measure::FEWEST_CASES;
use tables::{CampaignRun, Checked, Finding, Reported, RunOutcome, Trial};

/// A claim, with rows for which it holds and rows for which it does not.
pub(super) struct Case {
    pub id: &'static str,
    pub holds: Rows,
    pub differs: Rows,
}

/// Rows of both kinds of tables.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pub trials: Vec<Trial>,
    pub runs: Vec<CampaignRun>,
}

impl From<Vec<Trial>> for Rows {
    fn from(trials: Vec<Trial>) -> Rows {
        Rows { trials, runs: Vec::new() }
    }
}

impl From<Vec<CampaignRun>> for Rows {
    fn from(runs: Vec<CampaignRun>) -> Rows {
        Rows { trials: Vec::new(), runs }
    }
}

pub(super) fn case(id: &'static str, holds: impl Into<Rows>, differs: impl Into<Rows>) -> Case {
    Case { id, holds: holds.into(), differs: differs.into() }
}

/// A point of an experiment, with enough histories for every rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub experiment: &'static str,
    pub model: &'static str,
    pub part: &'static str,
    pub operations: u64,
    pub threads: u32,
    pub locations: u32,
}

impl Point {
    /// A point of a part of an experiment about SC.
    pub(super) fn sc(experiment: &'static str, part: &'static str) -> Point {
        Point { experiment, model: "sc", part, operations: 200, threads: 4, locations: 16 }
    }

    /// A point of a part of an experiment about TSO.
    pub(super) fn tso(experiment: &'static str, part: &'static str) -> Point {
        Point { model: "tso", ..Point::sc(experiment, part) }
    }

    /// The rows of an algorithm with the same answer and time for all histories, each modified by `change`.
    pub(super) fn rows(
        self,
        algorithm: &str,
        said: Reported,
        seconds: f64,
        change: impl Fn(&mut Trial),
    ) -> Vec<Trial> {
        let row = |number| {
            let mut row = Trial {
                experiment: self.experiment.to_owned(),
                size: "paper".to_owned(),
                part: self.part.to_owned(),
                point: format!(
                    "operations={},threads={},locations={}",
                    self.operations, self.threads, self.locations
                ),
                number,
                threads: self.threads,
                operations: self.operations,
                locations: self.locations,
                write_pairs: 1000,
                model: self.model.to_owned(),
                algorithm: algorithm.to_owned(),
                said,
                seconds,
                timeout: 60.0,
                ..Trial::default()
            };
            change(&mut row);
            row
        };
        (0..FEWEST_CASES as u32).map(row).collect()
    }

    /// The rows of algorithms that answer consistent, with their seconds.
    pub(super) fn times(self, algorithms: &[(&str, f64)]) -> Vec<Trial> {
        self.say(Reported::Consistent, algorithms)
    }

    /// The rows of algorithms with the same answer, with their seconds.
    pub(super) fn say(self, said: Reported, algorithms: &[(&str, f64)]) -> Vec<Trial> {
        let rows =
            |(algorithm, seconds): &(&str, f64)| self.rows(algorithm, said, *seconds, |_| ());
        algorithms.iter().flat_map(rows).collect()
    }
}

/// A violating run of a mutant with cores that guarantee a model. Of the criteria `asked` it violates `breaks`.
pub(super) fn run(model: &str, number: u32, asked: &[&str], breaks: &[&str]) -> CampaignRun {
    let mut run = CampaignRun {
        protocol: "P".to_owned(),
        mutant: Some("m".to_owned()),
        operator: Some("drop-action".to_owned()),
        client: model.to_owned(),
        model: model.to_owned(),
        number,
        lineage: number.to_string(),
        outcome: RunOutcome::Violation,
        ..CampaignRun::default()
    };
    for criterion in asked {
        let finding =
            if breaks.contains(criterion) { Finding::Violation } else { Finding::Consistent };
        if let Some(checked) = run.checked_mut(criterion) {
            *checked = Checked { finding: Some(finding), ..Checked::default() };
        }
    }
    run
}
