//! Parses statements.

use nom::Parser;
use nom::combinator::opt;
use nom::multi::{many0, separated_list1};
use nom::sequence::preceded;

use super::declaration::pairs;
use super::expression::{self, expression, qualified};
use super::input::{
    BRACES, In, PARENTHESES, Parsed, Unexpected, enclosed, if_there, name, nested, token,
};
use super::older;
use crate::ast::{Block, Expression, Name, Statement, StatementKind};
use crate::token::TokenKind;

/// Parses statements in braces.
pub(super) fn block(input: In<'_>) -> Parsed<'_, Block> {
    let (rest, statements) = nested(enclosed(BRACES, many0(statement)), input)?;
    let span = input.span_to(rest);
    Ok((rest, Block { statements, span }))
}

fn statement(input: In<'_>) -> Parsed<'_, Statement> {
    let (rest, kind) = match input.kind() {
        TokenKind::Return => with_semicolon(preceded(token(TokenKind::Return), expression))
            .map(StatementKind::Return)
            .parse(input)?,
        TokenKind::If => conditional(input)?,
        TokenKind::Enqueue => enqueue(input)?,
        TokenKind::Defer => defer(input)?,
        TokenKind::Peek => peek(input)?,
        TokenKind::StallAndWait | TokenKind::WakeupPort | TokenKind::CheckOnCacheProbe => {
            on_port(input)?
        }
        TokenKind::CheckAllocate | TokenKind::CheckNextCycle | TokenKind::CheckStopSlots => {
            check(input)?
        }
        kind if expression::begins(kind) => with_semicolon(assignment).parse(input)?,
        _ => return input.expected("a statement"),
    };
    let span = input.span_to(rest);
    Ok((rest, Statement { kind, span }))
}

/// Runs a parser and expects a semicolon after it.
pub(super) fn with_semicolon<'a, T>(
    mut parser: impl Parser<In<'a>, Output = T, Error = Unexpected>,
) -> impl FnMut(In<'a>) -> Parsed<'a, T> {
    move |input| {
        let (rest, inner) = parser.parse(input)?;
        let (rest, _) = token(TokenKind::Semicolon)(rest)?;
        Ok((rest, inner))
    }
}

/// Parses an expression, or two with `:=` between them.
fn assignment(input: In<'_>) -> Parsed<'_, StatementKind> {
    let (rest, target) = expression(input)?;
    let (rest, assigns) = if_there(TokenKind::Assign, rest);
    if !assigns {
        return Ok((rest, StatementKind::Expression(target)));
    }
    let (rest, value) = expression(rest)?;
    Ok((rest, StatementKind::Assign { target, value }))
}

fn conditional(input: In<'_>) -> Parsed<'_, StatementKind> {
    let (rest, _) = token(TokenKind::If)(input)?;
    let (rest, condition) = enclosed(PARENTHESES, expression).parse(rest)?;
    let (rest, then) = block(rest)?;
    let (rest, has_else) = if_there(TokenKind::Else, rest);
    let (rest, otherwise) = match (has_else, rest.kind()) {
        (false, _) => (rest, None),
        (true, TokenKind::If) => nested(else_if, rest).map(|(rest, block)| (rest, Some(block)))?,
        (true, TokenKind::OpenBrace) => block(rest).map(|(rest, block)| (rest, Some(block)))?,
        (true, _) => return rest.expected("`if` or `{`"),
    };
    let kind = StatementKind::If { condition, then, otherwise };
    Ok((rest, kind))
}

/// Parses the `if` after an `else` as a block of its own.
fn else_if(input: In<'_>) -> Parsed<'_, Block> {
    let (rest, inner) = statement(input)?;
    let span = inner.span;
    let statements = vec![inner];
    Ok((rest, Block { statements, span }))
}

/// Parses the parentheses of statements about messages: a port, a type, and what `further` parses.
fn message<'a, T>(
    further: impl Parser<In<'a>, Output = T, Error = Unexpected>,
) -> impl FnMut(In<'a>) -> Parsed<'a, (Name, Name, T)> {
    let inside =
        (name("the name of a port"), preceded(token(TokenKind::Comma), qualified), further);
    enclosed(PARENTHESES, inside)
}

fn enqueue(input: In<'_>) -> Parsed<'_, StatementKind> {
    let further = || opt(preceded(token(TokenKind::Comma), older::latency));
    let (rest, (port, message, (latency, bypass))) =
        message((further(), further())).parse(input.next())?;
    let (rest, body) = block(rest)?;
    let kind = StatementKind::Enqueue { port, message, latency, bypass, body };
    Ok((rest, kind))
}

fn defer(input: In<'_>) -> Parsed<'_, StatementKind> {
    let nothing = |input| Ok((input, ()));
    let (rest, (port, message, ())) = message(nothing).parse(input.next())?;
    let (rest, body) = block(rest)?;
    let kind = StatementKind::Defer { port, message, body };
    Ok((rest, kind))
}

fn peek(input: In<'_>) -> Parsed<'_, StatementKind> {
    let (rest, (port, message, pairs)) = message(pairs).parse(input.next())?;
    let (rest, body) = block(rest)?;
    let kind = StatementKind::Peek { port, message, pairs, body };
    Ok((rest, kind))
}

/// Parses a statement about a port and an address.
fn on_port(input: In<'_>) -> Parsed<'_, StatementKind> {
    let inside = (
        name("the name of a port"),
        preceded(token(TokenKind::Comma), name("the name of an address")),
    );
    let (rest, (port, address)) =
        with_semicolon(enclosed(PARENTHESES, inside)).parse(input.next())?;
    let kind = match input.kind() {
        TokenKind::StallAndWait => StatementKind::StallAndWait { port, address },
        TokenKind::WakeupPort => StatementKind::WakeupPort { port, address },
        _ => StatementKind::CheckOnCacheProbe { port, address },
    };
    Ok((rest, kind))
}

/// Parses a `check_...` statement.
fn check(input: In<'_>) -> Parsed<'_, StatementKind> {
    with_semicolon(enclosed(PARENTHESES, checked(input.kind()))).parse(input.next())
}

/// Parses the inside of the parentheses of a `check_...` statement.
fn checked<'a>(kind: TokenKind) -> impl Fn(In<'a>) -> Parsed<'a, StatementKind> {
    move |input| match kind {
        TokenKind::CheckAllocate => {
            name("the name of a table").map(StatementKind::CheckAllocate).parse(input)
        }
        TokenKind::CheckStopSlots => separated_list1(token(TokenKind::Comma), expression)
            .map(|_: Vec<Expression>| StatementKind::CheckStopSlots)
            .parse(input),
        _ => Ok((input, StatementKind::CheckNextCycle)),
    }
}
