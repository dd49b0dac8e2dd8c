//! What an action does, as far as the calls that it makes tell.

use std::fmt;

use super::ground::Ground;
use crate::ast::{Action, Expression, ExpressionKind, Statement, StatementKind};
use crate::mutant::walk;
use crate::visit::{self, Node};

/// A call that a statement makes, or what else it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mutant) enum Pattern {
    /// `name` or `object.name`: a function or method; `name*` is any that starts so.
    Call { object: Option<String>, name: String },
    /// `send(BUFFER)` or `send(BUFFER, TYPE)`: a message, with this as its `Type`.
    Send { buffer: String, kind: Option<String> },
    /// `take(BUFFER)`: the message at its head is used up.
    Take(String),
    /// `park(BUFFER)`: the message at its head is set aside or put back.
    Park(String),
    /// `write(object.field)`
    Write { object: String, field: String },
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// What was expected.
    pub fn read(text: &str) -> Result<Pattern, String> {
        let text = text.trim();
        let wrong = || format!("`{text}` is no call");
        if let Some((word, rest)) = text.split_once('(') {
            let inner = rest.strip_suffix(')').ok_or_else(wrong)?;
            return match (word, inner.split_once(", ")) {
                ("send", Some((buffer, kind))) => {
                    Ok(Pattern::Send { buffer: buffer.to_owned(), kind: Some(kind.to_owned()) })
                }
                ("send", None) => Ok(Pattern::Send { buffer: inner.to_owned(), kind: None }),
                ("take", None) => Ok(Pattern::Take(inner.to_owned())),
                ("park", None) => Ok(Pattern::Park(inner.to_owned())),
                ("write", None) => {
                    let (object, field) = inner.split_once('.').ok_or_else(wrong)?;
                    Ok(Pattern::Write { object: object.to_owned(), field: field.to_owned() })
                }
                _ => Err(wrong()),
            };
        }
        if text.is_empty() || text.contains(' ') {
            return Err(wrong());
        }
        let (object, name) = match text.split_once('.') {
            Some((object, name)) => (Some(object.to_owned()), name),
            None => (None, text),
        };
        let name = name.to_owned();
        Ok(Pattern::Call { object, name })
    }

    /// Reads a pattern and returns what follows it.
    ///
    /// # Errors
    /// What was expected.
    pub fn read_first(text: &str) -> Result<(Pattern, &str), String> {
        let space = text.find(' ').unwrap_or(text.len());
        let end = match text.find('(').filter(|open| *open < space) {
            Some(_) => text.find(')').map_or(text.len(), |close| close + 1),
            None => space,
        };
        let (first, rest) = text.split_at(end);
        Ok((Pattern::read(first)?, rest.trim_start()))
    }

    /// Whether a statement does this itself, rather than through statements in it.
    pub fn is_in(&self, ground: &Ground<'_>, statement: &Statement) -> bool {
        match self {
            Pattern::Call { object, name } => match &statement.kind {
                StatementKind::CheckAllocate(_) => name == "check_allocate",
                _ => has(statement, |one| is_call(one, object.as_deref(), name)),
            },
            Pattern::Send { buffer, kind } => match &statement.kind {
                StatementKind::Enqueue { port, body, .. } => {
                    let is_kind = |one: &Statement| match &one.kind {
                        StatementKind::Assign { target, value } => {
                            field(target).is_some_and(|(_, field)| field == "Type")
                                && kind.as_deref() == Some(&*squeezed(ground.text(value.span)))
                        }
                        _ => false,
                    };
                    ground.written_buffer(&port.text) == Some(buffer)
                        && (kind.is_none() || body.statements.iter().any(is_kind))
                }
                _ => false,
            },
            Pattern::Take(buffer) => has(statement, |one| {
                let is_memory = buffer == "responseFromMemory";
                (is_memory && is_call(one, None, "dequeueMemRespQueue"))
                    || is_about_port(one, "dequeue", ground, buffer)
            }),
            Pattern::Park(buffer) => match &statement.kind {
                StatementKind::StallAndWait { port, .. } => {
                    ground.read_buffer(&port.text) == Some(buffer)
                }
                _ => has(statement, |one| is_about_port(one, "recycle", ground, buffer)),
            },
            Pattern::Write { object, field: of } => match &statement.kind {
                StatementKind::Assign { target, .. } => {
                    field(target) == Some((object.as_str(), of.as_str()))
                }
                _ => false,
            },
        }
    }

    /// The statements of an action that do this.
    pub fn found_in<'a>(&self, ground: &Ground<'a>, action: &'a Action) -> Vec<&'a Statement> {
        let statements = walk::statements(&action.body).into_iter();
        statements
            .map(|(statement, _)| statement)
            .filter(|statement| self.is_in(ground, statement))
            .collect()
    }

    /// Whether an action does nothing else that matters to others.
    pub fn is_all_of(&self, ground: &Ground<'_>, action: &Action) -> bool {
        let found: Vec<&Statement> = walk::statements(&action.body)
            .into_iter()
            .map(|(statement, _)| statement)
            .filter(|statement| self.is_in(ground, statement))
            .collect();
        let inside = |one: &Statement| {
            found.iter().any(|it| it.span.start <= one.span.start && one.span.end <= it.span.end)
        };
        let all = walk::statements(&action.body).into_iter();
        !found.is_empty()
            && all
                .filter(|(one, _)| walk::is_leaf(one) && !inside(one))
                .all(|(one, _)| self.is_company(one))
    }

    /// Whether a statement belongs to what the pattern does: locals, statistics, and what comes with giving a TBE or an
    /// entry away.
    fn is_company(&self, statement: &Statement) -> bool {
        let is_space = match self {
            Pattern::Write { .. } => true,
            Pattern::Call { name, .. } => name.contains("allocate") || name.starts_with("unset_"),
            _ => false,
        };
        match &statement.kind {
            StatementKind::Assign { target, .. } => match &target.kind {
                ExpressionKind::Local { .. } => true,
                ExpressionKind::Field { .. } => is_space,
                _ => false,
            },
            StatementKind::Expression(one) => match &one.kind {
                ExpressionKind::Local { .. } => true,
                ExpressionKind::Call { function, .. } => {
                    let name = &*function.text;
                    name == "profileMsgDelay" || (is_space && !is_effect(name))
                }
                ExpressionKind::Method { method, .. } => {
                    method.text.starts_with("profile") || (is_space && !is_effect(&method.text))
                }
                _ => false,
            },
            StatementKind::CheckAllocate(_) => is_space,
            _ => false,
        }
    }
}

/// Whether others notice a call.
fn is_effect(name: &str) -> bool {
    let starts = ["wakeUp", "dequeue", "recycle", "trigger"];
    name.ends_with("Callback") || starts.iter().any(|start| name.starts_with(start))
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pattern::Call { object: None, name } => write!(f, "calls {name}"),
            Pattern::Call { object: Some(object), name } => write!(f, "calls {object}.{name}"),
            Pattern::Send { buffer, kind: None } => write!(f, "sends to {buffer}"),
            Pattern::Send { buffer, kind: Some(kind) } => write!(f, "sends {kind} to {buffer}"),
            Pattern::Take(buffer) => write!(f, "dequeues from {buffer}"),
            Pattern::Park(buffer) => write!(f, "sets aside the message at the head of {buffer}"),
            Pattern::Write { object, field } => write!(f, "writes {object}.{field}"),
        }
    }
}

/// Whether one of the expressions of a statement itself is so.
fn has(statement: &Statement, is: impl Fn(&Expression) -> bool) -> bool {
    let mut found = false;
    own_expressions(statement, &mut |node| found |= is(node));
    found
}

/// Shows the expressions of a statement, but not those of statements in it.
pub(super) fn own_expressions<'a>(statement: &'a Statement, see: &mut dyn FnMut(&'a Expression)) {
    let mut each = |whole: &'a Expression| {
        visit::expression(whole, &mut |node| {
            if let Node::Expression(inner) = node {
                see(inner);
            }
        });
    };
    match &statement.kind {
        StatementKind::Expression(one) | StatementKind::Return(one) => each(one),
        StatementKind::Assign { target, value } => {
            each(target);
            each(value);
        }
        StatementKind::If { condition, .. } => each(condition),
        StatementKind::Enqueue { latency, bypass, .. } => {
            latency.iter().for_each(&mut each);
            bypass.iter().for_each(&mut each);
        }
        _ => {}
    }
}

fn is_call(one: &Expression, object: Option<&str>, name: &str) -> bool {
    let is_name = |called: &str| match name.strip_suffix('*') {
        Some(start) => called.starts_with(start),
        None => called == name,
    };
    match &one.kind {
        ExpressionKind::Call { function, .. } => object.is_none() && is_name(&function.text),
        ExpressionKind::Method { object: of, method, .. } => {
            let is_object = match (object, &of.kind) {
                (None, _) => true,
                (Some(object), ExpressionKind::Name(name)) => &*name.text == object,
                // A list of entries of a directory: the last field tells.
                (Some(object), ExpressionKind::Field { field, .. }) => &*field.text == object,
                _ => false,
            };
            is_object && is_name(&method.text)
        }
        _ => false,
    }
}

fn is_about_port(one: &Expression, name: &str, ground: &Ground<'_>, buffer: &str) -> bool {
    match &one.kind {
        ExpressionKind::Method { object, method, .. } => match &object.kind {
            ExpressionKind::Name(port) => {
                &*method.text == name && ground.read_buffer(&port.text) == Some(buffer)
            }
            _ => false,
        },
        _ => false,
    }
}

/// `object.field`, of an object that is a name.
pub(super) fn field(target: &Expression) -> Option<(&str, &str)> {
    match &target.kind {
        ExpressionKind::Field { object, field } => match &object.kind {
            ExpressionKind::Name(name) => Some((&name.text, &field.text)),
            _ => None,
        },
        _ => None,
    }
}

/// A text without white space.
pub(super) fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}
