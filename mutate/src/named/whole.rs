//! Changes of machines as a whole.

use slicc::ast::{Declaration, ExpressionKind, StatementKind, States};
use slicc::source::Span;

use super::bodies;
use super::clause::MachineChange;
use super::draft::{Draft, Row, laid_out};
use super::misfit::{Misfit, nowhere};
use super::outcome::{Outcome, changed};
use super::pattern::{Pattern, own_expressions, without_spaces};
use super::syntax::MachineSyntax;
use crate::edit::Edit;
use crate::walk;

/// Changes a machine.
pub(super) fn machine(draft: &mut Draft<'_>, change: &MachineChange) -> Result<Outcome, Misfit> {
    match change {
        MachineChange::NoState(state) => Ok(no_state(draft, state)),
        MachineChange::Buffer { buffer, key, value } => set_buffer(draft, buffer, key, value),
        MachineChange::Without(pattern) => Ok(bodies::without_anywhere(draft, pattern)),
        MachineChange::StallInstead(buffer) => stall_instead(draft, buffer),
        MachineChange::Field { structure, kind, name } => add_field(draft, structure, kind, name),
        MachineChange::Copy { field, sent, to } => copy(draft, field, sent, to),
        MachineChange::ReadMessage { buffer, was, now } => {
            Ok(read_message(draft, buffer, was, now))
        }
        MachineChange::Read { was, now } => Ok(bodies::read_anywhere(draft, was, now)),
        MachineChange::Call { now, was } => Ok(call_instead(draft, now, was)),
        MachineChange::NoCondition(field) => Ok(no_condition(draft, field)),
        MachineChange::ReadInFunctions { was, now } => {
            Ok(bodies::read_in_functions(draft, was, now))
        }
        MachineChange::In(pattern, change) => bodies::change_anywhere(draft, pattern, change),
        MachineChange::StallEmpty => stall_empty(draft),
        MachineChange::AddFunction(code) => add_function(draft, code),
        MachineChange::Value { enumeration, value, about } => {
            add_value(draft, enumeration, value, about)
        }
    }
}

/// Removes a state and its rows.
fn no_state(draft: &mut Draft<'_>, state: &str) -> Outcome {
    let mut is_changed = false;
    for row in &mut draft.rows {
        if row.state == state {
            is_changed |= !row.is_dropped;
            row.is_dropped = true;
        }
    }
    let states = draft.syntax.machine.body.iter();
    let states = states.filter_map(|one| match one {
        Declaration::States(states) => Some(states),
        _ => None,
    });
    let mut edits = Vec::new();
    for States { values, .. } in states {
        let value = values.iter().find(|value| &*value.name.text == state);
        edits.extend(value.map(|value| {
            let text = draft.syntax.file(value.name.span);
            let start = value.name.span;
            let last = value.pairs.last().map_or(value.permission.span, |pair| pair.value.span);
            let rest = &text[last.end as usize..];
            let end = rest.find(';').map_or(last.end, |at| last.end + at as u32 + 1);
            Edit::remove(text, Span { end, ..start })
        }));
    }
    is_changed |= !edits.is_empty();
    draft.edits.extend(edits);
    changed(is_changed, || format!("{} has no state {state}", draft.syntax.name()))
}

/// Sets an attribute of a buffer.
fn set_buffer(
    draft: &mut Draft<'_>,
    buffer: &str,
    key: &str,
    value: &str,
) -> Result<Outcome, Misfit> {
    let machine = draft.syntax.machine;
    let parameter = machine.parameters.iter().find(|one| &*one.name.text == buffer);
    let pair = parameter.and_then(|one| one.pairs.iter().find(|pair| &*pair.key.text == key));
    let Some(pair) = pair else {
        let wanted = format!("the attribute {key} of buffer {buffer} of {}", machine.name.text);
        return Err(nowhere(wanted, Vec::new()));
    };
    if &*pair.value.text == value {
        let what = format!("{key} of {}'s {buffer} is {value}", machine.name.text);
        return Ok(Outcome::Already(what));
    }
    let text = draft.syntax.text(pair.value.span);
    let new = text.replacen(&*pair.value.text, value, 1);
    draft.edits.push(Edit::replace(pair.value.span, new));
    Ok(Outcome::Changed)
}

/// Makes rows that set a message aside leave it at the head of its queue.
fn stall_instead(draft: &mut Draft<'_>, buffer: &str) -> Result<Outcome, Misfit> {
    let pattern = Pattern::Park(buffer.to_owned());
    let rows: Vec<usize> =
        (0..draft.rows.len()).filter(|&row| !draft.places(row, &pattern).is_empty()).collect();
    let outcome =
        changed(!rows.is_empty(), || format!("nothing of {} {pattern}", draft.syntax.name()));
    if !rows.is_empty() {
        let stall = bodies::stall(draft)?;
        for row in rows {
            draft.rows[row].actions = vec![stall.clone()];
        }
    }
    Ok(outcome)
}

/// Makes rows that do nothing, and so meet the same message again at once, stall.
fn stall_empty(draft: &mut Draft<'_>) -> Result<Outcome, Misfit> {
    let is_empty = |draft: &Draft<'_>, row: &Row<'_>| {
        !row.is_dropped
            && !row.actions.is_empty()
            && row.actions.iter().all(|name| {
                let action = draft.syntax.action(name);
                name != "z_stall" && action.is_some_and(|one| one.body.statements.is_empty())
            })
    };
    let rows: Vec<usize> =
        (0..draft.rows.len()).filter(|&row| is_empty(draft, &draft.rows[row])).collect();
    let outcome =
        changed(!rows.is_empty(), || format!("each row of {} does something", draft.syntax.name()));
    if !rows.is_empty() {
        let stall = bodies::stall(draft)?;
        for row in rows {
            draft.rows[row].actions = vec![stall.clone()];
        }
    }
    Ok(outcome)
}

/// Adds a function after those that come before the ports and actions, unless there is one of its
/// name.
fn add_function(draft: &mut Draft<'_>, code: &str) -> Result<Outcome, Misfit> {
    let machine = draft.syntax.machine;
    let head = code.split('(').next().unwrap_or_default();
    let name = head.split_whitespace().next_back().unwrap_or_default();
    let is_it = |one: &Declaration| match one {
        Declaration::Function(one) => &*one.name.text == name,
        _ => false,
    };
    if machine.body.iter().any(is_it) {
        let what = format!("{} has a function {name}", machine.name.text);
        return Ok(Outcome::Already(what));
    }
    let is_user =
        |one: &&Declaration| !matches!(one, Declaration::InPort(_) | Declaration::Action(_));
    let span = |one: &Declaration| match one {
        Declaration::Function(one) => Some(one.span),
        _ => None,
    };
    let Some(last) = machine.body.iter().take_while(is_user).filter_map(span).last() else {
        return Err(nowhere(format!("a function of {}", machine.name.text), Vec::new()));
    };
    let text = draft.syntax.file(last);
    let depth = crate::row::indent(text, last).len() / 2;
    let lines = laid_out(&draft.with_ports(code)?, depth);
    let blank = if code.ends_with(';') { "" } else { "\n" };
    let lines = format!("{blank}\n{}", lines.trim_end());
    draft.edits.push(Edit::insert(last.file, last.end, lines));
    Ok(Outcome::Changed)
}

/// Adds a value to an enumeration of the machine, or to one of the protocol's.
fn add_value(
    draft: &mut Draft<'_>,
    enumeration: &str,
    value: &str,
    about: &str,
) -> Result<Outcome, Misfit> {
    let MachineSyntax { loaded, machine } = draft.syntax;
    let found = machine.body.iter().chain(&loaded.declarations).find_map(|one| match one {
        Declaration::Enumeration(one) if &*one.name.text == enumeration => Some(one),
        _ => None,
    });
    let Some((last, all)) = found.and_then(|one| Some((one.values.last()?, &one.values))) else {
        let wanted = format!("the enumeration {enumeration} of {}", machine.name.text);
        return Err(nowhere(wanted, Vec::new()));
    };
    if enumeration == "Event" {
        draft.new_events.push(value.to_owned());
    }
    if all.iter().any(|(name, _)| &*name.text == value) {
        return Ok(Outcome::Already(format!("{enumeration} has the value {value}")));
    }
    let (name, pairs) = last;
    let text = draft.syntax.file(name.span);
    let end = pairs.last().map_or(name.span, |pair| pair.value.span).end;
    let end = text[end as usize..].find(';').map_or(end, |at| end + at as u32 + 1);
    let line = format!("{value}, desc=\"{about}\";");
    draft.edits.push(crate::row::follow(text, Span { end, ..name.span }, &[line]));
    Ok(Outcome::Changed)
}

/// Adds a field to a structure.
fn add_field(
    draft: &mut Draft<'_>,
    structure: &str,
    kind: &str,
    name: &str,
) -> Result<Outcome, Misfit> {
    let machine = draft.syntax.machine;
    let found = machine.body.iter().find_map(|one| match one {
        Declaration::Structure(one) if &*one.name.text == structure => Some(one),
        _ => None,
    });
    let Some(last) = found.and_then(|one| one.fields.last()) else {
        let wanted = format!("the structure {structure} of {}", machine.name.text);
        return Err(nowhere(wanted, Vec::new()));
    };
    let fields = found.map(|one| &one.fields);
    let only_name = name.split(',').next().unwrap_or(name);
    if fields.is_some_and(|all| all.iter().any(|one| &*one.name.text == only_name)) {
        let what = format!("{structure} of {} has a field {only_name}", machine.name.text);
        return Ok(Outcome::Already(what));
    }
    let text = draft.syntax.file(last.span);
    let line = format!("{kind} {name};");
    let edit = crate::row::follow(text, last.span, &[line]);
    draft.edits.push(edit);
    Ok(Outcome::Changed)
}

/// Makes actions that send a message copy one of its fields to another place as well.
fn copy(draft: &mut Draft<'_>, field: &str, sent: &Pattern, to: &str) -> Result<Outcome, Misfit> {
    let syntax = draft.syntax;
    let mut edits = Vec::new();
    for action in syntax.actions() {
        for message in sent.found_in(&syntax, action) {
            let StatementKind::Enqueue { body, .. } = &message.kind else {
                continue;
            };
            let values = body.statements.iter().filter_map(|one| match &one.kind {
                StatementKind::Assign { target, value }
                    if super::pattern::field(target) == Some(("out_msg", field)) =>
                {
                    Some((one, value))
                }
                _ => None,
            });
            for (one, value) in values {
                let value = syntax.text(value.span);
                let line = format!("{to} := {value};");
                let text = syntax.file(one.span);
                edits.push(crate::row::follow(text, one.span, &[line]));
            }
        }
    }
    if edits.is_empty() {
        let wanted = format!("an action of {} that {sent} with {field}", syntax.name());
        return Err(nowhere(wanted, Vec::new()));
    }
    draft.edits.extend(edits);
    Ok(Outcome::Changed)
}

/// Replaces reads of one expression by another where actions peek messages of a buffer.
fn read_message(draft: &mut Draft<'_>, buffer: &str, was: &str, now: &str) -> Outcome {
    let syntax = draft.syntax;
    let mut edits = Vec::new();
    for action in syntax.actions() {
        for (statement, _) in walk::statements(&action.body) {
            let StatementKind::Peek { port, body, .. } = &statement.kind else {
                continue;
            };
            if syntax.read_buffer(&port.text) == Some(buffer) {
                edits.extend(bodies::read_edits(syntax, body, was, now));
            }
        }
    }
    let outcome = changed(!edits.is_empty(), || {
        format!("no action of {} reads {was} of {buffer}", syntax.name())
    });
    draft.edits.extend(edits);
    outcome
}

/// Calls another function with the same arguments wherever an action calls one as a statement.
fn call_instead(draft: &mut Draft<'_>, now: &str, was: &str) -> Outcome {
    let syntax = draft.syntax;
    let mut edits = Vec::new();
    for action in syntax.actions() {
        for (statement, _) in walk::statements(&action.body) {
            if let StatementKind::Expression(one) = &statement.kind
                && let ExpressionKind::Call { function, .. } = &one.kind
                && &*function.text == was
            {
                edits.push(Edit::replace(function.span, now));
            }
        }
    }
    let outcome =
        changed(!edits.is_empty(), || format!("no action of {} calls {was}", syntax.name()));
    draft.edits.extend(edits);
    outcome
}

/// Removes the conditions on a field from all functions.
fn no_condition(draft: &mut Draft<'_>, field: &str) -> Outcome {
    let syntax = draft.syntax;
    let mut edits = Vec::new();
    for body in syntax.functions() {
        for (statement, _) in walk::statements(body) {
            let StatementKind::If { .. } = &statement.kind else {
                continue;
            };
            let mut reads = false;
            own_expressions(statement, &mut |one| {
                reads |= matches!(&one.kind, ExpressionKind::Field { field: of, .. }
                    if without_spaces(&of.text) == field);
            });
            if reads {
                edits.push(Edit::remove(syntax.file(statement.span), statement.span));
            }
        }
    }
    let outcome =
        changed(!edits.is_empty(), || format!("no function of {} asks for {field}", syntax.name()));
    draft.edits.extend(edits);
    outcome
}
