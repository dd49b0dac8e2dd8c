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
//! [`Known`] is what has been learnt so far. It makes moves by looking up alone, so threads can share it, and says what is
//! [`Missing`] otherwise. [`PartStepper`] learns that from the runtime, and tries again.
//!
//! The parts with their numbers can be saved, so that another process resumes with them (`saved`).
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
//! stepper.known().moves(&first, &mut moves);
//! assert_eq!(moves.len(), 4);
//! stepper.take(&first, moves[1], &mut next).expect("nothing is wrong");
//! assert!(stepper.known().is_busy(&next) && !stepper.known().is_busy(&first));
//! ```

mod effects;
mod in_flight;
mod known;
mod labels;
mod layout;
mod memory;
mod owned;
mod permuted;
mod renames;
mod saved;

use slicc::source::Span;

use super::values::Renaming;
use super::view::View;
use super::{Access, Holders, Move};
use crate::stepper::{Group, Stepper, Symmetry};
use crate::system::Warning;
pub use effects::Change;
use in_flight::NOTHING_IN_FLIGHT;
pub use known::{Known, Missing, Taken};
pub use labels::Label;
use layout::Part;
use memory::Requested;
pub use saved::Parts;

/// A violation that shows after a move.
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
        /// The caches that may use the line.
        holders: Holders,
    },
}

/// A protocol as a transition system whose states are vectors of numbers of parts.
pub struct PartStepper {
    stepper: Stepper,
    known: Known,
    /// The warnings of the last move.
    warnings: Vec<Warning>,
    /// The transition of the last move.
    change: Option<Change>,
    requested: Requested,
}

impl PartStepper {
    /// Creates a stepper that knows no parts and effects yet.
    pub fn new(stepper: Stepper) -> PartStepper {
        let known = Known::new(&stepper);
        PartStepper {
            stepper,
            known,
            warnings: Vec::new(),
            change: None,
            requested: Requested::default(),
        }
    }

    /// The effects of moves that have been learnt so far.
    pub fn known(&self) -> &Known {
        &self.known
    }

    /// The system, which makes moves in whole states.
    pub fn stepper(&mut self) -> &mut Stepper {
        &mut self.stepper
    }

    /// Forgets the effects of moves, renamings and permutations, which are learnt again where they are needed. Parts keep their numbers.
    pub fn forget_moves(&mut self) {
        self.known.forget_moves();
    }

    /// The number of lines that cores access.
    pub fn lines(&self) -> usize {
        self.stepper.lines()
    }

    /// The number of the machine of each controller.
    pub fn machines(&self) -> Vec<usize> {
        self.stepper.system().machines_of_controllers()
    }

    /// The symmetries of the system.
    pub fn symmetries(&self) -> &Group {
        self.stepper.symmetries()
    }

    /// The place of the first library call until now whose result depends on the order of the cores or lines that a
    /// symmetry exchanges.
    pub fn observed(&self, symmetry: Symmetry) -> Option<Span> {
        self.stepper.observed(symmetry)
    }

    /// Whether words may have been taken for dead that are not: see [`Stepping::mistakes_states`](super::Stepping::mistakes_states).
    pub fn mistakes_states(&self) -> bool {
        self.stepper.mistakes_states()
    }

    /// The initial state.
    pub fn first(&mut self) -> Vec<u32> {
        let first = self.stepper.first();
        self.state_of(&first)
    }

    /// The parts of a whole state.
    pub(super) fn state_of(&mut self, whole: &[u8]) -> Vec<u32> {
        self.stepper.thaw(whole);
        let mut state = vec![0; self.known.width()];
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
        let Known { layout, owned, sequences, memories, .. } = &self.known;
        match layout.parts[at] {
            Part::Owned(controller) => {
                owned[controller].restore(&mut self.stepper, controller, number);
            }
            Part::InFlight(buffer) => sequences.restore(&mut self.stepper, buffer, number),
            Part::Memory => self.stepper.thaw_memory(&mut memories.strings.get(number)),
        }
    }

    /// Numbers all parts of the state of the system.
    fn number_all(&mut self, state: &mut [u32]) {
        for (at, number) in state.iter_mut().enumerate() {
            *number = match self.known.layout.parts[at] {
                Part::Owned(controller) => self.number_owned(controller, &Renaming::none()),
                Part::InFlight(buffer) => self.number_in_flight(buffer),
                Part::Memory => self.number_memory(View::new(&Renaming::none())),
            };
        }
    }

    fn number_owned(&mut self, controller: usize, renaming: &Renaming) -> u32 {
        self.known.owned[controller].number(&self.stepper, controller, renaming)
    }

    fn number_memory(&mut self, view: View<'_>) -> u32 {
        let mut bytes = Vec::new();
        self.stepper.classes.take();
        self.stepper.freeze_memory(view, &mut bytes);
        let memories = &mut self.known.memories;
        memories.strings.number(&bytes).unwrap_or_else(|number| {
            memories.classes.push(self.stepper.classes.get());
            number
        })
    }

    fn number_in_flight(&mut self, buffer: usize) -> u32 {
        let of = &self.stepper.system.buffers[buffer];
        let mut messages: Vec<_> = of.in_flight().collect();
        // Older messages of a lane come first; otherwise the queue has the order of sending.
        messages.sort_by_key(|one| one.is_new);
        let sequences = &mut self.known.sequences;
        messages.into_iter().fold(NOTHING_IN_FLIGHT, |sequence, one| {
            let lane = self.stepper.lane(buffer, one) as u32;
            let message = sequences.message(&self.stepper, one.message);
            sequences.learn_with(sequence, (lane, message))
        })
    }

    /// Makes a move in a state, one of its [`Known::moves`], and writes the state after it to `after`.
    ///
    /// # Errors
    /// Returns the violation that shows after the move. Then `after` has no meaning.
    pub fn take(&mut self, state: &[u32], chosen: Move, after: &mut [u32]) -> Result<(), Problem> {
        self.warnings.clear();
        loop {
            match self.known.take(state, chosen, after) {
                Ok(taken) => {
                    self.warnings.extend_from_slice(self.known.warnings(taken.report));
                    self.change = self.known.change(taken.change);
                    return taken.problem.map_or(Ok(()), Err);
                }
                Err(Missing::Whole) => return self.take_whole(state, chosen, after),
                Err(missing) => self.learn(missing, state, chosen),
            }
        }
    }

    /// Replaces a state by the one that stands for all its permutations.
    pub fn represent(&mut self, state: &mut [u32]) {
        let mut least = vec![0; state.len()];
        while let Err(missing) = self.known.represent(state, &mut least) {
            self.learn_about(missing);
        }
        state.copy_from_slice(&least);
    }

    /// Learns what was missing to make a move in a state.
    fn learn(&mut self, missing: Missing, state: &[u32], chosen: Move) {
        match missing {
            Missing::Effect(cause) => self.learn_effect(cause, state, chosen),
            other => self.learn_about(other),
        }
    }

    /// Learns what was missing, which does not depend on the move.
    fn learn_about(&mut self, missing: Missing) {
        match missing {
            Missing::Without { sequence, at } => self.known.sequences.learn_without(sequence, at),
            Missing::With { sequence, sent } => {
                self.known.sequences.learn_with(sequence, sent);
            }
            Missing::Renamed { at, key } => self.learn_renamed(at, key),
            Missing::Moved { permutation, at, number } => self.learn_moved(permutation, at, number),
            Missing::Effect(_) | Missing::Whole => unreachable!("these depend on the move"),
        }
    }

    /// The transition to which the last move has led, if it has led to one.
    pub fn change(&self) -> Option<Change> {
        self.change
    }

    /// The warnings of the last move.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}
