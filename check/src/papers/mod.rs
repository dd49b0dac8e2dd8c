//! The papers' algorithms, as they are published, on this program's histories.
//!
//! Their comparison is the point: each is kept as its paper describes it, costs included, and is
//! not what [`crate::check`] uses by default. What they share is small:
//!
//! - [`execution`]: a history with explicit initial writes, program order and reads-from;
//! - [`relation`]: binary relations as bit matrices;
//! - [`digraph`]: topological order, and short cycles.
//!
//! [`hpca`] has the algorithms of HPCA 2006, [`constraint_graph`] and [`nice_cycle`] those of Qadeer.
//!
//! An algorithm gets a [`Problem`] and returns a [`Report`]. It needs to know every read's source
//! (the papers assume that values are written once), and gives up when the bounds are met. Runs
//! that it finds are performed on the operational machine before they count; where it finds that
//! there is none without being able to write down a proof, [`crate::check`] makes one.

pub mod constraint_graph;
pub mod criterion;
pub mod digraph;
pub mod execution;
pub mod hpca;
pub mod nice_cycle;
pub mod relation;

use history::{History, OpId, ReadsFrom};

use crate::algorithm::Algorithm;
use crate::bounds::Bounds;
use crate::decide::Options;
use crate::model::Model;
use crate::proof::Violation;
use crate::verdict::{Reason, Statistics};

use criterion::Breach;

/// What an algorithm is asked.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The history; no read of it is of thin air.
    pub history: &'a History,
    /// Its reads-from, without ambiguous reads.
    pub reads_from: &'a ReadsFrom,
    /// The writes of final values: each comes last at its location.
    pub finals: &'a [OpId],
    /// The model; the algorithm applies to it.
    pub model: Model,
    /// Limits and choices.
    pub options: &'a Options,
    /// When to give up.
    pub bounds: &'a Bounds,
}

/// What it answers.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A memory order of all operations: loads where they read, plain stores where they reach
    /// memory.
    Order(Vec<OpId>),
    /// There is no run.
    Refuted,
    /// There is no run, with a proof.
    Violation(Violation),
    /// The criterion holds, which is weaker than the model.
    Satisfied,
    /// It does not.
    Breach(Breach),
    /// It cannot tell.
    GaveUp(Reason),
    /// A bound was met.
    Exceeded,
}

/// An answer and what it took.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub answer: Answer,
    /// What it took.
    pub statistics: Statistics,
}

impl From<Answer> for Report {
    fn from(answer: Answer) -> Report {
        Report {
            answer,
            statistics: Statistics::default(),
        }
    }
}

/// Runs a paper's algorithm.
pub(crate) fn run(problem: &Problem<'_>, algorithm: Algorithm) -> Report {
    match algorithm {
        _ if hpca::has(algorithm) => hpca::run(problem, algorithm),
        Algorithm::SimpleWitness | Algorithm::NiceCycle => {
            constraint_graph::run(problem, algorithm)
        }
        _ => Answer::GaveUp(Reason::NoForcedContradiction).into(),
    }
}
