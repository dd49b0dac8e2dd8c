//! Parses expressions, and places of shared memory.

use nom::IResult;
use nom::character::complete::digit1;
use nom::error::Error;

use super::Reader;
use super::words::{self, Parsed, SyntaxError};
use crate::program::language::{Binary, Expression, ExpressionKind, Place};

impl<'a> Reader<'a> {
    /// Parses an expression that is not part of another.
    pub(super) fn expression(&self, input: &'a str) -> Parsed<'a, Expression> {
        self.operators.set(0);
        self.level(0, input)
    }

    /// Parses operands joined by operators of this level, which associate to the left.
    fn level(&self, level: usize, input: &'a str) -> Parsed<'a, Expression> {
        let Some(operators) = Binary::LEVELS.get(level) else {
            return self.operand(input);
        };
        let (mut rest, mut left) = self.level(level + 1, input)?;
        while let Some(&(symbol, operator)) = operators.iter().find(|it| rest.starts_with(it.0)) {
            self.operator(rest)?;
            let (after, right) = self.level(level + 1, words::blank(&rest[symbol.len()..])?)?;
            left = Expression {
                kind: ExpressionKind::Binary(operator, Box::new(left), Box::new(right)),
                span: self.span(input, after),
            };
            rest = after;
        }
        Ok((rest, left))
    }

    fn operand(&self, input: &'a str) -> Parsed<'a, Expression> {
        let wrong = || SyntaxError::expected(input, "an expression");
        let (rest, kind) = match input.chars().next().ok_or_else(wrong)? {
            '(' => {
                let inside = |input| self.level(0, words::blank(input)?);
                let (rest, inner) = self.nested(&input[1..], inside)?;
                (words::symbol(")")(rest)?.0, inner.kind)
            }
            sign @ ('-' | '!') => {
                self.operator(input)?;
                let behind = |input| self.operand(words::blank(input)?);
                let (rest, inner) = self.nested(&input[1..], behind)?;
                let kind = match sign {
                    '-' => ExpressionKind::Negative,
                    _ => ExpressionKind::Not,
                };
                (rest, kind(Box::new(inner)))
            }
            '0'..='9' => number(input)?,
            _ => {
                let (rest, name) = self.name("an expression", input)?;
                (rest, ExpressionKind::Name(name.text))
            }
        };
        let span = self.span(input, rest);
        Ok((rest, Expression { kind, span }))
    }

    /// Parses `x` or `node[i]`.
    pub(super) fn place(&self, input: &'a str) -> Parsed<'a, Place> {
        let (rest, name) = self.name("the name of a shared variable", input)?;
        let (rest, index) = match words::symbol("[")(rest) {
            Err(_) => (rest, None),
            Ok((rest, _)) => {
                let (rest, index) = self.expression(rest)?;
                (words::symbol("]")(rest)?.0, Some(index))
            }
        };
        let span = self.span(input, rest);
        Ok((rest, Place { name, index, span }))
    }
}

fn number(input: &str) -> Parsed<'_, ExpressionKind> {
    let digits: IResult<&str, &str, Error<&str>> = digit1(input);
    let (rest, digits) = digits.map_err(|_| SyntaxError::expected(input, "a number"))?;
    let is_part = |c: char| c.is_ascii_alphabetic() || c == '_';
    match digits.parse() {
        _ if rest.starts_with(is_part) => Err(SyntaxError::expected(input, "a number or a name")),
        Ok(number) => Ok((words::blank(rest)?, ExpressionKind::Number(number))),
        Err(_) => {
            let hint = "numbers have 63 bits and a sign";
            Err(SyntaxError::limit(input, "this number is too large".into(), hint))
        }
    }
}
