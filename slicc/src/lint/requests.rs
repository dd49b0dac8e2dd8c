//! Finds the events that are requests of the core.

use crate::ast::{
    Block, Declaration, Expression, ExpressionKind, Function, Machine, Statement, StatementKind,
};
use crate::outline::MachineOutline;
use crate::source::Span;
use crate::visit::{self, Node};

/// The evidence that an event is a request of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Evidence {
    /// The place that shows that the event is a request.
    pub span: Span,
    /// Whether the event depends on the type of the request alone.
    pub is_sure: bool,
}

/// Returns the events that are requests of the core, by index, each with its evidence.
pub(super) fn requests(tables: &MachineOutline, machine: &Machine) -> Vec<(u16, Evidence)> {
    let mut found = Found { tables, requests: Vec::new() };
    for declaration in &machine.body {
        if let Declaration::InPort(port) = declaration
            && &*port.buffer.text == "mandatoryQueue"
        {
            visit::block(&port.body, &mut |node| found.translated(node, machine));
            found.compared(&port.body);
        }
    }
    found.requests
}

/// The state of the search.
struct Found<'a> {
    tables: &'a MachineOutline,
    requests: Vec<(u16, Evidence)>,
}

impl Found<'_> {
    fn add(&mut self, event: &Expression, is_sure: bool) {
        let ExpressionKind::Enumerator { family, value } = &event.kind else {
            return;
        };
        let Some(index) = self.tables.event(&value.text) else {
            return;
        };
        let is_new = self.requests.iter().all(|(one, _)| *one != index);
        if &*family.text == "Event" && is_new {
            let span = event.span;
            self.requests.push((index, Evidence { span, is_sure }));
        }
    }

    /// Adds the events that `f` may return in `trigger(f(type), ...)`, where `type` is the type of the request.
    fn translated(&mut self, node: Node<'_>, machine: &Machine) {
        let Node::Expression(expression) = node else {
            return;
        };
        if let Some(Expression { kind: ExpressionKind::Call { function, .. }, .. }) =
            triggered(expression)
        {
            for declaration in &machine.body {
                match declaration {
                    Declaration::Function(one) if one.name.text == function.text => {
                        self.returned(one);
                    }
                    _ => {}
                }
            }
        }
    }

    fn returned(&mut self, function: &Function) {
        let [parameter] = &*function.parameters else {
            return;
        };
        let Some(body) = &function.body else {
            return;
        };
        if &*parameter.kind.text == "RubyRequestType" {
            visit::block(body, &mut |node| {
                if let Node::Statement(Statement { kind: StatementKind::Return(value), .. }) = node
                {
                    self.add(value, true);
                }
            });
        }
    }

    /// Adds the events of triggers directly inside an `if` about the type of the request.
    fn compared(&mut self, block: &Block) {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::If { condition, then, otherwise } => {
                    if names_request_type(condition) {
                        self.guarded(then);
                    }
                    self.compared(then);
                    otherwise.iter().for_each(|block| self.compared(block));
                }
                StatementKind::Peek { body, .. } => self.compared(body),
                _ => {}
            }
        }
    }

    fn guarded(&mut self, block: &Block) {
        for statement in &block.statements {
            if let StatementKind::Expression(expression) = &statement.kind
                && let Some(event) = triggered(expression)
            {
                self.add(event, false);
            }
        }
    }
}

/// Returns `event` of `trigger(event, ...)`.
fn triggered(expression: &Expression) -> Option<&Expression> {
    match &expression.kind {
        ExpressionKind::Call { function, arguments } if &*function.text == "trigger" => {
            arguments.first()
        }
        _ => None,
    }
}

fn names_request_type(condition: &Expression) -> bool {
    let mut names = false;
    visit::expression(condition, &mut |node| {
        if let Node::Expression(Expression {
            kind: ExpressionKind::Enumerator { family, .. },
            ..
        }) = node
        {
            names |= &*family.text == "RubyRequestType";
        }
    });
    names
}
