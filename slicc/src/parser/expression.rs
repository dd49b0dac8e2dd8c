//! Parses expressions.

use nom::Parser;
use nom::combinator::{map, opt};
use nom::multi::separated_list0;
use nom::sequence::terminated;

use super::input::{
    BRACKETS, In, PARENTHESES, Parsed, enclosed, if_there, name, nested, text, token,
};
use crate::ast::{Binary, Expression, ExpressionKind, Name, Unary};
use crate::source::Span;
use crate::token::TokenKind;

/// Parses an expression that is not part of another.
pub(super) fn expression(input: In<'_>) -> Parsed<'_, Expression> {
    input.context.begin_expression();
    part(input)
}

/// Parses an expression inside another.
fn part(input: In<'_>) -> Parsed<'_, Expression> {
    nested(|input| binary(input, 0), input)
}

/// Whether an expression may begin with this token.
pub(super) fn begins(kind: TokenKind) -> bool {
    unary_operator(kind).is_some()
        || matches!(
            kind,
            TokenKind::Name
                | TokenKind::Number
                | TokenKind::Float
                | TokenKind::Text
                | TokenKind::True
                | TokenKind::False
                | TokenKind::Null
                | TokenKind::New
                | TokenKind::OpenParenthesis
                | TokenKind::StaticCast
                | TokenKind::IsValid
                | TokenKind::IsInvalid
        )
}

/// Parses operands joined by binary operators of precedence `weakest` or higher.
fn binary(input: In<'_>, weakest: u8) -> Parsed<'_, Expression> {
    let (mut rest, mut left) = unary(input)?;
    while let Some((operator, strength)) = binary_operator(rest.kind())
        && strength >= weakest
    {
        rest.operator()?;
        let (after, right) = binary(rest.next(), strength + 1)?;
        rest = after;
        left = Expression {
            span: left.span.to(right.span),
            kind: ExpressionKind::Binary { operator, left: Box::new(left), right: Box::new(right) },
        };
    }
    Ok((rest, left))
}

/// The binary operator and its precedence; a higher number binds more tightly.
fn binary_operator(kind: TokenKind) -> Option<(Binary, u8)> {
    Some(match kind {
        TokenKind::Or => (Binary::Or, 0),
        TokenKind::And => (Binary::And, 1),
        TokenKind::Equal => (Binary::Equal, 2),
        TokenKind::NotEqual => (Binary::NotEqual, 2),
        TokenKind::Less => (Binary::Less, 3),
        TokenKind::Greater => (Binary::Greater, 3),
        TokenKind::LessEqual => (Binary::LessEqual, 3),
        TokenKind::GreaterEqual => (Binary::GreaterEqual, 3),
        TokenKind::ShiftLeft => (Binary::ShiftLeft, 4),
        TokenKind::ShiftRight => (Binary::ShiftRight, 4),
        TokenKind::Plus => (Binary::Add, 5),
        TokenKind::Minus => (Binary::Subtract, 5),
        TokenKind::Star => (Binary::Multiply, 6),
        TokenKind::Slash => (Binary::Divide, 6),
        TokenKind::Percent => (Binary::Remainder, 6),
        _ => return None,
    })
}

fn unary_operator(kind: TokenKind) -> Option<Unary> {
    Some(match kind {
        TokenKind::Not => Unary::Not,
        TokenKind::Minus => Unary::Minus,
        TokenKind::Increment => Unary::Increment,
        TokenKind::Decrement => Unary::Decrement,
        _ => return None,
    })
}

fn unary(input: In<'_>) -> Parsed<'_, Expression> {
    let Some(operator) = unary_operator(input.kind()) else {
        return postfix(input);
    };
    let (rest, value) = nested(unary, input.next())?;
    let expression = Expression {
        span: input.token().span.to(value.span),
        kind: ExpressionKind::Unary { operator, value: Box::new(value) },
    };
    Ok((rest, expression))
}

/// Parses a primary expression followed by fields, methods and indices.
fn postfix(input: In<'_>) -> Parsed<'_, Expression> {
    let (mut rest, mut expression) = primary(input)?;
    loop {
        let (after, kind) = match rest.kind() {
            TokenKind::Dot => {
                rest.operator()?;
                member(rest.next(), expression)?
            }
            TokenKind::OpenBracket => {
                rest.operator()?;
                let (after, indices) = enclosed(BRACKETS, list).parse(rest)?;
                let object = Box::new(expression);
                (after, ExpressionKind::Index { object, indices })
            }
            _ => return Ok((rest, expression)),
        };
        let span = input.span_to(after);
        expression = Expression { kind, span };
        rest = after;
    }
}

/// Parses the field or method after a dot.
fn member(input: In<'_>, object: Expression) -> Parsed<'_, ExpressionKind> {
    let object = Box::new(object);
    let (rest, field) = name("the name of a field or method")(input)?;
    if rest.kind() != TokenKind::OpenParenthesis {
        return Ok((rest, ExpressionKind::Field { object, field }));
    }
    let (rest, arguments) = arguments(rest)?;
    let method = ExpressionKind::Method { object, method: field, arguments };
    Ok((rest, method))
}

/// Parses expressions separated by commas; a comma may follow the last one.
fn list(input: In<'_>) -> Parsed<'_, Vec<Expression>> {
    let (rest, list) = separated_list0(token(TokenKind::Comma), part).parse(input)?;
    let rest = if list.is_empty() { rest } else { if_there(TokenKind::Comma, rest).0 };
    Ok((rest, list))
}

fn arguments(input: In<'_>) -> Parsed<'_, Vec<Expression>> {
    enclosed(PARENTHESES, list).parse(input)
}

fn primary(input: In<'_>) -> Parsed<'_, Expression> {
    let (rest, kind) = match input.kind() {
        TokenKind::Name => named(input)?,
        TokenKind::OpenParenthesis => {
            map(enclosed(PARENTHESES, part), |inner| inner.kind).parse(input)?
        }
        TokenKind::New => map(qualified, ExpressionKind::New).parse(input.next())?,
        TokenKind::StaticCast => enclosed(PARENTHESES, cast).parse(input.next())?,
        TokenKind::IsValid | TokenKind::IsInvalid => {
            let valid = input.kind() == TokenKind::IsValid;
            let (rest, value) = enclosed(PARENTHESES, part).parse(input.next())?;
            let value = Box::new(value);
            (rest, ExpressionKind::Valid { valid, value })
        }
        TokenKind::Null => (input.next(), ExpressionKind::Null),
        _ => literal(input)?,
    };
    let span = input.span_to(rest);
    Ok((rest, Expression { kind, span }))
}

/// Parses a number, a string, `true` or `false`.
pub(super) fn literal(input: In<'_>) -> Parsed<'_, ExpressionKind> {
    let kind = match input.kind() {
        // The lexer has checked that numbers fit.
        TokenKind::Number => ExpressionKind::Number(input.text().parse().unwrap_or(u64::MAX)),
        TokenKind::Float => ExpressionKind::Float(input.text().parse().unwrap_or(f64::MAX)),
        TokenKind::True => ExpressionKind::Bool(true),
        TokenKind::False => ExpressionKind::Bool(false),
        TokenKind::Text => return map(text, |text| ExpressionKind::Text(text.text)).parse(input),
        _ => return input.expected("an expression"),
    };
    Ok((input.next(), kind))
}

/// Parses an expression that begins with a name, of a kind that the following token decides.
fn named(input: In<'_>) -> Parsed<'_, ExpressionKind> {
    match input.second() {
        TokenKind::Scope | TokenKind::Name => typed(input),
        TokenKind::Colon => {
            let (rest, (family, value)) = enumerator(input)?;
            Ok((rest, ExpressionKind::Enumerator { family, value }))
        }
        TokenKind::OpenParenthesis => {
            let (rest, (function, arguments)) = (name("a name"), arguments).parse(input)?;
            let call = ExpressionKind::Call { function, arguments };
            Ok((rest, call))
        }
        _ => map(name("a name"), ExpressionKind::Name).parse(input),
    }
}

/// Parses an expression that begins with a type: a local, or a call of the type's function.
fn typed(input: In<'_>) -> Parsed<'_, ExpressionKind> {
    let (rest, parts) = scoped(input)?;
    if rest.kind() != TokenKind::OpenParenthesis {
        let kind = joined(&parts);
        let (rest, name) = name("the name of a local variable")(rest)?;
        return Ok((rest, ExpressionKind::Local { kind, name }));
    }
    let (rest, arguments) = arguments(rest)?;
    let (function, class) = match parts.split_last() {
        Some((function, class)) if !class.is_empty() => (function.clone(), joined(class)),
        // The caller saw a name and `::`, so there are at least two parts.
        _ => return input.expected("a type"),
    };
    let call = ExpressionKind::StaticCall { class, function, arguments };
    Ok((rest, call))
}

/// Parses `Enumeration:VALUE`.
pub(super) fn enumerator(input: In<'_>) -> Parsed<'_, (Name, Name)> {
    let (rest, family) = name("the name of an enumeration")(input)?;
    let (rest, _) = token(TokenKind::Colon)(rest)?;
    let (rest, value) = name("the name of a value")(rest)?;
    Ok((rest, (family, value)))
}

/// Parses a type: names joined by `::`.
pub(super) fn qualified(input: In<'_>) -> Parsed<'_, Name> {
    if input.second() != TokenKind::Scope {
        return name("a type")(input);
    }
    map(scoped, |parts| joined(&parts)).parse(input)
}

fn scoped(input: In<'_>) -> Parsed<'_, Vec<Name>> {
    let (mut rest, first) = name("a type")(input)?;
    let mut parts = vec![first];
    while rest.kind() == TokenKind::Scope {
        let (after, part) = name("a name")(rest.next())?;
        parts.push(part);
        rest = after;
    }
    Ok((rest, parts))
}

fn joined(parts: &[Name]) -> Name {
    let texts: Vec<&str> = parts.iter().map(|part| &*part.text).collect();
    let spans = parts.iter().map(|part| part.span);
    Name { text: texts.join("::").into(), span: spans.reduce(Span::to).unwrap_or_default() }
}

/// Parses the inside of the parentheses of `static_cast`.
fn cast(input: In<'_>) -> Parsed<'_, ExpressionKind> {
    let (rest, to) = terminated(qualified, token(TokenKind::Comma)).parse(input)?;
    let mode = |input| -> Parsed<'_, Option<Name>> {
        // A string that no comma follows is the value, not the mode.
        match (In::kind(input), In::second(input)) {
            (TokenKind::Text, TokenKind::Comma) => {
                opt(terminated(text, token(TokenKind::Comma))).parse(input)
            }
            _ => Ok((input, None)),
        }
    };
    let (rest, mode) = mode(rest)?;
    let (rest, value) = part(rest)?;
    let value = Box::new(value);
    Ok((rest, ExpressionKind::Cast { to, mode, value }))
}
