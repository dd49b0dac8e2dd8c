//! Compiles method calls: finds the method, and generates the call of the library's function.

use super::Compiler;
use super::body::{Abandoned, Outcome, Symbol, Value, ValuePlace};
use super::calls::suggestion;
use super::expressions::constant;
use super::trackers::records;
use super::types::{Prototype, TypeId, TypeKind};
use crate::ast::{Expression, ExpressionKind, Name};
use crate::library::LibraryFunction;
use crate::library::stubs::{Kind, unknown_function};
use crate::source::{Diagnostic, Span};

impl Compiler<'_> {
    /// `object.method(arguments)`
    pub(super) fn method(
        &mut self,
        object: &Expression,
        method: &Name,
        arguments: &[Expression],
        span: Span,
    ) -> Outcome<Value> {
        let mark = self.top();
        let (value, of) = self.receiver(object)?;
        // Ports and buffers ignore the time that `isReady` and `dequeue` are given, unlike timers.
        let values = if of != self.types.known.timers && is_now(&method.text, arguments) {
            vec![(constant(self.types.known.tick, 0), span)]
        } else {
            self.arguments(arguments)?
        };
        let Prototype { result, alias, parameters } = self.method_prototype(of, method, &values)?;
        if result == self.types.known.unknown {
            return Err(Abandoned);
        }
        let key = (of, method.text.clone(), arguments.len());
        if let Some(signature) = self.methods.get(&key).cloned() {
            let mut all = vec![(value, object.span)];
            all.extend(values);
            return self.call_method(&signature, &all, span);
        }
        if self.types[of].described == Some(Kind::Statistic) {
            self.release(mark);
            return self.fresh(result, span);
        }
        let called = alias.as_deref().unwrap_or(&method.text);
        let name = match self.types[of].described {
            Some(kind) => match kind.function(called, arguments.len()) {
                Some(function) => format!("{}.{function}", kind.class()),
                None => {
                    return self.fail_once(unknown_function(
                        kind,
                        method.span,
                        called,
                        arguments.len(),
                    ));
                }
            },
            None => format!("{}.{called}", self.class_with(of, &method.text)),
        };
        let takes_entry =
            values.first().is_some_and(|(value, _)| self.types[value.of].kind == TypeKind::Entry);
        let of_entry = if takes_entry { "(entry)" } else { "" };
        let found = LibraryFunction::find(&format!("{name}{of_entry}/{}", arguments.len()));
        let Some(builtin) = found else {
            self.release(mark);
            return self.lacks_method(of, method, result, &parameters);
        };
        if builtin == LibraryFunction::RecordEmplace {
            self.check_fields(of, method, arguments.len())?;
        }
        if builtin == LibraryFunction::Nothing {
            self.release(mark);
            return Ok(constant(result, 0));
        }
        let mut all = vec![(value, object.span)];
        all.extend(values);
        self.call_library(builtin, result, &all, span)
    }

    /// Checks that a call that adds a structure to a queue gives a value for each of the structure's words.
    fn check_fields(&mut self, queue: TypeId, method: &Name, given: usize) -> Outcome<()> {
        let width = self.types[queue].initial[records::ELEMENT];
        if width == given as u64 {
            return Ok(());
        }
        let text = format!("the structures of this queue have {width} fields, not {given}");
        self.fail(Diagnostic::error(method.span, text).hint("name the values of all fields"))
    }

    /// The object of a method call, and the type that has the method.
    fn receiver(&mut self, object: &Expression) -> Outcome<(Value, TypeId)> {
        let known = self.types.known;
        if let ExpressionKind::Name(name) = &object.kind
            && let Some(Symbol::Port(port)) = self.lookup(&name.text)
        {
            let of = match (port.timers, port.input) {
                (true, _) => known.timers,
                (false, true) => known.in_port,
                (false, false) => known.out_port,
            };
            let value = Value::fixed(known.int, ValuePlace::Control(port.buffer));
            return Ok((value, of));
        }
        let value = self.expression(object)?;
        Ok((value, value.of))
    }

    /// The library type that declares a method: the type itself, or the one that it extends.
    fn class_with(&self, of: TypeId, method: &str) -> String {
        let found = &self.types[of];
        let name = match found.kind {
            TypeKind::Library | TypeKind::Value => found.short_name(self.machine_name()),
            _ => &found.name,
        };
        // The library has the methods of all entries.
        if found.kind != TypeKind::Entry && found.methods.contains_key(method) {
            return name.to_owned();
        }
        match &found.interface {
            Some(interface) => interface.to_string(),
            None => name.to_owned(),
        }
    }

    /// Checks the arguments of a method and returns its declaration.
    fn method_prototype(
        &mut self,
        of: TypeId,
        method: &Name,
        values: &[(Value, Span)],
    ) -> Outcome<Prototype> {
        let own = &self.types[of];
        let buffer = &*own.name == "MessageBuffer";
        let interface = own.interface.clone().and_then(|name| self.types.find(None, &name));
        let classes = [
            Some(of),
            interface,
            buffer.then_some(self.types.known.in_port),
            buffer.then_some(self.types.known.out_port),
        ];
        let candidates: Vec<_> = classes
            .into_iter()
            .flatten()
            .filter_map(|class| self.types[class].methods.get(&method.text))
            .flatten()
            .cloned()
            .collect();
        if candidates.is_empty() {
            let name = own.name.clone();
            let mut error =
                Diagnostic::error(method.span, format!("`{name}` has no method `{}`", method.text));
            if let Some(hint) = suggestion(&method.text, own.methods.keys().map(|name| &**name)) {
                error = error.hint(hint);
            }
            return self.fail_once(error);
        }
        let same_count: Vec<_> =
            candidates.iter().filter(|one| one.parameters.len() == values.len()).collect();
        let fitting = same_count.iter().find(|one| {
            one.parameters
                .iter()
                .zip(values)
                .all(|(wanted, (value, _))| self.fits(*wanted, value.of))
        });
        match (fitting, same_count.first()) {
            (Some(found), _) => Ok((**found).clone()),
            (None, Some(first)) => {
                let first = (**first).clone();
                for (wanted, (value, span)) in first.parameters.iter().zip(values) {
                    self.expect(*wanted, value.of, *span)?;
                }
                Ok(first)
            }
            (None, None) => {
                let counts: Vec<String> =
                    candidates.iter().map(|one| one.parameters.len().to_string()).collect();
                let text = format!(
                    "`{}` takes {} arguments, not {}",
                    method.text,
                    counts.join(" or "),
                    values.len()
                );
                self.fail_once(Diagnostic::error(method.span, text))
            }
        }
    }
}

/// Whether a method of a port is called with the present time as its only argument.
fn is_now(method: &str, arguments: &[Expression]) -> bool {
    let [Expression { kind: ExpressionKind::Call { function, arguments }, .. }] = arguments else {
        return false;
    };
    matches!(method, "isReady" | "dequeue")
        && &*function.text == "clockEdge"
        && arguments.is_empty()
}
