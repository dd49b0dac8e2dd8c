//! Compiles branches and loops to jumps.

use slicc::source::{Diagnostic, Span};

use super::super::expression::constant;
use super::{Body, LATER, Loop};
use crate::program::code::{Code, Instruction};
use crate::program::language::{Binary, Block, Expression, Statement, StatementKind};

/// The largest bound of a loop.
const MOST_ROUNDS: i64 = 1_000_000;

impl Body<'_, '_> {
    pub(super) fn conditional(
        &mut self,
        condition: &Expression,
        then: &Block,
        otherwise: Option<&Block>,
    ) {
        let code = self.expression(condition);
        let skip = self.code.len();
        self.code.push(Instruction::Unless(code, LATER, condition.span));
        self.block(then);
        let Some(otherwise) = otherwise else {
            return self.set_targets(&[skip]);
        };
        let end = self.code.len();
        self.code.push(Instruction::Jump(LATER));
        self.set_targets(&[skip]);
        self.block(otherwise);
        self.set_targets(&[end]);
    }

    /// Compiles a loop, which counts its rounds down.
    pub(super) fn bounded(
        &mut self,
        condition: Option<&Expression>,
        bound: &Expression,
        body: &Block,
        span: Span,
    ) {
        let rounds = constant(bound, self.globals, self.compiler);
        if !(1..=MOST_ROUNDS).contains(&rounds) {
            let message = format!("the bound of the loop is {rounds}");
            let error = Diagnostic::error(bound.span, message);
            self.error(error.hint(format!("bounds are between 1 and {MOST_ROUNDS}")));
        }
        let counter = self.new_local(span);
        self.code.push(Instruction::Set(counter, Code::Number(rounds), span));
        let top = self.code.len() as u32;
        let mut breaks = Vec::new();
        if let Some(condition) = condition {
            let code = self.expression(condition);
            breaks.push(self.code.len());
            self.code.push(Instruction::Unless(code, LATER, condition.span));
        }
        let out = self.code.len();
        let left = Code::Local(counter);
        self.code.push(Instruction::Unless(left.clone(), LATER, span));
        let less = Binary::Minus;
        let one_less = Code::Binary(less, Box::new(left), Box::new(Code::Number(1)));
        self.code.push(Instruction::Set(counter, one_less, span));
        self.loops.push(Loop { top, breaks });
        self.block(body);
        let ended = self.loops.pop().expect("the loop is open");
        self.code.push(Instruction::Jump(top));
        self.set_targets(&[out]);
        self.code.push(Instruction::CutOff(span));
        self.set_targets(&ended.breaks);
    }

    /// Compiles `break` or `continue`.
    pub(super) fn leave(&mut self, statement: &Statement) {
        let at = self.code.len();
        let is_break = matches!(statement.kind, StatementKind::Break);
        let Some(innermost) = self.loops.last_mut() else {
            let error = Diagnostic::error(statement.span, "this is not inside a loop");
            return self.error(error);
        };
        let to = if is_break {
            innermost.breaks.push(at);
            LATER
        } else {
            innermost.top
        };
        self.code.push(Instruction::Jump(to));
    }

    /// Makes these jumps lead to the next instruction.
    pub(super) fn set_targets(&mut self, jumps: &[usize]) {
        let here = self.code.len() as u32;
        for &jump in jumps {
            if let Instruction::Jump(to) | Instruction::Unless(_, to, _) = &mut self.code[jump] {
                *to = here;
            }
        }
    }
}
