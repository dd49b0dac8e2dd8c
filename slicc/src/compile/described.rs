//! Compiles methods that have a body: those of messages for functional accesses, and those of structures in descriptions of
//! what the runtime lacks.
//!
//! Such a method is a function whose first parameter is the object, which its body knows as `self`; the fields of a structure that
//! the description declares are names there, too.

use super::Compiler;
use super::body::{Context, Outcome, Symbol, Value, ValuePlace};
use super::calls::Signature;
use super::code::Function;
use super::expressions::constant;
use super::op::Op;
use super::types::{TypeId, TypeKind};
use crate::ast::{self, Passing};
use crate::source::{Diagnostic, Span};

/// The name of the object in a method.
const SELF: &str = "self";

/// The messages that the runtime makes, in which protocols receive requests and memory's responses.
const MESSAGES_OF_THE_RUNTIME: [&str; 3] = ["RubyRequest", "MemoryMsg", "SequencerMsg"];

impl<'a> Compiler<'a> {
    /// Records the methods of a structure that have a body. Those for functional accesses of messages that the runtime itself makes are
    /// left out, since the runtime knows what these do.
    pub(super) fn method_signatures(&mut self, structure: &'a ast::Structure) {
        let name = &*structure.name.text;
        let Some(of) = self.types.find(self.machine_name(), name) else { return };
        let is_known = |method: &ast::Function| {
            MESSAGES_OF_THE_RUNTIME.contains(&name) && method.name.text.starts_with("functional")
        };
        let has_code = |method: &&ast::Function| method.body.is_some() && !is_known(method);
        for method in structure.methods.iter().filter(has_code) {
            if self.functions.len() >= usize::from(u16::MAX) {
                let text = "the protocol has too many functions and methods";
                self.diagnostics.push(Diagnostic::error(method.name.span, text));
                return;
            }
            let machine = self.machine.clone();
            let prototype = self.types.prototype(machine.as_deref(), method);
            self.note_problems();
            let number = self.functions.len() as u32;
            self.functions.push(Function::default());
            self.bodies.push(None);
            let passing = method.parameters.iter().map(|one| one.passing);
            let own = [(of, Passing::Reference)].into_iter();
            let signature = Signature {
                result: prototype.result,
                parameters: own.chain(prototype.parameters.into_iter().zip(passing)).collect(),
                defaults: vec![None; method.parameters.len() + 1],
                number: Some(number),
                is_overload: false,
                by_reference: false,
                span: method.span,
            };
            let key = (of, method.name.text.clone(), method.parameters.len());
            self.methods.insert(key, signature);
        }
    }

    /// Compiles the methods of a structure that have a body.
    pub(super) fn method_bodies(&mut self, structure: &ast::Structure) {
        let Some(of) = self.types.find(self.machine_name(), &structure.name.text) else { return };
        for method in &structure.methods {
            let key = (of, method.name.text.clone(), method.parameters.len());
            let signature = self.methods.get(&key).filter(|one| one.span == method.span).cloned();
            if let (Some(signature), Some(block)) = (signature, &method.body) {
                // The methods of messages are for functional accesses, which explorations do not make.
                let ordered = self.ordered;
                let _ = self.method_body(of, method, &signature, block);
                if self.types[of].kind == TypeKind::Message {
                    self.ordered = ordered;
                }
            }
        }
    }

    fn method_body(
        &mut self,
        of: TypeId,
        method: &ast::Function,
        signature: &Signature,
        block: &ast::Block,
    ) -> Outcome<()> {
        let result = signature.result;
        let before = self.begin(Context::Function { result, destination: None });
        let declared = self.method_parameters(of, method, signature);
        if self.types[result].is_wide() {
            let destination = self.register(method.span).ok();
            self.body().context = Context::Function { result, destination };
        }
        self.block(block);
        let end = Span { start: block.span.end.saturating_sub(1), ..block.span };
        let last = if result == self.types.known.void { Op::Leave } else { Op::NoResult };
        self.emit(last, end);
        let code = self.finish(before);
        if let Some(number) = signature.number {
            self.functions[number as usize] = code;
        }
        declared
    }

    /// Declares the object, its fields, and the parameters.
    fn method_parameters(
        &mut self,
        of: TypeId,
        method: &ast::Function,
        signature: &Signature,
    ) -> Outcome<()> {
        let object = self.parameter(of, false, method.span)?;
        self.declare(SELF, method.name.span, Symbol::Value(object))?;
        let base = match (&self.types[of].kind, object.place) {
            (TypeKind::Structure | TypeKind::Message, ValuePlace::Memory { base, .. }) => {
                Some(base)
            }
            // An entry or a TBE is handled by pointer.
            (TypeKind::Entry, ValuePlace::Register(base)) => Some(base),
            _ => None,
        };
        if let Some(base) = base {
            let fields: Vec<_> = self.types[of]
                .fields
                .iter()
                .map(|(name, field)| (name.clone(), field.clone()))
                .collect();
            for (name, field) in fields {
                let place = ValuePlace::Memory { base, offset: field.offset };
                let value = Value::variable(field.of, place);
                self.declare(&name, method.name.span, Symbol::Value(value))?;
            }
        }
        // A parameter hides a field of its name.
        self.open();
        let own = signature.parameters.iter().skip(1);
        for (parameter, (of, passing)) in method.parameters.iter().zip(own) {
            let value = self.parameter(*of, *passing == Passing::Reference, method.span)?;
            if let Some(name) = &parameter.name {
                self.declare(&name.text, name.span, Symbol::Value(value))?;
            }
        }
        Ok(())
    }

    /// Calls a method that has a body; the first value is the object.
    pub(super) fn call_method(
        &mut self,
        signature: &Signature,
        values: &[(Value, Span)],
        span: Span,
    ) -> Outcome<Value> {
        let number = signature.number.unwrap_or_default();
        // An object of the library is its number, which needs no address.
        let mut signature = signature.clone();
        signature.parameters[0].1 = Passing::Value;
        self.call_function(number, &signature, values, span)
    }

    /// A fresh value of a type.
    pub(super) fn fresh(&mut self, of: TypeId, span: Span) -> Outcome<Value> {
        if self.types[of].is_wide() { self.local(of, span) } else { Ok(constant(of, 0)) }
    }
}
