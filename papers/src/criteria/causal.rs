//! Causal consistency (CC) and causal convergence (CCv), CAV 2019, section 3.1.
//!
//! Causality is `co = (po ∪ wr)⁺` (not coherence order). The paper's text says that CC holds iff
//! `po ∪ wr ∪ rw[co]` is acyclic, which would reject its own Fig. 1c and plain store buffering. This module uses
//! the bad patterns of the paper's sixth reference instead: CC holds iff `co` and `rw[co] ; co` are irreflexive,
//! that is, causality is acyclic and no read has its source overwritten in its own past. CCv holds iff CC does and
//! `po ∪ wr ∪ cf` is acyclic, with (w', w) ∈ `cf` iff w' is `co`-before a read from w, another write of its
//! location.
//!
//! Pasts are vector clocks over threads. For a read and a thread, only the last write of the read's
//! location in its past matters: an earlier one is program-order before it, so `co` leads from the
//! source to the last one too, and a `cf` pair of the earlier one follows from that of the last. If
//! the last one is the source itself, an earlier one is program-order before the source, which is
//! neither overwritten by it nor needs a `cf` pair. Cost: O(n·threads·log n) and 4·n·threads bytes
//! for CC; for CCv O(n·threads²), since each read gives up to one `cf` pair a thread. Measured on
//! valid runs of 500,000 operations (release build, one core): CC 0.3 s with 4 threads and 1.0 s
//! with 16, CCv 0.5 s and 1.7 s.
//!
//! # TSO implies CCv, and so CC
//!
//! The paper conjectures this without a proof. For a proof, take a run of the TSO machine, and call a write
//! *earlier* than another if it reaches memory earlier.
//!
//! 1. If (v, w) ∈ `co` for writes, v is earlier than w. Cut the path where it meets writes: a thread's
//!    writes reach memory in program order; and if v wr r and r is po-before w, then either r
//!    is of v's own thread, which is the case before (a thread cannot read its later store), or r
//!    read v from memory before w was issued. So `co` is irreflexive: a cycle has a write, since
//!    program order alone has none.
//! 2. If (v, r) ∈ `co`, r reads from w ≠ v of the same location, then v is earlier than w. The
//!    path enters r's thread for the last time by program order from v itself, or by a read, po-before
//!    r or r itself, of a write u that is v or later than v. In the second case v is in memory
//!    when r reads: r reads from memory a write that is not earlier than v, or from the buffer one
//!    that has yet to reach it. In the first case v may be in r's buffer; then r is served from
//!    there, by v or a later store of the thread, which reaches memory later.
//! 3. So `cf` only has pairs (v, w) with v earlier than w. A cycle of `po ∪ wr ∪ cf` has a write,
//!    and between one write of it and the next there is `co` or `cf`: each would be earlier than
//!    itself. And if w wr r and w' is between w and r in `co`, w is earlier than w' by 1 and w'
//!    earlier than w by 2: `rw[co] ; co` is irreflexive.
//!
//! A read-modify-write reads and writes memory at once with an empty buffer, and a fence only forbids runs, so the
//! proof holds for both. A store-conditional counts as a reader of the source w of its load-linked, and comes
//! right after w in store order. By 1, writes that are `co`-before the store-conditional reach memory before it,
//! so 2 holds for it too, and a path through it can be replaced by one through the load-linked.

use host::Bounds;
use rustc_hash::FxHashSet;

use super::labelled_graph::{Edge, Hop, Label, LabelledGraph, reads_from};
use super::local::NotClosed;
use super::pasts::Pasts;
use super::reasons::Reasons;
use super::{Derives, NotDerived};
use crate::execution::{Execution, NONE};
use certify::criterion::{BaseOrder, Criterion, ForbiddenCycle};
use check::criterion_violation::CriterionViolation;
use check::published::{Problem, Report};

/// Reads between two checks of the bounds.
const CHECK_INTERVAL: u32 = 4096;
/// Number of stale reads among which the one with the shortest proof is chosen.
const MAX_STALE_READS: usize = 32;

/// Runs the algorithm `cc`.
pub fn cc(problem: &Problem<'_>) -> Report {
    super::decide(problem, |exec| {
        let pasts = consistent(exec, Criterion::Cc, problem.bounds)?;
        Ok(pasts.ordered_writes(exec, problem.bounds))
    })
}

/// Runs the algorithm `ccv`.
pub fn ccv(problem: &Problem<'_>) -> Report {
    super::decide(problem, |exec| {
        Ok(convergent(exec, problem.bounds)?.ordered_writes(exec, problem.bounds))
    })
}

/// Decides CC. Returns causality, as the pasts of operations.
///
/// # Errors
/// Returns a violation of `criterion`, which must imply CC, if CC does not hold, or
/// [`NotDerived::Exceeded`] if a bound was met.
pub fn consistent(exec: &Execution<'_>, criterion: Criterion, bounds: &Bounds) -> Derives<Pasts> {
    let reads = reads_from(exec, false);
    match Pasts::new(exec, &between_operations(exec, &reads), bounds) {
        Err(NotClosed::Exceeded) => Err(NotDerived::Exceeded),
        Err(NotClosed::Cyclic) => {
            Err(NotDerived::CriterionViolation(cycle(exec, criterion, reads, bounds)))
        }
        Ok(pasts) => match stale(exec, &pasts, bounds)? {
            found if found.is_empty() => Ok(pasts),
            found => {
                Err(NotDerived::CriterionViolation(stale_read(exec, criterion, reads, &found)))
            }
        },
    }
}

/// Decides CCv. Returns `(po ∪ wr ∪ cf)⁺`, as the pasts of operations.
///
/// # Errors
/// Returns a violation if CCv does not hold, or [`NotDerived::Exceeded`] if a bound was met.
pub fn convergent(exec: &Execution<'_>, bounds: &Bounds) -> Derives<Pasts> {
    let pasts = consistent(exec, Criterion::Ccv, bounds)?;
    let mut edges = reads_from(exec, false);
    edges.extend(conflicts(exec, &pasts, bounds)?);
    drop(pasts);
    match Pasts::new(exec, &between_operations(exec, &edges), bounds) {
        Ok(pasts) => Ok(pasts),
        Err(NotClosed::Exceeded) => Err(NotDerived::Exceeded),
        Err(NotClosed::Cyclic) => {
            Err(NotDerived::CriterionViolation(cycle(exec, Criterion::Ccv, edges, bounds)))
        }
    }
}

/// The number of pairs of writes that `cf` relates, without closing it transitively and without initial writes;
/// `None` if CC does not hold, or a bound was met. Cost: for each read, the number of writes of its location in
/// its past.
pub fn conflict_pairs(exec: &Execution<'_>, bounds: &Bounds) -> Option<u64> {
    let pasts = consistent(exec, Criterion::Ccv, bounds).ok()?;
    let mut pairs = FxHashSet::default();
    for read in 0..exec.operations {
        if bounds.passed() || !bounds.allows(16 * pairs.len()) {
            return None;
        }
        let source = exec.source[read as usize];
        if source == NONE || exec.is_initial(source) {
            continue;
        }
        let writes = pasts.past_writes(exec, read).flatten();
        let others = writes.filter(|&&write| write != source);
        pairs.extend(others.map(|&write| (write.min(source), write.max(source))));
    }
    Some(pairs.len() as u64)
}

/// The ends of the edges between operations. Edges from initial writes, which precede everything in program
/// order, are left out.
fn between_operations(exec: &Execution<'_>, edges: &[Edge]) -> Vec<(u32, u32)> {
    let ends = edges.iter().map(Edge::ends);
    ends.filter(|&(from, _)| !exec.is_initial(from)).collect()
}

/// Reads whose source is overwritten in their past, as (source, overwriting write, read). Stops after
/// [`MAX_STALE_READS`].
fn stale(exec: &Execution<'_>, pasts: &Pasts, bounds: &Bounds) -> Derives<Vec<(u32, u32, u32)>> {
    let mut found = Vec::new();
    for read in 0..exec.operations {
        if read.is_multiple_of(CHECK_INTERVAL) && bounds.passed() {
            return Err(NotDerived::Exceeded);
        }
        let source = exec.source[read as usize];
        if source == NONE {
            continue;
        }
        let writes = pasts.last_writes(exec, read);
        let over = writes.filter(|&write| pasts.before(exec, source, write));
        found.extend(over.map(|write| (source, write, read)));
        if found.len() >= MAX_STALE_READS {
            break;
        }
    }
    Ok(found)
}

/// The pairs of `cf` that do not follow from other pairs and causality.
fn conflicts(exec: &Execution<'_>, pasts: &Pasts, bounds: &Bounds) -> Derives<Vec<Edge>> {
    let mut found = Vec::new();
    for read in 0..exec.operations {
        if read.is_multiple_of(CHECK_INTERVAL)
            && (bounds.passed() || !bounds.allows(24 * found.len()))
        {
            return Err(NotDerived::Exceeded);
        }
        let source = exec.source[read as usize];
        if source == NONE {
            continue;
        }
        let writes = pasts.last_writes(exec, read);
        let writes = writes.filter(|&write| write != source && !pasts.before(exec, write, source));
        found.extend(writes.map(|write| Edge {
            from: write,
            to: source,
            label: Label::Conflict(BaseOrder::Full, read),
        }));
    }
    Ok(found)
}

/// The violation that a cycle of `po` and these edges proves.
fn cycle(
    exec: &Execution<'_>,
    criterion: Criterion,
    edges: Vec<Edge>,
    bounds: &Bounds,
) -> CriterionViolation {
    let graph = LabelledGraph::new(exec, &[BaseOrder::Full], edges);
    let cycle = graph.cycle(bounds).unwrap_or_default();
    let conflict =
        |hop: &Hop| matches!(hop, Hop::Edge(edge) if matches!(edge.label, Label::Conflict(..)));
    let relation = if cycle.iter().any(conflict) {
        ForbiddenCycle::Convergence
    } else {
        ForbiddenCycle::Causality
    };
    Reasons::new(exec, criterion, &[]).violation(relation, &graph, &cycle)
}

/// The violation that the stale read with the shortest proof proves. `found` are stale reads, as
/// (source, overwriting write, read).
fn stale_read(
    exec: &Execution<'_>,
    criterion: Criterion,
    reads: Vec<Edge>,
    found: &[(u32, u32, u32)],
) -> CriterionViolation {
    let graph = LabelledGraph::new(exec, &[BaseOrder::Full], reads);
    let path = |from, to| graph.path(from, to, |_| true).unwrap_or_default();
    let ways = found.iter().map(|&(source, write, read)| {
        let (over, back) = (path(source, write), path(write, read));
        (over.len() + back.len(), read, over, back)
    });
    let shortest = ways.min_by_key(|way| way.0);
    let (_, read, over, back) = shortest.unwrap_or_default();
    Reasons::new(exec, criterion, &[]).stale(read, &over, &back)
}
