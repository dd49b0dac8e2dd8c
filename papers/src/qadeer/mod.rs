//! Qadeer, *Verifying Sequential Consistency on Shared-Memory Multiprocessors by Model Checking*:
//! the algorithms `simple-witness` and `nice-cycle`.
//!
//! Both take the order of completions as the order of the writes of each location (the witness), and
//! search its [`constraint_graph`] for a cycle. If there is no cycle, there is a run. If there is one, they give
//! up, since the history may have a run with another witness, and report a [nice cycle](check::nice_cycle). `nice-cycle`
//! tries several cycles to find one with few processors.

pub mod constraint_graph;
mod nice;

use check::published::{Answer, Problem, Report};
use check::verdict::Reason;
use history::{History, OpId};

use constraint_graph::ConstraintGraph;

/// Maximum number of nodes of a cycle for which `nice-cycle` searches for a shortest cycle through the node.
const TRIES: usize = 64;

/// The simple witness: all writes in the order of completions, those without a completion last. `None`
/// if the trace does not show that order.
fn simple_witness(history: &History) -> Option<Vec<OpId>> {
    let mut witness = history.in_order_of_completion();
    witness.retain(|&op| history.kind(op).writes());
    history.has_order().then_some(witness)
}

/// Runs `simple-witness`.
pub(crate) fn simple(problem: &Problem<'_>) -> Report {
    run(problem, 0)
}

/// Runs `nice-cycle`.
pub(crate) fn nice(problem: &Problem<'_>) -> Report {
    run(problem, TRIES)
}

fn run(problem: &Problem<'_>, tries: usize) -> Report {
    let operations = problem.history.len();
    if problem.bounds.passed() || !problem.bounds.allows(operations * 60) {
        return Answer::Exceeded.into();
    }
    let Some(witness) = simple_witness(problem.history) else {
        return Answer::GaveUp(Reason::NoCompletions).into();
    };
    let graph = ConstraintGraph::new(problem.history, problem.reads_from, &witness);
    match graph.sort(problem.finals, tries) {
        Ok(order) => Answer::Order(order),
        Err(cycle) => Answer::GaveUp(Reason::NoWitness(Box::new(cycle))),
    }
    .into()
}
