//! A system at work: controllers, buffers, network, memory, sequencers and cores, driven by events.
//!
//! One tick is one cycle of everything. Within a tick, events happen in the order in which they were scheduled. All that
//! is random comes from one seed, so a seed stands for one run, byte for byte.

mod build;
mod cores;
mod coverage;
mod fast;
mod fault;
pub mod library;
mod messages;
mod report;
mod run;
mod scan;
pub mod stepping;
mod warning;
mod words;

use std::collections::VecDeque;
use std::sync::Arc;

use slicc::compile::code::Program;
use slicc::compile::types::TypeId;

use crate::client::Core;
use crate::request::Response;
use crate::ruby::buffer::MessageBuffer;
use crate::ruby::cache::CacheMemory;
use crate::ruby::delays::Delays;
use crate::ruby::directory::{DirectoryMemory, Interleaving};
use crate::ruby::mask::Mask;
use crate::ruby::memory::Memory;
use crate::ruby::network::Network;
use crate::ruby::persistent::PersistentTable;
use crate::ruby::sets::Machines;
use crate::ruby::tbe::TbeTable;
use crate::ruby::timer::TimerTable;
use crate::ruby::wheel::Wheel;
use crate::sequencer::{Effects, Sequencer};
use crate::trace::Trace;

pub use build::Setup;
pub use coverage::{Covered, Reached, entry_of, visits};
use fast::Position;
pub use fault::{Fault, FaultKind};
pub use warning::Warning;
use words::Words;

/// After so many cycles a request that was not answered means a deadlock, unless the user says otherwise.
pub const DEADLOCK_THRESHOLD: u64 = 200_000;

/// A core that gets answers, but stays at the same operation, is given up after so many times as long.
const PATIENCE: u64 = 10;
/// More events in one tick mean that controllers wake each other without end.
const SAME_TICK: u64 = 1 << 20;
/// More transitions in one wakeup mean that it has no end.
const MOST_TAKEN: u64 = 1 << 20;

/// A controller.
struct Controller {
    /// Its machine, by place in the program.
    machine: usize,
    /// Its number among those of its machine.
    version: u32,
    /// Address of its control words.
    control: u64,
    /// The buffer of each in_port (or its table of timers).
    ports: Vec<u32>,
    transitions_per_cycle: u64,
    /// Lines that are blocked, and the buffer that they are blocked on.
    blocked: Vec<(u64, u32)>,
    /// What waits: for a line, by rank, the buffer in which messages are parked.
    waiting: Vec<(u64, Vec<Option<u32>>)>,
    /// The rank of the port that is scanned.
    rank: usize,
    requests_to_memory: Option<u32>,
    responses_from_memory: Option<u32>,
    /// The mandatory queue, and how long a request takes to it.
    mandatory: Option<(u32, u64)>,
    /// The same by the type of the request, where the machine has an opinion.
    mandatory_latencies: Vec<u64>,
}

/// What a buffer is attached to.
#[derive(Clone, Copy, Debug)]
enum Role {
    /// Read by the controller that owns it.
    Own,
    /// Its messages go to a virtual network.
    To { vnet: u32 },
}

/// Where the fields are that the network looks at, by message type.
#[derive(Clone, Copy, Debug, Default)]
struct Envelope {
    /// The `Destination`.
    destination: Option<u16>,
    /// The `MessageSize`.
    size: Option<u16>,
    /// All words of the message.
    width: usize,
}

/// Where the fields of a `MemoryMsg` are.
#[derive(Clone, Copy, Debug, Default)]
struct MemoryFields {
    address: u16,
    kind: u16,
    sender: u16,
    original: u16,
    block: u16,
    length: u16,
}

/// Where the fields of a `RubyRequest` are.
#[derive(Clone, Copy, Debug, Default)]
struct RequestFields {
    line: u16,
    address: u16,
    kind: u16,
    mode: u16,
    size: u16,
    context: u16,
}

/// Where to go on after a transition that stalled.
#[derive(Clone, Copy, Debug, Default)]
struct Resume {
    position: Position,
    base: u16,
}

/// A thread: its core, its sequencer's answers, and where its requests go.
struct Thread {
    /// Taken out while it runs.
    core: Option<Box<dyn Core>>,
    answers: VecDeque<(u64, Response)>,
    /// The controller of its sequencer.
    controller: usize,
    done: bool,
    /// The operation that its core was at when the watchdog last saw it go on, and when that was.
    position: usize,
    moved: u64,
}

/// Something that happened, kept for the report of a fault.
#[derive(Clone, Copy, Debug, Default)]
struct Happening {
    tick: u64,
    /// How often it was repeated at once, and when for the last time, if it is a transition that
    /// changes nothing.
    repeated: u32,
    until: u64,
    controller: u32,
    /// The transition, or for a message its type.
    what: u32,
    is_message: bool,
    /// For a message, a number that stands for its `Type` field.
    kind: u32,
    after: u16,
    address: u64,
}

/// How far back a fault's report can look.
const HAPPENINGS: usize = 1 << 14;
/// Among how many of the last happenings a repetition is looked for.
const NEAR: usize = 8;

/// What a run came to.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Ticks.
    pub ticks: u64,
    /// Transitions taken.
    pub transitions: u64,
    /// Transitions that stalled.
    pub stalls: u64,
    /// Wakeups of controllers.
    pub wakeups: u64,
}

/// A system.
pub struct System {
    program: Arc<Program>,
    words: Words,
    controllers: Vec<Controller>,
    buffers: Vec<MessageBuffer>,
    roles: Vec<Role>,
    /// The controller that reads each buffer.
    consumers: Vec<u32>,
    caches: Vec<CacheMemory>,
    tables: Vec<TbeTable>,
    /// What the tables hold.
    elements: Vec<TypeId>,
    directories: Vec<DirectoryMemory>,
    timers: Vec<TimerTable>,
    /// The controller that a table of timers wakes.
    timer_owners: Vec<u32>,
    persistents: Vec<PersistentTable>,
    sequencers: Vec<Sequencer>,
    threads: Vec<Thread>,
    network: Network,
    machines: Machines,
    memory: Memory,
    mask: Mask,
    delays: Delays,
    random_delays: bool,
    wheel: Wheel,
    now: u64,
    trace: Option<Trace>,
    /// By machine and transition: how often it was taken, and to which next state if that is computed.
    coverage: Vec<Vec<u64>>,
    computed: std::collections::BTreeMap<(usize, u32, u16), u64>,
    /// By machine and transition: how often the protocol stalled it.
    stalled: Vec<Vec<u64>>,
    tally: Tally,
    deadlock_threshold: u64,
    envelopes: Vec<Envelope>,
    /// Where the field `Type` is, by message type.
    kinds: Vec<Option<u16>>,
    memory_fields: MemoryFields,
    request_fields: RequestFields,
    block_words: usize,
    effects: Effects,
    /// By machine type, which addresses belong to which controller.
    homes: Vec<Option<Interleaving>>,
    /// The controller of each sequencer.
    homes_of: Vec<usize>,
    /// The data cache that holds the reservations of each sequencer.
    monitors: Vec<Option<u32>>,
    /// Counts what memory performs.
    moments: u64,
    // Of the code that runs.
    current: usize,
    transition: u32,
    resume: Resume,
    calls: Vec<(u32, u32)>,
    pc: usize,
    /// The instruction that called the library.
    calling: usize,
    /// Whether a transition runs, rather than the body of a port.
    in_transition: bool,
    /// Whether what would be warned about is a fault.
    strict: bool,
    /// What the run has been warned about: once for each place in the protocol and kind.
    warnings: Vec<Warning>,
    comment: String,
    happenings: Vec<Happening>,
    happened: usize,
}

impl System {
    /// Runs until all cores are done.
    ///
    /// # Errors
    /// The protocol failed, or nothing moves any more.
    pub fn simulate(&mut self) -> Result<(), Box<Fault>> {
        let controllers = self.controllers.len() as u32;
        for thread in 0..self.threads.len() as u32 {
            self.wheel.schedule(0, controllers + thread);
        }
        let mut running = self.threads.len();
        let mut same_tick = 0_u64;
        let mut watch = self.deadlock_threshold;
        while running > 0 {
            let Some((tick, event)) = self.wheel.pop() else {
                return Err(self.quiescence());
            };
            same_tick = if tick == self.now { same_tick + 1 } else { 0 };
            if same_tick > SAME_TICK {
                return Err(self.livelock());
            }
            self.now = tick;
            if tick >= watch {
                self.watch()?;
                watch = tick.saturating_add(self.deadlock_threshold);
            }
            if event < controllers {
                self.tally.wakeups += 1;
                self.current = event as usize;
                if let Err(trap) = self.wakeup() {
                    return Err(self.fault(trap));
                }
            } else if self.step((event - controllers) as usize) {
                running -= 1;
            }
        }
        self.tally.ticks = self.now;
        match self.trace.as_mut().and_then(Trace::error) {
            Some(error) => {
                Err(self
                    .plain_fault(FaultKind::Output, format!("the trace can't be written: {error}")))
            }
            None => Ok(()),
        }
    }

    /// Looks whether a request has waited too long, or a core goes on asking and gets nowhere.
    fn watch(&mut self) -> Result<(), Box<Fault>> {
        let late = |one: &Sequencer| {
            Some((one.version(), one.deadlock(self.now, self.deadlock_threshold)?))
        };
        if let Some((version, text)) = self.sequencers.iter().find_map(late) {
            return Err(self.stuck(version as usize, text));
        }
        if self.trace.as_mut().is_some_and(|trace| trace.error().is_some()) {
            return Err(self.plain_fault(FaultKind::Output, "the trace can't be written".into()));
        }
        let now = self.now;
        for (number, thread) in self.threads.iter_mut().enumerate() {
            let position = thread.core.as_ref().map_or(0, |core| core.position());
            if thread.done || position != thread.position {
                (thread.position, thread.moved) = (position, now);
            } else if now - thread.moved > self.deadlock_threshold.saturating_mul(PATIENCE) {
                let moved = thread.moved;
                return Err(self.no_progress(number, moved));
            }
        }
        Ok(())
    }

    /// Numbers about the run so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The program that it runs.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The cores, to ask them for what they did.
    pub fn cores(&self) -> impl Iterator<Item = &dyn Core> {
        self.threads.iter().filter_map(|thread| thread.core.as_deref())
    }

    /// Ends the run and gives the trace back, to be finished.
    pub fn take_trace(&mut self) -> Option<Trace> {
        self.trace.take()
    }
}
