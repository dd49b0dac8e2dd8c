//! Adds the declarations of older libraries that a protocol uses.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Context, Older, machines};
use crate::ast::{Block, Declaration, ExpressionKind, Machine, Name, Structure};
use crate::source::Span;
use crate::visit::{self, Node};

const LIBRARY: Older = Older { until: (2020, 5), what: "functions that the library had" };
const TYPES: Older = Older { until: (2020, 6), what: "types and fields that the library had" };

/// Adds the declarations of `older`, which come from [`super::OLDER`], that a protocol uses. `is_gone` says of a structure
/// whether the protocol's own gem5 no longer had it.
pub(super) fn add(
    declarations: &mut Vec<Declaration>,
    older: Vec<Declaration>,
    is_gone: &dyn Fn(&str) -> bool,
    context: &mut Context,
) {
    let (mut used, mut own) = (Used::of(&older), FxHashSet::default());
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
            Declaration::Structure(fields) if is_declared(declarations, &fields.name) => {
                add_fields(declarations, fields, &mut used);
            }
            other => {
                let Some(span) = use_of(&other, &used, &own) else { continue };
                match &other {
                    Declaration::Structure(one) if is_gone(&one.name.text) => continue,
                    Declaration::Structure(_) => context.found(TYPES, span),
                    _ => context.found(LIBRARY, span),
                }
                added.push(other);
            }
        }
    }
    // Behind the prelude, which they use, and before the protocol, which uses them. Fields that are added to the prelude
    // have enumerations as types, which therefore stand before it.
    let (values, others): (Vec<_>, Vec<_>) =
        added.into_iter().partition(|one| matches!(one, Declaration::Enumeration(_)));
    let end = declarations.iter().position(|one| one.span().file > 0);
    let end = end.unwrap_or(declarations.len());
    declarations.splice(end..end, others);
    declarations.splice(0..0, values);
}

/// Whether the library of today declares a structure of this name.
fn is_declared(declarations: &[Declaration], name: &Name) -> bool {
    let mut library = declarations.iter().take_while(|one| one.span().file == 0);
    library.any(|one| matches!(one, Declaration::Structure(one) if one.name.text == name.text))
}

/// Adds fields to a structure of the library if the protocol uses the type of one of them.
fn add_fields(declarations: &mut [Declaration], fields: Structure, used: &mut Used) {
    if !fields.fields.iter().any(|field| used.places.contains_key(&field.kind.text)) {
        return;
    }
    fields.fields.iter().for_each(|field| used.note(&field.kind));
    let mut library = declarations.iter_mut().take_while(|one| one.span().file == 0);
    let own = library.find_map(|one| match one {
        Declaration::Structure(one) if one.name.text == fields.name.text => Some(one),
        _ => None,
    });
    own.into_iter().for_each(|own| own.fields.extend(fields.fields.iter().cloned()));
}

/// The name of a function with the number of its arguments, since names are overloaded.
fn key(function: &Name, arguments: usize) -> Box<str> {
    format!("{}/{arguments}", function.text).into()
}

/// The types and functions that a protocol uses, each with a place. Only those are noted that have the name of an older
/// declaration. Functions are noted by their [`key`].
#[derive(Default)]
struct Used {
    matters: FxHashSet<Box<str>>,
    places: FxHashMap<Box<str>, Span>,
}

impl Used {
    /// Creates an empty collection, which notes only names that are declared in `older`.
    fn of(older: &[Declaration]) -> Used {
        let mut used = Used::default();
        used.add_names(older);
        used
    }

    fn add_names(&mut self, older: &[Declaration]) {
        for declaration in older {
            match declaration {
                Declaration::Function(function) => {
                    self.matters.insert(function.name.text.clone());
                }
                Declaration::Enumeration(enumeration) => {
                    self.matters.insert(enumeration.name.text.clone());
                }
                Declaration::Structure(structure) => {
                    self.matters.insert(structure.name.text.clone());
                }
                Declaration::Machine(piece) => self.add_names(&piece.body),
                _ => {}
            }
        }
    }

    /// Notes that a type is used.
    fn note(&mut self, name: &Name) {
        if self.matters.contains(&name.text) {
            self.places.entry(name.text.clone()).or_insert(name.span);
        }
    }

    /// Notes that a function is called.
    fn note_call(&mut self, function: &Name, arguments: usize) {
        if self.matters.contains(&function.text) {
            self.places.entry(key(function, arguments)).or_insert(function.span);
        }
    }
}

/// The place where the name of a declaration is used, unless the protocol declares it itself.
fn use_of(declaration: &Declaration, used: &Used, own: &FxHashSet<Box<str>>) -> Option<Span> {
    let name = match declaration {
        Declaration::Function(function) => key(&function.name, function.parameters.len()),
        Declaration::Enumeration(enumeration) => enumeration.name.text.clone(),
        Declaration::Structure(structure) => structure.name.text.clone(),
        _ => return None,
    };
    used.places.get(&name).copied().filter(|_| !own.contains(&name))
}

/// Adds the parameters and declarations of `piece`, an older machine, to a machine that uses one of them.
fn add_piece(machine: &mut Machine, piece: &Machine, context: &mut Context) {
    let (mut used, mut own) = (Used::of(&piece.body), FxHashSet::default());
    machine.body.iter().for_each(|one| names(one, &mut used, &mut own));
    let Some(span) = piece.body.iter().find_map(|one| use_of(one, &used, &own)) else { return };
    context.found(LIBRARY, span);
    machine.parameters.extend(piece.parameters.iter().cloned());
    machine.body.extend(piece.body.iter().cloned());
}

/// Collects the names of functions and types that a declaration uses, and those of the functions
/// with a body and of the types that it declares.
fn names(declaration: &Declaration, used: &mut Used, own: &mut FxHashSet<Box<str>>) {
    // The prelude uses no older declarations.
    if declaration.span().file == 0 {
        return;
    }
    match declaration {
        Declaration::Machine(machine) => {
            machine.parameters.iter().for_each(|one| used.note(&one.kind));
            machine.body.iter().for_each(|one| names(one, used, own));
        }
        Declaration::Object(object) => used.note(&object.kind),
        Declaration::Action(action) => in_block(&action.body, used),
        Declaration::InPort(port) => in_block(&port.body, used),
        Declaration::Function(function) => {
            function.parameters.iter().for_each(|one| used.note(&one.kind));
            used.note(&function.result);
            if let Some(body) = &function.body {
                own.insert(key(&function.name, function.parameters.len()));
                in_block(body, used);
            }
        }
        Declaration::Structure(structure) => {
            own.insert(structure.name.text.clone());
            structure.fields.iter().for_each(|field| used.note(&field.kind));
        }
        Declaration::Enumeration(enumeration) => {
            own.insert(enumeration.name.text.clone());
        }
        _ => {}
    }
}

fn in_block(block: &Block, used: &mut Used) {
    visit::block(block, &mut |node| {
        let Node::Expression(expression) = node else { return };
        match &expression.kind {
            ExpressionKind::Call { function, arguments } => {
                used.note_call(function, arguments.len());
            }
            ExpressionKind::Enumerator { family: name, .. }
            | ExpressionKind::Local { kind: name, .. } => used.note(name),
            _ => {}
        }
    });
}
