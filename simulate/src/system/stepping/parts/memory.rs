//! Moves of memory, which commute with all others, so that an explorer may take them at once.
//!
//! Memory takes a request of a controller, reads or writes the line, and turns the request into the response. These are all
//! that the move touches: the line in memory, the first request for it, and the last response for it. Requests for one line
//! are taken in the order in which they were made, and responses keep that order. So no other move depends on whether a
//! request still waits, as long as
//!
//! - no code looks at the requests that wait, or at the responses in flight, as that for buffers of limited size does;
//! - no request overtakes another one;
//! - only memory sends responses that keep their order;
//! - a line is requested by a single controller.
//!
//! Each move that is learnt is looked at, and if one of these does not hold, [`PartStepper::disturbs_memory`] says so.

use rustc_hash::FxHashMap;

use super::in_flight::NOTHING_IN_FLIGHT;
use super::{Known, Missing, Move, PartStepper};
use crate::system::stepping::Stepping;

/// The requests to memory in the moves so far.
#[derive(Debug, Default)]
pub(super) struct Requested {
    /// The controller that requests each line.
    by: FxHashMap<u64, usize>,
    /// Whether a move shows that those of memory do not commute with all others.
    is_disturbed: bool,
}

impl Known {
    /// Takes a move of memory, if one is possible that does nothing else than to respond. `after` is overwritten.
    ///
    /// # Errors
    /// Fails if something about a move has not been learnt.
    pub fn serve(
        &self,
        state: &mut Vec<u32>,
        after: &mut Vec<u32>,
    ) -> Result<Option<Move>, (Missing, Move)> {
        after.resize(state.len(), 0);
        for &(buffer, place) in &self.layout.memory_requests {
            if state[place] == NOTHING_IN_FLIGHT {
                continue;
            }
            for &at in self.sequences.next(state[place]) {
                let chosen = Move::Memory { buffer, at };
                let taken = self.take(state, chosen, after).map_err(|missing| (missing, chosen))?;
                let own = self.layout.owned_at[self.layout.receivers[buffer].consumer];
                let is_plain =
                    taken.problem.is_none() && self.effects.report(taken.report).is_none();
                if is_plain && after[own] == state[own] {
                    std::mem::swap(state, after);
                    return Ok(Some(chosen));
                }
            }
        }
        Ok(None)
    }
}

impl PartStepper {
    /// Takes a move of memory, if one is possible that does nothing else than to respond.
    pub fn serve(&mut self, state: &mut Vec<u32>) -> Option<Move> {
        let mut after = Vec::new();
        loop {
            match self.known.serve(state, &mut after) {
                Ok(served) => return served,
                Err((Missing::Whole, _)) => return None,
                Err((missing, chosen)) => self.learn(missing, state, chosen),
            }
        }
    }

    /// Whether a move until now shows that those of memory do not commute with all others.
    pub fn disturbs_memory(&self) -> bool {
        self.requested.is_disturbed
    }

    /// The lines that were requested from memory, each with the controller that requests it.
    pub fn requested(&self) -> Vec<(u64, usize)> {
        let mut requested: Vec<_> =
            self.requested.by.iter().map(|(&line, &by)| (line, by)).collect();
        requested.sort_unstable();
        requested
    }

    /// Notes lines that were requested before, as [`PartStepper::requested`] returned them.
    pub fn request_again(&mut self, requested: &[(u64, usize)]) {
        self.requested.by.extend(requested.iter().copied());
    }

    /// Looks at what the last move has asked of memory.
    pub(super) fn note_requests(&mut self, chosen: Move) {
        let is_memory = matches!(chosen, Move::Memory { .. });
        self.requested.note(&self.stepper, is_memory);
    }
}

impl Requested {
    fn note(&mut self, stepping: &Stepping, is_memory: bool) {
        let system = &stepping.system;
        let sent = |buffer: u32| {
            let number = buffer as usize;
            let all = system.buffers[number].in_flight().filter(|one| one.is_new);
            all.map(move |one| (one.message, stepping.lane(number, one)))
        };
        let looks = |buffer: u32| system.buffers[buffer as usize].looked().in_flight;
        for (number, controller) in system.controllers.iter().enumerate() {
            let Some(requests) = controller.requests_to_memory else { continue };
            for (message, lane) in sent(requests) {
                let address = message + u64::from(system.memory_fields.address);
                let line = system.words.words[address as usize];
                let is_shared = *self.by.entry(line).or_insert(number) != number;
                self.is_disturbed |= lane == 0 || is_shared;
            }
            let Some(responses) = controller.responses_from_memory else { continue };
            self.is_disturbed |= looks(requests) || looks(responses);
            self.is_disturbed |= !is_memory && sent(responses).any(|(_, lane)| lane != 0);
        }
    }
}
