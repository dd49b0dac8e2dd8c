//! Other statements of actions: conditions, checks, and what no other operator is about.

use super::data::is_dirty;
use crate::ast::{Expression, ExpressionKind, Statement, StatementKind};
use crate::mutant::edit::Edit;
use crate::mutant::made::Found;
use crate::mutant::scene::{Body, Scene};
use crate::mutant::walk::{self, Around};

fn conditions<'a>(body: &Body<'a>) -> Vec<&'a Expression> {
    let statements = body.statements.iter();
    let condition = |(statement, _): &(&'a Statement, Around<'a>)| match &statement.kind {
        StatementKind::If { condition, .. } => Some(condition),
        _ => None,
    };
    statements.filter_map(condition).collect()
}

pub(super) fn negated(scene: &Scene, found: &mut Found) {
    for body in scene.bodies() {
        for (number, condition) in conditions(&body).into_iter().enumerate() {
            let text = scene.text(condition.span);
            let (action, one_line) = (body.name, one_line(text));
            let about = format!("{action} takes the wrong way where it asks for {one_line}.");
            let edit = Edit::replace(condition.span, format!("!({text})"));
            found.place(&body.place, number, "", &about, vec![edit]);
        }
    }
}

pub(super) fn ignored(scene: &Scene, found: &mut Found) {
    for body in scene.bodies() {
        for (number, condition) in conditions(&body).into_iter().enumerate() {
            let (action, one_line) = (body.name, one_line(scene.text(condition.span)));
            let about = format!("{action} does not ask for {one_line}, as if that always held.");
            let edit = Edit::replace(condition.span, "true");
            found.place(&body.place, number, "", &about, vec![edit]);
        }
    }
}

/// A text without line breaks.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An action with one statement can be dropped as a whole, row by row.
pub(super) fn dropped(scene: &Scene, found: &mut Found) {
    for body in scene.bodies() {
        let outside = body.statements.iter().filter(|(_, around)| around.sent.is_none());
        let leaves: Vec<_> = outside.filter(|(one, _)| walk::is_leaf(one)).collect();
        if leaves.len() < 2 {
            continue;
        }
        let own = leaves.into_iter().filter_map(|&(statement, around)| {
            let name = name(scene, statement, around)?;
            Some((statement, name))
        });
        for (number, (statement, name)) in own.enumerate() {
            let action = body.name;
            let edit = Edit::remove(body.text, statement.span);
            let about = format!("{action} leaves out {}", scene.text(statement.span));
            let about = format!("{}.", one_line(about.trim_end_matches(';')));
            found.place(&body.place, number, name, &about, vec![edit]);
        }
    }
}

/// What ids call a statement, if no other operator is about it and nothing else needs it.
fn name<'a>(scene: &Scene, statement: &'a Statement, around: Around<'a>) -> Option<&'a str> {
    let block = scene.protocol.program.types.known.block;
    match &statement.kind {
        StatementKind::Assign { target, .. } => {
            let field = scene.field(target, around)?;
            let is_elsewhere = field.of == block || is_dirty(scene, &field);
            (!is_elsewhere).then_some(field.name)
        }
        StatementKind::Expression(expression) => match &expression.kind {
            ExpressionKind::Call { function, .. } => Some(&function.text),
            ExpressionKind::Method { object, method, .. } => {
                let is_told = &*method.text == "evictionCallback";
                let field = scene.field(object, around);
                let is_stored = field.is_some_and(|field| field.of == block);
                (!is_told && !is_stored).then_some(&method.text)
            }
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn no_allocation_check(scene: &Scene, found: &mut Found) {
    for body in scene.bodies() {
        let statements = body.statements.iter();
        let checks = statements.filter_map(|(statement, _)| match &statement.kind {
            StatementKind::CheckAllocate(table) => Some((statement, &*table.text)),
            _ => None,
        });
        for (number, (statement, table)) in checks.enumerate() {
            let action = body.name;
            let edit = Edit::remove(body.text, statement.span);
            let about = format!("{action} does not ask whether {table} has room.");
            found.place(&body.place, number, table, &about, vec![edit]);
        }
    }
}
