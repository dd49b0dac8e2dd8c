//! Causal memory (CM) and convergent causal memory (CCM), CAV 2019, sections 3.1 and 3.2.
//!
//! CM holds iff CC does and every `hb_o` is acyclic (`local`). CCM holds iff
//! `po ∪ wr ∪ pww ∪ rw[pww]` is acyclic, with `hb = (⋃ hb_o)⁺` and
//! `pww = (hb_WW ∪ cf[hb])⁺`, which is part of every store order that explains the history under
//! SC (Lemma 2). Cost: that of `hb`, then O(n²/64 + m²) for m writes of a location; `pww` has O(n·threads)
//! pairs that do not follow from others. Memory: n²/8 bytes for each of causality, `hb` and `pww`, and for one
//! `hb_o`. Measured on valid runs (release build, one core, 16 threads, 64 locations): CM and CCM 0.03 s for
//! 4,000 operations, 0.6 s for 16,000.

use super::causal;
use super::labelled_graph::{Edge, Label, LabelledGraph, bytes_of_steps, reads_from, steps};
use super::local::{Causality, Derived, NotClosed, close, empty, overtaken};
use super::reasons::Reasons;
use super::{Derives, NotDerived};
use crate::execution::{Execution, NONE};
use certify::criterion::{BaseOrder, Criterion, ForbiddenCycle};
use check::criterion_violation::CriterionViolation;
use check::engine::csr::Csr;
use check::engine::digraph::topological;
use check::engine::relation::Relation;
use check::published::{Problem, Report};
use history::OpId;
use host::Bounds;

/// Nodes between two checks of the bounds.
const CHECK_INTERVAL: usize = 64;
/// Room for conflicts that is asked for in advance at each of these checks.
const EDGES_PER_CHECK: usize = 1 << 12;

/// The partial store order of CCM (`pww`) or wCCM (`wpww`).
#[derive(Debug)]
pub struct StoreOrder {
    /// The inverse of the order: row w has the writes before w.
    pub pasts: Relation,
    /// Pairs whose transitive closure is the order.
    pub edges: Vec<Edge>,
}

impl StoreOrder {
    /// The order as a relation on nodes, initial writes included.
    pub fn relation(&self) -> Relation {
        self.pasts.converse()
    }

    /// The number of pairs of writes that are ordered, without initial writes.
    pub fn pairs(&self, exec: &Execution<'_>) -> u64 {
        let initial = (0..exec.operations).filter(|&op| {
            let location = exec.location[op as usize];
            location != NONE && self.pasts.contains(op, exec.initial(location))
        });
        self.pasts.len() - initial.count() as u64
    }
}

/// The relation `hb = (⋃ hb_o)⁺`.
pub(super) struct HappensBefore {
    /// Edges whose transitive closure is `hb`.
    pub edges: Vec<(u32, u32)>,
    /// The pairs that the second rule of `hb_o` derived.
    pub derived: Vec<Derived>,
}

/// Derives `hb_o` over `po` or `ppo` for all operations o, and adds their pairs to `into`.
///
/// # Errors
/// Returns [`NotClosed::Cyclic`] if causality or an `hb_o` is cyclic, and [`NotClosed::Exceeded`] if a
/// bound was met. `into` then has everything derived so far.
pub(super) fn derive(
    exec: &Execution<'_>,
    order: BaseOrder,
    bounds: &Bounds,
    into: &mut HappensBefore,
) -> Result<(), NotClosed> {
    let causality = Causality::new(exec, order, bounds)?;
    if !bounds.allows_items(&into.edges, causality.edges.len()) {
        return Err(NotClosed::Exceeded);
    }
    into.edges.extend(&causality.edges);
    for of in causality.roots() {
        let known = into.derived.len();
        let ended = causality.derive(of, &mut into.derived, bounds);
        let new = &into.derived[known..];
        if !bounds.allows_items(&into.edges, new.len()) {
            return Err(NotClosed::Exceeded);
        }
        into.edges.extend(new.iter().map(|pair| (pair.from, pair.to)));
        ended?;
    }
    Ok(())
}

impl HappensBefore {
    /// Creates the relation without any pair.
    pub(super) fn new() -> HappensBefore {
        HappensBefore { edges: Vec::new(), derived: Vec::new() }
    }

    /// The derived pairs, as labelled edges.
    pub(super) fn as_edges(&self) -> Vec<Edge> {
        let edge = |(at, pair): (usize, &Derived)| Edge {
            from: pair.from,
            to: pair.to,
            label: Label::Derived(at as u32),
        };
        self.derived.iter().enumerate().map(edge).collect()
    }
}

/// Runs the algorithm `cm`.
pub fn cm(problem: &Problem<'_>) -> Report {
    super::decide(problem, |exec| memory(exec, problem.bounds))
}

/// Runs the algorithm `ccm`.
pub fn ccm(problem: &Problem<'_>) -> Report {
    super::decide(problem, |exec| Ok(Some(convergent_memory(exec, problem.bounds)?.pairs(exec))))
}

/// Decides CM. Returns the number of pairs of writes that the union of all `hb_o` orders, if that is
/// acyclic.
///
/// # Errors
/// Returns a violation if CM does not hold, or [`NotDerived::Exceeded`] if a bound was met.
pub fn memory(exec: &Execution<'_>, bounds: &Bounds) -> Derives<Option<u64>> {
    causal::consistent(exec, Criterion::Cm, bounds)?;
    let mut hb = HappensBefore::new();
    match derive(exec, BaseOrder::Full, bounds, &mut hb) {
        Ok(()) => {}
        Err(NotClosed::Exceeded) => return Err(NotDerived::Exceeded),
        Err(NotClosed::Cyclic) => {
            return Err(NotDerived::CriterionViolation(local_cycle(exec, &hb, bounds)));
        }
    }
    let Ok(mut pasts) = empty(exec, bounds) else {
        return Err(NotDerived::Exceeded);
    };
    match close(&mut pasts, &hb.edges, bounds) {
        Ok(_) => Ok(Some(exec.ordered_writes(&pasts))),
        Err(NotClosed::Cyclic) => Ok(None),
        Err(NotClosed::Exceeded) => Err(NotDerived::Exceeded),
    }
}

/// The violation of CM that the `hb_o` derived last, which is cyclic, proves.
fn local_cycle(exec: &Execution<'_>, hb: &HappensBefore, bounds: &Bounds) -> CriterionViolation {
    let of = hb.derived.last().map_or(0, |pair| pair.of);
    let mut edges = reads_from(exec, false);
    let own =
        |edge: &Edge| matches!(edge.label, Label::Derived(at) if hb.derived[at as usize].of == of);
    edges.extend(hb.as_edges().into_iter().filter(own));
    let graph = LabelledGraph::new(exec, &[BaseOrder::Full], edges);
    let cycle = graph.cycle(bounds).unwrap_or_default();
    Reasons::new(exec, Criterion::Cm, &hb.derived).violation(
        ForbiddenCycle::Local(OpId(of)),
        &graph,
        &cycle,
    )
}

/// Decides CCM, and returns `pww`.
///
/// # Errors
/// Returns a violation if CCM does not hold, or [`NotDerived::Exceeded`] if a bound was met.
pub fn convergent_memory(exec: &Execution<'_>, bounds: &Bounds) -> Derives<StoreOrder> {
    let mut hb = HappensBefore::new();
    let known = store_order(exec, bounds, &mut hb);
    let order = ended(exec, &hb, known, bounds)?;
    match final_cycle(exec, Criterion::Ccm, BaseOrder::Full, &order.edges, &hb.derived, bounds) {
        Some(violation) => Err(NotDerived::CriterionViolation(violation)),
        None if bounds.passed() => Err(NotDerived::Exceeded),
        None => Ok(order),
    }
}

/// Returns the store order, or the violation if deriving it met a cycle.
fn ended(
    exec: &Execution<'_>,
    hb: &HappensBefore,
    known: Result<StoreOrder, (NotClosed, Vec<Edge>)>,
    bounds: &Bounds,
) -> Derives<StoreOrder> {
    known.map_err(|(halt, conflicts)| {
        let mut edges = hb.as_edges();
        edges.extend(conflicts);
        let cyclic = (halt == NotClosed::Cyclic).then(|| {
            final_cycle(exec, Criterion::Ccm, BaseOrder::Full, &edges, &hb.derived, bounds)
        });
        cyclic.flatten().map_or(NotDerived::Exceeded, NotDerived::CriterionViolation)
    })
}

fn store_order(
    exec: &Execution<'_>,
    bounds: &Bounds,
    hb: &mut HappensBefore,
) -> Result<StoreOrder, (NotClosed, Vec<Edge>)> {
    let early = |halt: NotClosed| (halt, Vec::new());
    derive(exec, BaseOrder::Full, bounds, hb).map_err(early)?;
    let mut pasts = empty(exec, bounds).map_err(early)?;
    close(&mut pasts, &hb.edges, bounds).map_err(early)?;
    let readers = (0..exec.operations).filter(|&op| exec.source[op as usize] != NONE);
    let conflicts = conflicts(exec, BaseOrder::Full, &pasts, readers, bounds).map_err(early)?;
    let all = hb.edges.iter().copied();
    let all = all.chain(conflicts.iter().map(Edge::ends));
    let graph = Csr::within(exec.len(), all, bounds).ok_or(NotClosed::Exceeded).map_err(early)?;
    let Ok(order) = topological(&graph) else {
        return Err((NotClosed::Cyclic, conflicts));
    };
    drop(graph);
    close_writes(exec, &order, &pasts, conflicts, bounds).map_err(early)
}

/// The pairs of `cf[R]` that these reads imply, without those that follow from other pairs and R. `pasts` are the
/// pasts in R.
///
/// # Errors
/// Returns [`NotClosed::Exceeded`] if a bound was met.
pub(super) fn conflicts(
    exec: &Execution<'_>,
    order: BaseOrder,
    pasts: &Relation,
    readers: impl Iterator<Item = u32>,
    bounds: &Bounds,
) -> Result<Vec<Edge>, NotClosed> {
    let mut found = Vec::new();
    for (done, read) in readers.enumerate() {
        let is_due = done.is_multiple_of(CHECK_INTERVAL);
        if is_due && (bounds.passed() || !bounds.allows_items(&found, EDGES_PER_CHECK)) {
            return Err(NotClosed::Exceeded);
        }
        found.extend(overtaken(exec, pasts, read).map(|from| Edge {
            from,
            to: exec.source[read as usize],
            label: Label::Conflict(order, read),
        }));
    }
    Ok(found)
}

/// Computes the store order `(R_WW ∪ cf)⁺`. `happens` are the pasts in R, `conflicts` the pairs of `cf`, and `order`
/// is a topological order of the nodes in the union of both.
pub(super) fn close_writes(
    exec: &Execution<'_>,
    order: &[u32],
    happens: &Relation,
    conflicts: Vec<Edge>,
    bounds: &Bounds,
) -> Result<StoreOrder, NotClosed> {
    let mut pasts = empty(exec, bounds)?;
    let numbered = conflicts.iter().enumerate();
    let into = Csr::new(exec.len(), numbered.map(|(at, edge)| (edge.to, at as u32)));
    let mut edges = Vec::new();
    let writes = order.iter().copied().filter(|&node| exec.is_write(node));
    for (done, write) in writes.enumerate() {
        if done.is_multiple_of(CHECK_INTERVAL) && bounds.passed() {
            return Err(NotClosed::Exceeded);
        }
        let others = exec.writes.of(exec.location[write as usize]).iter().rev();
        let before = others.copied().filter(|&other| happens.contains(write, other));
        let before = before.map(|other| Edge { from: other, to: write, label: Label::Happens });
        let conflicts = into.of(write).iter().map(|&at| conflicts[at as usize]);
        for edge in before.chain(conflicts) {
            if pasts.insert(write, edge.from) {
                pasts.absorb(write, edge.from);
                edges.push(edge);
            }
        }
    }
    Ok(StoreOrder { pasts, edges })
}

/// The violation that a cycle of `π ∪ wr ∪ pww ∪ rw[pww]`, or of its counterpart for wCCM, proves; `None` if there
/// is no cycle, or a bound was met. `stores` are edges of the store order.
pub(super) fn final_cycle(
    exec: &Execution<'_>,
    criterion: Criterion,
    order: BaseOrder,
    stores: &[Edge],
    derived: &[Derived],
    bounds: &Bounds,
) -> Option<CriterionViolation> {
    let weak = criterion == Criterion::Wccm;
    let overwritten = stores.iter().map(|edge| exec.readers.of(edge.from).len()).sum::<usize>();
    let most = stores.len() + overwritten + exec.operations as usize;
    let bytes = bytes_of_steps(exec) + most * size_of::<Edge>();
    if bounds.passed() || !bounds.allows(bytes) {
        return None;
    }
    let mut edges = Vec::with_capacity(most);
    edges.extend_from_slice(stores);
    // Pairs of the store order that follow from others are left out. The pairs of rw that they would give
    // follow from others, too.
    for (at, edge) in stores.iter().enumerate() {
        let readers = exec.readers.of(edge.from).iter();
        let readers = readers.filter(|&&reader| reader != edge.to);
        edges.extend(readers.map(|&reader| Edge {
            from: reader,
            to: edge.to,
            label: Label::Overwritten(at as u32),
        }));
    }
    // These come last, since labels cite the edges of the store order by number.
    edges.extend(reads_from(exec, weak));
    let all = steps(exec, order);
    let all = all.iter().copied().chain(edges.iter().map(Edge::ends));
    let graph = Csr::within(exec.len(), all, bounds)?;
    if topological(&graph).is_ok() {
        return None;
    }
    drop(graph);
    let relation = if weak { ForbiddenCycle::Weak(order) } else { ForbiddenCycle::Memory };
    let graph = LabelledGraph::new(exec, &[order], edges);
    let cycle = graph.cycle(bounds)?;
    Some(Reasons::new(exec, criterion, derived).violation(relation, &graph, &cycle))
}
