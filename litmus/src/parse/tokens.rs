//! Splits the initial state and the conditions of a test into words, numbers and signs, with or without white space
//! between them ([`Tokens`]).

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::{anychar, char};
use nom::combinator::{opt, recognize};
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};

use super::source::Source;
use crate::error::Error;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name or a keyword.
    Word,
    /// A number, perhaps with a minus sign.
    Number,
    /// A name after a percent sign, which the text does not include.
    Percent,
    /// A text in quotes or backquotes.
    Quoted,
    /// Another character, or two that make a sign such as `/\`.
    Sign,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub kind: TokenKind,
    /// The text of the token, a part of the source.
    pub text: &'a str,
}

/// The signs of two characters.
const PAIRS: [&str; 6] = ["/\\", "\\/", "=>", "==", "<>", "!="];

fn is_name_start(one: char) -> bool {
    one.is_ascii_alphabetic() || matches!(one, '_' | '.' | '$')
}

fn is_name_part(one: char) -> bool {
    one.is_ascii_alphanumeric() || matches!(one, '_' | '.')
}

fn word(input: &str) -> IResult<&str, &str> {
    recognize((take_while1(is_name_start), take_while(is_name_part))).parse(input)
}

fn token(input: &str) -> IResult<&str, Token<'_>> {
    let kind = |kind: TokenKind| move |text| Token { kind, text };
    let digits = take_while1(|one: char| one.is_ascii_alphanumeric());
    let unsigned = input.strip_prefix('-').unwrap_or(input);
    if unsigned.starts_with(|one: char| one.is_ascii_digit()) {
        return recognize((opt(char('-')), digits)).map(kind(TokenKind::Number)).parse(input);
    }
    let quoted = |quote| delimited(char(quote), take_while1(move |one| one != quote), char(quote));
    let pair = |input| {
        let found = PAIRS.iter().find(|pair| str::starts_with(input, **pair));
        tag(*found.unwrap_or(&PAIRS[0])).parse(input)
    };
    alt((
        word.map(kind(TokenKind::Word)),
        preceded(char('%'), word).map(kind(TokenKind::Percent)),
        quoted('"').map(kind(TokenKind::Quoted)),
        quoted('`').map(kind(TokenKind::Quoted)),
        pair.map(kind(TokenKind::Sign)),
        recognize(anychar).map(kind(TokenKind::Sign)),
    ))
    .parse(input)
}

/// The number that a text is, from its first to its last character.
pub(super) fn whole_number(text: &str) -> Option<i64> {
    crate::isa::number(text).ok().filter(|(rest, _)| rest.is_empty()).map(|(_, number)| number)
}

/// The tokens of a text, read from left to right.
pub(super) struct Tokens<'s, 'a> {
    source: &'s Source<'a>,
    tokens: Vec<Token<'a>>,
    next: usize,
    /// The end of the text, for errors.
    end: &'a str,
}

impl<'s, 'a> Tokens<'s, 'a> {
    /// The tokens of `text`, a part of the source.
    pub(super) fn new(source: &'s Source<'a>, text: &'a str) -> Tokens<'s, 'a> {
        let mut tokens = Vec::new();
        let mut rest = text.trim_start();
        while let Ok((behind, one)) = token(rest) {
            tokens.push(one);
            rest = behind.trim_start();
        }
        Tokens { source, tokens, next: 0, end: &text[text.len()..] }
    }

    /// The token `ahead` of the next one, without taking it.
    pub(super) fn peek_at(&self, ahead: usize) -> Option<Token<'a>> {
        self.tokens.get(self.next + ahead).copied()
    }

    /// The text of the next token, without taking it; empty at the end.
    pub(super) fn peek(&self) -> &'a str {
        self.peek_at(0).map_or("", |one| one.text)
    }

    /// The kind of the next token.
    pub(super) fn kind(&self) -> Option<TokenKind> {
        self.peek_at(0).map(|one| one.kind)
    }

    /// Takes the next token; at the end, an empty text.
    pub(super) fn take(&mut self) -> &'a str {
        let text = self.peek();
        self.next += 1;
        text
    }

    /// Takes the next token if it is this word or sign.
    pub(super) fn take_if(&mut self, text: &str) -> bool {
        let is_quoted = self.kind() == Some(TokenKind::Quoted);
        let found = !is_quoted && self.peek_at(0).is_some_and(|one| one.text == text);
        self.next += usize::from(found);
        found
    }

    /// Takes the next token, which has to be this word or sign.
    ///
    /// # Errors
    /// Returns an error if it is another one.
    pub(super) fn expect(&mut self, text: &str, expected: &str) -> Result<(), Error> {
        if self.take_if(text) { Ok(()) } else { Err(self.expected(expected)) }
    }

    /// Whether no token is left.
    pub(super) fn is_at_end(&self) -> bool {
        self.next >= self.tokens.len()
    }

    /// The text from the next token to the end of the source.
    pub(super) fn rest(&self) -> &'a str {
        let at = self.peek_at(0).map_or(self.end, |one| one.text);
        let offset = at.as_ptr() as usize - self.source.text.as_ptr() as usize;
        &self.source.text[offset.min(self.source.text.len())..]
    }

    /// The error for a part of herd's language at `at` that is not supported; `what` ends with its verb.
    pub(super) fn unsupported(&self, at: &str, what: &str) -> Error {
        self.source.unsupported(at, what)
    }

    /// The error at the next token for something else than what was expected.
    pub(super) fn expected(&self, expected: &str) -> Error {
        self.source.expected(self.rest(), expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let source = Source { file: "t", text };
        let tokens = Tokens::new(&source, text).tokens;
        tokens.iter().map(|token| token.text.to_owned()).collect()
    }

    #[test]
    fn white_space_separates_but_is_not_needed() {
        let expected = ["0", ":", "X0", "=", "-1", "/\\", "[", "x", "]", "<>", "0x1f"];
        assert_eq!(texts("0: X0 = -1/\\[x]<> 0x1f"), expected);
        assert_eq!(texts("0:X0=-1 /\\ [ x ]<>0x1f"), expected);
        assert_eq!(texts("~(t[1]=x\\/a=>%r=y)").len(), 15);
    }
}
