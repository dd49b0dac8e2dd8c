//! Makes mutants of statements that no other operator covers: conditions, checks and the rest.

use slicc::ast::{Expression, ExpressionKind, Statement, StatementKind};

use super::data::is_dirty;
use crate::collector::Collector;
use crate::edit::Edit;
use crate::scene::{Body, Scene};
use crate::walk::{self, MessageScope};

fn conditions<'a>(body: &Body<'a>) -> Vec<&'a Expression> {
    let statements = body.statements.iter();
    let condition = |(statement, _): &(&'a Statement, MessageScope<'a>)| match &statement.kind {
        StatementKind::If { condition, .. } => Some(condition),
        _ => None,
    };
    statements.filter_map(condition).collect()
}

pub(super) fn negated(scene: &Scene, mutants: &mut Collector) {
    for body in scene.bodies() {
        for (number, condition) in conditions(&body).into_iter().enumerate() {
            let text = scene.text(condition.span);
            let (action, one_line) = (body.name, one_line(text));
            let about = format!("{action} inverts the condition {one_line}.");
            let edit = Edit::replace(condition.span, format!("!({text})"));
            mutants.place(&body.place, number, "", &about, vec![edit]);
        }
    }
}

pub(super) fn ignored(scene: &Scene, mutants: &mut Collector) {
    for body in scene.bodies() {
        for (number, condition) in conditions(&body).into_iter().enumerate() {
            let (action, one_line) = (body.name, one_line(scene.text(condition.span)));
            let about = format!("{action} takes the condition {one_line} as always true.");
            let edit = Edit::replace(condition.span, "true");
            mutants.place(&body.place, number, "", &about, vec![edit]);
        }
    }
}

/// Joins a text to one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Actions with one statement are skipped: `drop-action` drops them.
pub(super) fn dropped(scene: &Scene, mutants: &mut Collector) {
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
            mutants.place(&body.place, number, name, &about, vec![edit]);
        }
    }
}

/// The name of a statement in ids, if no other operator covers it and nothing else depends on it.
fn name<'a>(scene: &Scene, statement: &'a Statement, around: MessageScope<'a>) -> Option<&'a str> {
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

pub(super) fn no_allocation_check(scene: &Scene, mutants: &mut Collector) {
    for body in scene.bodies() {
        let statements = body.statements.iter();
        let checks = statements.filter_map(|(statement, _)| match &statement.kind {
            StatementKind::CheckAllocate(table) => Some((statement, &*table.text)),
            _ => None,
        });
        for (number, (statement, table)) in checks.enumerate() {
            let action = body.name;
            let edit = Edit::remove(body.text, statement.span);
            let about = format!("{action} does not check whether {table} has room.");
            mutants.place(&body.place, number, table, &about, vec![edit]);
        }
    }
}
