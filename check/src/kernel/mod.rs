//! The kernel of a history: the store order that all of its runs have in common (Zennou et al.,
//! "Boosting Sequential Consistency Checking using Saturation", section 4).
//!
//! Saturation orders most of its pairs. For the pairs that are left, a first run shows one possible order
//! each, and a second run orders as many of them as it easily can the other way around. Of the pairs that
//! both runs order alike, the SAT solver searches a run that reverses at least one, until there is none.
//! The remaining pairs then belong to the kernel. This is the computation of a backbone, so the kernel is
//! exact.
//!
//! **Cost.** One call of the solver for each set of pairs that turns out to be free, and one more for each
//! [`CHUNK`] of pairs that turn out to be fixed. On random SC histories of 6 threads and 800 operations
//! there are some hundred calls, which take less than a second.

pub(crate) mod pairs;

use history::{History, OpId, ReadsFrom};

use crate::algorithm::Algorithm;
use crate::bounds::Bounds;
use crate::engine::events::Events;
use crate::engine::finals::Finals;
use crate::engine::rank::rank;
use crate::engine::saturate::{NoFixpoint, Saturation};
use crate::engine::value_problems::ValueProblems;
use crate::options::Options;
use crate::papers::criteria::causal;
use crate::papers::execution::Execution;
use crate::papers::{self, Problem};
use crate::sat::residual::{Found, Residual};
use crate::verdict::{Reason, SatStatistics};
use memory::Model;
use pairs::{ordered, unordered};

pub use pairs::{count_ordered, write_pairs};

/// Number of pairs that one call of the solver tries to reverse.
pub const CHUNK: usize = 256;

/// The store order that all runs have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Number of pairs that saturation orders.
    pub saturated: u64,
    /// The pairs that every run orders in this way, without initial writes, in ascending order. The
    /// relation is transitively closed.
    pub pairs: Vec<(OpId, OpId)>,
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

/// The kernel of a history under a model. Every read must have one source.
///
/// # Errors
/// Returns [`NoKernel::Inconsistent`] if there is no run, and [`NoKernel::Undecided`] if it is not known
/// whether there is one, or what all runs have in common.
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
    let events = Events::new(history, reads_from, model, &vec![false; history.len()]);
    if !bounds.allows(events.len() * events.width * 4) {
        return Err(exceeded(bounds));
    }
    let last = finals.writes.iter();
    let last = last.filter_map(|&write| events.event_of(write)).collect();
    let mut saturation = Saturation::new(&events, rank(&events, history), last, bounds);
    match saturation.reset() {
        Ok(()) => {}
        Err(NoFixpoint::Exceeded) => return Err(exceeded(bounds)),
        Err(_) => return Err(NoKernel::Inconsistent),
    }
    if !history.has_order() {
        saturation.rank_by_past();
    }
    let open = unordered(&saturation, bounds).ok_or_else(|| exceeded(bounds))?;
    let (common, sat) = common(&saturation, open, bounds)?;
    let mut pairs: Vec<(u32, u32)> = ordered(&saturation).collect();
    let saturated = pairs.len() as u64;
    pairs.extend(common);
    let op = |event: u32| events.op[event as usize];
    let mut pairs: Vec<(OpId, OpId)> = pairs.into_iter().map(|(a, b)| (op(a), op(b))).collect();
    pairs.sort_unstable();
    if let Some(reason) = problems.unknowable() {
        return Err(NoKernel::Undecided(reason));
    }
    Ok(Kernel { saturated, pairs, sat })
}

/// The criteria that are weaker than a model and derive store order, the weakest first. There are none for
/// PSO, from which no criterion follows.
pub fn criteria(model: Model) -> &'static [Algorithm] {
    if model == Model::SC {
        &[Algorithm::Ccv, Algorithm::Ccm, Algorithm::Wsc]
    } else if model == Model::TSO {
        &[Algorithm::Wccm, Algorithm::Wtso]
    } else {
        &[]
    }
}

/// The number of pairs of writes that one of the [`criteria`] orders; `None` if it does not hold, or a bound
/// was met. For CCv these are the pairs of `(po ∪ wr ∪ cf)⁺`, for CCM `pww`, for wCCM `wpww`, for wSC and
/// wTSO the pairs that saturation orders. CCM and wCCM need matrices of n² bits.
pub fn derived(
    history: &History,
    reads_from: &ReadsFrom,
    criterion: Algorithm,
    kernel: &Kernel,
    bounds: &Bounds,
) -> Option<u64> {
    if matches!(criterion, Algorithm::Wsc | Algorithm::Wtso) {
        return Some(kernel.saturated);
    }
    let model = criterion.default_model();
    // The papers' criteria do not handle weak fences.
    if model.first_refined(history).is_some() {
        return None;
    }
    let options = Options { algorithm: criterion, ..Options::default() };
    let report = papers::run(&Problem {
        history,
        reads_from,
        finals: &[],
        model,
        options: &options,
        bounds,
    })?;
    report.statistics.ordered
}

/// The number of pairs of writes that the conflicts of CCv alone relate (`cf`, CAV 2019, section 3.1),
/// without program order and reads-from; `None` if CC does not hold, or a bound was met.
pub fn conflicting(history: &History, reads_from: &ReadsFrom, bounds: &Bounds) -> Option<u64> {
    causal::conflict_pairs(&Execution::new(history, reads_from), bounds)
}

fn exceeded(bounds: &Bounds) -> NoKernel {
    NoKernel::Undecided(Reason::exceeded(bounds))
}

/// The pairs that saturation leaves open and all runs order alike, each in that order.
fn common(
    saturation: &Saturation<'_>,
    open: Vec<(u32, u32)>,
    bounds: &Bounds,
) -> Result<(Vec<(u32, u32)>, SatStatistics), NoKernel> {
    let mut first = Residual::of_pairs(saturation, open, bounds);
    if !is_possible(&mut first, &[], bounds)? {
        return Err(NoKernel::Inconsistent);
    }
    // The solver now tries the reversed order of each pair first.
    let literals =
        (1..=first.pairs().len() as i32).map(|pair| if first.holds(pair) { pair } else { -pair });
    let reversed = literals.map(|literal| first.pair(-literal)).collect();
    let mut residual = Residual::of_pairs(saturation, reversed, bounds);
    is_possible(&mut residual, &[], bounds)?;
    let mut candidates: Vec<i32> = (1..=residual.pairs().len() as i32)
        .map(|pair| -pair)
        .filter(|&literal| residual.holds(literal))
        .collect();
    let mut common = Vec::new();
    while !candidates.is_empty() {
        let chunk = &candidates[candidates.len().saturating_sub(CHUNK)..];
        let one_fails = residual.one_of(chunk.iter().map(|literal| -literal));
        if is_possible(&mut residual, &[one_fails], bounds)? {
            candidates.retain(|&literal| residual.holds(literal));
        } else {
            let rest = candidates.len().saturating_sub(CHUNK);
            for literal in candidates.drain(rest..) {
                residual.require(literal);
                common.push(residual.pair(literal));
            }
        }
    }
    Ok((common, residual.statistics()))
}

/// Whether there is a run in which these literals hold.
fn is_possible(
    residual: &mut Residual<'_, '_, '_>,
    assumptions: &[i32],
    bounds: &Bounds,
) -> Result<bool, NoKernel> {
    match residual.solve(assumptions, u64::MAX) {
        Found::Order(_) => Ok(true),
        Found::Nothing => Ok(false),
        Found::Budget | Found::Exceeded => Err(exceeded(bounds)),
    }
}
