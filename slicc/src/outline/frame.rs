//! Checks which declarations stand where, and that names are declared once.

use rustc_hash::FxHashMap;

use super::diagnostics::Diagnostics;
use crate::ast::{Declaration, Function, Machine, Name, Object, Structure};
use crate::source::{Diagnostic, Span};

/// Checks the declarations outside of machines.
pub(super) fn check_file(declarations: &[Declaration], diagnostics: &mut Diagnostics) {
    for declaration in declarations {
        let what = match declaration {
            Declaration::Action(_) => "an action",
            Declaration::InPort(_) | Declaration::OutPort(_) => "a port",
            Declaration::Transition(_) => "a transition",
            _ => continue,
        };
        let message = format!("{what} outside of a machine");
        let hint = "look for a superfluous `}` before it";
        diagnostics.report(Diagnostic::error(declaration.span(), message).hint(hint));
    }
    check(&[], declarations, diagnostics);
}

/// Checks the declarations in a machine.
pub(super) fn check_machine(machine: &Machine, diagnostics: &mut Diagnostics) {
    for declaration in &machine.body {
        let what = match declaration {
            Declaration::Machine(_) => "a machine",
            Declaration::Protocol(_) => "a protocol line",
            _ => continue,
        };
        let message = format!("{what} within the machine {}", machine.name.text);
        diagnostics.report(Diagnostic::error(declaration.span(), message));
    }
    check(&machine.parameters, &machine.body, diagnostics);
}

/// The names of one kind in one scope.
#[derive(Default)]
struct Names<'a>(FxHashMap<&'a str, Span>);

impl<'a> Names<'a> {
    fn declare(&mut self, what: &str, name: &'a Name, diagnostics: &mut Diagnostics) {
        if let Some(&before) = self.0.get(&*name.text) {
            again(what, name, before, diagnostics);
        } else {
            self.0.insert(&name.text, name.span);
        }
    }
}

fn again(what: &str, name: &Name, before: Span, diagnostics: &mut Diagnostics) {
    let message = format!("{what} `{}` is declared a second time", name.text);
    let diagnostic = Diagnostic::error(name.span, message).note(before, "the first is here");
    diagnostics.report(diagnostic);
}

fn check(parameters: &[Object], declarations: &[Declaration], diagnostics: &mut Diagnostics) {
    // Types, variables and ports share their names; actions and functions do not.
    let mut names = Names::default();
    let mut actions = Names::default();
    let mut functions = Functions::default();
    for parameter in parameters {
        names.declare("the parameter", &parameter.name, diagnostics);
    }
    for declaration in declarations {
        match declaration {
            Declaration::InPort(port) => names.declare("the port", &port.name, diagnostics),
            Declaration::OutPort(port) => names.declare("the port", &port.name, diagnostics),
            Declaration::Object(one) => names.declare("the variable", &one.name, diagnostics),
            Declaration::ExternalType(one) => names.declare("the type", &one.name, diagnostics),
            Declaration::Structure(one) => {
                names.declare("the type", &one.name, diagnostics);
                check_structure(one, diagnostics);
            }
            Declaration::Enumeration(one) => {
                names.declare("the type", &one.name, diagnostics);
                let mut values = Names::default();
                for (value, _) in &one.values {
                    values.declare("the value", value, diagnostics);
                }
            }
            Declaration::States(one) => {
                names.declare("the type", &one.name, diagnostics);
                let mut states = Names::default();
                for state in &one.values {
                    states.declare("the state", &state.name, diagnostics);
                }
            }
            Declaration::Action(one) => actions.declare("the action", &one.name, diagnostics),
            Declaration::Function(one) => functions.declare(one, diagnostics),
            Declaration::Protocol(_) | Declaration::Machine(_) | Declaration::Transition(_) => {}
        }
    }
}

fn check_structure(structure: &Structure, diagnostics: &mut Diagnostics) {
    let mut fields = Names::default();
    for field in &structure.fields {
        fields.declare("the field", &field.name, diagnostics);
    }
    let mut methods = Functions::default();
    for method in &structure.methods {
        methods.declare(method, diagnostics);
    }
}

/// The functions of a scope, by name and types of parameters.
#[derive(Default)]
struct Functions<'a>(FxHashMap<(&'a str, Vec<&'a str>), &'a Function>);

impl<'a> Functions<'a> {
    fn declare(&mut self, function: &'a Function, diagnostics: &mut Diagnostics) {
        let types = function.parameters.iter().map(|one| &*one.kind.text);
        let signature = (&*function.name.text, types.collect());
        match self.0.get(&signature) {
            // A prototype and a definition may have the same signature.
            Some(before) if before.body.is_some() == function.body.is_some() => {
                again("the function", &function.name, before.name.span, diagnostics);
            }
            Some(_) => {}
            None => {
                self.0.insert(signature, function);
            }
        }
        let mut parameters = Names::default();
        for name in function.parameters.iter().filter_map(|one| one.name.as_ref()) {
            parameters.declare("the parameter", name, diagnostics);
        }
    }
}
