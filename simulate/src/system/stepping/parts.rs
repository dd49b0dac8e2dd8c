//! States as vectors of numbered parts, which is how millions of them are explored.
//!
//! A state consists of *parts*: what each controller owns (its variables, TBEs, cache lines, the messages that have arrived,
//! the requests of its cores), the messages in flight to each buffer, and memory. Few different parts occur, in many
//! combinations. So each part has a number, the first time that it occurs, and a state is the vector of the numbers of its
//! parts.
//!
//! A move of a controller depends on what it owns, on the message that arrives, and on memory if it is a directory, and on
//! nothing else; and all that it does elsewhere is to send messages. So its *effect* is computed once by the runtime, in a
//! system that has nothing but these parts, and looked up wherever they occur again (`effects`). This is the local transition
//! cache of LTSmin (Blom, van de Pol & Weber, CAV 2010). Code that asks for the size of a buffer or for a message that has
//! not arrived depends on messages in flight as well. The runtime notices that, and the move is made in the whole state
//! instead, each time.
//!
//! What a move reports about values, and the renaming after it, depend on all parts with values of a line. Each part knows
//! which they are, so that only these are renamed, and this is done once as well (`renames`).
//!
//! [`Stepping::take`](super::Stepping::take) makes the same moves with whole states. Tests hold the two against each other.
//!
//! ```
//! use slicc::protocol::Protocol;
//! use simulate::stepper::{PartStepper, Scope, Stepper};
//!
//! let protocol = Protocol::open("MI_example").expect("it is built in");
//! let stepper = Stepper::new(&protocol, &Scope::default()).expect("the protocol fits");
//! let mut stepper = PartStepper::new(stepper);
//! let (first, mut next) = (stepper.first(), stepper.first());
//! let mut moves = Vec::new();
//! stepper.moves(&first, &mut moves);
//! assert_eq!(moves.len(), 4);
//! stepper.take(&first, moves[1], &mut next).expect("nothing is wrong");
//! assert!(stepper.is_busy(&next) && !stepper.is_busy(&first));
//! ```

mod effects;
mod in_flight;
mod labels;
mod owned;
mod permuted;
mod renames;

use rustc_hash::FxHashMap;
use slicc::source::Span;

use super::values::{Classes, Renaming};
use super::view::View;
use super::{Access, Holders, Move};
use crate::numbering::Strings;
use crate::stepper::{Group, Stepper, Symmetry};
use crate::system::{Role, Warning};
use effects::Effects;
use in_flight::{NOTHING_IN_FLIGHT, Sequences};
pub use labels::Label;
use owned::{OwnedParts, Summary};
use permuted::Permuted;
use renames::Renames;

/// What is wrong after a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A core or device has read or written what it may not.
    WrongAccess(Access),
    /// The protocol failed.
    Fault,
    /// A cache may write a line that another one may read or write.
    Clash {
        /// The number of the line.
        line: usize,
        /// Who may.
        holders: Holders,
    },
}

/// A part of a state.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// What a controller owns.
    Owned(usize),
    /// The messages in flight to a buffer.
    InFlight(usize),
    /// The content of memory.
    Memory,
}

/// The contents of memory that were met.
#[derive(Debug, Default)]
struct Memories {
    strings: Strings,
    classes: Vec<Classes>,
}

/// A protocol as a transition system whose states are vectors of numbers of parts.
pub struct PartStepper {
    stepper: Stepper,
    /// The parts of a state, in its order.
    parts: Vec<Part>,
    /// The place of each controller's part.
    owned_at: Vec<usize>,
    /// The place of the part of each buffer that receives messages.
    in_flight_at: Vec<Option<usize>>,
    memory_at: usize,
    owned: Vec<OwnedParts>,
    sequences: Sequences,
    memories: Memories,
    effects: Effects,
    renames: Renames,
    permuted: Permuted,
    /// The warnings of the last move.
    warnings: Vec<Warning>,
}

impl PartStepper {
    /// The system of a stepper, in its first state.
    pub fn new(stepper: Stepper) -> PartStepper {
        let system = &stepper.system;
        let receives = |buffer: &usize| matches!(system.roles[*buffer], Role::Own);
        let mut parts = Vec::new();
        let mut in_flight_at = vec![None; system.buffers.len()];
        let mut owned_at = Vec::new();
        // Neighbours in a state change together.
        for (controller, owned) in stepper.owned.iter().enumerate() {
            owned_at.push(parts.len());
            parts.push(Part::Owned(controller));
            for &buffer in owned.buffers.iter().filter(|buffer| receives(buffer)) {
                in_flight_at[buffer] = Some(parts.len());
                parts.push(Part::InFlight(buffer));
            }
        }
        let memory_at = parts.len();
        parts.push(Part::Memory);
        let controllers = system.controllers.len();
        let permuted = Permuted::new(stepper.symmetries(), &parts, &owned_at, &in_flight_at);
        PartStepper {
            parts,
            owned_at,
            in_flight_at,
            memory_at,
            owned: (0..controllers).map(|_| OwnedParts::default()).collect(),
            sequences: Sequences::new(),
            memories: Memories::default(),
            effects: Effects::default(),
            renames: FxHashMap::default(),
            permuted,
            warnings: Vec::new(),
            stepper,
        }
    }

    /// The system, which makes moves in whole states.
    pub fn stepper(&mut self) -> &mut Stepper {
        &mut self.stepper
    }

    /// The symmetries of the system.
    pub fn symmetries(&self) -> &Group {
        self.stepper.symmetries()
    }

    /// The first call of a library function until now that depends on the order of what a symmetry exchanges.
    pub fn observed(&self, symmetry: Symmetry) -> Option<Span> {
        self.stepper.observed(symmetry)
    }

    /// The number of parts of a state.
    pub fn width(&self) -> usize {
        self.parts.len()
    }

    /// The initial state.
    pub fn first(&mut self) -> Vec<u32> {
        let first = self.stepper.first();
        self.state_of(&first)
    }

    /// The parts of a whole state.
    pub(super) fn state_of(&mut self, whole: &[u8]) -> Vec<u32> {
        self.stepper.thaw(whole);
        let mut state = vec![0; self.width()];
        self.number_all(&mut state);
        state
    }

    /// The whole state with these parts.
    pub fn whole(&mut self, state: &[u32]) -> Vec<u8> {
        self.restore(state);
        self.stepper.freeze(View::new(&Renaming::none()))
    }

    /// Restores all parts of a state.
    fn restore(&mut self, state: &[u32]) {
        self.stepper.clear();
        for (at, &number) in state.iter().enumerate() {
            self.restore_part(at, number);
        }
    }

    fn restore_part(&mut self, at: usize, number: u32) {
        match self.parts[at] {
            Part::Owned(controller) => {
                self.owned[controller].restore(&mut self.stepper, controller, number);
            }
            Part::InFlight(buffer) => self.sequences.restore(&mut self.stepper, buffer, number),
            Part::Memory => self.stepper.thaw_memory(&mut self.memories.strings.get(number)),
        }
    }

    /// Numbers all parts of the state of the system.
    fn number_all(&mut self, state: &mut [u32]) {
        for (at, number) in state.iter_mut().enumerate() {
            *number = match self.parts[at] {
                Part::Owned(controller) => self.number_owned(controller, &Renaming::none()),
                Part::InFlight(buffer) => self.number_in_flight(buffer),
                Part::Memory => self.number_memory(View::new(&Renaming::none())),
            };
        }
    }

    fn number_owned(&mut self, controller: usize, renaming: &Renaming) -> u32 {
        self.owned[controller].number(&self.stepper, controller, renaming)
    }

    fn number_memory(&mut self, view: View<'_>) -> u32 {
        let mut bytes = Vec::new();
        self.stepper.classes.take();
        self.stepper.freeze_memory(view, &mut bytes);
        self.memories.strings.number(&bytes).unwrap_or_else(|number| {
            self.memories.classes.push(self.stepper.classes.get());
            number
        })
    }

    fn number_in_flight(&mut self, buffer: usize) -> u32 {
        let of = &self.stepper.system.buffers[buffer];
        let mut messages: Vec<_> = of.in_flight().collect();
        // Older messages of a lane come first; otherwise the queue has the order of sending.
        messages.sort_by_key(|one| one.is_new);
        messages.into_iter().fold(NOTHING_IN_FLIGHT, |sequence, one| {
            let lane = self.stepper.lane(buffer, one) as u32;
            let message = self.sequences.message(&self.stepper, one.message);
            self.sequences.with(sequence, (lane, message))
        })
    }

    /// Finds all moves that are possible in a state, in the order of [`Stepping::moves`](super::Stepping::moves).
    pub fn moves(&self, state: &[u32], moves: &mut Vec<Move>) {
        moves.clear();
        for agent in 0..self.stepper.agents() {
            let asks = &self.summary(state, self.stepper.controller_of(agent)).asks;
            let own = asks.iter().find(|(asking, _)| *asking == agent);
            moves.extend(own.into_iter().flat_map(|(_, moves)| moves));
        }
        for (buffer, at) in self.in_flight_at.iter().enumerate() {
            if let Some(at) = *at
                && state[at] != NOTHING_IN_FLIGHT
            {
                self.arriving(state, buffer, at, moves);
            }
        }
        for controller in 0..self.owned.len() {
            moves.extend(&self.summary(state, controller).timers);
        }
        for controller in 0..self.owned.len() {
            if self.summary(state, controller).may_wake {
                moves.push(Move::Wake { controller });
            }
        }
    }

    fn arriving(&self, state: &[u32], buffer: usize, at: usize, moves: &mut Vec<Move>) {
        let consumer = self.stepper.system.consumers[buffer] as usize;
        if !self.stepper.read[buffer] || self.summary(state, consumer).clogged.contains(&buffer) {
            return;
        }
        let requests = self.stepper.system.controllers[consumer].requests_to_memory;
        let is_memory = requests == Some(buffer as u32);
        moves.extend(self.sequences.next(state[at]).iter().map(|&at| {
            if is_memory { Move::Memory { buffer, at } } else { Move::Arrive { buffer, at } }
        }));
    }

    #[inline]
    fn summary(&self, state: &[u32], controller: usize) -> &Summary {
        self.owned[controller].summary(state[self.owned_at[controller]])
    }

    /// Whether something is left to be done in a state: a core or device waits, a core holds a lock, a message is in flight, or a transaction is in progress.
    pub fn is_busy(&self, state: &[u32]) -> bool {
        let mut receiving = self.in_flight_at.iter().flatten();
        receiving.any(|&at| state[at] != NOTHING_IN_FLIGHT)
            || (0..self.owned.len()).any(|controller| self.summary(state, controller).is_busy)
    }

    /// The cores and devices that wait in a state, a bit for each.
    pub fn waiting(&self, state: &[u32]) -> u64 {
        let all = 0..self.owned.len();
        all.fold(0, |cores, controller| cores | self.summary(state, controller).waiting)
    }

    /// Makes a move in a state, one of its [`PartStepper::moves`], and writes the state after it to `after`.
    ///
    /// # Errors
    /// Something is wrong after the move. Then `after` has no meaning.
    pub fn take(&mut self, state: &[u32], chosen: Move, after: &mut [u32]) -> Result<(), Problem> {
        self.warnings.clear();
        after.copy_from_slice(state);
        let controller = self.controller_of(chosen);
        let fails = self.apply(state, chosen, controller, after);
        let performed = &self.effects.performed;
        if let Some(wrong) = performed.iter().find(|one| one.is_wrong()) {
            return Err(Problem::WrongAccess(*wrong));
        }
        if fails {
            return Err(Problem::Fault);
        }
        self.rename_after(state, after);
        let at = self.owned_at[controller];
        if state[at] != after[at]
            && let Some((line, holders)) = self.clash(after)
        {
            return Err(Problem::Clash { line, holders });
        }
        Ok(())
    }

    /// The warnings of the last move.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The controller that makes a move.
    fn controller_of(&self, chosen: Move) -> usize {
        let system = &self.stepper.system;
        match chosen {
            Move::Ask { core, .. } => self.stepper.controller_of(core),
            Move::Arrive { buffer, .. } | Move::Memory { buffer, .. } => {
                system.consumers[buffer] as usize
            }
            Move::Wake { controller } => controller,
            Move::Timer { table, .. } => system.timer_owners[table] as usize,
        }
    }

    /// The first line that a cache may write while another one may read or write it.
    fn clash(&self, state: &[u32]) -> Option<(usize, Holders)> {
        let all = || (0..self.owned.len()).map(|controller| self.summary(state, controller));
        let (mut written, mut wrong) = (0, 0);
        for one in all() {
            wrong |= written & one.writers;
            written |= one.writers;
        }
        for one in all() {
            wrong |= written & one.readers & !one.writers;
        }
        if wrong == 0 {
            return None;
        }
        let line = wrong.trailing_zeros() as usize;
        let mut holders = Holders::default();
        for (controller, one) in all().enumerate() {
            let Some(core) = self.stepper.owned[controller].agents.first() else {
                continue;
            };
            holders.writers |= u64::from(one.writers >> line & 1) << core;
            holders.readers |= u64::from(one.readers >> line & 1) << core;
        }
        Some((line, holders))
    }

    /// The number of effects that depend on messages in flight.
    #[cfg(test)]
    pub(super) fn wide_effects(&self) -> usize {
        self.effects.wide()
    }

    /// The memory of all parts and effects in bytes, about.
    pub fn bytes(&self) -> usize {
        let owned: usize = self.owned.iter().map(OwnedParts::bytes).sum();
        owned
            + self.sequences.bytes()
            + self.memories.strings.bytes()
            + self.effects.bytes()
            + renames::bytes(&self.renames)
            + self.permuted.bytes()
    }
}
