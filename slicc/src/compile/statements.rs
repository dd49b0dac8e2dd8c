//! Compiles statements.

use super::Compiler;
use super::body::{Context, Outcome, Port, Symbol, Value, ValuePlace};
use super::expressions::{constant, register};
use super::op::{Op, Register};
use super::types::{TypeId, TypeKind, attribute};
use crate::ast::{Block, Expression, ExpressionKind, Name, Pair, Statement, StatementKind};
use crate::library::LibraryFunction;
use crate::source::{Diagnostic, Span};

impl Compiler<'_> {
    /// Compiles a block in a scope of its own. A statement with an error is skipped, and compilation continues with
    /// the next.
    pub(super) fn block(&mut self, block: &Block) {
        self.open();
        for statement in &block.statements {
            let mark = self.top();
            let done = self.statement(statement);
            if let StatementKind::Assign { target, .. } = &statement.kind
                && let ExpressionKind::Local { name, .. } = &target.kind
            {
                self.unless_broken(name, done);
            }
            if !declares(statement) {
                self.release(mark);
            }
        }
        self.close();
    }

    fn statement(&mut self, statement: &Statement) -> Outcome<()> {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Expression(expression) => self.expression(expression).map(|_| ()),
            StatementKind::Assign { target, value } => self.assign(target, value, span),
            StatementKind::Return(value) => self.return_value(value, span),
            StatementKind::If { condition, then, otherwise } => {
                self.branch(condition, then, otherwise.as_ref(), span)
            }
            StatementKind::Enqueue { port, message, latency, bypass, body } => {
                self.enqueue(port, message, latency.as_ref(), bypass.as_ref(), body, span)
            }
            StatementKind::Defer { port, message, body } => {
                let to = self.register(span)?;
                let port = self.message(to, port, message, body, span)?;
                self.emit(Op::Defer { buffer: port.buffer, message: to }, span);
                Ok(())
            }
            StatementKind::Peek { port, message, pairs, body } => {
                self.peek(port, message, pairs, body, span)
            }
            StatementKind::StallAndWait { port, address } => {
                let (buffer, address) = self.port_and_address(port, address, span)?;
                self.emit(Op::StallAndWait { buffer, address }, span);
                Ok(())
            }
            StatementKind::WakeupPort { port, address } => {
                let (buffer, address) = self.port_and_address(port, address, span)?;
                self.emit(Op::WakeupPort { buffer, address }, span);
                Ok(())
            }
            StatementKind::CheckOnCacheProbe { port, address } => {
                let (buffer, address) = self.port_and_address(port, address, span)?;
                self.emit(Op::CheckProbe { buffer, address }, span);
                Ok(())
            }
            // `check_allocate` only adds to the room that a transition needs; see `transitions`.
            StatementKind::CheckAllocate(table) => self.find(table).map(|_| ()),
            StatementKind::CheckNextCycle => {
                self.emit(Op::NextCycle, span);
                Ok(())
            }
            StatementKind::CheckStopSlots => self.fail(
                Diagnostic::error(
                    span,
                    "`check_stop_slots` is in the grammar of SLICC, but has no meaning",
                )
                .hint("gem5 can't translate it either; remove it"),
            ),
        }
    }

    fn assign(&mut self, target: &Expression, value: &Expression, span: Span) -> Outcome<()> {
        if let ExpressionKind::Method { object, method, arguments } = &target.kind
            && &*method.text == "at"
            && let [index] = &arguments[..]
        {
            return self.assign_flag(object, index, value, span);
        }
        // The value comes first: in `T x := e;`, the name `x` is not yet in scope in `e`.
        let mark = self.top();
        let given = self.expression(value);
        if given.is_err() && matches!(target.kind, ExpressionKind::Local { .. }) {
            // What is declared here is not another error where it is used.
            let _ = self.expression(target);
        }
        let given = given?;
        if let ExpressionKind::Local { kind, name } = &target.kind
            && self.resolve(kind)? == given.of
            && let ValuePlace::Register(register) = given.place
            && register >= mark
            && !self.types[given.of].is_wide()
        {
            // The value is in a register of its own, which becomes the variable.
            return self.declare(
                &name.text,
                name.span,
                Symbol::Value(Value { writable: true, ..given }),
            );
        }
        let place = self.expression(target)?;
        if !place.writable {
            return self.fail(
                Diagnostic::error(target.span, "this can't be assigned to")
                    .hint("messages are read-only once peeked"),
            );
        }
        let known = self.types.known;
        // gem5 tolerates these two, for historical reasons.
        if place.of != known.destinations && given.of != known.set {
            self.expect(place.of, given.of, value.span)?;
            if place.of != given.of && self.is_number(place.of) && self.is_number(given.of) {
                let (to, from) =
                    (self.types[place.of].name.clone(), self.types[given.of].name.clone());
                self.diagnostics.push(
                    Diagnostic::warning(value.span, format!("a `{from}` is assigned to a `{to}`"))
                        .hint("gem5 refuses this; convert the value"),
                );
            }
        } else if self.types[place.of].width() != self.types[given.of].width() {
            return self.expect(place.of, given.of, value.span);
        }
        self.store(place, given, span)
    }

    /// `vector.at(index) := value`
    fn assign_flag(
        &mut self,
        vector: &Expression,
        index: &Expression,
        value: &Expression,
        span: Span,
    ) -> Outcome<()> {
        let known = self.types.known;
        let parts = [vector, index, value];
        let mut values = Vec::with_capacity(parts.len());
        for part in parts {
            values.push((self.expression(part)?, part.span));
        }
        let of = self.types.find(None, "BoolVec");
        for ((given, span), wanted) in values.iter().zip([of, Some(known.int), Some(known.bool)]) {
            wanted.map_or(Ok(()), |wanted| self.expect(wanted, given.of, *span))?;
        }
        self.call_library(LibraryFunction::FlagsPut, known.void, &values, span).map(|_| ())
    }

    fn return_value(&mut self, value: &Expression, span: Span) -> Outcome<()> {
        let (result, to) = match &self.body().context {
            Context::Function { result, destination: Some(destination) } => {
                let (result, to) = (*result, *destination);
                let given = self.expression(value)?;
                self.expect(result, given.of, value.span)?;
                let words = self.types[result].width() as u16;
                let from = self.load(given, span)?;
                self.emit(Op::Copy { to, from, words }, span);
                self.emit(Op::Leave, span);
                return Ok(());
            }
            Context::Function { result, .. } => (*result, None),
            Context::Inlined { result, to: Some(to), .. } => (*result, Some(*to)),
            _ => {
                return self.fail(Diagnostic::error(
                    span,
                    "`return` with a value may only stand in a function that has one",
                ));
            }
        };
        let given = self.expression(value)?;
        self.expect(result, given.of, value.span)?;
        let Some(to) = to else {
            let from = self.load(given, span)?;
            self.emit(Op::Return { from }, span);
            return Ok(());
        };
        self.load_into(to, given, span);
        let jump = self.emit(Op::Jump { target: 0 }, span);
        if let Context::Inlined { returns, .. } = &mut self.body().context {
            returns.push(jump);
        }
        Ok(())
    }

    fn branch(
        &mut self,
        condition: &Expression,
        then: &Block,
        otherwise: Option<&Block>,
        span: Span,
    ) -> Outcome<()> {
        let jumps = self.condition(condition);
        self.block(then);
        let skip = otherwise.map(|_| self.emit(Op::Jump { target: 0 }, span));
        let here = self.here();
        for at in jumps? {
            self.set_target(at, here);
        }
        if let (Some(otherwise), Some(skip)) = (otherwise, skip) {
            self.block(otherwise);
            let end = self.here();
            self.set_target(skip, end);
        }
        Ok(())
    }

    /// Finds a port by its name.
    fn port(&mut self, name: &Name, input: bool) -> Outcome<Port> {
        match self.find(name)? {
            Symbol::Port(port) if port.input == input => Ok(port),
            Symbol::Port(_) => {
                let (is, should) = if input {
                    ("an out_port", "an in_port")
                } else {
                    ("an in_port", "an out_port")
                };
                self.fail(Diagnostic::error(
                    name.span,
                    format!("`{}` is {is}; expected {should}", name.text),
                ))
            }
            Symbol::Value(_) => self.fail(
                Diagnostic::error(name.span, format!("`{}` is not a port", name.text))
                    .hint("ports are declared with `in_port` and `out_port`"),
            ),
        }
    }

    fn port_and_address(
        &mut self,
        port: &Name,
        address: &Name,
        span: Span,
    ) -> Outcome<(u16, Register)> {
        let port = self.port(port, true)?;
        let value = self.expression(&Expression {
            kind: ExpressionKind::Name(address.clone()),
            span: address.span,
        })?;
        self.expect(self.types.known.addr, value.of, address.span)?;
        Ok((port.buffer, self.load(value, span)?))
    }

    fn message_type(&mut self, name: &Name) -> Outcome<TypeId> {
        let of = self.resolve(name)?;
        if self.types[of].kind == TypeKind::Message {
            return Ok(of);
        }
        self.fail(
            Diagnostic::error(name.span, format!("`{}` is not a message type", name.text))
                .hint("declare it with `structure(..., interface=\"Message\")`"),
        )
    }

    /// Compiles the creation of a message in a register, with the body that fills it in.
    fn message(
        &mut self,
        to: Register,
        port: &Name,
        message: &Name,
        body: &Block,
        span: Span,
    ) -> Outcome<Port> {
        if matches!(self.body().context, Context::InPort { .. }) {
            return self.fail(
                Diagnostic::error(span, "messages are sent by actions and functions, not by ports")
                    .hint("trigger an event and send the message in an action of its transition"),
            );
        }
        let port = self.port(port, false)?;
        let of = self.message_type(message)?;
        if let Some(carried) = port.message.filter(|carried| *carried != of) {
            let (carries, sent) = (&self.types[carried].name, &self.types[of].name);
            let warning = Diagnostic::warning(
                message.span,
                format!("a `{sent}` is sent by a port for `{carries}`"),
            );
            self.diagnostics.push(warning.hint("readers of the buffer will ignore it or fail"));
        }
        self.emit(Op::NewMessage { to, message: of as u16 }, span);
        self.open();
        let value = Value::variable(of, ValuePlace::Memory { base: to, offset: 0 });
        let declared = self.declare("out_msg", message.span, Symbol::Value(value));
        self.block(body);
        self.close();
        declared.map(|()| port)
    }

    fn enqueue(
        &mut self,
        port: &Name,
        message: &Name,
        latency: Option<&Expression>,
        bypass: Option<&Expression>,
        body: &Block,
        span: Span,
    ) -> Outcome<()> {
        let known = self.types.known;
        let latency = match latency {
            Some(expression) => {
                let value = self.expression(expression)?;
                if value.of != known.bool {
                    self.expect(known.cycles, value.of, expression.span)?;
                }
                value
            }
            None => constant(known.cycles, 1),
        };
        let bypass = match bypass {
            Some(expression) => {
                let value = self.expression(expression)?;
                self.expect(known.bool, value.of, expression.span)?;
                value
            }
            None => constant(known.bool, 0),
        };
        let base = self.registers(3, span)?;
        self.load_into(base + 1, latency, span);
        self.load_into(base + 2, bypass, span);
        let port = self.message(base, port, message, body, span)?;
        let buffer = port.buffer;
        self.emit(Op::Send { buffer, base }, span);
        Ok(())
    }

    fn peek(
        &mut self,
        port: &Name,
        message: &Name,
        pairs: &[Pair],
        body: &Block,
        span: Span,
    ) -> Outcome<()> {
        let port = self.port(port, true)?;
        let of = self.message_type(message)?;
        let to = self.register(span)?;
        let in_port = matches!(self.body().context, Context::InPort { .. });
        let message_type = of as u16;
        if in_port {
            self.emit(Op::Peek { to, buffer: port.buffer, message: message_type }, span);
            // If the message has another type, the rest of the port's body is skipped.
            let (condition, target) = (to, 0);
            let exit = self.emit(Op::JumpUnless { condition, target }, span);
            self.body().exits.push(exit);
            self.body().peeked.push((port.buffer, of));
        } else {
            self.emit(Op::PeekSure { to, buffer: port.buffer, message: message_type }, span);
        }
        let value = Value::fixed(of, ValuePlace::Memory { base: to, offset: 0 });
        for key in ["block_on", "wake_up"] {
            let Some(pair) = attribute(pairs, key) else {
                continue;
            };
            if !in_port && key == "block_on" {
                let error = Diagnostic::error(pair.key.span, "`block_on` may only stand in a port");
                return self.fail(error.hint("the running transition can't begin again"));
            }
            let address = self.message_field(value, pair)?;
            let op = match key {
                "block_on" => Op::BlockOn { buffer: port.buffer, address },
                _ => Op::WakeUp { address },
            };
            self.emit(op, span);
        }
        self.open();
        let declared = self.declare("in_msg", message.span, Symbol::Value(value));
        self.block(body);
        self.close();
        declared
    }

    /// Loads the address in the field that `block_on` or `wake_up` names.
    fn message_field(&mut self, message: Value, pair: &Pair) -> Outcome<Register> {
        let addr = self.types.known.addr;
        let field = self.types[message.of]
            .fields
            .get(&pair.value.text)
            .filter(|field| field.of == addr)
            .cloned();
        match (field, message.place) {
            (Some(field), ValuePlace::Memory { base, .. }) => {
                let place = ValuePlace::Memory { base, offset: field.offset };
                self.load(Value::fixed(addr, place), pair.value.span)
            }
            _ => {
                let name = self.types[message.of].name.clone();
                self.fail(
                    Diagnostic::error(
                        pair.value.span,
                        format!("`{name}` has no address field `{}`", pair.value.text),
                    )
                    .hint(format!("`{}` names a field of type Addr", pair.key.text)),
                )
            }
        }
    }

    /// Allocates the register of a parameter.
    pub(super) fn parameter(
        &mut self,
        of: TypeId,
        by_reference: bool,
        span: Span,
    ) -> Outcome<Value> {
        let first = self.register(span)?;
        let place = if self.types[of].is_wide() || by_reference {
            ValuePlace::Memory { base: first, offset: 0 }
        } else {
            ValuePlace::Register(first)
        };
        Ok(Value { place, writable: true, ..register(of, first) })
    }
}

/// Whether a statement declares a local of the enclosing block.
fn declares(statement: &Statement) -> bool {
    let local = |expression: &Expression| matches!(expression.kind, ExpressionKind::Local { .. });
    match &statement.kind {
        StatementKind::Expression(expression) => local(expression),
        StatementKind::Assign { target, .. } => local(target),
        _ => false,
    }
}
