//! Parses declarations.

use nom::Parser;
use nom::combinator::{map, opt};
use nom::multi::{many0, separated_list0};
use nom::sequence::{preceded, terminated};

use super::error::begins_declaration;
use super::expression::{enumerator, expression, literal, qualified};
use super::file::Include;
use super::input::{
    BRACES, Context, In, PARENTHESES, Parsed, enclosed, if_there, name, text, token,
};
use super::older;
use super::statement::{block, with_semicolon};
use crate::ast::{
    Action, Declaration, Enumeration, Expression, ExternalType, Function, InPort, Machine, Name,
    NextState, Object, OutPort, Pair, PairKind, Parameter, Passing, ProtocolLine, StateValue,
    States, Structure, Transition,
};
use crate::lexer::MOST_ERRORS;
use crate::options::is_option;
use crate::source::Diagnostic;
use crate::token::TokenKind;

/// Parses the declarations of a file.
pub(super) fn file(mut input: In<'_>) -> Vec<Declaration> {
    let mut declarations = Vec::new();
    loop {
        input = until(&mut declarations, false, input);
        match input.kind() {
            TokenKind::CloseBrace => input = stray_brace(input),
            _ => return declarations,
        }
    }
}

/// Skips a closing brace that closes nothing. It is reported only if it is the first error: after
/// another one, it is likely a consequence of that.
fn stray_brace(input: In<'_>) -> In<'_> {
    if input.context.errors() == 0 {
        let diagnostic = Diagnostic::error(input.token().span, "this `}` closes nothing")
            .hint("remove it, or look for a superfluous `}` before it");
        input.context.say(diagnostic);
    }
    input.next()
}

/// Parses declarations up to a closing brace, the end of the file or, within a machine, another
/// machine.
fn until<'a>(declarations: &mut Vec<Declaration>, in_machine: bool, mut input: In<'a>) -> In<'a> {
    while input.context.errors() < MOST_ERRORS {
        match input.kind() {
            TokenKind::CloseBrace | TokenKind::End => return input,
            TokenKind::Machine if in_machine => return input,
            _ => {}
        }
        input = match declaration(input) {
            Ok((rest, declaration)) => {
                declarations.extend(declaration);
                rest
            }
            Err(_) => recovered(input),
        };
    }
    // Too many errors: skip the rest.
    input.forward(usize::MAX)
}

/// Reports a syntax error and returns the place where parsing resumes.
fn recovered(failed: In<'_>) -> In<'_> {
    let at = failed.context.report();
    let mut input = failed.next().forward(at);
    while !begins(input) && input.kind() != TokenKind::End {
        input = input.next();
    }
    input
}

/// Whether a declaration that starts with a reserved word begins here.
fn begins(input: In<'_>) -> bool {
    let second = input.second();
    begins_declaration(input.kind())
        && matches!(second, TokenKind::OpenParenthesis | TokenKind::Text)
}

/// Parses one declaration. Returns `None` for an include, which the context collects.
fn declaration(input: In<'_>) -> Parsed<'_, Option<Declaration>> {
    let parsed = match input.kind() {
        TokenKind::Include => return map(include, |()| None).parse(input),
        TokenKind::Protocol => map(protocol, Declaration::Protocol).parse(input),
        TokenKind::Machine => map(machine, Declaration::Machine).parse(input),
        TokenKind::Action => map(action, Declaration::Action).parse(input),
        TokenKind::InPort => map(in_port, Declaration::InPort).parse(input),
        TokenKind::OutPort => map(out_port, Declaration::OutPort).parse(input),
        TokenKind::Transition => map(transition, Declaration::Transition).parse(input),
        TokenKind::ExternalType => older::external_type(input),
        TokenKind::Structure | TokenKind::Global => {
            map(structure, Declaration::Structure).parse(input)
        }
        TokenKind::Enumeration => map(enumeration, Declaration::Enumeration).parse(input),
        TokenKind::States => map(states, Declaration::States).parse(input),
        TokenKind::Void | TokenKind::Name => map(member, |member| match member {
            Member::Object(object) => Declaration::Object(object),
            Member::Function(function) => Declaration::Function(function),
        })
        .parse(input),
        _ => input.expected("a declaration"),
    };
    parsed.map(|(rest, declaration)| (rest, Some(declaration)))
}

fn protocol(input: In<'_>) -> Parsed<'_, ProtocolLine> {
    let line = map((text, options), |(name, options)| ProtocolLine { name, options });
    with_semicolon(line).parse(input.next())
}

/// Parses the options of a protocol. As in gem5, a comma may follow the last one. A word that goes on as a declaration does is none:
/// the semicolon before it is missing.
fn options(mut input: In<'_>) -> Parsed<'_, Vec<Name>> {
    let mut options = Vec::new();
    let ends = |kind| matches!(kind, TokenKind::Comma | TokenKind::Semicolon | TokenKind::End);
    while ends(input.second()) || begins_declaration(input.second()) || is_option(input.text()) {
        let Ok((rest, option)) = name("an option")(input) else {
            break;
        };
        options.push(option);
        let (rest, has_comma) = if_there(TokenKind::Comma, rest);
        if !has_comma && is_option(rest.text()) {
            return rest.expected("`,`");
        }
        input = rest;
        if !has_comma {
            break;
        }
    }
    Ok((input, options))
}

fn include(input: In<'_>) -> Parsed<'_, ()> {
    let (rest, path) = with_semicolon(text).parse(input.next())?;
    let span = input.span_to(rest);
    input.context.include(Include { path, span });
    Ok((rest, ()))
}

/// Parses attributes, each after a comma.
pub(super) fn pairs(input: In<'_>) -> Parsed<'_, Vec<Pair>> {
    many0(preceded(token(TokenKind::Comma), pair)).parse(input)
}

pub(super) fn pair(input: In<'_>) -> Parsed<'_, Pair> {
    if input.kind() == TokenKind::Text {
        let (rest, value) = text(input)?;
        let key = Name { text: "short".into(), span: value.span };
        let kind = PairKind::Text;
        return Ok((rest, Pair { key, value, kind }));
    }
    let (rest, key) = terminated(name("an attribute"), token(TokenKind::Attribute)).parse(input)?;
    let kind = match rest.kind() {
        TokenKind::Text => PairKind::Text,
        TokenKind::Number => PairKind::Number,
        TokenKind::Name => PairKind::Word,
        _ => return rest.expected("a string, a name or a number"),
    };
    let (rest, value) = match kind {
        PairKind::Text => text(rest)?,
        _ => {
            let text = rest.text().into();
            let span = rest.token().span;
            (rest.next(), Name { text, span })
        }
    };
    Ok((rest, Pair { key, value, kind }))
}

/// Parses a name and attributes in parentheses.
pub(super) fn head<'a, T>(
    first: impl Fn(In<'a>) -> Parsed<'a, T>,
) -> impl FnMut(In<'a>) -> Parsed<'a, (T, Vec<Pair>)> {
    enclosed(PARENTHESES, (first, pairs))
}

fn machine(input: In<'_>) -> Parsed<'_, Machine> {
    let (rest, ((family, name), pairs)) = head(older::machine_name).parse(input.next())?;
    let (rest, parameters) = older::parameters(rest)?;
    if rest.kind() != TokenKind::OpenBrace {
        return rest.expected("`{`");
    }
    let mut body = Vec::new();
    let errors = input.context.errors();
    let end = until(&mut body, true, rest.next());
    let (after, closed) = if_there(TokenKind::CloseBrace, end);
    if !closed && input.context.errors() == errors {
        not_closed(&name, rest, end);
    }
    let machine = Machine { family, name, pairs, parameters, body, span: input.span_to(after) };
    Ok((after, machine))
}

fn not_closed(machine: &Name, brace: In<'_>, end: In<'_>) {
    let message = format!("the machine {} is not closed", machine.text);
    let diagnostic = Diagnostic::error(end.token().span, message)
        .label("expected a declaration or `}`")
        .note(brace.token().span, "its brace is opened here");
    brace.context.say(diagnostic);
}

fn action(input: In<'_>) -> Parsed<'_, Action> {
    let (rest, (name, pairs)) = head(name("the name of the action")).parse(input.next())?;
    let (rest, body) = block(rest)?;
    let action = Action { name, pairs, body, span: input.span_to(rest) };
    Ok((rest, action))
}

/// Parses the parentheses of a port: its name, the type of its messages, its buffer, attributes.
fn port(input: In<'_>) -> Parsed<'_, (Name, Name, Name, Vec<Pair>)> {
    let inside = (
        name("the name of the port"),
        preceded(token(TokenKind::Comma), qualified),
        preceded(token(TokenKind::Comma), name("the name of a buffer")),
        pairs,
    );
    enclosed(PARENTHESES, inside).parse(input)
}

fn in_port(input: In<'_>) -> Parsed<'_, InPort> {
    let (rest, (name, message, buffer, pairs)) = port(input.next())?;
    let (rest, body) = block(rest)?;
    let port = InPort { name, message, buffer, pairs, body, span: input.span_to(rest) };
    Ok((rest, port))
}

fn out_port(input: In<'_>) -> Parsed<'_, OutPort> {
    let (rest, (name, message, buffer, pairs)) = with_semicolon(port).parse(input.next())?;
    let port = OutPort { name, message, buffer, pairs, span: input.span_to(rest) };
    Ok((rest, port))
}

fn transition(input: In<'_>) -> Parsed<'_, Transition> {
    let start = input.next();
    let inside =
        (names("a state"), preceded(token(TokenKind::Comma), names("an event")), next_state);
    let (rest, (states, events, next)) = enclosed(PARENTHESES, inside).parse(start)?;
    let head = start.span_to(rest);
    let (rest, first) = names("an action")(rest)?;
    let (rest, second) = match rest.kind() {
        TokenKind::OpenBrace => opt(names("an action")).parse(rest)?,
        TokenKind::Name => {
            input.context.greedy(rest);
            opt(names("an action")).parse(rest)?
        }
        _ => (rest, None),
    };
    let (requests, actions) = match second {
        Some(actions) => (Some(first), actions),
        None => (None, first),
    };
    let transition =
        Transition { states, events, next, requests, actions, span: input.span_to(rest), head };
    Ok((rest, transition))
}

fn next_state(input: In<'_>) -> Parsed<'_, NextState> {
    let (rest, is_there) = if_there(TokenKind::Comma, input);
    if !is_there {
        // Records that a comma was possible, for the error message if there is no parenthesis
        // either.
        let _ = token(TokenKind::Comma)(input);
        return Ok((input, NextState::Same));
    }
    if rest.kind() == TokenKind::Star {
        return Ok((rest.next(), NextState::Computed(rest.token().span)));
    }
    map(name("a state or `*`"), NextState::State).parse(rest)
}

/// Parses a name, or names in braces with commas, semicolons or nothing between them.
fn names<'a>(what: &'static str) -> impl Fn(In<'a>) -> Parsed<'a, Vec<Name>> {
    move |input| match input.kind() {
        TokenKind::Name => map(name(what), |name| vec![name]).parse(input),
        TokenKind::OpenBrace => {
            enclosed(BRACES, many0(map((name(what), separator), |(name, ())| name))).parse(input)
        }
        _ => input.expected(match what {
            "a state" => "a state or `{`",
            "an event" => "an event or `{`",
            _ => "`{`",
        }),
    }
}

fn separator(input: In<'_>) -> Parsed<'_, ()> {
    let rest = match input.kind() {
        TokenKind::Comma | TokenKind::Semicolon => input.next(),
        _ => input,
    };
    Ok((rest, ()))
}

pub(super) fn external_type(input: In<'_>) -> Parsed<'_, ExternalType> {
    let (rest, (name, pairs)) = with_semicolon(head(qualified)).parse(input.next())?;
    let external = ExternalType { name, pairs, span: input.span_to(rest) };
    Ok((rest, external))
}

pub(super) fn structure(input: In<'_>) -> Parsed<'_, Structure> {
    let (rest, (name, pairs)) = head(qualified).parse(input.next())?;
    let (rest, members) = enclosed(BRACES, many0(member)).parse(rest)?;
    let mut structure = Structure {
        name,
        pairs,
        fields: Vec::new(),
        methods: Vec::new(),
        span: input.span_to(rest),
    };
    for member in members {
        match member {
            Member::Object(field) => structure.fields.push(field),
            Member::Function(method) => structure.methods.push(method),
        }
    }
    Ok((rest, structure))
}

fn enumeration(input: In<'_>) -> Parsed<'_, Enumeration> {
    let (rest, (name, pairs)) = head(qualified).parse(input.next())?;
    let value = with_semicolon((super::input::name("the name of a value"), self::pairs));
    let (rest, values) = enclosed(BRACES, many0(value)).parse(rest)?;
    let enumeration = Enumeration { name, pairs, values, span: input.span_to(rest) };
    Ok((rest, enumeration))
}

fn states(input: In<'_>) -> Parsed<'_, States> {
    let (rest, (name, pairs)) = head(qualified).parse(input.next())?;
    let (rest, values) = enclosed(BRACES, many0(with_semicolon(state))).parse(rest)?;
    let states = States { name, pairs, values, span: input.span_to(rest) };
    Ok((rest, states))
}

fn state(input: In<'_>) -> Parsed<'_, StateValue> {
    let (rest, name) =
        terminated(name("the name of a state"), token(TokenKind::Comma)).parse(input)?;
    let (rest, (family, permission)) = enumerator(rest)?;
    let (rest, pairs) = pairs(rest)?;
    let state = StateValue { name, family, permission, pairs };
    Ok((rest, state))
}

/// A member of a structure.
enum Member {
    Object(Object),
    Function(Function),
}

/// Parses a field or a function; a function has a parenthesis after its name.
fn member(input: In<'_>) -> Parsed<'_, Member> {
    let (rest, is_void) = if_there(TokenKind::Void, input);
    if is_void {
        let result = Name { text: "void".into(), span: input.token().span };
        let (rest, name) = name("the name of the function")(rest)?;
        let (rest, function) = function(input, result, name, rest)?;
        return Ok((rest, Member::Function(function)));
    }
    let (rest, kind) = qualified(input)?;
    let (rest, pointer) = if_there(TokenKind::Star, rest);
    let (rest, name) = name("a name")(rest)?;
    if rest.kind() == TokenKind::OpenParenthesis && !pointer {
        let (rest, function) = function(input, kind, name, rest)?;
        return Ok((rest, Member::Function(function)));
    }
    let (rest, object) = declared(input, kind, pointer, name, rest)?;
    Ok((rest, Member::Object(object)))
}

/// Parses a variable, or a parameter of a machine.
pub(super) fn object(input: In<'_>) -> Parsed<'_, Object> {
    let (rest, kind) = qualified(input)?;
    let (rest, pointer) = if_there(TokenKind::Star, rest);
    let (rest, name) = name("a name")(rest)?;
    declared(input, kind, pointer, name, rest)
}

/// Parses the part of a variable's declaration after its name.
fn declared<'a>(
    start: In<'a>,
    kind: Name,
    pointer: bool,
    name: Name,
    input: In<'a>,
) -> Parsed<'a, Object> {
    let (rest, has_value) = if_there(TokenKind::Assign, input);
    let (rest, (value, pairs)) = if has_value {
        map(expression, |value| (Some(value), Vec::new())).parse(rest)?
    } else {
        map(pairs, |pairs| (None, pairs)).parse(rest)?
    };
    let (rest, _) = token(TokenKind::Semicolon)(rest)?;
    let object = Object { kind, pointer, name, pairs, value, span: start.span_to(rest) };
    Ok((rest, object))
}

/// Parses the part of a function's declaration after its name.
fn function<'a>(start: In<'a>, result: Name, name: Name, input: In<'a>) -> Parsed<'a, Function> {
    let list = separated_list0(token(TokenKind::Comma), parameter);
    let (rest, parameters) = enclosed(PARENTHESES, list).parse(input)?;
    let (rest, pairs) = pairs(rest)?;
    let (rest, body) = match rest.kind() {
        TokenKind::Semicolon => (rest.next(), None),
        TokenKind::OpenBrace => block(rest).map(|(rest, body)| (rest, Some(body)))?,
        _ => return rest.expected("`{` or `;`"),
    };
    let function = Function { result, name, parameters, pairs, body, span: start.span_to(rest) };
    check_parameters(input.context, &function);
    Ok((rest, function))
}

/// Reports parameters without names: allowed only in a prototype, and only if none has a name.
fn check_parameters(context: &Context<'_>, function: &Function) {
    let named = function.parameters.iter().any(|one| one.name.is_some());
    let nameless = function.parameters.iter().find(|one| one.name.is_none());
    if let Some(parameter) = nameless
        && (named || function.body.is_some())
    {
        let message = format!("a parameter of `{}` has no name", function.name.text);
        let hint = "parameters may be without names only in a prototype, and then all of them";
        context.say(Diagnostic::error(parameter.kind.span, message).hint(hint));
    }
}

fn parameter(input: In<'_>) -> Parsed<'_, Parameter> {
    let (rest, kind) = qualified(input)?;
    let (rest, passing) = match rest.kind() {
        TokenKind::Star => (rest.next(), Passing::Pointer),
        TokenKind::Reference => (rest.next(), Passing::Reference),
        _ => (rest, Passing::Value),
    };
    let (rest, name) = match rest.kind() {
        TokenKind::Name => name("a name")(rest).map(|(rest, name)| (rest, Some(name)))?,
        _ => (rest, None),
    };
    let (rest, has_default) = if_there(TokenKind::Assign, rest);
    let (rest, default) = if has_default && name.is_some() {
        let (after, kind) = literal(rest)?;
        let span = rest.span_to(after);
        (after, Some(Expression { kind, span }))
    } else {
        (rest, None)
    };
    let parameter = Parameter { kind, passing, name, default };
    Ok((rest, parameter))
}
