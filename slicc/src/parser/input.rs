//! Tokens as nom's input, and the state of the parser.

use std::cell::{Cell, RefCell};
use std::iter::{Copied, Enumerate};
use std::slice::Iter;

use nom::error::{ErrorKind, ParseError};
use nom::{Err, IResult, Input, Needed, Parser};

use super::error::{self, Expected};
use super::file::Include;
use crate::ast::Name;
use crate::source::{Diagnostic, Span};
use crate::token::{Token, TokenKind};

/// Largest depth of nested blocks and parentheses, since the syntax tree is walked recursively.
const DEEPEST_NESTING: u32 = 200;

/// Most operators in an expression, since a chain of them is a deep tree as well.
const MOST_OPERATORS: u32 = 500;

/// The remaining tokens.
#[derive(Clone, Copy)]
pub(super) struct In<'a> {
    tokens: &'a [Token],
    pub context: &'a Context<'a>,
}

/// A parse error. What was expected is recorded in the [`Context`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unexpected;

/// The result of a parser.
pub(super) type Parsed<'a, T> = IResult<In<'a>, T, Unexpected>;

impl<'a> ParseError<In<'a>> for Unexpected {
    fn from_error_kind(_: In<'a>, _: ErrorKind) -> Self {
        Unexpected
    }

    fn append(_: In<'a>, _: ErrorKind, other: Self) -> Self {
        other
    }
}

/// The state of the parser while it reads a file.
pub(super) struct Context<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// The alternatives at the furthest token at which parsing failed.
    expected: RefCell<Expected>,
    /// Indices of the tokens that opened the current parentheses and braces.
    open: RefCell<Vec<usize>>,
    depth: Cell<u32>,
    operators: Cell<u32>,
    /// The limit that the declaration exceeds, if it failed for that reason.
    limit: RefCell<Option<Diagnostic>>,
    /// Index of a word that was parsed as the actions of a transition, without braces.
    greedy: Cell<Option<usize>>,
    includes: RefCell<Vec<Include>>,
    diagnostics: RefCell<Vec<Diagnostic>>,
}

impl<'a> Context<'a> {
    pub(super) fn new(text: &'a str, tokens: &'a [Token]) -> Context<'a> {
        Context {
            text,
            tokens,
            expected: RefCell::default(),
            open: RefCell::default(),
            depth: Cell::new(0),
            operators: Cell::new(0),
            limit: RefCell::default(),
            greedy: Cell::new(None),
            includes: RefCell::default(),
            diagnostics: RefCell::default(),
        }
    }

    /// Takes the includes and diagnostics.
    pub(super) fn finish(&self) -> (Vec<Include>, Vec<Diagnostic>) {
        (self.includes.take(), self.diagnostics.take())
    }

    pub(super) fn include(&self, include: Include) {
        self.includes.borrow_mut().push(include);
    }

    pub(super) fn say(&self, diagnostic: Diagnostic) {
        self.diagnostics.borrow_mut().push(diagnostic);
    }

    pub(super) fn errors(&self) -> usize {
        self.diagnostics.borrow().len()
    }

    /// Reports why the declaration that has just failed cannot be parsed. Returns the index of the
    /// token at which it failed.
    pub(super) fn report(&self) -> usize {
        let expected = self.expected.take();
        let diagnostic = self.limit.take().unwrap_or_else(|| {
            error::unexpected(self.text, self.tokens, &expected, self.greedy.get())
        });
        self.say(diagnostic);
        expected.at
    }

    /// Starts counting the operators of an expression.
    pub(super) fn begin_expression(&self) {
        self.operators.set(0);
    }

    pub(super) fn greedy(&self, input: In<'_>) {
        self.greedy.set(Some(self.index(input)));
    }

    fn index(&self, input: In<'_>) -> usize {
        self.tokens.len() - input.tokens.len()
    }
}

impl<'a> In<'a> {
    pub(super) fn new(context: &'a Context<'a>) -> In<'a> {
        In { tokens: context.tokens, context }
    }

    /// The next token. The parser never goes past [`TokenKind::End`].
    pub(super) fn token(self) -> Token {
        self.tokens[0]
    }

    /// The kind of the next token.
    pub(super) fn kind(self) -> TokenKind {
        self.token().kind
    }

    /// The kind of the token after the next.
    pub(super) fn second(self) -> TokenKind {
        self.tokens.get(1).map_or(TokenKind::End, |token| token.kind)
    }

    /// The input after the next token.
    pub(super) fn next(self) -> In<'a> {
        if self.tokens.len() > 1 { self.take_from(1) } else { self }
    }

    /// The input from the token with this index on, if it lies ahead.
    pub(super) fn forward(self, index: usize) -> In<'a> {
        let here = self.context.index(self);
        self.take_from(index.saturating_sub(here).min(self.tokens.len() - 1))
    }

    /// The text of the next token.
    pub(super) fn text(self) -> &'a str {
        let span = self.token().span;
        &self.context.text[span.start as usize..span.end as usize]
    }

    /// The span from the next token to the last token before `rest`.
    pub(super) fn span_to(self, rest: In<'a>) -> Span {
        let last = self.context.index(rest).saturating_sub(1);
        self.token().span.to(self.context.tokens[last].span)
    }

    /// Fails because something other than `what` was found.
    pub(super) fn expected<T>(self, what: &'static str) -> Parsed<'a, T> {
        let open = || self.context.open.borrow().last().copied();
        self.context.expected.borrow_mut().add(self.context.index(self), what, open);
        Err(Err::Error(Unexpected))
    }

    /// Fails because a limit is exceeded.
    pub(super) fn refused<T>(self, message: String, hint: &str) -> Parsed<'a, T> {
        let diagnostic = Diagnostic::error(self.token().span, message).hint(hint);
        *self.context.limit.borrow_mut() = Some(diagnostic);
        self.context.expected.borrow_mut().add(self.context.index(self), "less", || None);
        Err(Err::Failure(Unexpected))
    }

    /// Counts an operator of the current expression.
    pub(super) fn operator(self) -> Parsed<'a, ()> {
        let operators = self.context.operators.get() + 1;
        self.context.operators.set(operators);
        if operators > MOST_OPERATORS {
            return self.refused(
                format!("an expression of more than {MOST_OPERATORS} operators"),
                "split it with local variables",
            );
        }
        Ok((self, ()))
    }
}

impl<'a> Input for In<'a> {
    type Item = Token;
    type Iter = Copied<Iter<'a, Token>>;
    type IterIndices = Enumerate<Self::Iter>;

    fn input_len(&self) -> usize {
        self.tokens.len()
    }

    fn take(&self, index: usize) -> Self {
        In { tokens: &self.tokens[..index], ..*self }
    }

    fn take_from(&self, index: usize) -> Self {
        In { tokens: &self.tokens[index..], ..*self }
    }

    fn take_split(&self, index: usize) -> (Self, Self) {
        (self.take_from(index), self.take(index))
    }

    fn position<P: Fn(Self::Item) -> bool>(&self, predicate: P) -> Option<usize> {
        self.tokens.iter().position(|&token| predicate(token))
    }

    fn iter_elements(&self) -> Self::Iter {
        self.tokens.iter().copied()
    }

    fn iter_indices(&self) -> Self::IterIndices {
        self.iter_elements().enumerate()
    }

    fn slice_index(&self, count: usize) -> Result<usize, Needed> {
        match count.checked_sub(self.tokens.len()) {
            None | Some(0) => Ok(count),
            Some(missing) => Err(Needed::new(missing)),
        }
    }
}

/// Parses a token of this kind.
pub(super) fn token<'a>(kind: TokenKind) -> impl Fn(In<'a>) -> Parsed<'a, Token> {
    move |input| {
        if input.kind() == kind {
            Ok((input.next(), input.token()))
        } else {
            input.expected(kind.description())
        }
    }
}

/// Parses a token of this kind if it comes next. If not, it does not count as expected.
pub(super) fn if_there<'a>(kind: TokenKind, input: In<'a>) -> (In<'a>, bool) {
    if input.kind() == kind { (input.next(), true) } else { (input, false) }
}

/// Parses a word that is not reserved; `what` says what it is for, in messages.
pub(super) fn name<'a>(what: &'static str) -> impl Fn(In<'a>) -> Parsed<'a, Name> {
    move |input| {
        if input.kind() == TokenKind::Name {
            let text = input.text().into();
            let span = input.token().span;
            Ok((input.next(), Name { text, span }))
        } else {
            input.expected(what)
        }
    }
}

/// Parses a string; the result is without its quotes.
pub(super) fn text(input: In<'_>) -> Parsed<'_, Name> {
    if input.kind() != TokenKind::Text {
        return input.expected(TokenKind::Text.description());
    }
    let quoted = input.text();
    let text = quoted[1..quoted.len() - 1].into();
    let span = input.token().span;
    Ok((input.next(), Name { text, span }))
}

/// Parses `inner` between an opening and a closing token. If the closing one is missing, the message points at the
/// opening one.
pub(super) fn enclosed<'a, T>(
    (open, close): (TokenKind, TokenKind),
    mut inner: impl Parser<In<'a>, Output = T, Error = Unexpected>,
) -> impl FnMut(In<'a>) -> Parsed<'a, T> {
    move |input| {
        let context = input.context;
        let (rest, _) = token(open)(input)?;
        context.open.borrow_mut().push(context.index(input));
        let parsed = inner.parse(rest).and_then(|(rest, inside)| {
            let (rest, _) = token(close)(rest)?;
            Ok((rest, inside))
        });
        context.open.borrow_mut().pop();
        parsed
    }
}

pub(super) const PARENTHESES: (TokenKind, TokenKind) =
    (TokenKind::OpenParenthesis, TokenKind::CloseParenthesis);
pub(super) const BRACKETS: (TokenKind, TokenKind) =
    (TokenKind::OpenBracket, TokenKind::CloseBracket);
pub(super) const BRACES: (TokenKind, TokenKind) = (TokenKind::OpenBrace, TokenKind::CloseBrace);

/// Runs a parser one level deeper.
pub(super) fn nested<'a, T>(
    parser: impl FnOnce(In<'a>) -> Parsed<'a, T>,
    input: In<'a>,
) -> Parsed<'a, T> {
    let depth = &input.context.depth;
    if depth.get() >= DEEPEST_NESTING {
        return input.refused(
            format!("this is nested more than {DEEPEST_NESTING} levels deep"),
            "move the inner part to a function",
        );
    }
    depth.set(depth.get() + 1);
    let parsed = parser(input);
    depth.set(depth.get() - 1);
    parsed
}
