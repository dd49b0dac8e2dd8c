//! Makes mutants in which a block is not stored or comes from elsewhere, or a dirty flag is wrong.

use slicc::ast::{Expression, ExpressionKind, Statement, StatementKind};

use crate::collector::Collector;
use crate::edit::Edit;
use crate::fields::{Field, Written};
use crate::scene::Scene;
use crate::walk::MessageScope;

pub(super) fn not_written(scene: &Scene, mutants: &mut Collector) {
    for body in scene.bodies() {
        let statements = body.statements.iter();
        let stores = statements.filter_map(|&(statement, around)| {
            let field = stored(scene, statement, around)?;
            Some((statement, field.name))
        });
        for (number, (statement, field)) in stores.enumerate() {
            let action = body.name;
            let edit = Edit::remove(body.text, statement.span);
            let about = format!("{action} does not write {field}.");
            mutants.place(&body.place, number, field, &about, vec![edit]);
        }
    }
}

/// The field in which a statement stores a block, or a part of one. A block in a message is not
/// stored.
fn stored<'a>(
    scene: &Scene,
    statement: &'a Statement,
    around: MessageScope<'_>,
) -> Option<Field<'a>> {
    let is_block = |field: &Field| field.of == scene.protocol.program.types.known.block;
    match &statement.kind {
        StatementKind::Assign { target, .. } => {
            scene.field(target, around).filter(|field| is_block(field) && !field.is_sent)
        }
        StatementKind::Expression(Expression {
            kind: ExpressionKind::Method { object, .. },
            ..
        }) => scene.field(object, around).filter(is_block),
        _ => None,
    }
}

pub(super) fn payloads(scene: &Scene, mutants: &mut Collector) {
    let block = scene.protocol.program.types.known.block;
    for body in scene.bodies() {
        let written = scene.written(&body);
        let carried = |one: &&Written| one.field.is_sent && one.field.of == block;
        for (number, one) in written.iter().filter(carried).enumerate() {
            let action = body.name;
            let right = scene.text(one.value.span);
            let others = scene.fields(one.around, block);
            for other in others.iter().filter(|other| *other != right) {
                let edit = Edit::replace(one.value.span, other);
                let about = format!("{action} sends {other} instead of {right}.");
                mutants.place(&body.place, number, other, &about, vec![edit]);
            }
            let edit = Edit::remove(body.text, one.statement.span);
            let about = format!("{action} sends a blank block instead of {right}.");
            mutants.place(&body.place, number, "none", &about, vec![edit]);
        }
    }
}

/// Whether a field is a flag that says that a block was written.
pub(super) fn is_dirty(scene: &Scene, field: &Field) -> bool {
    let is_flag = field.of == scene.protocol.program.types.known.bool;
    is_flag && field.name.to_ascii_lowercase().contains("dirty")
}

pub(super) fn dirty(scene: &Scene, mutants: &mut Collector) {
    for body in scene.bodies() {
        let written = scene.written(&body);
        let marks = written.iter().filter(|one| is_dirty(scene, &one.field));
        for (number, one) in marks.enumerate() {
            let (action, field) = (body.name, one.field.name);
            for flag in [false, true] {
                if !matches!(one.value.kind, ExpressionKind::Bool(now) if now == flag) {
                    let flag = flag.to_string();
                    let about = format!("{action} makes {field} {flag}.");
                    let edit = Edit::replace(one.value.span, &*flag);
                    mutants.place(&body.place, number, &flag, &about, vec![edit]);
                }
            }
            let edit = Edit::remove(body.text, one.statement.span);
            let about = format!("{action} leaves {field} as it is.");
            mutants.place(&body.place, number, "unset", &about, vec![edit]);
        }
    }
}
