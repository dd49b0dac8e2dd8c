//! Search over interleavings: DBCOP (Biswas & Enea, "On the Complexity of Checking Transactional
//! Consistency", OOPSLA 2019, as Boosting applies it to single operations), and with the saturated
//! order as further constraints ("Boosting ... Saturation", section 5). For SC.
//!
//! A *frontier* is the number of operations of each thread that are placed. The next operation of a thread
//! can be placed if
//!
//! - it reads from the write of its location that was placed last, or its source is not known;
//! - in case it writes, all other readers of that write are placed, and if its value is final, all other
//!   writes of the location are.
//!
//! So a write is overwritten only once all its readers are placed, and only one placed write of a location
//! can have readers left. The frontier therefore determines which write of a location was last, as far as
//! that matters, and whether the rest can be placed. A frontier that was left without success need not
//! be visited again, so the search, which is depth first, visits each at most once. A store-conditional
//! counts as a reader of what its load-linked read (see [`crate::execution`]).
//!
//! `wsc-dbcop` saturates first ([`crate::saturation::clocks`]). A violation of wSC is one of SC.
//! Otherwise an operation is placed only after all operations that happen before it, which its vector
//! clock has and which precede it in every order of SC. Initial writes come first and are not placed.
//!
//! `wsc-dbcop-published` saturates as published ([`crate::saturation::ForcedOrder`]), and then searches in the same way.
//!
//! **Cost.** At most nᵗ frontiers for n operations a thread and t threads, each visited in O(t), with
//! saturation O(t²). Memory: up to 16 + 8t bytes for each frontier visited, and 24 bytes for each
//! operation placed. There is no recursion; the depth of the search is the number of operations. On
//! random SC histories of 50 operations a thread and 4 locations, `dbcop` visits 7,500 frontiers on
//! average with 8 threads and a million with 16, `wsc-dbcop` 400 and 4,200. With 16 locations, where
//! more writes are free to move, it is 290,000 and many millions, and 2,000 and more than a million.

mod frontiers;

use frontiers::FrontierSet;
use history::OpId;
use host::Bounds;

use check::verdict::Statistics;

use crate::algorithms::WSC_PUBLISHED;
use crate::execution::{Execution, NONE};
use crate::saturation::{ForcedOrder, clocks};
use check::published::{Answer, Problem, Report, may_start};

/// Frontiers between two checks of the bounds.
const CHECK_INTERVAL: u64 = 64;

/// Runs `dbcop`: searches interleavings.
pub(crate) fn dbcop(problem: &Problem<'_>) -> Report {
    let execution = Execution::new(problem.history, problem.reads_from);
    Search::new(&execution, problem).run(|_, _| true)
}

/// Runs `wsc-dbcop`: saturates, then searches interleavings that contain happens-before.
pub(crate) fn wsc_dbcop(problem: &Problem<'_>) -> Report {
    let Some(events) = clocks::events(problem) else {
        return Answer::Exceeded.into();
    };
    let saturation = match clocks::saturate(problem, &events) {
        Ok(saturation) => saturation,
        Err(report) => return *report,
    };
    let execution = Execution::new(problem.history, problem.reads_from);
    // Every operation is an event, and under SC chains are threads: a clock is a frontier.
    let report = Search::new(&execution, problem).run(|op, frontier| {
        let clock = saturation.clock(op).iter();
        clock.zip(frontier).all(|(needed, placed)| needed <= placed)
    });
    Report {
        statistics: Statistics {
            nodes: report.statistics.nodes,
            ..clocks::statistics(&saturation)
        },
        ..report
    }
}

/// Runs `wsc-dbcop-published`: as `wsc-dbcop`, with the fixpoint of wSC as published.
pub(crate) fn wsc_dbcop_published(problem: &Problem<'_>) -> Report {
    let execution = Execution::new(problem.history, problem.reads_from);
    let forced = ForcedOrder::new(&execution, problem.model, problem.finals, problem.bounds);
    let Ok(forced) = forced else {
        return Answer::Exceeded.into();
    };
    if forced.is_cyclic() {
        let mut report = Report::from(Answer::Refuted);
        report.statistics.fired = Some(WSC_PUBLISHED);
        return report;
    }
    let threads = execution.history.threads().len();
    if !may_start(problem.bounds, 4 * threads * execution.operations as usize) {
        return Answer::Exceeded.into();
    }
    let needed = frontiers_before(&execution, &forced);
    let mut report = Search::new(&execution, problem).run(|op, frontier| {
        let needed = needed[op as usize * threads..].iter();
        needed.zip(frontier).all(|(needed, placed)| needed <= placed)
    });
    report.statistics.ordered = Some(forced.ordered());
    report
}

/// For each operation and thread, how many operations of the thread happen before it. They are the first ones of the thread, since
/// happens-before contains program order.
fn frontiers_before(execution: &Execution<'_>, forced: &ForcedOrder<'_>) -> Vec<u32> {
    let threads = execution.history.threads().len();
    let mut needed = vec![0; threads * execution.operations as usize];
    for op in 0..execution.operations {
        let row = &mut needed[op as usize * threads..][..threads];
        let before = forced.hb_inverse().successors(op);
        for earlier in before.filter(|&earlier| !execution.is_initial(earlier)) {
            row[execution.thread[earlier as usize] as usize] += 1;
        }
    }
    needed
}

/// The state of a location at a frontier.
#[derive(Clone, Copy)]
struct LocationState {
    /// The write placed last.
    write: u32,
    /// Number of readers of that write that are left to be placed.
    readers: u32,
    /// Number of writes of the location that are left to be placed.
    writes: u32,
    /// The write of the final value; [`NONE`] if there is none.
    last: u32,
}

/// A placed operation, by its thread, and the state of its location before it was placed.
struct Placed {
    thread: u32,
    before: Option<LocationState>,
}

struct Search<'a> {
    execution: &'a Execution<'a>,
    bounds: &'a Bounds,
    /// Per thread, its first operation, and one past its last.
    threads: Vec<(u32, u32)>,
    /// Per thread, how many operations are placed.
    frontier: Vec<u32>,
    cells: Vec<LocationState>,
    placed: Vec<Placed>,
    visited: FrontierSet,
    /// New frontiers so far.
    nodes: u64,
    /// All frontiers so far.
    visits: u64,
}

impl<'a> Search<'a> {
    fn new(execution: &'a Execution<'a>, problem: &Problem<'a>) -> Search<'a> {
        let history = execution.history;
        let threads = history.threads().iter();
        let threads: Vec<(u32, u32)> = threads.map(|t| (t.first().0, t.end().0)).collect();
        let cell = |location: u32| {
            let initial = execution.initial(location);
            LocationState {
                write: initial,
                readers: execution.readers.of(initial).len() as u32,
                writes: execution.writes.of(location).len() as u32 - 1,
                last: NONE,
            }
        };
        let mut cells: Vec<LocationState> = (0..execution.locations()).map(cell).collect();
        for last in problem.finals {
            cells[execution.location[last.at()] as usize].last = last.0;
        }
        Search {
            execution,
            bounds: problem.bounds,
            frontier: vec![0; threads.len()],
            visited: FrontierSet::new(threads.len()),
            threads,
            cells,
            placed: Vec::new(),
            nodes: 0,
            visits: 0,
        }
    }

    /// Searches depth first. `allows` says whether an operation may be placed at a frontier.
    fn run(mut self, allows: impl Fn(u32, &[u32]) -> bool) -> Report {
        let answer = self.search(allows);
        Report {
            answer,
            statistics: Statistics { nodes: Some(self.nodes), ..Statistics::default() },
        }
    }

    fn search(&mut self, allows: impl Fn(u32, &[u32]) -> bool) -> Answer {
        if !may_start(self.bounds, 0) {
            return Answer::Exceeded;
        }
        let mut thread = 0;
        while self.placed.len() < self.execution.operations as usize {
            let next = (thread..self.threads.len())
                .find(|&thread| self.next(thread).is_some_and(|op| self.may_place(op, &allows)));
            let Some(next) = next else {
                match self.take_back() {
                    Some(last) => thread = last + 1,
                    None => return Answer::Refuted,
                }
                continue;
            };
            self.place(next);
            thread = match self.visit() {
                Some(true) => 0,
                Some(false) => self.take_back().map_or(0, |last| last + 1),
                None => return Answer::Exceeded,
            };
        }
        Answer::Order(self.order())
    }

    /// The next operation of a thread.
    fn next(&self, thread: usize) -> Option<u32> {
        let (first, end) = self.threads[thread];
        let next = first + self.frontier[thread];
        (next < end).then_some(next)
    }

    fn may_place(&self, op: u32, allows: &impl Fn(u32, &[u32]) -> bool) -> bool {
        self.keeps_sources(op) && allows(op, &self.frontier)
    }

    /// Whether an operation placed now would read from its source, would not overwrite a value that another
    /// operation has yet to read, and would come last if it writes the final value.
    fn keeps_sources(&self, op: u32) -> bool {
        let location = self.execution.location[op as usize];
        if location == NONE {
            return true;
        }
        let cell = &self.cells[location as usize];
        let source = self.execution.source[op as usize];
        let reads = source != NONE;
        if reads && source != cell.write {
            return false;
        }
        let is_last = cell.last != op || cell.writes == 1;
        !self.execution.is_write(op) || (cell.readers == u32::from(reads) && is_last)
    }

    fn place(&mut self, thread: usize) {
        let op = self.threads[thread].0 + self.frontier[thread];
        self.frontier[thread] += 1;
        let location = self.execution.location[op as usize];
        let before = (location != NONE).then(|| self.cells[location as usize]);
        self.placed.push(Placed { thread: thread as u32, before });
        if before.is_none() {
            return;
        }
        let cell = &mut self.cells[location as usize];
        if self.execution.source[op as usize] != NONE {
            cell.readers -= 1;
        }
        if self.execution.is_write(op) {
            cell.write = op;
            cell.readers = self.execution.readers.of(op).len() as u32;
            cell.writes -= 1;
        }
    }

    /// Undoes the last placement and returns the thread of the operation.
    fn take_back(&mut self) -> Option<usize> {
        let Placed { thread, before } = self.placed.pop()?;
        let thread = thread as usize;
        self.frontier[thread] -= 1;
        let op = self.threads[thread].0 + self.frontier[thread];
        if let Some(before) = before {
            self.cells[self.execution.location[op as usize] as usize] = before;
        }
        Some(thread)
    }

    /// Remembers the frontier. Returns whether it is new; `None` if a bound was met.
    fn visit(&mut self) -> Option<bool> {
        let is_new = self.visited.insert(&self.frontier, self.bounds)?;
        self.nodes += u64::from(is_new);
        self.visits += 1;
        let is_past_bounds = self.visits.is_multiple_of(CHECK_INTERVAL) && self.bounds.passed();
        (!is_past_bounds).then_some(is_new)
    }

    /// The operations in the order in which they were placed.
    fn order(&self) -> Vec<OpId> {
        let mut next: Vec<u32> = self.threads.iter().map(|&(first, _)| first).collect();
        let ops = self.placed.iter().map(|placed| {
            let next = &mut next[placed.thread as usize];
            *next += 1;
            OpId(*next - 1)
        });
        ops.collect()
    }
}
