//! All sequentially consistent runs with few preemptions (Musuvathi & Qadeer, 2007), with the monitors on each.
//!
//! To switch away from a thread that could go on is a preemption. It is none where the thread has ended, or has passed a
//! `yield` since its last event: there, it counts as one to go on while others can.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use check::{Bounds, Model};
use slicc::source::Span;

use super::compile::Program;
use super::machine::{EarlyEnd, Event, Fault, Machine, ProgramState};
use super::watch::{Signal, Watch};
use crate::search::Stopped;

/// Steps between two looks at the limits.
const LOOK_EVERY: u64 = 64;

/// What to explore.
#[derive(Clone, Debug)]
pub struct Options {
    /// Most preemptions of a run.
    pub preemptions: u32,
    /// Which monitors watch: of TSO and PSO.
    pub models: Vec<Model>,
    /// Time and memory.
    pub bounds: Bounds,
    /// How many runs to look at, those that end early included.
    pub runs: Option<u64>,
}

impl Options {
    /// Without limits.
    pub fn new(preemptions: u32, models: &[Model]) -> Options {
        Options { preemptions, models: models.to_vec(), bounds: Bounds::none(), runs: None }
    }
}

/// What an exploration says.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Runs to the end: interleavings.
    pub runs: u64,
    /// Runs that ended where a loop reached its bound.
    pub cut_off: u64,
    /// The loops, and how many runs each ended.
    pub cut_off_at: BTreeMap<Span, u64>,
    /// Runs that ended with a fault.
    pub faulty: u64,
    /// Steps in all; what runs have in common is taken once.
    pub steps: u64,
    /// Events of the longest run.
    pub longest: usize,
    /// The faults.
    pub faults: Vec<FaultyRun>,
    /// The distinct violations: by model, then by the places of the store and the event.
    pub violations: Vec<Violation>,
    /// How long it took.
    pub time: Duration,
    /// Why there may be more.
    pub stopped: Option<Stopped>,
}

impl Report {
    /// The distinct violations of one model.
    pub fn of(&self, model: Model) -> impl Iterator<Item = &Violation> {
        let is_of = move |it: &&Violation| it.model == model;
        self.violations.iter().filter(is_of)
    }
}

/// A fault, and a run with it.
#[derive(Clone, Debug)]
pub struct FaultyRun {
    /// The fault.
    pub fault: Fault,
    /// How many runs end with it.
    pub count: u64,
    /// The shortest of them.
    pub run: Vec<Event>,
}

/// A pair of places such that the store at one can be delayed past an event at the other, against SC.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The model that allows it.
    pub model: Model,
    /// The site of the store.
    pub store: u32,
    /// The site of the event.
    pub event: u32,
    /// How often a monitor said so.
    pub count: u64,
    /// A shortest run to the event.
    pub run: Vec<Event>,
    /// The number of the store in that run; the event is the last.
    pub delayed: usize,
}

/// All runs with few preemptions.
pub fn search(program: &Program, options: &Options) -> Report {
    search_with(program, options, &mut |_, _| {})
}

/// The same, and whoever calls sees each signal with the run so far.
pub fn search_with(
    program: &Program,
    options: &Options,
    see: &mut dyn FnMut(&[Event], Signal),
) -> Report {
    let begun = Instant::now();
    let mut search = Search {
        machine: Machine::new(program, Model::SC),
        options,
        open: Vec::new(),
        trace: Vec::new(),
        faults: BTreeMap::new(),
        violations: BTreeMap::new(),
        report: Report::default(),
        see,
    };
    search.run();
    let mut report = search.report;
    report.faults = search.faults.into_values().collect();
    report.violations = search.violations.into_values().collect();
    report.time = begun.elapsed();
    report
}

/// A choice that has not been explored.
#[derive(Clone)]
struct Node {
    state: ProgramState,
    watch: Watch,
    /// Who goes on.
    thread: usize,
    /// Preemptions that are left.
    left: u32,
    /// Events so far.
    depth: usize,
}

struct Search<'a> {
    machine: Machine<'a>,
    options: &'a Options,
    open: Vec<Node>,
    trace: Vec<Event>,
    faults: BTreeMap<Fault, FaultyRun>,
    violations: BTreeMap<(usize, u32, u32), Violation>,
    report: Report,
    see: &'a mut dyn FnMut(&[Event], Signal),
}

impl Search<'_> {
    fn run(&mut self) {
        let state = match self.machine.start() {
            Ok(state) => state,
            Err(stop) => return self.end(stop),
        };
        let node = Node {
            state,
            watch: Watch::new(self.machine.program(), &self.options.models),
            thread: 0,
            left: self.options.preemptions,
            depth: 0,
        };
        self.go_on(node, None);
        while let Some(node) = self.open.pop() {
            if self.is_stopped() {
                return;
            }
            self.trace.truncate(node.depth);
            self.follow(node);
        }
    }

    /// Follows a choice until there is another to make.
    fn follow(&mut self, mut node: Node) {
        self.report.steps += 1;
        let (event, has_yielded) = self.machine.step(&mut node.state, node.thread);
        if let Some(event) = event {
            self.trace.push(event);
            self.watch(&mut node.watch, node.depth);
        }
        node.depth = self.trace.len();
        self.report.longest = self.report.longest.max(node.depth);
        let last = Some((node.thread, has_yielded));
        self.go_on(node, last);
    }

    /// Says how a run ended, or opens what may come next.
    fn go_on(&mut self, mut node: Node, last: Option<(usize, bool)>) {
        if let Some(stop) = self.machine.stopped(&node.state) {
            return self.end(stop);
        }
        let mut choices = self.choices(&node, last);
        let Some((thread, left)) = choices.pop() else {
            return match self.machine.finish(&node.state) {
                Ok(_) => self.report.runs += 1,
                Err(stop) => self.end(stop),
            };
        };
        for (thread, left) in choices {
            self.open.push(Node { thread, left, ..node.clone() });
        }
        node.thread = thread;
        node.left = left;
        self.open.push(node);
    }

    /// Who may go on, and with how many preemptions left; the last is taken first.
    fn choices(&self, node: &Node, last: Option<(usize, bool)>) -> Vec<(usize, u32)> {
        let is_ready = |thread: usize| self.machine.is_ready(&node.state, thread);
        let ready = (0..node.state.threads.len()).filter(|&thread| is_ready(thread));
        let Some((last, has_yielded)) = last.filter(|last| is_ready(last.0)) else {
            return ready.map(|thread| (thread, node.left)).rev().collect();
        };
        let others = ready.filter(|&thread| thread != last);
        let mut choices: Vec<(usize, u32)> = if has_yielded {
            others.map(|thread| (thread, node.left)).collect()
        } else {
            let left = node.left.checked_sub(1);
            others.filter_map(|thread| Some((thread, left?))).collect()
        };
        let left = if has_yielded && !choices.is_empty() {
            node.left.checked_sub(1)
        } else {
            Some(node.left)
        };
        choices.extend(left.map(|left| (last, left)));
        choices
    }

    /// Shows the monitors what has just happened: the event of this number, the last one.
    fn watch(&mut self, watch: &mut Watch, number: usize) {
        let Search { trace, violations, options, see, .. } = self;
        watch.step(number, &trace[number], &mut |signal| {
            let (store, event) = (trace[signal.store].site, trace[signal.event].site);
            let run = &trace[..=signal.event];
            let violation =
                violations.entry((signal.monitor, store, event)).or_insert_with(|| Violation {
                    model: options.models[signal.monitor],
                    store,
                    event,
                    count: 0,
                    run: run.to_vec(),
                    delayed: signal.store,
                });
            violation.count += 1;
            if run.len() < violation.run.len() {
                violation.run = run.to_vec();
                violation.delayed = signal.store;
            }
            see(trace, signal);
        });
    }

    /// A run ended early.
    fn end(&mut self, stop: EarlyEnd) {
        let fault = match stop {
            EarlyEnd::Fault(fault) => fault,
            EarlyEnd::CutOff(span) => {
                self.report.cut_off += 1;
                *self.report.cut_off_at.entry(span).or_default() += 1;
                return;
            }
        };
        self.report.faulty += 1;
        let trace = &self.trace;
        let faulty = self.faults.entry(fault).or_insert_with(|| FaultyRun {
            fault,
            count: 0,
            run: trace.clone(),
        });
        faulty.count += 1;
        if trace.len() < faulty.run.len() {
            faulty.run.clone_from(trace);
        }
    }

    fn is_stopped(&mut self) -> bool {
        let ended = self.report.runs + self.report.cut_off + self.report.faulty;
        let bounds = &self.options.bounds;
        if self.options.runs.is_some_and(|most| ended >= most) {
            self.report.stopped = Some(Stopped::Count);
        } else if self.report.steps.is_multiple_of(LOOK_EVERY) {
            self.report.stopped = Stopped::by(bounds);
        }
        self.report.stopped.is_some()
    }
}
