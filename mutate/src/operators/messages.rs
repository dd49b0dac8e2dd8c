//! Makes mutants in which a message has another type, another receiver or an unset field, or is not sent at all.

use slicc::ast::{Expression, ExpressionKind, Name, Statement, StatementKind};
use slicc::compile::types::TypeKind;
use slicc::visit::{self, Node};

use super::data::is_dirty;
use crate::collector::Collector;
use crate::edit::Edit;
use crate::fields::Written;
use crate::scene::Scene;
use crate::walk::MessageScope;

pub(super) fn kinds(scene: &Scene, mutants: &mut Collector) {
    let types = &scene.protocol.program.types;
    for body in scene.bodies() {
        let sent = scene.written(&body).into_iter().filter(|one| {
            let family = &types[one.field.of];
            let is_word = matches!(family.kind, TypeKind::Enumeration { .. });
            one.field.is_sent && is_word && &*family.name != "MessageSizeType"
        });
        for (number, one) in sent.enumerate() {
            let family = scene.name_of(one.field.of);
            let now = match &one.value.kind {
                ExpressionKind::Enumerator { value, .. } => Some(&*value.text),
                _ => None,
            };
            let values = scene.usage.values(family, one.field.of);
            for other in values.into_iter().filter(|other| Some(*other) != now) {
                let edit = Edit::replace(one.value.span, format!("{family}:{other}"));
                let right = now.unwrap_or(scene.text(one.value.span));
                let (action, field) = (body.name, one.field.name);
                let about = format!("{action} sends {other} instead of {right} ({field}).");
                mutants.place(&body.place, number, other, &about, vec![edit]);
            }
        }
    }
}

/// A statement that sets a receiver of a message, and the ways to change it.
struct Destination<'a> {
    statement: &'a Statement,
    /// For each change, its name in ids, and the edit.
    others: Vec<(String, Edit)>,
}

pub(super) fn destinations(scene: &Scene, mutants: &mut Collector) {
    for body in scene.bodies() {
        let statements = body.statements.iter();
        let destinations =
            statements.filter_map(|&(statement, around)| destination(scene, statement, around));
        for (number, one) in destinations.enumerate() {
            let action = body.name;
            for (other, edit) in one.others {
                let about = format!("{action} sends its message to {other}.");
                mutants.place(&body.place, number, &other, &about, vec![edit]);
            }
            let edit = Edit::remove(body.text, one.statement.span);
            let about = format!("{action} leaves out a receiver of its message.");
            mutants.place(&body.place, number, "none", &about, vec![edit]);
        }
    }
}

fn destination<'a>(
    scene: &Scene,
    statement: &'a Statement,
    around: MessageScope<'a>,
) -> Option<Destination<'a>> {
    let known = &scene.protocol.program.types.known;
    let is_set = |whole: &Expression| {
        let field = scene.field(whole, around);
        field.is_some_and(|field| field.is_sent && field.of == known.destinations)
    };
    let others = match &statement.kind {
        StatementKind::Assign { target, value } if is_set(target) => {
            replacements(scene, value, scene.fields(around, known.destinations))
        }
        StatementKind::Expression(expression) => {
            let ExpressionKind::Method { object, method, arguments } = &expression.kind else {
                return None;
            };
            if !is_set(object) || &*method.text == "remove" {
                return None;
            }
            match (&*method.text, &arguments[..]) {
                ("add", [receiver]) => {
                    let mut others = vec!["machineID".to_owned()];
                    others.extend(scene.fields(around, known.machine));
                    let mut others = replacements(scene, receiver, others);
                    others.extend(other_machines(scene, receiver));
                    others
                }
                ("addNetDest", [set]) => {
                    replacements(scene, set, scene.fields(around, known.destinations))
                }
                _ => Vec::new(),
            }
        }
        _ => return None,
    };
    Some(Destination { statement, others })
}

/// The edits that replace an expression by others.
fn replacements(scene: &Scene, now: &Expression, others: Vec<String>) -> Vec<(String, Edit)> {
    let text = scene.text(now.span);
    let others = others.into_iter().filter(|other| other != text);
    let edit = |other: String| {
        let edit = Edit::replace(now.span, other.clone());
        (other, edit)
    };
    others.map(edit).collect()
}

/// The edits that replace the machine type, if the expression maps an address to a machine of some type.
fn other_machines(scene: &Scene, receiver: &Expression) -> Vec<(String, Edit)> {
    let mut now: Option<&Name> = None;
    visit::expression(receiver, &mut |node| {
        if let Node::Expression(inner) = node
            && let ExpressionKind::Enumerator { family, value } = &inner.kind
            && &*family.text == "MachineType"
        {
            now = Some(value);
        }
    });
    let Some(now) = now else { return Vec::new() };
    let machines = scene.protocol.outline.machines.iter();
    machines
        .filter(|machine| machine.name != *now.text)
        .map(|machine| {
            let name = machine.name.clone();
            (name, Edit::replace(now.span, &*machine.name))
        })
        .collect()
}

pub(super) fn not_sent(scene: &Scene, mutants: &mut Collector) {
    for body in scene.bodies() {
        let statements = body.statements.iter();
        let sends = statements.filter_map(|(statement, _)| match &statement.kind {
            StatementKind::Enqueue { port, .. } | StatementKind::Defer { port, .. } => {
                Some((statement, port))
            }
            _ => None,
        });
        for (number, (statement, port)) in sends.enumerate() {
            let (action, port) = (body.name, &*port.text);
            let edit = Edit::remove(body.text, statement.span);
            let about = format!("{action} sends nothing through {port}.");
            mutants.place(&body.place, number, port, &about, vec![edit]);
        }
    }
}

pub(super) fn unset(scene: &Scene, mutants: &mut Collector) {
    for body in scene.bodies() {
        let written = scene.written(&body);
        let plain = written.iter().filter(|one| is_plain(scene, one));
        for (number, one) in plain.enumerate() {
            let (action, field) = (body.name, one.field.name);
            let edit = Edit::remove(body.text, one.statement.span);
            let about = format!("{action} sends its message without {field}.");
            mutants.place(&body.place, number, field, &about, vec![edit]);
        }
    }
}

/// Whether no other operator covers a field, and its value may matter.
fn is_plain(scene: &Scene, one: &Written) -> bool {
    let types = &scene.protocol.program.types;
    let known = &types.known;
    let elsewhere = [known.destinations, known.block, known.addr].contains(&one.field.of)
        || matches!(types[one.field.of].kind, TypeKind::Enumeration { .. })
        || is_dirty(scene, &one.field)
        || scene.usage.is_counter(one.field.name);
    let is_default =
        matches!(one.value.kind, ExpressionKind::Number(0) | ExpressionKind::Bool(false));
    one.field.is_sent && !elsewhere && !is_default
}
