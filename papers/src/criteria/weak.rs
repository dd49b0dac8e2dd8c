//! Weak convergent causal memory (wCCM), CAV 2019, section 4.1: the counterpart of CCM for TSO.
//!
//! With π one of `ppo` and `po-loc`, `hb^π = (⋃ hb^π_o)⁺` (`local`), `whb = (hb^ppo ∪
//! hb^po-loc)⁺`, `wpww = (whb_WW ∪ cf_e[hb^ppo] ∪ cf_e[hb^po-loc])⁺`, wCCM holds iff both
//! `π ∪ wr_e ∪ wpww ∪ rw[wpww]` are acyclic; `wpww` is part of every store order that explains the
//! history under TSO (Lemma 3). Fences order by `ppo` only.
//!
//! `whb` combines the two orders, but relates writes only as `ppo`, `wr_e` and derived pairs alone do. The only
//! pairs of `po-loc` that are not in `ppo` lead from a store to a later load. From a load, only later operations
//! of its thread are reached directly, and the store precedes the stores among these in `ppo`. So a cycle of `whb`
//! is one of `ppo ∪ wr_e ∪ wpww`.
//!
//! Cost: that of CCM with `ppo` for `po`, and of `hb` for each location's operations alone.
//! Measured as for CCM (see [`super::convergent`]): 0.05 s for 4,000 operations, 0.6 s for 16,000.

use history::ReadsFrom;
use host::Bounds;

use super::convergent::{HappensBefore, StoreOrder, close_writes, conflicts, derive, final_cycle};
use super::labelled_graph::{Edge, Label, steps};
use super::local::{Derived, NotClosed, close, empty};
use super::{Derives, NotDerived};
use crate::execution::Execution;
use certify::criterion::{BaseOrder, Criterion};
use check::engine::csr::Csr;
use check::engine::digraph::topological;
use check::published::{Problem, Report};

/// Runs the algorithm `wccm`.
pub fn wccm(problem: &Problem<'_>) -> Report {
    super::decide(problem, |exec| {
        let order = weak_memory(exec, problem.reads_from, problem.bounds)?;
        Ok(Some(order.pairs(exec)))
    })
}

/// Decides wCCM, and returns `wpww`.
///
/// # Errors
/// Returns a violation if wCCM does not hold, or [`NotDerived::Exceeded`] if a bound was met.
pub fn weak_memory(
    exec: &Execution<'_>,
    reads_from: &ReadsFrom,
    bounds: &Bounds,
) -> Derives<StoreOrder> {
    let mut found = DerivedRelations::new();
    let known = found.store_order(exec, reads_from, bounds);
    let order = found.ended(exec, known, bounds)?;
    match found.cycle(exec, &order.edges, bounds) {
        Some(stop) => Err(stop),
        None if bounds.passed() => Err(NotDerived::Exceeded),
        None => Ok(order),
    }
}

/// The relations derived so far. A violation is built from them if deriving more meets a cycle.
struct DerivedRelations {
    hb: HappensBefore,
    conflicts: Vec<Edge>,
}

impl DerivedRelations {
    fn new() -> DerivedRelations {
        DerivedRelations { hb: HappensBefore::new(), conflicts: Vec::new() }
    }

    fn store_order(
        &mut self,
        exec: &Execution<'_>,
        reads_from: &ReadsFrom,
        bounds: &Bounds,
    ) -> Result<StoreOrder, NotClosed> {
        derive(exec, BaseOrder::Preserved, bounds, &mut self.hb)?;
        let mut pasts = empty(exec, bounds)?;
        close(&mut pasts, &self.hb.edges, bounds)?;
        let readers = (0..exec.operations).filter(|&op| exec.is_external(op));
        self.conflicts = conflicts(exec, BaseOrder::Preserved, &pasts, readers, bounds)?;
        for location in 0..exec.locations() {
            self.one_location(exec, reads_from, location, bounds)?;
        }
        self.hb.edges.extend(steps(exec, BaseOrder::SameLocation));
        close(&mut pasts, &self.hb.edges, bounds)?;
        let all = self.hb.edges.iter().copied();
        let all = all.chain(self.conflicts.iter().map(Edge::ends));
        let graph = Csr::within(exec.len(), all, bounds).ok_or(NotClosed::Exceeded)?;
        let order = topological(&graph).map_err(|_| NotClosed::Cyclic)?;
        drop(graph);
        close_writes(exec, &order, &pasts, self.conflicts.clone(), bounds)
    }

    /// Derives `hb^po-loc` and its `cf_e` at one location, and adds their pairs.
    fn one_location(
        &mut self,
        exec: &Execution<'_>,
        reads_from: &ReadsFrom,
        location: u32,
        bounds: &Bounds,
    ) -> Result<(), NotClosed> {
        if bounds.passed() {
            return Err(NotClosed::Exceeded);
        }
        let here = |op: history::OpId| exec.location[op.at()] == location;
        let (history, kept) = exec.history.restrict(here);
        let sub = Execution::new(&history, &reads_from.restrict(&kept));
        let outer = |node: u32| match sub.op(node) {
            Some(op) => kept[op.at()].0,
            None => exec.initial(location),
        };
        let mut hb = HappensBefore::new();
        let ended = derive(&sub, BaseOrder::Full, bounds, &mut hb);
        let known = self.hb.derived.len() as u32;
        for pair in &hb.derived {
            let pair = renamed(pair, known, outer);
            self.hb.derived.push(pair);
            self.hb.edges.push((pair.from, pair.to));
        }
        ended?;
        let mut pasts = empty(&sub, bounds)?;
        close(&mut pasts, &hb.edges, bounds)?;
        let readers = (0..sub.operations).filter(|&op| sub.is_external(op));
        let found = conflicts(&sub, BaseOrder::SameLocation, &pasts, readers, bounds)?;
        let conflicts = found.iter().map(|edge| renamed_conflict(edge, outer));
        self.conflicts.extend(conflicts);
        Ok(())
    }

    /// Returns the store order, or the violation if deriving it met a cycle.
    fn ended(
        &self,
        exec: &Execution<'_>,
        known: Result<StoreOrder, NotClosed>,
        bounds: &Bounds,
    ) -> Derives<StoreOrder> {
        known.map_err(|halt| {
            let mut edges = self.hb.as_edges();
            edges.extend(&self.conflicts);
            let cycle = (halt == NotClosed::Cyclic).then(|| self.cycle(exec, &edges, bounds));
            cycle.flatten().unwrap_or(NotDerived::Exceeded)
        })
    }

    /// The violation that a cycle in one of the two relations of wCCM proves; if both have cycles, the one with fewer
    /// facts. `None` if neither has a cycle.
    fn cycle(&self, exec: &Execution<'_>, stores: &[Edge], bounds: &Bounds) -> Option<NotDerived> {
        let in_order = |order: BaseOrder| {
            let derived = &self.hb.derived;
            final_cycle(exec, Criterion::Wccm, order, stores, derived, bounds)
        };
        let found = [BaseOrder::Preserved, BaseOrder::SameLocation].into_iter();
        let shortest = found.filter_map(in_order).min_by_key(|violation| violation.facts.len());
        shortest.map(NotDerived::CriterionViolation)
    }
}

/// Renames a derived pair of one location's history to the nodes of the whole history, in which `known` pairs
/// were derived before. `outer` maps nodes.
fn renamed(pair: &Derived, known: u32, outer: impl Fn(u32) -> u32) -> Derived {
    Derived {
        order: BaseOrder::SameLocation,
        of: outer(pair.of),
        from: outer(pair.from),
        to: outer(pair.to),
        read: outer(pair.read),
        round: pair.round + known,
    }
}

fn renamed_conflict(edge: &Edge, outer: impl Fn(u32) -> u32) -> Edge {
    Edge {
        from: outer(edge.from),
        to: outer(edge.to),
        label: match edge.label {
            Label::Conflict(order, read) => Label::Conflict(order, outer(read)),
            label => label,
        },
    }
}
