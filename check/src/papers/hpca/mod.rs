//! The TSO tool family (Manovit & Hangal, *Completely Verifying Memory Consistency of Test Program
//! Executions*, HPCA 2006), for SC and TSO with membars and swaps.
//!
//! | name | algorithm | section | finds |
//! |---|---|---|---|
//! | tso-baseline | rules R1-R7 as Figure 1 applies them | 4.1 | violations |
//! | hpca-r8 | the same with rule R8 | 4.2 | violations |
//! | heu | rules R1-R7, then a topological sort with active stores | 4.2.1 | both verdicts, or gives up |
//! | deriv | the same, with the rules applied again after each store | 4.2.2 | both verdicts, or gives up |
//! | heu-back, deriv-back | heu and deriv with backtracking | 4.2.3 | both verdicts |
//!
//! Each is independent of this program's engine: chains, clocks and rules are those of the paper.
//! - `chains`: virtual SC processors;
//! - [`graph`], `edges`, `clocks`: operations, the known edges between them, and reverse-time vector
//!   clocks;
//! - [`baseline`], `queue`: rules R6 and R7;
//! - `r8`: rule R8;
//! - `sort`, `backtrack`: topological sorts;
//! - `conflict`: decides with a given order of writes.
//!
//! **Options.** With `no_baseline`, the four algorithms that sort start from the static and observed edges
//! (R1-R5); deriv then applies the rules only to the writes whose clocks a sorted store changes. With
//! `store_order`, all six sort by the given order, and no edge needs to be inferred.
//!
//! **Memory.** A clock entry of 4 bytes for each operation and chain, which is checked against the bounds
//! in advance; about 200 bytes an operation; and for backtracking 12 bytes for each clock entry that a
//! choice changed, for as long as the choice stands.

mod backtrack;
pub mod baseline;
mod chains;
mod clocks;
mod conflict;
mod edges;
pub mod graph;
mod queue;
mod r8;
mod sort;

use history::OpId;

use crate::algorithm::Algorithm;
use crate::verdict::{Reason, Statistics};

use super::{Answer, Problem, Report};
use backtrack::{Backtracks, End};
use baseline::Inference;
use graph::{Graph, NoOrder, Swaps};
use sort::Sort;

/// Whether an algorithm is one of this family.
pub fn has(algorithm: Algorithm) -> bool {
    use Algorithm::*;
    matches!(algorithm, TsoBaseline | HpcaR8 | Heu | Deriv | HeuBack | DerivBack)
}

/// Whether an algorithm of this family sorts, so that it can run without the baseline.
pub fn sorts(algorithm: Algorithm) -> bool {
    use Algorithm::*;
    matches!(algorithm, Heu | Deriv | HeuBack | DerivBack)
}

/// Runs one of the algorithms of this family.
pub fn run(problem: &Problem<'_>) -> Report {
    let algorithm = problem.options.algorithm;
    let mut statistics = Statistics::default();
    let answer = decide(problem, algorithm, &mut statistics).unwrap_or_else(|stop| match stop {
        NoOrder::Cycle => Answer::Refuted,
        NoOrder::Exceeded => Answer::Exceeded,
    });
    Report { answer, statistics }
}

fn decide(
    problem: &Problem<'_>,
    algorithm: Algorithm,
    statistics: &mut Statistics,
) -> Result<Answer, NoOrder> {
    if problem.bounds.passed() || !problem.bounds.allows(problem.history.len() * 200) {
        return Err(NoOrder::Exceeded);
    }
    let swaps = if sorts(algorithm) { Swaps::Both } else { Swaps::Stores };
    let mut graph = Graph::new(problem, swaps);
    graph.observe(problem.finals)?;
    statistics.edges = graph.edges.len();
    if let Some(order) = &problem.options.store_order {
        let answer = by_store_order(&mut graph, order);
        statistics.edges = graph.edges.len();
        return Ok(answer);
    }
    let mut inference = Inference::new(graph, problem.bounds)?;
    let infers = !(sorts(algorithm) && problem.options.no_baseline);
    let inferred = infer(&mut inference, algorithm, infers);
    statistics.edges = inference.graph.edges.len();
    inferred?;
    if infers {
        statistics.ordered = Some(inference.ordered_writes());
    }
    if !sorts(algorithm) {
        return Ok(Answer::GaveUp(Reason::NoForcedContradiction));
    }
    inference.rank();
    let derives = matches!(algorithm, Algorithm::Deriv | Algorithm::DerivBack);
    let mut sort = Sort::new(inference, derives);
    let answer = run_sort(&mut sort, algorithm, statistics);
    statistics.nodes = Some(sort.picks());
    statistics.edges = sort.edges().max(statistics.edges);
    answer
}

/// Decides with a given order of the writes.
fn by_store_order(graph: &mut Graph<'_>, order: &[OpId]) -> Answer {
    if !conflict::is_acyclic(graph) {
        return Answer::Refuted;
    }
    match conflict::sort_by(graph, order) {
        Ok(order) => Answer::Order(order),
        Err(cycle) => Answer::GaveUp(Reason::StoreOrder(cycle)),
    }
}

/// Infers edges before the sort: by the baseline if `infers`, and by R8 if the algorithm has it.
fn infer(inference: &mut Inference<'_>, algorithm: Algorithm, infers: bool) -> Result<(), NoOrder> {
    if infers {
        inference.infer_all()?;
    }
    if algorithm == Algorithm::HpcaR8 {
        inference.infer_r8()?;
    }
    Ok(())
}

fn run_sort(
    sort: &mut Sort<'_>,
    algorithm: Algorithm,
    statistics: &mut Statistics,
) -> Result<Answer, NoOrder> {
    let goes_back = matches!(algorithm, Algorithm::HeuBack | Algorithm::DerivBack);
    let mut backtracks = Backtracks::default();
    let end = if goes_back {
        backtrack::sort_with_backtracking(sort, &mut backtracks)
    } else {
        backtrack::sort(sort)
    };
    statistics.backtracks = backtracks.number;
    statistics.depth = backtracks.depth;
    match end {
        End::Sorted => Ok(Answer::Order(sort.order())),
        End::Exceeded => Err(NoOrder::Exceeded),
        End::Stuck if goes_back => Ok(Answer::Refuted),
        End::Stuck => Ok(Answer::GaveUp(Reason::GaveUp {
            placed: sort.sorted(),
            operations: sort.operations(),
        })),
    }
}
