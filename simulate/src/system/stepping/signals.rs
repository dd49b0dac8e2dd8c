//! What a move does, as signals between the parties of a run: what a message-sequence chart draws.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::Stepping;
use super::moves::{Move, Outcome};
use super::symmetry::WordKind;

/// Who takes part in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Party {
    /// A core.
    Core(usize),
    /// A DMA device.
    Device(usize),
    /// A controller, by its number among all of them.
    Controller(usize),
    /// Memory.
    Memory,
}

/// A part of what a move does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Something happens that is no message: a core asks or is answered, a timer runs out.
    Happens {
        /// The party that it happens to.
        at: Party,
        /// What, in words: `loads line 0`.
        what: String,
    },
    /// A message arrives. It is one that was sent to this party before, with the same words and content; of
    /// several it may be any, since they are equal.
    Arrives {
        /// The party that receives it.
        at: Party,
        /// Its type and line: `GETX for line 0`.
        message: String,
        /// Stands for its content: different messages with the same words have different numbers.
        content: u64,
    },
    /// A controller takes a transition.
    Changes {
        /// The controller.
        at: Party,
        /// The event.
        event: String,
        /// The states before and after it.
        states: (String, String),
        /// The line: `line 0`.
        line: String,
    },
    /// A message is sent.
    Sends {
        /// The party that sends it.
        from: Party,
        /// The party that will receive it.
        to: Party,
        /// Its type and line.
        message: String,
        /// Stands for its content, as in [`Signal::Arrives`].
        content: u64,
    },
}

impl Stepping {
    /// The core or device with a number.
    fn party(&self, agent: usize) -> Party {
        agent.checked_sub(self.cores).map_or(Party::Core(agent), Party::Device)
    }

    /// All parties with their names: `core 0`, `L1Cache-0`, `memory`.
    pub fn parties(&self) -> Vec<(Party, String)> {
        let cores = (0..self.agents()).map(|agent| (self.party(agent), self.agent_name(agent)));
        let controllers = 0..self.system.controllers.len();
        let controllers = controllers.map(|at| (Party::Controller(at), self.name(at)));
        let memory = (Party::Memory, "memory".to_owned());
        cores.chain(controllers).chain([memory]).collect()
    }

    /// How a move begins. To be called in the state before it.
    pub(super) fn cause(&self, chosen: Move) -> Signal {
        match chosen {
            Move::Ask { core, .. } => {
                Signal::Happens { at: self.party(core), what: self.request_text(chosen) }
            }
            Move::Arrive { buffer, at } => Signal::Arrives {
                at: self.receiver(buffer),
                message: self.brief_message(buffer, at),
                content: self.content(buffer, at),
            },
            Move::Memory { buffer, at } => Signal::Arrives {
                at: Party::Memory,
                message: self.brief_message(buffer, at),
                content: self.content(buffer, at),
            },
            Move::Wake { controller } => Signal::Happens {
                at: Party::Controller(controller),
                what: "looks again".to_owned(),
            },
            Move::Timer { table, line } => Signal::Happens {
                at: Party::Controller(self.system.timer_owners[table] as usize),
                what: format!("timer for {} runs out", self.line_name(line)),
            },
        }
    }

    /// What follows from a move. To be called in the state after it.
    pub(super) fn consequences(&self, chosen: Move, outcome: &Outcome) -> Vec<Signal> {
        let mut signals: Vec<Signal> = self.changes().collect();
        let from = match chosen {
            Move::Memory { .. } => Party::Memory,
            _ => Party::Controller(self.system.current),
        };
        for buffer in 0..self.system.buffers.len() {
            let sent = self.system.buffers[buffer].in_flight().enumerate();
            signals.extend(sent.filter(|(_, one)| one.is_new).map(|(at, _)| Signal::Sends {
                from,
                to: self.receiver(buffer),
                message: self.brief_message(buffer, at),
                content: self.content(buffer, at),
            }));
        }
        signals.extend(outcome.performed.iter().map(|access| Signal::Happens {
            at: self.party(access.core),
            what: self.answer_text(access),
        }));
        signals
    }

    /// Stands for all that a message in flight says, but for values: those grow old meanwhile.
    fn content(&self, buffer: usize, at: usize) -> u64 {
        let Some(one) = self.system.buffers[buffer].in_flight().nth(at) else {
            return 0;
        };
        let of = self.system.words.type_of(one.message);
        let words = &self.system.words.words[one.message as usize..];
        let kinds = &self.kinds.objects[of];
        let mut hasher = FxHasher::default();
        for (_, word) in kinds.iter().zip(words).filter(|(kind, _)| **kind != WordKind::Block) {
            hasher.write_u64(*word);
        }
        hasher.finish()
    }

    /// The transitions of the last move.
    fn changes(&self) -> impl Iterator<Item = Signal> {
        let happenings = self.system.happenings.iter().take(self.system.happened);
        happenings.filter(|happening| !happening.is_message).map(|happening| {
            let controller = happening.controller as usize;
            let (event, before, after) = self.transition(happening);
            Signal::Changes {
                at: Party::Controller(controller),
                event: event.to_owned(),
                states: (before.to_owned(), after.to_owned()),
                line: self.line_name(happening.address),
            }
        })
    }

    /// Who takes the messages of a buffer.
    fn receiver(&self, buffer: usize) -> Party {
        let consumer = self.system.consumers[buffer] as usize;
        let requests = self.system.controllers[consumer].requests_to_memory;
        if requests == Some(buffer as u32) { Party::Memory } else { Party::Controller(consumer) }
    }
}
