//! Changes of what actions do.

use std::collections::BTreeMap;

use super::apply::{Outcome, changed};
use super::clause::BodyChange;
use super::draft::Draft;
use super::ground::Ground;
use super::misfit::{Misfit, nowhere};
use super::pattern::{Pattern, field, own_expressions, squeezed};
use crate::ast::{Action, Block, Expression, ExpressionKind, Statement, StatementKind};
use crate::mutant::edit::{Edit, apply};
use crate::mutant::walk;
use crate::source::Span;
use crate::visit::{self, Node};

/// The rows by the action of each that does something; those that have none are left out.
fn by_action(
    draft: &Draft<'_>,
    rows: &[usize],
    pattern: &Pattern,
) -> Result<BTreeMap<String, Vec<usize>>, Misfit> {
    let mut found: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for &row in rows {
        match draft.places(row, pattern)[..] {
            [] => {}
            [place] => {
                let name = draft.rows[row].actions[place].clone();
                found.entry(name).or_default().push(row);
            }
            ref several => return Err(draft.several(row, pattern, several)),
        }
    }
    Ok(found)
}

fn names(draft: &Draft<'_>, rows: &[usize]) -> String {
    let name = |&row: &usize| format!("({}, {})", draft.rows[row].state, draft.rows[row].event);
    let all: Vec<String> = rows.iter().map(name).collect();
    format!("{} {}", draft.ground.name(), all.join(", "))
}

/// No action of the rows does this: one that does nothing else leaves the rows, another one leaves it out.
pub(super) fn without(
    draft: &mut Draft<'_>,
    rows: &[usize],
    pattern: &Pattern,
) -> Result<Outcome, Misfit> {
    let found = by_action(draft, rows, pattern)?;
    let outcome =
        changed(!found.is_empty(), || format!("in {}, nothing {pattern}", names(draft, rows)));
    for (name, rows) in found {
        let Some(action) = draft.action(&name) else {
            continue;
        };
        let ground = draft.ground;
        if pattern.is_all_of(&ground, action) {
            for row in rows {
                draft.rows[row].actions.retain(|one| *one != name);
            }
            continue;
        }
        let edits = removed(ground, pattern.found_in(&ground, action));
        draft.edit_body(&name, &rows, edits);
    }
    Ok(outcome)
}

fn removed(ground: Ground<'_>, statements: Vec<&Statement>) -> Vec<Edit> {
    let edit = |one: &Statement| Edit::remove(ground.file(one.span), one.span);
    statements.into_iter().map(edit).collect()
}

/// All actions of a machine do without.
pub(super) fn without_anywhere(draft: &mut Draft<'_>, pattern: &Pattern) -> Outcome {
    let ground = draft.ground;
    let found = ground.actions().flat_map(|action| pattern.found_in(&ground, action));
    let edits = removed(ground, found.collect());
    let outcome =
        changed(!edits.is_empty(), || format!("no action of {} {pattern}", ground.name()));
    draft.edits.extend(edits);
    outcome
}

/// Changes the statement of each row that does something.
pub(super) fn change(
    draft: &mut Draft<'_>,
    rows: &[usize],
    pattern: &Pattern,
    change: &BodyChange,
) -> Result<Outcome, Misfit> {
    for &row in rows {
        draft.place(row, pattern)?;
    }
    let mut is_changed = false;
    for (name, rows) in by_action(draft, rows, pattern)? {
        let Some(action) = draft.action(&name) else {
            continue;
        };
        let ground = draft.ground;
        let statement = match pattern.found_in(&ground, action)[..] {
            [statement] => statement,
            ref several => {
                let place = |one: &&Statement| format!("{name} ({})", ground.place(one.span));
                return Err(Misfit::Several {
                    wanted: format!("a statement of action {name} that {pattern}"),
                    candidates: several.iter().map(place).collect(),
                });
            }
        };
        let edits = statement_edits(ground, action, statement, change)?;
        if !edits.is_empty() {
            is_changed = true;
            draft.edit_body(&name, &rows, edits);
        }
    }
    Ok(changed(is_changed, || {
        let what = match change {
            BodyChange::Set(fields) => {
                let all: Vec<String> =
                    fields.iter().map(|(field, value)| format!("{field} is {value}")).collect();
                all.join(" and ")
            }
            BodyChange::Unset(field) => format!("{field} is not set"),
            BodyChange::To(receiver) => format!("the receiver is {receiver}"),
            BodyChange::First(code) => format!("{code} comes first"),
            BodyChange::Always => "no condition is asked for".to_owned(),
        };
        format!("in {}, where an action {pattern}, {what}", names(draft, rows))
    }))
}

fn statement_edits(
    ground: Ground<'_>,
    action: &Action,
    statement: &Statement,
    change: &BodyChange,
) -> Result<Vec<Edit>, Misfit> {
    let body = || match &statement.kind {
        StatementKind::Enqueue { body, .. } => Ok(body),
        _ => Err(nowhere("a message there".to_owned(), Vec::new())),
    };
    match change {
        BodyChange::First(code) => {
            let indent = crate::mutant::row::indent(ground.file(statement.span), statement.span);
            let Span { file, start, .. } = statement.span;
            Ok(vec![Edit::insert(file, start, format!("{code}\n{indent}"))])
        }
        BodyChange::Set(fields) => {
            let body = body()?;
            let mut edits = Vec::new();
            for (field, value) in fields {
                edits.extend(set_field(ground, body, field, value)?);
            }
            Ok(edits)
        }
        BodyChange::Unset(field) => Ok(removed(ground, about_field(body()?, field))),
        BodyChange::To(receiver) => to(ground, body()?, receiver),
        BodyChange::Always => Ok(always(ground, action, statement)),
    }
}

/// The statements of a message's body that write a field of it, as a whole or in part.
fn about_field<'a>(body: &'a Block, wanted: &str) -> Vec<&'a Statement> {
    let is_it = |whole: &Expression| field(whole) == Some(("out_msg", wanted));
    let writes = |statement: &&Statement| match &statement.kind {
        StatementKind::Assign { target, .. } => is_it(target),
        StatementKind::Expression(one) => match &one.kind {
            ExpressionKind::Method { object, .. } => is_it(object),
            _ => false,
        },
        _ => false,
    };
    let all = walk::statements(body).into_iter();
    all.map(|(statement, _)| statement).filter(writes).collect()
}

/// A field gets this value, once.
fn set_field(
    ground: Ground<'_>,
    body: &Block,
    field: &str,
    value: &str,
) -> Result<Vec<Edit>, Misfit> {
    let statements = about_field(body, field);
    let Some((first, others)) = statements.split_first() else {
        let wanted = format!("an assignment of out_msg.{field}");
        return Err(nowhere(wanted, vec![ground.place(body.span)]));
    };
    let now = match &first.kind {
        StatementKind::Assign { value, .. } => value.span,
        _ => {
            let wanted = format!("an assignment of out_msg.{field}");
            return Err(nowhere(wanted, vec![ground.place(first.span)]));
        }
    };
    let mut edits = removed(ground, others.to_vec());
    if squeezed(ground.text(now)) != squeezed(value) {
        edits.push(Edit::replace(now, value));
    }
    Ok(edits)
}

/// The message goes to another receiver.
fn to(ground: Ground<'_>, body: &Block, receiver: &str) -> Result<Vec<Edit>, Misfit> {
    let argument = |statement: &Statement| match &statement.kind {
        StatementKind::Expression(one) => match &one.kind {
            ExpressionKind::Method { method, arguments, .. } if &*method.text == "add" => {
                arguments.first().map(|one| one.span)
            }
            _ => None,
        },
        _ => None,
    };
    let all = about_field(body, "Destination");
    let added: Vec<Span> = all.into_iter().filter_map(argument).collect();
    match added[..] {
        [span] if squeezed(ground.text(span)) == squeezed(receiver) => Ok(Vec::new()),
        [span] => Ok(vec![Edit::replace(span, receiver)]),
        _ => Err(Misfit::Several {
            wanted: "out_msg.Destination.add".to_owned(),
            candidates: added.iter().map(|&span| ground.place(span)).collect(),
        }),
    }
}

/// The statement is carried out whatever the condition around it, and does not ask again.
fn always(ground: Ground<'_>, action: &Action, statement: &Statement) -> Vec<Edit> {
    let inside = |block: &Block| {
        let inner = block.statements.iter();
        inner.map(|one| one.span).any(|span| span == statement.span)
    };
    let all = walk::statements(&action.body).into_iter();
    let around = all.map(|(one, _)| one).find_map(|one| match &one.kind {
        StatementKind::If { condition, then, otherwise } if inside(then) => {
            Some((one, condition, then, otherwise))
        }
        _ => None,
    });
    let Some((whole, condition, then, otherwise)) = around else {
        return Vec::new();
    };
    let text = ground.file(whole.span);
    if matches!(statement.kind, StatementKind::Assign { .. }) {
        let indent = crate::mutant::row::indent(text, whole.span);
        let Span { file, start, .. } = whole.span;
        let line = format!("{}\n{indent}", ground.text(statement.span));
        return vec![Edit::insert(file, start, line), Edit::remove(text, statement.span)];
    }
    let mut edits = Vec::new();
    visit::statement(statement, &mut |node| {
        if let Node::Statement(one) = node
            && walk::function(one) == Some("assert")
            && ground.text(one.span).contains(".count()")
        {
            edits.push(Edit::remove(text, one.span));
        }
    });
    if otherwise.is_some() {
        edits.push(Edit::replace(condition.span, "true"));
        return edits;
    }
    let (Some(first), Some(last)) = (then.statements.first(), then.statements.last()) else {
        return Vec::new();
    };
    let inner = apply(text, first.span.start, last.span.end, &edits);
    let depth = |span: Span| crate::mutant::row::indent(text, span).len();
    let deeper = depth(first.span).saturating_sub(depth(whole.span));
    vec![Edit::replace(whole.span, less_deep(&inner, deeper))]
}

/// A text whose lines but the first lose so many spaces in front.
fn less_deep(text: &str, deeper: usize) -> String {
    let lines = text.split('\n').enumerate().map(|(at, line)| {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        let gone = if at == 0 { 0 } else { deeper.min(spaces) };
        &line[gone..]
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// In the conditions and values of the rows' actions, something is read as something else.
pub(super) fn read_rows(
    draft: &mut Draft<'_>,
    rows: &[usize],
    was: &str,
    now: &str,
) -> Result<Outcome, Misfit> {
    let mut users: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for &row in rows {
        for name in &draft.rows[row].actions {
            let rows = users.entry(name.clone()).or_default();
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
    }
    let mut is_changed = false;
    for (name, rows) in users {
        let Some(action) = draft.action(&name) else {
            continue;
        };
        let edits = read_edits(draft.ground, &action.body, was, now);
        if !edits.is_empty() {
            is_changed = true;
            draft.edit_body(&name, &rows, edits);
        }
    }
    Ok(changed(is_changed, || format!("in {}, nothing depends on {was}", names(draft, rows))))
}

/// In the conditions and values of all actions, something is read as something else.
pub(super) fn read_anywhere(draft: &mut Draft<'_>, was: &str, now: &str) -> Outcome {
    let ground = draft.ground;
    let edits = ground.actions().flat_map(|action| read_edits(ground, &action.body, was, now));
    let edits: Vec<Edit> = edits.collect();
    let outcome =
        changed(!edits.is_empty(), || format!("no action of {} depends on {was}", ground.name()));
    draft.edits.extend(edits);
    outcome
}

/// Where conditions and assigned values of a block read something.
pub(super) fn read_edits(ground: Ground<'_>, block: &Block, was: &str, now: &str) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (statement, _) in walk::statements(block) {
        let target = match &statement.kind {
            StatementKind::Assign { target, .. } => target.span,
            StatementKind::If { .. } => Span::default(),
            _ => continue,
        };
        own_expressions(statement, &mut |one| {
            let is_target = one.span.start >= target.start && one.span.end <= target.end;
            if !is_target && squeezed(ground.text(one.span)) == squeezed(was) {
                edits.push(Edit::replace(one.span, now));
            }
        });
    }
    edits
}

/// An action that holds a message without doing anything else.
pub(super) fn stall(draft: &mut Draft<'_>) -> Result<String, Misfit> {
    if draft.ground.action("z_stall").is_some() {
        return Ok("z_stall".to_owned());
    }
    let action = super::clause::NewAction {
        name: "z_stall".to_owned(),
        about: "stays at the head of its queue".to_owned(),
        code: String::new(),
    };
    draft.new_action(&action)
}

/// An action that sets a message of another buffer aside as `old` does one of its own.
pub(super) fn parking(
    draft: &mut Draft<'_>,
    now: &Pattern,
    was: &Pattern,
    old: &str,
) -> Result<String, Misfit> {
    let ground = draft.ground;
    let waits = |action: &Action, pattern: &Pattern| {
        let found = pattern.found_in(&ground, action);
        let waits = |one: &&Statement| matches!(one.kind, StatementKind::StallAndWait { .. });
        found.iter().any(waits)
    };
    let waited = ground.action(old).is_some_and(|action| waits(action, was));
    let same = ground
        .actions()
        .find(|action| now.is_all_of(&ground, action) && waits(action, now) == waited);
    if let Some(same) = same {
        return Ok(same.name.text.to_string());
    }
    let Pattern::Park(buffer) = now else {
        return Ok(old.to_owned());
    };
    let code = if waited {
        format!("stall_and_wait($in({buffer}), address);")
    } else {
        format!("$in({buffer}).recycle(clockEdge(), cyclesToTicks(recycle_latency));")
    };
    draft.new_action(&super::clause::NewAction {
        name: "set_aside_other".to_owned(),
        about: format!("sets aside the message at the head of {buffer}"),
        code,
    })
}
