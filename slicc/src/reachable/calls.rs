//! Calls of functions and methods, `trigger`, and the functions that the runtime calls for each transition.

use super::environment::{Environment, join};
use super::interpreter::{Context, Interpreter};
use super::machines;
use super::store::Place;
use super::value::{Pointer, Value};
use crate::ast::{Expression, ExpressionKind, Function, Name, Passing};
use crate::compile::types::{TypeId, TypeKind};

/// Number of nested calls from which on the analysis gives up: the function calls itself.
const DEEPEST_CALLS: usize = 40;

/// Debug output and statistics, which have no effect on the protocol.
const SILENT: [&str; 7] = [
    "DPRINTF",
    "DPRINTFN",
    "APPEND_TRANSITION_COMMENT",
    "incomingTransactionStart",
    "incomingTransactionEnd",
    "outgoingTransactionStart",
    "outgoingTransactionEnd",
];

impl<'a> Interpreter<'_, 'a> {
    /// `function(arguments)`
    pub(super) fn call(
        &mut self,
        function: &'a Name,
        arguments: &'a [Expression],
        now: &mut Environment<'a>,
    ) -> Value {
        let name = &*function.text;
        if SILENT.contains(&name) {
            return Value::Any;
        }
        match name {
            "trigger" => {
                self.trigger(arguments, now);
                return Value::Any;
            }
            "error" => {
                self.is_dead = true;
                return Value::nothing();
            }
            "curTransitionEvent" => {
                self.memo.asks_for_event = true;
                return self.event.clone();
            }
            "curTransitionNextState" => {
                self.memo.asks_for_event = true;
                return self.next.clone();
            }
            _ => {}
        }
        let values: Vec<Value> = arguments.iter().map(|one| self.expression(one, now)).collect();
        if self.is_dead {
            return Value::nothing();
        }
        let machine = self.model.machine(self.instance);
        let own = machine.functions.get(name).map_or(&[][..], Vec::as_slice);
        let takes = |one: &&&'a Function| {
            let left_out = one.parameters.get(values.len()..);
            left_out.is_some_and(|all| all.iter().all(|one| one.default.is_some()))
        };
        let fitting: Vec<&'a Function> = own.iter().filter(takes).copied().collect();
        if fitting.is_empty() {
            let is_own_line = self.is_action && arguments.first().is_some_and(is_address);
            let machines = machines::function(name, &values, is_own_line);
            return machines.unwrap_or_else(|| self.library(name, &values, now));
        }
        // Overloaded functions are told apart by types; here, all may be meant.
        let (mut value, mut after) = (Value::nothing(), None);
        for function in fitting {
            let mut then = now.clone();
            let result = self.run(function, &values, arguments, &mut then);
            if !std::mem::take(&mut self.is_dead) {
                value = value.join(&result);
                after = join(after, Some(then));
            }
        }
        match after {
            Some(after) => *now = after,
            None => self.is_dead = true,
        }
        value
    }

    /// Runs a function with these arguments, which come from these expressions if the protocol calls it.
    pub(super) fn run(
        &mut self,
        function: &'a Function,
        values: &[Value],
        arguments: &'a [Expression],
        now: &mut Environment<'a>,
    ) -> Value {
        let Some(body) = &function.body else { return Value::Any };
        if self.returns.len() > DEEPEST_CALLS {
            self.gave_up = true;
            return Value::Any;
        }
        let (locals, messages) = (now.locals.len(), now.messages.len());
        let mut inner = now.clone();
        for (at, parameter) in function.parameters.iter().enumerate() {
            let value = match (values.get(at), &parameter.default) {
                (Some(value), _) => value.clone(),
                (None, Some(default)) => self.expression(default, now),
                (None, None) => Value::Any,
            };
            let of = self.find(&parameter.kind.text);
            let value = match of {
                Some(of) => self.model.typed(value, of),
                None => Value::Any,
            };
            inner.locals.push((parameter.name.as_ref().map_or("", |name| &name.text), value));
        }
        let frame = std::mem::replace(&mut self.frame, locals);
        let is_action = std::mem::replace(&mut self.is_action, false);
        self.returns.push(Vec::new());
        let end = self.block(body, inner);
        let mut ends = self.returns.pop().unwrap_or_default();
        ends.extend(end.map(|now| (Value::Any, now)));
        (self.frame, self.is_action) = (frame, is_action);
        let (mut value, mut after) = (Value::nothing(), None);
        for (result, mut end) in ends {
            let result = match result {
                Value::Message(at) => self.spill(at, &end),
                result => result,
            };
            value = value.join(&result);
            end.truncate(locals + function.parameters.len(), messages);
            after = join(after, Some(end));
        }
        let Some(mut after) = after else {
            self.is_dead = true;
            return Value::nothing();
        };
        let parameters: Vec<Value> = after.locals.drain(locals..).map(|(_, value)| value).collect();
        *now = after;
        self.write_back(function, parameters, arguments, now);
        match self.find(&function.result.text) {
            Some(of) => self.model.typed(value, of),
            None => Value::Any,
        }
    }

    /// Assigns the final values of parameters that are passed by reference to the arguments.
    fn write_back(
        &mut self,
        function: &'a Function,
        parameters: Vec<Value>,
        arguments: &'a [Expression],
        now: &mut Environment<'a>,
    ) {
        let all = function.parameters.iter().zip(parameters).zip(arguments);
        for ((parameter, value), argument) in all {
            let is_place =
                matches!(argument.kind, ExpressionKind::Name(_) | ExpressionKind::Field { .. });
            let is_reference = parameter.passing == Passing::Reference;
            if is_reference && is_place && !matches!(value, Value::Message(_)) {
                self.assign(argument, value, now);
            }
        }
    }

    /// Calls a function that the runtime provides.
    fn library(&mut self, name: &str, values: &[Value], now: &mut Environment<'a>) -> Value {
        let own = self.model.machine(self.instance).program;
        let given = |of: Option<TypeId>| match (values.first(), of) {
            (Some(Value::Pointer(pointer)), of) => Pointer { of: pointer.of.or(of), ..*pointer },
            (_, of) => Pointer::any(of),
        };
        match name {
            "mod" => return remainder(values),
            "set_tbe" => now.tbe = given(own.tbe),
            "unset_tbe" => now.tbe = Pointer::null(),
            "set_cache_entry" => now.entry = given(own.entry),
            "unset_cache_entry" => now.entry = Pointer::null(),
            "dequeueMemRespQueue" => now.head = None,
            // Messages that were set aside come back.
            _ if name.starts_with("wakeUp") => now.head = None,
            _ => {}
        }
        match self.model.result(self.instance, name) {
            Some(of) => self.model.typed(Value::Any, of),
            None => Value::Any,
        }
    }

    /// `object.method(arguments)`
    pub(super) fn method(
        &mut self,
        object: &'a Expression,
        method: &str,
        arguments: &'a [Expression],
        now: &mut Environment<'a>,
    ) -> Value {
        let values: Vec<Value> = arguments.iter().map(|one| self.expression(one, now)).collect();
        if let ExpressionKind::Name(name) = &object.kind
            && self.local_at(&name.text, now).is_none()
            && let Some(value) = self.method_of_port(&name.text, method, now)
        {
            return value;
        }
        let of = self.type_of(object, now);
        if of == Some(self.model.types.known.destinations) || self.is_local_set(object, now) {
            return self.destinations(object, method, &values, now);
        }
        let place = self.place_of(object, now);
        let result = of.and_then(|of| {
            let methods = self.model.types[of].methods.get(method)?;
            let fitting = methods.iter().find(|one| one.parameters.len() == arguments.len());
            Some(fitting.or(methods.first())?.result)
        });
        let typed = |value: Value| result.map_or(Value::Any, |of| self.model.typed(value, of));
        let texts = self.texts(object, arguments);
        match method {
            "push" | "pushNB" | "pushFront" | "pushFrontNB" => {
                match (place, values.into_iter().next()) {
                    (Some(place), Some(value)) => self.store.push(place, &value),
                    _ => self.gave_up = true,
                }
                Value::Any
            }
            "persistentRequestLock" => {
                match (place, values.into_iter().nth(1)) {
                    (Some(place), Some(value)) => self.store.push(place, &value),
                    _ => self.gave_up = true,
                }
                Value::Any
            }
            "findSmallest" if place.is_some() => {
                place.map_or(Value::Any, |place| self.store.elements(place))
            }
            "front" | "back" | "next" => match (place, result) {
                (Some(place), Some(of)) if self.model.is_followed(of) => self.store.elements(place),
                _ => typed(Value::Any),
            },
            "allocate" | "allocateVoid" => {
                now.allocated.extend(texts);
                match typed(Value::Any) {
                    Value::Pointer(pointer) => Value::Pointer(Pointer { null: false, ..pointer }),
                    other => other,
                }
            }
            "deallocate" | "invalidateBlock" => {
                now.allocated.clear();
                Value::Any
            }
            "lookup" => match typed(Value::Any) {
                Value::Pointer(pointer)
                    if texts.is_some_and(|one| now.allocated.contains(&one)) =>
                {
                    Value::Pointer(Pointer { null: false, ..pointer })
                }
                other => other,
            },
            _ => {
                self.expression(object, now);
                typed(Value::Any)
            }
        }
    }

    /// Whether an object is a local variable with a set of machines.
    fn is_local_set(&self, object: &Expression, now: &Environment<'a>) -> bool {
        let ExpressionKind::Name(name) = &object.kind else { return false };
        let at = self.local_at(&name.text, now);
        at.is_some_and(|at| matches!(now.locals[at].1, Value::Machines(_)))
    }

    /// The texts of an object and of the first argument of its method.
    fn texts(
        &self,
        object: &'a Expression,
        arguments: &'a [Expression],
    ) -> Option<(&'a str, &'a str)> {
        let sources = &self.model.protocol.loaded.sources;
        Some((sources.text(object.span), sources.text(arguments.first()?.span)))
    }

    /// A method of a port; `None` if there is no port of this name.
    fn method_of_port(
        &mut self,
        port: &str,
        method: &str,
        now: &mut Environment<'a>,
    ) -> Option<Value> {
        let machine = self.model.machine(self.instance);
        let Some(declared) = machine.in_ports.get(port) else {
            return machine.out_ports.contains_key(port).then_some(Value::Any);
        };
        let sources = self.model.sources(self.instance, declared);
        Some(match (method, sources) {
            ("isReady", Some(sources)) => {
                let has_messages = sources.iter().any(|one| !self.store.messages(*one).is_empty());
                if has_messages { Value::words([0, 1]) } else { Value::word(0) }
            }
            ("dequeue" | "recycle", _) => {
                now.head = None;
                Value::Any
            }
            ("nextAddress" | "isReady" | "isEmpty", _) => Value::Any,
            _ => {
                now.head = None;
                Value::Any
            }
        })
    }

    /// The type of an object, for its methods.
    fn type_of(&mut self, object: &'a Expression, now: &Environment<'a>) -> Option<TypeId> {
        match &object.kind {
            ExpressionKind::Name(name) if self.local_at(&name.text, now).is_none() => {
                let own = self.model.machine(self.instance).program;
                match &*name.text {
                    "tbe" if self.is_action => own.tbe,
                    "cache_entry" if self.is_action => own.entry,
                    name => self.model.member(self.instance, name).map(|(_, of)| *of),
                }
            }
            ExpressionKind::Field { object, field } => {
                let of = self.type_of(object, now)?;
                self.model.field(of, field_name(field)).map(|(_, of)| of)
            }
            _ => match self.expression(object, &mut now.clone()) {
                Value::Pointer(pointer) => pointer.of,
                Value::Message(at) => now.messages.get(at).map(|message| message.of),
                _ => None,
            },
        }
    }

    /// The place of an object that a structure or a controller holds.
    fn place_of(&mut self, object: &'a Expression, now: &Environment<'a>) -> Option<Place<'a>> {
        match &object.kind {
            ExpressionKind::Name(name) if self.local_at(&name.text, now).is_none() => {
                self.model.member(self.instance, &name.text)?;
                Some(Place::Variable(self.instance, &name.text))
            }
            ExpressionKind::Field { object, field } => {
                let of = self.type_of(object, now)?;
                let (at, _) = self.model.field(of, field_name(field))?;
                Some(Place::Field(self.instance, of, at))
            }
            _ => None,
        }
    }

    /// `trigger(event, address, entry, tbe)`: notes the entries of the table that may be taken.
    fn trigger(&mut self, arguments: &'a [Expression], now: &mut Environment<'a>) {
        let mut values =
            arguments.iter().map(|one| self.expression(one, now)).collect::<Vec<_>>().into_iter();
        if std::mem::take(&mut self.is_dead) {
            return;
        }
        let machine = self.model.machine(self.instance);
        let (own, events, states) =
            (machine.program, machine.outline.events.len(), machine.outline.states.len());
        let event = values.next().unwrap_or(Value::Any);
        values.next();
        let sequencer = self.sequencer_of(arguments.get(1), now);
        let mut pointer = |of: Option<TypeId>| match of.and_then(|_| values.next()) {
            _ if of.is_none() => Pointer::null(),
            Some(Value::Pointer(pointer)) => Pointer { of: pointer.of.or(of), ..pointer },
            _ => Pointer::any(of),
        };
        let (entry, tbe) = (pointer(own.entry), pointer(own.tbe));
        for entry in cases(entry, own.entry) {
            for tbe in cases(tbe, own.tbe) {
                let mut then = now.clone();
                (then.entry, then.tbe) = (entry, tbe);
                let state = self.hook("getState", &[], &mut then);
                if std::mem::take(&mut self.is_dead) {
                    continue;
                }
                let (has_entry, has_tbe) = (entry.valid, tbe.valid);
                let context = Context { head: now.head, has_entry, has_tbe, sequencer };
                for state in indices(&state, states) {
                    for event in indices(&event, events) {
                        let row = (self.instance, state, event);
                        let is_new = self.rows.entry(row).or_default().insert(context);
                        self.store.has_grown |= is_new;
                    }
                }
            }
        }
    }

    /// Calls a function that every machine defines for its transitions. Parameters that are about the line get the
    /// transition's entry and TBE; the others get `further`, in order.
    pub(super) fn hook(
        &mut self,
        name: &str,
        further: &[Value],
        now: &mut Environment<'a>,
    ) -> Value {
        let machine = self.model.machine(self.instance);
        let Some(function) = machine.functions.get(name).and_then(|all| all.first().copied())
        else {
            return Value::Any;
        };
        let mut further = further.iter();
        let tbe = machine.program.tbe;
        let values =
            function.parameters.iter().map(|parameter| match self.find(&parameter.kind.text) {
                Some(of) if of == self.model.types.known.addr => Value::Any,
                Some(of) if Some(of) == tbe => Value::Pointer(now.tbe),
                Some(of) if self.model.types[of].kind == TypeKind::Entry => {
                    Value::Pointer(now.entry)
                }
                _ => further.next().cloned().unwrap_or(Value::Any),
            });
        let values: Vec<Value> = values.collect();
        self.run(function, &values, &[], now)
    }
}

/// Whether an expression is the address of a transition's line, in an action.
fn is_address(one: &Expression) -> bool {
    matches!(&one.kind, ExpressionKind::Name(name) if &*name.text == "address")
}

/// `mod(number, divisor)`
fn remainder(values: &[Value]) -> Value {
    let [number, divisor] = values else { return Value::Any };
    match (number, divisor.known()) {
        (Value::Residue { rest, of }, Some([divisor])) if *divisor > 0 && of % divisor == 0 => {
            Value::word(rest % divisor)
        }
        _ => Value::Any,
    }
}

fn field_name(field: &Name) -> &str {
    &field.text
}

/// A pointer as null and as not null, as far as it may be.
fn cases(pointer: Pointer, of: Option<TypeId>) -> impl Iterator<Item = Pointer> {
    let null = pointer.null.then_some(Pointer::null());
    let valid = pointer.valid.then_some(Pointer::valid(pointer.of.or(of)));
    null.into_iter().chain(valid)
}

/// The words of a value as indices below `count`.
pub(super) fn indices(value: &Value, count: usize) -> Vec<u16> {
    match value {
        Value::Of(words) => {
            let inside =
                |word: &i64| u16::try_from(*word).ok().filter(|word| usize::from(*word) < count);
            words.iter().filter_map(inside).collect()
        }
        _ => (0..count as u16).collect(),
    }
}
