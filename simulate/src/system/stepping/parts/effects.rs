//! The effects of moves on the parts on which they depend.

use std::hash::BuildHasherDefault;

use indexmap::IndexSet;
use rustc_hash::FxHasher;

use super::PartStepper;
use super::in_flight::NOTHING_IN_FLIGHT;
use super::layout::{Layout, Part};
use super::{Known, Problem};
use crate::numbering::{NumberTable, hash_word, make_room};
use crate::ruby::buffer::frozen::IN_FLIGHT;
use crate::system::Warning;
use crate::system::stepping::values::{Classes, Renaming};
use crate::system::stepping::view::View;
use crate::system::stepping::{Access, Move, Stepping};

/// Stands for no index.
pub(super) const NONE: u32 = u32::MAX;

/// Everything on which the effect of a controller's move depends. There are many causes, so the fields are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The part that the controller owns.
    owned: u32,
    /// Memory, if the controller has access to it.
    memory: u32,
    /// The kind of the move, and its core, buffer, controller or table.
    kind: u32,
    /// The request, the number of the message, or the line: the low and the high half.
    detail: [u32; 2],
}

impl Cause {
    /// The cause for a move of a controller with these parts. `message` is the number of a message in flight to a buffer.
    pub(super) fn new(
        owned: u32,
        memory: u32,
        chosen: Move,
        message: impl Fn(usize, usize) -> u32,
    ) -> Cause {
        let kind = |number: usize, kind: u32| (number as u32) << 3 | kind;
        let (kind, detail) = match chosen {
            Move::Ask { core, line, action, value } => {
                (kind(core, 0), (line as u64) << 16 | (action as u64) << 8 | u64::from(value))
            }
            Move::Arrive { buffer, at } => (kind(buffer, 1), u64::from(message(buffer, at))),
            Move::Memory { buffer, at } => (kind(buffer, 2), u64::from(message(buffer, at))),
            Move::Wake { controller } => (kind(controller, 3), 0),
            Move::Timer { table, line } => (kind(table, 4), line),
        };
        Cause { owned, memory, kind, detail: [detail as u32, (detail >> 32) as u32] }
    }

    #[inline]
    fn hash(&self) -> u64 {
        let word = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
        let first = hash_word(word(self.owned, self.memory));
        let second = hash_word(first ^ word(self.kind, self.detail[0]));
        if self.detail[1] == 0 { second } else { hash_word(second ^ u64::from(self.detail[1])) }
    }
}

/// A message that was sent: the place of its buffer's part, its lane and number.
type Sent = (u32, u32, u32);

/// The effect of a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effect {
    cause: Cause,
    /// What the controller owns after the move.
    pub owned: u32,
    /// The content of memory, if the controller has access to it; or else [`NONE`].
    pub memory: u32,
    /// The messages, in [`Effects::sent`].
    sent: (u32, u16),
    /// Whether it depends on messages in flight. Then the other fields have no meaning.
    pub is_wide: bool,
    /// Whether the protocol failed.
    pub fails: bool,
    /// The index of its report in [`Effects::reports`], or [`NONE`].
    pub report: u32,
    /// The index of its transition in [`Effects::changes`], or [`NONE`].
    pub change: u32,
}

/// A transition that a move has led to, taken or stalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Change {
    /// Its row of the table, as [`Reached`](crate::system::Reached) numbers them.
    pub triple: u32,
    /// The controller.
    pub controller: usize,
    /// The number of the line; `None` if it is about no line that cores access.
    pub line: Option<usize>,
    /// The number of the state that the line has afterwards.
    pub after: u16,
}

/// Results that only few moves have.
#[derive(Clone, Debug, Default)]
pub(super) struct Report {
    /// The accesses that memory has performed.
    pub performed: Box<[Access]>,
    pub warnings: Box<[Warning]>,
    /// Whether a value was stored that has to be renamed.
    pub is_fresh: bool,
}

/// The effects that have been learnt.
#[derive(Debug, Default)]
pub(super) struct Effects {
    table: NumberTable,
    effects: Vec<Effect>,
    sent: Vec<Sent>,
    reports: Vec<Report>,
    /// All transitions of effects, each once.
    changes: IndexSet<Change, BuildHasherDefault<FxHasher>>,
}

impl Effects {
    /// The effect with a cause, if it is known.
    #[inline]
    pub(super) fn find(&self, cause: &Cause) -> Option<&Effect> {
        let is_same = |number: u32| self.effects[number as usize].cause == *cause;
        self.table.find(cause.hash(), is_same).map(|number| &self.effects[number as usize])
    }

    /// Adds an effect that is not known yet.
    fn add(&mut self, effect: Effect) {
        make_room(&mut self.effects, 1);
        self.effects.push(effect);
        let effects = &self.effects;
        // The effect is new, so it is compared with no number.
        let _ = self.table.number(
            effect.cause.hash(),
            |_| false,
            |number| effects[number as usize].cause.hash(),
        );
    }

    /// The messages that an effect sends.
    #[inline]
    pub(super) fn sent(&self, effect: &Effect) -> &[Sent] {
        let (start, count) = (effect.sent.0 as usize, usize::from(effect.sent.1));
        &self.sent[start..start + count]
    }

    /// The report with a number, if that is not [`NONE`].
    #[inline]
    pub(super) fn report(&self, number: u32) -> Option<&Report> {
        self.reports.get(number as usize)
    }

    /// The transition with a number, if that is not [`NONE`].
    #[inline]
    pub(super) fn change(&self, number: u32) -> Option<&Change> {
        self.changes.get_index(number as usize)
    }

    /// The number of a transition, or [`NONE`] if there is none.
    pub(super) fn number_of_change(&mut self, change: Option<Change>) -> u32 {
        change.map_or(NONE, |change| self.changes.insert_full(change).0 as u32)
    }

    /// The number of effects that depend on messages in flight.
    #[cfg(test)]
    pub(super) fn wide(&self) -> usize {
        self.effects.iter().filter(|effect| effect.is_wide).count()
    }

    /// The memory in bytes, without reports.
    pub(super) fn bytes(&self) -> usize {
        self.table.bytes()
            + self.effects.capacity() * size_of::<Effect>()
            + self.sent.capacity() * size_of::<Sent>()
    }
}

impl PartStepper {
    /// Learns the effect of a move.
    pub(super) fn learn_effect(&mut self, cause: Cause, state: &[u32], chosen: Move) {
        let controller = self.known.layout.controller_of(chosen);
        let effect = self.try_alone(cause, state, chosen, controller);
        self.known.effects.add(effect);
    }

    /// Makes a move in a system that has nothing but the parts on which it should depend.
    fn try_alone(
        &mut self,
        cause: Cause,
        state: &[u32],
        chosen: Move,
        controller: usize,
    ) -> Effect {
        let Layout { owned_at, memory_at, uses_memory, .. } = &self.known.layout;
        let (own, memory) = (owned_at[controller], *memory_at);
        let uses_memory = uses_memory[controller];
        self.stepper.clear();
        self.restore_part(own, state[own]);
        if uses_memory {
            self.restore_part(memory, state[memory]);
        }
        let chosen = self.place_message(state, chosen);
        let transitions = self.stepper.system.tally.transitions;
        let ((performed, done), change) = self.carry_out(chosen);
        let warnings = self.stepper.warnings().into();
        self.note_requests(chosen);
        let mut effect = Effect {
            cause,
            owned: cause.owned,
            memory: NONE,
            sent: (0, 0),
            is_wide: self.asked_for_more(controller),
            fails: !done,
            report: NONE,
            change: self.known.effects.number_of_change(change),
        };
        if effect.is_wide {
            if self.stepper.system.tally.transitions > transitions {
                self.stepper.system.forget_transition();
            }
            return effect;
        }
        let is_fresh = done && self.note_parts(controller, &mut effect);
        let report = Report { performed: performed.into(), warnings, is_fresh };
        if is_fresh || !report.performed.is_empty() || !report.warnings.is_empty() {
            let reports = &mut self.known.effects.reports;
            effect.report = reports.len() as u32;
            reports.push(report);
        }
        effect
    }

    /// Numbers the parts that a move has changed. Returns whether a value is in them that has to be renamed.
    fn note_parts(&mut self, controller: usize, effect: &mut Effect) -> bool {
        let sent = self.sent();
        let messages = sent.iter().map(|sent| self.known.sequences.classes_of_message(sent.2));
        let mut classes = messages.fold(Classes::default(), Classes::and);
        let all_sent = &mut self.known.effects.sent;
        effect.sent = (all_sent.len() as u32, sent.len() as u16);
        all_sent.extend(sent);
        effect.owned = self.number_owned(controller, &Renaming::none());
        let own = self.known.layout.owned_at[controller];
        classes = classes.and(self.known.classes_of(own, effect.owned));
        if self.known.layout.uses_memory[controller] {
            effect.memory = self.number_memory(View::new(&Renaming::none()));
            classes =
                classes.and(self.known.classes_of(self.known.layout.memory_at, effect.memory));
        }
        classes.is_fresh
    }

    /// Makes a move as [`carry_out`] does. Returns also the transition that it has led to.
    fn carry_out(&mut self, chosen: Move) -> ((Vec<Access>, bool), Option<Change>) {
        let (taken, stalled) = self.stepper.counts_of_transitions();
        let done = carry_out(&mut self.stepper, chosen);
        let now = self.stepper.counts_of_transitions();
        let change = match (now.0 > taken, now.1 > stalled) {
            (false, false) => None,
            (is_taken, _) => Some(self.stepper.latest_change(is_taken)),
        };
        (done, change)
    }

    /// Puts the message that arrives into its buffer, and returns the move in a system that has no other message.
    fn place_message(&mut self, state: &[u32], chosen: Move) -> Move {
        let (Move::Arrive { buffer, at } | Move::Memory { buffer, at }) = chosen else {
            return chosen;
        };
        let place = self.known.layout.receivers[buffer].at;
        let sequence = place.map_or(NOTHING_IN_FLIGHT, |place| state[place]);
        let (lane, message) = self.known.sequences.messages(sequence)[at];
        let message = self.known.sequences.create(&mut self.stepper, message);
        self.stepper.system.buffers.edit(buffer).deliver(IN_FLIGHT + u64::from(lane), message);
        match chosen {
            Move::Memory { .. } => Move::Memory { buffer, at: 0 },
            _ => Move::Arrive { buffer, at: 0 },
        }
    }

    /// Whether the move has asked for messages in flight, or for what another controller has deferred.
    fn asked_for_more(&self, controller: usize) -> bool {
        let system = &self.stepper.system;
        system.buffers.iter().zip(&system.consumers).any(|(buffer, owner)| {
            let looked = buffer.looked();
            looked.in_flight || looked.deferred && *owner as usize != controller
        })
    }

    /// The messages in flight, all of which the move has sent.
    fn sent(&mut self) -> Vec<Sent> {
        let mut sent = Vec::new();
        let Known { layout, sequences, .. } = &mut self.known;
        for (at, part) in layout.parts.iter().enumerate() {
            let Part::InFlight(buffer) = *part else { continue };
            for one in self.stepper.system.buffers[buffer].in_flight() {
                let lane = self.stepper.lane(buffer, one) as u32;
                sent.push((at as u32, lane, sequences.message(&self.stepper, one.message)));
            }
        }
        sent
    }

    /// Makes a move in the whole state, and otherwise does what [`PartStepper::take`] does.
    pub(super) fn take_whole(
        &mut self,
        state: &[u32],
        chosen: Move,
        after: &mut [u32],
    ) -> Result<(), Problem> {
        self.restore(state);
        let controller = self.known.layout.controller_of(chosen);
        let ((performed, done), change) = self.carry_out(chosen);
        self.change = change;
        self.warnings = self.stepper.warnings();
        self.note_requests(chosen);
        after.copy_from_slice(state);
        if done {
            self.number_all(after);
        }
        let classes = (0..after.len()).map(|at| self.known.classes_of(at, after[at]));
        let is_fresh = classes.fold(Classes::default(), Classes::and).is_fresh;
        let report = Report { performed: performed.into(), warnings: Box::default(), is_fresh };
        let unnamed = after.to_vec();
        loop {
            after.copy_from_slice(&unnamed);
            match self.known.check_report(state, after, controller, !done, &report) {
                Ok(problem) => return problem.map_or(Ok(()), Err),
                Err(missing) => self.learn_about(missing),
            }
        }
    }
}

/// Makes a move in the state of the system. Returns the accesses that memory performs, and whether the protocol does not
/// fail.
fn carry_out(stepping: &mut Stepping, chosen: Move) -> (Vec<Access>, bool) {
    let mut requests = Vec::with_capacity(stepping.memos.len());
    for agent in 0..stepping.agents() {
        stepping.freeze_requests(agent, View::new(&Renaming::none()), &mut requests);
    }
    stepping.begin_step();
    let done = stepping.carry_out(chosen).is_ok();
    (stepping.performed(&requests, chosen), done)
}
