//! The effects of a move, as signals between the parties of a run, from which message-sequence charts are drawn.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::Stepping;
use super::moves::{Move, Outcome};
use super::symmetry::words::WordKind;

/// A party of a run.
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

/// An effect of a move that a chart shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Something happens that is no message: a core asks or is answered, a timer runs out.
    Happens {
        /// The party that it happens to.
        at: Party,
        /// A description: `loads line 0`.
        what: String,
    },
    /// A message arrives. It is one that was sent to this party before, with the same words and content; of
    /// several it may be any, since they are equal.
    Arrives {
        /// The party that receives it.
        at: Party,
        /// The message's type and line: `GETX for line 0`.
        message: String,
        /// A number for the content of the message. Different messages with the same description have different numbers.
        content: u64,
    },
    /// A controller takes a transition.
    Changes {
        /// The controller.
        at: Party,
        /// The name of its machine.
        machine: String,
        /// Name of the event.
        event: String,
        /// The states before and after it.
        states: (String, String),
        /// The line: `line 0`.
        line: String,
        /// How often the controller took it in a row, such as `3 times to tick 6328`; empty if once.
        again: String,
    },
    /// A message that has arrived is put back by the controller that took it (`recycle`), and will arrive again.
    PutsBack {
        /// The controller.
        at: Party,
        /// The message's type and line.
        message: String,
    },
    /// A message is sent.
    Sends {
        /// The party that sends it.
        from: Party,
        /// The party that will receive it.
        to: Party,
        /// The message's type and line.
        message: String,
        /// A number for the content of the message, as in [`Signal::Arrives`].
        content: u64,
    },
}

impl Signal {
    /// Whether this signal sends the message that arrives in `arrival`.
    fn arrives_as(&self, arrival: &Signal) -> bool {
        match (self, arrival) {
            (
                Signal::Sends { to, message, content, .. },
                Signal::Arrives { at, message: same, content: equal },
            ) => (to, message, content) == (at, same, equal),
            _ => false,
        }
    }
}

/// The messages of a run that were sent and have not arrived.
#[derive(Clone, Debug, Default)]
pub struct UnderWay {
    sent: Vec<Signal>,
}

impl UnderWay {
    /// The index of the message that arrives: the first of those that are equal to it.
    fn find(&self, arrival: &Signal) -> Option<usize> {
        self.sent.iter().position(|sent| sent.arrives_as(arrival))
    }

    /// The sender of the message that arrives, if it is known.
    pub(super) fn sender(&self, arrival: &Signal) -> Option<Party> {
        match &self.sent[self.find(arrival)?] {
            Signal::Sends { from, .. } => Some(*from),
            _ => None,
        }
    }

    /// Updates the messages under way by the signals of a move. A message that is put back keeps its sender.
    pub(super) fn follow(&mut self, cause: &Signal, consequences: &[Signal]) {
        let arrived = self.find(cause).map(|arrived| self.sent.remove(arrived));
        let is_put_back = |signal: &Signal| matches!(signal, Signal::PutsBack { .. });
        self.sent.extend(arrived.filter(|_| consequences.iter().any(is_put_back)));
        let sent = consequences.iter().filter(|signal| matches!(signal, Signal::Sends { .. }));
        self.sent.extend(sent.cloned());
    }
}

/// The facts about the state before a move that are needed to describe its effects.
pub(super) struct Before {
    /// The messages in flight but for the one that arrives in the move: buffer, words and content of each.
    rested: Vec<(usize, String, u64)>,
    /// The number of messages that wait in the buffer of the one that arrives.
    waited: usize,
}

impl Stepping {
    /// The core or device with a number.
    fn party(&self, agent: usize) -> Party {
        agent.checked_sub(self.cores).map_or(Party::Core(agent), Party::Device)
    }

    /// All parties with their names: `core 0`, `L1Cache-0`, `HNF 0`, `memory`.
    pub fn parties(&self) -> Vec<(Party, String)> {
        let cores = (0..self.agents()).map(|agent| (self.party(agent), self.agent_name(agent)));
        let controllers = 0..self.system.controllers.len();
        let controllers = controllers.map(|at| (Party::Controller(at), self.name(at)));
        let memory = (Party::Memory, "memory".to_owned());
        cores.chain(controllers).chain([memory]).collect()
    }

    /// The signal with which a move begins. Must be called in the state before the move.
    pub(super) fn cause(&self, chosen: Move) -> Signal {
        match chosen {
            Move::Ask { core, .. } => {
                Signal::Happens { at: self.party(core), what: self.request_text(chosen) }
            }
            Move::Arrive { buffer, at } => Signal::Arrives {
                at: self.receiver(buffer),
                message: self.message_in(buffer, at),
                content: self.content(buffer, at),
            },
            Move::Memory { buffer, at } => Signal::Arrives {
                at: Party::Memory,
                message: self.message_in(buffer, at),
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

    /// The facts about the state before a move that are needed to describe its effects.
    pub(super) fn before(&self, chosen: Move) -> Before {
        let arriving = match chosen {
            Move::Arrive { buffer, at } => Some((buffer, at)),
            _ => None,
        };
        let waited = arriving.map_or(0, |(buffer, _)| self.system.buffers[buffer].arrived().len());
        Before { rested: self.resting(arriving), waited }
    }

    /// The messages that were sent before a move and have not arrived: the buffer of each, its description and its content.
    /// The message that is arriving, given by its buffer and place, is not among them.
    fn resting(&self, arriving: Option<(usize, usize)>) -> Vec<(usize, String, u64)> {
        let mut resting = Vec::new();
        for buffer in 0..self.system.buffers.len() {
            let in_flight = self.system.buffers[buffer].in_flight().enumerate();
            let old = in_flight.filter(|(at, one)| !one.is_new && arriving != Some((buffer, *at)));
            resting.extend(
                old.map(|(at, _)| (buffer, self.message_in(buffer, at), self.content(buffer, at))),
            );
        }
        resting
    }

    /// The consequences of a move. Must be called in the state after the move, with the facts about the state before it.
    pub(super) fn consequences(
        &self,
        chosen: Move,
        Before { mut rested, waited }: Before,
        outcome: &Outcome,
    ) -> Vec<Signal> {
        let mut signals: Vec<Signal> = self.changes().collect();
        for one in self.resting(None) {
            match rested.iter().position(|other| *other == one) {
                Some(at) => drop(rested.swap_remove(at)),
                None => signals.push(Signal::PutsBack { at: self.receiver(one.0), message: one.1 }),
            }
        }
        if let Move::Arrive { buffer, .. } = chosen
            && outcome.state.is_ok()
            && self.system.buffers[buffer].arrived().len() > waited
        {
            let at = self.receiver(buffer);
            signals.push(Signal::Happens { at, what: "lets it wait".to_owned() });
        }
        let own = match chosen {
            Move::Ask { core, action, .. } => self.queue_of(self.controller_of(core), action),
            _ => None,
        };
        let from = |buffer: usize| match chosen {
            Move::Memory { .. } => Party::Memory,
            // The core's own request, which its controller does not handle yet.
            Move::Ask { core, .. } if own == Some(buffer) => self.party(core),
            _ => Party::Controller(self.system.current),
        };
        for buffer in 0..self.system.buffers.len() {
            let sent = self.system.buffers[buffer].in_flight().enumerate();
            signals.extend(sent.filter(|(_, one)| one.is_new).map(|(at, _)| Signal::Sends {
                from: from(buffer),
                to: self.receiver(buffer),
                message: self.message_in(buffer, at),
                content: self.content(buffer, at),
            }));
        }
        signals.extend(outcome.performed.iter().map(|access| Signal::Happens {
            at: self.party(access.core),
            what: self.answer_text(access),
        }));
        signals
    }

    /// A number for the content of a message in flight. Values do not count, since they may be overwritten while the
    /// message is in flight.
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
            let machine = self.system.controllers[controller].machine;
            Signal::Changes {
                at: Party::Controller(controller),
                machine: self.system.program.machines[machine].name.to_string(),
                event: event.to_owned(),
                states: (before.to_owned(), after.to_owned()),
                line: self.line_name(happening.address),
                again: String::new(),
            }
        })
    }

    /// The party that receives the messages of a buffer.
    fn receiver(&self, buffer: usize) -> Party {
        let consumer = self.system.consumers[buffer] as usize;
        let requests = self.system.controllers[consumer].requests_to_memory;
        if requests == Some(buffer as u32) { Party::Memory } else { Party::Controller(consumer) }
    }
}
