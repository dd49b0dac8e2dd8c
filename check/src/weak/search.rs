//! Searches a memory order: tries both orders of pairs of writes, and the candidates of reads, and turns each
//! contradiction into a clause. If that takes long, a SAT solver orders the pairs.

use certify::certificate::Node;
use history::{History, OpId, ReadSource};
use host::Bounds;

use super::Task;
use super::forced::{Forced, SaturationStop, Source};
use super::open_pairs::OpenPairs;
use super::place::{Placed, place};
use crate::engine::finals::Finals;
use crate::engine::proof::{Assumption, Block, Premise, Resolvent, Violation};
use crate::sat::formula::{Found, OpenOrder};
use crate::verdict::SatStatistics;

/// Number of contradictions about the order of writes after which a search hands over to the SAT solver.
const HANDOVER: u64 = 64;

/// When a search asks the SAT solver about the order of writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SatHandover {
    Never,
    /// After [`HANDOVER`] contradictions.
    Late,
    AtOnce,
}

/// How a search ended.
pub(super) enum End {
    /// A candidate for a memory order; its caller has to check the axioms.
    Order(Vec<OpId>),
    Violation(Violation),
    /// The SAT solver found that there is no order, but its clauses do not prove it.
    Unproved,
    /// The budget of contradictions is spent.
    Budget,
    /// A bound was met.
    Exceeded,
}

/// A clause that was proved, with the step of the proof that it comes from.
struct Clause {
    literals: Vec<Assumption>,
    premise: Premise,
}

/// Why a part of the search ended without a clause.
enum Stopped {
    Order(Vec<OpId>),
    Unproved,
    /// The limit of contradictions was reached.
    Limit,
    Exceeded,
}

/// A read, or the end of a location, with several candidates for its source.
struct SourceChoice {
    read: Node,
    candidates: Vec<Node>,
}

/// The search, with the proof so far.
pub(super) struct Search<'a> {
    forced: Forced<'a>,
    bounds: &'a Bounds,
    budget: u64,
    solving: SatHandover,
    /// The number of contradictions met so far, and the number at which the current way of ordering writes
    /// ends.
    contradictions: u64,
    limit: u64,
    /// Statistics of the last formula, if there was one.
    sat: Option<SatStatistics>,
    choices: Vec<SourceChoice>,
    blocks: Vec<Block>,
    resolvents: Vec<Resolvent>,
}

impl<'a> Search<'a> {
    pub(super) fn new(task: &Task<'a>, forced: Forced<'a>, solving: SatHandover) -> Search<'a> {
        Search {
            forced,
            bounds: task.bounds,
            budget: task.budget,
            solving,
            contradictions: 0,
            limit: task.budget,
            sat: None,
            choices: choices(task),
            blocks: Vec::new(),
            resolvents: Vec::new(),
        }
    }

    /// Contradictions met so far.
    pub(super) fn contradictions(&self) -> u64 {
        self.contradictions
    }

    /// Statistics of the SAT solver, if it was asked.
    pub(super) fn sat(&self) -> Option<SatStatistics> {
        self.sat
    }

    /// Searches until an order is found or all are refuted.
    pub(super) fn run(&mut self) -> End {
        match self.choose(0) {
            Err(Stopped::Order(order)) => End::Order(order),
            Err(Stopped::Unproved) => End::Unproved,
            Err(Stopped::Limit) => End::Budget,
            Err(Stopped::Exceeded) => End::Exceeded,
            Ok(clause) => End::Violation(self.violation(&clause)),
        }
    }

    /// Tries the candidates of the reads from the `at`-th on. Returns a clause that they contradict.
    fn choose(&mut self, at: usize) -> Result<Clause, Stopped> {
        let Some(SourceChoice { read, candidates }) = self.choices.get(at) else {
            return self.order_writes();
        };
        let (read, candidates) = (*read, candidates.clone());
        let mut literals = Vec::new();
        let mut premises = vec![Premise::Candidates(read)];
        for source in candidates {
            let assumption = Assumption::From(read, source);
            let clause = match self.other_initial(at, source) {
                Some(clause) => clause,
                None => {
                    self.forced.assume_source(assumption);
                    let refuted = match self.forced.saturate(self.bounds) {
                        Ok(()) => self.choose(at + 1),
                        Err(stop) => self.refuted(stop),
                    };
                    self.forced.withdraw_source(assumption);
                    refuted?
                }
            };
            let opposite = assumption.opposite();
            if !clause.literals.contains(&opposite) {
                return Ok(clause);
            }
            literals.extend(clause.literals.into_iter().filter(|&literal| literal != opposite));
            premises.push(clause.premise);
        }
        Ok(self.resolve(literals, premises))
    }

    /// The clause that excludes an initial value as the source of the `at`-th read, if an earlier read is assumed to have returned
    /// another initial value of the location.
    fn other_initial(&self, at: usize, source: Node) -> Option<Clause> {
        let (Node::Initial(location), Node::Op(read)) = (source, self.choices[at].read) else {
            return None;
        };
        let history = self.forced.history;
        let earlier = self.choices[..at].iter().filter_map(|choice| match choice.read {
            Node::Op(earlier) => Some(earlier),
            _ => None,
        });
        let mut differing = earlier.filter(|&other| {
            history.location(other) == Some(location)
                && self.forced.source(other) == Source::Initial
                && history.read(other) != history.read(read)
        });
        let other = differing.next()?;
        let not_initial = |read| Assumption::NotFrom(Node::Op(read), source);
        let literals = vec![not_initial(read), not_initial(other)];
        Some(Clause { literals, premise: Premise::OneInitial(read, other) })
    }

    /// Finds an order of the writes, by search or by the SAT solver, or a clause that the assumed sources contradict.
    fn order_writes(&mut self) -> Result<Clause, Stopped> {
        let patience = match self.solving {
            SatHandover::Never => u64::MAX,
            SatHandover::Late => HANDOVER,
            SatHandover::AtOnce => 0,
        };
        self.limit = self.budget.min(self.contradictions.saturating_add(patience));
        let searched = match self.solving {
            SatHandover::AtOnce => Err(Stopped::Limit),
            SatHandover::Never | SatHandover::Late => self.extend(),
        };
        self.limit = self.budget;
        match searched {
            Err(Stopped::Limit) if self.contradictions < self.budget => self.solve(),
            searched => searched,
        }
    }

    /// Asks the SAT solver for an order of the writes.
    fn solve(&mut self) -> Result<Clause, Stopped> {
        // The search has withdrawn its assumptions, but what follows from them is still known.
        if let Err(stop) = self.forced.saturate(self.bounds) {
            return self.refuted(stop);
        }
        let Some(mut open) = OpenPairs::new(&mut self.forced, self.bounds) else {
            return Err(Stopped::Exceeded);
        };
        let found = open.solve(&[], self.budget - self.contradictions);
        self.contradictions += open.contradictions();
        self.sat = Some(open.statistics());
        match found {
            Found::Order(nodes) => Err(Stopped::Order(self.forced.accesses(&nodes))),
            Found::Budget => Err(Stopped::Limit),
            Found::Exceeded => Err(Stopped::Exceeded),
            Found::Nothing => match open.refutation() {
                Some(proof) => Ok(self.include(proof)),
                None => Err(Stopped::Unproved),
            },
        }
    }

    /// Adds a proof about the order of writes, which takes the assumed sources of reads for granted. Its
    /// clauses are extended by the negated assumptions about sources that its blocks rest on.
    fn include(&mut self, proof: Violation) -> Clause {
        let (blocks, resolvents) = (self.blocks.len(), self.resolvents.len());
        self.blocks.extend(proof.blocks);
        for Resolvent { clause, premises } in proof.resolvents {
            let mut literals = clause;
            let premises = premises.into_iter().map(|premise| match premise {
                Premise::Block(at) => Premise::Block(blocks + at),
                Premise::Resolvent(at) => Premise::Resolvent(resolvents + at),
                given @ (Premise::Candidates(_) | Premise::OneInitial(..)) => given,
            });
            let premises: Vec<Premise> = premises.collect();
            for premise in &premises {
                match *premise {
                    Premise::Block(at) => {
                        let opposites = self.blocks[at].assumptions.iter().map(|it| it.opposite());
                        literals.extend(opposites.filter(is_about_source));
                    }
                    Premise::Resolvent(at) => {
                        let clause = self.resolvents[at].clause.iter().copied();
                        literals.extend(clause.filter(is_about_source));
                    }
                    Premise::Candidates(_) | Premise::OneInitial(..) => {}
                }
            }
            self.resolve(literals, premises);
        }
        let last = self.resolvents.len() - 1;
        let literals = self.resolvents[last].clause.clone();
        Clause { literals, premise: Premise::Resolvent(last) }
    }

    /// Extends the forced order to a total one, or returns a clause that the assumptions contradict.
    fn extend(&mut self) -> Result<Clause, Stopped> {
        let placed = place(&self.forced);
        if placed.is_complete {
            return Err(Stopped::Order(placed.order));
        }
        let Some((first, second)) = self.open_pair(&placed) else {
            // Placing considers every order that is left, so this is not reached.
            return Err(Stopped::Order(placed.order));
        };
        let mut clauses = Vec::new();
        for (before, after) in [(first, second), (second, first)] {
            let mark = self.forced.mark();
            self.forced.assume_order(before, after);
            let refuted = match self.forced.saturate(self.bounds) {
                Ok(()) => self.extend(),
                Err(stop) => self.refuted(stop),
            };
            self.forced.undo(&mark);
            let clause = refuted?;
            if !clause.literals.contains(&Assumption::Before(after, before)) {
                return Ok(clause);
            }
            clauses.push(clause);
        }
        let pair = [Assumption::Before(first, second), Assumption::Before(second, first)];
        let premises = clauses.iter().map(|clause| clause.premise).collect();
        let literals = clauses.into_iter().flat_map(|clause| clause.literals);
        let literals = literals.filter(|literal| !pair.contains(literal)).collect();
        Ok(self.resolve(literals, premises))
    }

    /// Turns a contradiction into a clause. Returns an error if the limit of contradictions, or a bound, was
    /// met.
    fn refuted(&mut self, stop: SaturationStop) -> Result<Clause, Stopped> {
        let SaturationStop::Cycle(cycle) = stop else { return Err(Stopped::Exceeded) };
        if self.contradictions >= self.limit {
            return Err(Stopped::Limit);
        }
        self.contradictions += 1;
        let block = self.forced.explain(&cycle);
        let literals = block.assumptions.iter().map(|it| it.opposite()).collect();
        self.blocks.push(block);
        Ok(Clause { literals, premise: Premise::Block(self.blocks.len() - 1) })
    }

    fn resolve(&mut self, mut literals: Vec<Assumption>, premises: Vec<Premise>) -> Clause {
        literals.sort_unstable();
        literals.dedup();
        self.resolvents.push(Resolvent { clause: literals.clone(), premises });
        Clause { literals, premise: Premise::Resolvent(self.resolvents.len() - 1) }
    }

    /// Two writes of one location whose order is open, neither placed if there are such.
    fn open_pair(&self, placed: &Placed) -> Option<(OpId, OpId)> {
        self.pair_among(|write| !placed.is_placed[write.at()]).or_else(|| self.pair_among(|_| true))
    }

    fn pair_among(&self, is_wanted: impl Fn(OpId) -> bool) -> Option<(OpId, OpId)> {
        for chains in &self.forced.chains {
            for (at, chain) in chains.iter().enumerate() {
                for &first in chain.writes.iter().filter(|&&write| is_wanted(write)) {
                    for other in &chains[at + 1..] {
                        let mut wanted = other.writes.iter().filter(|&&write| is_wanted(write));
                        let open = wanted.find(|&&second| {
                            !self.forced.precedes(first, second.0)
                                && !self.forced.precedes(second, first.0)
                        });
                        if let Some(&second) = open {
                            return Some((first, second));
                        }
                    }
                }
            }
        }
        None
    }

    /// The proof that ends with an empty clause.
    fn violation(&mut self, end: &Clause) -> Violation {
        debug_assert!(end.literals.is_empty());
        if let Premise::Block(block) = end.premise {
            let block = self.blocks.swap_remove(block);
            return Violation { blocks: vec![block], resolvents: Vec::new() };
        }
        let mut violation = Violation {
            blocks: std::mem::take(&mut self.blocks),
            resolvents: std::mem::take(&mut self.resolvents),
        };
        if let Premise::Resolvent(last) = end.premise {
            violation.resolvents.truncate(last + 1);
        }
        violation.keep_needed();
        violation
    }
}

fn is_about_source(assumption: &Assumption) -> bool {
    !matches!(assumption, Assumption::Before(..))
}

/// The reads and final values with several candidates.
fn choices(task: &Task<'_>) -> Vec<SourceChoice> {
    let history = task.history;
    let is_ambiguous = |op: &OpId| task.reads_from.source(*op) == Some(ReadSource::Ambiguous);
    let reads = history.ops().filter(is_ambiguous).map(|op| choice_of(history, op));
    reads.chain(choices_of_finals(task.finals)).collect()
}

fn choice_of(history: &History, read: OpId) -> SourceChoice {
    let (location, value) = (history.location(read), history.read(read));
    let writes = history.ops().filter(|&op| {
        op != read && history.location(op) == location && history.written(op) == value
    });
    let mut candidates: Vec<Node> = writes.map(Node::Op).collect();
    let may_be_initial = |(at, value): &(u32, u64)| history.may_be_initial(*at, *value);
    if let Some((location, _)) = location.zip(value).filter(may_be_initial) {
        candidates.push(Node::Initial(location));
    }
    SourceChoice { read: Node::Op(read), candidates }
}

fn choices_of_finals(finals: &Finals) -> impl Iterator<Item = SourceChoice> {
    finals.open.iter().map(|(location, writes)| SourceChoice {
        read: Node::Final(*location),
        candidates: writes.iter().copied().map(Node::Op).collect(),
    })
}
