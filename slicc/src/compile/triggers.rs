//! Compiles `trigger`, and calls of the functions that every machine defines for its transitions.

use super::Compiler;
use super::body::{Context, Outcome, Value, ValuePlace};
use super::expressions::constant;
use super::op::{Op, control, stall};
use super::types::TypeKind;
use crate::ast::{Expression, Name};
use crate::source::{Diagnostic, Span};

impl Compiler<'_> {
    /// Compiles `trigger(event, address, entry, tbe)`: the code gets the state of the line, then runs the transition.
    pub(super) fn trigger(&mut self, arguments: &[Expression], span: Span) -> Outcome<()> {
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
        let event_type = self.resolve(&Name { text: "Event".into(), span })?;
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
            let skip =
                self.emit(Op::JumpUnlessSmall { left: base, value: how as i16, target: 0 }, span);
            self.emit(Op::Call { function: handler as u16, base: base + 1 }, span);
            self.registers(1, span)?;
            let (condition, target) = (base + 1, 0);
            let not = self.emit(Op::JumpUnless { condition, target }, span);
            self.emit(Op::Handled, span);
            let end = self.here();
            self.set_target(skip, end);
            self.set_target(not, end);
        }
        self.release(mark);
        Ok(())
    }

    /// Calls a function that every machine has to define. Parameters that are about the line get
    /// the transition's address, entry and TBE; the others get `further`, in order.
    pub(super) fn hook(&mut self, name: &str, further: &[Value], span: Span) -> Outcome<Value> {
        let candidates = self.signatures.get(name).cloned().unwrap_or_default();
        let Some(signature) = candidates.into_iter().find(|candidate| candidate.number.is_some())
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
            let implicit = |offset| Value::fixed(*wanted, ValuePlace::Control(offset));
            let value = if *wanted == known.addr {
                implicit(control::ADDRESS)
            } else if Some(*wanted) == self.tbe {
                implicit(control::TBE)
            } else if self.types[*wanted].kind == TypeKind::Entry {
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
