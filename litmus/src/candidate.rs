//! Candidate executions: one path of each thread, taken together.
//!
//! Where accesses of different sizes overlap, each is cut into *parts* at the boundaries of the others ([`parts`](crate::parts)),
//! and the parts are the events of the candidate. A part of a read has a source of its own, and a part of a write its own place in
//! the coherence order.

use crate::execute::{Constraint, End, Event, Pairing, Path, Unfolded};
use crate::expression::{Expression, Expressions, Incomputable};
use crate::order::{MOST_EVENTS, bits};
use crate::parts::{self, Piece, Place};
use crate::test::{LitmusTest, Observed};
use crate::value::{Location, Value};

/// Where a read takes its value from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadSource {
    /// The initial value of its location.
    Initial,
    /// The write with this number.
    Write(usize),
}

/// An event of a candidate execution: a fence, an access, or a part of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CandidateEvent {
    /// The thread that performs the event, from 0.
    pub thread: usize,
    /// The event as the path of its thread has it, with the bytes of a part. Its sets of events and its `pair` number the
    /// events of the thread; the fields below number those of the candidate.
    pub event: Event,
    /// The number of the access of which the event is a part, among those of all threads.
    pub access: usize,
    /// The number of bytes of the access before the part.
    pub shift: u16,
    /// The number of the place that it accesses, if it does.
    pub place: Option<usize>,
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
    pub(crate) fn reads(&self) -> bool {
        self.event.kind.reads()
    }

    /// Whether the event writes memory.
    pub(crate) fn writes(&self) -> bool {
        self.event.kind.writes()
    }

    /// Whether the event is the write of an atomic instruction whose read is the event before it.
    pub(crate) fn is_second_half(&self) -> bool {
        self.event.pair.is_some() && self.event.pairing == Pairing::Instruction
    }
}

/// One path of each thread, without reads-from and coherence order. Events are numbered through all
/// threads, in program order.
#[derive(Debug)]
pub(crate) struct Candidate<'p> {
    /// The events: the parts of the accesses, and the fences.
    pub events: Vec<CandidateEvent>,
    /// The accesses as the programs have them, and the fences. Their sets of events number the accesses.
    pub accesses: Vec<CandidateEvent>,
    /// The places that events access. They do not overlap.
    pub places: Vec<Place>,
    /// Per access, its parts as bits.
    parts: Vec<u64>,
    threads: Vec<ThreadPath<'p>>,
}

#[derive(Debug)]
struct ThreadPath<'p> {
    path: &'p Path,
    expressions: &'p Expressions,
    /// The number of the thread's first event in the candidate.
    start: usize,
    /// The number of its first access.
    first_access: usize,
}

/// An address that is that of no location, for a read of bytes of several addresses.
const NOWHERE: Value = Value::Address(Location(u16::MAX), 0);

/// The values of the reads of a candidate, as far as they are known.
#[derive(Clone, Debug)]
pub(crate) struct ReadValues {
    pub values: Vec<Piece>,
    /// The reads whose value is known, as bits.
    pub known: u64,
}

impl<'p> Candidate<'p> {
    /// Combines one path of each thread. The paths have at most 64 events together. The error is the number of events
    /// if cutting the accesses into parts makes more of them than that.
    pub(crate) fn new(paths: &[(&'p Unfolded, &'p Path)]) -> Result<Candidate<'p>, usize> {
        let mut accesses = Vec::new();
        let mut threads = Vec::new();
        for (thread, (unfolded, path)) in paths.iter().enumerate() {
            let first = accesses.len();
            accesses.extend(path.events.iter().enumerate().map(|(at, event)| CandidateEvent {
                thread,
                event: *event,
                access: first + at,
                shift: 0,
                place: None,
                address: event.address << first,
                data: event.data << first,
                control: event.control << first,
                choice: event.choice << first,
                pair: event.pair.map(|pair| first + usize::from(pair)),
            }));
            threads.push(ThreadPath {
                path,
                expressions: &unfolded.expressions,
                start: first,
                first_access: first,
            });
        }
        let cut = parts::cut(&accesses);
        if cut.events.len() > MOST_EVENTS {
            return Err(cut.events.len());
        }
        for thread in &mut threads {
            let is_before = |event: &&CandidateEvent| event.access < thread.first_access;
            thread.start = cut.events.iter().filter(is_before).count();
        }
        let parts::Cut { events, places, parts } = cut;
        Ok(Candidate { events, accesses, places, parts, threads })
    }

    /// Whether an access was cut into several parts.
    pub(crate) fn is_cut(&self) -> bool {
        self.events.len() > self.accesses.len()
    }

    /// The parts of the access to which an event belongs, as bits. The accesses of an exclusive pair count as one.
    pub(crate) fn siblings(&self, event: usize) -> u64 {
        let own = self.parts[self.events[event].access];
        if !self.is_exclusive_pair(event) {
            return own;
        }
        let group = self.group(event);
        let others = (0..self.events.len()).filter(|other| self.group(*other) == group);
        others.fold(own, |all, other| all | 1 << other)
    }

    /// Whether some access has several parts, or counts as one with another.
    pub(crate) fn has_siblings(&self) -> bool {
        self.is_cut() || (0..self.events.len()).any(|event| self.is_exclusive_pair(event))
    }

    /// The instruction of an event, if it has several accesses that are in no order.
    fn group(&self, event: usize) -> Option<(usize, u8)> {
        let CandidateEvent { thread, event, .. } = &self.events[event];
        event.group.map(|group| (*thread, group))
    }

    fn is_exclusive_pair(&self, event: usize) -> bool {
        let is_exclusive = self.events[event].event.pairing == Pairing::Exclusive;
        is_exclusive && self.group(event).is_some()
    }

    /// Whether two events belong to one instruction that states no order of its accesses.
    pub(crate) fn same_instruction(&self, first: usize, second: usize) -> bool {
        if self.group(first).is_some() && self.group(first) == self.group(second) {
            return true;
        }
        let start = |event: usize| {
            let access = &self.accesses[self.events[event].access];
            if access.is_second_half() { access.access - 1 } else { access.access }
        };
        start(first) == start(second)
    }

    /// The bytes that an event accesses.
    pub(crate) fn place(&self, event: usize) -> Option<&Place> {
        self.events[event].place.map(|place| &self.places[place])
    }

    /// Whether two events access the same bytes.
    pub(crate) fn same_place(&self, first: usize, second: usize) -> bool {
        let place = self.events[first].place;
        place.is_some() && place == self.events[second].place
    }

    /// Whether two events belong to one thread.
    pub(crate) fn same_thread(&self, first: usize, second: usize) -> bool {
        self.events[first].thread == self.events[second].thread
    }

    /// The events of the same thread before an event, in program order.
    pub(crate) fn before(&self, event: usize) -> std::ops::Range<usize> {
        self.threads[self.events[event].thread].start..event
    }

    /// How the first path ends that does not reach the end of its program.
    pub(crate) fn unfinished(&self) -> Option<End> {
        let mut ends = self.threads.iter().map(|thread| thread.path.end);
        ends.find(|end| *end != End::Program)
    }

    /// The reads that an expression of a thread depends on, as bits.
    fn reads(&self, thread: usize, expression: Expression) -> u64 {
        let ThreadPath { expressions, first_access, .. } = &self.threads[thread];
        // A shift by 64 is for a thread without events after 64 others: it has no reads.
        let accesses = expressions.reads(expression).checked_shl(*first_access as u32).unwrap_or(0);
        if self.is_cut() { parts::of_all(&self.parts, accesses) } else { accesses }
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
        Some(self.evaluate_known(thread, expression, reads, Err(Incomputable)))
    }

    /// The value of an expression whose reads are known. `torn` is the value of a read that consists of bytes of several
    /// addresses.
    fn evaluate_known(
        &self,
        thread: usize,
        expression: Expression,
        reads: &ReadValues,
        torn: Result<Value, Incomputable>,
    ) -> Result<Value, Incomputable> {
        let ThreadPath { expressions, first_access, .. } = &self.threads[thread];
        let value_of =
            |event: u8| self.access_value(first_access + usize::from(event), reads).or(torn);
        expressions.evaluate(expression, &value_of)
    }

    /// The value that an access reads, from those of its parts.
    fn access_value(&self, access: usize, reads: &ReadValues) -> Result<Value, Incomputable> {
        let bytes = u16::from(self.accesses[access].event.width.bits / 8);
        let pieces =
            bits(self.parts[access]).map(|part| (reads.values[part], self.events[part].shift));
        parts::composed(bytes, pieces).ok_or(Incomputable)
    }

    /// The value that an access reads, if it reads one and its parts are known.
    pub(crate) fn read(&self, access: usize, reads: &ReadValues) -> Option<Value> {
        let is_known = self.accesses[access].reads() && self.parts[access] & !reads.known == 0;
        is_known.then(|| self.access_value(access, reads).ok()).flatten()
    }

    /// The value that a write writes; `None` if it depends on a read whose value is not known.
    pub(crate) fn written(
        &self,
        write: usize,
        reads: &ReadValues,
    ) -> Option<Result<Piece, Incomputable>> {
        let CandidateEvent { shift, event, access, .. } = &self.events[write];
        let value = self.written_by(*access, reads)?;
        if self.parts[*access].count_ones() == 1 {
            return Some(value.map(Piece::Whole));
        }
        Some(value.map(|value| Piece::of(value, *shift, event.width.bits)))
    }

    /// The value that an access writes; `None` if it depends on a read whose value is not known.
    pub(crate) fn written_by(
        &self,
        access: usize,
        reads: &ReadValues,
    ) -> Option<Result<Value, Incomputable>> {
        let CandidateEvent { thread, event, .. } = &self.accesses[access];
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
                let value = self.evaluate(thread, condition, reads).map(|value| {
                    value.or_else(|_| self.evaluate_known(thread, condition, reads, Ok(NOWHERE)))
                });
                match value {
                    Some(Ok(value)) if (value != Value::ZERO) != holds => return Ok(false),
                    Some(Err(Incomputable)) => return Err(line),
                    _ => {}
                }
            }
        }
        Ok(true)
    }

    /// The bytes of a location or of an element that a state shows. A location without a declared type is as large as
    /// its accesses.
    pub(crate) fn observed_place(
        &self,
        test: &LitmusTest,
        observed: Observed,
        location: Location,
    ) -> Place {
        let of_type = &test.types[usize::from(location.0)];
        let Observed::Element(_, index) = observed else {
            let own = self.places.iter().filter(|place| place.location == location);
            let accessed = own.map(Place::end).max().unwrap_or(0).min(8);
            let bytes =
                if of_type.is_declared { of_type.bytes } else { of_type.bytes.max(accessed) };
            return Place { location, offset: 0, bytes };
        };
        Place { location, offset: index * of_type.bytes, bytes: of_type.bytes }
    }

    /// The reads of the candidate.
    pub(crate) fn all_reads(&self) -> impl Iterator<Item = usize> {
        (0..self.events.len()).filter(|event| self.events[*event].reads())
    }

    /// The writes to each place, as bits, by the number of the place.
    pub(crate) fn writes_by_place(&self) -> Vec<u64> {
        let mut writes = vec![0; self.places.len()];
        for (number, event) in self.events.iter().enumerate() {
            if let (true, Some(place)) = (event.writes(), event.place) {
                writes[place] |= 1 << number;
            }
        }
        writes
    }
}
