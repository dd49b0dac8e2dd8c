//! The names that the code of a machine uses.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{
    Binary, Block, Declaration, Expression, ExpressionKind, Machine, Pair, Statement, StatementKind,
};
use crate::source::Span;
use crate::visit::{self, Node};

/// The names that the code of a machine uses.
#[derive(Default)]
pub(super) struct Code<'a> {
    /// Events named as `Event:X`.
    pub events: FxHashSet<&'a str>,
    /// Events named by in_ports that dequeue a message themselves.
    pub taken: FxHashSet<&'a str>,
    /// Events in a `trigger` or a `return`, with the first such place.
    pub triggered: FxHashMap<&'a str, Span>,
    /// States named as `State:X`, other than in comparisons, or in the `default` of a field.
    pub states: FxHashSet<&'a str>,
    /// Names of functions, variables and ports, and words in attributes.
    pub names: FxHashSet<&'a str>,
    /// Operands of comparisons, where a state is named without being set.
    compared: FxHashSet<Span>,
}

impl<'a> Code<'a> {
    pub(super) fn of(machine: &'a Machine) -> Code<'a> {
        let mut code = Code::default();
        for parameter in &machine.parameters {
            code.pairs(&parameter.pairs);
        }
        for declaration in &machine.body {
            code.declaration(declaration);
        }
        code
    }

    fn declaration(&mut self, declaration: &'a Declaration) {
        match declaration {
            Declaration::Action(action) => self.block(&action.body),
            Declaration::InPort(port) => {
                self.pairs(&port.pairs);
                self.names.insert(&port.buffer.text);
                self.block(&port.body);
                self.taken.extend(taken(&port.body));
            }
            Declaration::OutPort(port) => {
                self.names.insert(&port.buffer.text);
            }
            Declaration::Structure(structure) => {
                for field in &structure.fields {
                    self.pairs(&field.pairs);
                }
                for body in structure.methods.iter().filter_map(|one| one.body.as_ref()) {
                    self.block(body);
                }
            }
            Declaration::States(states) => self.pairs(&states.pairs),
            Declaration::Object(object) => {
                self.pairs(&object.pairs);
                if let Some(value) = &object.value {
                    visit::expression(value, &mut |node| self.node(node));
                }
            }
            Declaration::Function(function) => {
                self.pairs(&function.pairs);
                function.body.iter().for_each(|body| self.block(body));
            }
            _ => {}
        }
    }

    /// Attributes may name states, functions and variables: `default="L1Cache_State_I"`, stall
    /// handlers, and in code for C++ the variable `a` as `m_a` or `m_a_ptr`.
    fn pairs(&mut self, pairs: &'a [Pair]) {
        for pair in pairs {
            let value = &*pair.value.text;
            self.names.insert(value);
            if let Some((_, state)) = value.rsplit_once("State_") {
                self.states.insert(state);
            }
            let words = value.split(|c: char| !c.is_alphanumeric() && c != '_');
            for word in words {
                self.names.insert(word);
                let member = word.strip_prefix("m_");
                self.names.extend(member.map(|name| name.strip_suffix("_ptr").unwrap_or(name)));
            }
        }
    }

    fn block(&mut self, block: &'a Block) {
        visit::block(block, &mut |node| self.node(node));
    }

    fn node(&mut self, node: Node<'a>) {
        match node {
            Node::Statement(statement) => self.statement(statement),
            Node::Expression(expression) => self.expression(expression),
        }
    }

    fn statement(&mut self, statement: &'a Statement) {
        match &statement.kind {
            StatementKind::Enqueue { port, .. }
            | StatementKind::Defer { port, .. }
            | StatementKind::Peek { port, .. }
            | StatementKind::CheckAllocate(port) => {
                self.names.insert(&port.text);
            }
            StatementKind::StallAndWait { port, address }
            | StatementKind::WakeupPort { port, address }
            | StatementKind::CheckOnCacheProbe { port, address } => {
                self.names.insert(&port.text);
                self.names.insert(&address.text);
            }
            StatementKind::Return(value) => self.trigger(value),
            _ => {}
        }
    }

    fn trigger(&mut self, event: &'a Expression) {
        if let ExpressionKind::Enumerator { family, value } = &event.kind
            && &*family.text == "Event"
        {
            self.triggered.entry(&value.text).or_insert(event.span);
        }
    }

    fn expression(&mut self, expression: &'a Expression) {
        match &expression.kind {
            ExpressionKind::Name(name) => {
                self.names.insert(&name.text);
            }
            ExpressionKind::Call { function, arguments } => {
                self.names.insert(&function.text);
                if &*function.text == "trigger" {
                    arguments.first().into_iter().for_each(|one| self.trigger(one));
                }
            }
            ExpressionKind::StaticCall { function, .. } => {
                self.names.insert(&function.text);
            }
            ExpressionKind::Binary { operator: Binary::Equal | Binary::NotEqual, left, right } => {
                self.compared.insert(left.span);
                self.compared.insert(right.span);
            }
            ExpressionKind::Enumerator { family, value } => match &*family.text {
                "Event" => {
                    self.events.insert(&value.text);
                }
                "State" if !self.compared.contains(&expression.span) => {
                    self.states.insert(&value.text);
                }
                _ => {}
            },
            _ => {}
        }
    }
}

/// The events that the body of an in_port names, if it dequeues a message itself.
fn taken(body: &Block) -> Vec<&str> {
    let mut events: Vec<&str> = Vec::new();
    let mut dequeues = false;
    visit::block(body, &mut |node| {
        let Node::Expression(one) = node else { return };
        match &one.kind {
            ExpressionKind::Method { method, .. } => dequeues |= &*method.text == "dequeue",
            ExpressionKind::Enumerator { family, value } if &*family.text == "Event" => {
                events.push(&value.text);
            }
            _ => {}
        }
    });
    if dequeues { events } else { Vec::new() }
}
