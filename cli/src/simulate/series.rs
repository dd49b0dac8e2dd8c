//! The results of many runs, with their coverage, their exit status and the commands that repeat them.

use check::Model;
use report::coverage::Reached;
use simulate::config::asked;

use super::kinds::Tried;
use super::protocols;
use super::score::Score;
use super::{Args, Cell};
use crate::status::Status;
use lab::load::Input;
use lab::protocols::Opened;

/// The results of a series.
pub(super) struct Series<'a> {
    pub args: &'a Args,
    pub opened: &'a [Opened],
    pub cells: &'a [Cell],
    /// The models that histories were checked under.
    pub models: Vec<Model>,
    /// The score of each cell.
    pub scores: Vec<Score>,
    /// The kinds of failures that were tried with the repairs of released faults.
    pub tried: Vec<Tried>,
    /// The elapsed time of the series, in seconds.
    pub elapsed: f64,
}

impl Series<'_> {
    /// The protocol of a cell.
    pub(super) fn protocol(&self, cell: &Cell) -> &Opened {
        &self.opened[cell.protocol]
    }

    /// The coverage of the protocol's table.
    pub(super) fn covered(&self, cell: &Cell, score: &Score) -> Reached {
        let opened = self.protocol(cell);
        let seed = self.args.seed();
        let simulation = self.args.simulation(&opened.protocol, cell.client, seed);
        match opened.plan(&simulation) {
            Ok(plan) => {
                let extras = simulation.shape.extras;
                let asked = asked(&opened.protocol, extras);
                protocols::reached(&opened.protocol, &plan, asked, &score.coverage.taken())
            }
            Err(_) => Reached::default(),
        }
    }

    /// Whether each run has its own random program, caches and latencies.
    pub(super) fn has_recipes(&self) -> bool {
        self.args.recipe_of(self.args.seed()).is_some()
    }

    /// The command that repeats a run that fails.
    pub(super) fn command_of_fault(&self, cell: &Cell, seed: u64) -> String {
        let given = &self.protocol(cell).given;
        self.args.command_of_fault(given, cell.client, seed)
    }

    /// The command that repeats a run that violates a model that counts, and shows the violation.
    pub(super) fn command_of_violation(&self, cell: &Cell, seed: u64) -> String {
        let given = &self.protocol(cell).given;
        format!("rubric simulate {}", self.args.checked_words(given, cell.client, seed))
    }

    pub(super) fn take_histories(&mut self) -> Input {
        let taken = self.scores.iter_mut().flat_map(|score| std::mem::take(&mut score.histories));
        Input {
            file: "simulate".to_owned(),
            format: "simulated",
            histories: taken.map(|(_, history)| history).collect(),
            transitions: Default::default(),
            ending: Default::default(),
            statistics: Default::default(),
        }
    }

    /// The exit status. Faults count as violations, and so do violations of models that the client guarantees or the user names.
    pub(super) fn status(&self) -> Status {
        let mut status = Status::Done;
        for (cell, score) in self.cells.iter().zip(&self.scores) {
            if score.faults > 0 {
                status = status.and(Status::Violation);
            }
            let kept = self.args.kept(cell.client);
            for (model, counts) in self.models.iter().zip(&score.verdicts) {
                if counts.violation > 0 && kept.contains(model) {
                    status = status.and(Status::Violation);
                }
                if counts.undecided > 0 {
                    status = status.and(Status::Undecided);
                }
            }
        }
        status
    }
}
