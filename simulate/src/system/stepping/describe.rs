//! Describes moves in words.

use slicc::compile::types::TypeKind;

use super::moves::{Move, Outcome};
use super::values::{Access, Action, Freshness};
use super::{Stepping, Values};

/// A move in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedMove {
    /// The event: `core 1 stores to line 0`.
    pub happens: String,
    /// The transition that it leads to, what is sent, and what memory performs.
    pub effects: Vec<String>,
}

impl Stepping {
    /// Makes a move in a state, and describes it.
    pub fn describe(&mut self, state: &[u8], chosen: Move) -> (DescribedMove, Outcome) {
        self.thaw(state);
        let happens = self.event_text(chosen);
        let outcome = self.take(state, chosen);
        let mut effects = self.effects();
        let performed = outcome.performed.iter();
        effects.extend(performed.map(|access| self.access_text(access)));
        (DescribedMove { happens, effects }, outcome)
    }

    fn event_text(&self, chosen: Move) -> String {
        match chosen {
            Move::Ask { core, line, action, value } => {
                let what = match (action, self.values) {
                    (Action::Load, _) => format!("loads line {line}"),
                    (Action::Store, Values::Latest) => format!("stores to line {line}"),
                    (Action::Store, _) => format!("stores {value} to line {line}"),
                };
                format!("core {core} {what}")
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

    /// `L1Cache-1`
    fn name(&self, controller: usize) -> String {
        let controller = &self.system.controllers[controller];
        let machine = &self.system.program.machines[controller.machine];
        format!("{}-{}", machine.name, controller.version)
    }

    fn consumer(&self, buffer: usize) -> String {
        self.name(self.system.consumers[buffer] as usize)
    }

    /// `line 0`
    fn line_name(&self, address: u64) -> String {
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
        let types = &self.system.program.types;
        let kind = self.system.kinds[of].map(|offset| {
            let word = self.system.words.words[one.message as usize + usize::from(offset)];
            format!(" {}", self.kind_name(of, word as usize))
        });
        let fields = &types[of].fields;
        let line = ["addr", "LineAddress", "Addr"]
            .iter()
            .find_map(|name| fields.get(*name))
            .filter(|field| field.of == types.known.addr)
            .map(|field| {
                let at = one.message as usize + usize::from(field.offset);
                format!(" for {}", self.line_name(self.system.words.words[at]))
            });
        format!("{}{}{}", types[of].name, kind.unwrap_or_default(), line.unwrap_or_default())
    }

    /// The name of the type of a message: `GETX`.
    fn kind_name(&self, of: usize, kind: usize) -> &str {
        let types = &self.system.program.types;
        let values = types[of].fields.get("Type").map(|field| &types[field.of].kind);
        match values {
            Some(TypeKind::Enumeration { values, .. }) => {
                values.get(kind).map_or("", |value| value)
            }
            _ => "",
        }
    }

    /// `core 0 has read the latest value of line 0`
    fn access_text(&self, access: &Access) -> String {
        let Access { core, line, value, .. } = access;
        match (self.values, access.action, access.freshness) {
            (Values::Numbers(_), Action::Load, _) => {
                format!("core {core} has read {value} from line {line}")
            }
            (Values::Numbers(_), Action::Store, _) => {
                format!("core {core} has written {value} to line {line}")
            }
            (_, Action::Store, _) => format!("core {core} has written line {line}"),
            (_, _, Freshness::Latest) => {
                format!("core {core} has read the latest value of line {line}")
            }
            (_, _, Freshness::Old) => format!(
                "core {core} has read a value of line {line} that was the latest when it asked"
            ),
            (_, _, Freshness::Stale) => format!(
                "core {core} has read a value of line {line} that was not the latest at any time since it asked"
            ),
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
                let controller = &self.system.controllers[happening.controller as usize];
                let machine = &self.system.program.machines[controller.machine];
                let transition = &machine.transitions[of];
                let (before, after) = (usize::from(transition.state), usize::from(happening.after));
                format!(
                    "{who}: {} {} -> {} ({})",
                    machine.states[before],
                    machine.events[usize::from(transition.event)],
                    machine.states.get(after).map_or("?", |state| state),
                    self.line_name(happening.address)
                )
            })
            .collect()
    }
}
