//! Cores that run a program on a memory system, each keeping one memory model.
//!
//! A core sends requests through a [`CorePort`] and is told when memory performs them and, a tick
//! later, that they are answered. It keeps [`Records`] of its operations, and prints them where
//! Ruby's lines cannot show what its program did.

mod atomic;
mod buffered;
mod early;
mod in_order;
mod log;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use history::Source;
use memory::{Model, models};

use crate::dice::Dice;
use crate::program::{Program, Step};
use crate::record::Records;
use crate::request::{Refusal, Request, Response};
use crate::trace::Trace;
use buffered::Buffered;
use early::Early;
use in_order::InOrder;
use log::Log;

/// What a core sees of the rest of the system.
pub trait CorePort {
    /// Offers a request to the sequencer.
    ///
    /// # Errors
    /// If it is refused; the core tries again later.
    fn send(&mut self, request: Request) -> Result<(), Refusal>;

    /// Asks for [`Core::step`] at a tick, which is later than the present one.
    fn wake_at(&mut self, tick: u64);

    /// A number that counts up, by which operations are ordered as memory performed them.
    fn moment(&mut self) -> u64;

    /// The trace, if there is one.
    fn trace(&mut self) -> Option<&mut Trace>;
}

/// A core in the middle of its program.
pub trait Core {
    /// Goes on with the program: called at tick 0, and whenever the core asked for it.
    fn step(&mut self, now: u64, port: &mut dyn CorePort);

    /// Memory performs a request now. Called from within a callback of the protocol, so the core
    /// notes it and sends nothing; the same answer comes to [`Core::respond`] a tick later.
    fn performed(&mut self, now: u64, response: &Response, port: &mut dyn CorePort);

    /// A request is answered.
    fn respond(&mut self, now: u64, response: &Response, port: &mut dyn CorePort);

    /// A line leaves the core's cache, or was invalidated while it was on its way there. Called
    /// from within a transition, so the core notes it and sends nothing.
    fn evicted(&mut self, now: u64, line: u64, port: &mut dyn CorePort);

    /// The operation that it has come to: what shows that it goes on.
    fn position(&self) -> usize;

    /// Whether the program has ended and memory has performed all of it.
    fn is_done(&self) -> bool;

    /// What it did.
    fn records(&self) -> &Records;

    /// Loads performed early that had to be repeated.
    fn repeated(&self) -> u64 {
        0
    }
}

/// A kind of core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Client {
    /// One operation after the other: SC.
    InOrder,
    /// Stores wait in a buffer, as a model with store buffers has it.
    Buffered {
        /// The model: how stores leave the buffer, and whether it serves loads.
        model: Model,
        /// Entries of the buffer.
        entries: u32,
    },
    /// Loads among so many operations are performed early, and repeated if their line leaves the
    /// cache; all else happens in order: SC.
    Early(u32),
    /// The same in front of a store buffer: TSO.
    EarlyBuffer {
        /// Operations that are looked at together.
        window: u32,
        /// Entries of the store buffer.
        entries: u32,
    },
}

/// Ticks that a store may wait in its buffer before it is sent.
const DRAIN: u64 = 40;
/// Ticks until a core asks again for a line that is locked. The answer that ends the lock may go to
/// another core.
const RETRY: u64 = 8;
/// Separates the choices of a thread's core from those of its program.
const PURPOSE: u64 = 1 << 32;

impl Client {
    /// A core with a first-in first-out store buffer of so many entries, which keeps TSO.
    pub const fn store_buffer(entries: u32) -> Client {
        Client::Buffered {
            model: Model::TSO,
            entries,
        }
    }

    /// A core with a store buffer of so many entries that stores to different locations leave in any
    /// order, which keeps PSO.
    pub const fn per_location(entries: u32) -> Client {
        Client::Buffered {
            model: Model::PSO,
            entries,
        }
    }

    /// The memory model that the core guarantees.
    pub fn model(self) -> Model {
        match self {
            Client::InOrder | Client::Early(_) => Model::SC,
            Client::EarlyBuffer { .. } => Model::TSO,
            Client::Buffered { model, .. } => model,
        }
    }

    /// Which lines of a trace show what a program did on such cores: Ruby's, if cores do one thing
    /// at a time and the program has nothing that Ruby does not see.
    pub fn source(self, program: &Program) -> Source {
        match self {
            Client::InOrder if program.is_plain() => Source::Ruby,
            _ => Source::Client,
        }
    }

    /// Whether it must be told of lines that leave its cache.
    pub fn needs_evictions(self) -> bool {
        matches!(self, Client::Early(_) | Client::EarlyBuffer { .. })
    }

    /// The core of a thread.
    pub fn core(self, thread: u32, steps: Vec<Step>, setting: Setting) -> Box<dyn Core> {
        let log = Log::new(thread, setting.source);
        let thread = Thread {
            steps,
            log,
            dice: Dice::new(setting.seed, PURPOSE + u64::from(thread)),
            alarm: Alarm::default(),
        };
        match self {
            Client::InOrder => Box::new(InOrder::new(thread)),
            Client::Buffered { model, entries } => Box::new(Buffered::new(thread, model, entries)),
            Client::Early(window) => Box::new(Early::new(thread, setting.line_bytes, window, None)),
            Client::EarlyBuffer { window, entries } => {
                let entries = Some(entries);
                Box::new(Early::new(thread, setting.line_bytes, window, entries))
            }
        }
    }

    /// The cores of all threads of a program.
    pub fn cores(self, program: &Program, seed: u64, line_bytes: u64) -> Vec<Box<dyn Core>> {
        let setting = Setting {
            source: self.source(program),
            seed,
            line_bytes,
        };
        let threads = (0..).zip(&program.threads);
        threads
            .map(|(thread, steps)| self.core(thread, steps.clone(), setting))
            .collect()
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Client::InOrder => f.write_str("in-order"),
            Client::Buffered { model, entries } => write!(f, "{}-{entries}", buffer_name(*model)),
            Client::Early(window) => write!(f, "early-{window}"),
            Client::EarlyBuffer { window, entries } => write!(f, "early-{window}-buffer-{entries}"),
        }
    }
}

impl FromStr for Client {
    type Err = String;

    /// Reads what [`fmt::Display`] writes; a number that is left out is 8.
    fn from_str(name: &str) -> Result<Client, String> {
        let number = |text: &str| match text.strip_prefix('-') {
            None if text.is_empty() => Some(8),
            Some(digits) => digits
                .parse()
                .ok()
                .filter(|number| (1..=1024).contains(number)),
            None => None,
        };
        let early = |rest: &str| match rest.split_once("-buffer") {
            None => Some(Client::Early(number(rest)?)),
            Some((window, entries)) => Some(Client::EarlyBuffer {
                window: number(window)?,
                entries: number(entries)?,
            }),
        };
        let mut buffered = models::ALL.iter().filter(|model| model.buffers());
        let client = if name == "in-order" {
            Some(Client::InOrder)
        } else if let Some(rest) = name.strip_prefix("early") {
            early(rest)
        } else {
            buffered.find_map(|&model| {
                let entries = number(name.strip_prefix(&buffer_name(model))?)?;
                Some(Client::Buffered { model, entries })
            })
        };
        client.ok_or_else(|| {
            format!(
                "`{name}`: in-order, store-buffer-N, per-location-N, MODEL-buffer-N, early-N or \
                 early-N-buffer-N was expected, N from 1 to 1024"
            )
        })
    }
}

/// The name of the core with store buffers that guarantees a model, without the number of entries.
fn buffer_name(model: Model) -> String {
    if model == Model::TSO {
        "store-buffer".to_owned()
    } else if model == Model::PSO {
        "per-location".to_owned()
    } else {
        format!("{}-buffer", model.name())
    }
}

/// What all cores of a run have in common.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Which lines of the trace show what they do.
    pub source: Source,
    /// Their random choices.
    pub seed: u64,
    /// Bytes of a cache line.
    pub line_bytes: u64,
}

/// A thread's program, and what every kind of core needs to run it.
#[derive(Debug)]
struct Thread {
    steps: Vec<Step>,
    log: Log,
    dice: Dice,
    alarm: Alarm,
}

/// When a core is to be woken: once at each tick, however often it asks.
#[derive(Debug, Default)]
struct Alarm {
    ticks: Vec<u64>,
    /// When it asks for a locked line again.
    retry: u64,
}

impl Alarm {
    /// The present tick has been reached.
    fn ring(&mut self, now: u64) {
        self.ticks.retain(|&tick| tick > now);
    }

    /// Wakes the core at a later tick.
    fn set(&mut self, tick: u64, port: &mut dyn CorePort) {
        if !self.ticks.contains(&tick) {
            self.ticks.push(tick);
            port.wake_at(tick);
        }
    }

    /// Sends a request; whether it was accepted. After a refusal the core will be woken, or
    /// answered.
    fn send(&mut self, port: &mut dyn CorePort, now: u64, request: Request) -> bool {
        match port.send(request) {
            Ok(()) => true,
            Err(Refusal::Aliased) => {
                if self.retry <= now {
                    self.retry = now + RETRY;
                    self.set(self.retry, port);
                }
                false
            }
            // Something is outstanding, and its answer comes.
            Err(Refusal::BufferFull) => false,
        }
    }
}
