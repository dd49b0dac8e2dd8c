//! wSC with guessing the order of one pair of writes ("Boosting ... Saturation", section 4).
//!
//! For each unordered pair of writes of one location, each order is assumed in turn and saturated. If
//! that gives a cycle, the opposite order holds. This is repeated until every guess is possible. If a
//! pair can be ordered in neither way, there is no run.
//!
//! Guessing one pair does not find the whole kernel either, as the paper says, but its Fig. 5 is no example of
//! that. A block of the figure forbids an order of one pair together with an order of another by a cycle with one
//! conflict for each. With the first order assumed, all of the cycle but one conflict is forced, and R6 forces
//! the opposite of the other order; two blocks then contradict each other. An example needs blocks with two
//! conflicts for each pair: see `guessing_one_pair_is_not_enough` in `tests/it/wsc.rs`.
//!
//! **Cost.** Polynomial: each round makes two guesses for each unordered pair, each of which costs a
//! copy of the relations and a saturation, and each round but the last orders at least one pair. Statistics count
//! the guesses as nodes.

use host::Exceeded;

use crate::execution::Execution;
use check::engine::relation::Relation;
use check::published::{Answer, Problem, Report};

use super::{ForcedOrder, met};

/// Decides the criterion: whether every pair of writes can be ordered in at least one way (`wsc-guess1`).
pub fn decide(problem: &Problem<'_>) -> Report {
    let execution = Execution::new(problem.history, problem.reads_from);
    let forced = ForcedOrder::new(&execution, problem.model, problem.finals, problem.bounds);
    let mut guesses = 0;
    let mut report = match forced.and_then(|mut forced| {
        saturate(&execution, &mut forced, &mut guesses)?;
        Ok(forced)
    }) {
        Ok(forced) => forced.report(),
        Err(_) => Answer::Exceeded.into(),
    };
    report.statistics.nodes = Some(guesses);
    report
}

/// Adds the orders whose opposites are impossible, to a fixpoint. Counts the guesses.
///
/// # Errors
/// Returns the bound that was met.
pub fn saturate<'e>(
    execution: &'e Execution<'e>,
    forced: &mut ForcedOrder<'e>,
    guesses: &mut u64,
) -> Result<(), Exceeded> {
    if !forced.bounds.allows(2 * Relation::bytes(execution.len())) {
        return Err(met(forced.bounds));
    }
    let mut grows = true;
    while grows && !forced.is_cyclic() {
        grows = false;
        for (first, second) in forced.unordered() {
            for (first, second) in [(first, second), (second, first)] {
                if forced.is_cyclic() || forced.orders(first, second) {
                    break;
                }
                *guesses += 1;
                if is_impossible(forced, first, second)? {
                    forced.assume(second, first)?;
                    grows = true;
                }
            }
        }
    }
    Ok(())
}

/// Whether an order of two writes leads to a cycle.
fn is_impossible(forced: &ForcedOrder<'_>, first: u32, second: u32) -> Result<bool, Exceeded> {
    if forced.bounds.passed() {
        return Err(met(forced.bounds));
    }
    let mut guess = forced.clone();
    guess.assume(first, second)?;
    Ok(guess.is_cyclic())
}
