//! What the machines of a protocol say to each other.

use std::collections::{BTreeSet, HashSet};

use crate::ast::{Block, Declaration, Expression, ExpressionKind, Machine, Object, StatementKind};
use crate::compile::types::{TypeId, TypeKind};
use crate::protocol::Protocol;
use crate::visit::{self, Node};

/// The words that machines use.
pub(super) struct Words<'a> {
    protocol: &'a Protocol,
    /// Enumerations and values.
    enumerators: HashSet<(&'a str, &'a str)>,
    /// Fields that count something.
    counters: HashSet<&'a str>,
    /// The numbers of the virtual networks.
    pub networks: BTreeSet<&'a str>,
}

impl<'a> Words<'a> {
    /// Those of a protocol.
    pub fn of(protocol: &'a Protocol) -> Words<'a> {
        let mut words = Words {
            protocol,
            enumerators: HashSet::new(),
            counters: HashSet::new(),
            networks: BTreeSet::new(),
        };
        for machine in protocol.machines() {
            let networks = machine.parameters.iter().filter_map(network);
            words.networks.extend(networks);
            blocks(machine).for_each(|block| words.read(block));
        }
        words
    }

    /// The values of an enumeration that some machine uses, in the order in which they are declared.
    /// `family` is what it is called where it is used.
    pub fn values(&self, family: &str, of: TypeId) -> Vec<&'a str> {
        let TypeKind::Enumeration { values, .. } = &self.protocol.program.types[of].kind else {
            return Vec::new();
        };
        let is_used = |value: &&str| self.enumerators.contains(&(family, *value));
        let values = values.iter().map(|value| &**value);
        values.filter(is_used).collect()
    }

    /// Whether a field counts something: answers, for one.
    pub fn is_counter(&self, field: &str) -> bool {
        self.counters.contains(field)
    }

    fn read(&mut self, block: &'a Block) {
        visit::block(block, &mut |node| match node {
            Node::Expression(expression) => {
                if let ExpressionKind::Enumerator { family, value } = &expression.kind {
                    self.enumerators.insert((&family.text, &value.text));
                }
            }
            Node::Statement(statement) => {
                if let StatementKind::Assign { target, value } = &statement.kind {
                    self.count(target, value);
                }
            }
        });
    }

    /// Notes what counts in an assignment: a field to which something is added or from which something
    /// is taken, with that if it is a field, too; and one that becomes the size of a set.
    fn count(&mut self, target: &'a Expression, value: &'a Expression) {
        let Some(own) = field(target) else { return };
        match &value.kind {
            ExpressionKind::Binary { left, right, .. } if field(left) == Some(own) => {
                self.counters.insert(own);
                self.counters.extend(field(right));
            }
            ExpressionKind::Method { method, .. } if &*method.text == "count" => {
                self.counters.insert(own);
            }
            _ if own.to_ascii_lowercase().contains("ack") => {
                self.counters.insert(own);
            }
            _ => {}
        }
    }
}

/// The number of the virtual network to which a buffer is attached, as it is written.
pub(super) fn network(parameter: &Object) -> Option<&str> {
    let mut pairs = parameter.pairs.iter();
    let pair = pairs.find(|pair| &*pair.key.text == "virtual_network")?;
    Some(&pair.value.text)
}

/// The name of a field.
fn field(expression: &Expression) -> Option<&str> {
    match &expression.kind {
        ExpressionKind::Field { field, .. } => Some(&field.text),
        _ => None,
    }
}

/// The code of a machine.
fn blocks(machine: &Machine) -> impl Iterator<Item = &Block> {
    machine.body.iter().filter_map(|declaration| match declaration {
        Declaration::Action(action) => Some(&action.body),
        Declaration::InPort(port) => Some(&port.body),
        Declaration::Function(function) => function.body.as_ref(),
        _ => None,
    })
}
