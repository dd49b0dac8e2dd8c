//! All sequentially consistent runs with few preemptions (Musuvathi & Qadeer, 2007), followed by
//! the monitors.
//!
//! A preemption is a switch away from a thread that could continue. After a `yield` of the thread,
//! it is the other way round: switching is free, and continuing counts as a preemption if other
//! threads can run. Switching away from a thread that has ended is free.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use check::{Bounds, Model};
use slicc::source::Span;

use super::compile::Program;
use super::machine::{EarlyEnd, Event, Fault, Machine, ProgramState};
use super::monitors::{Monitors, Signal};
use crate::search::Stopped;

/// Number of steps between two checks of the limits.
const CHECK_EVERY: u64 = 64;

/// The options of an exploration.
#[derive(Clone, Debug)]
pub struct Options {
    /// Largest number of preemptions in a run.
    pub preemptions: u32,
    /// The models whose monitors are used: TSO and PSO have one.
    pub models: Vec<Model>,
    /// Whether the monitor of TSO is SOBER's, and not that of Burnim, Sen & Stergiou.
    pub sober: bool,
    /// Limits of time and memory.
    pub bounds: Bounds,
    /// Limit of the number of runs, including those that end early.
    pub runs: Option<u64>,
}

impl Options {
    /// Creates options without limits.
    pub fn new(preemptions: u32, models: &[Model]) -> Options {
        Options {
            preemptions,
            models: models.to_vec(),
            sober: false,
            bounds: Bounds::none(),
            runs: None,
        }
    }
}

/// The result of an exploration.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Number of runs to the end, that is, of interleavings.
    pub runs: u64,
    /// Number of runs that ended where a loop reached its bound.
    pub cut_off: u64,
    /// For each loop, the number of runs that it ended.
    pub cut_off_at: BTreeMap<Span, u64>,
    /// Number of runs that ended with a fault.
    pub faulty: u64,
    /// Number of steps; steps shared by several runs count once.
    pub steps: u64,
    /// Number of events of the longest run.
    pub longest: usize,
    /// The faults.
    pub faults: Vec<FaultyRun>,
    /// The distinct violations, ordered by model, then by the sites of the store and the event.
    pub violations: Vec<Violation>,
    /// The duration of the exploration.
    pub time: Duration,
    /// The limit that ended the exploration, if one did.
    pub stopped: Option<Stopped>,
}

impl Report {
    /// The distinct violations of one model.
    pub fn of(&self, model: Model) -> impl Iterator<Item = &Violation> {
        let is_of = move |it: &&Violation| it.model == model;
        self.violations.iter().filter(is_of)
    }
}

/// A fault with a run that leads to it.
#[derive(Clone, Debug)]
pub struct FaultyRun {
    /// The fault.
    pub fault: Fault,
    /// Number of runs that end with it.
    pub count: u64,
    /// A shortest such run.
    pub run: Vec<Event>,
}

/// A pair of sites such that the store at one can be delayed past an event at the other, which SC
/// does not allow.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The model that allows it.
    pub model: Model,
    /// The site of the store, an index into [`Program::sites`].
    pub store: u32,
    /// The site of the event.
    pub event: u32,
    /// Number of signals of the monitor.
    pub count: u64,
    /// A shortest run to the event.
    pub run: Vec<Event>,
    /// The index of the store in that run; the event is the last.
    pub delayed: usize,
}

/// Explores all runs with few preemptions.
pub fn search(program: &Program, options: &Options) -> Report {
    search_with(program, options, &mut |_, _| {})
}

/// Explores as [`search`] does, and calls `see` for each signal of a monitor, with the run so far.
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
    watch: Monitors,
    /// The thread that runs next.
    thread: usize,
    /// Number of preemptions left.
    left: u32,
    /// Number of events so far.
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
            watch: Monitors::new(self.machine.program(), &self.options.models, self.options.sober),
            thread: 0,
            left: self.options.preemptions,
            depth: 0,
        };
        self.expand(node, None);
        while let Some(node) = self.open.pop() {
            if self.is_stopped() {
                return;
            }
            self.trace.truncate(node.depth);
            self.follow(node);
        }
    }

    /// Runs the chosen thread until the next choice.
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
        self.expand(node, last);
    }

    /// Records the end of a run, or adds the next choices.
    fn expand(&mut self, mut node: Node, last: Option<(usize, bool)>) {
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

    /// The threads that may run next, each with the preemptions that are then left. The last one is
    /// explored first.
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

    /// Passes the last event, with this index, to the monitors.
    fn watch(&mut self, watch: &mut Monitors, number: usize) {
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

    /// Records the early end of a run.
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
        } else if self.report.steps.is_multiple_of(CHECK_EVERY) {
            self.report.stopped = Stopped::by(bounds);
        }
        self.report.stopped.is_some()
    }
}
