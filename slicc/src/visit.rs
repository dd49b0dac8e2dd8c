//! A visitor over the statements and expressions of a protocol's code.

use super::ast::{Block, Expression, ExpressionKind, Statement, StatementKind};

/// A node of the syntax tree inside a body.
#[derive(Clone, Copy, Debug)]
pub enum Node<'a> {
    /// A statement.
    Statement(&'a Statement),
    /// An expression.
    Expression(&'a Expression),
}

/// Calls `see` for every statement and expression of a block, each before its parts, in textual
/// order.
pub fn block<'a>(block: &'a Block, see: &mut dyn FnMut(Node<'a>)) {
    for inner in &block.statements {
        statement(inner, see);
    }
}

/// Calls `see` for a statement and its parts.
pub fn statement<'a>(whole: &'a Statement, see: &mut dyn FnMut(Node<'a>)) {
    see(Node::Statement(whole));
    match &whole.kind {
        StatementKind::Expression(inner) | StatementKind::Return(inner) => expression(inner, see),
        StatementKind::Assign { target, value } => {
            expression(target, see);
            expression(value, see);
        }
        StatementKind::If { condition, then, otherwise } => {
            expression(condition, see);
            block(then, see);
            otherwise.iter().for_each(|inner| block(inner, see));
        }
        StatementKind::Enqueue { latency, bypass, body, .. } => {
            latency.iter().for_each(|inner| expression(inner, see));
            bypass.iter().for_each(|inner| expression(inner, see));
            block(body, see);
        }
        StatementKind::Defer { body, .. } | StatementKind::Peek { body, .. } => block(body, see),
        StatementKind::StallAndWait { .. }
        | StatementKind::WakeupPort { .. }
        | StatementKind::CheckOnCacheProbe { .. }
        | StatementKind::CheckAllocate(_)
        | StatementKind::CheckNextCycle
        | StatementKind::CheckStopSlots => {}
    }
}

/// Calls `see` for an expression and its parts.
pub fn expression<'a>(whole: &'a Expression, see: &mut dyn FnMut(Node<'a>)) {
    see(Node::Expression(whole));
    match &whole.kind {
        ExpressionKind::Call { arguments, .. } | ExpressionKind::StaticCall { arguments, .. } => {
            arguments.iter().for_each(|inner| expression(inner, see));
        }
        ExpressionKind::Field { object, .. } => expression(object, see),
        ExpressionKind::Method { object, arguments, .. }
        | ExpressionKind::Index { object, indices: arguments } => {
            expression(object, see);
            arguments.iter().for_each(|inner| expression(inner, see));
        }
        ExpressionKind::Cast { value, .. }
        | ExpressionKind::Valid { value, .. }
        | ExpressionKind::Unary { value, .. } => expression(value, see),
        ExpressionKind::Binary { left, right, .. } => {
            expression(left, see);
            expression(right, see);
        }
        ExpressionKind::Name(_)
        | ExpressionKind::Number(_)
        | ExpressionKind::Float(_)
        | ExpressionKind::Text(_)
        | ExpressionKind::Bool(_)
        | ExpressionKind::Enumerator { .. }
        | ExpressionKind::Null
        | ExpressionKind::New(_)
        | ExpressionKind::Local { .. } => {}
    }
}
