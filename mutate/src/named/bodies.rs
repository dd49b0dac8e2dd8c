//! Changes of the bodies of actions.

use std::collections::BTreeMap;

use slicc::ast::{Action, Block, Expression, ExpressionKind, Statement, StatementKind};
use slicc::source::Span;
use slicc::visit::{self, Node};

use super::clause::BodyChange;
use super::draft::Draft;
use super::misfit::{Misfit, nowhere};
use super::outcome::{Outcome, changed};
use super::pattern::{Pattern, field, own_expressions, without_spaces};
use super::syntax::MachineSyntax;
use crate::edit::{Edit, apply};
use crate::walk;

/// Groups the rows by the one action of each that matches the pattern; rows without such an action
/// are left out.
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
    format!("{} {}", draft.syntax.name(), all.join(", "))
}

/// Removes the statements that match the pattern from the rows' actions. Actions without other effects are removed
/// from the rows; others lose only the statements.
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
        let syntax = draft.syntax;
        if pattern.is_all_of(&syntax, action) {
            for row in rows {
                draft.rows[row].actions.retain(|one| *one != name);
            }
            continue;
        }
        let edits = removed(syntax, pattern.found_in(&syntax, action));
        draft.edit_body(&name, &rows, edits);
    }
    Ok(outcome)
}

fn removed(syntax: MachineSyntax<'_>, statements: Vec<&Statement>) -> Vec<Edit> {
    let edit = |one: &Statement| Edit::remove(syntax.file(one.span), one.span);
    statements.into_iter().map(edit).collect()
}

/// Removes the statements that match the pattern from all actions of a machine.
pub(super) fn without_anywhere(draft: &mut Draft<'_>, pattern: &Pattern) -> Outcome {
    let syntax = draft.syntax;
    let found = syntax.actions().flat_map(|action| pattern.found_in(&syntax, action));
    let edits = removed(syntax, found.collect());
    let outcome =
        changed(!edits.is_empty(), || format!("no action of {} {pattern}", syntax.name()));
    draft.edits.extend(edits);
    outcome
}

/// Changes, in each row, the one statement that matches the pattern.
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
        let syntax = draft.syntax;
        let statement = match pattern.found_in(&syntax, action)[..] {
            [statement] => statement,
            ref several => {
                let place = |one: &&Statement| format!("{name} ({})", syntax.place(one.span));
                return Err(Misfit::Several {
                    wanted: format!("a statement of action {name} that {pattern}"),
                    candidates: several.iter().map(place).collect(),
                });
            }
        };
        let edits = statement_edits(syntax, action, statement, change)?;
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
            BodyChange::Last(code) => format!("{code} comes last"),
            BodyChange::SetBy { field, .. } => format!("{field} is set so"),
            BodyChange::Always => "no condition is asked for".to_owned(),
        };
        format!("in {}, where an action {pattern}, {what}", names(draft, rows))
    }))
}

fn statement_edits(
    syntax: MachineSyntax<'_>,
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
            let indent = crate::row::indent(syntax.file(statement.span), statement.span);
            let Span { file, start, .. } = statement.span;
            Ok(vec![Edit::insert(file, start, format!("{code}\n{indent}"))])
        }
        BodyChange::Set(fields) => {
            let body = body()?;
            let mut edits = Vec::new();
            for (field, value) in fields {
                edits.extend(set_field(syntax, body, field, value)?);
            }
            Ok(edits)
        }
        BodyChange::Last(code) => Ok(append(syntax, body()?, code).into_iter().collect()),
        BodyChange::SetBy { field, code } => Ok(set_by(syntax, body()?, field, code)),
        BodyChange::Unset(field) => Ok(removed(syntax, about_field(body()?, field))),
        BodyChange::To(receiver) => to(syntax, body()?, receiver),
        BodyChange::Always => Ok(always(syntax, action, statement)),
    }
}

/// Adds statements at the end of a message, unless it has them.
fn append(syntax: MachineSyntax<'_>, body: &Block, code: &str) -> Option<Edit> {
    if without_spaces(syntax.text(body.span)).contains(&without_spaces(code)) {
        return None;
    }
    let text = syntax.file(body.span);
    Some(match body.statements.last() {
        Some(last) => crate::row::follow(text, last.span, &[code.to_owned()]),
        None => Edit::insert(body.span.file, body.span.end - 1, format!(" {code} ")),
    })
}

/// Makes the body of a message set a field by this code, and by nothing else.
fn set_by(syntax: MachineSyntax<'_>, body: &Block, field: &str, code: &str) -> Vec<Edit> {
    let statements = about_field(body, field);
    // The code may set the field on a condition, so that it is more than the statements about the field.
    if without_spaces(syntax.text(body.span)).contains(&without_spaces(code)) {
        return Vec::new();
    }
    match statements.split_first() {
        Some((first, others)) => {
            let indent = crate::row::indent(syntax.file(first.span), first.span);
            let lines = code.replace("; ", &format!(";\n{indent}"));
            let mut edits = removed(syntax, others.to_vec());
            edits.push(Edit::replace(first.span, lines));
            edits
        }
        None => append(syntax, body, code).into_iter().collect(),
    }
}

/// Changes the statements of all actions of a machine that match the pattern.
pub(super) fn change_anywhere(
    draft: &mut Draft<'_>,
    pattern: &Pattern,
    change: &BodyChange,
) -> Result<Outcome, Misfit> {
    let syntax = draft.syntax;
    let mut edits = Vec::new();
    let mut is_found = false;
    for action in syntax.actions() {
        for statement in pattern.found_in(&syntax, action) {
            is_found = true;
            edits.extend(statement_edits(syntax, action, statement, change)?);
        }
    }
    if !is_found {
        let wanted = format!("an action of {} that {pattern}", syntax.name());
        return Err(nowhere(wanted, Vec::new()));
    }
    let outcome = changed(!edits.is_empty(), || {
        format!("the actions of {} in which something {pattern} are so", syntax.name())
    });
    draft.edits.extend(edits);
    Ok(outcome)
}

/// The statements in the body of a message that write a field of it, wholly or in part.
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

/// Makes the body of a message assign this value to a field, and nothing else.
fn set_field(
    syntax: MachineSyntax<'_>,
    body: &Block,
    field: &str,
    value: &str,
) -> Result<Vec<Edit>, Misfit> {
    let statements = about_field(body, field);
    let Some((first, others)) = statements.split_first() else {
        let wanted = format!("an assignment of out_msg.{field}");
        return Err(nowhere(wanted, vec![syntax.place(body.span)]));
    };
    let now = match &first.kind {
        StatementKind::Assign { value, .. } => value.span,
        _ => {
            let wanted = format!("an assignment of out_msg.{field}");
            return Err(nowhere(wanted, vec![syntax.place(first.span)]));
        }
    };
    let mut edits = removed(syntax, others.to_vec());
    if without_spaces(syntax.text(now)) != without_spaces(value) {
        edits.push(Edit::replace(now, value));
    }
    Ok(edits)
}

/// Changes the receiver of a message.
fn to(syntax: MachineSyntax<'_>, body: &Block, receiver: &str) -> Result<Vec<Edit>, Misfit> {
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
        [span] if without_spaces(syntax.text(span)) == without_spaces(receiver) => Ok(Vec::new()),
        [span] => Ok(vec![Edit::replace(span, receiver)]),
        _ => Err(Misfit::Several {
            wanted: "out_msg.Destination.add".to_owned(),
            candidates: added.iter().map(|&span| syntax.place(span)).collect(),
        }),
    }
}

/// Moves a statement out of the condition around it, and removes its assertions about sets of
/// receivers.
fn always(syntax: MachineSyntax<'_>, action: &Action, statement: &Statement) -> Vec<Edit> {
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
    let text = syntax.file(whole.span);
    if matches!(statement.kind, StatementKind::Assign { .. }) {
        let indent = crate::row::indent(text, whole.span);
        let Span { file, start, .. } = whole.span;
        let line = format!("{}\n{indent}", syntax.text(statement.span));
        return vec![Edit::insert(file, start, line), Edit::remove(text, statement.span)];
    }
    let mut edits = Vec::new();
    visit::statement(statement, &mut |node| {
        if let Node::Statement(one) = node
            && walk::function(one) == Some("assert")
            && syntax.text(one.span).contains(".count()")
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
    let depth = |span: Span| crate::row::indent(text, span).len();
    let deeper = depth(first.span).saturating_sub(depth(whole.span));
    vec![Edit::replace(whole.span, dedent(&inner, deeper))]
}

/// Removes up to `spaces` leading spaces of each line but the first.
fn dedent(text: &str, spaces: usize) -> String {
    let lines = text.split('\n').enumerate().map(|(at, line)| {
        let leading = line.len() - line.trim_start_matches(' ').len();
        let gone = if at == 0 { 0 } else { spaces.min(leading) };
        &line[gone..]
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Replaces reads of one expression by another in the conditions and values of the rows' actions.
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
        let edits = read_edits(draft.syntax, &action.body, was, now);
        if !edits.is_empty() {
            is_changed = true;
            draft.edit_body(&name, &rows, edits);
        }
    }
    Ok(changed(is_changed, || format!("in {}, nothing depends on {was}", names(draft, rows))))
}

/// Replaces reads of one expression by another in the conditions and values of all actions.
pub(super) fn read_anywhere(draft: &mut Draft<'_>, was: &str, now: &str) -> Outcome {
    let syntax = draft.syntax;
    let edits = syntax.actions().flat_map(|action| read_edits(syntax, &action.body, was, now));
    let edits: Vec<Edit> = edits.collect();
    let outcome =
        changed(!edits.is_empty(), || format!("no action of {} depends on {was}", syntax.name()));
    draft.edits.extend(edits);
    outcome
}

/// Replaces reads of one expression by another in the conditions and values of all functions.
pub(super) fn read_in_functions(draft: &mut Draft<'_>, was: &str, now: &str) -> Outcome {
    let syntax = draft.syntax;
    let edits = syntax.functions().flat_map(|body| read_edits(syntax, body, was, now));
    let edits: Vec<Edit> = edits.collect();
    let outcome =
        changed(!edits.is_empty(), || format!("no function of {} reads {was}", syntax.name()));
    draft.edits.extend(edits);
    outcome
}

/// Replaces reads of one expression by another in the conditions, assertions, assigned and returned values of a block.
pub(super) fn read_edits(
    syntax: MachineSyntax<'_>,
    block: &Block,
    was: &str,
    now: &str,
) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (statement, _) in walk::statements(block) {
        let target = match &statement.kind {
            StatementKind::Assign { target, .. } => target.span,
            StatementKind::If { .. } | StatementKind::Return(_) => Span::default(),
            StatementKind::Expression(one) if is_assertion(one) => Span::default(),
            _ => continue,
        };
        own_expressions(statement, &mut |one| {
            let is_target = one.span.start >= target.start && one.span.end <= target.end;
            let reads = without_spaces(syntax.text(one.span)) == without_spaces(was);
            if !is_target && reads && !is_within(syntax, one.span, was, now) {
                edits.push(Edit::replace(one.span, now));
            }
        });
    }
    edits
}

/// Whether what stands around an expression makes it part of the one that is to replace it, so that it has been replaced already.
fn is_within(syntax: MachineSyntax<'_>, span: Span, was: &str, now: &str) -> bool {
    let text = syntax.file(span);
    let (was, now) = (without_spaces(was), without_spaces(now));
    let letters = |text: &str| text.chars().filter(|one| !one.is_whitespace()).collect::<Vec<_>>();
    now.match_indices(&was).any(|(at, _)| {
        let (before, after) = (letters(&now[..at]), letters(&now[at + was.len()..]));
        let ahead = text[..span.start as usize].chars().rev().filter(|one| !one.is_whitespace());
        let behind = text[span.end as usize..].chars().filter(|one| !one.is_whitespace());
        ahead.take(before.len()).eq(before.iter().rev().copied())
            && behind.take(after.len()).eq(after.iter().copied())
    })
}

/// Whether an expression is `assert(...)`.
fn is_assertion(one: &Expression) -> bool {
    matches!(&one.kind, ExpressionKind::Call { function, .. } if &*function.text == "assert")
}

/// The name of an action that only stalls, which is created if necessary.
pub(super) fn stall(draft: &mut Draft<'_>) -> Result<String, Misfit> {
    if draft.syntax.action("z_stall").is_some() {
        return Ok("z_stall".to_owned());
    }
    let action = super::clause::NewAction {
        name: "z_stall".to_owned(),
        about: "stays at the head of its queue".to_owned(),
        code: String::new(),
    };
    draft.new_action(&action)
}

/// The name of an action that sets aside a message of another buffer in the way in which `old` does
/// one of its own. It is created if necessary.
pub(super) fn parking(
    draft: &mut Draft<'_>,
    now: &Pattern,
    was: &Pattern,
    old: &str,
) -> Result<String, Misfit> {
    let syntax = draft.syntax;
    let waits = |action: &Action, pattern: &Pattern| {
        let found = pattern.found_in(&syntax, action);
        let waits = |one: &&Statement| matches!(one.kind, StatementKind::StallAndWait { .. });
        found.iter().any(waits)
    };
    let waited = syntax.action(old).is_some_and(|action| waits(action, was));
    let same = syntax
        .actions()
        .find(|action| now.is_all_of(&syntax, action) && waits(action, now) == waited);
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
