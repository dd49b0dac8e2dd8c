//! The method of section 8: for each `k` a search for a run with a k-nice cycle.

use super::assumptions::{self, Assumption, Known};
use super::composed::{Composed, Order};
use super::cycle::NiceCycle;
use super::{Event, MemorySystem};
use crate::search::{Limits, Outcome, Progress, Run, Stopped, breadth_first};

/// The value that the automata need, besides 0 and 1.
pub const VALUES: u8 = 2;

/// The options of the method.
#[derive(Debug, Default)]
pub struct Options {
    /// The limits of each search for a cycle.
    pub limits: Limits,
    /// The limits of the check of the assumptions.
    pub assumptions: Limits,
    /// Whether states that differ only by a symmetry are all visited.
    pub without_symmetry: bool,
}

/// A search for cycles of one order. It has found nothing if it visited all states or was stopped.
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

/// A run, and the cycle in its constraint graph for the simple witness.
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
    /// All runs are sequentially consistent.
    Consistent,
    /// A search found a run that is not sequentially consistent with its writes in the order in which they happened.
    Cycle,
    /// The method does not apply, since an assumption does not hold after this run.
    NotApplicable(Assumption, Vec<Event>),
    /// A limit ended a search.
    Undecided(Stopped),
}

/// The searches, and what follows from them.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The result of checking the assumptions, and the number of states it visited.
    pub assumptions: (Known, Progress),
    /// The searches for cycles, the shortest cycles first.
    pub searches: Vec<Search>,
    /// The verdict.
    pub verdict: Verdict,
}

/// Looks for nice cycles of all lengths, canonical ones if the system is symmetric and else those of any order, and for a
/// shortest run with each. Cost: the states of the composed systems.
///
/// # Panics
/// If the system has not the values 0 to [`VALUES`].
pub fn prove<M: MemorySystem>(
    system: &M,
    options: &Options,
    report: &mut dyn FnMut(&Progress),
) -> Proof {
    let shape = system.shape();
    assert_eq!(shape.values, VALUES, "the automata speak of these values");
    let (known, progress) = assumptions::check(system, &options.assumptions, report);
    let mut proof = Proof {
        verdict: Verdict::Consistent,
        searches: Vec::new(),
        assumptions: (known, progress),
    };
    let is_symmetric = match &proof.assumptions.0 {
        Known::Broken(Assumption::Symmetry, _) => false,
        Known::Broken(assumption, run) => {
            proof.verdict = Verdict::NotApplicable(*assumption, run.clone());
            return proof;
        }
        Known::All => true,
        Known::Partly(why) => {
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

/// The searches: for canonical cycles of each length if the system is symmetric, else for cycles of any order.
pub fn cycles<M: MemorySystem>(
    system: &M,
    is_symmetric: bool,
    options: &Options,
    report: &mut dyn FnMut(&Progress),
) -> Vec<Search> {
    let shape = system.shape();
    let mut searches = Vec::new();
    for k in 1..=shape.processors.min(shape.locations) {
        let orders = if is_symmetric { vec![Order::canonical(k)] } else { Order::all(shape, k) };
        for order in orders {
            let composed = if is_symmetric && !options.without_symmetry {
                Composed::symmetric(system, k)
            } else {
                Composed::new(system, order.clone())
            };
            let (outcome, progress) = breadth_first(&composed, &options.limits.again(), report);
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
        words.push(composed.told(before, *event, after));
        before = after;
    }
    let run: Vec<Event> = run.steps.iter().map(|(event, _)| *event).collect();
    Counterexample { cycle: NiceCycle::find(composed, order, &run), words, run }
}
