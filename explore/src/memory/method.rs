//! The method of section 8: for each `k`, a search for a run with a k-nice cycle.

use super::assumptions::{self, Assumption, AssumptionStatus};
use super::composed::{Composed, Order};
use super::cycle::NiceCycle;
use super::{Event, MemorySystem};
use crate::search::{Limits, Outcome, Progress, Run, Stopped, breadth_first};

/// The greatest value, which the automata need besides 0 and 1.
pub const VALUES: u8 = 2;

/// The options of the method.
#[derive(Debug, Default)]
pub struct Options {
    /// The limits of the searches for cycles, of which all together have the time of one.
    pub limits: Limits,
    /// The limits of the check of the assumptions.
    pub assumptions: Limits,
    /// Whether to visit all states, including those that differ only by a symmetry.
    pub without_symmetry: bool,
    /// The only length of the cycles that are searched for; by default all lengths.
    pub k: Option<u8>,
}

/// A search for cycles of one order. If `found` is `None`, it visited all states or was stopped.
#[derive(Clone, Debug)]
pub struct Search {
    /// The order of processors and locations in the cycles.
    pub order: Order,
    /// The extent of the search.
    pub progress: Progress,
    /// The first run with such a cycle.
    pub found: Option<Counterexample>,
    /// The limit that ended the search, if one did.
    pub stopped: Option<Stopped>,
}

/// A run, and the cycle in its constraint graph for the witness.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The events of a shortest run to such a cycle.
    pub run: Vec<Event>,
    /// The events in words.
    pub words: Vec<String>,
    /// The cycle.
    pub cycle: NiceCycle,
}

/// The verdict of the method about a system of this size.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No run has a cycle of a length that was searched for: all runs are sequentially consistent, if these are all lengths.
    Consistent,
    /// A search found a run that is not sequentially consistent with its writes in the order of the witness.
    Cycle,
    /// The method does not apply, since an assumption does not hold after this run.
    NotApplicable(Assumption, Vec<Event>),
    /// A limit ended a search.
    Undecided(Stopped),
}

/// The searches and the verdict that follows from them.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The result of checking the assumptions, and the number of states it visited.
    pub assumptions: (AssumptionStatus, Progress),
    /// The searches for cycles, the shortest cycles first.
    pub searches: Vec<Search>,
    /// The verdict.
    pub verdict: Verdict,
}

/// Searches for nice cycles of all lengths: canonical ones if the system is symmetric, otherwise
/// those of any order. Finds a shortest run with each. Time and memory are those of searching the
/// composed systems.
///
/// # Panics
/// Panics unless the values of the system are 0 to [`VALUES`].
pub fn prove<M: MemorySystem>(
    system: &M,
    options: &Options,
    report: &mut dyn FnMut(&Progress),
) -> Proof {
    let size = system.size();
    assert_eq!(size.values, VALUES, "the automata need the values 0 to 2");
    let (known, progress) = assumptions::check(system, &options.assumptions, report);
    let mut proof = Proof {
        verdict: Verdict::Consistent,
        searches: Vec::new(),
        assumptions: (known, progress),
    };
    let is_symmetric = match &proof.assumptions.0 {
        AssumptionStatus::Broken(Assumption::Symmetry, _) => false,
        AssumptionStatus::Broken(assumption, run) => {
            proof.verdict = Verdict::NotApplicable(*assumption, run.clone());
            return proof;
        }
        AssumptionStatus::All => true,
        AssumptionStatus::Partly(why) => {
            proof.verdict = Verdict::Undecided(*why);
            true
        }
    };
    proof.searches = cycles(system, is_symmetric, options, report);
    let mut searches = proof.searches.iter();
    if searches.any(|search| search.found.is_some()) {
        proof.verdict = Verdict::Cycle;
    } else if let Some(why) = proof.searches.iter().find_map(|search| search.stopped) {
        proof.verdict = Verdict::Undecided(why);
    }
    proof
}

/// Searches for canonical cycles of each length if the system is symmetric, otherwise for cycles of
/// any order.
pub fn cycles<M: MemorySystem>(
    system: &M,
    is_symmetric: bool,
    options: &Options,
    report: &mut dyn FnMut(&Progress),
) -> Vec<Search> {
    let size = system.size();
    let mut searches = Vec::new();
    let lengths = 1..=size.processors.min(size.locations);
    for k in lengths.filter(|&k| options.k.is_none_or(|only| only == k)) {
        let orders = if is_symmetric { vec![Order::canonical(k)] } else { Order::all(size, k) };
        for order in orders {
            let composed = if is_symmetric && !options.without_symmetry {
                Composed::symmetric(system, k)
            } else {
                Composed::new(system, order.clone())
            };
            let (outcome, progress) = breadth_first(&composed, &options.limits, report);
            let (mut found, mut stopped) = (None, None);
            match outcome {
                Outcome::Found(run) => found = Some(counterexample(&composed, &order, &run)),
                Outcome::Stopped(why) => stopped = Some(why),
                Outcome::None => {}
            }
            searches.push(Search { order, progress, found, stopped });
        }
    }
    searches
}

fn counterexample<'a, M: MemorySystem>(
    composed: &Composed<'a, M>,
    order: &Order,
    run: &Run<Composed<'a, M>>,
) -> Counterexample {
    let mut before = &run.first;
    let mut words = Vec::new();
    for (event, after) in &run.steps {
        words.push(composed.describe(before, *event, after));
        before = after;
    }
    let run: Vec<Event> = run.steps.iter().map(|(event, _)| *event).collect();
    Counterexample { cycle: NiceCycle::find(composed, order, &run), words, run }
}
