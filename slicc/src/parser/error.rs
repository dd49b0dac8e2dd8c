//! Diagnostics for syntax errors.

use crate::near::nearest;
use crate::source::{Diagnostic, Span};
use crate::token::{Token, TokenKind};

/// The alternatives at the furthest token that the parser reached.
#[derive(Default)]
pub(super) struct Expected {
    /// The index of the token.
    pub at: usize,
    what: Vec<&'static str>,
    /// The innermost brace, bracket or parenthesis that was open there.
    open: Option<usize>,
}

impl Expected {
    /// Records that `what` would have been valid at token `at`.
    pub(super) fn add(&mut self, at: usize, what: &'static str, open: impl Fn() -> Option<usize>) {
        if at > self.at || self.what.is_empty() {
            self.at = at;
            self.what.clear();
            self.open = open();
        }
        if at == self.at && !self.what.contains(&what) {
            self.what.push(what);
        }
    }

    fn has(&self, kind: TokenKind) -> bool {
        self.what.contains(&kind.description())
    }
}

/// The diagnostic for a syntax error at the furthest token. `greedy` is the index of a word that
/// was parsed as the actions of a transition.
pub(super) fn unexpected(
    text: &str,
    tokens: &[Token],
    expected: &Expected,
    greedy: Option<usize>,
) -> Diagnostic {
    let place = Place { text, tokens, at: expected.at };
    if let Some(diagnostic) = place.misspelt(expected) {
        return diagnostic;
    }
    let diagnostic = match place.missing(expected) {
        Some(diagnostic) => diagnostic,
        None => place.wrong(expected),
    };
    let diagnostic = match place.unclosed(expected) {
        Some(open) => diagnostic.note(tokens[open].span, "this is not closed"),
        None => diagnostic,
    };
    match place.hint(expected, greedy) {
        Some(hint) => diagnostic.hint(hint),
        None => diagnostic,
    }
}

/// The token at which the error is reported, and its surroundings.
struct Place<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
}

impl Place<'_> {
    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    fn before(&self, steps: usize) -> Option<Token> {
        Some(self.tokens[self.at.checked_sub(steps)?])
    }

    fn text(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// The diagnostic for a misspelt keyword of a declaration. The parser takes such a word for the type of an object, and
    /// would report that the object has no name.
    fn misspelt(&self, expected: &Expected) -> Option<Diagnostic> {
        let words: &[&str] = match self.token().kind {
            TokenKind::OpenParenthesis => &DECLARED_IN_PARENTHESES,
            TokenKind::Text => &["protocol", "include"],
            _ => return None,
        };
        let word = self.before(1).filter(|word| word.kind == TokenKind::Name)?;
        let begins = self.before(2).is_none_or(|before| {
            matches!(
                before.kind,
                TokenKind::Semicolon | TokenKind::OpenBrace | TokenKind::CloseBrace
            )
        });
        let written = self.text(word.span);
        let meant = nearest(written, words.iter().copied())
            .filter(|_| begins && expected.has(TokenKind::Name))?;
        let message = format!("no declaration begins with `{written}`");
        Some(Diagnostic::error(word.span, message).hint(format!("did you mean `{meant}`?")))
    }

    /// A missing semicolon is reported after the preceding token, where it should be.
    fn missing(&self, expected: &Expected) -> Option<Diagnostic> {
        let before = self.before(1)?;
        let found = self.token();
        let begins = matches!(found.kind, TokenKind::Name | TokenKind::CloseBrace | TokenKind::End)
            || found.kind.is_reserved();
        if !expected.has(TokenKind::Semicolon) || !begins {
            return None;
        }
        Some(Diagnostic::missing_semicolon(before.span, &self.found()))
    }

    fn wrong(&self, expected: &Expected) -> Diagnostic {
        let found = self.token();
        let wanted = either(&expected.what);
        let message = format!("expected {wanted}, found {}", self.found());
        let diagnostic = Diagnostic::error(found.span, message);
        if found.kind.is_reserved() && expected.has(TokenKind::Name) {
            diagnostic.label("this word is reserved")
        } else {
            diagnostic.label(format!("expected {wanted}"))
        }
    }

    fn found(&self) -> String {
        let token = self.token();
        match token.kind {
            TokenKind::Name | TokenKind::Number | TokenKind::Float => {
                format!("`{}`", shortened(self.text(token.span)))
            }
            TokenKind::Text => format!("the string {}", shortened(self.text(token.span))),
            kind => kind.description().to_owned(),
        }
    }

    /// The opening token, if the error is that it is not closed.
    fn unclosed(&self, expected: &Expected) -> Option<usize> {
        let open = expected.open?;
        let closing = match self.tokens[open].kind {
            TokenKind::OpenBrace => TokenKind::CloseBrace,
            TokenKind::OpenBracket => TokenKind::CloseBracket,
            _ => TokenKind::CloseParenthesis,
        };
        let found = self.token().kind;
        let is_other_close = matches!(
            found,
            TokenKind::CloseBrace | TokenKind::CloseBracket | TokenKind::CloseParenthesis
        );
        let ends = begins_declaration(found) || found == TokenKind::End || is_other_close;
        (expected.has(closing) && ends).then_some(open)
    }

    fn hint(&self, expected: &Expected, greedy: Option<usize>) -> Option<&'static str> {
        let found = self.token();
        let is_const = |token: Token| self.text(token.span) == "const";
        if greedy.is_some_and(|at| (at + 1..at + 3).contains(&self.at)) {
            Some(
                "a word after the braces of a transition is taken for its actions; put other \
                 declarations in front of the transitions, or an action or a transition between",
            )
        } else if found.kind == TokenKind::Dot && expected.has(TokenKind::CloseParenthesis) {
            Some("only a name may stand here: put the value into a local variable first")
        } else if found.kind == TokenKind::Attribute && expected.has(TokenKind::Semicolon) {
            Some("assignment is written `:=`")
        } else if found.kind == TokenKind::Assign && expected.has(TokenKind::Attribute) {
            Some("attributes are written `key=value`")
        } else if self.before(1).is_some_and(is_const) || self.before(2).is_some_and(is_const) {
            Some("`const` is an ordinary name in SLICC: leave it out")
        } else if found.kind == TokenKind::Semicolon && expected.what.contains(&"a statement") {
            Some("there is no empty statement: leave the `;` out")
        } else if self.text(found.span) == "for" || self.text(found.span) == "while" {
            Some("SLICC has no loops")
        } else {
            None
        }
    }
}

/// The reserved words of declarations that continue with a parenthesis.
const DECLARED_IN_PARENTHESES: [&str; 9] = [
    "machine",
    "in_port",
    "out_port",
    "action",
    "transition",
    "structure",
    "external_type",
    "enumeration",
    "state_declaration",
];

/// Whether a declaration begins with this token, so that parsing may resume here after an error.
pub(super) fn begins_declaration(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Protocol
            | TokenKind::Include
            | TokenKind::Machine
            | TokenKind::Action
            | TokenKind::InPort
            | TokenKind::OutPort
            | TokenKind::Transition
            | TokenKind::ExternalType
            | TokenKind::Structure
            | TokenKind::Global
            | TokenKind::Enumeration
            | TokenKind::States
    )
}

/// Joins alternatives: `a, b or c`.
fn either(what: &[&str]) -> String {
    match what {
        [] => "something else".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    text.chars().take(MOST).chain("...".chars()).collect()
}
