//! Describes moves in words.

use slicc::compile::types::TypeKind;

use super::actions::{Access, Action};
use super::moves::{Move, Outcome};
use super::signals::Signal;
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
    /// The same as signals between the parties, in their order.
    pub signals: Vec<Signal>,
}

impl Stepping {
    /// Makes a move in a state, and describes it.
    pub fn describe(&mut self, state: &[u8], chosen: Move) -> (DescribedMove, Outcome) {
        self.thaw(state);
        let happens = self.event_text(chosen);
        let mut signals = vec![self.cause(chosen)];
        let outcome = self.take(state, chosen);
        let mut effects = self.effects();
        let performed = outcome.performed.iter();
        effects.extend(performed.map(|access| self.access_text(access)));
        signals.extend(self.consequences(chosen, &outcome));
        (DescribedMove { happens, effects, signals }, outcome)
    }

    fn event_text(&self, chosen: Move) -> String {
        match chosen {
            Move::Ask { core, action: Action::PrefetchRead | Action::PrefetchWrite, .. } => {
                format!("{}{}", self.agent_name(core), self.request_text(chosen))
            }
            Move::Ask { core, .. } => {
                format!("{} {}", self.agent_name(core), self.request_text(chosen))
            }
            Move::Arrive { buffer, at } => {
                let message = self.message(buffer, at);
                format!("{message} reaches {}", self.consumer(buffer))
            }
            Move::Memory { buffer, at } => {
                let message = self.message(buffer, at);
                format!("memory takes {message} from {}", self.consumer(buffer))
            }
            Move::Wake { controller } => format!("{} looks again", self.name(controller)),
            Move::Timer { table, line } => {
                let owner = self.system.timer_owners[table] as usize;
                let line = self.line_name(line);
                format!("a timer of {} for {line} runs out", self.name(owner))
            }
        }
    }

    /// What a core asks for: `loads line 0`
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
            (Action::PrefetchRead, _) => format!("'s prefetcher asks to read line {line}"),
            (Action::PrefetchWrite, _) => format!("'s prefetcher asks to write line {line}"),
        }
    }

    /// `core 0` or `DMA device 0`
    pub fn agent_name(&self, agent: usize) -> String {
        match agent.checked_sub(self.cores) {
            None => format!("core {agent}"),
            Some(device) => format!("DMA device {device}"),
        }
    }

    /// `L1Cache-1`
    pub(super) fn name(&self, controller: usize) -> String {
        let controller = &self.system.controllers[controller];
        let machine = &self.system.program.machines[controller.machine];
        format!("{}-{}", machine.name, controller.version)
    }

    pub(super) fn consumer(&self, buffer: usize) -> String {
        self.name(self.system.consumers[buffer] as usize)
    }

    /// `line 0`
    pub(super) fn line_name(&self, address: u64) -> String {
        match self.line_number(address) {
            Some(line) => format!("line {line}"),
            None => format!("address {address:#x}"),
        }
    }

    /// `RequestMsg GETX for line 0`
    fn message(&self, buffer: usize, at: usize) -> String {
        let Some(one) = self.system.buffers[buffer].in_flight().nth(at) else {
            return "a message".to_owned();
        };
        let of = self.system.words.type_of(one.message);
        let name = &self.system.program.types[of].name;
        let kind = self.kind_of(one.message).map(|kind| format!(" {kind}"));
        format!("{name}{}{}", kind.unwrap_or_default(), self.line_of_message(one.message))
    }

    /// The same without the type, if the message has a `Type` field: `GETX for line 0`
    pub(super) fn brief_message(&self, buffer: usize, at: usize) -> String {
        let Some(one) = self.system.buffers[buffer].in_flight().nth(at) else {
            return "a message".to_owned();
        };
        self.message_name(one.message)
    }

    /// The type and the line of a message: `GETX for line 0`
    pub(super) fn message_name(&self, message: u64) -> String {
        let of = self.system.words.type_of(message);
        let name = self.kind_of(message).unwrap_or(&self.system.program.types[of].name);
        format!("{name}{}", self.line_of_message(message))
    }

    /// What the `Type` field of a message says: `GETX`
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

    /// `core 0 has read the latest value of line 0`
    fn access_text(&self, access: &Access) -> String {
        format!("{} {}", self.agent_name(access.core), self.answer_text(access))
    }

    /// What a core is told: `has read the latest value of line 0`
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

    /// The effects of the last move.
    fn effects(&self) -> Vec<String> {
        let happenings = self.system.happenings.iter().take(self.system.happened);
        // A transition is recorded when its actions are over.
        let mut happenings: Vec<_> = happenings.collect();
        happenings.sort_by_key(|happening| happening.is_message);
        happenings
            .into_iter()
            .map(|happening| {
                let who = self.name(happening.controller as usize);
                let of = happening.what as usize;
                if happening.is_message {
                    let name = &self.system.program.types[of].name;
                    let kind = self.kind_name(of, happening.kind as usize);
                    return format!("{who} sends {name} {kind}").trim_end().to_owned();
                }
                let (event, before, after) = self.transition(happening);
                let line = self.line_name(happening.address);
                format!("{who}: {before} {event} -> {after} ({line})")
            })
            .collect()
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
