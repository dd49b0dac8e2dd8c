//! A simulated protocol as a memory system, in which nice cycles are searched.
//!
//! An access happens when the protocol performs it; a move that performs none is an internal event.
//! A protocol moves blocks without looking at them, so it is data-independent by construction.
//! Whether it is symmetric is unknown, so cycles of every order are searched. Runs in which the
//! protocol fails end there: finding those is the task of [`protocol`](crate::protocol).

use std::cell::RefCell;

use serde::{Deserialize, Serialize};
use simulate::stepper::{
    self, Action, Move, Repertoire, Scope, Stepper, StepperError, UnderWay, Values,
};
use slicc::protocol::Protocol;

use super::method::{Options, Search, VALUES, cycles};
use super::{Access, Event, MemorySystem, Renaming, SystemSize};
use crate::search::Progress;

/// The protocol, its cores as processors, and its lines as locations.
pub struct Slicc {
    stepper: RefCell<Stepper>,
    size: SystemSize,
}

/// A state of the protocol, with accesses of the last move that become events of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    protocol: Vec<u8>,
    pending: Vec<(bool, u8, u8, u8)>,
}

/// Searches for nice cycles of every length and order in a protocol of this size, whose cores have
/// one request at a time.
///
/// # Errors
/// Fails if the [`Stepper`] does not support the protocol or the size.
pub fn nice_cycles(
    protocol: &Protocol,
    scope: &Scope,
    options: &Options,
    report: &mut dyn FnMut(&Progress),
) -> Result<Vec<Search>, StepperError> {
    let values = Values::Numbers(VALUES);
    let scope = Scope { requests: 1, repertoire: Repertoire::default(), values, ..scope.clone() };
    let system = Slicc {
        stepper: RefCell::new(Stepper::new(protocol, &scope)?),
        size: SystemSize {
            processors: scope.caches as u8,
            locations: scope.lines as u8,
            values: VALUES,
        },
    };
    Ok(cycles(&system, false, options, report))
}

/// An access as the automata see it: they do not distinguish values above [`VALUES`].
fn seen(access: &stepper::Access) -> (bool, u8, u8, u8) {
    let value = access.value.min(u64::from(VALUES) + 1) as u8;
    let writes = access.action == Action::Store;
    (writes, access.core as u8, access.line as u8, value)
}

fn event((writes, processor, location, value): (bool, u8, u8, u8)) -> Event {
    Event::Access(Access { writes, processor, location, value })
}

/// The internal event of a move that performs no access.
fn internal(chosen: Move) -> Event {
    let number = |number: usize| Some(number as u8);
    match chosen {
        Move::Ask { core, line, .. } => Event::Internal("ASK", number(core), number(line)),
        Move::Arrive { buffer, .. } => Event::Internal("ARRIVE", number(buffer), None),
        Move::Memory { buffer, .. } => Event::Internal("MEMORY", number(buffer), None),
        Move::Wake { controller } => Event::Internal("WAKE", number(controller), None),
        Move::Timer { table, .. } => Event::Internal("TIMER", number(table), None),
    }
}

impl Slicc {
    /// Calls `visit` with the moves of a state that do not fail, their events, and the states after
    /// them.
    fn steps(&self, state: &State, visit: &mut dyn FnMut(Move, Event, State)) {
        let mut stepper = self.stepper.borrow_mut();
        for chosen in stepper.moves(&state.protocol) {
            let outcome = stepper.take(&state.protocol, chosen);
            let Ok(protocol) = outcome.state else {
                continue;
            };
            let mut performed = outcome.performed.iter().map(seen);
            let happens = performed.next().map_or(internal(chosen), event);
            let pending = performed.collect();
            visit(chosen, happens, State { protocol, pending });
        }
    }
}

impl MemorySystem for Slicc {
    type State = State;

    fn size(&self) -> SystemSize {
        self.size
    }

    fn initial(&self) -> Vec<State> {
        vec![State { protocol: self.stepper.borrow().first(), pending: Vec::new() }]
    }

    fn events(&self, state: &State, visit: &mut dyn FnMut(Event, State)) {
        if let Some((&first, others)) = state.pending.split_first() {
            let next = State { pending: others.to_vec(), protocol: state.protocol.clone() };
            return visit(event(first), next);
        }
        self.steps(state, &mut |_, happens, next| visit(happens, next));
    }

    /// Not used, since the protocol is not assumed to be symmetric.
    fn renamed(&self, state: &State, _: &Renaming) -> State {
        state.clone()
    }

    /// The move in words, with the access.
    fn describe(&self, before: &State, event: Event, after: &State) -> String {
        let mut found = None;
        if before.pending.is_empty() {
            self.steps(before, &mut |chosen, happens, next| {
                if found.is_none() && happens == event && next == *after {
                    found = Some(chosen);
                }
            });
        }
        let described = found.map(|chosen| {
            let mut stepper = self.stepper.borrow_mut();
            stepper.describe(&before.protocol, chosen, &mut UnderWay::default()).0.happens
        });
        match (described, event) {
            (Some(happens), Event::Access(access)) => format!("{happens}: {access}"),
            (Some(happens), Event::Internal(..)) => happens,
            (None, event) => event.to_string(),
        }
    }
}
