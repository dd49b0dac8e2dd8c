//! The grammar of SLICC in older versions of gem5, where it differs from today's.
//!
//! Each function here accepts today's form as well, and returns the syntax tree of today's form. Changes that involve
//! other places of the tree are in [`crate::dialect`].

use nom::Parser;
use nom::combinator::{map, opt};
use nom::multi::{many0, separated_list1};
use nom::sequence::preceded;

use super::declaration::{self, head, object, pair};
use super::expression::{enumerator, expression, literal, qualified};
use super::input::{BRACES, In, Parsed, enclosed, if_there, name, text, token};
use crate::ast::{Declaration, Expression, ExpressionKind, Name, Object, Pair, PairKind};
use crate::source::Span;
use crate::token::TokenKind;

/// Parses the name of a machine: `MachineType:L1Cache`. Until July 2015 it was `L1Cache` alone,
/// or `{L1Cache, L2Cache}` for a machine whose caches are of several levels: it is of the first type.
pub(super) fn machine_name(input: In<'_>) -> Parsed<'_, (Name, Name)> {
    if input.second() == TokenKind::Colon {
        return enumerator(input);
    }
    let family = |name: Name| (Name { text: "MachineType".into(), span: name.span }, name);
    if input.kind() == TokenKind::OpenBrace {
        let names = separated_list1(token(TokenKind::Comma), name("the name of a machine"));
        let (rest, mut names) = enclosed(BRACES, names).parse(input)?;
        return Ok((rest, family(names.swap_remove(0))));
    }
    map(name("the name of an enumeration"), family).parse(input)
}

/// Parses the parameters of a machine, with the colon in front, up to the brace. Until August 2014
/// they stood with commas between them and `=` before the default value, and a machine without
/// parameters had no colon.
pub(super) fn parameters(input: In<'_>) -> Parsed<'_, Vec<Object>> {
    if input.kind() == TokenKind::OpenBrace {
        return Ok((input, Vec::new()));
    }
    let (rest, _) = token(TokenKind::Colon)(input)?;
    if is_older(rest) { many0(parameter).parse(rest) } else { many0(object).parse(rest) }
}

/// Whether the first parameter ends like an older one: no semicolon comes before the brace.
fn is_older(mut input: In<'_>) -> bool {
    loop {
        match input.kind() {
            TokenKind::Semicolon | TokenKind::End => return false,
            TokenKind::OpenBrace => return true,
            _ => input = input.next(),
        }
    }
}

/// Parses an older parameter, and the comma after it.
fn parameter(input: In<'_>) -> Parsed<'_, Object> {
    if input.text().starts_with("LATENCY_") {
        let name = input.text();
        let message = format!(
            "`{name}` is a latency of gem5's global configuration, which gem5 had in 2009 and which is not supported"
        );
        return input.refused(message, "declare a parameter such as `int request_latency = 2`");
    }
    let (rest, kind) = qualified(input)?;
    let (rest, pointer) = if_there(TokenKind::Star, rest);
    let (rest, name) = name("a name")(rest)?;
    let (rest, value) = opt(preceded(token(TokenKind::Attribute), value)).parse(rest)?;
    let (rest, pairs) = many0(attribute).parse(rest)?;
    let span = input.span_to(rest);
    let (rest, _) = if_there(TokenKind::Comma, rest);
    // `Type * name = 'NULL'` says that the object may be missing.
    let is_null =
        |value: &Expression| matches!(&value.kind, ExpressionKind::Text(text) if &**text == "NULL");
    let value = value.filter(|value| !is_null(value));
    Ok((rest, Object { kind, pointer, name, pairs, value, span }))
}

/// Parses an attribute of a parameter. If a type follows the comma, the next parameter begins there instead.
fn attribute(input: In<'_>) -> Parsed<'_, Pair> {
    let after = input.next();
    if input.kind() == TokenKind::Comma && after.second() != TokenKind::Attribute {
        return input.expected("`{`");
    }
    preceded(token(TokenKind::Comma), pair).parse(input)
}

/// Parses the declaration of a type of the library. Until March 2011, a type with methods, which is a `structure`
/// today, was declared in this way, too.
pub(super) fn external_type(input: In<'_>) -> Parsed<'_, Declaration> {
    let (after, (name, _)) = head(qualified).parse(input.next())?;
    if after.kind() != TokenKind::OpenBrace {
        return map(declaration::external_type, Declaration::ExternalType).parse(input);
    }
    let (rest, mut structure) = declaration::structure(input)?;
    let key = Name { text: "external".into(), span: name.span };
    let value = Name { text: "yes".into(), span: name.span };
    structure.pairs.push(Pair { key, value, kind: PairKind::Word });
    Ok((rest, Declaration::Structure(structure)))
}

/// Parses the latency of `enqueue`, which is an expression. Until April 2014 it was written
/// `latency=name` or `latency="number"`.
pub(super) fn latency(input: In<'_>) -> Parsed<'_, Expression> {
    if input.kind() != TokenKind::Name || input.second() != TokenKind::Attribute {
        return expression(input);
    }
    value(input.next().next())
}

/// Parses the value of an older attribute: a name, or a literal, which may stand in quotes.
fn value(input: In<'_>) -> Parsed<'_, Expression> {
    if input.kind() == TokenKind::Text {
        return map(text, |text| quoted(&text.text, text.span)).parse(input);
    }
    let (rest, kind) = match input.kind() {
        TokenKind::Name => map(name("a name"), ExpressionKind::Name).parse(input)?,
        _ => literal(input)?,
    };
    Ok((rest, Expression { kind, span: input.span_to(rest) }))
}

/// The value in quotes: a number, a flag as Python spells it, or the name of a parameter.
fn quoted(text: &str, span: Span) -> Expression {
    let is_name = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let kind = match (text, text.parse()) {
        (_, Ok(number)) => ExpressionKind::Number(number),
        ("True" | "true", _) => ExpressionKind::Bool(true),
        ("False" | "false", _) => ExpressionKind::Bool(false),
        _ if is_name && text != "NULL" => ExpressionKind::Name(Name { text: text.into(), span }),
        _ => ExpressionKind::Text(text.into()),
    };
    Expression { kind, span }
}
