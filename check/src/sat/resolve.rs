//! Proves that clauses contradict each other: [`resolve`] turns the clauses that a solver was given and
//! learned into a derivation of the empty clause, in which each [`Step`] follows from earlier ones by unit
//! propagation.
//!
//! Most learned clauses follow from the clauses before them directly. Some do not, because CaDiCaL also
//! shortens clauses and does not report that; a small search ([`Clauses`]) then finds the steps in
//! between. Finally, steps that are not needed are dropped.

use host::Bounds;
use rustc_hash::FxHashMap;

use super::clauses::{Answer, Clauses, Source};

/// A clause that was given to the solver, or that it learned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Logged {
    /// The literals of the clause.
    pub clause: Vec<i32>,
    /// Whether the clause was given, so that it needs no derivation.
    pub given: bool,
}

/// A clause that a step follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Premise {
    /// A given clause, by its number in the log.
    Given(usize),
    /// An earlier step.
    Step(usize),
}

/// A clause that follows by unit propagation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The literals of the clause that the step derives.
    pub clause: Vec<i32>,
    /// The clauses that it follows from, in the order in which they propagate.
    pub premises: Vec<Premise>,
}

/// Derives the empty clause, which is the last step. `None` if the clauses do not contradict each other,
/// or a bound was met.
pub(super) fn resolve(log: &[Logged], bounds: &Bounds) -> Option<Vec<Step>> {
    let literals = log.iter().flat_map(|logged| &logged.clause);
    let largest = literals.map(|literal| literal.unsigned_abs()).max();
    let mut clauses = Clauses::new(largest.unwrap_or(0) as usize + 1);
    let premises = contradict(&mut clauses, log, bounds)?;
    Some(trimmed(&clauses, premises))
}

/// Adds the clauses of the log, each learned one with its derivation, until they contradict each other.
/// Learned clauses that cannot be derived are skipped. Returns the clauses that the empty clause follows
/// from; `None` if there is no contradiction or a bound was met.
fn contradict(clauses: &mut Clauses, log: &[Logged], bounds: &Bounds) -> Option<Vec<usize>> {
    for (number, logged) in log.iter().enumerate() {
        if bounds.passed() {
            return None;
        }
        let source = if logged.given {
            Source::Given(number)
        } else {
            let opposite = logged.clause.iter().map(|literal| -literal);
            match clauses.search(&opposite.collect::<Vec<_>>(), bounds) {
                Answer::Excluded(premises) if logged.clause.is_empty() => {
                    return Some(premises);
                }
                Answer::Excluded(premises) => Source::Derived(premises),
                Answer::Possible => continue,
                Answer::Exceeded => return None,
            }
        };
        if let Some(premises) = clauses.add(logged.clause.clone(), source) {
            return Some(premises);
        }
    }
    match clauses.search(&[], bounds) {
        Answer::Excluded(premises) => Some(premises),
        _ => None,
    }
}

/// The steps that the last step needs, followed by that step.
fn trimmed(clauses: &Clauses, last: Vec<usize>) -> Vec<Step> {
    let mut wanted = vec![false; clauses.all.len()];
    for &premise in &last {
        wanted[premise] = true;
    }
    mark(clauses, &mut wanted);
    let mut step_of: FxHashMap<usize, usize> = FxHashMap::default();
    let mut steps: Vec<Step> = Vec::new();
    for (number, clause) in clauses.all.iter().enumerate() {
        if let (true, Source::Derived(premises)) = (wanted[number], &clause.source) {
            let clause = clause.literals.clone();
            let premises = cited(clauses, &step_of, premises);
            step_of.insert(number, steps.len());
            steps.push(Step { clause, premises });
        }
    }
    let premises = cited(clauses, &step_of, &last);
    let clause = Vec::new();
    steps.push(Step { clause, premises });
    steps
}

/// Marks the clauses that the marked clauses need.
fn mark(clauses: &Clauses, wanted: &mut [bool]) {
    for number in (0..clauses.all.len()).rev() {
        if let (true, Source::Derived(premises)) = (wanted[number], &clauses.all[number].source) {
            for &premise in premises {
                wanted[premise] = true;
            }
        }
    }
}

fn cited(clauses: &Clauses, step_of: &FxHashMap<usize, usize>, premises: &[usize]) -> Vec<Premise> {
    let premises = premises.iter().map(|&number| match clauses.all[number].source {
        Source::Given(number) => Premise::Given(number),
        Source::Derived(_) => Premise::Step(step_of[&number]),
    });
    premises.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sat::solver::Solver;
    use proptest::prelude::*;

    /// Whether a clause follows from others by unit propagation, computed in the simplest way.
    fn propagates(clause: &[i32], premises: &[&Vec<i32>]) -> bool {
        let mut held: Vec<i32> = clause.iter().map(|literal| -literal).collect();
        loop {
            let before = held.len();
            for premise in premises {
                let left = premise.iter().filter(|literal| !held.contains(&-**literal));
                let left: Vec<i32> = left.copied().collect();
                match left.as_slice() {
                    [] => return true,
                    [literal] if !held.contains(literal) => held.push(*literal),
                    _ => {}
                }
            }
            if held.len() == before {
                return false;
            }
        }
    }

    proptest! {
        #[test]
        fn what_a_solver_learns_is_resolved(
            clauses in prop::collection::vec(
                prop::collection::vec((1i32..=12, any::<bool>()), 1..4),
                1..90,
            ),
        ) {
            let bounds = Bounds::none();
            let mut solver = Solver::proving(&bounds);
            (0..12).for_each(|_| { solver.variable(); });
            let mut log = Vec::new();
            let mut end = Some(true);
            for clause in clauses {
                let mut clause: Vec<i32> =
                    clause.iter().map(|&(v, positive)| if positive { v } else { -v }).collect();
                clause.sort_unstable();
                clause.dedup();
                solver.add(clause.iter().copied());
                log.push(Logged { clause, given: true });
                end = solver.solve(&[], u64::MAX);
                let learned = solver.take_learned().into_iter();
                log.extend(learned.map(|clause| Logged { clause, given: false }));
                if end == Some(false) {
                    break;
                }
            }
            let steps = resolve(&log, &bounds);
            prop_assert_eq!(steps.is_some(), end == Some(false));
            let steps = steps.unwrap_or_default();
            prop_assert!(steps.last().is_none_or(|last| last.clause.is_empty()));
            for (at, step) in steps.iter().enumerate() {
                let premises = step.premises.iter().map(|&premise| match premise {
                    Premise::Given(number) => {
                        assert!(log[number].given);
                        &log[number].clause
                    }
                    Premise::Step(earlier) => {
                        assert!(earlier < at);
                        &steps[earlier].clause
                    }
                });
                prop_assert!(propagates(&step.clause, &premises.collect::<Vec<_>>()));
            }
        }
    }
}
