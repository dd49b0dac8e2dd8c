//! Calls: of functions, of methods of the library, and of what the language itself gives names to.

use super::Compiler;
use super::body::{Context, Outcome, Place, Symbol, Value};
use super::code::{Op, Register, control, stall};
use super::expressions::{constant, register};
use super::types::{Kind, NOWHERE, TypeId};
use crate::library::Builtin;
use crate::slicc::ast::{Expression, ExpressionKind, Name, Passing};
use crate::slicc::outline::nearest;
use crate::source::{Diagnostic, Span};

/// A function that may be called.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub result: TypeId,
    pub parameters: Vec<(TypeId, Passing)>,
    /// For each parameter the value that it has if a call leaves it out.
    pub defaults: Vec<Option<Expression>>,
    /// Its number, if it has a body.
    pub number: Option<u32>,
    /// Whether its result is a place, rather than a copy.
    pub by_reference: bool,
    pub span: Span,
}

impl Signature {
    /// Whether it can be called with so many arguments: those that are left out have defaults.
    fn takes(&self, given: usize) -> bool {
        let left_out = self.defaults.get(given..);
        given <= self.parameters.len()
            && left_out.is_some_and(|all| all.iter().all(Option::is_some))
    }

    /// The numbers of arguments that it can be called with, for a message.
    fn counts(&self) -> String {
        let most = self.parameters.len();
        let least = (0..=most).find(|&given| self.takes(given)).unwrap_or(most);
        if least < most {
            format!("{least} to {most}")
        } else {
            most.to_string()
        }
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
            // No effect on the protocol.
            "DPRINTF" | "DPRINTFN" => return Ok(nothing),
            "APPEND_TRANSITION_COMMENT" => return self.comment(arguments, span).map(|()| nothing),
            _ => {}
        }
        if let Some(value) = self.conversion(function, arguments, span)? {
            return Ok(value);
        }
        let mut values = self.arguments(arguments)?;
        let Some(signature) = self.choose(function, &values, arguments)? else {
            return self.unknown_function(function, arguments.len());
        };
        self.fill_in(&signature, &mut values)?;
        match signature.number {
            Some(number) => self.call_function(number, &signature, &values, span),
            None => match Builtin::find(&format!("{}/{}", function.text, values.len())) {
                Some(builtin) => self.call_library(builtin, signature.result, &values, span),
                None => self.fail(
                    Diagnostic::error(
                        span,
                        format!("`{}` is not supported by this runtime", function.text),
                    )
                    .note(
                        signature.span,
                        "declared here without a body, so the runtime has to provide it",
                    ),
                ),
            },
        }
    }

    fn arguments(&mut self, arguments: &[Expression]) -> Outcome<Vec<(Value, Span)>> {
        arguments
            .iter()
            .map(|argument| Ok((self.expression(argument)?, argument.span)))
            .collect()
    }

    /// Adds the defaults of the parameters for which a call gives no arguments.
    fn fill_in(&mut self, signature: &Signature, values: &mut Vec<(Value, Span)>) -> Outcome<()> {
        let given = values.len();
        let parameters = signature.parameters.iter().zip(&signature.defaults);
        for ((wanted, _), default) in parameters.skip(given) {
            let Some(default) = default else { break };
            let value = self.expression(default)?;
            self.expect(*wanted, value.of, default.span)?;
            let value = Value {
                of: *wanted,
                ..value
            };
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
        let (family, permission) = match (
            name.strip_suffix("_to_string"),
            name.strip_suffix("_to_permission"),
        ) {
            (Some(family), _) => (family, false),
            (_, Some(family)) => (family, true),
            _ => return Ok(None),
        };
        let Some(of) = self.types.find(self.machine_name(), family) else {
            return Ok(None);
        };
        let Kind::Enumeration { permissions, .. } = self.types[of].kind.clone() else {
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
        self.emit(
            Op::Lookup {
                to,
                from,
                table: table.unwrap_or_default(),
            },
            span,
        );
        Ok(Some(register(result, to)))
    }

    /// Chooses among the functions of a name by the types of the arguments.
    fn choose(
        &mut self,
        function: &Name,
        values: &[(Value, Span)],
        arguments: &[Expression],
    ) -> Outcome<Option<Signature>> {
        let Some(candidates) = self.functions_of.get(&function.text).cloned() else {
            return Ok(None);
        };
        let types: Vec<TypeId> = values.iter().map(|(value, _)| value.of).collect();
        let same_count: Vec<&Signature> = candidates
            .iter()
            .filter(|candidate| candidate.takes(arguments.len()))
            .collect();
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
                // The first argument that does not fit tells most.
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
                self.fail(error)
            }
        }
    }

    fn unknown_function<T>(&mut self, function: &Name, arguments: usize) -> Outcome<T> {
        let mut error = Diagnostic::error(
            function.span,
            format!("the function `{}` is not declared", function.text),
        );
        if Builtin::find(&format!("{}/{arguments}", function.text)).is_some() {
            error = error.hint("declare its prototype in the machine, as gem5's protocols do");
        } else if let Some(near) =
            nearest(&function.text, self.functions_of.keys().map(|name| &**name))
        {
            error = error.hint(format!("did you mean `{near}`?"));
        }
        self.fail(error)
    }

    /// Calls a function with a body.
    fn call_function(
        &mut self,
        number: u32,
        signature: &Signature,
        values: &[(Value, Span)],
        span: Span,
    ) -> Outcome<Value> {
        if let Some(value) = self.inline(number, signature, values, span)? {
            return Ok(value);
        }
        // A wide result is written to an address that is passed behind the arguments.
        let wide = self.types[signature.result].is_wide() && !signature.by_reference;
        let destination = wide
            .then(|| self.local(signature.result, span))
            .transpose()?;
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
        self.emit(
            Op::Call {
                function: number as u16,
                base,
            },
            span,
        );
        if signature.by_reference {
            let place = Place::Memory { base, offset: 0 };
            return Ok(Value {
                of: signature.result,
                place,
                writable: true,
            });
        }
        if let Some(destination) = destination {
            return Ok(Value {
                writable: false,
                ..destination
            });
        }
        Ok(register(signature.result, base))
    }

    /// Calls a function of the library. A wide result is written to an address that is passed behind the arguments.
    fn call_library(
        &mut self,
        builtin: Builtin,
        result: TypeId,
        values: &[(Value, Span)],
        span: Span,
    ) -> Outcome<Value> {
        if builtin == Builtin::Same {
            return Ok(Value {
                of: result,
                writable: false,
                ..values[0].0
            });
        }
        if let Some(offset) = implicit(builtin) {
            let value = values
                .first()
                .map_or(constant(self.types.known.entry, 0), |(value, _)| *value);
            let from = self.load(value, span)?;
            self.emit(Op::StoreControl { offset, from }, span);
            return Ok(constant(self.types.known.void, 0));
        }
        let wide = self.types[result].is_wide();
        let destination = wide.then(|| self.local(result, span)).transpose()?;
        let base = self.registers((values.len() + usize::from(wide)).max(1), span)?;
        // The present time, which ports and buffers know themselves.
        let needed = if matches!(builtin, Builtin::InReady | Builtin::InDequeue) {
            1
        } else {
            values.len()
        };
        for (at, (value, span)) in values.iter().take(needed).enumerate() {
            let to = base + at as Register;
            // A store-conditional that fails needs no data, so a missing entry may be named for it.
            let skip = match value.place {
                Place::Through { control, .. }
                    if builtin == Builtin::ConditionalFailed && at == 2 =>
                {
                    let entry = Value {
                        of: self.types.known.int,
                        place: Place::Control(control),
                        writable: false,
                    };
                    self.load_into(to, entry, *span);
                    let (condition, target) = (to, 0);
                    Some(self.emit(Op::JumpUnless { condition, target }, *span))
                }
                _ => None,
            };
            self.load_into(to, *value, *span);
            if let Some(skip) = skip {
                let end = self.here();
                self.aim(skip, end);
            }
        }
        if let Some(destination) = destination {
            self.load_into(base + values.len() as Register, destination, span);
            self.emit(
                Op::Library {
                    function: builtin,
                    base,
                },
                span,
            );
            return Ok(destination);
        }
        if builtin != Builtin::Nothing {
            self.emit(
                Op::Library {
                    function: builtin,
                    base,
                },
                span,
            );
        }
        Ok(register(result, base))
    }

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
        // Buffers take the time to be the present in any case; tables of timers ask.
        let values = match of != self.types.known.timers && is_now(&method.text, arguments) {
            true => vec![(constant(self.types.known.tick, 0), span)],
            false => self.arguments(arguments)?,
        };
        let result = self.method_result(of, method, &values)?;
        let class = self.class_with(of, &method.text);
        let entry = values
            .first()
            .is_some_and(|(value, _)| self.types[value.of].kind == Kind::Entry);
        let name = match (&*method.text, entry) {
            ("setMRU", true) => "setMRU(entry)",
            (name, _) => name,
        };
        let name = format!("{class}.{name}/{}", arguments.len());
        let Some(builtin) = Builtin::find(&name) else {
            return self.fail(
                Diagnostic::error(
                    method.span,
                    format!("`{class}.{}` is not supported by this runtime", method.text),
                )
                .hint(
                    "the library types and their methods are listed in the runtime's specification",
                ),
            );
        };
        if builtin == Builtin::Nothing {
            self.release(mark);
            return Ok(constant(result, 0));
        }
        let mut all = vec![(value, object.span)];
        all.extend(values);
        self.call_library(builtin, result, &all, span)
    }

    /// What a method is called on, and the type that has the method.
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
            let value = Value {
                of: known.int,
                place: Place::Control(port.buffer),
                writable: false,
            };
            return Ok((value, of));
        }
        let value = self.expression(object)?;
        Ok((value, value.of))
    }

    /// The library type that has a method: the type itself, or the one that it extends.
    fn class_with(&self, of: TypeId, method: &str) -> String {
        let found = &self.types[of];
        let short = self
            .machine_name()
            .and_then(|machine| found.name.strip_prefix(machine)?.strip_prefix('_'));
        let name = short
            .filter(|_| found.kind == Kind::Library)
            .unwrap_or(&found.name);
        if found.methods.contains_key(method) {
            return name.to_owned();
        }
        match &found.interface {
            Some(interface) => interface.to_string(),
            None => name.to_owned(),
        }
    }

    /// The type of a method's result; its arguments are checked.
    fn method_result(
        &mut self,
        of: TypeId,
        method: &Name,
        values: &[(Value, Span)],
    ) -> Outcome<TypeId> {
        let own = &self.types[of];
        let buffer = &*own.name == "MessageBuffer";
        let interface = own
            .interface
            .clone()
            .and_then(|name| self.types.find(None, &name));
        let lenders = [
            Some(of),
            interface,
            buffer.then_some(self.types.known.in_port),
            buffer.then_some(self.types.known.out_port),
        ];
        let candidates: Vec<_> = lenders
            .into_iter()
            .flatten()
            .filter_map(|lender| self.types[lender].methods.get(&method.text))
            .flatten()
            .cloned()
            .collect();
        if candidates.is_empty() {
            let name = own.name.clone();
            let mut error = Diagnostic::error(
                method.span,
                format!("`{name}` has no method `{}`", method.text),
            );
            if let Some(near) = nearest(&method.text, own.methods.keys().map(|name| &**name)) {
                error = error.hint(format!("did you mean `{near}`?"));
            }
            return self.fail(error);
        }
        let same_count: Vec<_> = candidates
            .iter()
            .filter(|one| one.parameters.len() == values.len())
            .collect();
        let fitting = same_count.iter().find(|one| {
            one.parameters
                .iter()
                .zip(values)
                .all(|(wanted, (value, _))| self.fits(*wanted, value.of))
        });
        match (fitting, same_count.first()) {
            (Some(found), _) => Ok(found.result),
            (None, Some(first)) => {
                let (result, parameters) = (first.result, first.parameters.clone());
                for (wanted, (value, span)) in parameters.iter().zip(values) {
                    self.expect(*wanted, value.of, *span)?;
                }
                Ok(result)
            }
            (None, None) => {
                let counts: Vec<String> = candidates
                    .iter()
                    .map(|one| one.parameters.len().to_string())
                    .collect();
                let text = format!(
                    "`{}` takes {} arguments, not {}",
                    method.text,
                    counts.join(" or "),
                    values.len()
                );
                self.fail(Diagnostic::error(method.span, text))
            }
        }
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
            return self.fail(Diagnostic::error(
                span,
                "`APPEND_TRANSITION_COMMENT` takes one value",
            ));
        };
        let value = self.expression(what)?;
        let from = self.load(value, span)?;
        self.emit(
            Op::Comment {
                of: value.of as u16,
                from,
            },
            span,
        );
        Ok(())
    }

    /// `trigger(event, address, entry, tbe)`: the state is asked for, then the transition runs.
    fn trigger(&mut self, arguments: &[Expression], span: Span) -> Outcome<()> {
        let Context::InPort { handlers } = self.body().context.clone() else {
            return self.fail(
                Diagnostic::error(span, "`trigger` may only stand in the body of an in_port")
                    .hint("an action can't start another transition"),
            );
        };
        let wanted = [
            Some("an event"),
            Some("an address"),
            self.entry.map(|_| "a cache entry"),
            self.tbe.map(|_| "a TBE"),
        ];
        let wanted: Vec<&str> = wanted.into_iter().flatten().collect();
        if arguments.len() != wanted.len() {
            return self.fail(
                Diagnostic::error(
                    span,
                    format!(
                        "`trigger` takes {} arguments here, not {}",
                        wanted.len(),
                        arguments.len()
                    ),
                )
                .hint(format!("in this machine: {}", wanted.join(", "))),
            );
        }
        let event_type = self.resolve(&Name {
            text: "Event".into(),
            span,
        })?;
        let mark = self.top();
        let mut values = self.arguments(arguments)?.into_iter();
        let mut take = || values.next().unwrap_or((constant(0, 0), span));
        let (event, address) = (take(), take());
        self.expect(event_type, event.0.of, event.1)?;
        self.expect(self.types.known.addr, address.0.of, address.1)?;
        let entry = self.entry.map(|of| (of, take()));
        let tbe = self.tbe.map(|of| (of, take()));
        let event = self.load(event.0, event.1)?;
        for (offset, of, (value, span)) in [
            Some((control::ADDRESS, self.types.known.addr, address)),
            entry.map(|(of, value)| (control::ENTRY, of, value)),
            tbe.map(|(of, value)| (control::TBE, of, value)),
        ]
        .into_iter()
        .flatten()
        {
            self.expect(of, value.of, span)?;
            let from = self.load(value, span)?;
            self.emit(Op::StoreControl { offset, from }, span);
        }
        let state = self.hook("getState", &[], span)?;
        let state = self.load(state, span)?;
        let base = self.register(span)?;
        self.emit(Op::Trigger { event, state, base }, span);
        for (handler, how) in handlers.into_iter().zip([stall::RESOURCE, stall::PROTOCOL]) {
            let Some(handler) = handler else { continue };
            let skip = self.emit(
                Op::JumpUnlessSmall {
                    left: base,
                    value: how as i16,
                    target: 0,
                },
                span,
            );
            self.emit(
                Op::Call {
                    function: handler as u16,
                    base: base + 1,
                },
                span,
            );
            self.registers(1, span)?;
            let not = self.emit(
                Op::JumpUnless {
                    condition: base + 1,
                    target: 0,
                },
                span,
            );
            self.emit(Op::Handled, span);
            let end = self.here();
            self.aim(skip, end);
            self.aim(not, end);
        }
        self.release(mark);
        Ok(())
    }

    /// Calls one of the functions that every machine has to define, with the implicit values of the transition for
    /// those parameters that are about the line, and with further values for the others.
    pub(super) fn hook(&mut self, name: &str, further: &[Value], span: Span) -> Outcome<Value> {
        let candidates = self.functions_of.get(name).cloned().unwrap_or_default();
        let Some(signature) = candidates
            .into_iter()
            .find(|candidate| candidate.number.is_some())
        else {
            let machine = self.machine_name().unwrap_or_default().to_owned();
            return self.fail(
                Diagnostic::error(
                    self.machine_span,
                    format!("the machine `{machine}` does not define `{name}`"),
                )
                .hint("the runtime calls it at every transition"),
            );
        };
        let known = self.types.known;
        let mut further = further.iter();
        let mut values = Vec::new();
        for (wanted, _) in &signature.parameters {
            let implicit = |offset| Value {
                of: *wanted,
                place: Place::Control(offset),
                writable: false,
            };
            let value = if *wanted == known.addr {
                implicit(control::ADDRESS)
            } else if Some(*wanted) == self.tbe {
                implicit(control::TBE)
            } else if self.types[*wanted].kind == Kind::Entry {
                implicit(control::ENTRY)
            } else if let Some(value) = further.next() {
                self.expect(*wanted, value.of, signature.span)?;
                *value
            } else {
                return self.fail(
                    Diagnostic::error(signature.span, format!("`{name}` has a parameter that the runtime can't fill"))
                        .hint("its parameters are the TBE, the cache entry, the address, and the state or request type"),
                );
            };
            values.push((value, span));
        }
        let Some(number) = signature.number else {
            return Ok(constant(known.void, 0));
        };
        self.call_function(number, &signature, &values, span)
    }
}

/// The control word that a call rebinds.
fn implicit(builtin: Builtin) -> Option<u16> {
    match builtin {
        Builtin::SetEntry | Builtin::UnsetEntry => Some(control::ENTRY),
        Builtin::SetTbe | Builtin::UnsetTbe => Some(control::TBE),
        _ => None,
    }
}

/// Whether a method of a port is given the present time, and nothing else.
fn is_now(method: &str, arguments: &[Expression]) -> bool {
    let [
        Expression {
            kind:
                ExpressionKind::Call {
                    function,
                    arguments,
                },
            ..
        },
    ] = arguments
    else {
        return false;
    };
    matches!(method, "isReady" | "dequeue")
        && &*function.text == "clockEdge"
        && arguments.is_empty()
}
