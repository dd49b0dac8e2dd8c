//! Adds the declarations of older libraries that a protocol uses.

use rustc_hash::FxHashSet;

use super::{Context, Older, machines};
use crate::ast::{Block, Declaration, ExpressionKind, Machine};
use crate::load::span_of;
use crate::visit::{self, Node};

const LIBRARY: Older = Older { until: (2020, 5), what: "functions that the library had" };

/// Adds to a protocol what it uses of `older`, the declarations of [`super::OLDER`].
pub(super) fn add(
    declarations: &mut Vec<Declaration>,
    older: Vec<Declaration>,
    context: &mut Context,
) {
    let mut used = FxHashSet::default();
    let mut own = FxHashSet::default();
    for declaration in declarations.iter() {
        names(declaration, &mut used, &mut own);
    }
    let mut added = Vec::new();
    for declaration in older {
        match declaration {
            Declaration::Machine(piece) => {
                for machine in machines(declarations) {
                    add_piece(machine, &piece, context);
                }
            }
            other if is_used(&other, &used) && !is_used(&other, &own) => {
                context.found(LIBRARY, span_of(&other));
                added.push(other);
            }
            _ => {}
        }
    }
    // Behind the prelude, which they use, and before the protocol, which uses them.
    let end = declarations.iter().position(|one| span_of(one).file > 0);
    let end = end.unwrap_or(declarations.len());
    declarations.splice(end..end, added);
}

/// Whether the name that a declaration declares is among some names.
fn is_used(declaration: &Declaration, names: &FxHashSet<Box<str>>) -> bool {
    match declaration {
        Declaration::Function(function) => names.contains(&function.name.text),
        Declaration::Enumeration(enumeration) => names.contains(&enumeration.name.text),
        _ => false,
    }
}

/// Adds a piece to a machine that calls one of its functions.
fn add_piece(machine: &mut Machine, piece: &Machine, context: &mut Context) {
    let mut used = FxHashSet::default();
    let mut own = FxHashSet::default();
    machine.body.iter().for_each(|one| names(one, &mut used, &mut own));
    if !piece.body.iter().any(|one| is_used(one, &used) && !is_used(one, &own)) {
        return;
    }
    context.found(LIBRARY, machine.name.span);
    machine.parameters.extend(piece.parameters.iter().cloned());
    machine.body.extend(piece.body.iter().cloned());
}

/// Collects the names of functions and types that a declaration uses, and those of the functions
/// with a body and of the types that it declares.
fn names(
    declaration: &Declaration,
    used: &mut FxHashSet<Box<str>>,
    own: &mut FxHashSet<Box<str>>,
) {
    match declaration {
        Declaration::Machine(machine) => {
            machine.body.iter().for_each(|one| names(one, used, own));
        }
        Declaration::Action(action) => in_block(&action.body, used),
        Declaration::InPort(port) => in_block(&port.body, used),
        Declaration::Function(function) => {
            let parameters = function.parameters.iter().map(|one| one.kind.text.clone());
            used.extend(parameters.chain([function.result.text.clone()]));
            if let Some(body) = &function.body {
                own.insert(function.name.text.clone());
                in_block(body, used);
            }
        }
        Declaration::Structure(structure) => {
            used.extend(structure.fields.iter().map(|field| field.kind.text.clone()));
        }
        Declaration::Enumeration(enumeration) => {
            own.insert(enumeration.name.text.clone());
        }
        _ => {}
    }
}

fn in_block(block: &Block, used: &mut FxHashSet<Box<str>>) {
    visit::block(block, &mut |node| {
        let Node::Expression(expression) = node else { return };
        match &expression.kind {
            ExpressionKind::Call { function, .. } => used.insert(function.text.clone()),
            ExpressionKind::Enumerator { family, .. } => used.insert(family.text.clone()),
            ExpressionKind::Local { kind, .. } => used.insert(kind.text.clone()),
            _ => false,
        };
    });
}
