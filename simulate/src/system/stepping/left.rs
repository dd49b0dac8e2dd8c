//! Describes what waits in a state and for whom, for states without moves.

use super::Stepping;
use super::actions::{Action, decoded};
use super::moves::Move;
use super::signals::{Signal, UnderWay};
use crate::request::RequestKind;
use crate::ruby::buffer::frozen::Arrived;

impl Stepping {
    /// Describes what is left in a state: requests of cores and devices, transactions of controllers with their states,
    /// and messages that wait. The text of a message names the controller that sent it or for which it was sent, so it
    /// shows who waits for whom.
    pub fn left(&mut self, state: &[u8]) -> Vec<String> {
        let put_back = self.put_back(state);
        self.thaw(state);
        let mut left = Vec::new();
        for agent in 0..self.agents() {
            left.extend((0..self.lines.len()).filter_map(|line| self.request_left(agent, line)));
        }
        for controller in 0..self.system.controllers.len() {
            self.transactions_left(controller, &mut left);
        }
        for buffer in 0..self.system.buffers.len() {
            self.messages_left(buffer, &put_back, &mut left);
        }
        left
    }

    /// The messages in flight that are put back when they arrive, each by its buffer and place.
    fn put_back(&mut self, state: &[u8]) -> Vec<(usize, usize)> {
        let moves = self.moves(state).into_iter();
        let arrivals: Vec<(usize, usize)> = moves
            .filter_map(|chosen| match chosen {
                Move::Arrive { buffer, at } => Some((buffer, at)),
                _ => None,
            })
            .collect();
        let mut is_put_back = |&(buffer, at): &(usize, usize)| {
            let chosen = Move::Arrive { buffer, at };
            let (described, _) = self.describe(state, chosen, &mut UnderWay::default());
            described.signals.iter().any(|signal| matches!(signal, Signal::PutsBack { .. }))
        };
        arrivals.into_iter().filter(|arrival| is_put_back(arrival)).collect()
    }

    /// Describes the outstanding request of an agent for a line: `core 0 stores to line 0 and waits for L1Cache-0`.
    fn request_left(&self, agent: usize, line: usize) -> Option<String> {
        let (kind, tag) = decoded(self.request_code(agent, line)).request?;
        let action = match kind {
            RequestKind::Load if tag != 0 => Action::EarlyLoad,
            RequestKind::Store => Action::Store,
            RequestKind::LoadLinked => Action::LoadLinked,
            RequestKind::StoreConditional => Action::StoreConditional,
            RequestKind::LockedRead => Action::LockedRead,
            RequestKind::LockedWrite => Action::LockedWrite,
            RequestKind::Atomic => Action::Atomic,
            RequestKind::Flush => Action::Flush,
            RequestKind::Ifetch => Action::Fetch,
            _ => Action::Load,
        };
        let asks = self.request_text(Move::Ask { core: agent, line, action, value: 0 });
        let whom = self.name(self.controller_of(agent));
        Some(format!("{} {asks} and waits for {whom}", self.agent_name(agent)))
    }

    /// Describes the transactions of a controller: `L1Cache-0 has a transaction in state IM for line 0`.
    fn transactions_left(&self, controller: usize, left: &mut Vec<String>) {
        let tables = self.owned[controller].tables.iter();
        for &table in tables.filter(|&&table| self.transactions[table]) {
            for (line, tbe) in self.system.line_tables.tables[table].sorted() {
                let state = self.system.state_in(controller, tbe);
                let state = state.map_or(String::new(), |state| format!(" in state {state}"));
                let line = self.line_name(line);
                left.push(format!("{} has a transaction{state} for {line}", self.name(controller)));
            }
        }
    }

    /// Describes the messages of a buffer: `GETX for line 0 (for a request of L1Cache-1) waits at Directory-0`.
    fn messages_left(&self, number: usize, put_back: &[(usize, usize)], left: &mut Vec<String>) {
        let buffer = &self.system.buffers[number];
        let at = self.consumer(number);
        for Arrived { stalled, message } in buffer.arrived() {
            let aside = stalled.map_or(String::new(), |line| {
                format!(", set aside until something happens to {}", self.line_name(line))
            });
            left.push(format!("{} waits at {at}{aside}", self.sent_message(message)));
        }
        for (_, message) in buffer.deferred() {
            left.push(format!("{} is deferred by {at}", self.sent_message(*message)));
        }
        for (place, one) in buffer.in_flight().enumerate() {
            let what = self.sent_message(one.message);
            left.push(if put_back.contains(&(number, place)) {
                format!("{what} is put back by {at} when it arrives")
            } else {
                format!("{what} has not arrived at {at}")
            });
        }
    }

    /// A message with the controller that its field for a requestor or sender names: `GETX for line 0 (for a request of
    /// L1Cache-1)`.
    fn sent_message(&self, message: u64) -> String {
        let types = &self.system.program.types;
        let of = self.system.words.type_of(message);
        let mut names = ["Requestor", "Sender", "requestor", "sender"].iter();
        let field = names.find_map(|name| types[of].fields.get(*name).map(|field| (*name, field)));
        let role = field.map_or("", |(name, _)| {
            if name.eq_ignore_ascii_case("sender") { "sent by" } else { "for a request of" }
        });
        let field = field.map(|(_, field)| field).filter(|field| field.of == types.known.machine);
        let sender = field.and_then(|field| {
            let word = self.system.words.words[message as usize + usize::from(field.offset)];
            (0..self.system.controllers.len()).find(|&at| {
                let controller = &self.system.controllers[at];
                let kind = self.system.program.machines[controller.machine].kind;
                word == u64::from(kind) << 32 | u64::from(controller.version)
            })
        });
        let sender =
            sender.map_or(String::new(), |sender| format!(" ({role} {})", self.name(sender)));
        format!("{}{sender}", self.message_name(message))
    }
}
