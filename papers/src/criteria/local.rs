//! The relations `hb_o` of causal memory and `hb^π_o` of wCCM (CAV 2019, sections 3.1 and 4.1).
//!
//! With π = `po` and all of `wr`, causality is `co = (π ∪ wr)⁺`, and `hb_o` is the least transitive relation such
//! that
//!
//! 1. it has the pairs of `co` between operations that are o or `co`-before o;
//! 2. it has (w', w) if it has (w', r), r reads from w, another write of the location, and r is o or π-before o.
//!
//! With π = `ppo` or `po-loc`, `wr_e` takes the place of `wr` in `co`, but not in the second rule.
//!
//! *Few o suffice.* `hb_o` adds to `co` only the pairs of its second rule, so the question is which of
//! these pairs an o derives. They need paths that end in a read r with r = o or (r, o) ∈ π. Such a path
//! lies within the `co`-past of o: going backwards from r, each pair is one of `co`, or a derived pair
//! whose start has in turn a path to such a read. So the derived pairs depend only on the set of these
//! reads. An o' with (o, o') ∈ π has these reads and perhaps more, and derives these pairs too. It
//! suffices to take the reads that have no later read in π: for `po` and `po-loc` the last of each thread
//! (and location); for `ppo` also the last store-conditional, which may wait in the buffer while later
//! loads read.
//!
//! `hb_o` is acyclic iff the union of `co` and the pairs that o derives is: a cycle has a derived pair, so
//! all of it is in the past of o. The union over all o contains `co`, since each of its pairs (a, b) is
//! in `hb_b`; so `hb = (⋃ hb_o)⁺` is the transitive closure of `co` and all derived pairs.
//!
//! `hb^po-loc` relates only operations of one location, and there `wr` outside of `wr_e` is in
//! `po-loc`: it is the `hb` of causal memory of that location's operations alone.
//!
//! Pasts are rows of bits. For one o, each round derives the pairs that the reads give, then closes the
//! relation along a topological order, until a round derives nothing new. Cost: O(n·e/64) for each round
//! and o, where the e edges are those between neighbours in a thread, `wr`, and the derived pairs that do
//! not follow from others. There are at most as many rounds as pairs of writes, and few in practice.
//! Memory: n²/8 bytes for `co` and again for one `hb_o`.

use super::labelled_graph::{Edge, bytes_of_steps, reads_from, related, steps};
use crate::execution::{Execution, NONE};
use certify::criterion::BaseOrder;
use check::engine::csr::Csr;
use check::engine::digraph::topological;
use check::engine::relation::Relation;
use host::Bounds;

/// Rows of bits between two checks of the bounds.
const CHECK_INTERVAL: usize = 64;

/// A pair (w', w) that the second rule of `hb_o` derives (see the module's documentation).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Derived {
    /// The order π.
    pub order: BaseOrder,
    /// The operation o.
    pub of: u32,
    /// The write w', which precedes w.
    pub from: u32,
    /// The write w.
    pub to: u32,
    /// The read from w that w' precedes.
    pub read: u32,
    /// The number of derived pairs when the round began. The pairs of the same o below this number
    /// suffice to derive this one.
    pub round: u32,
}

/// Why a relation could not be closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotClosed {
    /// The relation has a cycle.
    Cyclic,
    /// A bound was met.
    Exceeded,
}

/// Closes the relation of these edges transitively: afterwards, row b of `pasts` has everything before b. The
/// pairs that `pasts` has already must be part of the result. Returns a topological order. Cost: O(n·edges/64).
///
/// # Errors
/// Returns [`NotClosed::Cyclic`] if the edges have a cycle, and [`NotClosed::Exceeded`] if a bound was
/// met.
pub(super) fn close(
    pasts: &mut Relation,
    edges: &[(u32, u32)],
    bounds: &Bounds,
) -> Result<Vec<u32>, NotClosed> {
    let nodes = pasts.size();
    let after = Csr::within(nodes, edges.iter().copied(), bounds).ok_or(NotClosed::Exceeded)?;
    let order = topological(&after).map_err(|_| NotClosed::Cyclic)?;
    drop(after);
    let before = edges.iter().map(|&(from, to)| (to, from));
    let before = Csr::within(nodes, before, bounds).ok_or(NotClosed::Exceeded)?;
    for (done, &node) in order.iter().enumerate() {
        if done.is_multiple_of(CHECK_INTERVAL) && bounds.passed() {
            return Err(NotClosed::Exceeded);
        }
        for &other in before.of(node) {
            pasts.absorb(node, other);
            pasts.insert(node, other);
        }
    }
    Ok(order)
}

/// The empty relation on the nodes of an execution.
///
/// # Errors
/// Returns [`NotClosed::Exceeded`] if the bounds do not allow the memory.
pub(super) fn empty(exec: &Execution<'_>, bounds: &Bounds) -> Result<Relation, NotClosed> {
    if bounds.allows(Relation::bytes(exec.len())) {
        Ok(Relation::new(exec.len()))
    } else {
        Err(NotClosed::Exceeded)
    }
}

/// Causality over a base order π, from which [`Causality::derive`] derives the pairs of the second rule.
#[derive(Debug)]
pub(super) struct Causality<'e> {
    pub exec: &'e Execution<'e>,
    /// π: `po`, `ppo` or `po-loc`.
    order: BaseOrder,
    /// Edges whose transitive closure is `co`.
    pub edges: Vec<(u32, u32)>,
    /// The inverse of `co`: row b has everything before b.
    pub pasts: Relation,
    /// Per operation, how many operations with smaller numbers are neither plain loads nor plain stores.
    barriers: Vec<u32>,
}

impl<'e> Causality<'e> {
    /// Closes `π ∪ wr`, or `π ∪ wr_e` if π is not `po`. Cost: O(n²/64).
    ///
    /// # Errors
    /// Returns [`NotClosed::Cyclic`] if causality is cyclic, and [`NotClosed::Exceeded`] if a bound was
    /// met.
    pub(super) fn new(
        exec: &'e Execution<'e>,
        order: BaseOrder,
        bounds: &Bounds,
    ) -> Result<Causality<'e>, NotClosed> {
        if !bounds.allows(bytes_of_steps(exec)) {
            return Err(NotClosed::Exceeded);
        }
        let mut edges = steps(exec, order);
        let reads = reads_from(exec, order != BaseOrder::Full);
        edges.extend(reads.iter().map(Edge::ends));
        let mut pasts = empty(exec, bounds)?;
        close(&mut pasts, &edges, bounds)?;
        let mut seen = 0;
        let barriers = (0..exec.operations).map(|op| {
            let kind = exec.kind(op);
            let before = seen;
            seen += u32::from(!kind.may_be_forwarded() && !kind.may_be_buffered());
            before
        });
        Ok(Causality { barriers: barriers.collect(), exec, order, edges, pasts })
    }

    /// Whether `read` is `of` or before it in the transitive closure of π.
    pub(super) fn is_before_or_equal(&self, read: u32, of: u32) -> bool {
        let barrier = self.order == BaseOrder::Preserved
            && self.exec.po(read, of)
            && self.barriers[read as usize + 1] < self.barriers[of as usize];
        read == of || related(self.exec, self.order, read, of) || barrier
    }

    /// The operations o whose `hb_o` suffice (see the module's documentation).
    pub(super) fn roots(&self) -> Vec<u32> {
        let mut roots = Vec::new();
        for thread in self.exec.history.threads() {
            let ops = thread.first().0..thread.end().0;
            let mut readers = ops.rev().filter(|&op| self.exec.source[op as usize] != NONE);
            let Some(last) = readers.next() else {
                continue;
            };
            roots.push(last);
            if self.order == BaseOrder::Preserved && self.exec.kind(last).may_be_forwarded() {
                let store = readers.find(|&op| self.exec.kind(op).may_be_buffered());
                roots.extend(store.filter(|&store| !self.is_before_or_equal(store, last)));
            }
        }
        roots
    }

    /// Appends the derived pairs of `hb_o`, for the operation o = `of`, that do not follow from others.
    ///
    /// # Errors
    /// Returns [`NotClosed::Cyclic`] if `hb_o` is cyclic, with the pairs up to that round added, and
    /// [`NotClosed::Exceeded`] if a bound was met.
    pub(super) fn derive(
        &self,
        of: u32,
        derived: &mut Vec<Derived>,
        bounds: &Bounds,
    ) -> Result<(), NotClosed> {
        let bytes = Relation::bytes(self.exec.len()) + size_of_val(&*self.edges);
        if !bounds.allows(bytes) {
            return Err(NotClosed::Exceeded);
        }
        let thread = self.exec.history.threads()[self.exec.thread[of as usize] as usize];
        let reads = thread.first().0..=of;
        let reads = reads.filter(|&op| self.exec.source[op as usize] != NONE);
        let reads: Vec<u32> = reads.filter(|&op| self.is_before_or_equal(op, of)).collect();
        let mut pasts = self.pasts.clone();
        let mut edges = self.edges.clone();
        loop {
            let round = derived.len() as u32;
            for (done, &read) in reads.iter().enumerate() {
                if done.is_multiple_of(CHECK_INTERVAL) && bounds.passed() {
                    return Err(NotClosed::Exceeded);
                }
                let source = self.exec.source[read as usize];
                let given = overtaken(self.exec, &pasts, read).map(|from| Derived {
                    order: self.order,
                    of,
                    from,
                    to: source,
                    read,
                    round,
                });
                derived.extend(given);
            }
            let new = &derived[round as usize..];
            if new.is_empty() {
                return Ok(());
            }
            edges.extend(new.iter().map(|pair| (pair.from, pair.to)));
            close(&mut pasts, &edges, bounds)?;
        }
    }
}

/// The writes of a read's location, other than its source, that a relation has before the read but not before
/// the source. Writes that precede another such write are left out.
pub(super) fn overtaken<'a>(
    exec: &'a Execution<'_>,
    pasts: &'a Relation,
    read: u32,
) -> impl Iterator<Item = u32> + 'a {
    let source = exec.source[read as usize];
    let writes = exec.writes.of(exec.location[read as usize]);
    let mut last: Option<u32> = None;
    // Goes backwards, so that the last write of each thread covers the earlier ones.
    writes.iter().rev().copied().filter(move |&write| {
        let covered = last.is_some_and(|last| pasts.contains(last, write));
        let found = pasts.contains(read, write)
            && write != source
            && write != read
            && !covered
            && !pasts.contains(source, write);
        if found {
            last = Some(write);
        }
        found
    })
}
