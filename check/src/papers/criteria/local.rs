//! The relations `hb_o` of causal memory and `hb^π_o` of wCCM (CAV 2019, sections 3.1 and 4.1).
//!
//! With π = `po` and all of `wr`, `co = (π ∪ wr)⁺` and `hb_o` is the least transitive relation that
//! has `co` between operations that are o or `co`-before o, and (w', w) where it has (w', r), r
//! reads from w, and r is o or π-before o. With π = `ppo` or `po-loc`, `wr_e` takes the place of
//! `wr` in `co`, but not in this second rule.
//!
//! *Few o are enough.* Pairs of the second rule are all that `hb_o` adds to `co`, so what counts is
//! which of them o gives. They need paths that end in a read r with r = o or (r, o) ∈ π. All of
//! such a path lies in the `co`-past of o, read backwards from r: before r or before the start of
//! a derived pair, which has a path of its own to such a read, there are only `co`-pairs. So the
//! derived pairs depend on the reads alone, and an o' with (o, o') ∈ π, which has these reads and
//! perhaps more, gives them too. It is enough to take the reads without a later read in π: with
//! `po` and `po-loc` the last of each thread (and location); with `ppo` also the last
//! store-conditional, which may wait in the buffer while loads read.
//!
//! `hb_o` is acyclic iff `co` and the pairs that o gives are: a cycle has a derived pair, so all of
//! it is in the past of o. The union over all o has all of `co`, for each pair (a, b) is in
//! `hb_b`; so `hb = (⋃ hb_o)⁺` is the transitive closure of `co` and all derived pairs.
//!
//! `hb^po-loc` relates only operations of one location, and there `wr` outside of `wr_e` is in
//! `po-loc`: it is the `hb` of causal memory of that location's operations alone.
//!
//! Pasts are rows of bits. For one o, each round derives what the reads give, then closes the
//! relation along a topological order; rounds go on until there is nothing new. Cost: O(n·e/64) a
//! round and o for e edges, which are those between neighbours in a thread, `wr`, and the derived
//! pairs that did not follow from others. Rounds are few in practice, at most as many as pairs of
//! writes. Memory: n²/8 bytes for `co` and again for one `hb_o`.

use super::web::{Edge, reads_from, related, steps};
use crate::bounds::Bounds;
use crate::engine::csr::Csr;
use crate::engine::digraph::topological;
use crate::engine::relation::Relation;
use crate::papers::execution::{Execution, NONE};
use certify::criterion::Order;

/// Rows of bits between two questions to the bounds.
const OFTEN: usize = 64;

/// A pair (w', w) that the second rule gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Derived {
    /// The order π.
    pub order: Order,
    /// The operation o.
    pub of: u32,
    /// w'.
    pub from: u32,
    /// w.
    pub to: u32,
    /// The read from w that w' precedes.
    pub read: u32,
    /// Of this o, pairs with smaller numbers than this are enough to derive it.
    pub round: u32,
}

/// Why a relation could not be closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotClosed {
    /// It has a cycle.
    Cyclic,
    /// A bound was met.
    Exceeded,
}

/// Closes a relation transitively: row b of the result has everything before b. The rows given are
/// part of it already. Returns a topological order. Cost: O(n·edges/64).
///
/// # Errors
/// The edges have a cycle, or a bound was met.
pub fn close(
    pasts: &mut Relation,
    edges: &[(u32, u32)],
    bounds: &Bounds,
) -> Result<Vec<u32>, NotClosed> {
    let nodes = pasts.size();
    let after = Csr::new(nodes, edges.iter().copied());
    let order = topological(&after).map_err(|_| NotClosed::Cyclic)?;
    let before = Csr::new(nodes, edges.iter().map(|&(from, to)| (to, from)));
    for (done, &node) in order.iter().enumerate() {
        if done.is_multiple_of(OFTEN) && bounds.passed() {
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
/// There is no memory for it.
pub fn empty(exec: &Execution<'_>, bounds: &Bounds) -> Result<Relation, NotClosed> {
    if bounds.allows(Relation::bytes(exec.len())) {
        Ok(Relation::new(exec.len()))
    } else {
        Err(NotClosed::Exceeded)
    }
}

/// Causality on an order, and what the second rule adds to it.
#[derive(Debug)]
pub struct Causality<'e> {
    exec: &'e Execution<'e>,
    /// π: `po` or `ppo`.
    order: Order,
    /// Edges whose transitive closure is `co`.
    pub edges: Vec<(u32, u32)>,
    /// `co`, row b having everything before b.
    pub pasts: Relation,
    /// Per operation how many before it, in all, are neither plain loads nor plain stores.
    barriers: Vec<u32>,
}

impl<'e> Causality<'e> {
    /// Closes `π ∪ wr`, or `π ∪ wr_e` if π is not `po`. Cost: O(n²/64).
    ///
    /// # Errors
    /// If causality is cyclic, or a bound is met.
    pub fn new(
        exec: &'e Execution<'e>,
        order: Order,
        bounds: &Bounds,
    ) -> Result<Causality<'e>, NotClosed> {
        let mut edges = steps(exec, order);
        let reads = reads_from(exec, order != Order::Full);
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
    fn counts(&self, read: u32, of: u32) -> bool {
        let barrier =
            self.exec.po(read, of) && self.barriers[read as usize + 1] < self.barriers[of as usize];
        read == of || related(self.exec, self.order, read, of) || barrier
    }

    /// The operations o that are to be looked at.
    pub fn roots(&self) -> Vec<u32> {
        let mut roots = Vec::new();
        for thread in self.exec.history.threads() {
            let ops = thread.first().0..thread.end().0;
            let mut readers = ops.rev().filter(|&op| self.exec.source[op as usize] != NONE);
            let Some(last) = readers.next() else {
                continue;
            };
            roots.push(last);
            if self.order == Order::Preserved && self.exec.kind(last).may_be_forwarded() {
                let store = readers.find(|&op| self.exec.kind(op).may_be_buffered());
                roots.extend(store.filter(|&store| !self.counts(store, last)));
            }
        }
        roots
    }

    /// Adds the derived pairs of `hb_o` that do not follow from others.
    ///
    /// # Errors
    /// If `hb_o` is cyclic, with the pairs up to the round that showed it added; or if a bound is met.
    pub fn derive(
        &self,
        of: u32,
        derived: &mut Vec<Derived>,
        bounds: &Bounds,
    ) -> Result<(), NotClosed> {
        if !bounds.allows(Relation::bytes(self.exec.len())) {
            return Err(NotClosed::Exceeded);
        }
        let thread = self.exec.history.threads()[self.exec.thread[of as usize] as usize];
        let reads = thread.first().0..=of;
        let reads = reads.filter(|&op| self.exec.source[op as usize] != NONE);
        let reads: Vec<u32> = reads.filter(|&op| self.counts(op, of)).collect();
        let mut pasts = self.pasts.clone();
        let mut edges = self.edges.clone();
        loop {
            let round = derived.len() as u32;
            for (done, &read) in reads.iter().enumerate() {
                if done.is_multiple_of(OFTEN) && bounds.passed() {
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

/// The writes that a relation has before a read and not before the read's source, which is another
/// write of their location; but not those that others of them have before them.
pub fn overtaken<'a>(
    exec: &'a Execution<'_>,
    pasts: &'a Relation,
    read: u32,
) -> impl Iterator<Item = u32> + 'a {
    let source = exec.source[read as usize];
    let writes = exec.writes.of(exec.location[read as usize]);
    let mut last: Option<u32> = None;
    // Backwards, so that of each thread only the last is left.
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
