//! The criteria of CAV 2019 that are weaker than SC or TSO, as algorithms.
//!
//! [`causal`] has CC and CCv, [`convergent`] CM and CCM, [`weak`] wCCM. Pasts are vector clocks
//! ([`pasts`]) for the first two, rows of bits for the others, which rest on the relations of single
//! operations in [`local`]. Why a criterion does not hold is a [`violation::CriterionViolation`]: [`web`] finds a
//! cycle of edges that say why they are there, and [`reasons`] spells it out.

pub mod causal;
pub mod convergent;
pub mod local;
pub mod pasts;
pub mod reasons;
pub mod violation;
pub mod weak;
pub mod web;

use certify::criterion::Criterion;
use violation::CriterionViolation;

use crate::papers::execution::Execution;
use crate::papers::{Answer, Problem, Report};

/// Why what a criterion derives is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The criterion does not hold.
    CriterionViolation(CriterionViolation),
    /// A bound was met.
    Exceeded,
}

/// What a criterion derives, unless something stops it.
pub type Derives<T> = Result<T, Stop>;

/// Decides a criterion of CAV 2019.
pub fn decide(problem: &Problem<'_>, criterion: Criterion) -> Report {
    let exec = Execution::new(problem.history, problem.reads_from);
    let mut report = Report::from(Answer::Satisfied);
    match ordered(&exec, problem, criterion) {
        Ok(pairs) => report.statistics.ordered = pairs,
        Err(Stop::CriterionViolation(violation)) => {
            report.answer = Answer::CriterionViolation(violation)
        }
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
