//! A simulated protocol as a transition system: all moves that are possible in a state, without
//! time.
//!
//! The runtime is that of [`system`](crate::system), and a move is at most one transition of one
//! controller. The difference is that there is no time:
//!
//! - A message is in flight until a move delivers it. Messages between two ordered buffers arrive in the order in which
//!   they were sent; on request, so do messages between any two buffers of a virtual network that has an ordered one
//!   ([`Order`]). The same holds for messages that a controller sends to itself through an ordered buffer, and for
//!   memory's responses for one line. All others arrive in any order. The simulator reorders fewer messages between an
//!   unordered and an ordered buffer.
//! - A controller is woken when a message arrives, and may be woken again as long as a delivered
//!   message is waiting. It then does what it does in the simulator, but takes at most one
//!   transition. So either of two messages may be handled first, where the simulator's scan of the
//!   ports decides.
//! - A message arrives only if no earlier message is left at the head of its buffer, since it could
//!   not be handled anyway, and its controller is woken at once. So an action that takes a message
//!   from another port's buffer only finds what was left there. The number of messages in a buffer
//!   includes those in flight, as in the simulator.
//! - An internal event of CHI that is sent without latency is handled before any other move, except that its controller
//!   may first handle a message at a port at which it looks earlier (`stepping::urgent`). One that is sent with a
//!   latency arrives at any time.
//! - A stalled head stays. A message set aside by `stall_and_wait` waits until it is woken, and
//!   then precedes those that arrived later. A message that is recycled or delayed is in flight
//!   again, and any other may overtake it.
//! - `clockEdge()` and `curCycle()` are always 0, and so are differences of times. Latencies have
//!   no effect, except that within one transition a message with a shorter latency may break the
//!   order of a buffer. A timer may expire at any time after it was set. Banks of caches are never
//!   busy when a controller is woken.
//! - Victims are chosen by the cache's own policy from the order of uses, so nothing is random.
//! - A line has one word. A core accesses half of it, since a store of a whole line is another request in CHI; only
//!   atomic instructions access all of it.
//! - A core has at most one outstanding request, or several of different lines if requested. Requests are loads and
//!   stores, and those that a [`Repertoire`] names; atomics that are performed far from the core are not explored. A
//!   prefetcher may ask for any line at any time, or for none. A core may issue a request whenever it has none, and its
//!   controller handles the request in the same move, unless another request is in the way.
//! - A buffer is never full, unless the protocol says that it may be.
//! - Memory initially holds values other than 0, as after loading a program. If a protocol takes
//!   unset blocks for the content of memory, that shows here but not in the simulator, whose memory
//!   is initially 0.
//!
//! Apart from these points, every run of the simulator with such cores, on any network and memory, is a run here: a
//! fault that is not found here does not occur at this size. A run found here may need a timing that no real network
//! has.
//!
//! [`Stepper`] makes moves in whole states. [`PartStepper`] makes the same moves in states whose parts have numbers, much
//! faster, and is what explores millions of them.
//!
//! The effects of accesses on values are described in [`values`](crate::system::stepping::Values).
//!
//! ```
//! use slicc::protocol::Protocol;
//! use simulate::stepper::{Scope, Stepper, UnderWay};
//!
//! let protocol = Protocol::open("MI_example").expect("it is built in");
//! let mut stepper = Stepper::new(&protocol, &Scope::default()).expect("the protocol fits");
//! let first = stepper.first();
//! // Two cores, each of which may load or store.
//! let moves = stepper.moves(&first);
//! assert_eq!(moves.len(), 4);
//! let (description, outcome) = stepper.describe(&first, moves[1], &mut UnderWay::default());
//! assert_eq!(description.happens, "core 0 stores to line 0");
//! assert_eq!(description.effects[0], "L1Cache-0: I Store -> IM (line 0)");
//! assert!(outcome.state.is_ok());
//! ```

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use slicc::live::dead_words;
use slicc::load::Failure;
use slicc::protocol::Protocol;
use slicc::setting::Setting;
use slicc::source::Diagnostic;

use crate::config::{
    CacheGeometry, Caches, Options, Plan, Sizes, is_chi, performs_atomics_far, takes_flushes,
};
use crate::error::SetupError;
use crate::ruby::delays::Latency;
use crate::system::stepping::{Size, Stepping};
use crate::system::{Setup, System};

pub use crate::ruby::network::Order;
pub use crate::system::stepping::parts::{
    Change, Known, Label, Missing, PartStepper, Parts, Problem, Taken,
};
pub use crate::system::stepping::{
    Access, Action, DescribedMove, Freshness, Group, Holders, Move, Outcome, Party, Repertoire,
    Signal, Symmetry, UnderWay, Values,
};

/// Size of a block in bytes: one location.
const BLOCK_BYTES: u64 = 8;
/// Number of sets of each cache, the smallest possible.
const SETS: u64 = 2;
/// The largest number of cores and DMA devices, and of lines, that can be explored.
pub const MOST: u32 = 8;

/// The size of the system under exploration.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    /// Number of cores.
    pub caches: u32,
    /// Number of cores that share a first-level cache, in protocols whose first-level caches may serve several.
    pub threads_per_cache: u32,
    /// Number of lines that the cores access. All are in the same set of a cache or, if there are several banks or
    /// directories, consecutive lines in different ones.
    pub lines: u32,
    /// Number of L2 caches, where cores share them.
    pub l2_banks: u32,
    /// Number of directories.
    pub directories: u32,
    /// Which messages between two controllers keep their order.
    pub order: Order,
    /// Whether a cache has room for only one of the lines, so that they replace each other, instead
    /// of all.
    pub tiny: bool,
    /// Whether caches below the first level have room for all lines even if the first level is `tiny`.
    pub large_below: bool,
    /// Largest number of outstanding requests of a core, all of different lines.
    pub requests: u32,
    /// Most messages on their way between a directory and memory. With more of them memory catches up before anything else happens;
    /// a protocol that does not wait for memory would have infinitely many states otherwise.
    pub memory_queue: u32,
    /// The actions of cores in addition to loads and stores, and the number of DMA devices.
    pub repertoire: Repertoire,
    /// The values that cores store.
    pub values: Values,
    /// Settings of parameters.
    pub settings: Vec<Setting>,
    /// Whether mistakes that gem5 accepts are faults instead of warnings.
    pub strict: bool,
    /// Which of cores and lines may be exchanged, where the protocol treats them alike: see [`Stepper::representative`].
    pub symmetries: Vec<Symmetry>,
    /// Whether states count as equal if they differ only in fields that are not read before they are written: see
    /// [`slicc::live`].
    pub live_variables: bool,
}

/// The messages that are on their way between a directory and memory at most, unless a scope says otherwise.
pub const MEMORY_QUEUE: u32 = 4;

impl Default for Scope {
    fn default() -> Scope {
        Scope {
            caches: 2,
            threads_per_cache: 1,
            lines: 1,
            l2_banks: 1,
            directories: 1,
            order: Order::default(),
            tiny: false,
            large_below: false,
            requests: 1,
            memory_queue: MEMORY_QUEUE,
            repertoire: Repertoire::default(),
            values: Values::Latest,
            settings: Vec::new(),
            strict: false,
            symmetries: Vec::new(),
            live_variables: false,
        }
    }
}

impl Scope {
    /// The options from which a system of this size is planned.
    pub fn options(&self) -> Options {
        let shape = |is_tiny: bool| {
            let ways = if is_tiny { 1 } else { self.lines.next_power_of_two() };
            CacheGeometry::new(SETS * u64::from(ways) * BLOCK_BYTES, ways)
        };
        let (first, below) = (shape(self.tiny), shape(self.tiny && !self.large_below));
        Options {
            threads: self.caches,
            devices: self.repertoire.devices,
            threads_per_machine: self.threads_per_cache.max(1),
            directories: self.directories,
            l2_banks: self.l2_banks,
            caches: Caches::Given(Sizes {
                l1_instructions: first,
                l1_data: first,
                l2: below,
                l3: below,
            }),
            block_bytes: BLOCK_BYTES,
            random_delays: false,
            network: Latency::Constant(1),
            memory: Latency::Constant(1),
            send_evictions: self.repertoire.early,
            settings: self.settings.clone(),
            strict: self.strict,
            ..Options::default()
        }
    }
}

/// The reason why a protocol cannot be explored.
#[derive(Debug)]
pub enum StepperError {
    /// The protocol has errors.
    Protocol(Box<Failure>),
    /// A system of this size cannot be planned.
    Plan(Vec<Diagnostic>),
    /// The size is not supported, or the protocol does something that is not supported.
    Setup(SetupError),
}

impl From<SetupError> for StepperError {
    fn from(error: SetupError) -> StepperError {
        StepperError::Setup(error)
    }
}

/// A protocol as a transition system. Its moves are those of [`Stepping`].
pub struct Stepper {
    stepping: Stepping,
    pub(crate) group: Arc<Group>,
}

impl Stepper {
    /// Builds a system that runs a protocol.
    ///
    /// # Errors
    /// Fails if the protocol has errors, or does not support or fit a system of this size.
    pub fn new(protocol: &Protocol, scope: &Scope) -> Result<Stepper, StepperError> {
        let fits = |number: u32| (1..=MOST).contains(&number);
        let agents = scope.caches.saturating_add(scope.repertoire.devices);
        if !fits(agents) || !fits(scope.caches) || !fits(scope.lines) {
            let (caches, lines) = (scope.caches, scope.lines);
            return Err(SetupError::Scope { caches, lines, most: MOST }.into());
        }
        // The protocol is compiled again, with blocks of one word.
        let small = Protocol::new(protocol.loaded.clone(), BLOCK_BYTES as usize)
            .map_err(|failure| StepperError::Protocol(Box::new(failure)))?;
        check_requests(&small, &scope.repertoire)?;
        let mut options = scope.options();
        if scope.repertoire.prefetch {
            let enabled = enabled_prefetch(&small, &options.settings);
            options.settings.extend(enabled);
        }
        let plan = Plan::of(&small, &options).map_err(StepperError::Plan)?;
        if scope.repertoire.atomic && performs_atomics_far(&small, &plan) {
            return Err(SetupError::FarAtomics.into());
        }
        if scope.l2_banks > 1 {
            let one = Options { l2_banks: 1, ..options.clone() };
            let unbanked = Plan::of(&small, &one).map_err(StepperError::Plan)?;
            if unbanked.counts() == plan.counts() {
                return Err(SetupError::NoBanks.into());
            }
        }
        let system = System::new(Setup {
            program: Arc::clone(&small.program),
            plan: &plan,
            options: &options,
            cores: Vec::new(),
            trace: None,
            seed: 0,
            deadlock_threshold: None,
        })?;
        if plan.sequencers < scope.caches {
            let (caches, sequencers) = (scope.caches, plan.sequencers);
            return Err(SetupError::Sequencers { caches, sequencers }.into());
        }
        let is_banked = scope.l2_banks > 1 || scope.directories > 1;
        let distance = if is_banked { BLOCK_BYTES } else { SETS * BLOCK_BYTES };
        let lines = (0..u64::from(scope.lines)).map(|line| line * distance);
        let size = Size {
            cores: scope.caches as usize,
            requests: scope.requests.max(1) as usize,
            memory_queue: scope.memory_queue as usize,
            repertoire: scope.repertoire,
            order: scope.order,
            lines: lines.collect(),
            dead: if scope.live_variables { dead_words(&small) } else { Vec::new() },
        };
        let stepping = Stepping::new(system, size, scope.values)?;
        if scope.repertoire.prefetch && !stepping.has_prefetches() {
            return Err(SetupError::Unhandled("prefetches").into());
        }
        if scope.repertoire.fetch && !stepping.has_common_fetches() {
            return Err(SetupError::OwnFetches.into());
        }
        if scope.threads_per_cache > 1 && scope.caches > 1 && !stepping.has_shared_caches() {
            return Err(SetupError::OwnCaches.into());
        }
        let group = Arc::new(stepping.group(&scope.symmetries));
        Ok(Stepper { stepping, group })
    }

    /// The symmetries of the system, of those that the scope asks for.
    pub fn symmetries(&self) -> &Arc<Group> {
        &self.group
    }

    /// The state that stands for all that differ from this one only in the names of cores and lines.
    pub fn representative(&mut self, state: Vec<u8>) -> Vec<u8> {
        self.stepping.representative(state, &self.group)
    }
}

/// The setting that turns on the prefetchers of first-level caches, unless the protocol has none or another setting says whether they are on.
fn enabled_prefetch(protocol: &Protocol, given: &[Setting]) -> Option<Setting> {
    let text = if is_chi(protocol) { "L1D.use_prefetcher=true" } else { "enable_prefetch=true" };
    let enabled =
        text.parse::<Setting>().ok().filter(|one| has_parameter(protocol, &one.parameter))?;
    let is_for_it = |one: &Setting| {
        one.parameter == enabled.parameter
            && (one.machine.is_none()
                || enabled.machine.is_none()
                || one.machine == enabled.machine)
    };
    (!given.iter().any(is_for_it)).then_some(enabled)
}

fn has_parameter(protocol: &Protocol, name: &str) -> bool {
    let mut parameters = protocol.machines().flat_map(|machine| &machine.parameters);
    parameters.any(|one| &*one.name.text == name)
}

/// Refuses requests that a protocol does not handle.
fn check_requests(protocol: &Protocol, repertoire: &Repertoire) -> Result<(), SetupError> {
    if repertoire.flush && !takes_flushes(protocol) {
        return Err(SetupError::Unhandled("flushes"));
    }
    Ok(())
}

impl Deref for Stepper {
    type Target = Stepping;

    fn deref(&self) -> &Stepping {
        &self.stepping
    }
}

impl DerefMut for Stepper {
    fn deref_mut(&mut self) -> &mut Stepping {
        &mut self.stepping
    }
}
