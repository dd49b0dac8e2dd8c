//! A running system: controllers, buffers, network, memory, sequencers and cores, driven by events.
//!
//! A tick is one cycle of everything. Within a tick, events run in the order in which they were
//! scheduled. All random choices derive from one seed, so a seed determines a run, byte for byte.

mod buffers;
mod build;
mod cores;
mod coverage;
mod fault;
mod functional;
pub mod library;
mod line_tables;
mod messages;
mod others;
mod played;
mod polls;
mod prefetches;
mod recycled;
mod report;
mod run;
mod scan;
pub mod stepping;
mod transition;
mod waiting;
mod warning;
mod words;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use slicc::compile::code::Program;
use slicc::compile::types::TypeId;

use crate::client::Core;
use crate::config::Group;
use crate::request::Response;
use crate::ruby::delays::Delays;
use crate::ruby::directory::Interleaving;
use crate::ruby::mask::Mask;
use crate::ruby::memory::Memory;
use crate::ruby::network::Network;
use crate::ruby::next_line::NextLine;
use crate::ruby::persistent::PersistentTable;
use crate::ruby::prefetcher::{Prefetch, Prefetcher};
use crate::ruby::sets::Machines;
use crate::ruby::timer::TimerTable;
use crate::ruby::wheel::Wheel;
use crate::sequencer::dma::DmaSequencer;
use crate::sequencer::{Effects, Sequencer};
use crate::trace::Trace;

use buffers::Buffers;
pub use build::Setup;
pub use coverage::{Covered, Reached, TakenCounts, entry_of, triple_of, visits};
pub use fault::{Fault, FaultKind};
use functional::Accesses;
use library::order::Observed;
use line_tables::LineTables;
use others::Others;
use played::Delivery;
pub use played::{Played, PlayedStep};
use polls::{Poll, WakeupLog};
use run::Position;
pub use warning::Warning;
use words::Words;

/// Default number of cycles after which an unanswered request is reported as a deadlock.
pub const DEADLOCK_THRESHOLD: u64 = 200_000;

/// A core that gets responses but stays at the same operation is given up after this many deadlock thresholds.
const NO_PROGRESS_THRESHOLDS: u64 = 10;
/// Number of events in one tick from which on controllers are assumed to wake each other for ever.
const MOST_EVENTS_PER_TICK: u64 = 1 << 20;
/// Number of events between two looks at the clock when a run has a deadline: some milliseconds.
const EVENTS_PER_CLOCK_CHECK: u64 = 1 << 10;
/// Largest number of transitions in one wakeup.
const MOST_TRANSITIONS_PER_WAKEUP: u64 = 1 << 20;

/// A port of a controller, as far as a wakeup depends on it.
#[derive(Clone, Copy, Debug)]
struct Port {
    /// The number of its buffer or table of timers.
    object: u32,
    /// The first instruction of its body.
    start: u32,
    rank: u32,
    /// Whether it reads a table of timers.
    timers: bool,
    /// Whether the body does nothing unless the buffer is ready.
    guarded: bool,
    /// Whether the body never does anything.
    idle: bool,
}

struct Controller {
    /// The index of its machine in the program.
    machine: usize,
    /// The number among the controllers of its machine.
    version: u32,
    /// Its role, where its machine has controllers of several roles.
    role: Option<String>,
    /// The address of its control words.
    control: u64,
    /// The in_ports.
    ports: Vec<Port>,
    transitions_per_cycle: u64,
    /// The blocked lines, each with the buffer on which it is blocked.
    blocked: Vec<(u64, u32)>,
    /// For each line with waiting messages, the buffer in which they were set aside, by rank of the
    /// port.
    waiting: Vec<(u64, Vec<Option<u32>>)>,
    /// The rank of the port that is being scanned.
    rank: usize,
    /// The message buffers among its parameters, in the order of declaration.
    buffers: Vec<u32>,
    requests_to_memory: Option<u32>,
    /// Whether its memory keeps no data, and answers with the data of the request.
    memory_echoes: bool,
    responses_from_memory: Option<u32>,
    /// The mandatory queue, and the latency of requests to it in cycles.
    mandatory: Option<(u32, u64)>,
    /// The latency of requests to the mandatory queue by their type, if the machine defines it.
    mandatory_latencies: Vec<u64>,
    /// The controllers to which it sends requests, if the protocol's script says so.
    downstream: Option<Group>,
    /// The controllers that it snoops, if the protocol's script says so.
    upstream: Option<Group>,
    /// Whether a wakeup that only stalls may be [repeated](polls) without being executed.
    may_repeat: bool,
    /// Whether the body of a port never does anything.
    has_idle_port: bool,
    /// The last wakeup, if it took no transition and had no effects but stalls.
    poll: Poll,
}

impl Controller {
    /// The buffers, or tables of timers, of its ports.
    fn port_objects(&self) -> impl Iterator<Item = u32> {
        self.ports.iter().map(|port| port.object)
    }

    /// The buffer on which a line is blocked.
    #[inline]
    fn blocked_by(&self, line: u64) -> Option<u32> {
        let blocked = self.blocked.iter().find(|(blocked, _)| *blocked == line);
        blocked.map(|(_, by)| *by)
    }
}

/// The connection of a buffer.
#[derive(Clone, Copy, Debug)]
enum Role {
    /// The controller that owns it reads it.
    Own,
    /// Its messages go to a virtual network.
    To { vnet: u32 },
}

/// The offsets of the fields that the network reads, for a type of messages.
#[derive(Clone, Copy, Debug, Default)]
struct Envelope {
    /// The offset of `Destination`.
    destination: Option<u16>,
    /// The offset of `MessageSize`, and the number that stands for a size that was never set: one past the last.
    size: Option<(u16, u64)>,
    /// The width of the message in words.
    width: usize,
}

/// The offsets of the fields of a `MemoryMsg`.
#[derive(Clone, Copy, Debug, Default)]
struct MemoryFields {
    address: u16,
    kind: u16,
    sender: u16,
    original: u16,
    block: u16,
    length: u16,
}

/// The offsets of the fields of a `RubyRequest`.
#[derive(Clone, Copy, Debug, Default)]
struct RequestFields {
    line: u16,
    address: u16,
    kind: u16,
    mode: u16,
    size: u16,
    context: u16,
    mask: u16,
    prefetch: u16,
    is_tlbi: u16,
    transaction: u16,
}

/// The offsets of the fields of a `SequencerMsg`, and the numbers of its types.
#[derive(Clone, Copy, Debug, Default)]
struct DmaFields {
    of: TypeId,
    line: u16,
    address: u16,
    kind: u16,
    block: u16,
    length: u16,
    load: u64,
    store: u64,
}

/// The place at which execution continues after a transition that stalled.
#[derive(Clone, Copy, Debug, Default)]
struct Resume {
    position: Position,
    base: u16,
}

/// A thread: its core or DMA device, the responses of its sequencer, and the destination of its requests.
struct Thread {
    /// The core; it is taken out while it runs.
    core: Option<Box<dyn Core>>,
    answers: VecDeque<(u64, Response)>,
    done: bool,
    /// The operation of its core when the watchdog last saw progress, and the tick of that.
    position: usize,
    moved: u64,
}

/// An event that is recorded for the report of a fault.
#[derive(Clone, Copy, Debug, Default)]
struct RecordedEvent {
    tick: u64,
    /// For a transition that changes nothing: the number of immediate repetitions, and the tick of
    /// the last one.
    repeated: u32,
    until: u64,
    controller: u32,
    /// The transition, or the type of a message.
    what: u32,
    is_message: bool,
    /// For a message, a number that stands for its `Type` field.
    kind: u32,
    after: u16,
    address: u64,
}

/// Number of recorded events, which limits how far back a fault's report can look.
const MOST_RECORDED: usize = 1 << 14;
/// Number of the last events among which a repetition is searched.
const REPETITION_DISTANCE: usize = 8;

/// Statistics of a run.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Number of ticks.
    pub ticks: u64,
    /// Number of transitions that were taken.
    pub transitions: u64,
    /// Number of transitions that stalled.
    pub stalls: u64,
    /// Number of wakeups of controllers.
    pub wakeups: u64,
    /// Number of functional accesses that cores made.
    pub functional: u64,
    /// Number of functional reads that failed and did not end the run.
    pub functional_failures: u64,
}

/// For objects of the library, the controller that has each of them as a parameter or variable. No other one uses it.
#[derive(Debug, Default)]
struct Owners {
    caches: Vec<u32>,
    tables: Vec<u32>,
    directories: Vec<u32>,
    persistents: Vec<u32>,
}

/// A simulated system.
pub struct System {
    program: Arc<Program>,
    words: Words,
    controllers: Vec<Controller>,
    buffers: Buffers,
    roles: Vec<Role>,
    /// The controller that reads each buffer.
    consumers: Vec<u32>,
    line_tables: LineTables,
    /// The type of the entries of each table.
    elements: Vec<TypeId>,
    timers: Vec<TimerTable>,
    /// The controller that each table of timers wakes.
    timer_owners: Vec<u32>,
    persistents: Vec<PersistentTable>,
    /// The controllers of caches, tables, directories and persistent tables.
    owners: Owners,
    prefetchers: Vec<Prefetcher>,
    /// The lines that the prefetcher of the current controller has asked for in the current transition.
    prefetches: Vec<Prefetch>,
    /// The prefetchers behind each RubyPrefetcherProxy, with their queues.
    proxies: Vec<(NextLine, u32)>,
    sequencers: Vec<Sequencer>,
    dma_sequencers: Vec<DmaSequencer>,
    /// The threads of cores, and then those of DMA devices.
    threads: Vec<Thread>,
    /// Number of threads of cores.
    cores: usize,
    network: Network,
    machines: Machines,
    memory: Memory,
    mask: Mask,
    delays: Delays,
    random_delays: bool,
    wheel: Wheel,
    now: u64,
    trace: Option<Trace>,
    /// How often each transition was taken.
    taken: TakenCounts,
    /// For each machine and transition, how often the protocol stalled it.
    stalled: Vec<Vec<u64>>,
    tally: Tally,
    deadlock_threshold: u64,
    envelopes: Vec<Envelope>,
    /// The offset of the field `Type`, by message type.
    kinds: Vec<Option<u16>>,
    memory_fields: MemoryFields,
    request_fields: RequestFields,
    dma_fields: DmaFields,
    block_words: usize,
    /// What functional accesses need.
    accesses: Accesses,
    effects: Effects,
    /// For each machine type, the assignment of addresses to controllers.
    homes: Vec<Option<Interleaving>>,
    /// The sequencer through which each thread fetches instructions.
    fetchers: Vec<u32>,
    /// The controller of each sequencer.
    homes_of: Vec<usize>,
    /// The controller of each DMA sequencer.
    dma_homes: Vec<usize>,
    /// The data cache that holds the reservations of each sequencer.
    monitors: Vec<Option<u32>>,
    /// The number of positions in memory order that cores have taken for their operations.
    moments: u64,
    // The state of the code that runs.
    current: usize,
    /// The place of the port that ran last among those of the current controller; `usize::MAX` before one has run.
    port: usize,
    transition: u32,
    wakeup_log: WakeupLog,
    resume: Resume,
    calls: Vec<(u32, u32)>,
    pc: usize,
    /// Index of the instruction that called the library last.
    calling: usize,
    /// Whether a transition runs, rather than the body of a port.
    in_transition: bool,
    /// Whether warnings are faults.
    strict: bool,
    /// The warnings of the run, once for each kind and place in the protocol.
    warnings: Vec<Warning>,
    comment: String,
    /// Whether calls that depend on the order of names are recorded.
    is_watched: bool,
    observed: Observed,
    /// The caches that have no names of their own.
    others: Others,
    /// In a system that is explored, the offset of the state in objects of a type, where the state says which words are
    /// dead.
    states_at: Vec<Option<u16>>,
    /// In a system that is explored, the cores that were told that they lose a line, each with the line.
    told_of_eviction: Vec<(usize, u64)>,
    happenings: Vec<RecordedEvent>,
    happened: usize,
    /// The last messages that were sent, with their receivers, and how many were sent in all.
    deliveries: Vec<Delivery>,
    delivered: usize,
}

/// The end of a run that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// All cores are done.
    Complete,
    /// The deadline came first.
    GivenUp,
}

impl System {
    /// Runs until all cores are done, or until the deadline if there is one.
    ///
    /// # Errors
    /// Returns the fault if the protocol fails, if there is no progress, or if the trace cannot be written.
    pub fn simulate(&mut self, deadline: Option<Instant>) -> Result<RunEnd, Box<Fault>> {
        let program = Arc::clone(&self.program);
        let controllers = self.controllers.len() as u32;
        for thread in 0..self.threads.len() as u32 {
            self.wheel.schedule(0, controllers + thread);
        }
        let mut running = self.threads.len();
        let (mut same_tick, mut events) = (0_u64, 0_u64);
        let mut watch = self.deadlock_threshold;
        // A core does not wait for its flushes, nor for all of its TLB invalidations.
        while running > 0 || self.has_unawaited() {
            let Some((tick, event)) = self.wheel.pop() else {
                return Err(self.quiescence());
            };
            same_tick = if tick == self.now { same_tick + 1 } else { 0 };
            if same_tick > MOST_EVENTS_PER_TICK {
                return Err(self.livelock());
            }
            self.now = tick;
            events += 1;
            if events % EVENTS_PER_CLOCK_CHECK == 0 && is_past(deadline) {
                return Ok(RunEnd::GivenUp);
            }
            if tick >= watch {
                self.watch()?;
                watch = tick.saturating_add(self.deadlock_threshold);
            }
            if event < controllers {
                self.tally.wakeups += 1;
                self.current = event as usize;
                if let Err(trap) = self.poll(&program) {
                    return Err(self.fault(trap));
                }
            } else if self.step((event - controllers) as usize) {
                running -= 1;
            }
            if let Some(fault) = self.accesses.failed.take() {
                return Err(fault);
            }
        }
        self.tally.ticks = self.now;
        self.check_output()?;
        Ok(RunEnd::Complete)
    }

    /// Checks whether the trace could be written so far.
    fn check_output(&mut self) -> Result<(), Box<Fault>> {
        let Some(error) = self.trace.as_mut().and_then(Trace::error) else { return Ok(()) };
        let message = format!("the trace can't be written: {error}");
        Err(self.plain_fault(FaultKind::Output, message))
    }

    /// Whether requests are outstanding that cores do not wait for: flushes and TLB invalidations.
    fn has_unawaited(&self) -> bool {
        let mut sequencers = self.sequencers.iter();
        sequencers.any(|one| one.has_flushes() || one.outstanding_unaddressed() > 0)
    }

    /// Checks whether a request has waited too long, or a core makes no progress.
    fn watch(&mut self) -> Result<(), Box<Fault>> {
        let cores = self.cores as u64;
        let late = |one: &Sequencer| {
            Some((one.version(), one.deadlock(self.now, self.deadlock_threshold, cores)?))
        };
        if let Some((version, text)) = self.sequencers.iter().find_map(late) {
            return Err(self.stuck(version as usize, text));
        }
        self.check_output()?;
        let now = self.now;
        for (number, thread) in self.threads.iter_mut().enumerate() {
            let position = thread.core.as_ref().map_or(0, |core| core.position());
            if thread.done || position != thread.position {
                (thread.position, thread.moved) = (position, now);
            } else if now - thread.moved
                > self.deadlock_threshold.saturating_mul(NO_PROGRESS_THRESHOLDS)
            {
                let moved = thread.moved;
                return Err(self.no_progress(number, moved));
            }
        }
        Ok(())
    }

    /// Statistics of the run so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The program of the protocol.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The cores, for their records.
    pub fn cores(&self) -> impl Iterator<Item = &dyn Core> {
        self.threads.iter().filter_map(|thread| thread.core.as_deref())
    }

    /// Returns the trace at the end of the run, to be finished.
    pub fn take_trace(&mut self) -> Option<Trace> {
        self.trace.take()
    }
}

fn is_past(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}
