//! The criteria of CAV 2019 that are weaker than SC or TSO, as algorithms.
//!
//! Each criterion has a function here, and its row in [`Algorithm`](crate::Algorithm): [`causal`] has CC and CCv, [`convergent`] CM
//! and CCM, [`weak`] wCCM. Pasts are vector clocks
//! (`pasts`) for the first two, rows of bits for the others, which rest on the relations of single
//! operations in `local`. Why a criterion does not hold is a [`violation::CriterionViolation`]: `web` finds a
//! cycle of edges that say why they are there, and `reasons` spells it out.

pub mod causal;
pub mod convergent;
mod local;
mod pasts;
mod reasons;
pub mod violation;
pub mod weak;
mod web;

use violation::CriterionViolation;

use crate::papers::execution::Execution;
use crate::papers::{Answer, Problem, Report};

/// Why what a criterion derives is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotDerived {
    /// The criterion does not hold.
    CriterionViolation(CriterionViolation),
    /// A bound was met.
    Exceeded,
}

/// What a criterion derives, unless something stops it.
pub type Derives<T> = Result<T, NotDerived>;

/// Decides a criterion. `derive` says how many pairs of writes the criterion orders, if it holds and that
/// is known.
fn decide(
    problem: &Problem<'_>,
    derive: impl FnOnce(&Execution<'_>) -> Derives<Option<u64>>,
) -> Report {
    let mut report = Report::from(Answer::Satisfied);
    match derive(&Execution::new(problem.history, problem.reads_from)) {
        Ok(pairs) => report.statistics.ordered = pairs,
        Err(NotDerived::CriterionViolation(found)) => {
            report.answer = Answer::CriterionViolation(found)
        }
        Err(NotDerived::Exceeded) => report.answer = Answer::Exceeded,
    }
    report
}
