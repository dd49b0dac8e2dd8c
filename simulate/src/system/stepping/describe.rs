//! Describes moves in words.

use slicc::compile::types::TypeKind;

use super::actions::{Access, Action};
use super::moves::{Move, Outcome};
use super::signals::{Party, Signal, UnderWay};
use super::values::Freshness;
use super::{Stepping, Values};
use crate::system::RecordedEvent;
use crate::system::report::type_field;

/// A move in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedMove {
    /// The event: `core 1 stores to line 0`.
    pub happens: String,
    /// The transition that it leads to, what is sent, and what memory performs.
    pub effects: Vec<String>,
    /// The effects as signals between the parties, in order.
    pub signals: Vec<Signal>,
}

impl Stepping {
    /// Makes a move in a state, and describes it. `under_way` has the messages that earlier moves have sent, if these
    /// are known, and thus the sender of a message that arrives.
    pub fn describe(
        &mut self,
        state: &[u8],
        chosen: Move,
        under_way: &mut UnderWay,
    ) -> (DescribedMove, Outcome) {
        self.thaw(state);
        let cause = self.cause(chosen);
        let happens = self.cause_text(chosen, under_way.sender(&cause));
        let before = self.before(chosen);
        let outcome = self.take(state, chosen);
        let consequences = self.consequences(chosen, before, &outcome);
        let effects = self.effects(&consequences);
        under_way.follow(&cause, &consequences);
        let mut signals = vec![cause];
        signals.extend(consequences);
        (DescribedMove { happens, effects, signals }, outcome)
    }

    /// The beginning of a move in words, with the sender of the message that arrives in it. Must be called in the state
    /// before the move.
    pub(super) fn cause_text(&self, chosen: Move, sender: Option<Party>) -> String {
        match chosen {
            Move::Ask { core, action: Action::PrefetchRead | Action::PrefetchWrite, .. } => {
                format!("{}'s {}", self.agent_name(core), self.request_text(chosen))
            }
            Move::Ask { core, .. } => {
                format!("{} {}", self.agent_name(core), self.request_text(chosen))
            }
            Move::Arrive { buffer, at } => {
                let message = self.message_in(buffer, at);
                let from = sender.map(|sender| format!(" from {}", self.party_name(sender)));
                format!("{message}{} reaches {}", from.unwrap_or_default(), self.consumer(buffer))
            }
            Move::Memory { buffer, at } => {
                format!(
                    "memory takes {} from {}",
                    self.message_in(buffer, at),
                    self.consumer(buffer)
                )
            }
            Move::Wake { controller } => format!("{} looks again", self.name(controller)),
            Move::Timer { table, line } => {
                let owner = self.system.timer_owners[table] as usize;
                let line = self.line_name(line);
                format!("a timer of {} for {line} runs out", self.name(owner))
            }
        }
    }

    /// The request of a core in words: `loads line 0`.
    pub(super) fn request_text(&self, chosen: Move) -> String {
        let Move::Ask { line, action, value, .. } = chosen else {
            return String::new();
        };
        match (action, self.values) {
            (Action::Load, _) => format!("loads line {line}"),
            (Action::Store, Values::Latest) => format!("stores to line {line}"),
            (Action::Store, _) => format!("stores {value} to line {line}"),
            (Action::LoadLinked, _) => format!("loads line {line} with a reservation"),
            (Action::StoreConditional, _) => format!("stores to line {line} conditionally"),
            (Action::LockedRead, _) => format!("reads line {line} to lock it"),
            (Action::LockedWrite, _) => format!("writes line {line} to unlock it"),
            (Action::Atomic, _) => format!("reads and writes line {line} atomically"),
            (Action::Fetch, _) => format!("fetches an instruction from line {line}"),
            (Action::Flush, _) => format!("flushes line {line}"),
            (Action::EarlyLoad, _) => format!("loads line {line} early"),
            (Action::Use, _) => format!("uses the value of line {line} that it loaded early"),
            (Action::PrefetchRead, _) => format!("prefetcher asks to read line {line}"),
            (Action::PrefetchWrite, _) => format!("prefetcher asks to write line {line}"),
        }
    }

    /// The name of an agent: `core 0` or `DMA device 0`.
    pub fn agent_name(&self, agent: usize) -> String {
        match agent.checked_sub(self.cores) {
            None => format!("core {agent}"),
            Some(device) => format!("DMA device {device}"),
        }
    }

    /// The name of a controller: `L1Cache-1`, or its role where its machine has controllers of several: `HNF 0`.
    pub(super) fn name(&self, controller: usize) -> String {
        let controller = &self.system.controllers[controller];
        if let Some(role) = &controller.role {
            return role.clone();
        }
        let machine = &self.system.program.machines[controller.machine];
        format!("{}-{}", machine.name, controller.version)
    }

    /// The name of a party: `core 0`, `DMA device 0`, `L1Cache-1`, `HNF 0` or `memory`.
    pub(super) fn party_name(&self, party: Party) -> String {
        match party {
            Party::Core(core) => self.agent_name(core),
            Party::Device(device) => self.agent_name(self.cores + device),
            Party::Controller(controller) => self.name(controller),
            Party::Memory => "memory".to_owned(),
        }
    }

    pub(super) fn consumer(&self, buffer: usize) -> String {
        self.name(self.system.consumers[buffer] as usize)
    }

    /// The name of the line at an address: `line 0`.
    pub(super) fn line_name(&self, address: u64) -> String {
        match self.line_number(address) {
            Some(line) => format!("line {line}"),
            None => format!("address {address:#x}"),
        }
    }

    /// The type and the line of a message in flight: `GETX for line 0`
    pub(super) fn message_in(&self, buffer: usize, at: usize) -> String {
        match self.system.buffers[buffer].in_flight().nth(at) {
            Some(one) => self.message_name(one.message),
            None => "a message".to_owned(),
        }
    }

    /// The type and the line of a message: `GETX for line 0`
    pub(super) fn message_name(&self, message: u64) -> String {
        let of = self.system.words.type_of(message);
        let name = self.kind_of(message).unwrap_or(&self.system.program.types[of].name);
        format!("{name}{}", self.line_of_message(message))
    }

    /// The value of the `Type` field of a message: `GETX`.
    fn kind_of(&self, message: u64) -> Option<&str> {
        let of = self.system.words.type_of(message);
        let offset = self.system.kinds[of]?;
        let word = self.system.words.words[message as usize + usize::from(offset)];
        Some(self.kind_name(of, word as usize))
    }

    /// The line of a message, if it has one: ` for line 0`
    fn line_of_message(&self, message: u64) -> String {
        let types = &self.system.program.types;
        let fields = &types[self.system.words.type_of(message)].fields;
        let mut names = ["addr", "LineAddress", "Addr"].iter();
        let field = names.find_map(|name| fields.get(*name));
        let field = field.filter(|field| field.of == types.known.addr);
        field.map_or(String::new(), |field| {
            let at = message as usize + usize::from(field.offset);
            format!(" for {}", self.line_name(self.system.words.words[at]))
        })
    }

    /// The name of the type of a message: `GETX`.
    fn kind_name(&self, of: usize, kind: usize) -> &str {
        let types = &self.system.program.types;
        let values = type_field(&types[of]).map(|field| &types[field.of].kind);
        match values {
            Some(TypeKind::Enumeration { values, .. }) => {
                values.get(kind).map_or("", |value| value)
            }
            _ => "",
        }
    }

    /// The result of an access in words: `has read the latest value of line 0`.
    pub(super) fn answer_text(&self, access: &Access) -> String {
        let Access { line, value, action, freshness, .. } = *access;
        let wrong = access.is_wrong();
        match (self.values, action) {
            (Values::Numbers(_), Action::Store) => format!("has written {value} to line {line}"),
            (Values::Numbers(_), _) => format!("has read {value} from line {line}"),
            (_, Action::Store | Action::LockedWrite) if !wrong => {
                format!("has written line {line}")
            }
            (_, Action::LockedWrite) => format!(
                "has written line {line}, which another one has written since it was locked"
            ),
            (_, Action::StoreConditional) if !access.writes => {
                format!("has failed to store to line {line}")
            }
            (_, Action::StoreConditional) if wrong => format!(
                "has written line {line}, although another one has written it since the load-linked"
            ),
            (_, Action::StoreConditional) => format!("has written line {line} conditionally"),
            (_, Action::Atomic) if wrong => format!(
                "has read a value of line {line} that was not the latest, and has written the line"
            ),
            (_, Action::Atomic) => {
                format!("has read the latest value of line {line} and written the line")
            }
            (_, Action::EarlyLoad) => format!("has loaded line {line} early"),
            (_, Action::Use) if wrong => {
                format!("was not told that the value is no longer the latest of line {line}")
            }
            (_, Action::Use) => format!("has used the latest value of line {line}"),
            _ => match freshness {
                Freshness::Latest => format!("has read the latest value of line {line}"),
                Freshness::Old => {
                    format!("has read a value of line {line} that was the latest when it asked")
                }
                Freshness::Stale => format!(
                    "has read a value of line {line} that was not the latest at any time since it asked"
                ),
            },
        }
    }

    /// The consequences of a move, in words.
    fn effects(&self, consequences: &[Signal]) -> Vec<String> {
        let is_broadcast = |one: &Signal, next: &Signal| match (one, next) {
            (
                Signal::Sends { from, message, .. },
                Signal::Sends { from: other, message: equal, .. },
            ) => (from, message) == (other, equal),
            _ => false,
        };
        let parts = consequences.chunk_by(is_broadcast);
        parts.map(|part| self.effect(part)).collect()
    }

    /// A consequence in words; several are one message to several parties.
    fn effect(&self, part: &[Signal]) -> String {
        match &part[0] {
            Signal::Changes { at, event, states: (before, after), line, .. } => {
                format!("{}: {before} {event} -> {after} ({line})", self.party_name(*at))
            }
            Signal::Happens { at, what } => format!("{} {what}", self.party_name(*at)),
            Signal::Arrives { at, message, .. } => {
                format!("{message} reaches {}", self.party_name(*at))
            }
            Signal::Sends { from: Party::Core(_) | Party::Device(_), to, message, .. } => {
                format!("{message} waits at {}", self.party_name(*to))
            }
            Signal::PutsBack { at, message } => {
                format!("{} puts {message} back", self.party_name(*at))
            }
            Signal::Sends { from, message, .. } => {
                let to = part.iter().filter_map(|signal| match signal {
                    Signal::Sends { to, .. } => Some(self.party_name(*to)),
                    _ => None,
                });
                let to: Vec<String> = to.collect();
                format!("{} sends {message} to {}", self.party_name(*from), to.join(" and "))
            }
        }
    }

    /// The event of a transition that was taken, and the states before and after it.
    pub(super) fn transition(&self, happening: &RecordedEvent) -> (&str, &str, &str) {
        let controller = &self.system.controllers[happening.controller as usize];
        let machine = &self.system.program.machines[controller.machine];
        let transition = &machine.transitions[happening.what as usize];
        let after = machine.states.get(usize::from(happening.after));
        (
            &machine.events[usize::from(transition.event)],
            &machine.states[usize::from(transition.state)],
            after.map_or("?", |state| state),
        )
    }
}
