//! Inlines small functions at their calls.
//!
//! Where nothing can change an argument during the call, the parameter becomes another name for it;
//! otherwise the argument is copied.

use super::Compiler;
use super::body::{Context, Outcome, Symbol, Value, ValuePlace};
use super::calls::Signature;
use super::expressions::{constant, register};
use super::op::{Op, control};
use super::types::TypeKind;
use crate::ast::{self, Block, Expression, ExpressionKind, Passing, Statement, StatementKind};
use crate::source::Span;

/// Largest number of statements of an inlined function.
const MOST_STATEMENTS: usize = 30;
/// Number of instructions of the calling function from which on nothing is inlined into it.
pub(super) const MOST_INSTRUCTIONS: usize = 4000;
/// Largest depth of functions inlined into each other.
const DEEPEST_INLINING: usize = 4;

impl Compiler<'_> {
    /// Compiles a call by inlining the function. Returns `None` if it has to be called instead.
    pub(super) fn inline(
        &mut self,
        number: u32,
        signature: &Signature,
        values: &[(Value, Span)],
        span: Span,
    ) -> Outcome<Option<Value>> {
        let Some(function) = self.bodies[number as usize] else {
            return Ok(None);
        };
        let Some(block) = &function.body else {
            return Ok(None);
        };
        let wide = self.types[signature.result].is_wide();
        if wide
            || self.inlining.contains(&number)
            || self.inlining.len() >= DEEPEST_INLINING
            || self.length() >= MOST_INSTRUCTIONS
            || !is_small(block)
        {
            return Ok(None);
        }
        let errors = self.diagnostics.len();
        self.inlining.push(number);
        let result = self.inlined(function, block, signature, values, span);
        self.inlining.pop();
        // Errors inside the function are reported where the function itself is compiled.
        if result.is_ok() {
            self.diagnostics.truncate(errors);
        }
        result.map(Some)
    }

    fn inlined(
        &mut self,
        function: &ast::Function,
        block: &Block,
        signature: &Signature,
        values: &[(Value, Span)],
        span: Span,
    ) -> Outcome<Value> {
        let known = self.types.known;
        let mut parameters = Vec::new();
        for ((value, span), (of, passing)) in values.iter().zip(&signature.parameters) {
            parameters.push(self.bind(*value, *of, *passing, *span)?);
        }
        let returns = signature.result != known.void;
        let to = if returns { Some(self.register(span)?) } else { None };
        self.open_isolated();
        for (parameter, value) in function.parameters.iter().zip(parameters) {
            if let Some(name) = &parameter.name {
                let _ = self.declare(&name.text, name.span, Symbol::Value(value));
            }
        }
        let context = Context::Inlined { result: signature.result, to, returns: Vec::new() };
        let before = std::mem::replace(&mut self.body().context, context);
        self.block(block);
        if returns && !always_returns(block) {
            self.emit(Op::NoResult, block.span);
        }
        let context = std::mem::replace(&mut self.body().context, before);
        self.close();
        if let Context::Inlined { returns, .. } = context {
            self.aim_returns(returns);
        }
        Ok(match to {
            Some(to) => register(signature.result, to),
            None => constant(known.void, 0),
        })
    }

    /// The value of a parameter: the argument itself if nothing changes it during the call, else a copy.
    fn bind(&mut self, value: Value, of: usize, passing: Passing, span: Span) -> Outcome<Value> {
        let wide = self.types[of].is_wide();
        let stays = match value.place {
            ValuePlace::Constant(_) | ValuePlace::Null | ValuePlace::Register(_) => true,
            ValuePlace::Control(offset) => {
                offset < control::FREE || self.types[value.of].kind == TypeKind::Library
            }
            ValuePlace::Memory { .. } | ValuePlace::Through { .. } => false,
        };
        if stays || wide || passing == Passing::Reference {
            return Ok(Value { of, writable: true, ..value });
        }
        let to = self.register(span)?;
        self.load_into(to, value, span);
        Ok(Value { writable: true, ..register(of, to) })
    }

    /// Makes the returns of an inlined function jump to the next instruction.
    pub(super) fn aim_returns(&mut self, mut returns: Vec<usize>) {
        // A return that is the last instruction needs no jump.
        if returns.last() == Some(&(self.code.len() - 1)) {
            returns.pop();
            self.code.pop();
            self.spans.pop();
        }
        let here = self.here();
        for at in returns {
            self.set_target(at, here);
        }
    }
}

/// Whether a function may be inlined: it is small, and changes nothing that its parameters may stand for.
fn is_small(block: &Block) -> bool {
    weight(block).is_some_and(|weight| weight <= MOST_STATEMENTS)
}

/// The number of statements of a block. `None` if one of them sets the entry or the TBE, assigns to a plain name, or
/// is of a kind that is not inlined, such as `peek` and `enqueue`.
fn weight(block: &Block) -> Option<usize> {
    let mut sum = 0;
    for statement in &block.statements {
        sum += 1 + match &statement.kind {
            StatementKind::If { then, otherwise, .. } => {
                weight(then)? + otherwise.as_ref().map_or(Some(0), weight)?
            }
            StatementKind::Expression(expression) if rebinds(expression) => return None,
            StatementKind::Assign {
                target: Expression { kind: ExpressionKind::Name(_), .. },
                ..
            } => return None,
            StatementKind::Expression(_)
            | StatementKind::Assign { .. }
            | StatementKind::Return(_) => 0,
            _ => return None,
        };
    }
    Some(sum)
}

fn rebinds(expression: &Expression) -> bool {
    let ExpressionKind::Call { function, .. } = &expression.kind else {
        return false;
    };
    matches!(&*function.text, "set_cache_entry" | "unset_cache_entry" | "set_tbe" | "unset_tbe")
}

/// Whether the end of a block is unreachable.
fn always_returns(block: &Block) -> bool {
    match block.statements.last() {
        Some(Statement { kind: StatementKind::Return(_), .. }) => true,
        Some(Statement {
            kind: StatementKind::If { then, otherwise: Some(otherwise), .. },
            ..
        }) => always_returns(then) && always_returns(otherwise),
        Some(Statement { kind: StatementKind::Expression(expression), .. }) => {
            matches!(&expression.kind, ExpressionKind::Call { function, .. } if &*function.text == "error")
        }
        _ => false,
    }
}
