//! Patterns: descriptions of actions by the calls that they make.

use std::fmt;

use slicc::ast::{Action, Expression, ExpressionKind, Statement, StatementKind};
use slicc::visit::{self, Node};

use super::error::ClauseError;
use super::syntax::MachineSyntax;
use crate::walk;

/// The effect of a statement: mostly, a call that it makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// `name` or `object.name`: a function or method; `name*` stands for any with this prefix.
    Call { object: Option<String>, name: String },
    /// `send(BUFFER)` or `send(BUFFER, TYPE)`: sends a message, with this `Type` if given.
    Send { buffer: String, kind: Option<String> },
    /// `take(BUFFER)`: dequeues the message at the head.
    Take(String),
    /// `park(BUFFER)`: sets the message at the head aside, or recycles it.
    Park(String),
    /// `write(object.field)`: assigns to a field.
    Write { object: String, field: String },
}

impl Pattern {
    /// Parses a pattern.
    ///
    /// # Errors
    /// Fails if the text is not a pattern.
    pub(crate) fn parse(text: &str) -> Result<Pattern, ClauseError> {
        let text = text.trim();
        let wrong = || ClauseError::unknown("a pattern", text);
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

    /// Parses a pattern and returns the text after it.
    ///
    /// # Errors
    /// Fails if the text does not begin with a pattern.
    pub(crate) fn parse_first(text: &str) -> Result<(Pattern, &str), ClauseError> {
        let space = text.find(' ').unwrap_or(text.len());
        let end = match text.find('(').filter(|open| *open < space) {
            Some(_) => text.find(')').map_or(text.len(), |close| close + 1),
            None => space,
        };
        let (first, rest) = text.split_at(end);
        Ok((Pattern::parse(first)?, rest.trim_start()))
    }

    /// Whether a statement matches, by itself rather than through statements inside it.
    pub(crate) fn is_in(&self, syntax: &MachineSyntax<'_>, statement: &Statement) -> bool {
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
                                && kind.as_deref()
                                    == Some(&*without_spaces(syntax.text(value.span)))
                        }
                        _ => false,
                    };
                    syntax.written_buffer(&port.text) == Some(buffer)
                        && (kind.is_none() || body.statements.iter().any(is_kind))
                }
                _ => false,
            },
            Pattern::Take(buffer) => has(statement, |one| {
                let is_memory = buffer == "responseFromMemory";
                (is_memory && is_call(one, None, "dequeueMemRespQueue"))
                    || is_about_port(one, "dequeue", syntax, buffer)
            }),
            Pattern::Park(buffer) => match &statement.kind {
                StatementKind::StallAndWait { port, .. } => {
                    syntax.read_buffer(&port.text) == Some(buffer)
                }
                _ => has(statement, |one| is_about_port(one, "recycle", syntax, buffer)),
            },
            Pattern::Write { object, field: of } => match &statement.kind {
                StatementKind::Assign { target, .. } => {
                    field(target) == Some((object.as_str(), of.as_str()))
                }
                _ => false,
            },
        }
    }

    /// The statements of an action that match.
    pub(crate) fn found_in<'a>(
        &self,
        syntax: &MachineSyntax<'a>,
        action: &'a Action,
    ) -> Vec<&'a Statement> {
        let statements = walk::statements(&action.body).into_iter();
        statements
            .map(|(statement, _)| statement)
            .filter(|statement| self.is_in(syntax, statement))
            .collect()
    }

    /// Whether a pattern describes all effects of an action: a statement matches, and the others have no effect
    /// outside of the action or accompany it.
    pub(crate) fn is_all_of(&self, syntax: &MachineSyntax<'_>, action: &Action) -> bool {
        let found: Vec<&Statement> = walk::statements(&action.body)
            .into_iter()
            .map(|(statement, _)| statement)
            .filter(|statement| self.is_in(syntax, statement))
            .collect();
        let inside = |one: &Statement| {
            found.iter().any(|it| it.span.start <= one.span.start && one.span.end <= it.span.end)
        };
        let all = walk::statements(&action.body).into_iter();
        !found.is_empty()
            && all
                .filter(|(one, _)| walk::is_leaf(one) && !inside(one))
                .all(|(one, _)| self.is_accompanying(one))
    }

    /// Whether a statement accompanies the effect of the pattern: locals, statistics, and the bookkeeping that comes
    /// with allocating or deallocating a TBE or an entry.
    fn is_accompanying(&self, statement: &Statement) -> bool {
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

/// Whether a call has an effect outside of the action.
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

/// Whether a predicate holds for one of the statement's own expressions.
fn has(statement: &Statement, is: impl Fn(&Expression) -> bool) -> bool {
    let mut found = false;
    own_expressions(statement, &mut |node| found |= is(node));
    found
}

/// Calls `see` for the expressions of a statement, but not for those of statements inside it.
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
                // An element of a directory's list of entries: the last field counts.
                (Some(object), ExpressionKind::Field { field, .. }) => &*field.text == object,
                _ => false,
            };
            is_object && is_name(&method.text)
        }
        _ => false,
    }
}

fn is_about_port(one: &Expression, name: &str, syntax: &MachineSyntax<'_>, buffer: &str) -> bool {
    match &one.kind {
        ExpressionKind::Method { object, method, .. } => match &object.kind {
            ExpressionKind::Name(port) => {
                &*method.text == name && syntax.read_buffer(&port.text) == Some(buffer)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Returns `(object, field)` of an expression `object.field` whose object is a name.
pub(super) fn field(target: &Expression) -> Option<(&str, &str)> {
    match &target.kind {
        ExpressionKind::Field { object, field } => match &object.kind {
            ExpressionKind::Name(name) => Some((&name.text, &field.text)),
            _ => None,
        },
        _ => None,
    }
}

/// Removes all white space.
pub(super) fn without_spaces(text: &str) -> String {
    text.split_whitespace().collect()
}
