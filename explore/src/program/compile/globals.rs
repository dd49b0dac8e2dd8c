//! The declarations of a program outside of threads.

use std::collections::BTreeMap;

use slicc::source::{Diagnostic, Span};

use super::Compiler;
use super::expression::constant;
use crate::program::language::{Function, Name, Shared, Tree};

/// Largest number of locations, since exploration uses clocks for each.
const MOST_LOCATIONS: i64 = 4096;

/// The meaning of a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Global {
    /// A shared variable: the first location, and the length of an array.
    Shared(u32, Option<u32>),
    /// A number.
    Constant(i64),
    /// A function, by index.
    Function(usize),
}

/// The names that are declared outside of threads.
pub(super) struct Globals<'a> {
    names: BTreeMap<String, (Global, Span)>,
    pub functions: &'a [Function],
    pub locations: Vec<String>,
    pub initial: Vec<i64>,
}

impl<'a> Globals<'a> {
    /// Collects the declarations of a program. Constants may use earlier constants, and shared
    /// variables may use all.
    pub(super) fn of(tree: &'a Tree, compiler: &mut Compiler) -> Globals<'a> {
        let mut globals = Globals {
            names: BTreeMap::new(),
            functions: &tree.functions,
            locations: Vec::new(),
            initial: Vec::new(),
        };
        for one in &tree.constants {
            let value = constant(&one.value, &globals, compiler);
            globals.declare(&one.name, Global::Constant(value), compiler);
        }
        for shared in &tree.shared {
            globals.share(shared, compiler);
        }
        for (number, function) in tree.functions.iter().enumerate() {
            globals.declare(&function.name, Global::Function(number), compiler);
        }
        globals
    }

    /// The meaning of a name, and the place of its declaration.
    pub(super) fn get(&self, name: &str) -> Option<(Global, Span)> {
        self.names.get(name).copied()
    }

    fn declare(&mut self, name: &Name, global: Global, compiler: &mut Compiler) {
        if let Some((_, first)) = self.get(&name.text) {
            let message = format!("`{}` is declared twice", name.text);
            compiler.error(Diagnostic::error(name.span, message).note(first, "the first time"));
        }
        self.names.insert(name.text.clone(), (global, name.span));
    }

    fn share(&mut self, shared: &Shared, compiler: &mut Compiler) {
        let mut length_of = |length| constant(length, self, compiler);
        let length = shared.length.as_ref().map(&mut length_of);
        let initial = shared.initial.as_ref().map_or(0, length_of);
        let left = MOST_LOCATIONS - self.locations.len() as i64;
        let count = length.unwrap_or(1);
        if !(1..=left).contains(&count) {
            let message = match count {
                ..1 => format!("an array of {count} locations"),
                _ => format!("there are more than {MOST_LOCATIONS} shared locations"),
            };
            let span = shared.length.as_ref().map_or(shared.name.span, |it| it.span);
            compiler.error(Diagnostic::error(span, message));
            return;
        }
        let base = self.locations.len() as u32;
        let name = &shared.name.text;
        match length {
            None => self.locations.push(name.clone()),
            Some(length) => {
                let elements = (0..length).map(|at| format!("{name}[{at}]"));
                self.locations.extend(elements);
            }
        }
        self.initial.resize(self.locations.len(), initial);
        let global = Global::Shared(base, length.map(|length| length as u32));
        self.declare(&shared.name, global, compiler);
    }
}
