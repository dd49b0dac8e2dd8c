//! The enumerators, counters and virtual networks that the machines of a protocol use.

use std::collections::{BTreeSet, HashSet};

use slicc::ast::{Block, Declaration, Expression, ExpressionKind, Machine, Object, StatementKind};
use slicc::compile::types::{TypeId, TypeKind};
use slicc::protocol::Protocol;
use slicc::visit::{self, Node};

/// The enumerators, counters and networks that the machines of a protocol use.
pub(crate) struct Usage<'a> {
    protocol: &'a Protocol,
    /// Pairs of an enumeration and a value.
    enumerators: HashSet<(&'a str, &'a str)>,
    /// Fields that count something, such as acknowledgements.
    counters: HashSet<&'a str>,
    /// The numbers of the virtual networks, as written.
    pub networks: BTreeSet<&'a str>,
}

impl<'a> Usage<'a> {
    /// Collects the enumerators, counters and networks that a protocol uses.
    pub(crate) fn of(protocol: &'a Protocol) -> Usage<'a> {
        let mut usage = Usage {
            protocol,
            enumerators: HashSet::new(),
            counters: HashSet::new(),
            networks: BTreeSet::new(),
        };
        for machine in protocol.machines() {
            let networks = machine.parameters.iter().filter_map(network);
            usage.networks.extend(networks);
            blocks(machine).for_each(|block| usage.read(block));
        }
        usage
    }

    /// The values of an enumeration that some machine uses, in the order of declaration. `family`
    /// is the name of the enumeration where it is used.
    pub(crate) fn values(&self, family: &str, of: TypeId) -> Vec<&'a str> {
        let TypeKind::Enumeration { values, .. } = &self.protocol.program.types[of].kind else {
            return Vec::new();
        };
        let is_used = |value: &&str| self.enumerators.contains(&(family, *value));
        let values = values.iter().map(|value| &**value);
        values.filter(is_used).collect()
    }

    /// Whether a field counts something, such as acknowledgements.
    pub(crate) fn is_counter(&self, field: &str) -> bool {
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

    /// Records the counters in an assignment: a field that is changed by an operation on its old value and the other
    /// operand, a field that becomes the size of a set, and a field whose name contains `ack`.
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

/// The number of a buffer's virtual network, as written.
pub(crate) fn network(parameter: &Object) -> Option<&str> {
    let mut pairs = parameter.pairs.iter();
    let pair = pairs.find(|pair| &*pair.key.text == "virtual_network")?;
    Some(&pair.value.text)
}

/// The name of the field, if an expression is one.
fn field(expression: &Expression) -> Option<&str> {
    match &expression.kind {
        ExpressionKind::Field { field, .. } => Some(&field.text),
        _ => None,
    }
}

/// The blocks of a machine's actions, ports and functions.
fn blocks(machine: &Machine) -> impl Iterator<Item = &Block> {
    machine.body.iter().filter_map(|declaration| match declaration {
        Declaration::Action(action) => Some(&action.body),
        Declaration::InPort(port) => Some(&port.body),
        Declaration::Function(function) => function.body.as_ref(),
        _ => None,
    })
}
