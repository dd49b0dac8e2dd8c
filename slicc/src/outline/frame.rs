//! What may be declared where, and that a name is declared once in a frame.

use rustc_hash::FxHashMap;

use super::names::Complaints;
use crate::ast::{Declaration, Function, Machine, Name, Object, Structure};
use crate::load::span_of;
use crate::source::{Diagnostic, Span};

/// Checks the declarations outside of machines.
pub(super) fn check_file(declarations: &[Declaration], complaints: &mut Complaints) {
    for declaration in declarations {
        let what = match declaration {
            Declaration::Action(_) => "an action",
            Declaration::InPort(_) | Declaration::OutPort(_) => "a port",
            Declaration::Transition(_) => "a transition",
            _ => continue,
        };
        let message = format!("{what} outside of a machine");
        let hint = "is a `}` before it one too many?";
        complaints.say(Diagnostic::error(span_of(declaration), message).hint(hint));
    }
    check(&[], declarations, complaints);
}

/// Checks the declarations in a machine.
pub(super) fn check_machine(machine: &Machine, complaints: &mut Complaints) {
    for declaration in &machine.body {
        let what = match declaration {
            Declaration::Machine(_) => "a machine",
            Declaration::Protocol(_) => "a protocol line",
            _ => continue,
        };
        let message = format!("{what} within the machine {}", machine.name.text);
        complaints.say(Diagnostic::error(span_of(declaration), message));
    }
    check(&machine.parameters, &machine.body, complaints);
}

/// The names of one kind in a frame.
#[derive(Default)]
struct Names<'a>(FxHashMap<&'a str, Span>);

impl<'a> Names<'a> {
    fn declare(&mut self, what: &str, name: &'a Name, complaints: &mut Complaints) {
        if let Some(&before) = self.0.get(&*name.text) {
            again(what, name, before, complaints);
        } else {
            self.0.insert(&name.text, name.span);
        }
    }
}

fn again(what: &str, name: &Name, before: Span, complaints: &mut Complaints) {
    let message = format!("{what} `{}` is declared a second time", name.text);
    let diagnostic = Diagnostic::error(name.span, message).note(before, "the first is here");
    complaints.say(diagnostic);
}

fn check(parameters: &[Object], declarations: &[Declaration], complaints: &mut Complaints) {
    // Types, variables and ports share their names; actions and functions do not.
    let mut names = Names::default();
    let mut actions = Names::default();
    let mut functions = Functions::default();
    for parameter in parameters {
        names.declare("the parameter", &parameter.name, complaints);
    }
    for declaration in declarations {
        match declaration {
            Declaration::InPort(port) => names.declare("the port", &port.name, complaints),
            Declaration::OutPort(port) => names.declare("the port", &port.name, complaints),
            Declaration::Object(one) => names.declare("the variable", &one.name, complaints),
            Declaration::ExternalType(one) => names.declare("the type", &one.name, complaints),
            Declaration::Structure(one) => {
                names.declare("the type", &one.name, complaints);
                check_structure(one, complaints);
            }
            Declaration::Enumeration(one) => {
                names.declare("the type", &one.name, complaints);
                let mut values = Names::default();
                for (value, _) in &one.values {
                    values.declare("the value", value, complaints);
                }
            }
            Declaration::States(one) => {
                names.declare("the type", &one.name, complaints);
                let mut states = Names::default();
                for state in &one.values {
                    states.declare("the state", &state.name, complaints);
                }
            }
            Declaration::Action(one) => actions.declare("the action", &one.name, complaints),
            Declaration::Function(one) => functions.declare(one, complaints),
            Declaration::Protocol(_) | Declaration::Machine(_) | Declaration::Transition(_) => {}
        }
    }
}

fn check_structure(structure: &Structure, complaints: &mut Complaints) {
    let mut fields = Names::default();
    for field in &structure.fields {
        fields.declare("the field", &field.name, complaints);
    }
    let mut methods = Functions::default();
    for method in &structure.methods {
        methods.declare(method, complaints);
    }
}

/// The functions of a frame, by name and types of parameters.
#[derive(Default)]
struct Functions<'a>(FxHashMap<(&'a str, Vec<&'a str>), &'a Function>);

impl<'a> Functions<'a> {
    fn declare(&mut self, function: &'a Function, complaints: &mut Complaints) {
        let types = function.parameters.iter().map(|one| &*one.kind.text);
        let signature = (&*function.name.text, types.collect());
        match self.0.get(&signature) {
            // A prototype does not speak against a definition.
            Some(before) if before.body.is_some() == function.body.is_some() => {
                again("the function", &function.name, before.name.span, complaints);
            }
            Some(_) => {}
            None => {
                self.0.insert(signature, function);
            }
        }
        let mut parameters = Names::default();
        for name in function.parameters.iter().filter_map(|one| one.name.as_ref()) {
            parameters.declare("the parameter", name, complaints);
        }
    }
}
