//! [`Algorithm`]: the stages of this crate, and algorithms of others that it can run, such as those of the papers.

use std::fmt;
use std::hash::{Hash, Hasher};

use memory::Model;

use crate::published::Published;

/// The answers that an algorithm can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    /// The algorithm decides whether the history satisfies the model, given enough time and memory.
    Complete,
    /// The algorithm finds only violations of the model.
    Refutes,
    /// The algorithm finds only that the history satisfies the model.
    Proves,
    /// The algorithm finds both, but may give up.
    Incomplete,
    /// The algorithm decides a criterion that is weaker than the model.
    Criterion {
        /// The weakest model whose histories all satisfy the criterion.
        follows_from: Model,
    },
}

/// An algorithm that decides histories. Two values are the same algorithm if their names are equal.
#[derive(Clone, Copy, Default)]
pub enum Algorithm {
    /// Runs the stages in turn, until one decides.
    #[default]
    Stages,
    /// Tries the trace's own order of completions as a run.
    TraceOrder,
    /// Derives the order that the reads force.
    Saturate,
    /// Derives forced order, then searches for a memory order.
    Complete,
    /// Derives forced order, then asks a SAT solver about the pairs of writes that are left unordered.
    Sat,
    /// Runs an algorithm of another crate.
    Published(&'static Published),
}

impl Algorithm {
    /// The stages of this crate.
    pub const STAGES: [Algorithm; 5] = [
        Algorithm::Stages,
        Algorithm::TraceOrder,
        Algorithm::Saturate,
        Algorithm::Complete,
        Algorithm::Sat,
    ];

    /// The name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Stages => "stages",
            Algorithm::TraceOrder => "trace-order",
            Algorithm::Saturate => "saturate",
            Algorithm::Complete => "complete",
            Algorithm::Sat => "sat",
            Algorithm::Published(published) => published.name,
        }
    }

    /// The name that the algorithm had in earlier versions, which is still accepted.
    pub fn former_name(self) -> Option<&'static str> {
        matches!(self, Algorithm::TraceOrder).then_some("temporal")
    }

    /// What the algorithm does, as a sentence.
    pub fn title(self) -> &'static str {
        match self {
            Algorithm::Stages => "Runs the stages in turn, until one decides.",
            Algorithm::TraceOrder => "Tries the trace's own order of completions as a run.",
            Algorithm::Saturate => "Derives the order that the reads force.",
            Algorithm::Complete => "Derives forced order, then searches for a memory order.",
            Algorithm::Sat => {
                "Derives forced order, then asks a SAT solver about the pairs of writes that are left unordered."
            }
            Algorithm::Published(published) => published.title.trim(),
        }
    }

    /// Where the algorithm is published; empty for a stage.
    pub fn paper(self) -> &'static str {
        match self {
            Algorithm::Published(published) => published.paper,
            _ => "",
        }
    }

    /// Whether the algorithm is this program's own, and not that of a paper.
    pub fn is_stage(self) -> bool {
        !matches!(self, Algorithm::Published(_))
    }

    /// The answers that the algorithm can give.
    pub fn power(self) -> Power {
        match self {
            Algorithm::Stages | Algorithm::Complete | Algorithm::Sat => Power::Complete,
            Algorithm::TraceOrder => Power::Proves,
            Algorithm::Saturate => Power::Refutes,
            Algorithm::Published(published) => published.power,
        }
    }

    /// Whether the algorithm can be run for a model.
    pub fn applies_to(self, model: Model) -> bool {
        match self {
            Algorithm::Published(published) => {
                published.models.is_none_or(|models| models.contains(&model))
            }
            _ => true,
        }
    }

    /// The model that the algorithm is run for by default.
    pub fn default_model(self) -> Model {
        if self.applies_to(Model::SC) { Model::SC } else { Model::TSO }
    }

    /// The name of the criterion that the algorithm decides; `None` if it decides a model.
    pub fn criterion(self) -> Option<&'static str> {
        matches!(self.power(), Power::Criterion { .. }).then(|| self.name())
    }
}

impl PartialEq for Algorithm {
    fn eq(&self, other: &Algorithm) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Algorithm {}

impl Hash for Algorithm {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
