//! Breadth-first search, which finds a shortest run to a goal.
//!
//! States are stored in serialized form, each with its parent only. The moves of a run are
//! recomputed when the run is shown, which also yields the actual states instead of their
//! representatives.

use std::hash::BuildHasherDefault;
use std::mem::size_of;
use std::time::{Duration, Instant};

use check::Bounds;
use host::Exceeded;
use indexmap::IndexSet;
use rustc_hash::FxHasher;

use crate::graph::Graph;

/// Number of explored states between two reports of progress.
const REPORT_EVERY: usize = 4096;

/// The limits of a search. A copy ends at the same time.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Time and memory.
    pub bounds: Bounds,
    /// The largest number of states to remember.
    pub states: Option<usize>,
}

/// The extent of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The number of states that were found.
    pub states: usize,
    /// The number of those states whose moves were not explored.
    pub open: usize,
    /// The number of moves, including those to known states.
    pub moves: u64,
    /// The number of moves on a shortest run to the last explored state.
    pub depth: u32,
    /// The bytes that the states and their parents occupy.
    pub bytes: usize,
    /// The part of `bytes` for the parts of states, each of which is stored once.
    pub bytes_of_parts: usize,
    /// The part of `bytes` for learnt effects of moves, which can be forgotten and learnt again.
    pub bytes_of_moves: usize,
    /// The time that the search took.
    pub time: Duration,
}

impl Progress {
    /// The number of states found in a second.
    pub fn states_per_second(&self) -> f64 {
        self.states as f64 / self.time.as_secs_f64().max(1e-6)
    }
}

/// The reason why a search or an exploration of runs ended early: a limit, or the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The time limit.
    Time,
    /// The memory limit.
    Memory,
    /// The limit of the number of states, or of runs.
    Count,
    /// The user, where the bounds can be interrupted.
    Interrupted,
}

impl Stopped {
    /// The bound that was met, if one was.
    pub(crate) fn by(bounds: &Bounds) -> Option<Stopped> {
        bounds.passed().then(|| match bounds.exceeded() {
            Some(Exceeded::Memory) => Stopped::Memory,
            Some(Exceeded::Interrupted) => Stopped::Interrupted,
            _ => Stopped::Time,
        })
    }

    /// The name in JSON; `counted` is what [`Stopped::Count`] counts.
    pub fn name(self, counted: &'static str) -> &'static str {
        match self {
            Stopped::Time => "time",
            Stopped::Memory => "memory",
            Stopped::Count => counted,
            Stopped::Interrupted => "interrupted",
        }
    }
}

/// A shortest run to a goal.
#[derive(Clone, Debug)]
pub struct Run<G: Graph> {
    /// The first state.
    pub first: G::State,
    /// The moves, each with the state after it.
    pub steps: Vec<(G::Move, G::State)>,
    /// The goal at the end.
    pub goal: G::Goal,
}

impl<G: Graph> Run<G> {
    /// The state at its end.
    pub fn last(&self) -> &G::State {
        self.steps.last().map_or(&self.first, |(_, state)| state)
    }
}

/// The outcome of a search.
#[derive(Debug)]
pub enum Outcome<G: Graph> {
    /// A shortest run to a goal.
    Found(Run<G>),
    /// No reachable state fulfils a goal.
    None,
    /// The search ended early, so nothing is known.
    Stopped(Stopped),
}

/// The states found so far, in order.
struct Visited {
    packed: IndexSet<Box<[u8]>, BuildHasherDefault<FxHasher>>,
    /// For each state, the one from which it was found first; for an initial state, itself.
    parents: Vec<u32>,
    bytes: usize,
}

impl Visited {
    /// Adds a state unless it is known, and returns its number.
    fn add(&mut self, packed: Vec<u8>, parent: Option<usize>) -> usize {
        let bytes = packed.len();
        let (at, is_new) = self.packed.insert_full(packed.into_boxed_slice());
        if is_new {
            self.parents.push(parent.unwrap_or(at) as u32);
            // The box, the set's hash and index, and the parent.
            self.bytes += bytes.max(16) + size_of::<Box<[u8]>>() + 8 + 8 + 4;
        }
        at
    }
}

/// Searches the reachable states for a goal, and calls `report` with the progress every few
/// thousand states. Time is proportional to the number of moves; memory is [`Progress::bytes`].
///
/// # Panics
/// Panics if a state cannot be serialized, or if there are more than 2^32 states.
pub fn breadth_first<G: Graph>(
    graph: &G,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress),
) -> (Outcome<G>, Progress) {
    let begun = Instant::now();
    let mut seen = Visited { packed: IndexSet::default(), parents: Vec::new(), bytes: 0 };
    for state in graph.initial() {
        seen.add(pack(&graph.representative(state)), None);
    }
    let mut progress = Progress::default();
    let mut layer_ends = seen.packed.len();
    let mut at = 0;
    let outcome = loop {
        let Some(packed) = seen.packed.get_index(at) else {
            break Outcome::None;
        };
        if at == layer_ends {
            progress.depth += 1;
            layer_ends = seen.packed.len();
        }
        let state = unpack::<G>(packed);
        let mut goal = graph.goal(&state);
        if goal.is_none() {
            let before = progress.moves;
            graph.moves(&state, &mut |_, next| {
                progress.moves += 1;
                seen.add(pack(&graph.representative(next)), Some(at));
            });
            if progress.moves == before {
                goal = graph.dead_end(&state);
            }
        }
        if let Some(goal) = goal {
            break Outcome::Found(retrace(graph, &seen, at, goal));
        }
        at += 1;
        progress.states = seen.packed.len();
        progress.open = seen.packed.len() - at;
        progress.bytes = seen.bytes;
        if let Some(why) = stopped(limits, &progress) {
            break Outcome::Stopped(why);
        }
        if at.is_multiple_of(REPORT_EVERY) {
            progress.time = begun.elapsed();
            report(&progress);
        }
    };
    progress.states = seen.packed.len();
    progress.bytes = seen.bytes;
    progress.time = begun.elapsed();
    (outcome, progress)
}

/// The limit that a search has met, if it has.
pub(crate) fn stopped(limits: &Limits, progress: &Progress) -> Option<Stopped> {
    if progress.open == 0 {
        return None;
    }
    if limits.states.is_some_and(|most| progress.states >= most) {
        return Some(Stopped::Count);
    }
    Stopped::by(&limits.bounds)
}

fn pack<S: serde::Serialize>(state: &S) -> Vec<u8> {
    postcard::to_stdvec(state).expect("states can be packed")
}

fn unpack<G: Graph>(packed: &[u8]) -> G::State {
    postcard::from_bytes(packed).expect("what was packed can be unpacked")
}

/// The run to a state that fulfils the goal, through its ancestors, with the first possible move between each two.
fn retrace<G: Graph>(graph: &G, seen: &Visited, at: usize, goal: G::Goal) -> Run<G> {
    let mut ancestors = vec![at];
    let mut next = at;
    while seen.parents[next] as usize != next {
        next = seen.parents[next] as usize;
        ancestors.push(next);
    }
    let packed = |at: usize| &seen.packed[at];
    let same = |state: &G::State, at: usize| {
        pack(&graph.representative(state.clone())).as_slice() == &**packed(at)
    };
    let first = graph
        .initial()
        .into_iter()
        .find(|state| same(state, next))
        .expect("the run begins with an initial state");
    let mut steps: Vec<(G::Move, G::State)> = Vec::new();
    for &at in ancestors.iter().rev().skip(1) {
        let state = steps.last().map_or(&first, |(_, state)| state).clone();
        let mut step = None;
        graph.moves(&state, &mut |taken, state| {
            if step.is_none() && same(&state, at) {
                step = Some((taken, state));
            }
        });
        steps.push(step.expect("a state follows from its parent"));
    }
    Run { first, steps, goal }
}
