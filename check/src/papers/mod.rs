//! The papers' algorithms, as they are published, on this program's histories.
//!
//! Their comparison is the point: each is kept as its paper describes it, costs included, and is
//! not what [`crate::check`] uses by default. What they share is small:
//!
//! - [`execution`]: a history with explicit initial writes, program order and reads-from;
//! - [`relation`]: binary relations as bit matrices;
//! - [`pasts`]: vector clocks over threads; [`topological`] order; [`web`]: paths and cycles.
//!
//! The weak criteria of CAV 2019 are in [`causal`] (CC, CCv), [`convergent`] (CM, CCM) and [`weak`]
//! (wCCM), which rest on [`local`]; why one does not hold is a [`criterion::Breach`], found by
//! [`reasons`].
//!
//! An algorithm gets a [`Problem`] and returns a [`Report`]. It needs to know every read's source
//! (the papers assume that values are written once), and gives up when the bounds are met. Runs
//! that it finds are performed on the operational machine before they count; where it finds that
//! there is none without being able to write down a proof, [`crate::check`] makes one.

pub mod causal;
pub mod convergent;
pub mod criterion;
pub mod execution;
pub mod local;
pub mod nice_cycle;
pub mod pasts;
pub mod reasons;
pub mod relation;
pub mod topological;
pub mod weak;
pub mod web;

use history::{History, OpId, ReadsFrom};

use crate::algorithm::Algorithm;
use crate::bounds::Bounds;
use crate::decide::Options;
use crate::model::Model;
use crate::proof::Violation;
use crate::verdict::{Reason, Statistics};

use criterion::{Breach, Criterion};
use execution::Execution;

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

/// Why what a criterion derives is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The criterion does not hold.
    Breach(Breach),
    /// A bound was met.
    Exceeded,
}

/// What a criterion derives, unless something stops it.
pub type Derives<T> = Result<T, Stop>;

/// Runs a paper's algorithm.
pub(crate) fn run(problem: &Problem<'_>, algorithm: Algorithm) -> Report {
    match algorithm {
        Algorithm::Cc => decide(problem, Criterion::Cc),
        Algorithm::Ccv => decide(problem, Criterion::Ccv),
        Algorithm::Cm => decide(problem, Criterion::Cm),
        Algorithm::Ccm => decide(problem, Criterion::Ccm),
        Algorithm::Wccm => decide(problem, Criterion::Wccm),
        _ => Answer::GaveUp(Reason::NoForcedContradiction).into(),
    }
}

/// Decides a criterion of CAV 2019.
fn decide(problem: &Problem<'_>, criterion: Criterion) -> Report {
    let exec = Execution::new(problem.history, problem.reads_from);
    let mut report = Report::from(Answer::Satisfied);
    match ordered(&exec, problem, criterion) {
        Ok(pairs) => report.statistics.ordered = pairs,
        Err(Stop::Breach(breach)) => report.answer = Answer::Breach(breach),
        Err(Stop::Exceeded) => report.answer = Answer::Exceeded,
    }
    report
}

/// How many pairs of writes a criterion orders, if it holds.
fn ordered(
    exec: &Execution<'_>,
    problem: &Problem<'_>,
    criterion: Criterion,
) -> Derives<Option<u64>> {
    let bounds = problem.bounds;
    Ok(match criterion {
        Criterion::Cc => {
            let pasts = causal::consistent(exec, criterion, bounds)?;
            pasts.ordered_writes(exec, bounds)
        }
        Criterion::Ccv => causal::convergent(exec, bounds)?.ordered_writes(exec, bounds),
        Criterion::Cm => convergent::memory(exec, bounds)?,
        Criterion::Ccm => Some(convergent::convergent_memory(exec, bounds)?.pairs(exec)),
        Criterion::Wccm => {
            let order = weak::weak_memory(exec, problem.reads_from, bounds)?;
            Some(order.pairs(exec))
        }
    })
}
