//! A simulated protocol as a transition system: all that can happen in a state, one move after the other.
//!
//! The runtime is that of [`system`](crate::system), and a move is at most one transition of one controller. What is
//! different is time: there is none.
//!
//! - A message that was sent is under way until a move lets it arrive. Where the buffers at both ends are ordered, the
//!   messages of a pair arrive in the order in which they were sent; so do those that a controller sends itself through
//!   an ordered buffer, and the answers of memory for one line. All others arrive in any order. The simulator reorders
//!   less between an unordered and an ordered buffer.
//! - A controller is woken when a message arrives, and may be woken again while there is one that has arrived and is
//!   still there. It then does what it does in the simulator, but for one transition at most. So which of two messages
//!   is looked at first is open, where the simulator's scan of the ports decides.
//! - A message arrives only when nothing that arrived before is left at the head of its buffer: it could not be looked
//!   at anyhow; and its controller is woken at once. So an action that takes the head of another port's buffer than the
//!   one it was triggered from finds only what has been left there. What asks how many messages there are in a buffer sees those that are under way, too, as it would in
//!   the simulator.
//! - A stalled head stays; what is set aside (`stall_and_wait`) waits until it is woken, and comes before what arrived
//!   after it. What is recycled or delayed is under way again, and may be overtaken by everything.
//! - `clockEdge()` and `curCycle()` are always 0, and so are differences of times. Latencies have no effect; that a
//!   message with a shorter latency breaks the order of a buffer shows within one transition only. Timers run out any
//!   time after they were set. Banks of caches are never busy when a controller is woken.
//! - Victims are chosen by the cache's own policy, from who was used when: there is nothing random about them.
//! - A core has at most one request outstanding (or several of different lines, if that is asked for), a load or a
//!   store. It may ask whenever it has none, and its controller looks at the request in the same move, unless another
//!   request is in the way. There are no fetches, flushes, locked or linked accesses, and no DMA.
//! - A buffer never runs full, unless the protocol says that it may.
//! - Memory holds something at first that is not 0, as after a program was loaded: where blocks that nobody has set are
//!   taken for it, that shows here and not in the simulator, whose memory is 0 at first.
//!
//! But for these exceptions, a run of the simulator with such cores, any network and any memory, is a run here: what is
//! not found here is not there, at this size. What is found may need a timing that some network cannot have.
//!
//! What the accesses do to the values is described in [`values`](crate::system::stepping::Values).
//!
//! ```
//! use slicc::protocol::Protocol;
//! use simulate::stepper::{Scope, Stepper};
//!
//! let protocol = Protocol::open("MI_example").expect("it is built in");
//! let mut stepper = Stepper::new(&protocol, &Scope::default()).expect("the protocol fits");
//! let first = stepper.first();
//! // Two cores, which may load or store.
//! let moves = stepper.moves(&first);
//! assert_eq!(moves.len(), 4);
//! let (telling, outcome) = stepper.tell(&first, moves[1]);
//! assert_eq!(telling.happens, "core 0 stores to line 0");
//! assert_eq!(telling.effects[0], "L1Cache-0: I Store -> IM (line 0)");
//! assert!(outcome.state.is_ok());
//! ```

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use slicc::load::Failure;
use slicc::protocol::Protocol;
use slicc::setting::Setting;
use slicc::source::Diagnostic;

use crate::config::{CacheGeometry, Caches, Options, Plan, Sizes};
use crate::error::SetupError;
use crate::ruby::delays::Latency;
use crate::system::stepping::{Size, Stepping};
use crate::system::{Setup, System};

pub use crate::system::stepping::{
    Access, Action, DescribedMove, Freshness, Holders, Move, Outcome, Values,
};

/// Bytes of a block: one location.
const BLOCK_BYTES: u64 = 8;
/// Sets of each cache: the fewest that there can be.
const SETS: u64 = 2;
/// The largest number of cores, and of lines, that can be explored.
pub const MOST: u32 = 8;

/// The size of the system that is explored.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    /// Cores, each with a cache of its own.
    pub caches: u32,
    /// Lines that they ask for, all of the same set.
    pub lines: u32,
    /// How many of them a cache has room for: all, or only one, so that they replace each other.
    pub tiny: bool,
    /// How many requests, of different lines, a core may have under way.
    pub requests: u32,
    /// Which values they store.
    pub values: Values,
    /// Values of parameters that replace what would be chosen.
    pub settings: Vec<Setting>,
    /// Whether what gem5 accepts although it is evidently wrong is a fault, and is not only warned about.
    pub strict: bool,
}

impl Default for Scope {
    fn default() -> Scope {
        Scope {
            caches: 2,
            lines: 1,
            tiny: false,
            requests: 1,
            values: Values::Latest,
            settings: Vec::new(),
            strict: false,
        }
    }
}

impl Scope {
    /// What a system of this size is planned from.
    pub fn options(&self) -> Options {
        let ways = if self.tiny { 1 } else { self.lines.next_power_of_two() };
        let shape = CacheGeometry::new(SETS * u64::from(ways) * BLOCK_BYTES, ways);
        Options {
            threads: self.caches,
            threads_per_machine: 1,
            caches: Caches::Given(Sizes {
                l1_instructions: shape,
                l1_data: shape,
                l2: shape,
                l3: shape,
            }),
            block_bytes: BLOCK_BYTES,
            random_delays: false,
            network: Latency::Constant(1),
            memory: Latency::Constant(1),
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
    /// The size or something that the protocol does is not supported.
    Setup(SetupError),
}

impl From<SetupError> for StepperError {
    fn from(error: SetupError) -> StepperError {
        StepperError::Setup(error)
    }
}

/// A protocol as a transition system; its moves are those of [`Stepping`].
pub struct Stepper {
    stepping: Stepping,
}

impl Stepper {
    /// Makes a system that runs a protocol.
    ///
    /// # Errors
    /// Fails if the protocol has errors, or does not support or fit a system of that size.
    pub fn new(protocol: &Protocol, scope: &Scope) -> Result<Stepper, StepperError> {
        let fits = |number: u32| (1..=MOST).contains(&number);
        if !fits(scope.caches) || !fits(scope.lines) {
            let (caches, lines) = (scope.caches, scope.lines);
            return Err(SetupError::Scope { caches, lines }.into());
        }
        // With blocks of one word.
        let small = Protocol::new(protocol.loaded.clone(), BLOCK_BYTES as usize)
            .map_err(|failure| StepperError::Protocol(Box::new(failure)))?;
        let options = scope.options();
        let plan = Plan::of(&small, &options).map_err(StepperError::Plan)?;
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
        let lines = (0..u64::from(scope.lines)).map(|line| line * SETS * BLOCK_BYTES);
        let size = Size {
            cores: scope.caches as usize,
            requests: scope.requests.max(1) as usize,
            lines: lines.collect(),
        };
        let stepping = Stepping::new(system, size, scope.values)?;
        Ok(Stepper { stepping })
    }
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
