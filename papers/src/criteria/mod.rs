//! The criteria of CAV 2019 that are weaker than SC or TSO, as algorithms.
//!
//! Each criterion has a function here, and a row in the table of [`algorithms`](crate::algorithms): CC and CCv in
//! [`causal`], CM and CCM in [`convergent`], wCCM in [`weak`]. The past of an operation is a vector clock
//! for CC and CCv (`pasts`), and a row of bits for the others, which need the relations of single
//! operations (`local`). If a criterion does not hold, `labelled_graph` finds a cycle of edges that carry
//! their justification, and `reasons` turns it into a [`CriterionViolation`]. [`published`] has CCM and wCCM once
//! more, from the relations of all operations as in the paper, for the paper's experiments.
//!
//! As in the paper, `co` is causality here, not coherence order.

pub mod causal;
pub mod convergent;
mod labelled_graph;
mod local;
mod pasts;
pub mod published;
mod reasons;
pub mod weak;

use check::criterion_violation::CriterionViolation;

use crate::execution::Execution;
use check::published::{Answer, Problem, Report};

/// Why the order that a criterion derives is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotDerived {
    /// The criterion does not hold.
    CriterionViolation(CriterionViolation),
    /// A bound was met.
    Exceeded,
}

/// The result of deriving a criterion's order.
pub type Derives<T> = Result<T, NotDerived>;

/// Decides a criterion. `derive` returns the number of pairs of writes that the criterion orders, if it
/// holds; `None` if the number is not known.
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
