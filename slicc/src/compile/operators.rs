//! Compiles unary and binary operators.

use super::Compiler;
use super::body::{Outcome, Value, ValuePlace};
use super::expressions::{constant, register};
use super::op::{Op, Register};
use super::types::{TypeId, TypeKind};
use crate::ast::{Binary, Expression, Unary};
use crate::source::{Diagnostic, Span};

impl Compiler<'_> {
    pub(super) fn unary(
        &mut self,
        operator: Unary,
        operand: &Expression,
        span: Span,
    ) -> Outcome<Value> {
        let known = self.types.known;
        if operator == Unary::Increment && self.is_unknown_statistic(operand) {
            return Ok(constant(known.scalar, 0));
        }
        let value = self.expression(operand)?;
        match operator {
            Unary::Not => {
                self.expect(known.bool, value.of, operand.span)?;
                let from = self.load(value, span)?;
                let to = self.register(span)?;
                self.emit(Op::Not { to, from }, span);
                Ok(register(known.bool, to))
            }
            Unary::Minus => {
                self.expect(known.int, value.of, operand.span)?;
                let right = self.load(value, span)?;
                let left = self.register(span)?;
                self.emit(Op::Small { to: left, value: 0 }, span);
                let to = self.register(span)?;
                self.emit(Op::Subtract { to, left, right }, span);
                self.emit(Op::Narrow { to }, span);
                Ok(register(known.int, to))
            }
            Unary::Increment if value.of == known.scalar => Ok(value),
            Unary::Increment | Unary::Decrement => self.fail(
                Diagnostic::error(
                    span,
                    "`++` is for statistics (type Scalar), and `--` for nothing",
                )
                .hint("write `x := x + 1;`"),
            ),
        }
    }

    /// Compiles an operator whose operands are both evaluated.
    pub(super) fn binary(
        &mut self,
        operator: Binary,
        left: &Expression,
        right: &Expression,
        span: Span,
    ) -> Outcome<Value> {
        match operator {
            Binary::Equal
            | Binary::NotEqual
            | Binary::Less
            | Binary::Greater
            | Binary::LessEqual
            | Binary::GreaterEqual => self.comparison(operator, left, right, span),
            _ => self.arithmetic(operator, left, right, span),
        }
    }

    /// Compiles `&&` and `||`, which evaluate the right operand only if needed.
    pub(super) fn connective(&mut self, condition: &Expression) -> Outcome<Value> {
        let span = condition.span;
        let to = self.register(span)?;
        let jumps = self.condition(condition)?;
        self.emit(Op::Small { to, value: 1 }, span);
        let skip = self.emit(Op::Jump { target: 0 }, span);
        let here = self.here();
        for at in jumps {
            self.set_target(at, here);
        }
        self.emit(Op::Small { to, value: 0 }, span);
        let end = self.here();
        self.set_target(skip, end);
        Ok(register(self.types.known.bool, to))
    }

    fn comparison(
        &mut self,
        operator: Binary,
        left: &Expression,
        right: &Expression,
        span: Span,
    ) -> Outcome<Value> {
        let known = self.types.known;
        let first = self.expression(left)?;
        let second = self.expression(right)?;
        let equality = matches!(operator, Binary::Equal | Binary::NotEqual);
        let numbers = self.is_number(first.of) && self.is_number(second.of);
        let pointers = self.is_pointer(first.of) && self.is_pointer(second.of);
        let is_ordered = first.of == second.of
            && (first.of == known.bool
                || matches!(self.types[first.of].kind, TypeKind::Enumeration { .. }));
        if !(numbers || is_ordered || equality && (first.of == second.of || pointers)) {
            let (one, other) =
                (self.types[first.of].name.clone(), self.types[second.of].name.clone());
            return self.fail(
                Diagnostic::error(
                    span,
                    format!("a `{one}` can't be compared with a `{other}` in this way"),
                )
                .label(format!("`{one}` here, `{other}` there")),
            );
        }
        let to = self.register(span)?;
        if self.types[first.of].is_wide() {
            let words = self.types[first.of].width() as u16;
            let left = self.registers(2, span)?;
            self.load_into(left, first, span);
            self.load_into(left + 1, second, span);
            self.emit(Op::EqualWords { to, left, words }, span);
            if operator == Binary::NotEqual {
                self.emit(Op::Not { to, from: to }, span);
            }
            return Ok(register(known.bool, to));
        }
        let (a, b) = (self.load(first, span)?, self.load(second, span)?);
        let signed = first.of == known.int && second.of == known.int;
        if !equality {
            self.note_order([first.of, second.of], span);
        }
        self.emit(compare(operator, signed, to, a, b), span);
        Ok(register(known.bool, to))
    }

    fn arithmetic(
        &mut self,
        operator: Binary,
        left: &Expression,
        right: &Expression,
        span: Span,
    ) -> Outcome<Value> {
        let known = self.types.known;
        let first = self.expression(left)?;
        let second = self.expression(right)?;
        for (value, at) in [(first, left.span), (second, right.span)] {
            if !self.is_number(value.of) && value.of != known.bool {
                let name = self.types[value.of].name.clone();
                return self.fail(
                    Diagnostic::error(at, format!("a `{name}` is not a number"))
                        .label("expected a number"),
                );
            }
        }
        let of = if first.of == known.bool || first.of == known.int { second.of } else { first.of };
        let of = match operator {
            Binary::ShiftLeft | Binary::ShiftRight => first.of,
            _ if of == known.bool => known.int,
            _ => of,
        };
        if let (ValuePlace::Constant(a), ValuePlace::Constant(b)) = (first.place, second.place)
            && let Some(folded) = fold(operator, a as i64, b as i64)
        {
            return Ok(constant(of, folded as u64));
        }
        self.note_order([first.of, second.of], span);
        let (a, b) = (self.load(first, span)?, self.load(second, span)?);
        let to = self.register(span)?;
        self.emit(calculate(operator, to, a, b), span);
        if of == known.int {
            self.emit(Op::Narrow { to }, span);
        }
        Ok(register(of, to))
    }

    /// Records that an operation depends on the values of its operands, and not only on whether they are equal.
    fn note_order(&mut self, operands: [TypeId; 2], span: Span) {
        let known = self.types.known;
        if operands.contains(&known.addr) {
            self.ordered.addresses.get_or_insert(span);
        }
        if operands.contains(&known.node) {
            self.ordered.numbers.get_or_insert(span);
        }
    }
}

fn compare(operator: Binary, signed: bool, to: Register, left: Register, right: Register) -> Op {
    match (operator, signed) {
        (Binary::Equal, _) => Op::Equal { to, left, right },
        (Binary::NotEqual, _) => Op::NotEqual { to, left, right },
        (Binary::Less, true) => Op::Less { to, left, right },
        (Binary::Less, false) => Op::Below { to, left, right },
        (Binary::Greater, true) => Op::Less { to, left: right, right: left },
        (Binary::Greater, false) => Op::Below { to, left: right, right: left },
        (Binary::LessEqual, true) => Op::LessEqual { to, left, right },
        (Binary::LessEqual, false) => Op::BelowEqual { to, left, right },
        (_, true) => Op::LessEqual { to, left: right, right: left },
        (_, false) => Op::BelowEqual { to, left: right, right: left },
    }
}

fn calculate(operator: Binary, to: Register, left: Register, right: Register) -> Op {
    match operator {
        Binary::Add => Op::Add { to, left, right },
        Binary::Subtract => Op::Subtract { to, left, right },
        Binary::Multiply => Op::Multiply { to, left, right },
        Binary::Divide => Op::Divide { to, left, right },
        Binary::Remainder => Op::Remainder { to, left, right },
        Binary::ShiftLeft => Op::ShiftLeft { to, left, right },
        _ => Op::ShiftRight { to, left, right },
    }
}

/// The result of an operation on constants, if it fits an `int`.
fn fold(operator: Binary, left: i64, right: i64) -> Option<i32> {
    let (left, right) = (i32::try_from(left).ok()?, i32::try_from(right).ok()?);
    match operator {
        Binary::Add => left.checked_add(right),
        Binary::Subtract => left.checked_sub(right),
        Binary::Multiply => left.checked_mul(right),
        _ => None,
    }
}
