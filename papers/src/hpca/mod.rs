//! The TSO tool family (Manovit & Hangal, *Completely Verifying Memory Consistency of Test Program
//! Executions*, HPCA 2006), for SC and TSO with membars and swaps.
//!
//! | name | algorithm | section | finds |
//! |---|---|---|---|
//! | tso-baseline | rules R1-R7 | 4.1 | violations |
//! | tso-baseline-figure | the same as Figure 1 applies them | 4.1 | violations |
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

use check::Algorithm;
use check::verdict::{Reason, Statistics};

use crate::algorithms::{
    DERIV, DERIV_BACK, HEU, HEU_BACK, HPCA_R8, TSO_BASELINE, TSO_BASELINE_FIGURE,
};
use backtrack::{Backtracks, End};
use baseline::Inference;
use check::published::{Answer, Problem, Report};
use graph::{Graph, NoOrder, Swaps};
use sort::Sort;

/// Whether an algorithm is one of this family.
pub fn has(algorithm: Algorithm) -> bool {
    [TSO_BASELINE, TSO_BASELINE_FIGURE, HPCA_R8].contains(&algorithm) || sorts(algorithm)
}

/// Whether an algorithm of this family sorts, so that it can run without the baseline.
pub fn sorts(algorithm: Algorithm) -> bool {
    [HEU, DERIV, HEU_BACK, DERIV_BACK].contains(&algorithm)
}

/// What an algorithm of this family does after rules R1 to R7.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// Nothing. The rules treat swaps in this way.
    Stop(Swaps),
    /// It applies rule R8.
    R8,
    /// It sorts.
    Sort {
        /// Whether it applies the rules again after each store.
        derives: bool,
        /// Whether it goes back when it is stuck.
        goes_back: bool,
    },
}

/// Runs `tso-baseline`.
pub(crate) fn tso_baseline(problem: &Problem<'_>) -> Report {
    run(problem, Then::Stop(Swaps::Both))
}

/// Runs `tso-baseline-figure`.
pub(crate) fn tso_baseline_figure(problem: &Problem<'_>) -> Report {
    run(problem, Then::Stop(Swaps::Stores))
}

/// Runs `hpca-r8`.
pub(crate) fn hpca_r8(problem: &Problem<'_>) -> Report {
    run(problem, Then::R8)
}

/// Runs `heu`.
pub(crate) fn heu(problem: &Problem<'_>) -> Report {
    run(problem, Then::Sort { derives: false, goes_back: false })
}

/// Runs `deriv`.
pub(crate) fn deriv(problem: &Problem<'_>) -> Report {
    run(problem, Then::Sort { derives: true, goes_back: false })
}

/// Runs `heu-back`.
pub(crate) fn heu_back(problem: &Problem<'_>) -> Report {
    run(problem, Then::Sort { derives: false, goes_back: true })
}

/// Runs `deriv-back`.
pub(crate) fn deriv_back(problem: &Problem<'_>) -> Report {
    run(problem, Then::Sort { derives: true, goes_back: true })
}

fn run(problem: &Problem<'_>, then: Then) -> Report {
    let mut statistics = Statistics::default();
    let answer = decide(problem, then, &mut statistics).unwrap_or_else(|stop| match stop {
        NoOrder::Cycle => Answer::Refuted,
        NoOrder::Exceeded => Answer::Exceeded,
    });
    Report { answer, statistics }
}

fn decide(
    problem: &Problem<'_>,
    then: Then,
    statistics: &mut Statistics,
) -> Result<Answer, NoOrder> {
    if problem.bounds.passed() || !problem.bounds.allows(problem.history.len() * 200) {
        return Err(NoOrder::Exceeded);
    }
    let sorts = matches!(then, Then::Sort { .. });
    let swaps = if let Then::Stop(swaps) = then { swaps } else { Swaps::Both };
    let mut graph = Graph::new(problem, swaps);
    graph.observe(problem.finals)?;
    statistics.edges = graph.edges.len();
    if let Some(order) = problem.store_order {
        let answer = by_store_order(&mut graph, order);
        statistics.edges = graph.edges.len();
        return Ok(answer);
    }
    let mut inference = Inference::new(graph, problem.bounds)?;
    let infers = !(sorts && problem.no_baseline);
    let inferred = infer(&mut inference, then == Then::R8, infers);
    statistics.edges = inference.graph.edges.len();
    inferred?;
    if infers {
        statistics.ordered = Some(inference.ordered_writes());
    }
    let Then::Sort { derives, goes_back } = then else {
        return Ok(Answer::GaveUp(Reason::NoForcedContradiction));
    };
    inference.rank();
    let mut sort = Sort::new(inference, derives);
    let answer = run_sort(&mut sort, goes_back, statistics);
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
fn infer(inference: &mut Inference<'_>, has_r8: bool, infers: bool) -> Result<(), NoOrder> {
    if infers {
        inference.infer_all()?;
    }
    if has_r8 {
        inference.infer_r8()?;
    }
    Ok(())
}

fn run_sort(
    sort: &mut Sort<'_>,
    goes_back: bool,
    statistics: &mut Statistics,
) -> Result<Answer, NoOrder> {
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
