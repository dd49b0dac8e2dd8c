//! Parses statements.

use super::Reader;
use super::words::{self, Parsed, SyntaxError};
use crate::program::language::{Access, Block, Operation, Statement, StatementKind, Value};

impl<'a> Reader<'a> {
    /// Parses statements in braces.
    pub(super) fn block(&self, input: &'a str) -> Parsed<'a, Block> {
        let (rest, _) = words::symbol("{")(input)?;
        let (rest, statements) = self.nested(rest, |rest| self.statements(rest))?;
        let (rest, _) = words::symbol("}")(rest)?;
        let span = self.span(input, rest);
        Ok((rest, Block { statements, span }))
    }

    fn statements(&self, mut rest: &'a str) -> Parsed<'a, Vec<Statement>> {
        let mut statements = Vec::new();
        while !rest.starts_with('}') {
            if rest.is_empty() {
                return Err(SyntaxError::expected(rest, "`}`"));
            }
            let (after, statement) = self.statement(rest)?;
            statements.push(statement);
            rest = after;
        }
        Ok((rest, statements))
    }

    fn statement(&self, input: &'a str) -> Parsed<'a, Statement> {
        let (rest, word) = words::word("a statement")(input)?;
        let (rest, kind) = match word {
            "if" => self.conditional(rest)?,
            "loop" => self.bounded(rest)?,
            "while" => self.while_loop(rest)?,
            _ => {
                let (rest, kind) = self.simple(word, input, rest)?;
                (words::end(rest)?, kind)
            }
        };
        let span = self.span(input, rest);
        Ok((rest, Statement { kind, span }))
    }

    /// Parses a statement that ends with a semicolon; `input` begins with `word`, and `rest`
    /// follows it.
    fn simple(&self, word: &str, input: &'a str, rest: &'a str) -> Parsed<'a, StatementKind> {
        Ok(match word {
            "let" => {
                let (rest, name) = self.name("the name of a local", rest)?;
                let (rest, _) = words::symbol("=")(rest)?;
                let (rest, value) = self.value(rest)?;
                (rest, StatementKind::Let(name, value))
            }
            "fence" => (rest, StatementKind::Fence),
            "yield" => (rest, StatementKind::Yield),
            "break" => (rest, StatementKind::Break),
            "continue" => (rest, StatementKind::Continue),
            "assert" => {
                let (rest, claim) = self.expression(rest)?;
                (rest, StatementKind::Assert(claim))
            }
            "return" if rest.starts_with(';') => (rest, StatementKind::Return(None)),
            "return" => {
                let (rest, result) = self.expression(rest)?;
                (rest, StatementKind::Return(Some(result)))
            }
            "store" => {
                let (rest, store) = self.store(input, rest)?;
                (rest, StatementKind::Do(Value::Access(store)))
            }
            _ if operation(word).is_some() => {
                let (rest, value) = self.value(input)?;
                (rest, StatementKind::Do(value))
            }
            _ => self.assignment(input)?,
        })
    }

    /// Parses `r = value` or `f(a, b)`.
    fn assignment(&self, input: &'a str) -> Parsed<'a, StatementKind> {
        let (rest, name) = self.name("a statement", input)?;
        if rest.starts_with('(') {
            let (rest, arguments) = words::list(|input| self.expression(input))(rest)?;
            return Ok((rest, StatementKind::Do(Value::Call(name, arguments))));
        }
        let assign = words::symbol("=")(rest);
        let (rest, _) = assign.map_err(|_| SyntaxError::expected(rest, "`=` or `(`"))?;
        let (rest, value) = self.value(rest)?;
        Ok((rest, StatementKind::Assign(name, value)))
    }

    /// Parses what may follow `let r =`.
    fn value(&self, input: &'a str) -> Parsed<'a, Value> {
        let Ok((rest, word)) = words::word("an expression")(input) else {
            return self.local(input);
        };
        match operation(word) {
            Some(operation) => {
                let (rest, access) = self.access(operation, input, rest)?;
                Ok((rest, Value::Access(access)))
            }
            None if rest.starts_with('(') && !words::RESERVED.contains(&word) => {
                let (rest, name) = self.name("the name of a function", input)?;
                let (rest, arguments) = words::list(|input| self.expression(input))(rest)?;
                Ok((rest, Value::Call(name, arguments)))
            }
            None => self.local(input),
        }
    }

    fn local(&self, input: &'a str) -> Parsed<'a, Value> {
        let (rest, expression) = self.expression(input)?;
        Ok((rest, Value::Expression(expression)))
    }

    /// Parses `store x = e`.
    fn store(&self, input: &'a str, rest: &'a str) -> Parsed<'a, Access> {
        let (rest, place) = self.place(rest)?;
        let (rest, _) = words::symbol("=")(rest)?;
        let (rest, value) = self.expression(rest)?;
        let access = Access {
            operation: Operation::Store,
            place,
            operands: vec![value],
            span: self.span(input, rest),
        };
        Ok((rest, access))
    }

    /// Parses any other access: its place and operands, separated by commas.
    fn access(&self, operation: Operation, input: &'a str, rest: &'a str) -> Parsed<'a, Access> {
        let operands = match operation {
            Operation::Load | Operation::Store => 0,
            Operation::Swap | Operation::Add => 1,
            Operation::Cas => 2,
        };
        let (mut rest, place) = self.place(rest)?;
        let mut access =
            Access { operation, place, operands: Vec::new(), span: self.span(input, rest) };
        for _ in 0..operands {
            let (after, operand) = self.expression(words::symbol(",")(rest)?.0)?;
            access.operands.push(operand);
            rest = after;
        }
        access.span = self.span(input, rest);
        Ok((rest, access))
    }

    fn conditional(&self, input: &'a str) -> Parsed<'a, StatementKind> {
        let (rest, condition) = self.expression(input)?;
        let (rest, then) = self.block(rest)?;
        let Ok((rest, _)) = words::keyword("else", "`else`")(rest) else {
            return Ok((rest, StatementKind::If(condition, then, None)));
        };
        let (rest, otherwise) = if words::keyword("if", "`if`")(rest).is_ok() {
            self.nested(rest, |rest| self.else_if(rest))?
        } else if rest.starts_with('{') {
            self.block(rest)?
        } else {
            return Err(SyntaxError::expected(rest, "`if` or `{`"));
        };
        Ok((rest, StatementKind::If(condition, then, Some(otherwise))))
    }

    /// Parses the `if` after an `else` as a block of its own.
    fn else_if(&self, input: &'a str) -> Parsed<'a, Block> {
        let (rest, inner) = self.statement(input)?;
        let span = inner.span;
        let statements = vec![inner];
        Ok((rest, Block { statements, span }))
    }

    fn bounded(&self, input: &'a str) -> Parsed<'a, StatementKind> {
        if input.starts_with('{') {
            return Err(SyntaxError::expected(input, "the bound of the loop"));
        }
        let (rest, bound) = self.expression(input)?;
        let (rest, body) = self.block(rest)?;
        Ok((rest, StatementKind::Loop(bound, body)))
    }

    fn while_loop(&self, input: &'a str) -> Parsed<'a, StatementKind> {
        let (rest, condition) = self.expression(input)?;
        let (rest, _) = words::keyword("limit", "`limit` and a bound")(rest)?;
        let (rest, bound) = self.expression(rest)?;
        let (rest, body) = self.block(rest)?;
        Ok((rest, StatementKind::While(condition, bound, body)))
    }
}

/// The operation with this keyword, if it has a result.
fn operation(word: &str) -> Option<Operation> {
    let mut all = Operation::ALL.into_iter();
    all.find(|it| it.name() == word && *it != Operation::Store)
}
