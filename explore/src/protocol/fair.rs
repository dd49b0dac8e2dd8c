//! Looks for starvation: a request that waits for ever in a fair run, although all cores, controllers and messages make progress.
//!
//! A run is *fair* if a message that may arrive again and again arrives at some time (strong fairness), and if a controller that may be
//! woken all the time is woken at some time; likewise a timer expires, and a core that has locked a line unlocks it (weak fairness). Cores
//! and devices need not issue requests, and may issue them for ever. A request *starves* if it is under way at all times of a fair run from
//! some point on. Such a run is a lasso: a stem that leads to a cycle, which is then repeated.
//!
//! [`starvation`] explores all states without symmetry, keeps all moves, and looks for a fair cycle (`graph`) among the states in which a
//! request is under way. As many requests of cores and devices as possible are left out of the cycle, so that it shows only those that are
//! needed.
//!
//! This is more than the check for livelocks of [`explore`](super::explore), which finds states from which *no* run completes the requests.
//! A request that starves may be completed in some other run, but fairness does not ensure that it is.

mod graph;

use std::time::Instant;

use rustc_hash::FxHashMap;
use simulate::stepper::{
    Action, DescribedMove, Label, Move, PartStepper, Party, Scope, Stepper, StepperError, UnderWay,
};
use slicc::protocol::Protocol;

use super::states::{States, Unpacked};
use super::{Finding, Store};
use crate::search::{Limits, Progress, Stopped, stopped};
use graph::{Edge, Fairness, Graph};

/// The largest number of states among which starvation is looked for.
pub const MOST_STATES: usize = 10_000_000;
/// Number of explored states between two checks of time and memory.
const STATES_PER_CHECK: usize = 1 << 10;
/// Number of explored states between two reports of progress.
const STATES_PER_REPORT: usize = 1 << 14;

/// A fair run in which a request waits for ever.
#[derive(Clone, Debug)]
pub struct Starvation {
    /// The core or device that waits, such as `core 0`.
    pub who: String,
    /// The number of the line.
    pub line: usize,
    /// The moves that lead to the cycle, in words.
    pub stem: Vec<DescribedMove>,
    /// The moves of the cycle, in words.
    pub cycle: Vec<DescribedMove>,
}

impl Starvation {
    /// The finding, as a sentence.
    pub fn sentence(&self) -> String {
        format!(
            "starvation: {} may wait for line {} for ever, although every message arrives and every controller goes on",
            self.who, self.line
        )
    }
}

/// Whether a request may starve.
#[derive(Clone, Debug)]
pub enum Fate {
    /// In every fair run, each request is completed.
    Completes,
    /// In some fair run, a request is never completed.
    Starves(Box<Starvation>),
    /// A limit came first, of time, memory or states.
    Stopped(Stopped),
}

/// The result of looking for starvation.
#[derive(Clone, Debug)]
pub struct Fair {
    /// Whether a request may starve.
    pub fate: Fate,
    /// The extent of the search.
    pub progress: Progress,
    /// The participants of runs, with their names.
    pub parties: Vec<(Party, String)>,
}

/// Looks for starvation, in a protocol whose exploration found nothing else. Runs that end with a finding are left out.
///
/// # Errors
/// Fails if the protocol or the scope is not supported by the [`Stepper`].
pub fn starvation(
    protocol: &Protocol,
    scope: &Scope,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress),
) -> Result<Fair, StepperError> {
    let scope = Scope { symmetries: Vec::new(), ..scope.clone() };
    let mut explorer = Explorer::new(PartStepper::new(Stepper::new(protocol, &scope)?));
    let stopped = explorer.explore(limits, report);
    let fate = match stopped {
        Some(why) => Fate::Stopped(why),
        None => match explorer.lasso() {
            Some(found) => Fate::Starves(Box::new(found)),
            None => Fate::Completes,
        },
    };
    let parties = explorer.stepper.stepper().parties();
    Ok(Fair { fate, progress: explorer.progress, parties })
}

/// Explores all states and keeps all moves.
struct Explorer {
    stepper: PartStepper,
    states: States,
    graph: Graph,
    labels: FxHashMap<Label, u32>,
    /// The labels, by their numbers.
    names: Vec<Label>,
    /// For each state but the first, the state from which it was found.
    parents: Vec<u32>,
    /// For each state, the requests under way.
    requests: Vec<u64>,
    progress: Progress,
}

impl Explorer {
    fn new(mut stepper: PartStepper) -> Explorer {
        let mut states =
            States::new(stepper.known().width(), stepper.known().groups(), Store::Exact, 0);
        let first = stepper.first();
        // The first state is always new.
        let _ = states.number(&first, &Unpacked::default());
        Explorer {
            requests: vec![stepper.known().requests(&first)],
            parents: vec![0],
            stepper,
            states,
            graph: Graph::default(),
            labels: FxHashMap::default(),
            names: Vec::new(),
            progress: Progress::default(),
        }
    }

    /// Explores until a limit is met.
    fn explore(&mut self, limits: &Limits, report: &mut dyn FnMut(&Progress)) -> Option<Stopped> {
        let begun = Instant::now();
        let most = limits.states.unwrap_or(MOST_STATES).min(MOST_STATES);
        let (mut moves, mut edges) = (Vec::new(), Vec::new());
        let (mut before, mut after) = (Unpacked::default(), vec![0; self.stepper.known().width()]);
        while self.graph.len() < self.states.len() {
            let at = self.graph.len();
            edges.clear();
            if self.states.finding(at).is_none() {
                self.states.unpack(at, &mut before);
                self.stepper.known().moves(before.parts(), &mut moves);
                for &chosen in &moves {
                    edges.push(self.edge(at as u32, chosen, &before, &mut after));
                }
            }
            self.graph.push(&edges);
            self.progress.moves += edges.len() as u64;
            self.progress.states = self.states.len();
            self.progress.open = self.states.len() - self.graph.len();
            if self.states.len() > most {
                return Some(Stopped::Count);
            }
            if at.is_multiple_of(STATES_PER_CHECK) {
                self.progress.bytes = self.bytes();
                self.progress.time = begun.elapsed();
                if let Some(why) = stopped(limits, &self.progress) {
                    return Some(why);
                }
            }
            if at.is_multiple_of(STATES_PER_REPORT) {
                report(&self.progress);
            }
        }
        self.progress.bytes = self.bytes();
        self.progress.time = begun.elapsed();
        None
    }

    /// The edge of a move. One that leads to a finding leads to a state of its own, where the run ends.
    fn edge(&mut self, from: u32, chosen: Move, before: &Unpacked, after: &mut [u32]) -> Edge {
        let label = self.stepper.known().label(before.parts(), chosen);
        let (to, requests) = match self.stepper.take(before.parts(), chosen, after) {
            Ok(()) => (self.states.number(after, before), self.stepper.known().requests(after)),
            Err(_) => (self.states.number_of_finding(Finding::Fault), 0),
        };
        let to = to.unwrap_or_else(|new| {
            self.parents.push(from);
            self.requests.push(requests);
            new
        });
        let number = self.names.len() as u32;
        let label = *self.labels.entry(label).or_insert_with(|| {
            self.names.push(label);
            self.graph.fairness.push(fairness(label));
            number
        });
        Edge { to, label }
    }

    fn bytes(&self) -> usize {
        self.states.bytes()
            + self.stepper.known().bytes()
            + self.graph.bytes()
            + 12 * self.parents.len()
    }

    /// A fair run in which a request starves.
    fn lasso(&mut self) -> Option<Starvation> {
        let (agents, lines) = (8, self.stepper.stepper().lines());
        (0..lines * agents).find_map(|bit| {
            let (line, agent) = (bit / agents, bit % agents);
            let waits = |state: &u32| self.requests[*state as usize] >> bit & 1 == 1;
            let states: Vec<u32> = (0..self.requests.len() as u32).filter(waits).collect();
            let component = self.graph.fair_component(states, &|_| false)?;
            let (component, dropped) = self.needed(component);
            let cycle = self.graph.cycle(&component, &|label| dropped.contains(&label));
            let stem = self.stem(*component.first()?);
            let mut under_way = UnderWay::default();
            Some(Starvation {
                who: self.stepper.stepper().agent_name(agent),
                line,
                stem: self.described(&stem, &mut under_way),
                cycle: self.described(&cycle, &mut under_way),
            })
        })
    }

    /// A part of a component that is fair without many of the requests of cores and devices, and the labels of these requests.
    fn needed(&self, mut component: Vec<u32>) -> (Vec<u32>, Vec<u32>) {
        let asks = |label: &u32| matches!(self.names[*label as usize], Label::Asks { .. });
        let mut dropped = Vec::new();
        for label in (0..self.names.len() as u32).filter(asks) {
            if self.graph.fairness[label as usize] != Fairness::None {
                continue;
            }
            dropped.push(label);
            match self.graph.fair_component(component.clone(), &|one| dropped.contains(&one)) {
                Some(smaller) => component = smaller,
                None => {
                    dropped.pop();
                }
            }
        }
        (component, dropped)
    }

    /// The shortest way to a state: states, each with the label of the move from it.
    fn stem(&self, to: u32) -> Vec<(u32, u32)> {
        let mut path = Vec::new();
        let mut at = to;
        while at != 0 {
            let parent = self.parents[at as usize];
            let edges = self.graph.edges(parent).iter();
            let label = edges.into_iter().find(|edge| edge.to == at).map(|edge| edge.label);
            path.push((parent, label.unwrap_or(0)));
            at = parent;
        }
        path.reverse();
        path
    }

    /// Describes a walk in words. `under_way` has the requests that are under way at its beginning.
    fn described(&mut self, walk: &[(u32, u32)], under_way: &mut UnderWay) -> Vec<DescribedMove> {
        let mut described = Vec::new();
        for &(state, label) in walk {
            if self.states.finding(state as usize).is_some() {
                continue;
            }
            let (mut before, mut moves) = (Unpacked::default(), Vec::new());
            self.states.unpack(state as usize, &mut before);
            self.stepper.known().moves(before.parts(), &mut moves);
            let name = self.names[label as usize];
            let chosen = moves
                .into_iter()
                .find(|one| self.stepper.known().label(before.parts(), *one) == name);
            if let Some(chosen) = chosen {
                let whole = self.stepper.whole(before.parts());
                described.push(self.stepper.stepper().describe(&whole, chosen, under_way).0);
            }
        }
        described
    }
}

/// The fairness of the moves with a label.
fn fairness(label: Label) -> Fairness {
    match label {
        Label::Asks { action: Action::LockedWrite, .. } => Fairness::Weak,
        Label::Asks { .. } => Fairness::None,
        Label::Arrives { .. } => Fairness::Strong,
        Label::Wakes { .. } | Label::Expires { .. } => Fairness::Weak,
    }
}
