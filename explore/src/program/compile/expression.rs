//! Compiles expressions, and resolves the names in them.

use slicc::source::{Diagnostic, Span};

use super::Compiler;
use super::globals::{Global, Globals};
use crate::program::code::Code;
use crate::program::language::{Expression, ExpressionKind};

/// The value of an expression without locals. An error is reported, and the value is then 1.
pub(super) fn constant(expression: &Expression, globals: &Globals, compiler: &mut Compiler) -> i64 {
    let names = Names { globals, local: &|_| None };
    let code = names.compile(expression, compiler);
    let value = code.and_then(|code| match code.evaluate(&[]) {
        Ok(value) => Some(value),
        Err(fault) => {
            compiler.error(Diagnostic::error(expression.span, fault.to_string()));
            None
        }
    });
    value.unwrap_or(1)
}

/// The meanings of the names in an expression.
pub(super) struct Names<'a> {
    pub globals: &'a Globals<'a>,
    /// Returns the number of a local.
    pub local: &'a dyn Fn(&str) -> Option<u16>,
}

impl Names<'_> {
    /// Compiles an expression. Reports errors, and returns `None` if there are any.
    pub(super) fn compile(&self, expression: &Expression, compiler: &mut Compiler) -> Option<Code> {
        match &expression.kind {
            ExpressionKind::Number(number) => Some(Code::Number(*number)),
            ExpressionKind::Name(name) => self.name(name, expression.span, compiler),
            ExpressionKind::Negative(inner) => {
                let inner = self.compile(inner, compiler)?;
                Some(Code::Negative(Box::new(inner)))
            }
            ExpressionKind::Not(inner) => {
                let inner = self.compile(inner, compiler)?;
                Some(Code::Not(Box::new(inner)))
            }
            ExpressionKind::Binary(operator, left, right) => {
                let (left, right) = (self.compile(left, compiler), self.compile(right, compiler));
                Some(Code::Binary(*operator, Box::new(left?), Box::new(right?)))
            }
        }
    }

    fn name(&self, name: &str, span: Span, compiler: &mut Compiler) -> Option<Code> {
        if let Some(local) = (self.local)(name) {
            return Some(Code::Local(local));
        }
        let error = match self.globals.get(name) {
            Some((Global::Constant(number), _)) => return Some(Code::Number(number)),
            Some((Global::Shared(..), declared)) => {
                let message = format!("the shared variable `{name}` is read without `load`");
                Diagnostic::error(span, message)
                    .note(declared, "declared here")
                    .hint(format!("load it into a local first: `let r = load {name};`"))
            }
            Some((Global::Function(_), declared)) => {
                Diagnostic::error(span, format!("`{name}` is a function"))
                    .note(declared, "declared here")
                    .hint(format!("a call is a statement of its own: `let r = {name}(...);`"))
            }
            None => Diagnostic::error(span, format!("`{name}` is not declared"))
                .hint(format!("declare it before: `let {name} = ...;`")),
        };
        compiler.error(error);
        None
    }
}
