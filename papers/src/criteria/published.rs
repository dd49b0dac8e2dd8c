//! CCM and wCCM by their definitions (CAV 2019, sections 3.2 and 4.1): `hb_o` for every operation o, each as a least fixpoint.
//!
//! The paper encodes the definitions as a Datalog program. Here its rules are evaluated semi-naively, as Datalog is: a
//! pair is looked at once, when it is derived. For one o, with π = `po` and all of `wr`, or π = `ppo` or `po-loc` and `wr_e`,
//!
//! ```text
//! hb(a, b)  :- co(a, b), co(a, o), co*(b, o).
//! hb(a, c)  :- hb(a, b), hb(b, c).
//! hb(w', w) :- hb(w', r), reads(r, w), writes(w', x), writes(w, x), w' ≠ w, π*(r, o).
//! ```
//!
//! The relations are rows of bits, so that the second rule takes 64 pairs at a time. That is all that sets this apart from a
//! Datalog engine, and what it gains is the engine's, not the algorithm's: no o is left out, nothing that one o derives is
//! kept for another, and a fixpoint begins with all of `co` below o. `convergent` and `weak` derive the same store orders
//! from the last read of each thread alone (see `local`), which is what this program does to be fast.
//!
//! **Datalog engines in Rust.** `ascent` and `crepe` keep a relation as hash tables of tuples. `hb` has a pair for each two
//! operations below each o, which are n³/6 tuples in a history whose operations are mostly ordered, 21 million at 500
//! operations, and the second rule joins each of them with others. Neither engine has a limit of memory, and a limit of time
//! takes effect between two iterations of a stratum at best, so neither can be held within `Bounds`.
//!
//! **Cost.** For each o: O(k·n/64) to begin with for the k operations below it, and O(k·n/64) for each derived pair that
//! does not follow from others. Memory: n²/8 bytes for each of causality, its inverse, one `hb_o`, its inverse, and their union.

use super::labelled_graph::{Edge, reads_from, steps};
use super::local::{Causality, empty};
use crate::execution::{Execution, NONE};
use certify::criterion::BaseOrder;
use check::engine::csr::Csr;
use check::engine::digraph::topological;
use check::engine::relation::{Relation, bits};
use check::published::{Answer, Problem, Report};
use host::Bounds;

pub use super::local::NotClosed;

/// Derived pairs, or rows of bits, between two checks of the bounds.
const CHECK_INTERVAL: usize = 64;

/// Runs the algorithm `ccm-published`.
pub fn ccm(problem: &Problem<'_>) -> Report {
    decide(problem, convergent_memory)
}

/// Runs the algorithm `wccm-published`.
pub fn wccm(problem: &Problem<'_>) -> Report {
    decide(problem, weak_memory)
}

fn decide(
    problem: &Problem<'_>,
    derive: fn(&Execution<'_>, &Bounds) -> Result<Relation, NotClosed>,
) -> Report {
    let execution = Execution::new(problem.history, problem.reads_from);
    match derive(&execution, problem.bounds) {
        Ok(order) => {
            let mut report = Report::from(Answer::Satisfied);
            report.statistics.ordered = Some(execution.ordered_writes(&order));
            report
        }
        Err(NotClosed::Cyclic) => Answer::Refuted.into(),
        Err(NotClosed::Exceeded) => Answer::Exceeded.into(),
    }
}

/// Decides CCM, and returns `pww = (hb_WW ∪ cf[hb])⁺`.
///
/// # Errors
/// Returns [`NotClosed::Cyclic`] if CCM does not hold, and [`NotClosed::Exceeded`] if a bound was met.
pub fn convergent_memory(exec: &Execution<'_>, bounds: &Bounds) -> Result<Relation, NotClosed> {
    let hb = happens_before(exec, BaseOrder::Full, bounds)?;
    let mut order = empty(exec, bounds)?;
    add_writes(exec, &hb, &mut order);
    add_conflicts(exec, &hb, &mut order, |_| true);
    close(&mut order, bounds)?;
    is_consistent(exec, BaseOrder::Full, &order, bounds)?;
    Ok(order)
}

/// Decides wCCM, and returns `wpww = (whb_WW ∪ cf_e[hb^ppo] ∪ cf_e[hb^po-loc])⁺`, where `whb = (hb^ppo ∪ hb^po-loc)⁺`.
///
/// # Errors
/// Returns [`NotClosed::Cyclic`] if wCCM does not hold, and [`NotClosed::Exceeded`] if a bound was met.
pub fn weak_memory(exec: &Execution<'_>, bounds: &Bounds) -> Result<Relation, NotClosed> {
    let orders = [BaseOrder::Preserved, BaseOrder::SameLocation];
    let mut whb = empty(exec, bounds)?;
    let mut order = empty(exec, bounds)?;
    for base in orders {
        let hb = happens_before(exec, base, bounds)?;
        add_conflicts(exec, &hb, &mut order, |read| exec.is_external(read));
        whb.unite(&hb);
    }
    close(&mut whb, bounds)?;
    add_writes(exec, &whb, &mut order);
    close(&mut order, bounds)?;
    for base in orders {
        is_consistent(exec, base, &order, bounds)?;
    }
    Ok(order)
}

/// Derives `hb = (⋃ hb_o)⁺` over a base order.
fn happens_before(
    exec: &Execution<'_>,
    order: BaseOrder,
    bounds: &Bounds,
) -> Result<Relation, NotClosed> {
    let causality = Causality::new(exec, order, bounds)?;
    if !bounds.allows(3 * Relation::bytes(exec.len())) {
        return Err(NotClosed::Exceeded);
    }
    let after = causality.pasts.converse();
    let mut all = Relation::new(exec.len());
    for of in 0..exec.operations {
        if bounds.passed() {
            return Err(NotClosed::Exceeded);
        }
        let local = Local::derive(&causality, &after, of, bounds)?;
        all.unite(&local.after);
    }
    close(&mut all, bounds)?;
    Ok(all)
}

/// The relation `hb_o` of one operation o. It is kept closed while pairs are added.
struct Local<'e> {
    exec: &'e Execution<'e>,
    after: Relation,
    before: Relation,
    /// The reads r with π*(r, o), by location.
    reads: Vec<(u32, Vec<u64>)>,
    /// Pairs of a write and such a read of its location that the last rule has yet to be applied to.
    new: Vec<(u32, u32)>,
}

impl<'e> Local<'e> {
    /// Evaluates the rules for the operation `of`. `after` is causality, of which `causality` has the inverse.
    fn derive(
        causality: &Causality<'e>,
        after: &Relation,
        of: u32,
        bounds: &Bounds,
    ) -> Result<Local<'e>, NotClosed> {
        let exec = causality.exec;
        let mut below = causality.pasts.row(of).to_vec();
        below[of as usize / 64] |= 1 << (of % 64);
        let mut local = Local {
            exec,
            after: Relation::new(exec.len()),
            before: Relation::new(exec.len()),
            reads: Vec::new(),
            new: Vec::new(),
        };
        for node in bits(&below) {
            local.after.absorb_row(node, &common(after.row(node), &below));
            local.before.absorb_row(node, causality.pasts.row(node));
        }
        local.index_reads(causality, &below, of);
        local.queue_all();
        local.saturate(bounds)?;
        Ok(local)
    }

    /// Finds the reads r with π*(r, o).
    fn index_reads(&mut self, causality: &Causality<'_>, below: &[u64], of: u32) {
        let width = below.len();
        for read in bits(below) {
            let is_read = self.exec.source[read as usize] != NONE;
            if !is_read || !causality.is_before_or_equal(read, of) {
                continue;
            }
            let location = self.exec.location[read as usize];
            let at = self.reads.iter().position(|(of, _)| *of == location);
            let at = at.unwrap_or_else(|| {
                self.reads.push((location, vec![0; width]));
                self.reads.len() - 1
            });
            self.reads[at].1[read as usize / 64] |= 1 << (read % 64);
        }
    }

    /// Queues every pair of a write and a read for the last rule.
    fn queue_all(&mut self) {
        for (location, reads) in &self.reads {
            for &write in self.exec.writes.of(*location) {
                let reads = common(self.after.row(write), reads);
                self.new.extend(bits(&reads).map(|read| (write, read)));
            }
        }
    }

    /// Applies the rules to the new pairs until none is left.
    fn saturate(&mut self, bounds: &Bounds) -> Result<(), NotClosed> {
        let mut done = 0_usize;
        while let Some((write, read)) = self.new.pop() {
            let source = self.exec.source[read as usize];
            if done.is_multiple_of(CHECK_INTERVAL) && bounds.passed() {
                return Err(NotClosed::Exceeded);
            }
            done += 1;
            if source != write && !self.after.contains(write, source) {
                self.add(write, source)?;
            }
        }
        Ok(())
    }

    /// Adds a pair and all that follows by transitivity, and queues what the last rule has to look at.
    fn add(&mut self, first: u32, second: u32) -> Result<(), NotClosed> {
        if first == second || self.after.contains(second, first) {
            return Err(NotClosed::Cyclic);
        }
        let with = |row: &[u64], node: u32| {
            let mut row = row.to_vec();
            row[node as usize / 64] |= 1 << (node % 64);
            row
        };
        let heads = with(self.before.row(first), first);
        let tails = with(self.after.row(second), second);
        for node in bits(&heads) {
            self.queue_new(node, &tails);
            self.after.absorb_row(node, &tails);
        }
        for node in bits(&tails) {
            self.before.absorb_row(node, &heads);
        }
        Ok(())
    }

    /// Queues the reads of a write's location that are in `tails` and not yet after the write.
    fn queue_new(&mut self, write: u32, tails: &[u64]) {
        if !self.exec.is_write(write) {
            return;
        }
        let location = self.exec.location[write as usize];
        let Some((_, reads)) = self.reads.iter().find(|(of, _)| *of == location) else {
            return;
        };
        let known = self.after.row(write).iter();
        let new: Vec<u64> = known.zip(tails).zip(reads).map(|((a, b), c)| !a & b & c).collect();
        self.new.extend(bits(&new).map(|read| (write, read)));
    }
}

/// The elements that two rows have in common.
fn common(one: &[u64], other: &[u64]) -> Vec<u64> {
    one.iter().zip(other).map(|(one, other)| one & other).collect()
}

/// Closes a relation transitively.
fn close(relation: &mut Relation, bounds: &Bounds) -> Result<(), NotClosed> {
    let nodes = relation.size() as u32;
    for middle in 0..nodes {
        if (middle as usize).is_multiple_of(CHECK_INTERVAL) && bounds.passed() {
            return Err(NotClosed::Exceeded);
        }
        for from in (0..nodes).filter(|&from| from != middle) {
            if relation.contains(from, middle) {
                relation.absorb(from, middle);
            }
        }
    }
    match relation.reflexive() {
        Some(_) => Err(NotClosed::Cyclic),
        None => Ok(()),
    }
}

/// Adds `R_WW`, the pairs of a relation that are writes of one location.
fn add_writes(exec: &Execution<'_>, relation: &Relation, into: &mut Relation) {
    for location in 0..exec.locations() {
        let writes = exec.writes.of(location);
        for &first in writes {
            for &second in writes.iter().filter(|&&second| relation.contains(first, second)) {
                into.insert(first, second);
            }
        }
    }
}

/// Adds `cf[R]`: a write before a read of another write precedes that write. `counts` says which reads count.
fn add_conflicts(
    exec: &Execution<'_>,
    relation: &Relation,
    into: &mut Relation,
    counts: impl Fn(u32) -> bool,
) {
    for read in 0..exec.operations {
        let source = exec.source[read as usize];
        if source == NONE || !counts(read) {
            continue;
        }
        for &write in exec.writes.of(exec.location[read as usize]) {
            if write != source && write != read && relation.contains(write, read) {
                into.insert(write, source);
            }
        }
    }
}

/// Whether `π ∪ wr ∪ ww ∪ rw[ww]` is acyclic, with `wr_e` for `wr` unless π is `po`.
fn is_consistent(
    exec: &Execution<'_>,
    order: BaseOrder,
    ww: &Relation,
    bounds: &Bounds,
) -> Result<(), NotClosed> {
    let mut edges = steps(exec, order);
    edges.extend(reads_from(exec, order != BaseOrder::Full).iter().map(Edge::ends));
    for write in (0..exec.len() as u32).filter(|&node| exec.is_write(node)) {
        let readers = exec.readers.of(write);
        if !bounds.allows_items(&edges, exec.len() * (readers.len() + 1)) {
            return Err(NotClosed::Exceeded);
        }
        for later in ww.successors(write) {
            edges.push((write, later));
            let others = readers.iter().filter(|&&reader| reader != later);
            edges.extend(others.map(|&reader| (reader, later)));
        }
    }
    let graph = Csr::within(exec.len(), edges.into_iter(), bounds).ok_or(NotClosed::Exceeded)?;
    topological(&graph).map(|_| ()).map_err(|_| NotClosed::Cyclic)
}
