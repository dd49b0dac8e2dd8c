//! All runs of a program under SC, TSO or PSO: the possible outcomes, and a shortest run to a
//! fault.
//!
//! A step is an event with the local instructions that follow it, or a store that reaches memory.

use std::cell::RefCell;
use std::collections::BTreeSet;

use check::Model;

use super::compile::Program;
use super::machine::{EarlyEnd, Event, Fault, Machine, Outcome, ProgramState};
use crate::graph::Graph;
use crate::search::{self, Limits, Progress, Stopped, breadth_first};

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// A thread's next access or fence; there is no event if it fails.
    Step(usize, Option<Event>),
    /// A store of a thread reaches memory: the thread, the location and the value.
    Commit(usize, u32, i64),
}

/// The result of an exploration.
#[derive(Clone, Debug)]
pub struct Report {
    /// The model under which the program was explored.
    pub model: Model,
    /// The names of the numbers in an outcome.
    pub names: Vec<String>,
    /// The possible outcomes.
    pub outcomes: BTreeSet<Outcome>,
    /// Number of states in which a loop has reached its bound.
    pub cut_off: u64,
    /// The fault with the shortest run, and that run.
    pub fault: Option<(Fault, Vec<Move>)>,
    /// Number of distinct faults.
    pub faults: usize,
    /// The extent of the search.
    pub progress: Progress,
    /// The limit that ended the search, if one did.
    pub stopped: Option<Stopped>,
}

/// Explores all runs under a model, within limits, and calls `progress` regularly.
pub fn explore(
    program: &Program,
    model: Model,
    limits: &Limits,
    progress: &mut dyn FnMut(&Progress),
) -> Report {
    let runs = Runs::new(program, model, false);
    if let Err(stop) = runs.machine.start() {
        runs.ends.borrow_mut().stop(stop);
    }
    let (outcome, reached) = breadth_first(&runs, limits, progress);
    let ends = runs.ends.into_inner();
    let fault = ends.faults.first().map(|&first| {
        // This visits the same states in the same order, up to the first one with a fault.
        let (outcome, _) = breadth_first(&Runs::new(program, model, true), limits, progress);
        match outcome {
            search::Outcome::Found(run) => {
                let moves = run.steps.into_iter().map(|(step, _)| step);
                (run.goal, moves.collect())
            }
            _ => (first, Vec::new()),
        }
    });
    Report {
        model,
        names: runs.machine.names(),
        outcomes: ends.outcomes,
        cut_off: ends.cut_off,
        fault,
        faults: ends.faults.len(),
        progress: reached,
        stopped: match outcome {
            search::Outcome::Stopped(why) => Some(why),
            _ => None,
        },
    }
}

/// The ends of runs.
#[derive(Default)]
struct Ends {
    outcomes: BTreeSet<Outcome>,
    cut_off: u64,
    faults: BTreeSet<Fault>,
}

impl Ends {
    fn stop(&mut self, stop: EarlyEnd) {
        match stop {
            EarlyEnd::CutOff(_) => self.cut_off += 1,
            EarlyEnd::Fault(fault) => {
                self.faults.insert(fault);
            }
        }
    }
}

/// The graph of a program's runs.
struct Runs<'a> {
    machine: Machine<'a>,
    /// Whether the search is for a fault; otherwise all ends are recorded.
    seeks_fault: bool,
    ends: RefCell<Ends>,
}

impl<'a> Runs<'a> {
    fn new(program: &'a Program, model: Model, seeks_fault: bool) -> Runs<'a> {
        Runs { machine: Machine::new(program, model), seeks_fault, ends: RefCell::default() }
    }
}

impl Graph for Runs<'_> {
    type State = ProgramState;
    type Move = Move;
    type Goal = Fault;

    fn initial(&self) -> Vec<ProgramState> {
        self.machine.start().into_iter().collect()
    }

    fn moves(&self, state: &ProgramState, visit: &mut dyn FnMut(Move, ProgramState)) {
        if self.machine.stopped(state).is_some() {
            return;
        }
        for thread in 0..state.threads.len() {
            if self.machine.is_ready(state, thread) {
                let mut next = state.clone();
                let (event, _) = self.machine.step(&mut next, thread);
                visit(Move::Step(thread, event), next);
            }
            for at in self.machine.committable(state, thread) {
                let mut next = state.clone();
                let (location, value) = self.machine.commit(&mut next, thread, at);
                visit(Move::Commit(thread, location, value), next);
            }
        }
    }

    fn goal(&self, _: &ProgramState) -> Option<Fault> {
        None
    }

    fn dead_end(&self, state: &ProgramState) -> Option<Fault> {
        let end = match self.machine.stopped(state) {
            Some(stop) => Err(stop),
            None => self.machine.finish(state),
        };
        let mut ends = self.ends.borrow_mut();
        match end {
            Err(EarlyEnd::Fault(fault)) if self.seeks_fault => return Some(fault),
            _ if self.seeks_fault => {}
            Err(stop) => ends.stop(stop),
            Ok(outcome) => {
                ends.outcomes.insert(outcome);
            }
        }
        None
    }
}
