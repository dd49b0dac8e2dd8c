//! Weak sequential consistency (Zennou et al., "Boosting Sequential Consistency Checking using
//! Saturation", section 3), its counterpart for TSO, and the extensions of section 4.
//!
//! **wSC.** The store order `st` and happens-before `hb` are the least relations with
//!
//! ```text
//! st = ((hb_WR ∘ wr⁻¹) ∪ hb_WW)⁺      hb = (po ∪ wr ∪ st ∪ rw[st])⁺      rw[st] = wr⁻¹ ∘ st
//! ```
//!
//! where `hb_WR` and `hb_WW` are the pairs of `hb` that are of one location, all derived pairs are
//! between different operations, and every location has an initial write before everything. A
//! history is wSC if `hb` is acyclic. Since `st` is part of `hb` and `hb_WW` of `st`, the fixpoint has
//! `st = hb_WW`: it suffices to keep `hb`.
//!
//! **wTSO.** The rules R1-R7 of Manovit & Hangal (HPCA 2006, section 4.1) as a least fixpoint. `hb`
//! is the least transitive relation that has, for a read L of S and another write S' of the location:
//!
//! * `ppo`, the initial writes before all operations (R1-R3), and `wr_e` (R4);
//! * S' before S, if S' is earlier than L in L's thread (R5);
//! * S' before S, if S' is before L (R6), and L before S', if S is before S' (R7).
//!
//! R6 is `hb_WR ∘ wr⁻¹` and R7 is `rw[st]`; under SC, where `ppo` is `po` and all of `wr` counts, R5
//! is a case of R6, and what is left is wSC. R6 and R7 hold for reads from the own thread as well.
//! The history is wTSO if `hb` is acyclic; `st` is `hb_WW` again.
//!
//! **TSO implies wTSO.** Let ≤ be the memory order of a run that satisfies the axioms of HPCA 2006,
//! section 3, in their strict form: total on all operations. Then `hb` is part of it, by induction
//! on how a pair was derived; ≤ is acyclic, so `hb` is too. `ppo` is what the axioms LoadOp,
//! StoreStore, Membar and Atomicity demand. By the axiom Value, L reads the ≤-last of the writes that
//! precede it in memory order or in its thread, so no other of these is ≤-after S. R4: S is among
//! them, and not by program order, so S ≤ L. R5 and R6: S' is among them, so S' ≤ S. R7: with
//! S ≤ S', S' is not among them, so not S' ≤ L, and ≤ is total. Transitivity is that of ≤.
//!
//! **wTSO implies wCCM** (CAV 2019, section 4.1). First, `wpww` is part of `st`. The relations
//! `hb^ppo_o` start with `ppo` and `wr_e`, and their second rule is R6, so they are part of `hb`.
//! The relations `hb^po-loc_o` have pairs that `hb` lacks: from a write w to a later plain load L of
//! its own thread and location. Nothing but program order leads on from L, so a path from w through
//! L to another write leads, inside w's thread, to an operation that is no plain load, and there
//! `ppo` leads directly. And where the second rule, or `cf_e`, uses a path that ends in such a
//! pair, it orders that path's start before the source of L, as R5 does. So all pairs of writes
//! in `wpww` are in `st`. Second, both unions that wCCM wants acyclic are. `ppo ∪ wr_e ∪ wpww ∪
//! rw[wpww]` is part of `hb` (R7). In a cycle of the other, each pair (w, L) as above is followed by
//! further accesses of the thread and location, where `ppo` leads directly from w unless all are
//! plain loads, and then by a pair (L', w') of `rw`. Then w is the source of L' or, by R5, before
//! it, so w is before w' in `st`; replacing all of these gives a cycle of `hb`.
//!
//! **Implementations.** [`ForcedOrder`] keeps `hb` as bit relations, for small histories, and takes further
//! orders of writes. It is the fixpoint as published, each rule applied once to each pair: `wsc-published`, `wsc-enum` and
//! `wsc-dbcop-published` use it. [`clocks`] computes the same on this program's vector clocks, for large histories; the
//! algorithms `wsc`, `wtso` and `wsc-dbcop` use it. [`pattern`] and [`guess`] are the extensions.

pub mod clocks;
pub mod guess;
pub mod pattern;

use std::rc::Rc;

use history::OpId;
use host::{Bounds, Exceeded};

use check::engine::csr::Csr;
use check::engine::digraph::topological;
use memory::Model;

use crate::execution::{Execution, NONE};
use crate::program_order::program_order;
use check::engine::relation::{Relation, bits};
use check::published::{Answer, Problem, Report, may_start};

/// Nodes between two checks of the bounds.
const CHECK_INTERVAL: usize = 64;

/// The forced order of a history under SC or TSO: `hb` of wSC or wTSO. It is kept at its fixpoint while
/// orders of writes are added. To go back to an earlier state, keep a clone.
///
/// **Cost.** Memory n²/4 bytes, and n·locations/8 that clones share. A new pair (a, b) costs n/64 for
/// each node that did not precede b, and for each that did not follow a: O(n²/64) at worst.
/// Rules are applied once to each pair of accesses of one location; the new pairs are found by and-ing
/// the new part of a write's row with the accesses of its location. At most n² pairs are new, so all
/// takes O(n⁴/64); random SC histories of 1,000 operations take some milliseconds.
///
/// **Invariants.** `before` is the inverse of `after`, and both are transitively closed and acyclic: a
/// pair that would close a cycle is not added but sets [`ForcedOrder::is_cyclic`]. Unless that is set or a
/// bound was met, no rule adds anything.
#[derive(Clone, Debug)]
pub struct ForcedOrder<'e> {
    execution: &'e Execution<'e>,
    bounds: &'e Bounds,
    accesses: Rc<Relation>,
    after: Relation,
    before: Relation,
    /// Pairs of a write and another access of its location that R6 and R7 have yet to be applied to.
    pending: Vec<(u32, u32)>,
    is_cyclic: bool,
}

/// The accesses of each location, as a row of bits for each.
fn accesses(execution: &Execution<'_>) -> Relation {
    let mut accesses = Relation::between(execution.locations() as usize, execution.len());
    for (node, &location) in (0..).zip(&execution.location) {
        if location != NONE {
            accesses.insert(location, node);
        }
    }
    accesses
}

/// Runs `wsc-published`.
pub(crate) fn published(problem: &Problem<'_>) -> Report {
    let execution = &Execution::new(problem.history, problem.reads_from);
    match ForcedOrder::new(execution, problem.model, problem.finals, problem.bounds) {
        Err(_) => Answer::Exceeded.into(),
        Ok(forced) if forced.is_cyclic() => Answer::Refuted.into(),
        Ok(forced) => {
            let mut report = Report::from(Answer::Satisfied);
            report.statistics.ordered = Some(forced.ordered());
            report
        }
    }
}

impl<'e> ForcedOrder<'e> {
    /// The forced order of SC or TSO. `finals` are the writes of final values: each comes after all
    /// others of its location.
    ///
    /// # Errors
    /// Returns the bound that was met.
    pub fn new(
        execution: &'e Execution<'e>,
        model: Model,
        finals: &[OpId],
        bounds: &'e Bounds,
    ) -> Result<ForcedOrder<'e>, Exceeded> {
        let nodes = execution.len();
        let masks = nodes.div_ceil(8) * execution.locations() as usize;
        if !may_start(bounds, 2 * Relation::bytes(nodes) + masks) {
            return Err(met(bounds));
        }
        let mut forced = ForcedOrder {
            execution,
            bounds,
            accesses: Rc::new(accesses(execution)),
            after: Relation::new(nodes),
            before: Relation::new(nodes),
            pending: Vec::new(),
            is_cyclic: false,
        };
        let edges = program_order(execution, model, bounds);
        let mut edges = edges.ok_or_else(|| met(bounds))?;
        edges.extend(execution.wr(model));
        forced.close(&edges)?;
        for (first, second) in own_earlier(execution) {
            forced.add(first, second);
        }
        for (first, second) in before_finals(execution, finals) {
            forced.add(first, second);
        }
        forced.apply_to_all()?;
        forced.saturate()?;
        Ok(forced)
    }

    /// Orders a write before another write of its location, and saturates again.
    ///
    /// # Errors
    /// Returns the bound that was met.
    pub fn assume(&mut self, first: u32, second: u32) -> Result<(), Exceeded> {
        self.add(first, second);
        self.saturate()
    }

    /// Whether some operation precedes itself, so that there is no run. The relations are then
    /// incomplete.
    pub fn is_cyclic(&self) -> bool {
        self.is_cyclic
    }

    /// Happens-before, transitively closed, over the nodes of the execution.
    pub fn hb(&self) -> &Relation {
        &self.after
    }

    /// The inverse of happens-before.
    pub fn hb_inverse(&self) -> &Relation {
        &self.before
    }

    /// Whether two writes of one location are ordered.
    pub fn orders(&self, first: u32, second: u32) -> bool {
        self.after.contains(first, second) || self.after.contains(second, first)
    }

    /// The store order `st`: the ordered pairs of writes of one location, initial writes included. Cost: for each
    /// write, the writes of its location.
    pub fn st(&self) -> impl Iterator<Item = (u32, u32)> {
        let locations = 0..self.execution.locations();
        locations.flat_map(move |location| {
            let writes = self.execution.writes.of(location);
            let all = writes.iter().flat_map(move |&a| writes.iter().map(move |&b| (a, b)));
            all.filter(|&(a, b)| self.after.contains(a, b))
        })
    }

    /// The number of pairs of writes of one location that the store order orders, without initial writes.
    pub fn ordered(&self) -> u64 {
        self.execution.ordered_writes(&self.after)
    }

    /// The pairs of writes of one location that the store order leaves unordered.
    pub fn unordered(&self) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for location in 0..self.execution.locations() {
            let writes = self.execution.writes.of(location);
            for (at, &first) in writes.iter().enumerate() {
                let others = writes[at + 1..].iter();
                let open = others.filter(|&&second| !self.orders(first, second));
                pairs.extend(open.map(|&second| (first, second)));
            }
        }
        pairs
    }

    /// Sets the relations to the transitive closure of the edges. A cycle leaves them empty.
    fn close(&mut self, edges: &[(u32, u32)]) -> Result<(), Exceeded> {
        let successors = Csr::within(self.execution.len(), edges.iter().copied(), self.bounds);
        let successors = successors.ok_or_else(|| met(self.bounds))?;
        let Ok(order) = topological(&successors) else {
            self.is_cyclic = true;
            return Ok(());
        };
        for (done, &node) in order.iter().rev().enumerate() {
            self.check_bounds(done)?;
            for &next in successors.of(node) {
                self.after.absorb(node, next);
                self.after.insert(node, next);
            }
        }
        for (done, &node) in order.iter().enumerate() {
            self.check_bounds(done)?;
            for &next in successors.of(node) {
                self.before.absorb(next, node);
                self.before.insert(next, node);
            }
        }
        Ok(())
    }

    /// Checks the bounds once every [`CHECK_INTERVAL`] nodes.
    fn check_bounds(&self, done: usize) -> Result<(), Exceeded> {
        if done.is_multiple_of(CHECK_INTERVAL) && self.bounds.passed() {
            Err(met(self.bounds))
        } else {
            Ok(())
        }
    }

    /// Adds a pair and closes the relations again, without applying the rules.
    fn add(&mut self, first: u32, second: u32) {
        if self.is_cyclic || self.after.contains(first, second) {
            return;
        }
        if first == second || self.after.contains(second, first) {
            self.is_cyclic = true;
            return;
        }
        let head = with(self.before.row(first), first);
        let tail = with(self.after.row(second), second);
        let heads = without(&head, self.before.row(second));
        let tails = without(&tail, self.after.row(first));
        for node in bits(&heads) {
            self.queue_new_pairs(node, &tail);
            self.after.absorb_row(node, &tail);
        }
        for node in bits(&tails) {
            self.before.absorb_row(node, &head);
        }
    }

    /// Queues the accesses of a write's location that are in `row` and not yet in the write's own row.
    fn queue_new_pairs(&mut self, write: u32, row: &[u64]) {
        if !self.execution.is_write(write) {
            return;
        }
        let accesses = self.accesses.row(self.execution.location[write as usize]).iter();
        let known = self.after.row(write).iter();
        let words = row.iter().zip(known).zip(accesses).enumerate();
        for (at, ((row, known), accesses)) in words {
            let news = [row & !known & accesses];
            let nodes = bits(&news).map(|bit| at as u32 * 64 + bit);
            self.pending.extend(nodes.map(|node| (write, node)));
        }
    }

    /// Applies the rules to every pair of the relations.
    fn apply_to_all(&mut self) -> Result<(), Exceeded> {
        for location in 0..self.execution.locations() {
            for &write in self.execution.writes.of(location) {
                let known = self.after.row(write).iter();
                let accesses = self.accesses.row(location).iter();
                let row: Vec<u64> = known.zip(accesses).map(|(a, b)| a & b).collect();
                for access in bits(&row) {
                    self.apply(write, access)?;
                }
                self.saturate()?;
            }
        }
        Ok(())
    }

    fn saturate(&mut self) -> Result<(), Exceeded> {
        while let Some((write, access)) = self.pending.pop() {
            if self.is_cyclic {
                self.pending.clear();
                break;
            }
            self.apply(write, access)?;
        }
        Ok(())
    }

    /// Applies R6 and R7 to a write and an access of its location that the write precedes.
    fn apply(&mut self, write: u32, access: u32) -> Result<(), Exceeded> {
        let execution = self.execution;
        let source = execution.source[access as usize];
        if source != NONE && source != write {
            self.derive(write, source)?;
        }
        if execution.is_write(access) {
            for &reader in execution.readers.of(write) {
                if reader != access {
                    self.derive(reader, access)?;
                }
            }
        }
        Ok(())
    }

    /// Adds a pair. Checks the bounds if it is new, since adding it may take long.
    fn derive(&mut self, first: u32, second: u32) -> Result<(), Exceeded> {
        if self.after.contains(first, second) {
            return Ok(());
        }
        if self.bounds.passed() {
            return Err(met(self.bounds));
        }
        self.add(first, second);
        Ok(())
    }
}

/// The bound that was met.
fn met(bounds: &Bounds) -> Exceeded {
    bounds.exceeded().unwrap_or(Exceeded::Time)
}

/// The pairs of R5: for each read, the last write before it of its thread and location, and the read's
/// source if that is another write.
fn own_earlier(execution: &Execution<'_>) -> Vec<(u32, u32)> {
    let mut last = vec![NONE; execution.locations() as usize];
    let mut pairs = Vec::new();
    for node in 0..execution.operations {
        let location = execution.location[node as usize];
        if location == NONE {
            continue;
        }
        let own = &mut last[location as usize];
        let source = execution.source[node as usize];
        if *own != NONE && execution.po(*own, node) && source != NONE && source != *own {
            pairs.push((*own, source));
        }
        if execution.is_write(node) {
            *own = node;
        }
    }
    pairs
}

/// The pairs of each write and the write of its location's final value.
fn before_finals(execution: &Execution<'_>, finals: &[OpId]) -> Vec<(u32, u32)> {
    let pairs = finals.iter().flat_map(|last| {
        let writes = execution.writes.of(execution.location[last.at()]);
        writes.iter().map(|&write| (write, last.0))
    });
    pairs.filter(|(write, last)| write != last).collect()
}

/// A row with one more element.
fn with(row: &[u64], element: u32) -> Vec<u64> {
    let mut row = row.to_vec();
    row[element as usize / 64] |= 1 << (element % 64);
    row
}

/// The elements of one row that are not in another.
fn without(row: &[u64], other: &[u64]) -> Vec<u64> {
    row.iter().zip(other).map(|(row, other)| row & !other).collect()
}
