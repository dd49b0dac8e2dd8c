//! [`Formula`]: clauses about the order of writes and the sources of reads, and the proof that they
//! contradict each other. [`OpenOrder::solve`] adds clauses only as cycles in the solver's models show that
//! they are needed.

use certify::certificate::Node;
use history::OpId;
use host::Bounds;
use rustc_hash::FxHashMap;

use super::graph::Arc;
use super::resolve::{self, Logged, Step, resolve};
use super::solver::Solver;
use crate::engine::proof::{Assumption, Block, Premise, Resolvent, Violation};
use crate::verdict::SatStatistics;

/// How the search of a model that represents a memory order ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The events, or nodes, in a memory order.
    Order(Vec<u32>),
    /// There is no memory order in which the assumptions hold.
    Nothing,
    /// The budget of contradictions is spent.
    Budget,
    /// One of the [`Bounds`] was met.
    Exceeded,
}

/// A partly known memory order whose open choices are the variables of a formula.
pub(crate) trait OpenOrder<'b> {
    fn formula(&mut self) -> &mut Formula<'b>;

    /// The memory order that the solver's model represents, or cycles of the model.
    ///
    /// # Errors
    /// Returns the cycles.
    fn check_model(&self) -> Result<Vec<u32>, Vec<Vec<Arc>>>;

    /// Searches a memory order in which the assumptions, literals of the formula, hold. The budget is a
    /// number of contradictions.
    fn solve(&mut self, assumptions: &[i32], budget: u64) -> Found {
        loop {
            if let Some(end) = self.formula().next_model(assumptions, budget) {
                return end;
            }
            match self.check_model() {
                Ok(order) => return Found::Order(order),
                Err(cycles) => self.formula().refute_model(cycles),
            }
        }
    }
}

/// The justification of a clause.
#[derive(Debug)]
pub(crate) enum Origin {
    /// The literals of this cycle exclude each other.
    Cycle(Vec<Arc>),
    /// This reader takes its value from one of its candidates.
    Candidates(Node),
    /// These two reads do not both return the initial value of their location.
    OneInitial(OpId, OpId),
    /// The solver learned the clause.
    Learned,
}

/// Clauses with their solver, and a log that has the origin of each clause.
pub(crate) struct Formula<'b> {
    bounds: &'b Bounds,
    solver: Solver<'b>,
    log: Vec<Logged>,
    origins: Vec<Origin>,
    contradictions: u64,
}

impl<'b> Formula<'b> {
    /// A formula without variables and clauses.
    pub(crate) fn new(bounds: &'b Bounds) -> Formula<'b> {
        let solver = Solver::proving(bounds);
        Formula { bounds, solver, log: Vec::new(), origins: Vec::new(), contradictions: 0 }
    }

    /// Returns a new variable. The solver tries it as true first.
    pub(crate) fn variable(&mut self) -> i32 {
        self.solver.variable()
    }

    /// Contradictions met so far.
    pub(crate) fn contradictions(&self) -> u64 {
        self.contradictions
    }

    /// Whether a literal holds in the model that was found.
    pub(crate) fn holds(&self, literal: i32) -> bool {
        self.solver.holds(literal)
    }

    /// Returns a literal such that assuming it requires one of these literals to hold.
    /// [`Formula::refutation`] must not be called after this.
    pub(crate) fn one_of(&mut self, literals: impl Iterator<Item = i32>) -> i32 {
        let assumed = self.solver.variable();
        self.solver.add(literals.chain([-assumed]));
        assumed
    }

    /// Requires a literal that is known to hold in every model. [`Formula::refutation`] must not be called after this.
    pub(crate) fn require(&mut self, literal: i32) {
        self.solver.add([literal]);
    }

    /// Statistics of the solver.
    pub(crate) fn statistics(&mut self) -> SatStatistics {
        self.solver.statistics()
    }

    /// Adds a clause.
    pub(crate) fn add(&mut self, clause: Vec<i32>, origin: Origin) {
        self.solver.add(clause.iter().copied());
        self.log.push(Logged { clause, given: true });
        self.origins.push(origin);
    }

    /// Adds the clause that not all literals of a cycle hold.
    pub(crate) fn exclude(&mut self, cycle: Vec<Arc>) {
        let literals = cycle.iter().flat_map(|arc| arc.link.literals());
        let mut clause: Vec<i32> = literals.filter(|&l| l != 0).map(|l| -l).collect();
        clause.sort_unstable();
        clause.dedup();
        self.add(clause, Origin::Cycle(cycle));
    }

    /// Adds the clauses of cycles of the model that was found, each of which counts as a contradiction.
    pub(crate) fn refute_model(&mut self, cycles: Vec<Vec<Arc>>) {
        self.contradictions += cycles.len() as u64;
        cycles.into_iter().for_each(|cycle| self.exclude(cycle));
    }

    /// Searches a model in which the assumptions hold, and returns `None` if there is one. The budget is a number of contradictions.
    pub(crate) fn next_model(&mut self, assumptions: &[i32], budget: u64) -> Option<Found> {
        if self.bounds.passed() || !self.bounds.allows(0) {
            return Some(Found::Exceeded);
        }
        let left = budget.saturating_sub(self.contradictions);
        if left == 0 {
            return Some(Found::Budget);
        }
        let answer = self.solver.solve(assumptions, left);
        let learned = self.solver.take_learned();
        self.contradictions += learned.len() as u64;
        self.log.extend(learned.into_iter().map(|clause| Logged { clause, given: false }));
        self.origins.resize_with(self.log.len(), || Origin::Learned);
        match answer {
            None if self.bounds.passed() => Some(Found::Exceeded),
            None => Some(Found::Budget),
            Some(false) => Some(Found::Nothing),
            Some(true) => None,
        }
    }

    /// The proof that the clauses contradict each other. `None` if the solver's clauses do not show it, or a
    /// bound was met. `block` proves that the literals of a cycle exclude each other, and `meaning` returns
    /// the assumption that a literal stands for.
    pub(crate) fn refutation(
        &self,
        mut block: impl FnMut(&[Arc]) -> Block,
        meaning: impl Fn(i32) -> Assumption,
    ) -> Option<Violation> {
        let steps = resolve(&self.log, self.bounds)?;
        let mut blocks = Vec::new();
        let mut premise = |number: usize| match &self.origins[number] {
            Origin::Candidates(reader) => Premise::Candidates(*reader),
            Origin::OneInitial(first, second) => Premise::OneInitial(*first, *second),
            Origin::Cycle(cycle) => {
                blocks.push(block(cycle));
                Premise::Block(blocks.len() - 1)
            }
            Origin::Learned => unreachable!("learned clauses are steps"),
        };
        let mut of_given: FxHashMap<usize, Premise> = FxHashMap::default();
        let mut resolvents = Vec::with_capacity(steps.len());
        for Step { clause, premises } in steps {
            let premises = premises.into_iter().map(|cited| match cited {
                resolve::Premise::Step(earlier) => Premise::Resolvent(earlier),
                resolve::Premise::Given(number) => {
                    *of_given.entry(number).or_insert_with(|| premise(number))
                }
            });
            resolvents.push(Resolvent {
                premises: premises.collect(),
                clause: clause.iter().map(|&literal| meaning(literal)).collect(),
            });
        }
        Some(Violation { blocks, resolvents })
    }
}
