//! What the method takes for granted (sections 3 and 7), checked on the states of the system itself.
//!
//! - *Symmetric*: with processors, or locations, called by other names, it can do the same.
//! - *Data-independent*: with values called by other names, so that 0 stays 0, it can do the same, also where two values
//!   get one name; and a write may write any value.
//! - *Causal*: a read returns 0 or what has been written there.
//!
//! Each is checked at every state with the values 0 to 2, for names from which all others can be made; causality by a search
//! in which nobody writes 2, so that nobody may read it. That a system is
//! data-independent for any number of values cannot be checked so; it follows if it only moves values, as those here do.

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

/// What is known of the assumptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// All hold, in all states.
    All,
    /// One does not hold, after these events. If it is the symmetry, the others do.
    Broken(Assumption, Vec<Event>),
    /// All hold in the states that were looked at.
    Partly(Stopped),
}

/// All states, to check other names in.
struct Watched<'a, M> {
    system: &'a M,
    checks: Vec<(Assumption, Renaming)>,
}

/// The states without writes of 2, to look for reads of it.
struct Unwritten<'a, M>(&'a M);

const UNWRITTEN: u8 = 2;

/// Checks the assumptions, all states being looked at that the limits allow. The progress is that of the larger search.
pub fn check<M: MemorySystem>(
    system: &M,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress),
) -> (Known, Progress) {
    let shape = system.shape();
    let (causal, progress) = look(&Unwritten(system), limits, report);
    if causal != Known::All {
        return (causal, progress);
    }
    let checks = [exchanges(shape), names_at(shape, 0)].concat();
    let (known, progress) = look(&Watched { system, checks }, limits, report);
    if !matches!(known, Known::Broken(Assumption::Symmetry, _)) {
        return (known, progress);
    }
    // Without symmetry, what holds for one location need not for the others.
    let locations = 0..usize::from(shape.locations);
    let checks = locations.flat_map(|location| names_at(shape, location));
    let checks = checks.collect();
    match look(&Watched { system, checks }, limits, report) {
        (Known::All, _) => (known, progress),
        other => other,
    }
}

fn look<G: Graph<Move = Event, Goal = Assumption>>(
    graph: &G,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress),
) -> (Known, Progress) {
    let (outcome, progress) = breadth_first(graph, limits, report);
    let known = match outcome {
        Outcome::Found(run) => {
            let events = run.steps.iter().map(|(event, _)| *event);
            Known::Broken(run.goal, events.collect())
        }
        Outcome::None => Known::All,
        Outcome::Stopped(why) => Known::Partly(why),
    };
    (known, progress)
}

/// Neighbours exchanged: all permutations are made of these.
fn exchanges(shape: SystemSize) -> Vec<(Assumption, Renaming)> {
    let identity = Renaming::identity(shape);
    let mut renamings = Vec::new();
    for at in 1..usize::from(shape.processors) {
        let mut renaming = identity.clone();
        renaming.processors.swap(at - 1, at);
        renamings.push((Assumption::Symmetry, renaming));
    }
    for at in 1..usize::from(shape.locations) {
        let mut renaming = identity.clone();
        renaming.locations.swap(at - 1, at);
        renamings.push((Assumption::Symmetry, renaming));
    }
    renamings
}

/// Other names for the values of a location: exchanged, the same, and the same as 0.
fn names_at(shape: SystemSize, location: usize) -> Vec<(Assumption, Renaming)> {
    let renaming = |[of_1, of_2]: [u8; 2]| {
        let mut renaming = Renaming::identity(shape);
        let names = &mut renaming.values[location];
        names[1] = of_1;
        names[2] = of_2;
        (Assumption::DataIndependence, renaming)
    };
    [[2, 1], [1, 1], [0, 1]].map(renaming).into()
}

impl<M: MemorySystem> Watched<'_, M> {
    fn events(&self, state: &M::State) -> Vec<(Event, M::State)> {
        let mut events = Vec::new();
        let mut keep = |event, next| events.push((event, next));
        self.system.events(state, &mut keep);
        events
    }

    /// Whether a state with other names can do the same with other names, and nothing else.
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
        // Where two values get one name, nobody writes the other.
        let is_name = |(event, _): &(Event, M::State)| match *event {
            Event::Access(access) if access.writes => {
                renaming.values[usize::from(access.location)].contains(&access.value)
            }
            _ => true,
        };
        let others_named: Vec<_> = others.iter().filter(|it| is_name(it)).cloned().collect();
        all_in(&renamed, &others) && all_in(&others_named, &renamed)
    }

    /// Whether all values may be written where one may.
    fn writes_anything(&self, events: &[(Event, M::State)]) -> bool {
        let values = self.system.shape().values;
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

impl<M: MemorySystem> Graph for Watched<'_, M> {
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

impl<M: MemorySystem> Graph for Unwritten<'_, M> {
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
