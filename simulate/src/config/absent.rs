//! The machines to which a protocol sends although the system has none of them, such as the caches of a GPU.

use std::collections::{BTreeMap, BTreeSet};

use slicc::ast::{
    Binary, Block, Declaration, Expression, ExpressionKind, Object, StatementKind, Unary,
};
use slicc::protocol::Protocol;
use slicc::source::{Diagnostic, Span};
use slicc::visit::{self, Node};

use super::plan::{Instance, MachinePlan, Plan, Value};

/// Warnings about machines that code adds to the destination of a message, or that a function returns, and of which the plan has no
/// controller. Code that runs only under a condition which flags of the machine exclude does not count.
pub fn absent(protocol: &Protocol, plan: &Plan) -> Vec<Diagnostic> {
    let machines: Vec<_> = protocol.machines().collect();
    let mut found: BTreeMap<&str, Span> = BTreeMap::new();
    let each = plan.machines.iter().flat_map(|planned| {
        let machine = machines.get(planned.declared);
        machine.into_iter().flat_map(|machine| different(planned).map(move |one| (machine, one)))
    });
    for (machine, instance) in each {
        let flags = Flags { parameters: &machine.parameters, values: &instance.values };
        for declaration in &machine.body {
            let body = match declaration {
                Declaration::Action(action) => Some(&action.body),
                Declaration::InPort(port) => Some(&port.body),
                Declaration::Function(function) => function.body.as_ref(),
                _ => None,
            };
            body.into_iter().for_each(|body| flags.receivers(body, &mut found));
        }
    }
    let is_there = |name: &str| {
        plan.machines.iter().any(|one| &*one.name == name && !one.instances.is_empty())
    };
    let absent = found.into_iter().filter(|(name, _)| !is_there(name));
    absent.map(|(name, span)| warning(protocol, name, span)).collect()
}

/// Of the controllers of a machine, one with each combination of numbers and flags.
fn different(planned: &MachinePlan) -> impl Iterator<Item = &Instance> {
    let mut known = BTreeSet::new();
    let number = |value: &Value| match value {
        Value::Number(number) => Some(*number),
        _ => None,
    };
    let is_new =
        move |one: &&Instance| known.insert(one.values.iter().map(number).collect::<Vec<_>>());
    planned.instances.iter().filter(is_new)
}

fn warning(protocol: &Protocol, name: &str, span: Span) -> Diagnostic {
    let message = format!(
        "{} sends to the machine {name}, of which this system has no controller: a run that comes to this place ends with a fault",
        protocol.name()
    );
    Diagnostic::warning(span, message).hint(format!(
        "a flag of the machine may exclude it ({}), or the protocol needs parts, such as a GPU, that are not simulated",
        settings::Setting::Set.to("MACHINE.FLAG=true")
    ))
}

/// The flags of a machine.
struct Flags<'a> {
    parameters: &'a [Object],
    values: &'a [Value],
}

impl Flags<'_> {
    /// Adds the machines that code of a block uses as receivers of messages, each with its first place.
    fn receivers<'b>(&self, block: &'b Block, found: &mut BTreeMap<&'b str, Span>) {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::If { condition, then, otherwise } => {
                    let holds = self.holds(condition);
                    if holds != Some(false) {
                        self.receivers(then, found);
                    }
                    if holds != Some(true) {
                        otherwise.iter().for_each(|block| self.receivers(block, found));
                    }
                }
                StatementKind::Peek { body, .. }
                | StatementKind::Enqueue { body, .. }
                | StatementKind::Defer { body, .. } => self.receivers(body, found),
                StatementKind::Return(value) => chosen(value, found),
                _ => visit::statement(statement, &mut |node| {
                    if let Node::Expression(Expression {
                        kind: ExpressionKind::Method { method, arguments, .. },
                        ..
                    }) = node
                        && &*method.text == "add"
                    {
                        arguments.iter().for_each(|argument| chosen(argument, found));
                    }
                }),
            }
        }
    }

    /// Whether a condition holds in every run, if the flags alone decide it.
    fn holds(&self, condition: &Expression) -> Option<bool> {
        match &condition.kind {
            ExpressionKind::Bool(value) => Some(*value),
            ExpressionKind::Name(name) => {
                let at = self.parameters.iter().position(|one| one.name.text == name.text)?;
                match self.values.get(at)? {
                    Value::Number(value) => Some(*value != 0),
                    _ => None,
                }
            }
            ExpressionKind::Unary { operator: Unary::Not, value } => {
                self.holds(value).map(|holds| !holds)
            }
            ExpressionKind::Binary { operator, left, right } => {
                let (left, right) = (self.holds(left), self.holds(right));
                match operator {
                    Binary::And if left == Some(false) || right == Some(false) => Some(false),
                    Binary::Or if left == Some(true) || right == Some(true) => Some(true),
                    Binary::And => Some(left? && right?),
                    Binary::Or => Some(left? || right?),
                    Binary::Equal => Some(left? == right?),
                    Binary::NotEqual => Some(left? != right?),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Adds the machine that an expression chooses as one controller: `createMachineID(MachineType:X, …)`, `mapAddressToRange(…)` and the like.
fn chosen<'b>(expression: &'b Expression, found: &mut BTreeMap<&'b str, Span>) {
    let ExpressionKind::Call { function, arguments } = &expression.kind else {
        return;
    };
    if !(&*function.text == "createMachineID" || function.text.starts_with("mapAddressTo")) {
        return;
    }
    for argument in arguments {
        if let ExpressionKind::Enumerator { family, value } = &argument.kind
            && &*family.text == "MachineType"
        {
            found.entry(&value.text).or_insert(expression.span);
        }
    }
}
