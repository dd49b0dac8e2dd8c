//! [`Online`]: checks a history while its run is in progress. Operations arrive one by one, as they complete,
//! and a violation is reported at the first operation after which no continuation can be consistent.
//!
//! The rules are those of [`crate::engine::saturate`], over the same chains. An operation may arrive after
//! others that come later in its thread (a store that waited in a buffer), so chains are sorted by program
//! order, and arriving operations are inserted. A read of a value that has not been written yet waits for its
//! source; only the end of the run shows that there is none. Memory is assumed to be 0 initially, and
//! each value must be written at most once to a location.
//!
//! Memory does not grow with the run. An operation that precedes the last operation of every thread also
//! precedes all operations still to come. If it is a read, or a write that another such write overwrites,
//! nothing new can follow from it, and it is forgotten. A later read of such a write is a violation. The
//! caller has to say up to which point all operations of a thread have arrived ([`Online::settle`]). A
//! thread that does nothing keeps everything after its last operation in memory.
//!
//! As in saturation, only forced order is derived, so finding no contradiction does not prove consistency.
//! Therefore a run that explains the operations is built at the same time ([`Online::is_explained`]).
//!
//! The operations of most runs arrive in an order in which the model's machine could have performed them.
//! [`Lazy`] gives the same answers as [`Online`], and derives the forced order only of other runs.
//!
//! ```
//! use check::Model;
//! use check::online::{Arrival, Online};
//! use history::Kind;
//!
//! let mut online = Online::new(Model::SC);
//! let store = |thread, sequence, location| Arrival {
//!     thread, sequence, kind: Kind::Store, location: Some(location), read: None, written: Some(1), tag: 0,
//! };
//! let load = |thread, sequence, location, read| Arrival {
//!     thread, sequence, kind: Kind::Load, location: Some(location), read: Some(read), written: None, tag: 0,
//! };
//! assert!(online.arrive(store(0, 0, 7)).is_ok());
//! assert!(online.arrive(load(0, 1, 8, 0)).is_ok());
//! assert!(online.arrive(store(1, 0, 8)).is_ok());
//! // Store buffering.
//! assert!(online.arrive(load(1, 1, 7, 0)).is_err());
//! ```

mod chains;
mod forget;
mod lazy;
mod locations;
mod order;
mod replay;
mod witness;

use std::collections::VecDeque;

use history::Kind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::clocks::Clocks;
use certify::rule::Rule;
use chains::Chains;
pub use lazy::Lazy;
use locations::Location;
use memory::Model;
use replay::Replay;

/// An operation of a running program, as the caller passes it to [`Online::arrive`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The thread of the operation.
    pub thread: u32,
    /// Its position in its thread's program order. Positions may be skipped; all are below [`SEQUENCE_LIMIT`].
    pub sequence: u32,
    /// The kind of the operation. Operations for which [`Model::refines`] holds must not arrive.
    pub kind: Kind,
    /// The location, by a number such as its address; fences have none.
    pub location: Option<u64>,
    /// The value read, if the operation reads and the value is known.
    pub read: Option<u64>,
    /// The value written, if the operation writes and the value is known.
    pub written: Option<u64>,
    /// A number by which the caller identifies the operation, such as its trace line.
    pub tag: u64,
}

/// Why no continuation of the history can be consistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnlineViolation {
    /// The first operation must come before the second, but comes after it. The rule is `None` if the
    /// operations that it follows from are forgotten.
    Cycle(Arrival, Arrival, Option<Rule<Arrival>>),
    /// The first operation returns the initial value, but the second, a write, comes before it.
    Stale(Arrival, Arrival),
    /// This read returns a value that was overwritten before all operations still to come.
    Overwritten(Arrival),
    /// This read returns a value that no write has.
    ThinAir(Arrival),
}

/// The error that a value is written twice to a location, or written although it is the initial value 0, so
/// that the sources of its reads are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenTwice {
    /// The first write; `None` if it is forgotten, or if the value is the initial one.
    pub first: Option<Arrival>,
    /// The write that arrived last.
    pub second: Arrival,
}

/// Why an operation could not be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArrivalError {
    /// No continuation of the history can be consistent.
    OnlineViolation(Box<OnlineViolation>),
    /// A value is written twice, or is the initial one, so the sources of reads are not known.
    WrittenTwice(Box<WrittenTwice>),
    /// This is the first operation of a thread that was not announced before operations were forgotten,
    /// which it may precede.
    LateThread(Box<Arrival>),
    /// A bound was met, so it is not known whether the operation can be added ([`Lazy::bounded`]).
    Exceeded,
}

impl From<Box<OnlineViolation>> for ArrivalError {
    fn from(broken: Box<OnlineViolation>) -> ArrivalError {
        ArrivalError::OnlineViolation(broken)
    }
}

/// The bound of positions in program order: every [`Arrival::sequence`] is below it.
pub const SEQUENCE_LIMIT: u32 = i32::MAX as u32;

/// Marks a missing event or location.
const NONE: u32 = u32::MAX;

/// Number of values of forgotten writes that are remembered, so that a read of one is reported at once.
const REMEMBERED: usize = 1 << 16;

/// The source of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The operation does not read, or its source is not known.
    None,
    /// The source is the initial value.
    Initial,
    /// The source is this write.
    Event(u32),
}

/// A reader of a value, with its position.
#[derive(Clone, Copy, Debug)]
struct Reader {
    chain: u32,
    /// The position in the chain, from 1.
    position: u32,
    event: u32,
}

/// An operation that has arrived and is not forgotten.
#[derive(Clone, Debug)]
struct Event {
    arrival: Arrival,
    /// The chain of the event.
    chain: u32,
    /// The number of the location.
    location: u32,
    source: Source,
    /// For a write, its last reader in each chain.
    readers: Vec<Reader>,
    /// The events that must come after it, with the rule; `None` if the rule is forgotten.
    after: Vec<(u32, Option<Rule<u32>>)>,
    /// Whether some of the events in `after` were forgotten.
    is_cut: bool,
    /// Whether the event was forgotten, so that its slot may be reused.
    is_free: bool,
}

impl Event {
    /// The event's position in its chain, from 1.
    fn position(&self) -> u32 {
        self.arrival.sequence + 1
    }
}

/// The forced order of the operations that have arrived. Memory: about 200 bytes an operation that is not
/// forgotten, and 4 for each chain.
#[derive(Clone, Debug)]
pub struct Online {
    events: Vec<Event>,
    free: Vec<u32>,
    clocks: Clocks,
    chains: Chains,
    locations: Vec<Location>,
    location_of: FxHashMap<u64, u32>,
    /// By location and value, the write.
    writers: FxHashMap<(u32, u64), u32>,
    /// Reads whose source has not arrived, by location and value.
    waiting: FxHashMap<(u32, u64), Vec<Arrival>>,
    /// The read-modify-writes among the waiting reads, by location and the value that they write.
    held_back: FxHashMap<(u32, u64), Arrival>,
    /// Values of forgotten writes, the oldest first.
    forgotten: VecDeque<(u32, u64)>,
    is_forgotten: FxHashSet<(u32, u64)>,
    /// Events whose clocks have changed, and whose successors are still to be updated.
    changed: Vec<u32>,
    replay: Replay,
    arrived: u64,
    has_forgotten: bool,
    /// Number of operations that were kept when operations were last forgotten.
    kept: usize,
}

impl Online {
    /// Creates a checker without operations.
    pub fn new(model: Model) -> Online {
        Online {
            events: Vec::new(),
            free: Vec::new(),
            clocks: Clocks::default(),
            chains: Chains::new(model),
            locations: Vec::new(),
            location_of: FxHashMap::default(),
            writers: FxHashMap::default(),
            waiting: FxHashMap::default(),
            held_back: FxHashMap::default(),
            forgotten: VecDeque::new(),
            is_forgotten: FxHashSet::default(),
            changed: Vec::new(),
            replay: Replay::new(model),
            arrived: 0,
            has_forgotten: false,
            kept: 0,
        }
    }

    /// Number of operations that have arrived.
    pub fn arrived(&self) -> u64 {
        self.arrived
    }

    /// Number of operations that are not forgotten.
    pub fn remembered(&self) -> usize {
        self.events.len() - self.free.len()
    }

    /// The operations that are not forgotten, by thread and program order, without reads that wait for their
    /// sources.
    pub fn window(&self) -> Vec<Arrival> {
        let known = self.events.iter().filter(|event| !event.is_free);
        let mut all: Vec<Arrival> = known.map(|event| event.arrival).collect();
        all.sort_by_key(|it| (it.thread, it.sequence));
        all
    }

    /// Whether a write of this value to this location has arrived, as far as that is remembered.
    fn has_write(&self, (address, value): (u64, u64)) -> bool {
        let location = self.location_of.get(&address);
        location.is_some_and(|&location| {
            let write = (location, value);
            self.writers.contains_key(&write)
                || self.is_forgotten.contains(&write)
                || self.held_back.contains_key(&write)
        })
    }

    /// Adds an operation that has completed.
    ///
    /// # Errors
    /// Returns an [`ArrivalError`] if no continuation of the history can be consistent, or if the history
    /// cannot be checked any further. Nothing can be added after that.
    pub fn arrive(&mut self, arrival: Arrival) -> Result<(), ArrivalError> {
        self.arrived += 1;
        if self.has_forgotten && !self.chains.threads.contains_key(&arrival.thread) {
            return Err(ArrivalError::LateThread(Box::new(arrival)));
        }
        let location = arrival.location.map_or(NONE, |address| self.location(address));
        if let (Some(value), true) = (arrival.written, arrival.kind.writes()) {
            self.check_unique(location, value, arrival)?;
        }
        match self.source(arrival, location)? {
            Some(source) => self.take_in(arrival, location, source)?,
            None => self.wait(arrival, location)?,
        }
        Ok(())
    }

    /// Declares that all operations of a thread before this position have arrived; no others will. With
    /// position 0 this announces a thread.
    pub fn settle(&mut self, thread: u32, sequence: u32) {
        self.chains.settle(thread, sequence);
    }

    /// Ends the run. No operation may arrive after this.
    ///
    /// # Errors
    /// Returns [`OnlineViolation::ThinAir`] if the source of a read never arrived.
    pub fn finish(&mut self) -> Result<(), Box<OnlineViolation>> {
        let first = self.waiting.values().flatten().min_by_key(|it| it.tag);
        match first {
            Some(&read) => Err(Box::new(OnlineViolation::ThinAir(read))),
            None => {
                self.replay_all();
                Ok(())
            }
        }
    }

    /// Makes a read wait for its source. Reports read-modify-writes that wait for each other.
    fn wait(&mut self, arrival: Arrival, location: u32) -> Result<(), Box<OnlineViolation>> {
        let value = arrival.read.unwrap_or(0);
        self.waiting.entry((location, value)).or_default().push(arrival);
        let Some(written) = arrival.written.filter(|_| arrival.kind.writes()) else {
            return Ok(());
        };
        self.held_back.insert((location, written), arrival);
        let mut source = arrival;
        while let Some(&next) = self.held_back.get(&(location, source.read.unwrap_or(0))) {
            if next == arrival {
                return Err(Box::new(OnlineViolation::Cycle(
                    source,
                    arrival,
                    Some(Rule::ReadsFrom),
                )));
            }
            source = next;
        }
        Ok(())
    }

    fn location(&mut self, address: u64) -> u32 {
        let next = self.locations.len() as u32;
        let number = *self.location_of.entry(address).or_insert(next);
        if number == next {
            self.locations.push(Location::default());
        }
        number
    }

    fn check_unique(&self, location: u32, value: u64, second: Arrival) -> Result<(), ArrivalError> {
        let first =
            self.writers.get(&(location, value)).map(|&it| self.events[it as usize].arrival);
        let first = first.or_else(|| self.held_back.get(&(location, value)).copied());
        if first.is_some() || value == 0 || self.is_forgotten.contains(&(location, value)) {
            return Err(ArrivalError::WrittenTwice(Box::new(WrittenTwice { first, second })));
        }
        Ok(())
    }

    /// The source of an operation; `None` if it has not arrived.
    fn source(&self, arrival: Arrival, location: u32) -> Result<Option<Source>, ArrivalError> {
        if arrival.kind == Kind::StoreConditional {
            return Ok(Some(self.linked_source(arrival, location)));
        }
        let (Some(value), true) = (arrival.read, arrival.kind.reads()) else {
            return Ok(Some(Source::None));
        };
        if value == 0 {
            return Ok(Some(Source::Initial));
        }
        if self.is_forgotten.contains(&(location, value)) {
            return Err(Box::new(OnlineViolation::Overwritten(arrival)).into());
        }
        Ok(self.writers.get(&(location, value)).map(|&write| Source::Event(write)))
    }

    /// Inserts an operation and derives the consequences, then does the same for the reads that waited for
    /// it. Forgets operations if there are many.
    fn take_in(
        &mut self,
        arrival: Arrival,
        location: u32,
        source: Source,
    ) -> Result<(), ArrivalError> {
        let mut open = vec![(arrival, source)];
        while let Some((arrival, source)) = open.pop() {
            let number = self.insert(arrival, location, source)?;
            self.replay.insert(number, &self.events[number as usize]);
            let Some(value) = arrival.written.filter(|_| arrival.kind.writes()) else {
                continue;
            };
            self.writers.insert((location, value), number);
            self.held_back.remove(&(location, value));
            let waited = self.waiting.remove(&(location, value));
            open.extend(waited.into_iter().flatten().map(|read| (read, Source::Event(number))));
        }
        if self.remembered() > 2 * self.kept + 4096 {
            self.forget();
            self.kept = self.remembered();
        }
        Ok(())
    }
}
