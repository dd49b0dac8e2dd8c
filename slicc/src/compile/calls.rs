//! Compiles calls of functions, of the library's methods, and of the names that the language
//! defines.

use super::Compiler;
use super::body::{Abandoned, Outcome, Value, ValuePlace};
use super::expressions::{constant, register};
use super::op::{Op, Register, control};
use super::types::{NOWHERE, TypeId, TypeKind};
use crate::ast::{Expression, Name, Passing};
use crate::library::{Family, ImplicitFunction, LibraryFunction};
use crate::near::near;
use crate::source::{Diagnostic, Span};

/// A declared function.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub result: TypeId,
    pub parameters: Vec<(TypeId, Passing)>,
    /// The default of each parameter, for calls that leave it out.
    pub defaults: Vec<Option<Expression>>,
    /// The index of the function, if it has a body.
    pub number: Option<u32>,
    /// Whether it is another function than the built-in one of this name with as many parameters.
    pub is_overload: bool,
    /// Whether the result is returned by reference rather than copied.
    pub by_reference: bool,
    pub span: Span,
}

impl Signature {
    /// Whether a call may have `given` arguments: the parameters left out need defaults.
    fn takes(&self, given: usize) -> bool {
        let left_out = self.defaults.get(given..);
        given <= self.parameters.len()
            && left_out.is_some_and(|all| all.iter().all(Option::is_some))
    }

    /// The allowed numbers of arguments as text, for messages.
    fn counts(&self) -> String {
        let most = self.parameters.len();
        let least = (0..=most).find(|&given| self.takes(given)).unwrap_or(most);
        if least < most { format!("{least} to {most}") } else { most.to_string() }
    }
}

impl Compiler<'_> {
    /// `function(arguments)`
    pub(super) fn call(
        &mut self,
        function: &Name,
        arguments: &[Expression],
        span: Span,
    ) -> Outcome<Value> {
        let known = self.types.known;
        let nothing = constant(known.void, 0);
        match &*function.text {
            "trigger" => return self.trigger(arguments, span).map(|()| nothing),
            "error" => return self.error_call(arguments, span).map(|()| nothing),
            "assert" => return self.assertion(arguments, span).map(|()| nothing),
            // Debug output has no effect on the protocol.
            "DPRINTF" | "DPRINTFN" => return Ok(nothing),
            "APPEND_TRANSITION_COMMENT" => return self.comment(arguments, span).map(|()| nothing),
            _ => {}
        }
        if let Some(value) = self.conversion(function, arguments, span)? {
            return Ok(value);
        }
        if let Some(value) = self.number_of_value(function, arguments)? {
            return Ok(value);
        }
        let mut values = self.arguments(arguments)?;
        let Some(signature) = self.choose(function, &values, arguments)? else {
            return self.unknown_function(function, arguments.len());
        };
        self.fill_in(&signature, &mut values)?;
        let result = signature.result;
        let value = match signature.number {
            Some(number) => self.call_function(number, &signature, &values, span),
            None if signature.is_overload => self.lacks_function(function, &signature, span),
            None => match LibraryFunction::find(&format!("{}/{}", function.text, values.len())) {
                Some(builtin) => self.call_library(builtin, result, &values, span),
                None => self.lacks_function(function, &signature, span),
            },
        };
        if result == known.unknown { Err(Abandoned) } else { value }
    }

    pub(super) fn arguments(&mut self, arguments: &[Expression]) -> Outcome<Vec<(Value, Span)>> {
        arguments.iter().map(|argument| Ok((self.expression(argument)?, argument.span))).collect()
    }

    /// Adds the defaults of the parameters that a call leaves out.
    fn fill_in(&mut self, signature: &Signature, values: &mut Vec<(Value, Span)>) -> Outcome<()> {
        let given = values.len();
        let parameters = signature.parameters.iter().zip(&signature.defaults);
        for ((wanted, _), default) in parameters.skip(given) {
            let Some(default) = default else { break };
            let value = self.expression(default)?;
            self.expect(*wanted, value.of, default.span)?;
            let value = Value { of: *wanted, ..value };
            values.push((value, default.span));
        }
        Ok(())
    }

    /// `Enum_to_string(value)` and `Machine_State_to_permission(state)`.
    fn conversion(
        &mut self,
        function: &Name,
        arguments: &[Expression],
        span: Span,
    ) -> Outcome<Option<Value>> {
        let name = &*function.text;
        let (family, permission) =
            match (name.strip_suffix("_to_string"), name.strip_suffix("_to_permission")) {
                (Some(family), _) => (family, false),
                (_, Some(family)) => (family, true),
                _ => return Ok(None),
            };
        let Some(of) = self.types.find(self.machine_name(), family) else {
            return Ok(None);
        };
        let TypeKind::Enumeration { permissions, .. } = self.types[of].kind.clone() else {
            return Ok(None);
        };
        let ([argument], true) = (arguments, !permission || permissions.is_some()) else {
            return Ok(None);
        };
        let value = self.expression(argument)?;
        self.expect(of, value.of, argument.span)?;
        let from = self.load(value, span)?;
        let to = self.register(span)?;
        let (table, result) = match permissions {
            Some(permissions) if permission => {
                (Some(self.table(permissions)), self.types.known.permission)
            }
            _ => (self.name_table(of), self.types.known.text),
        };
        let table = table.unwrap_or_default();
        self.emit(Op::Lookup { to, from, table }, span);
        Ok(Some(register(result, to)))
    }

    /// `Enum_to_int(value)`, which some forks have.
    fn number_of_value(
        &mut self,
        function: &Name,
        arguments: &[Expression],
    ) -> Outcome<Option<Value>> {
        let family = function.text.strip_suffix("_to_int");
        let of = family.and_then(|family| self.types.find(self.machine_name(), family));
        let (Some(of), [argument]) = (of, arguments) else { return Ok(None) };
        if !matches!(self.types[of].kind, TypeKind::Enumeration { .. }) {
            return Ok(None);
        }
        let value = self.expression(argument)?;
        self.expect(of, value.of, argument.span)?;
        Ok(Some(Value { of: self.types.known.int, writable: false, ..value }))
    }

    /// Chooses among functions of the same name by the types of the arguments.
    fn choose(
        &mut self,
        function: &Name,
        values: &[(Value, Span)],
        arguments: &[Expression],
    ) -> Outcome<Option<Signature>> {
        let Some(candidates) = self.signatures.get(&function.text).cloned() else {
            return Ok(None);
        };
        let types: Vec<TypeId> = values.iter().map(|(value, _)| value.of).collect();
        let same_count: Vec<&Signature> =
            candidates.iter().filter(|candidate| candidate.takes(arguments.len())).collect();
        let fitting = same_count
            .iter()
            .filter(|candidate| {
                candidate
                    .parameters
                    .iter()
                    .zip(&types)
                    .all(|((wanted, _), given)| self.fits(*wanted, *given))
            })
            .max_by_key(|candidate| {
                let exact = candidate
                    .parameters
                    .iter()
                    .zip(&types)
                    .filter(|((wanted, _), given)| wanted == *given)
                    .count();
                let complete = candidate.parameters.len() == arguments.len();
                (exact, complete, candidate.number.is_some())
            });
        match (fitting, same_count.first()) {
            (Some(found), _) => Ok(Some((*found).clone())),
            (None, Some(first)) => {
                // The message is about the first argument that does not fit.
                for ((wanted, _), (value, span)) in first.parameters.clone().iter().zip(values) {
                    self.expect(*wanted, value.of, *span)?;
                }
                Ok(None)
            }
            (None, None) => {
                let counts: Vec<String> = candidates.iter().map(Signature::counts).collect();
                let error = Diagnostic::error(
                    function.span,
                    format!(
                        "`{}` takes {} arguments, not {}",
                        function.text,
                        counts.join(" or "),
                        arguments.len()
                    ),
                );
                let error = match candidates.first() {
                    Some(first) if first.span != NOWHERE => error.note(first.span, "declared here"),
                    _ => error,
                };
                self.fail_once(error)
            }
        }
    }

    fn unknown_function<T>(&mut self, function: &Name, arguments: usize) -> Outcome<T> {
        let mut error = Diagnostic::error(
            function.span,
            format!("the function `{}` is not declared", function.text),
        );
        if LibraryFunction::find(&format!("{}/{arguments}", function.text)).is_some() {
            error = error.hint("declare its prototype in the machine, as gem5's protocols do");
        } else if let Some(hint) =
            suggestion(&function.text, self.signatures.keys().map(|name| &**name))
        {
            error = error.hint(hint);
        }
        self.fail_once(error)
    }

    /// Calls a function with a body.
    pub(super) fn call_function(
        &mut self,
        number: u32,
        signature: &Signature,
        values: &[(Value, Span)],
        span: Span,
    ) -> Outcome<Value> {
        if let Some(value) = self.inline(number, signature, values, span)? {
            return Ok(value);
        }
        // A wide result is written to an address that is passed after the arguments.
        let wide = self.types[signature.result].is_wide() && !signature.by_reference;
        let destination = wide.then(|| self.local(signature.result, span)).transpose()?;
        let base = self.registers((values.len() + usize::from(wide)).max(1), span)?;
        for (at, ((value, span), (_, passing))) in
            values.iter().zip(&signature.parameters).enumerate()
        {
            let to = base + at as Register;
            match passing {
                Passing::Reference if !self.types[value.of].is_wide() => {
                    self.address_into(to, *value, *span)?
                }
                _ => self.load_into(to, *value, *span),
            }
        }
        if let Some(destination) = destination {
            self.load_into(base + values.len() as Register, destination, span);
        }
        let function = number as u16;
        self.emit(Op::Call { function, base }, span);
        if signature.by_reference {
            let place = ValuePlace::Memory { base, offset: 0 };
            return Ok(Value::variable(signature.result, place));
        }
        if let Some(destination) = destination {
            return Ok(Value { writable: false, ..destination });
        }
        Ok(register(signature.result, base))
    }

    /// Calls a function of the library. A wide result is written to an address that is passed after
    /// the arguments.
    pub(super) fn call_library(
        &mut self,
        builtin: LibraryFunction,
        result: TypeId,
        values: &[(Value, Span)],
        span: Span,
    ) -> Outcome<Value> {
        if is_identity(builtin, values) {
            return Ok(Value { of: result, writable: false, ..values[0].0 });
        }
        if let Family::Implicit(function) = builtin.family() {
            let value =
                values.first().map_or(constant(self.types.known.entry, 0), |(value, _)| *value);
            let from = self.load(value, span)?;
            let offset = control_word(function);
            self.emit(Op::StoreControl { offset, from }, span);
            return Ok(constant(self.types.known.void, 0));
        }
        let wide = self.types[result].is_wide();
        let destination = wide.then(|| self.local(result, span)).transpose()?;
        let base = self.registers((values.len() + usize::from(wide)).max(1), span)?;
        // The second argument is the present time, which the runtime knows.
        let needed = if matches!(builtin, LibraryFunction::InReady | LibraryFunction::InDequeue) {
            1
        } else {
            values.len()
        };
        for (at, (value, span)) in values.iter().take(needed).enumerate() {
            let to = base + at as Register;
            let skip = match value.place {
                ValuePlace::Through { control, .. } if at == 2 && self.needs_no_block(builtin) => {
                    let entry = Value::fixed(self.types.known.int, ValuePlace::Control(control));
                    self.load_into(to, entry, *span);
                    let (condition, target) = (to, 0);
                    Some(self.emit(Op::JumpUnless { condition, target }, *span))
                }
                _ => None,
            };
            self.load_into(to, *value, *span);
            if let Some(skip) = skip {
                let end = self.here();
                self.set_target(skip, end);
            }
        }
        if let Some(destination) = destination {
            self.load_into(base + values.len() as Register, destination, span);
            self.emit(Op::Library { function: builtin, base }, span);
            return Ok(destination);
        }
        if builtin != LibraryFunction::Nothing {
            let function = builtin;
            self.emit(Op::Library { function, base }, span);
        }
        Ok(register(result, base))
    }

    /// Whether a callback may complete requests that need no data, so that protocols may name the data of a missing entry: gem5 passes it by
    /// reference and never reads it. These are failed store-conditionals and flushes.
    fn needs_no_block(&self, builtin: LibraryFunction) -> bool {
        builtin == LibraryFunction::ConditionalFailed
            || builtin == LibraryFunction::WriteDone && self.flushes
    }

    fn error_call(&mut self, arguments: &[Expression], span: Span) -> Outcome<()> {
        let [message] = arguments else {
            return self.fail(Diagnostic::error(span, "`error` takes a text"));
        };
        let value = self.expression(message)?;
        self.expect(self.types.known.text, value.of, message.span)?;
        let text = self.load(value, span)?;
        self.emit(Op::Error { text }, span);
        Ok(())
    }

    fn assertion(&mut self, arguments: &[Expression], span: Span) -> Outcome<()> {
        let [condition] = arguments else {
            return self.fail(Diagnostic::error(span, "`assert` takes a condition"));
        };
        let failures = self.condition(condition)?;
        self.body().assertions.push((failures, span));
        Ok(())
    }

    fn comment(&mut self, arguments: &[Expression], span: Span) -> Outcome<()> {
        let [what] = arguments else {
            return self
                .fail(Diagnostic::error(span, "`APPEND_TRANSITION_COMMENT` takes one value"));
        };
        let value = self.expression(what)?;
        let from = self.load(value, span)?;
        let of = value.of as u16;
        self.emit(Op::Comment { of, from }, span);
        Ok(())
    }
}

/// A hint with the names similar to an unknown one.
pub(super) fn suggestion<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut known: Vec<&str> = known.collect();
    known.sort_unstable();
    known.dedup();
    let near = near(name, known.into_iter()).into_iter();
    let near: Vec<String> = near.map(|near| format!("`{near}`")).collect();
    (!near.is_empty()).then(|| format!("did you mean {}?", near.join(" or ")))
}

/// Whether a call returns its argument unchanged. So does the conversion of a constant to a node or an address: the same
/// constant stands for the same node or address in all runs, so no symmetry is observed.
fn is_identity(builtin: LibraryFunction, values: &[(Value, Span)]) -> bool {
    use LibraryFunction::{AddressOfNumber, Identity, NodeOfNumber};
    let is_fixed =
        values.first().is_some_and(|(value, _)| matches!(value.place, ValuePlace::Constant(_)));
    builtin == Identity || is_fixed && matches!(builtin, NodeOfNumber | AddressOfNumber)
}

/// The control word that holds the implicit variable which a function sets.
fn control_word(function: ImplicitFunction) -> u16 {
    match function {
        ImplicitFunction::SetEntry | ImplicitFunction::UnsetEntry => control::ENTRY,
        ImplicitFunction::SetTbe | ImplicitFunction::UnsetTbe => control::TBE,
    }
}
