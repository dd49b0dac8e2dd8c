//! The [`Evidence`] of a finding: the smallest part of a history, the last transitions, or a run of a small system.

use check::engine::proof::Violation;
use check::shrink::Shrunk;
use history::{History, ReadsFrom};
use memory::Model;
use simulate::stepper::DescribedMove;

/// The part of a run that shows a finding.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// The smallest part of the history that violates the model.
    Part(Box<Part>),
    /// The last transitions and messages for the line that the finding is about, the oldest first.
    Recent(Vec<String>),
    /// A run of a small system: a shortest one, or the short one of a walk.
    Steps {
        /// Its moves.
        steps: Vec<DescribedMove>,
        /// Whether no run is shorter.
        is_shortest: bool,
        /// What else is known about its end: who wrote a value, or what waits in a deadlock.
        notes: Vec<String>,
    },
}

/// A part of a history that violates a model.
#[derive(Clone, Debug)]
pub struct Part {
    /// The part, with its proof.
    pub shrunk: Shrunk,
    /// The model that it violates.
    pub model: Model,
    /// The history of the run.
    pub whole: History,
    /// The reads-from of the run.
    pub reads_from: ReadsFrom,
}

impl Part {
    /// The proof in terms of the run, so that its operations have the numbers that they have there.
    pub fn violation(&self) -> Violation {
        self.shrunk.violation_in(&self.whole)
    }
}
