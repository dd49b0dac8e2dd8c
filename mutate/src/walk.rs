//! Statements with the messages that are in scope.

use slicc::ast::{Block, ExpressionKind, Name, Statement, StatementKind};

/// The messages in scope of a statement.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MessageScope<'a> {
    /// The type of `in_msg`, inside a `peek`.
    pub peeked: Option<&'a Name>,
    /// The type of `out_msg`, inside an `enqueue`.
    pub sent: Option<&'a Name>,
}

/// The statements of a block and of its inner blocks, each before its parts, in textual order.
pub(crate) fn statements(block: &Block) -> Vec<(&Statement, MessageScope<'_>)> {
    let mut found = Vec::new();
    gather(block, MessageScope::default(), &mut found);
    found
}

fn gather<'a>(
    block: &'a Block,
    around: MessageScope<'a>,
    found: &mut Vec<(&'a Statement, MessageScope<'a>)>,
) {
    for statement in &block.statements {
        found.push((statement, around));
        match &statement.kind {
            StatementKind::If { then, otherwise, .. } => {
                gather(then, around, found);
                otherwise.iter().for_each(|inner| gather(inner, around, found));
            }
            StatementKind::Enqueue { message, body, .. }
            | StatementKind::Defer { message, body, .. } => {
                let sent = Some(message);
                gather(body, MessageScope { sent, ..around }, found);
            }
            StatementKind::Peek { message, body, .. } => {
                let peeked = Some(message);
                gather(body, MessageScope { peeked, ..around }, found);
            }
            _ => {}
        }
    }
}

/// The method that a statement calls, if it is nothing but the call.
pub(crate) fn method(statement: &Statement) -> Option<&str> {
    match &statement.kind {
        StatementKind::Expression(expression) => match &expression.kind {
            ExpressionKind::Method { method, .. } => Some(&method.text),
            _ => None,
        },
        _ => None,
    }
}

/// The function that a statement calls, if it is nothing but the call.
pub(crate) fn function(statement: &Statement) -> Option<&str> {
    match &statement.kind {
        StatementKind::Expression(expression) => match &expression.kind {
            ExpressionKind::Call { function, .. } => Some(&function.text),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a statement only prints, comments or checks: debug output, an assertion or `error`.
pub(crate) fn is_output_or_check(statement: &Statement) -> bool {
    let known = ["DPRINTF", "DPRINTFN", "APPEND_TRANSITION_COMMENT", "assert", "error"];
    function(statement).is_some_and(|name| known.contains(&name))
}

/// Whether a statement has an effect of its own, rather than through statements inside it.
pub(crate) fn is_leaf(statement: &Statement) -> bool {
    let is_frame = matches!(statement.kind, StatementKind::If { .. } | StatementKind::Peek { .. });
    !is_frame && !is_output_or_check(statement)
}
