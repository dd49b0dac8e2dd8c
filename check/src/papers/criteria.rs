//! The weak criteria of CAV 2019 as algorithms.

use super::criterion::Criterion;
use super::execution::Execution;
use super::{Answer, Derives, Problem, Report, Stop, causal, convergent, weak};

/// Decides a criterion of CAV 2019.
pub fn decide(problem: &Problem<'_>, criterion: Criterion) -> Report {
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
