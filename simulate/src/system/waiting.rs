//! Describes what waits for a line in a deadlock, for the last lines of its report.

use slicc::compile::types::{Field, TypeKind};

use super::System;

/// Largest number of lines about what waits.
const MOST_SHOWN: usize = 24;

impl System {
    /// What waits for the line of an address: transactions of controllers with their states, and messages that were not handled.
    pub(super) fn waiting(&self, address: u64) -> Vec<String> {
        let line = self.line_of(address);
        let mut waiting = Vec::new();
        for controller in 0..self.controllers.len() {
            self.transactions_for(controller, line, &mut waiting);
            self.messages_for(controller, line, &mut waiting);
        }
        if let Some(more) = waiting.len().checked_sub(MOST_SHOWN).filter(|&more| more > 0) {
            waiting.truncate(MOST_SHOWN);
            waiting.push(format!("{:>10}: … {more} more", self.now));
        }
        waiting
    }

    /// Adds a text such as `1347: Cache 21 (HNF 3) has a transaction in BUSY_BLKD` for each transaction of a controller for
    /// the line.
    fn transactions_for(&self, number: usize, line: u64, waiting: &mut Vec<String>) {
        let controller = &self.controllers[number];
        let of = self.program.machines[controller.machine].tbe;
        let tables = self.owners.tables.iter().zip(&self.line_tables.tables).zip(&self.elements);
        for ((owner, table), element) in tables {
            if *owner as usize != number || of != Some(*element) || !table.is_present(line) {
                continue;
            }
            let state = self.state_in(number, table.lookup(line));
            let state = state.map_or(String::new(), |state| format!(" in {state}"));
            let who = self.name_of(controller);
            waiting.push(format!("{:>10}: {who} has a transaction{state}", self.now));
        }
    }

    /// Adds a text such as `1347: Cache 21 (HNF 3) has CHIRequestMsg CleanUnique waiting at reqRdyPort, set aside` for each
    /// message about the line that has arrived at a controller and was not handled.
    fn messages_for(&self, number: usize, line: u64, waiting: &mut Vec<String>) {
        let controller = &self.controllers[number];
        let machine = &self.program.machines[controller.machine];
        for (port, buffer) in machine.in_ports.iter().zip(controller.port_objects()) {
            if port.timers {
                continue;
            }
            for (stalled, message) in self.buffers[buffer as usize].left_behind(self.now) {
                if stalled.or_else(|| self.address_in(message)) != Some(line) {
                    continue;
                }
                let of = self.words.type_of(message);
                let what = self.message_name(of, self.kind_of(message, of));
                let aside = if stalled.is_some() { ", set aside" } else { "" };
                let who = self.name_of(controller);
                let port = &port.name;
                waiting
                    .push(format!("{:>10}: {who} has {what} waiting at {port}{aside}", self.now));
            }
        }
    }

    /// The line that a message is about: the first address in it.
    fn address_in(&self, message: u64) -> Option<u64> {
        let types = &self.program.types;
        let fields = types[self.words.type_of(message)].fields.values();
        let addresses = fields.filter(|field| field.of == types.known.addr);
        let first = addresses.min_by_key(|field| field.offset)?;
        let address = self.words.words[message as usize + usize::from(first.offset)];
        Some(self.line_of(address))
    }

    /// The state in an object of a controller: its first field of the enumeration of the machine's states. CHI's transactions have
    /// more of them, such as the state in which they are going to end.
    pub(super) fn state_in(&self, controller: usize, object: u64) -> Option<&str> {
        let types = &self.program.types;
        let of = &types[self.words.type_of(object)];
        let machine = &self.program.machines[self.controllers[controller].machine];
        let is_state = |field: &&Field| match &types[field.of].kind {
            TypeKind::Enumeration { values, .. } => {
                values.len() == machine.states.len()
                    && values.iter().zip(&machine.states).all(|(one, other)| **one == **other)
            }
            _ => false,
        };
        let field = of.fields.values().filter(is_state).min_by_key(|field| field.offset)?;
        let at = object as usize + usize::from(field.offset);
        machine.states.get(self.words.words[at] as usize).map(|name| &**name)
    }
}
