//! Compiles expressions.

use super::Compiler;
use super::body::{Abandoned, Outcome, Symbol, Value, ValuePlace};
use super::fractions;
use super::op::{Op, Register};
use super::types::{TypeId, TypeKind};
use crate::ast::{Binary, Expression, ExpressionKind, Name, Unary};
use crate::near::nearest;
use crate::source::{Diagnostic, Span};

impl Compiler<'_> {
    /// Compiles an expression. Returns the place of its value, which is not moved to a register.
    pub(super) fn expression(&mut self, expression: &Expression) -> Outcome<Value> {
        let span = expression.span;
        let known = self.types.known;
        if fractions::has_any(expression) {
            return match fractions::without(expression) {
                Some(now) => self.expression(&now),
                None => self.no_fraction(span),
            };
        }
        match &expression.kind {
            ExpressionKind::Name(name) => match self.find(name)? {
                Symbol::Value(value) => Ok(value),
                Symbol::Port(_) => self.fail(
                    Diagnostic::error(span, format!("`{}` is a port, not a value", name.text))
                        .hint("a port has methods, such as `isReady` and `dequeue`"),
                ),
            },
            ExpressionKind::Number(number) => Ok(constant(known.int, *number)),
            ExpressionKind::Bool(value) => Ok(constant(known.bool, u64::from(*value))),
            ExpressionKind::Text(text) => {
                let index = self.text(text);
                Ok(constant(known.text, index))
            }
            ExpressionKind::Float(_) => self.no_fraction(span),
            ExpressionKind::Enumerator { family, value } => self.enumerator(family, value),
            ExpressionKind::Null => Ok(Value::fixed(known.entry, ValuePlace::Null)),
            ExpressionKind::New(name) => {
                let of = self.resolve(name)?;
                if self.types[of].kind != TypeKind::Entry {
                    let error = Diagnostic::error(
                        name.span,
                        format!("`new` makes cache entries, not `{}`", name.text),
                    );
                    return self.fail(error);
                }
                let to = self.register(span)?;
                self.emit(Op::NewEntry { to, of: of as u16 }, span);
                Ok(register(of, to))
            }
            ExpressionKind::Local { kind, name } => {
                // Two expressions without a `;` between them look like a declaration.
                let is_type = self.types.find(self.machine_name(), &kind.text).is_some();
                if !is_type && self.lookup(&kind.text).is_some() {
                    let found = format!("`{}`", name.text);
                    return self.fail(Diagnostic::missing_semicolon(kind.span, &found));
                }
                let of = self.resolve_anyway(kind);
                let value = self.local(of, span)?;
                self.declare(&name.text, name.span, Symbol::Value(value))?;
                if of == known.unknown { Err(Abandoned) } else { Ok(value) }
            }
            ExpressionKind::Call { function, arguments } => self.call(function, arguments, span),
            ExpressionKind::StaticCall { class, function, .. } => self.fail(
                Diagnostic::error(
                    span,
                    format!("`{}::{}` is not supported by this runtime", class.text, function.text),
                )
                .hint("static functions of library types are C++ of gem5 itself"),
            ),
            ExpressionKind::Field { object, field } => self.field(object, field, span),
            ExpressionKind::Method { object, method, arguments } => {
                self.method(object, method, arguments, span)
            }
            ExpressionKind::Index { object, indices } => {
                let lookup = Name { text: "lookup".into(), span };
                self.method(object, &lookup, indices, span)
            }
            ExpressionKind::Cast { to, mode, value } => {
                let of = self.resolve(to)?;
                let value = self.expression(value)?;
                let pointer = mode.as_ref().is_some_and(|mode| &*mode.text == "pointer");
                let entries = [of, value.of].map(|of| self.types[of].kind == TypeKind::Entry);
                let numbers =
                    [of, value.of].map(|of| !self.types[of].is_wide() && !self.is_pointer(of));
                if of != value.of && entries != [true; 2] && (pointer || numbers != [true; 2]) {
                    let from = self.types[value.of].name.clone();
                    let error = Diagnostic::error(span, format!("a `{from}` can't be cast to a `{}`", to.text))
                        .hint("what a cache or directory looks up is cast to an entry type, and a number to another");
                    return self.fail(error);
                }
                Ok(Value { of, ..value })
            }
            ExpressionKind::Valid { valid, value } => {
                let value_span = value.span;
                let value = self.expression(value)?;
                if !self.is_pointer(value.of) {
                    let name = self.types[value.of].name.clone();
                    return self.fail(
                        Diagnostic::error(
                            value_span,
                            format!("a `{name}` is not a pointer, so it is always valid"),
                        )
                        .hint("`is_valid` is for entries and TBEs"),
                    );
                }
                let left = self.load(value, span)?;
                let to = self.register(span)?;
                let right = self.register(span)?;
                self.emit(Op::Small { to: right, value: 0 }, span);
                let op = if *valid {
                    Op::NotEqual { to, left, right }
                } else {
                    Op::Equal { to, left, right }
                };
                self.emit(op, span);
                Ok(register(known.bool, to))
            }
            ExpressionKind::Unary { operator, value } => self.unary(*operator, value, span),
            ExpressionKind::Binary { operator: Binary::And | Binary::Or, .. } => {
                self.connective(expression)
            }
            ExpressionKind::Binary { operator, left, right } => {
                self.binary(*operator, left, right, span)
            }
        }
    }

    fn enumerator(&mut self, family: &Name, value: &Name) -> Outcome<Value> {
        let of = self.resolve(family)?;
        if of == self.types.known.unknown {
            return Err(Abandoned);
        }
        if let Some(number) = self.types[of].enumerator(&value.text) {
            return Ok(constant(of, number));
        }
        let error = match &self.types[of].kind {
            TypeKind::Enumeration { values, .. } => {
                let error = Diagnostic::error(
                    value.span,
                    format!("`{}` has no value `{}`", family.text, value.text),
                );
                match nearest(&value.text, values.iter().map(|value| &**value)) {
                    Some(near) => error.hint(format!("did you mean `{near}`?")),
                    None => error,
                }
            }
            _ => Diagnostic::error(family.span, format!("`{}` is not an enumeration", family.text)),
        };
        self.fail_once(error)
    }

    fn field(&mut self, object: &Expression, field: &Name, span: Span) -> Outcome<Value> {
        let value = self.expression(object)?;
        self.field_of(value, field, span)
    }

    /// Reports a number with a fraction in a place where it is not supported.
    fn no_fraction(&mut self, span: Span) -> Outcome<Value> {
        let text =
            "numbers with a fraction can be added, multiplied, compared, and divided by a number";
        self.fail(Diagnostic::error(span, text).hint("use whole numbers here"))
    }

    /// The field of an object.
    pub(super) fn field_of(&mut self, value: Value, field: &Name, span: Span) -> Outcome<Value> {
        let owner = &self.types[value.of];
        let Some(found) = owner.fields.get(&field.text).cloned() else {
            let mut error = Diagnostic::error(
                field.span,
                format!("`{}` has no field `{}`", owner.name, field.text),
            );
            if let Some(near) = nearest(&field.text, owner.order.iter().map(|name| &**name)) {
                error = error.hint(format!("did you mean `{near}`?"));
            }
            return self.fail_once(error);
        };
        if found.of == self.types.known.unknown {
            return Err(Abandoned);
        }
        let place = match (&owner.kind, value.place) {
            // The fields of library objects are statistics, which are not kept.
            (TypeKind::Library, _) => ValuePlace::Constant(0),
            (TypeKind::Entry, ValuePlace::Control(control)) => {
                ValuePlace::Through { control, offset: found.offset }
            }
            (TypeKind::Entry, _) => {
                ValuePlace::Memory { base: self.load(value, span)?, offset: found.offset }
            }
            (_, ValuePlace::Register(first)) => ValuePlace::Register(first + found.offset),
            (_, ValuePlace::Control(first)) => ValuePlace::Control(first + found.offset),
            (_, ValuePlace::Memory { base, offset }) => {
                ValuePlace::Memory { base, offset: offset + found.offset }
            }
            (_, ValuePlace::Through { control, offset }) => {
                ValuePlace::Through { control, offset: offset + found.offset }
            }
            (_, ValuePlace::Constant(_) | ValuePlace::Null) => {
                return self.fail(Diagnostic::error(span, "this has no fields"));
            }
        };
        // The fields of an entry may be written even if the name of the entry may not be set.
        let writable = value.writable || self.types[value.of].kind == TypeKind::Entry;
        Ok(Value { of: found.of, place, writable })
    }

    /// Compiles a condition. Returns the jumps that are taken if it does not hold.
    pub(super) fn condition(&mut self, condition: &Expression) -> Outcome<Vec<usize>> {
        self.jumps_if(false, condition)
    }

    /// Compiles a condition. Returns the jumps that are taken if its value is `taken`; otherwise the next instruction is
    /// executed.
    pub(super) fn jumps_if(&mut self, taken: bool, condition: &Expression) -> Outcome<Vec<usize>> {
        let span = condition.span;
        match &condition.kind {
            ExpressionKind::Unary { operator: Unary::Not, value } => self.jumps_if(!taken, value),
            ExpressionKind::Binary {
                operator: operator @ (Binary::And | Binary::Or),
                left,
                right,
            } => {
                // The value of the left operand that decides without the right one.
                let decides = *operator == Binary::Or;
                let mut first = self.jumps_if(decides, left)?;
                let mut second = self.jumps_if(taken, right)?;
                if decides == taken {
                    first.append(&mut second);
                    return Ok(first);
                }
                let here = self.here();
                for at in first {
                    self.set_target(at, here);
                }
                Ok(second)
            }
            ExpressionKind::Valid { valid, value } => {
                let pointer = self.expression(value)?;
                if !self.is_pointer(pointer.of) {
                    // Compiling it as a value reports the error.
                    self.expression(condition)?;
                }
                let if_null = *valid != taken;
                if let ValuePlace::Control(control) = pointer.place {
                    let op = if if_null {
                        Op::JumpIfNull { control, target: 0 }
                    } else {
                        Op::JumpUnlessNull { control, target: 0 }
                    };
                    return Ok(vec![self.emit(op, span)]);
                }
                let left = self.load(pointer, span)?;
                Ok(vec![self.emit(if_small(if_null, left, 0), span)])
            }
            ExpressionKind::Binary {
                operator: operator @ (Binary::Equal | Binary::NotEqual),
                left,
                right,
            } => {
                let mark = self.top();
                if let Some(value) = self.small(right) {
                    let of = self.expression(right)?.of;
                    let first = self.expression(left)?;
                    if first.of == of || self.is_number(first.of) && self.is_number(of) {
                        let left = self.load(first, span)?;
                        self.release(mark);
                        let if_equal = (*operator == Binary::Equal) == taken;
                        return Ok(vec![self.emit(if_small(if_equal, left, value), span)]);
                    }
                }
                self.plain_condition(taken, condition)
            }
            _ => self.plain_condition(taken, condition),
        }
    }

    fn plain_condition(&mut self, taken: bool, condition: &Expression) -> Outcome<Vec<usize>> {
        let mark = self.top();
        let value = self.expression(condition)?;
        self.expect(self.types.known.bool, value.of, condition.span)?;
        let span = condition.span;
        let (condition, target) = (self.load(value, span)?, 0);
        self.release(mark);
        let op = if taken {
            Op::JumpIf { condition, target }
        } else {
            Op::JumpUnless { condition, target }
        };
        Ok(vec![self.emit(op, span)])
    }

    /// The value of an expression that is a small constant; `None` for other expressions.
    fn small(&mut self, expression: &Expression) -> Option<i16> {
        let value = match &expression.kind {
            ExpressionKind::Number(number) => *number,
            ExpressionKind::Bool(value) => u64::from(*value),
            ExpressionKind::Enumerator { family, value } => {
                let of = self.types.find(self.machine_name(), &family.text)?;
                self.types[of].enumerator(&value.text)?
            }
            _ => return None,
        };
        i16::try_from(value).ok()
    }

    /// Reports an error unless a value of the type `given` may be used as one of the type `wanted`.
    pub(super) fn expect(&mut self, wanted: TypeId, given: TypeId, span: Span) -> Outcome<()> {
        if self.fits(wanted, given) {
            return Ok(());
        }
        let (wanted, given) = (self.types[wanted].name.clone(), self.types[given].name.clone());
        self.fail(
            Diagnostic::error(span, format!("expected a `{wanted}`, found a `{given}`"))
                .label(format!("this is a `{given}`")),
        )
    }

    /// Whether a value of the type `given` may be used as one of the type `wanted`.
    pub(super) fn fits(&self, wanted: TypeId, given: TypeId) -> bool {
        let known = &self.types.known;
        self.types.extends(given, wanted)
            || [wanted, given].contains(&known.unknown)
            || self.is_number(wanted) && self.is_number(given)
            // The null pointer and the results of lookups fit any type of entries.
            || given == known.entry && self.types[wanted].kind == TypeKind::Entry
    }

    fn text(&mut self, text: &str) -> u64 {
        let index = self.texts.iter().position(|known| **known == *text).unwrap_or_else(|| {
            self.texts.push(text.into());
            self.texts.len() - 1
        });
        index as u64
    }

    /// The index of the table with the names of an enumeration's values.
    pub(super) fn name_table(&mut self, of: TypeId) -> Option<u16> {
        let TypeKind::Enumeration { values, .. } = self.types[of].kind.clone() else {
            return None;
        };
        let texts = values.iter().map(|value| self.text(value)).collect();
        Some(self.table(texts))
    }

    /// The index of a table of constants.
    pub(super) fn table(&mut self, table: Vec<u64>) -> u16 {
        let at = self.tables.iter().position(|known| *known == table).unwrap_or_else(|| {
            self.tables.push(table);
            self.tables.len() - 1
        });
        at as u16
    }
}

/// A constant.
pub(super) fn constant(of: TypeId, value: u64) -> Value {
    Value::fixed(of, ValuePlace::Constant(value))
}

/// A value in a register.
pub(super) fn register(of: TypeId, register: Register) -> Value {
    Value::fixed(of, ValuePlace::Register(register))
}

/// A jump that is taken if `left` equals (or, if `equal` is false, differs from) a small number.
fn if_small(equal: bool, left: Register, value: i16) -> Op {
    if equal {
        Op::JumpIfSmall { left, value, target: 0 }
    } else {
        Op::JumpUnlessSmall { left, value, target: 0 }
    }
}
