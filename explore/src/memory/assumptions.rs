//! Checks the assumptions of the method (sections 3 and 7) on the states of a system.
//!
//! - *Symmetric*: if processors or locations are renamed, the system can do the same.
//! - *Data-independent*: if values are renamed, with 0 staying 0, the system can do the same, even
//!   if two values get the same name; and a write may write any value.
//! - *Causal*: a read returns 0 or a value that was written to the location.
//!
//! Each is checked in every state with the values 0 to 2, for renamings that generate all others.
//! Causality is checked by a search without writes of 2, in which no read may return 2. Data
//! independence for any number of values cannot be checked in this way; it holds for systems that
//! only move values, as those here do.

use super::{Access, Event, MemorySystem, Renaming, SystemSize};
use crate::graph::Graph;
use crate::search::{Limits, Outcome, Progress, Stopped, breadth_first};

/// An assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// Processors or locations can be exchanged.
    Symmetry,
    /// Values can be exchanged, and made the same.
    DataIndependence,
    /// Reads return what was written.
    Causality,
}

/// The result of checking the assumptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssumptionStatus {
    /// All hold, in all states.
    All,
    /// One does not hold, after these events. If it is the symmetry, the others hold.
    Broken(Assumption, Vec<Event>),
    /// All hold in the states that were visited before a limit was reached.
    Partly(Stopped),
}

/// The graph of all states, in which renamings are checked.
struct RenamingCheck<'a, M> {
    system: &'a M,
    checks: Vec<(Assumption, Renaming)>,
}

/// The graph of the states without writes of 2, in which no read may return 2.
struct CausalityCheck<'a, M>(&'a M);

const UNWRITTEN: u8 = 2;

/// Checks the assumptions in all states within the limits. The progress returned is that of the
/// larger search.
pub fn check<M: MemorySystem>(
    system: &M,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress),
) -> (AssumptionStatus, Progress) {
    let size = system.size();
    let (causal, progress) = search(&CausalityCheck(system), limits, report);
    if causal != AssumptionStatus::All {
        return (causal, progress);
    }
    let checks = [exchanges(size), names_at(size, 0)].concat();
    let (known, progress) = search(&RenamingCheck { system, checks }, limits, report);
    if !matches!(known, AssumptionStatus::Broken(Assumption::Symmetry, _)) {
        return (known, progress);
    }
    // Without symmetry, data independence has to be checked for each location.
    let locations = 0..usize::from(size.locations);
    let checks = locations.flat_map(|location| names_at(size, location));
    let checks = checks.collect();
    match search(&RenamingCheck { system, checks }, limits, report) {
        (AssumptionStatus::All, _) => (known, progress),
        other => other,
    }
}

fn search<G: Graph<Move = Event, Goal = Assumption>>(
    graph: &G,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress),
) -> (AssumptionStatus, Progress) {
    let (outcome, progress) = breadth_first(graph, limits, report);
    let known = match outcome {
        Outcome::Found(run) => {
            let events = run.steps.iter().map(|(event, _)| *event);
            AssumptionStatus::Broken(run.goal, events.collect())
        }
        Outcome::None => AssumptionStatus::All,
        Outcome::Stopped(why) => AssumptionStatus::Partly(why),
    };
    (known, progress)
}

/// The exchanges of neighbours, which generate all permutations.
fn exchanges(size: SystemSize) -> Vec<(Assumption, Renaming)> {
    let identity = Renaming::identity(size);
    let mut renamings = Vec::new();
    for at in 1..usize::from(size.processors) {
        let mut renaming = identity.clone();
        renaming.processors.swap(at - 1, at);
        renamings.push((Assumption::Symmetry, renaming));
    }
    for at in 1..usize::from(size.locations) {
        let mut renaming = identity.clone();
        renaming.locations.swap(at - 1, at);
        renamings.push((Assumption::Symmetry, renaming));
    }
    renamings
}

/// Renamings of the values of a location: 1 and 2 exchanged, 1 and 2 made equal, and 1 made equal
/// to 0.
fn names_at(size: SystemSize, location: usize) -> Vec<(Assumption, Renaming)> {
    let renaming = |[of_1, of_2]: [u8; 2]| {
        let mut renaming = Renaming::identity(size);
        let names = &mut renaming.values[location];
        names[1] = of_1;
        names[2] = of_2;
        (Assumption::DataIndependence, renaming)
    };
    [[2, 1], [1, 1], [0, 1]].map(renaming).into()
}

impl<M: MemorySystem> RenamingCheck<'_, M> {
    fn events(&self, state: &M::State) -> Vec<(Event, M::State)> {
        let mut events = Vec::new();
        let mut keep = |event, next| events.push((event, next));
        self.system.events(state, &mut keep);
        events
    }

    /// Whether the renamed state has exactly the renamed events.
    fn same(&self, state: &M::State, events: &[(Event, M::State)], renaming: &Renaming) -> bool {
        let others = self.events(&self.system.renamed(state, renaming));
        let renamed = events.iter().map(|(event, next)| {
            let next = self.system.renamed(next, renaming);
            (event.renamed(renaming), next)
        });
        let renamed: Vec<_> = renamed.collect();
        let all_in = |some: &[(Event, M::State)], all: &[(Event, M::State)]| {
            some.iter().all(|it| all.contains(it))
        };
        // If two values get the same name, no renamed write writes the other one.
        let is_name = |(event, _): &(Event, M::State)| match *event {
            Event::Access(access) if access.writes => {
                renaming.values[usize::from(access.location)].contains(&access.value)
            }
            _ => true,
        };
        let others_named: Vec<_> = others.iter().filter(|it| is_name(it)).cloned().collect();
        all_in(&renamed, &others) && all_in(&others_named, &renamed)
    }

    /// Whether every value may be written where one may.
    fn writes_anything(&self, events: &[(Event, M::State)]) -> bool {
        let values = self.system.size().values;
        let writes = |event: &Event| match *event {
            Event::Access(access) => access.writes.then_some(access),
            Event::Internal(..) => None,
        };
        let has = |access: Access, value| {
            events.iter().any(|(event, _)| *event == Event::Access(Access { value, ..access }))
        };
        let all = events.iter().filter_map(|(event, _)| writes(event));
        all.into_iter().all(|access| (0..=values).all(|value| has(access, value)))
    }
}

impl<M: MemorySystem> Graph for RenamingCheck<'_, M> {
    type State = M::State;
    type Move = Event;
    type Goal = Assumption;

    fn initial(&self) -> Vec<M::State> {
        self.system.initial()
    }

    fn moves(&self, state: &M::State, visit: &mut dyn FnMut(Event, M::State)) {
        self.system.events(state, visit);
    }

    fn goal(&self, state: &M::State) -> Option<Assumption> {
        let events = self.events(state);
        if !self.writes_anything(&events) {
            return Some(Assumption::DataIndependence);
        }
        let mut checks = self.checks.iter();
        let broken = checks.find(|(_, renaming)| !self.same(state, &events, renaming));
        broken.map(|(assumption, _)| *assumption)
    }
}

impl<M: MemorySystem> Graph for CausalityCheck<'_, M> {
    type State = M::State;
    type Move = Event;
    type Goal = Assumption;

    fn initial(&self) -> Vec<M::State> {
        self.0.initial()
    }

    fn moves(&self, state: &M::State, visit: &mut dyn FnMut(Event, M::State)) {
        self.0.events(state, &mut |event, next| match event {
            Event::Access(access) if access.writes && access.value == UNWRITTEN => {}
            _ => visit(event, next),
        });
    }

    fn goal(&self, state: &M::State) -> Option<Assumption> {
        let mut reads = false;
        self.0.events(state, &mut |event, _| {
            reads |= matches!(event, Event::Access(access) if !access.writes && access.value == UNWRITTEN);
        });
        reads.then_some(Assumption::Causality)
    }
}
