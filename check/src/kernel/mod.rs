//! The kernel of a history: the store order that all of its runs have in common (Zennou et al.,
//! "Boosting Sequential Consistency Checking using Saturation", section 4).
//!
//! [`kernel()`] computes a [`Kernel`]. Saturation orders most of its pairs. One run of the history orders each of
//! the other pairs one way. A pair belongs to the kernel if no run orders it the other way, which these steps
//! decide:
//! - `exchange` moves events towards the start of the run, which reverses most of the pairs that can be reversed;
//! - `reorder` reverses further pairs by placing the events around them anew;
//! - if the reversed order of a pair leads saturation to a contradiction, the pair belongs to the kernel;
//! - the SAT solver searches for runs that reverse at least one of the remaining pairs, until there is none. The
//!   pairs that are left belong to the kernel.
//!
//! The last step computes a backbone of the formula, so the kernel is exact.
//!
//! **Cost.** Saturation, then some passes over a short stretch of the run for each pair that is left. The solver
//! is called once for each run that it finds, and once for each [`CHUNK`] of pairs that turn out to belong to
//! the kernel. On random SC histories there are few calls.

mod exchange;
pub mod pairs;
mod reorder;
mod run;
mod store_order;

use history::{History, ReadsFrom};
use host::Bounds;
use rustc_hash::FxHashMap;

use crate::engine::events::Events;
use crate::engine::finals::Finals;
use crate::engine::rank::rank;
use crate::engine::saturate::{NoFixpoint, Saturation};
use crate::engine::value_problems::ValueProblems;
use crate::engine::windows::{self, WindowOutcome};
use crate::sat::formula::{Found, OpenOrder};
use crate::sat::residual::Residual;
use crate::verdict::{Reason, SatStatistics};
use certify::rule::Rule;
use exchange::without_exchange;
use memory::Model;
use pairs::unordered;
use reorder::without_reorder;
use run::Run;

pub use pairs::{count_ordered, write_pairs};
pub use store_order::StoreOrder;

/// Number of pairs of which one call of the solver tries to reverse at least one.
pub const CHUNK: usize = 256;

/// The store order that all runs of a history have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Number of pairs that saturation orders.
    pub saturated: u64,
    /// The pairs of writes of one location that every run orders in this way, without initial writes. The relation is
    /// transitively closed.
    pub order: StoreOrder,
    /// Statistics of the solver.
    pub sat: SatStatistics,
}

/// Why the kernel is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoKernel {
    /// The history has no run.
    Inconsistent,
    /// The kernel could not be decided.
    Undecided(Reason),
}

/// Computes the kernel of a history under a model. Every read must have one source.
///
/// # Errors
/// Returns [`NoKernel::Inconsistent`] if the history has no run, and [`NoKernel::Undecided`] if the bounds were
/// met, a read or final value has several candidate sources, or the history is empty or does not show enough.
pub fn kernel(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    bounds: &Bounds,
) -> Result<Kernel, NoKernel> {
    let provenance = &history.provenance;
    let against = provenance.against_consistent();
    if let Some(what) = against.or(provenance.against_violation(model != Model::SC)) {
        return Err(NoKernel::Undecided(Reason::NotUnderstood(what.clone())));
    }
    let finals = Finals::of(history).map_err(|_| NoKernel::Inconsistent)?;
    if history.is_empty() {
        return Err(NoKernel::Undecided(Reason::NothingCompleted));
    }
    let problems = ValueProblems::of(history, reads_from, &finals);
    if problems.thin_air.is_some() {
        return Err(NoKernel::Inconsistent);
    }
    if problems.ambiguous > 0 {
        let reason = Reason::NeedsSources(problems.ambiguous);
        return Err(NoKernel::Undecided(reason));
    }
    if !bounds.allows(Events::bytes(history.len())) {
        return Err(exceeded(bounds));
    }
    let events = Events::new(history, reads_from, model, &vec![false; history.len()]);
    if !bounds.allows(Saturation::bytes(&events)) {
        return Err(exceeded(bounds));
    }
    let last = finals.writes.iter();
    let last: Vec<u32> = last.filter_map(|&write| events.event_of(write)).collect();
    let mut saturation = Saturation::new(&events, rank(&events, history), last.clone(), bounds);
    match saturation.reset() {
        Ok(()) => {}
        Err(NoFixpoint::Exceeded) => return Err(exceeded(bounds)),
        Err(_) => return Err(NoKernel::Inconsistent),
    }
    if !history.has_order() {
        saturation.rank_by_past();
    }
    let open = unordered(&saturation, bounds).ok_or_else(|| exceeded(bounds))?;
    if !bounds.allows(StoreOrder::bytes(&saturation)) {
        return Err(exceeded(bounds));
    }
    let mut order = StoreOrder::of(&saturation);
    let saturated = order.len();
    let mut run = first_run(&saturation, &last, &open, bounds)?;
    let open: Vec<(u32, u32)> = open.into_iter().map(|pair| run.sorted(pair)).collect();
    let candidates = without_exchange(&mut run, &open, bounds);
    let candidates = without_reorder(&mut run, candidates, bounds);
    let mut further = Vec::new();
    let candidates = refute_reversals(&mut saturation, candidates, &mut further, bounds)?;
    let sat = search_reversals(&saturation, &last, open, candidates, &mut further, bounds)?;
    order.add(&saturation, &further);
    if let Some(reason) = problems.unknowable().or_else(|| problems.unchecked()) {
        return Err(NoKernel::Undecided(reason));
    }
    Ok(Kernel { saturated, order, sat })
}

fn exceeded(bounds: &Bounds) -> NoKernel {
    NoKernel::Undecided(Reason::exceeded(bounds))
}

/// Finds a run of a saturated history, window by window or by SAT.
fn first_run<'s, 'e>(
    saturation: &'s Saturation<'e>,
    finals: &'s [u32],
    open: &[(u32, u32)],
    bounds: &Bounds,
) -> Result<Run<'s, 'e>, NoKernel> {
    let events = saturation.events;
    let size = windows::size_for(events.threads, events.locations(), events.model, events.len());
    match windows::order_of(events, finals, size, bounds) {
        WindowOutcome::Order(order) => {
            let run = Run::new(saturation, finals, order);
            if run.is_valid() {
                return Ok(run);
            }
        }
        WindowOutcome::GaveUp { .. } => {}
        WindowOutcome::Exceeded => return Err(exceeded(bounds)),
    }
    let mut residual = Residual::of_pairs(saturation, open.to_vec(), bounds);
    let order = solve(&mut residual, &[], bounds)?.ok_or(NoKernel::Inconsistent)?;
    Ok(Run::new(saturation, finals, order))
}

/// Adds the candidates whose reversed order leads saturation to a contradiction to the pairs of the kernel.
/// Returns the other candidates.
fn refute_reversals(
    saturation: &mut Saturation<'_>,
    candidates: Vec<(u32, u32)>,
    kernel: &mut Vec<(u32, u32)>,
    bounds: &Bounds,
) -> Result<Vec<(u32, u32)>, NoKernel> {
    let mut left = Vec::new();
    for (first, second) in candidates {
        if bounds.passed() {
            return Err(exceeded(bounds));
        }
        let mark = saturation.mark();
        let result = saturation.assume(&[(second, first)], Rule::Assumed, usize::MAX);
        saturation.return_to(mark);
        match result {
            Ok(()) => left.push((first, second)),
            Err(NoFixpoint::Exceeded) => return Err(exceeded(bounds)),
            Err(_) => kernel.push((first, second)),
        }
    }
    Ok(left)
}

/// Adds the candidates that no run reverses to the pairs of the kernel, by SAT. The candidates are some of the
/// open pairs, and each pair is in the order of one run.
fn search_reversals(
    saturation: &Saturation<'_>,
    finals: &[u32],
    mut open: Vec<(u32, u32)>,
    mut candidates: Vec<(u32, u32)>,
    kernel: &mut Vec<(u32, u32)>,
    bounds: &Bounds,
) -> Result<SatStatistics, NoKernel> {
    if candidates.is_empty() {
        return Ok(SatStatistics::default());
    }
    let numbered = open.iter().zip(1..);
    let literal: FxHashMap<(u32, u32), i32> =
        numbered.map(|(&pair, number)| (pair, number)).collect();
    // The solver tries the order of each pair as given first: of a candidate the reversed one, so that one run reverses
    // many, and of another pair that of a run, which needs no further clause.
    for &(first, second) in &candidates {
        open[literal[&(first, second)] as usize - 1] = (second, first);
    }
    let mut residual = Residual::of_pairs(saturation, open, bounds);
    while !candidates.is_empty() {
        let rest = candidates.len().saturating_sub(CHUNK);
        let one_reversed = residual.one_of(candidates[rest..].iter().map(|pair| literal[pair]));
        match solve(&mut residual, &[one_reversed], bounds)? {
            Some(order) => {
                candidates.retain(|pair| !residual.holds(literal[pair]));
                let mut run = Run::new(saturation, finals, order);
                candidates = without_exchange(&mut run, &candidates, bounds);
            }
            None => {
                for pair in candidates.drain(rest..) {
                    residual.require(-literal[&pair]);
                    kernel.push(pair);
                }
            }
        }
    }
    Ok(residual.statistics())
}

/// The events in the order of a run in which the literals `assumptions` hold; `None` if there is none.
fn solve(
    residual: &mut Residual<'_, '_, '_>,
    assumptions: &[i32],
    bounds: &Bounds,
) -> Result<Option<Vec<u32>>, NoKernel> {
    match residual.solve(assumptions, u64::MAX) {
        Found::Order(order) => Ok(Some(order)),
        Found::Nothing => Ok(None),
        Found::Budget | Found::Exceeded => Err(exceeded(bounds)),
    }
}

#[cfg(test)]
mod tests {
    use history::Ambiguity;

    use super::*;
    use crate::generate::{Recipe, generate, without_order};

    /// Computes the open pairs that belong to the kernel by the solver alone.
    fn by_solver(
        saturation: &Saturation<'_>,
        last: &[u32],
        open: &[(u32, u32)],
    ) -> Vec<(u32, u32)> {
        let bounds = Bounds::none();
        let run = first_run(saturation, last, open, &bounds).unwrap();
        let open: Vec<(u32, u32)> = open.iter().map(|&pair| run.sorted(pair)).collect();
        let mut kernel = Vec::new();
        let mut residual = Residual::of_pairs(saturation, open.clone(), &bounds);
        for (number, &pair) in (1..).zip(&open) {
            match solve(&mut residual, &[-number], &bounds).unwrap() {
                Some(_) => {}
                None => kernel.push(pair),
            }
        }
        kernel.sort_unstable();
        kernel
    }

    #[test]
    fn reversals_are_those_that_the_solver_finds() {
        let (mut open_pairs, mut fixed, mut exchanged, mut reordered) = (0, 0, 0, 0);
        for seed in 0..60 {
            let model = [Model::SC, Model::TSO][seed as usize % 2];
            let recipe = Recipe {
                model,
                threads: 6 + seed as u32 % 7,
                operations: 150 + 2 * seed as u32,
                locations: 2 + seed as u32 % 2,
                seed,
                ..Recipe::default()
            };
            let history = without_order(&generate(&recipe).unwrap()).unwrap();
            let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
            let events = Events::new(&history, &reads_from, model, &vec![false; history.len()]);
            let finals = Finals::of(&history).unwrap();
            let last = finals.writes.iter().filter_map(|&write| events.event_of(write));
            let last: Vec<u32> = last.collect();
            let bounds = Bounds::none();
            let ranks = rank(&events, &history);
            let mut saturation = Saturation::new(&events, ranks, last.clone(), &bounds);
            saturation.reset().unwrap();
            let open = unordered(&saturation, &bounds).unwrap();
            let expected = by_solver(&saturation, &last, &open);

            let mut run = first_run(&saturation, &last, &open, &bounds).unwrap();
            assert!(run.is_valid(), "{seed}");
            let left = without_exchange(&mut run, &open, &bounds);
            assert!(run.is_valid(), "{seed}");
            assert!(expected.iter().all(|pair| left.contains(pair)), "{seed}");
            exchanged += open.len() - left.len();
            let before = left.len();
            let left = without_reorder(&mut run, left, &bounds);
            assert!(run.is_valid(), "{seed}");
            reordered += before - left.len();
            let mut found = Vec::new();
            let left = refute_reversals(&mut saturation, left, &mut found, &bounds).unwrap();
            search_reversals(
                &saturation,
                &last,
                sorted_by(&open, &left),
                left,
                &mut found,
                &bounds,
            )
            .unwrap();
            found.sort_unstable();
            assert_eq!(found, expected, "{seed}");
            open_pairs += open.len();
            fixed += found.len();
        }
        let counts = (open_pairs, exchanged, reordered, fixed);
        assert!(fixed > 20 && exchanged > open_pairs / 2 && reordered > 20, "{counts:?}");
    }

    /// The pairs, of which those that also occur in `some` have the order that they have there.
    fn sorted_by(pairs: &[(u32, u32)], some: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let is_reversed = |&(a, b): &(u32, u32)| some.contains(&(b, a));
        pairs.iter().map(|pair| if is_reversed(pair) { (pair.1, pair.0) } else { *pair }).collect()
    }
}
