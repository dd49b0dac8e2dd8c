//! The axioms of SC and TSO (CAV 2019, section 2) as one propositional formula, which section 5 of CAV 2019 and
//! section 5 of Boosting use.
//!
//! A relation is acyclic iff a total order contains it. So there is a variable for the order of every
//! two operations that an acyclicity condition relates. The formula says that the order is transitive (the
//! two cycles of any three operations are excluded) and contains the condition's relation:
//!
//! | model | conditions |
//! |---|---|
//! | SC | `po ∪ wr ∪ ww ∪ rw`, over all operations |
//! | TSO | `ppo ∪ wr_e ∪ ww ∪ rw`, over all operations; `po-loc ∪ wr_e ∪ ww ∪ rw`, by location |
//!
//! `ww` is the order of the writes of a location, the same in both conditions; `rw` is a clause for
//! each read and each other write of its location. Initial writes come first and need no variables.
//!
//! **Direct** (`sc-sat`, `tso-sat`): nothing is simplified, and program order gives unit clauses. The n³/3
//! clauses for transitivity are the baseline of the papers' comparisons.
//!
//! **With a known order** (`sc-ccm-sat`, `wsc-enum`, …): a partial store order that every witness contains,
//! and everything that follows from it, is not encoded. Ordered pairs need no variables, and cycles that
//! they exclude need no clauses.
//!
//! **Cost.** Memory: n²·4 bytes, and about 80 bytes a clause in the solver. An estimate is checked against
//! the bounds in advance.

use history::OpId;

use check::sat::solver::Solver;
use check::verdict::{Reason, Statistics};

use crate::execution::{Execution, NONE};
use crate::program_order::{program_order, program_order_by_location};
use check::engine::relation::{Relation, bits};
use check::published::{Answer, Problem, Report, may_start};

/// Memory that a clause of three literals takes in the solver, in bytes.
const BYTES_PER_CLAUSE: usize = 80;

/// Clauses between two checks of the bounds: about a millisecond, and a megabyte.
const CLAUSES_PER_CHECK: u32 = 10_000;

/// The parts of the conditions' orders that are known in advance: transitively closed relations over the
/// nodes of the execution.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownOrder<'k> {
    /// For the first condition, over all operations.
    pub global: &'k Relation,
    /// For the second condition, by location; only for TSO.
    pub by_location: Option<&'k Relation>,
}

/// Decides a history by one formula. With `known`, only the pairs that it leaves open are encoded.
pub(super) fn solve(
    problem: &Problem<'_>,
    execution: &Execution<'_>,
    known: Option<KnownOrder<'_>>,
) -> Report {
    let mut solver = Solver::new(problem.bounds);
    let mut formula =
        Formula { problem, execution, solver: &mut solver, contradicts: false, unchecked: 0 };
    let Some(order) = formula.encode(known) else {
        return Answer::Exceeded.into();
    };
    let is_solved =
        if formula.contradicts { Some(false) } else { formula.solver.solve(&[], problem.budget) };
    let answer = match is_solved {
        Some(true) => Answer::Order(order.sorted(&solver)),
        Some(false) => Answer::Refuted,
        None if problem.bounds.passed() => Answer::Exceeded,
        None => Answer::GaveUp(Reason::Budget(problem.budget)),
    };
    let sat = solver.statistics();
    Report {
        answer,
        statistics: Statistics { backtracks: sat.learned, sat: Some(sat), ..Statistics::default() },
    }
}

/// A total order of some operations, as a literal for each pair of them.
struct TotalOrder {
    /// The operations, in ascending order. Below, a *position* is an index into them.
    operations: Vec<u32>,
    /// Per pair of positions, the literal that says that the first operation comes before the second:
    /// [`TRUE`], [`FALSE`], or a literal of the solver.
    literals: Vec<i32>,
}

/// The literal of a pair that is known to be in this order.
const TRUE: i32 = i32::MAX;
/// The literal of a pair that is known to be in the opposite order.
const FALSE: i32 = -TRUE;

impl TotalOrder {
    /// Creates an order whose literals have yet to be set, those of an operation and itself too. As zeroes they take neither time nor memory
    /// before they are.
    fn new(operations: Vec<u32>) -> TotalOrder {
        TotalOrder { literals: vec![0; operations.len() * operations.len()], operations }
    }

    fn before(&self, first: usize, second: usize) -> i32 {
        self.literals[first * self.operations.len() + second]
    }

    fn set(&mut self, first: usize, second: usize, literal: i32) {
        let size = self.operations.len();
        self.literals[first * size + second] = literal;
        self.literals[second * size + first] = -literal;
    }

    /// The position of an operation.
    fn place(&self, operation: u32) -> Option<usize> {
        self.operations.binary_search(&operation).ok()
    }

    /// The operations as the solver's model orders them.
    fn sorted(&self, solver: &Solver<'_>) -> Vec<OpId> {
        let size = self.operations.len();
        let holds = |literal: i32| match literal {
            TRUE => true,
            FALSE => false,
            literal => solver.holds(literal),
        };
        let mut placed: Vec<(usize, u32)> = (0..size)
            .map(|at| {
                let later = (0..size).filter(|&other| other != at && holds(self.before(at, other)));
                (size - later.count(), self.operations[at])
            })
            .collect();
        placed.sort_unstable();
        placed.into_iter().map(|(_, operation)| OpId(operation)).collect()
    }
}

struct Formula<'f, 'b> {
    problem: &'f Problem<'b>,
    execution: &'f Execution<'f>,
    solver: &'f mut Solver<'b>,
    /// Whether an empty clause was added.
    contradicts: bool,
    /// Clauses since the bounds were checked last.
    unchecked: u32,
}

impl Formula<'_, '_> {
    /// Encodes all conditions. Returns the order of the first condition, that of all operations; `None` if a bound
    /// was met.
    fn encode(&mut self, known: Option<KnownOrder<'_>>) -> Option<TotalOrder> {
        let model = self.problem.model;
        let all: Vec<u32> = (0..self.execution.operations).collect();
        let order = self.order(all, known.map(|known| known.global), None)?;
        self.contain(&order, &program_order(self.execution, model, self.problem.bounds)?);
        if !model.buffers() {
            return Some(order);
        }
        let known = known.and_then(|known| known.by_location);
        let neighbours = program_order_by_location(self.execution);
        for location in 0..self.execution.locations() {
            let is_here = |node: u32| self.execution.location[node as usize] == location;
            let here = (0..self.execution.operations).filter(|&node| is_here(node));
            let here = here.collect();
            let edges = neighbours.iter().copied().filter(|&(_, node)| is_here(node));
            let edges: Vec<(u32, u32)> = edges.collect();
            let local = self.order(here, known, Some(&order))?;
            self.contain(&local, &edges);
        }
        Some(order)
    }

    /// Encodes a transitive total order. Writes of one location are ordered as in `shared`. `None` if a
    /// bound was met.
    fn order(
        &mut self,
        operations: Vec<u32>,
        known: Option<&Relation>,
        shared: Option<&TotalOrder>,
    ) -> Option<TotalOrder> {
        let size = operations.len();
        if !may_start(self.problem.bounds, 4 * size * size) {
            return None;
        }
        let mut order = TotalOrder::new(operations);
        let mut open = 0usize;
        for second in 0..size {
            if self.problem.bounds.passed() {
                return None;
            }
            order.literals[second * size + second] = FALSE;
            for first in 0..second {
                let literal = self.literal([first, second], &order, known, shared);
                order.set(first, second, literal);
                open += usize::from(literal != TRUE && literal != FALSE);
            }
        }
        // Each open pair is in two cycles with every third operation, and a cycle has three pairs.
        let clauses = 2 * open * size.saturating_sub(2) / 3;
        if known.is_none() && !self.problem.bounds.allows(clauses.saturating_mul(BYTES_PER_CLAUSE))
        {
            return None;
        }
        self.exclude_cycles(&order)?;
        Some(order)
    }

    /// The literal that says that the first position comes before the second: known, shared or a new variable.
    fn literal(
        &mut self,
        places: [usize; 2],
        order: &TotalOrder,
        known: Option<&Relation>,
        shared: Option<&TotalOrder>,
    ) -> i32 {
        let [first, second] = places.map(|place| order.operations[place]);
        let fixed = match known {
            Some(known) if known.contains(first, second) => Some(TRUE),
            Some(known) if known.contains(second, first) => Some(FALSE),
            _ => None,
        };
        match (shared.and_then(|shared| self.in_both(shared, first, second)), fixed) {
            (Some(literal), Some(fixed)) => {
                self.clause(&[if fixed == TRUE { literal } else { -literal }]);
                fixed
            }
            (Some(literal), None) => literal,
            (None, Some(fixed)) => fixed,
            (None, None) => self.solver.variable(),
        }
    }

    /// The literal of two writes in the order of all operations.
    fn in_both(&self, shared: &TotalOrder, first: u32, second: u32) -> Option<i32> {
        let places = (shared.place(first)?, shared.place(second)?);
        let writes = self.execution.is_write(first) && self.execution.is_write(second);
        writes.then(|| shared.before(places.0, places.1))
    }

    /// Adds a clause without its [`FALSE`] literals, unless one of its literals is [`TRUE`].
    fn clause(&mut self, literals: &[i32]) {
        self.unchecked += 1;
        if literals.contains(&TRUE) {
            return;
        }
        let open = literals.iter().copied().filter(|&literal| literal != FALSE);
        self.contradicts |= literals.iter().all(|&literal| literal == FALSE);
        self.solver.add(open);
    }

    /// A relation with two rows for each position: row p has the positions that may come after p, and row
    /// `size + p` those that may come before p. `None` if a bound was met.
    fn may_precede(&self, order: &TotalOrder) -> Option<Relation> {
        let size = order.operations.len();
        if !may_start(self.problem.bounds, Relation::bytes(2 * size)) {
            return None;
        }
        let mut may = Relation::new(2 * size);
        for first in 0..size {
            if self.problem.bounds.passed() {
                return None;
            }
            for second in (0..size).filter(|&second| second != first) {
                if order.before(first, second) != FALSE {
                    may.insert(first as u32, second as u32);
                    may.insert((size + second) as u32, first as u32);
                }
            }
        }
        Some(may)
    }

    /// Adds the clauses that exclude cycles of three operations. `None` if a bound was met.
    fn exclude_cycles(&mut self, order: &TotalOrder) -> Option<()> {
        let size = order.operations.len();
        let may = self.may_precede(order)?;
        for first in 0..size {
            if self.problem.bounds.passed() {
                return None;
            }
            for second in (0..size).filter(|&second| is_open(order, first, second)) {
                // The third may come after the second and before the first.
                let after = may.row(second as u32).iter();
                let before = may.row((size + first) as u32).iter();
                let both: Vec<u64> = after.zip(before).map(|(a, b)| a & b).collect();
                for third in bits(&both).map(|third| third as usize) {
                    // The cycle is found once for each of its open pairs.
                    let sooner = [(second, third), (third, first)];
                    let is_first = |&(a, b): &(usize, usize)| a < first && is_open(order, a, b);
                    if third != first && third != second && !sooner.iter().any(is_first) {
                        let cycle = [(first, second), sooner[0], sooner[1]];
                        self.clause(&cycle.map(|(a, b)| order.before(b, a)));
                    }
                }
                if self.is_past_bounds() {
                    return None;
                }
            }
        }
        Some(())
    }

    /// Whether a bound was met, which is checked after every so many clauses.
    fn is_past_bounds(&mut self) -> bool {
        if self.unchecked < CLAUSES_PER_CHECK {
            return false;
        }
        self.unchecked = 0;
        self.problem.bounds.passed()
    }

    /// Adds the clauses that make the order contain program order, `wr`, `rw`, and the order that final
    /// values imply.
    fn contain(&mut self, order: &TotalOrder, program_order: &[(u32, u32)]) {
        let buffers = self.problem.model.buffers();
        for &(first, second) in program_order {
            if let (Some(first), Some(second)) = (order.place(first), order.place(second)) {
                self.clause(&[order.before(first, second)]);
            }
        }
        for (at, &read) in order.operations.iter().enumerate() {
            let source = self.execution.source[read as usize];
            if source == NONE {
                continue;
            }
            let source_at = order.place(source);
            if let Some(source_at) = source_at
                && (!buffers || self.execution.is_external(read))
            {
                self.clause(&[order.before(source_at, at)]);
            }
            let location = self.execution.location[read as usize];
            for &write in self.execution.writes.of(location) {
                let Some(write_at) =
                    order.place(write).filter(|_| write != read && write != source)
                else {
                    continue;
                };
                let overtaken = source_at.map_or(TRUE, |source| order.before(source, write_at));
                self.clause(&[-overtaken, order.before(at, write_at)]);
            }
        }
        for last in self.problem.finals {
            let Some(last_at) = order.place(last.0) else {
                continue;
            };
            let location = self.execution.location[last.at()];
            for &write in self.execution.writes.of(location) {
                if let Some(write_at) = order.place(write).filter(|_| write != last.0) {
                    self.clause(&[order.before(write_at, last_at)]);
                }
            }
        }
    }
}

/// Whether the order of two different positions is not known in advance.
fn is_open(order: &TotalOrder, first: usize, second: usize) -> bool {
    let literal = order.before(first, second);
    first != second && literal != TRUE && literal != FALSE
}
