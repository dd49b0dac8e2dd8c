//! ForcedOrder order while a run goes on: operations arrive one by one, as they complete, and the first one after which the history can't be
//! consistent any more is noticed at once.
//!
//! The rules are those of [`crate::engine::saturate`], over the same chains. An operation may arrive after others that come later in its thread
//! (a store that waited in a buffer), so chains have places by program order, and what arrives is inserted. A read of a value that nobody
//! has written yet waits for its source: only the end of the run can tell that there is none.
//!
//! Memory does not grow with the run. What precedes the last operation of every thread precedes all that is still to come; if it is a
//! read, or a write that another such write overwrites, nothing new can be concluded from it, and it is forgotten. A later read of such a
//! write is a violation. Of a thread all of whose operations up to some place have arrived somebody has to say so ([`Online::settle`]). A
//! thread that does nothing keeps everything after its last operation in memory.
//!
//! As saturation does, this finds what is forced, which is not all that is impossible: that nothing was found proves nothing. So a run that explains what has arrived is made beside it
//! ([`Online::is_explained`]).
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
mod clocks;
mod forget;
mod locations;
mod order;
mod replay;
mod witness;

use std::collections::VecDeque;

use history::Kind;
use rustc_hash::{FxHashMap, FxHashSet};

use certify::rule::Rule;
use chains::Chains;
use clocks::Clocks;
use locations::Location;
use memory::Model;
use replay::Replay;

/// An operation as it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The thread of the operation.
    pub thread: u32,
    /// Its place in its thread's program order; places may be left out, and all are below [`MOST`].
    pub sequence: u32,
    /// The kind of the operation; one that the model [refines](Model::refines) must not arrive.
    pub kind: Kind,
    /// Where, as a number that means the same each time; fences have none.
    pub location: Option<u64>,
    /// What it reads, where it reads and that is known.
    pub read: Option<u64>,
    /// What it writes, where it writes and that is known.
    pub written: Option<u64>,
    /// A number by which the caller recognizes the operation, such as its trace line.
    pub tag: u64,
}

/// Why no continuation of the history can be consistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The first must come before the second, by a rule unless what it followed from is forgotten, but
    /// comes after it.
    Cycle(Arrival, Arrival, Option<Rule<Arrival>>),
    /// A read returns the initial value, and a write comes before it.
    Stale(Arrival, Arrival),
    /// A read returns a value that is overwritten before anything that is still to come.
    Overwritten(Arrival),
    /// A read returns a value that nobody has written.
    ThinAir(Arrival),
}

/// A value is written twice to a location: nobody can tell which of the two writes a read takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenTwice {
    /// The first write, if it is still known.
    pub first: Option<Arrival>,
    /// The second.
    pub second: Arrival,
}

/// Why an operation could not be taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArrivalError {
    /// The history can't be consistent any more.
    Broken(Box<Broken>),
    /// A value is written twice, so the sources of reads are not known.
    WrittenTwice(Box<WrittenTwice>),
    /// This is the first operation of a thread that was not announced before operations were forgotten: it may precede these.
    LateThread(Box<Arrival>),
}

impl From<Box<Broken>> for ArrivalError {
    fn from(broken: Box<Broken>) -> ArrivalError {
        ArrivalError::Broken(broken)
    }
}

/// Places in program order are below this.
pub const MOST: u32 = i32::MAX as u32;

/// Marks that there is no event or location.
const NONE: u32 = u32::MAX;

/// Values of forgotten writes that are remembered, so that a read of one is noticed at once.
const REMEMBERED: usize = 1 << 16;

/// Where a read takes its value from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The operation does not read, or its source is not known.
    None,
    /// The initial value.
    Initial,
    /// This write.
    Event(u32),
}

/// An operation that is known.
#[derive(Clone, Debug)]
struct Event {
    arrival: Arrival,
    /// The chain of the event.
    chain: u32,
    /// Its number among the locations.
    location: u32,
    source: Source,
    /// If it writes, the last reader in each chain.
    readers: Vec<(u32, u32)>,
    /// What must come after it, and by which rule unless that is forgotten.
    after: Vec<(u32, Option<Rule<u32>>)>,
    /// Whether something that was there is forgotten.
    is_cut: bool,
    /// Whether it has been forgotten, and its place may be taken.
    is_free: bool,
}

impl Event {
    /// Its position in its chain, from 1.
    fn position(&self) -> u32 {
        self.arrival.sequence + 1
    }
}

/// The order that is forced on what has arrived. Memory: about 200 bytes an operation that is not forgotten, and 4 for each of its chains.
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
    /// Read-modify-writes among them, by location and the value that they write.
    held_back: FxHashMap<(u32, u64), Arrival>,
    /// Values of forgotten writes, the oldest first.
    forgotten: VecDeque<(u32, u64)>,
    is_forgotten: FxHashSet<(u32, u64)>,
    /// Events whose clocks have changed.
    changed: Vec<u32>,
    replay: Replay,
    arrived: u64,
    has_forgotten: bool,
    /// How many operations were left when some were last forgotten.
    kept: usize,
}

impl Online {
    /// Creates a checker that no operation has arrived at.
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

    /// How many operations have arrived.
    pub fn arrived(&self) -> u64 {
        self.arrived
    }

    /// How many of them are not forgotten.
    pub fn remembered(&self) -> usize {
        self.events.len() - self.free.len()
    }

    /// The operations that are not forgotten, by thread and program order, without reads that wait for their sources.
    pub fn window(&self) -> Vec<Arrival> {
        let known = self.events.iter().filter(|event| !event.is_free);
        let mut all: Vec<Arrival> = known.map(|event| event.arrival).collect();
        all.sort_by_key(|it| (it.thread, it.sequence));
        all
    }

    /// Takes in an operation that has completed.
    ///
    /// # Errors
    /// The history can't be consistent any more, or a value is written twice. Nothing can be added after that.
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

    /// All operations of a thread before this place have arrived, or are waiting for their sources; no other will. With place 0 this
    /// announces a thread.
    pub fn settle(&mut self, thread: u32, sequence: u32) {
        self.chains.settle(thread, sequence);
    }

    /// Ends the run: no operation arrives after this.
    ///
    /// # Errors
    /// A read has waited in vain for its source.
    pub fn finish(&mut self) -> Result<(), Box<Broken>> {
        let first = self.waiting.values().flatten().min_by_key(|it| it.tag);
        match first {
            Some(&read) => Err(Box::new(Broken::ThinAir(read))),
            None => {
                self.replay_all();
                Ok(())
            }
        }
    }

    /// A read waits for its source. Read-modify-writes that wait for each other wait in vain.
    fn wait(&mut self, arrival: Arrival, location: u32) -> Result<(), Box<Broken>> {
        let value = arrival.read.unwrap_or(0);
        self.waiting.entry((location, value)).or_default().push(arrival);
        let Some(written) = arrival.written.filter(|_| arrival.kind.writes()) else {
            return Ok(());
        };
        self.held_back.insert((location, written), arrival);
        let mut source = arrival;
        while let Some(&next) = self.held_back.get(&(location, source.read.unwrap_or(0))) {
            if next == arrival {
                return Err(Box::new(Broken::Cycle(source, arrival, Some(Rule::ReadsFrom))));
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

    /// Where an operation takes its value from; nothing if that has not arrived.
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
            return Err(Box::new(Broken::Overwritten(arrival)).into());
        }
        Ok(self.writers.get(&(location, value)).map(|&write| Source::Event(write)))
    }

    /// Inserts an operation, and draws the conclusions; then those that have waited for it.
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
