//! Moves between states of numbered parts, as far as their effects are known.

use std::sync::atomic::{AtomicBool, Ordering};

use super::effects::{Cause, Change, Effects, NONE, Report};
use super::in_flight::{Flying, NOTHING_IN_FLIGHT, Sequences};
use super::layout::{Layout, Part};
use super::owned::{OwnedParts, Summary};
use super::permuted::Permuted;
use super::renames::{self, Renamed, Renames};
use super::{Holders, Move, Problem};
use crate::numbering::Strings;
use crate::stepper::Stepper;
use crate::system::Warning;
use crate::system::stepping::values::Classes;

/// The contents of memory that were met.
#[derive(Debug, Default)]
pub(super) struct Memories {
    pub strings: Strings,
    pub classes: Vec<Classes>,
}

/// The parts of states and the effects of moves that have been learnt. Its methods only look things up, so threads can
/// share it.
#[derive(Debug)]
pub struct Known {
    pub(super) layout: Layout,
    pub(super) owned: Vec<OwnedParts>,
    pub(super) sequences: Sequences,
    pub(super) memories: Memories,
    pub(super) effects: Effects,
    pub(super) renames: Renames,
    pub(super) permuted: Permuted,
    /// Whether memory had to catch up in some state.
    caught_up: AtomicBool,
}

/// What must be learnt before the state after a move can be looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The effect of the move, with all on which it depends.
    #[doc(hidden)]
    Effect(Cause),
    /// The effect depends on messages in flight, so the move has to be made in the whole state each time.
    Whole,
    /// A sequence of messages without the one at a place.
    #[doc(hidden)]
    Without { sequence: u32, at: usize },
    /// A sequence with another message.
    #[doc(hidden)]
    With { sequence: u32, sent: Flying },
    /// A part after values were renamed.
    #[doc(hidden)]
    Renamed { at: usize, key: Renamed },
    /// A part after a permutation.
    #[doc(hidden)]
    Moved { permutation: usize, at: usize, number: u32 },
}

/// The result of a move, except for the state after it.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The violation after the move, if there is one. Then the state after the move has no meaning.
    pub problem: Option<Problem>,
    /// The number of its report, for [`Known::warnings`].
    pub report: u32,
    /// The number of its transition, for [`Known::change`].
    pub change: u32,
}

impl Known {
    pub(super) fn new(stepper: &Stepper) -> Known {
        let layout = Layout::new(stepper);
        Known {
            owned: layout.owned_at.iter().map(|_| OwnedParts::default()).collect(),
            sequences: Sequences::new(),
            memories: Memories::default(),
            effects: Effects::default(),
            renames: Renames::default(),
            permuted: Permuted::new(&stepper.group, &layout),
            caught_up: AtomicBool::new(false),
            layout,
        }
    }

    /// Whether memory had to catch up in some state: with more messages on their way to it there are further runs.
    pub fn memory_caught_up(&self) -> bool {
        self.caught_up.load(Ordering::Relaxed)
    }

    /// The number of parts of a state.
    pub fn width(&self) -> usize {
        self.layout.parts.len()
    }

    /// The number of controllers.
    pub fn controllers(&self) -> usize {
        self.owned.len()
    }

    /// The first place of each group of parts that change together, at least two: what a controller owns and the messages in
    /// flight to it, and memory.
    pub fn groups(&self) -> &[usize] {
        &self.layout.groups
    }

    /// Finds all moves that are possible in a state, in the order of [`Stepping::moves`](super::super::Stepping::moves).
    pub fn moves(&self, state: &[u32], moves: &mut Vec<Move>) {
        moves.clear();
        let mut internal = self.layout.internal.iter();
        if let Some((controller, port)) =
            internal.find_map(|&number| Some((number, self.summary(state, number).urgent?)))
        {
            return self.urgent_moves(state, controller, port, moves);
        }
        self.backlog_moves(state, moves);
        if !moves.is_empty() {
            return;
        }
        for (core, &controller) in self.layout.homes.iter().enumerate() {
            let asks = &self.summary(state, controller).asks;
            let own = asks.iter().find(|(asking, _)| *asking == core);
            moves.extend(own.into_iter().flat_map(|(_, moves)| moves));
        }
        for (buffer, receiver) in self.layout.receivers.iter().enumerate() {
            if let Some(at) = receiver.at
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

    /// The moves of [`Stepping::moves`](super::super::Stepping::moves) by which memory catches up.
    fn backlog_moves(&self, state: &[u32], moves: &mut Vec<Move>) {
        for buffers in &self.layout.memories {
            let under_way = buffers.iter().map(|&(_, at)| self.sequences.messages(state[at]).len());
            if under_way.sum::<usize>() > self.layout.memory_queue {
                self.caught_up.store(true, Ordering::Relaxed);
                buffers.iter().for_each(|&(buffer, at)| self.arriving(state, buffer, at, moves));
            }
        }
    }

    /// The moves of [`Stepping::moves`](super::super::Stepping::moves) where a controller has an internal event at a port.
    fn urgent_moves(&self, state: &[u32], controller: usize, port: usize, moves: &mut Vec<Move>) {
        let is_before = |other: Option<usize>| other.is_some_and(|other| other < port);
        for (buffer, receiver) in self.layout.receivers.iter().enumerate() {
            if let Some(at) = receiver.at
                && receiver.consumer == controller
                && is_before(receiver.port)
                && state[at] != NOTHING_IN_FLIGHT
            {
                self.arriving(state, buffer, at, moves);
            }
        }
        let timers = self.summary(state, controller).timers.iter().copied();
        moves.extend(timers.filter(|timer| match timer {
            Move::Timer { table, .. } => is_before(self.layout.timer_ports[*table]),
            _ => false,
        }));
        moves.push(Move::Wake { controller });
    }

    fn arriving(&self, state: &[u32], buffer: usize, at: usize, moves: &mut Vec<Move>) {
        let receiver = self.layout.receivers[buffer];
        let is_clogged = || self.summary(state, receiver.consumer).clogged.contains(&buffer);
        if !receiver.is_read || is_clogged() {
            return;
        }
        moves.extend(self.sequences.next(state[at]).iter().map(|&at| {
            if receiver.is_memory {
                Move::Memory { buffer, at }
            } else {
                Move::Arrive { buffer, at }
            }
        }));
    }

    #[inline]
    pub(super) fn summary(&self, state: &[u32], controller: usize) -> &Summary {
        self.owned[controller].summary(state[self.layout.owned_at[controller]])
    }

    /// Whether something is left to be done in a state: a core or device waits, a core holds a lock, a message is in flight, or
    /// a transaction is in progress.
    pub fn is_busy(&self, state: &[u32]) -> bool {
        let mut receiving = self.layout.receivers.iter().filter_map(|receiver| receiver.at);
        receiving.any(|at| state[at] != NOTHING_IN_FLIGHT)
            || (0..self.owned.len()).any(|controller| self.summary(state, controller).is_busy)
    }

    /// The cores and devices that wait in a state, a bit for each.
    pub fn waiting(&self, state: &[u32]) -> u64 {
        let all = 0..self.owned.len();
        all.fold(0, |cores, controller| cores | self.summary(state, controller).waiting)
    }

    /// Makes a move in a state, one of its [`Known::moves`], and writes the state after it to `after`.
    ///
    /// # Errors
    /// Fails if something is needed that has not been learnt. Then `after` has no meaning.
    pub fn take(&self, state: &[u32], chosen: Move, after: &mut [u32]) -> Result<Taken, Missing> {
        after.copy_from_slice(state);
        let controller = self.layout.controller_of(chosen);
        let cause = self.cause(state, chosen, controller);
        let effect = self.effects.find(&cause).ok_or(Missing::Effect(cause))?;
        if effect.is_wide {
            return Err(Missing::Whole);
        }
        if let Move::Arrive { buffer, at } | Move::Memory { buffer, at } = chosen
            && let Some(place) = self.layout.receivers[buffer].at
        {
            after[place] = self.sequences.without(state[place], at)?;
        }
        after[self.layout.owned_at[controller]] = effect.owned;
        if effect.memory != NONE {
            after[self.layout.memory_at] = effect.memory;
        }
        for &(place, lane, message) in self.effects.sent(effect) {
            let sequence = &mut after[place as usize];
            *sequence = self.sequences.with(*sequence, (lane, message))?;
        }
        let problem = match self.effects.report(effect.report) {
            Some(report) => self.check_report(state, after, controller, effect.fails, report)?,
            None if effect.fails => Some(Problem::Fault),
            None => self.clash_after(state, after, controller),
        };
        Ok(Taken { problem, report: effect.report, change: effect.change })
    }

    /// The violation after a move with a report or, if there is none, the renaming of values.
    pub(super) fn check_report(
        &self,
        before: &[u32],
        after: &mut [u32],
        controller: usize,
        fails: bool,
        report: &Report,
    ) -> Result<Option<Problem>, Missing> {
        let mut performed = report.performed.iter();
        if let Some(wrong) = performed.find(|one| one.is_wrong()) {
            return Ok(Some(Problem::WrongAccess(*wrong)));
        }
        if fails {
            return Ok(Some(Problem::Fault));
        }
        self.rename_after(before, after, report)?;
        Ok(self.clash_after(before, after, controller))
    }

    /// The warnings of a move with a report.
    pub fn warnings(&self, report: u32) -> &[Warning] {
        self.effects.report(report).map_or(&[], |report| &report.warnings)
    }

    /// The transition of a move with this number, if it has led to one.
    pub fn change(&self, number: u32) -> Option<Change> {
        self.effects.change(number).copied()
    }

    fn cause(&self, state: &[u32], chosen: Move, controller: usize) -> Cause {
        let layout = &self.layout;
        let message = |buffer: usize, at: usize| {
            let place = layout.receivers[buffer].at;
            let sequence = place.map_or(NOTHING_IN_FLIGHT, |place| state[place]);
            self.sequences.messages(sequence)[at].1
        };
        let memory = if layout.uses_memory[controller] { state[layout.memory_at] } else { 0 };
        Cause::new(state[layout.owned_at[controller]], memory, chosen, message)
    }

    /// The clash that a move of a controller has led to.
    fn clash_after(&self, before: &[u32], after: &[u32], controller: usize) -> Option<Problem> {
        let at = self.layout.owned_at[controller];
        if before[at] == after[at] {
            return None;
        }
        self.clash(after).map(|(line, holders)| Problem::Clash { line, holders })
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
        for (core, one) in self.layout.first_cores.iter().zip(all()) {
            let Some(core) = *core else { continue };
            holders.writers |= u64::from(one.writers >> line & 1) << core;
            holders.readers |= u64::from(one.readers >> line & 1) << core;
        }
        Some((line, holders))
    }

    /// The classes of the values in a part.
    #[inline]
    pub(super) fn classes_of(&self, at: usize, number: u32) -> Classes {
        match self.layout.parts[at] {
            Part::Owned(controller) => self.owned[controller].summary(number).classes,
            Part::InFlight(_) => self.sequences.classes(number),
            Part::Memory => self.memories.classes[number as usize],
        }
    }

    /// The number of effects that depend on messages in flight.
    #[cfg(test)]
    pub(crate) fn wide_effects(&self) -> usize {
        self.effects.wide()
    }

    /// The memory of all parts and effects in bytes, about.
    pub fn bytes(&self) -> usize {
        self.bytes_of_parts() + self.bytes_of_moves()
    }

    /// The memory of parts in bytes, about: what the numbers in states stand for.
    pub fn bytes_of_parts(&self) -> usize {
        let owned: usize = self.owned.iter().map(OwnedParts::bytes).sum();
        let memories = &self.memories;
        let classes = memories.classes.capacity() * size_of::<Classes>();
        owned + self.sequences.bytes() + memories.strings.bytes() + classes
    }

    /// The memory in bytes, about, of what can be learnt again: the effects of moves, renamings and permutations.
    pub fn bytes_of_moves(&self) -> usize {
        self.effects.bytes()
            + self.sequences.bytes_of_moves()
            + renames::bytes(&self.renames)
            + self.permuted.bytes()
    }

    /// Forgets what can be learnt again.
    pub(super) fn forget_moves(&mut self) {
        self.effects = Effects::default();
        self.renames = Renames::default();
        self.permuted.forget();
        self.sequences.forget_moves();
    }
}
