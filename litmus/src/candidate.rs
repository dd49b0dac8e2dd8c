//! Candidate executions: one path of each thread, taken together.

use crate::execute::{Constraint, End, Event, Path, Unfolded};
use crate::expression::{Expression, Expressions, Incomputable};
use crate::value::{Location, Value};

/// Where a read takes its value from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadSource {
    /// The initial value of its location.
    Initial,
    /// The write with this number.
    Write(usize),
}

/// An event of a candidate execution.
#[derive(Clone, Copy, Debug)]
pub struct CandidateEvent {
    /// The thread that performs the event, from 0.
    pub thread: usize,
    /// The event as the path of its thread has it. Its sets of events and its `pair` number the events of the thread;
    /// the fields below number those of the candidate.
    pub event: Event,
    /// The earlier events that its address depends on, as bits.
    pub address: u64,
    /// The earlier events that the value written depends on, as bits.
    pub data: u64,
    /// The earlier events that earlier branches depend on, as bits.
    pub control: u64,
    /// The earlier events that the value written depends on through a choice between values, as bits.
    pub choice: u64,
    /// The read of the pair, for a write that belongs to one.
    pub pair: Option<usize>,
}

impl CandidateEvent {
    /// Whether the event reads memory.
    pub fn reads(&self) -> bool {
        self.event.kind.reads()
    }

    /// Whether the event writes memory.
    pub fn writes(&self) -> bool {
        self.event.kind.writes()
    }
}

/// One path of each thread, without reads-from and coherence order. Events are numbered through all
/// threads, in program order.
#[derive(Debug)]
pub struct Candidate<'p> {
    /// The events.
    pub events: Vec<CandidateEvent>,
    threads: Vec<ThreadPath<'p>>,
}

/// The path of a thread.
#[derive(Debug)]
struct ThreadPath<'p> {
    path: &'p Path,
    expressions: &'p Expressions,
    /// The number of the thread's first event in the candidate.
    start: usize,
}

/// The values of the reads of a candidate, as far as they are known.
#[derive(Clone, Debug)]
pub(crate) struct ReadValues {
    pub values: Vec<Value>,
    /// The reads whose value is known, as bits.
    pub known: u64,
}

impl<'p> Candidate<'p> {
    /// Combines one path of each thread. The paths have at most 64 events together.
    pub(crate) fn new(paths: &[(&'p Unfolded, &'p Path)]) -> Candidate<'p> {
        let mut events = Vec::new();
        let mut threads = Vec::new();
        for (thread, (unfolded, path)) in paths.iter().enumerate() {
            let start = events.len();
            events.extend(path.events.iter().map(|event| CandidateEvent {
                thread,
                event: *event,
                address: event.address << start,
                data: event.data << start,
                control: event.control << start,
                choice: event.choice << start,
                pair: event.pair.map(|pair| start + usize::from(pair)),
            }));
            threads.push(ThreadPath { path, expressions: &unfolded.expressions, start });
        }
        Candidate { events, threads }
    }

    /// The location that an event accesses.
    pub fn location(&self, event: usize) -> Option<Location> {
        self.events[event].event.location
    }

    /// Whether two events access one location.
    pub fn same_location(&self, first: usize, second: usize) -> bool {
        self.location(first).is_some() && self.location(first) == self.location(second)
    }

    /// Whether two events belong to one thread.
    pub fn same_thread(&self, first: usize, second: usize) -> bool {
        self.events[first].thread == self.events[second].thread
    }

    /// The events of the same thread before an event, in program order.
    pub fn before(&self, event: usize) -> std::ops::Range<usize> {
        self.threads[self.events[event].thread].start..event
    }

    /// How the first path ends that does not reach the end of its program.
    pub(crate) fn unfinished(&self) -> Option<End> {
        let mut ends = self.threads.iter().map(|thread| thread.path.end);
        ends.find(|end| *end != End::Program)
    }

    /// The reads that an expression of a thread depends on, as bits.
    fn reads(&self, thread: usize, expression: Expression) -> u64 {
        let ThreadPath { expressions, start, .. } = &self.threads[thread];
        // A shift by 64 is for a thread without events behind 64 others: it has no reads.
        expressions.reads(expression).checked_shl(*start as u32).unwrap_or(0)
    }

    fn evaluate(
        &self,
        thread: usize,
        expression: Expression,
        reads: &ReadValues,
    ) -> Option<Result<Value, Incomputable>> {
        let needed = self.reads(thread, expression);
        if needed & !reads.known != 0 {
            return None;
        }
        let ThreadPath { expressions, start, .. } = &self.threads[thread];
        let value_of = |event: u8| reads.values[start + usize::from(event)];
        Some(expressions.evaluate(expression, &value_of))
    }

    /// The value that a write writes; `None` if it depends on a read whose value is not known.
    pub(crate) fn written(
        &self,
        write: usize,
        reads: &ReadValues,
    ) -> Option<Result<Value, Incomputable>> {
        let CandidateEvent { thread, event, .. } = &self.events[write];
        self.evaluate(*thread, event.written?, reads)
    }

    /// The value of a register at the end, if the thread sets it or the test gives it one.
    pub(crate) fn register(
        &self,
        register: crate::test::ThreadRegister,
        reads: &ReadValues,
    ) -> Option<Result<Value, Incomputable>> {
        let registers = &self.threads[register.thread].path.registers;
        let (_, expression) = registers.iter().find(|(it, _)| *it == register.register)?;
        self.evaluate(register.thread, *expression, reads)
    }

    /// Whether the constraints hold that depend on one of the reads `news` (as bits) and on no unknown read. If the
    /// value of a constraint cannot be computed, the error is the line of its instruction.
    pub(crate) fn constraints_hold(&self, reads: &ReadValues, news: u64) -> Result<bool, usize> {
        for thread in 0..self.threads.len() {
            for constraint in &self.threads[thread].path.constraints {
                let Constraint { condition, holds, line } = *constraint;
                if self.reads(thread, condition) & news == 0 {
                    continue;
                }
                match self.evaluate(thread, condition, reads) {
                    Some(Ok(value)) if (value != Value::ZERO) != holds => return Ok(false),
                    Some(Err(Incomputable)) => return Err(line),
                    _ => {}
                }
            }
        }
        Ok(true)
    }

    /// The reads of the candidate.
    pub(crate) fn all_reads(&self) -> impl Iterator<Item = usize> {
        (0..self.events.len()).filter(|event| self.events[*event].reads())
    }

    /// The writes to each location, as bits, by the number of the location.
    pub(crate) fn writes_by_location(&self, locations: usize) -> Vec<u64> {
        let mut writes = vec![0; locations];
        for (number, event) in self.events.iter().enumerate() {
            if let (true, Some(location)) = (event.writes(), event.event.location) {
                writes[usize::from(location.0)] |= 1 << number;
            }
        }
        writes
    }
}
