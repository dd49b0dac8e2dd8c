//! The effects of moves on the parts on which they depend.

use super::in_flight::NOTHING_IN_FLIGHT;
use super::{Part, PartStepper};
use crate::numbering::{NumberTable, hash_word};
use crate::ruby::buffer::frozen::IN_FLIGHT;
use crate::system::Warning;
use crate::system::stepping::values::{Classes, Renaming};
use crate::system::stepping::view::View;
use crate::system::stepping::{Access, Move, Stepping};

/// Stands for no index.
const NONE: u32 = u32::MAX;

/// All on which the effect of a controller's move depends. There are many causes, so they are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cause {
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
struct Effect {
    cause: Cause,
    owned: u32,
    /// The content of memory, if the controller has access to it; or else [`NONE`].
    memory: u32,
    /// The messages, in [`Effects::sent`].
    sent: (u32, u16),
    /// Whether it depends on messages in flight. Then the other fields have no meaning.
    is_wide: bool,
    /// Whether the protocol failed.
    fails: bool,
    /// Its place in [`Effects::reports`], or [`NONE`].
    report: u32,
}

/// What few moves do.
#[derive(Clone, Debug, Default)]
struct Report {
    performed: Box<[Access]>,
    warnings: Box<[Warning]>,
    /// Whether a value was stored that has to be renamed.
    is_fresh: bool,
}

/// Known effects.
#[derive(Debug, Default)]
pub(super) struct Effects {
    table: NumberTable,
    effects: Vec<Effect>,
    sent: Vec<Sent>,
    reports: Vec<Report>,
    /// The accesses that the last move has performed.
    pub performed: Vec<Access>,
    /// Whether the last move has stored a value.
    pub is_fresh: bool,
}

impl Effects {
    /// The index of an effect; as an error if it is not known yet, and then it has to be added.
    #[inline]
    fn find(&mut self, cause: &Cause) -> Result<u32, u32> {
        let effects = &self.effects;
        self.table.number(
            cause.hash(),
            |number| effects[number as usize].cause == *cause,
            |number| effects.get(number as usize).map_or(cause, |effect| &effect.cause).hash(),
        )
    }

    /// The number of effects that depend on messages in flight.
    #[cfg(test)]
    pub fn wide(&self) -> usize {
        self.effects.iter().filter(|effect| effect.is_wide).count()
    }

    /// The memory in bytes, without reports.
    pub fn bytes(&self) -> usize {
        self.table.bytes()
            + self.effects.capacity() * size_of::<Effect>()
            + self.sent.capacity() * size_of::<Sent>()
    }
}

impl PartStepper {
    /// Changes a state as a move of a controller does, apart from the names of values. Returns whether the protocol fails.
    pub(super) fn apply(
        &mut self,
        state: &[u32],
        chosen: Move,
        controller: usize,
        after: &mut [u32],
    ) -> bool {
        let cause = self.cause(state, chosen, controller);
        let effect = match self.effects.find(&cause) {
            Ok(known) => self.effects.effects[known as usize],
            Err(_) => {
                let effect = self.try_alone(cause, state, chosen, controller);
                self.effects.effects.push(effect);
                effect
            }
        };
        if effect.is_wide {
            return self.take_whole(state, chosen, after);
        }
        if let Move::Arrive { buffer, at } | Move::Memory { buffer, at } = chosen
            && let Some(place) = self.in_flight_at[buffer]
        {
            after[place] = self.sequences.without(state[place], at);
        }
        after[self.owned_at[controller]] = effect.owned;
        if effect.memory != NONE {
            after[self.memory_at] = effect.memory;
        }
        let (start, count) = (effect.sent.0 as usize, usize::from(effect.sent.1));
        for &(place, lane, message) in &self.effects.sent[start..start + count] {
            let sequence = &mut after[place as usize];
            *sequence = self.sequences.with(*sequence, (lane, message));
        }
        self.effects.performed.clear();
        self.effects.is_fresh = false;
        if let Some(report) = self.effects.reports.get(effect.report as usize) {
            self.effects.performed.extend_from_slice(&report.performed);
            self.effects.is_fresh = report.is_fresh;
            self.warnings.extend_from_slice(&report.warnings);
        }
        effect.fails
    }

    fn cause(&self, state: &[u32], chosen: Move, controller: usize) -> Cause {
        let message = |buffer: usize, at: usize| {
            let place = self.in_flight_at[buffer];
            let sequence = place.map_or(NOTHING_IN_FLIGHT, |place| state[place]);
            u64::from(self.sequences.messages(sequence)[at].1)
        };
        let kind = |number: usize, kind: u32| (number as u32) << 3 | kind;
        let (kind, detail) = match chosen {
            Move::Ask { core, line, action, value } => {
                (kind(core, 0), (line as u64) << 16 | (action as u64) << 8 | u64::from(value))
            }
            Move::Arrive { buffer, at } => (kind(buffer, 1), message(buffer, at)),
            Move::Memory { buffer, at } => (kind(buffer, 2), message(buffer, at)),
            Move::Wake { controller } => (kind(controller, 3), 0),
            Move::Timer { table, line } => (kind(table, 4), line),
        };
        Cause {
            owned: state[self.owned_at[controller]],
            memory: if self.uses_memory(controller) { state[self.memory_at] } else { 0 },
            kind,
            detail: [detail as u32, (detail >> 32) as u32],
        }
    }

    fn uses_memory(&self, controller: usize) -> bool {
        self.stepper.system.controllers[controller].requests_to_memory.is_some()
    }

    /// Makes a move in a system that has nothing but the parts on which it should depend.
    fn try_alone(
        &mut self,
        cause: Cause,
        state: &[u32],
        chosen: Move,
        controller: usize,
    ) -> Effect {
        self.stepper.clear();
        self.restore_part(self.owned_at[controller], state[self.owned_at[controller]]);
        if self.uses_memory(controller) {
            self.restore_part(self.memory_at, state[self.memory_at]);
        }
        let chosen = self.place_message(state, chosen);
        let transitions = self.stepper.system.tally.transitions;
        let (performed, done) = carry_out(&mut self.stepper, chosen);
        let warnings = self.stepper.warnings().into();
        let mut effect = Effect {
            cause,
            owned: cause.owned,
            memory: NONE,
            sent: (0, 0),
            is_wide: self.asked_for_more(controller),
            fails: !done,
            report: NONE,
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
            effect.report = self.effects.reports.len() as u32;
            self.effects.reports.push(report);
        }
        effect
    }

    /// Numbers the parts that a move has changed. Returns whether a value is in them that has to be renamed.
    fn note_parts(&mut self, controller: usize, effect: &mut Effect) -> bool {
        let sent = self.sent();
        let messages = sent.iter().map(|sent| self.sequences.classes_of_message(sent.2));
        let mut classes = messages.fold(Classes::default(), Classes::and);
        effect.sent = (self.effects.sent.len() as u32, sent.len() as u16);
        self.effects.sent.extend(sent);
        effect.owned = self.number_owned(controller, &Renaming::none());
        classes = classes.and(self.classes_of(self.owned_at[controller], effect.owned));
        if self.uses_memory(controller) {
            effect.memory = self.number_memory(View::new(&Renaming::none()));
            classes = classes.and(self.classes_of(self.memory_at, effect.memory));
        }
        classes.is_fresh
    }

    /// Puts the message that arrives into its buffer, and returns the move in a system that has no other message.
    fn place_message(&mut self, state: &[u32], chosen: Move) -> Move {
        let (Move::Arrive { buffer, at } | Move::Memory { buffer, at }) = chosen else {
            return chosen;
        };
        let place = self.in_flight_at[buffer];
        let sequence = place.map_or(NOTHING_IN_FLIGHT, |place| state[place]);
        let (lane, message) = self.sequences.messages(sequence)[at];
        let message = self.sequences.create(&mut self.stepper, message);
        self.stepper.system.buffers[buffer].deliver(IN_FLIGHT + u64::from(lane), message);
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
        for (at, part) in self.parts.iter().enumerate() {
            let Part::InFlight(buffer) = *part else { continue };
            for one in self.stepper.system.buffers[buffer].in_flight() {
                let lane = self.stepper.lane(buffer, one) as u32;
                sent.push((at as u32, lane, self.sequences.message(&self.stepper, one.message)));
            }
        }
        sent
    }

    /// Makes a move in the whole system. Returns whether the protocol fails.
    fn take_whole(&mut self, state: &[u32], chosen: Move, after: &mut [u32]) -> bool {
        self.restore(state);
        let (performed, done) = carry_out(&mut self.stepper, chosen);
        self.warnings = self.stepper.warnings();
        if done {
            self.number_all(after);
        }
        let classes = (0..after.len()).map(|at| self.classes_of(at, after[at]));
        self.effects.is_fresh = classes.fold(Classes::default(), Classes::and).is_fresh;
        self.effects.performed = performed;
        !done
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
