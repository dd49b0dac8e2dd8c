//! The lexer: from text to tokens.

use nom::bytes::complete::take_till;
use nom::character::complete::{char, digit1};
use nom::combinator::{opt, value};
use nom::error::{Error, ErrorKind};
use nom::sequence::{delimited, preceded};
use nom::{Err, IResult, Parser};

use super::token::{Token, TokenKind};
use crate::source::{Diagnostic, Span};

/// Number of diagnostics after which lexing or parsing of one file stops.
pub(super) const MOST_ERRORS: usize = 20;

/// Splits a text into tokens, the last of which is [`TokenKind::End`], and reports text that is not a token.
pub(crate) fn tokens(file: u32, text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer {
        file,
        text,
        // Protocols have less than one token in five bytes.
        tokens: Vec::with_capacity(text.len() / 5),
        diagnostics: Vec::new(),
    };
    lexer.run();
    (lexer.tokens, lexer.diagnostics)
}

/// The state of the lexer.
struct Lexer<'a> {
    file: u32,
    text: &'a str,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Lexer<'a> {
    fn run(&mut self) {
        let mut rest = self.text.strip_prefix('\u{feff}').unwrap_or(self.text);
        while self.diagnostics.len() < MOST_ERRORS {
            rest = blank(rest);
            if rest.is_empty() || rest.starts_with("/*") {
                break;
            }
            rest = match word(rest) {
                Ok((after, kind)) => {
                    let span = self.span(rest, after);
                    self.tokens.push(Token { kind, span });
                    self.check_number(kind, span);
                    after
                }
                Err(_) => self.stray(rest),
            };
        }
        if let Some(inside) = rest.strip_prefix("/*") {
            let span = self.span(rest, inside);
            self.diagnostics.push(
                Diagnostic::error(span, "this comment is not closed")
                    .hint("close it with `*/`; comments are not nested"),
            );
        }
        let end = &self.text[self.text.len()..];
        self.tokens.push(Token { kind: TokenKind::End, span: self.span(end, end) });
    }

    /// The span between two suffixes of the text.
    fn span(&self, from: &str, to: &str) -> Span {
        Span {
            file: self.file,
            start: (self.text.len() - from.len()) as u32,
            end: (self.text.len() - to.len()) as u32,
        }
    }

    fn check_number(&mut self, kind: TokenKind, span: Span) {
        let text = &self.text[span.start as usize..span.end as usize];
        let fits = match kind {
            TokenKind::Number => text.parse::<u64>().is_ok(),
            TokenKind::Float => text.parse::<f64>().is_ok_and(f64::is_finite),
            _ => true,
        };
        if !fits {
            self.diagnostics.push(
                Diagnostic::error(span, "this number is too large")
                    .hint(format!("numbers go up to {}", u64::MAX)),
            );
        }
    }

    /// Reports characters that begin no token, and returns the text after them.
    fn stray(&mut self, rest: &'a str) -> &'a str {
        let (after, diagnostic) = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let after = rest.find('\n').map_or("", |end| &rest[end..]);
                let diagnostic =
                    Diagnostic::error(self.span(rest, after), "this string is not closed")
                        .hint(format!("close it with `{quote}` on the same line"));
                (after, diagnostic)
            }
            Some(stray) => {
                let after = rest.trim_start_matches(stray);
                let diagnostic = Diagnostic::error(
                    self.span(rest, after),
                    format!("`{}` is not a symbol of SLICC", stray.escape_debug()),
                );
                (after, with_hint(diagnostic, stray))
            }
            None => return rest,
        };
        self.diagnostics.push(diagnostic);
        after
    }
}

/// Adds advice for symbols of other languages.
fn with_hint(diagnostic: Diagnostic, stray: char) -> Diagnostic {
    match stray {
        '|' => diagnostic.hint("`||` is the only operator of this kind: there are none on bits"),
        '?' => diagnostic.hint("there is no `?:`: write an `if`"),
        '^' | '~' => diagnostic.hint("there are no operators on bits"),
        '#' => {
            diagnostic.hint("comments are `// ...` or `/* ... */`, and there is no preprocessor")
        }
        _ => diagnostic,
    }
}

type Lexed<'a, T> = IResult<&'a str, T>;

/// Skips white space and comments, but not a comment without an end.
fn blank(mut input: &str) -> &str {
    loop {
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let blanks = input.bytes().take_while(|byte| is_blank(byte)).count();
        input = &input[blanks..];
        if input.starts_with("//") {
            input = &input[input.find('\n').unwrap_or(input.len())..];
        } else if let Some(comment) = input.strip_prefix("/*")
            && let Some(end) = comment.find("*/")
        {
            input = &comment[end + 2..];
        } else {
            return input;
        }
    }
}

/// Reads a word; its first byte decides its kind.
fn word(input: &str) -> Lexed<'_, TokenKind> {
    match input.as_bytes().first() {
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => Ok(name(input)),
        Some(b'0'..=b'9') => number(input),
        Some(b'"') => text('"').parse(input),
        Some(b'\'') => text('\'').parse(input),
        _ => symbol(input),
    }
}

fn name(input: &str) -> (&str, TokenKind) {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let end = input.bytes().position(|byte| !is_part(byte)).unwrap_or(input.len());
    let (name, rest) = input.split_at(end);
    (rest, TokenKind::reserved(name).unwrap_or(TokenKind::Name))
}

fn number(input: &str) -> Lexed<'_, TokenKind> {
    let (rest, fraction) = preceded(digit1, opt(preceded(char('.'), digit1))).parse(input)?;
    Ok((rest, fraction.map_or(TokenKind::Number, |_| TokenKind::Float)))
}

/// A string in these quotes. It ends at the next such quote of its line: there are no escapes.
fn text<'a>(quote: char) -> impl Parser<&'a str, Output = TokenKind, Error = Error<&'a str>> {
    value(
        TokenKind::Text,
        delimited(char(quote), take_till(move |c| c == quote || c == '\n'), char(quote)),
    )
}

fn symbol(input: &str) -> Lexed<'_, TokenKind> {
    // Most symbols are of one byte, so comparing the first one excludes nearly all others.
    let first = input.as_bytes().first();
    TokenKind::SYMBOLS
        .iter()
        .filter(|(text, _)| text.as_bytes().first() == first)
        .find_map(|&(text, kind)| Some((input.strip_prefix(text)?, kind)))
        .ok_or_else(|| Err::Error(Error::new(input, ErrorKind::Tag)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let (tokens, diagnostics) = tokens(0, text);
        assert_eq!(diagnostics, []);
        tokens.into_iter().map(|token| token.kind).collect()
    }

    fn complaints(text: &str) -> Vec<(u32, u32, String)> {
        let (_, diagnostics) = tokens(0, text);
        let place = |diagnostic: Diagnostic| {
            let span = diagnostic.span.unwrap();
            (span.start, span.end, diagnostic.message)
        };
        diagnostics.into_iter().map(place).collect()
    }

    #[test]
    fn words_and_names() {
        use TokenKind::*;
        assert_eq!(
            kinds("peek peeks const trigger OOD _a1 true"),
            [Peek, Name, Name, Name, Null, Name, True, End]
        );
    }

    #[test]
    fn colons() {
        use TokenKind::*;
        assert_eq!(
            kinds("A:B A::B a:=b a : : b"),
            [
                Name, Colon, Name, Name, Scope, Name, Name, Assign, Name, Name, Colon, Colon, Name,
                End
            ]
        );
    }

    #[test]
    fn every_symbol_is_one_token() {
        for &(text, kind) in TokenKind::SYMBOLS {
            assert_eq!(kinds(text), [kind, TokenKind::End], "{text}");
        }
    }

    #[test]
    fn numbers() {
        use TokenKind::*;
        assert_eq!(
            kinds("12 1.5 1.x 18446744073709551615"),
            [Number, Float, Number, Dot, Name, Number, End]
        );
        let too_large = "this number is too large".to_owned();
        assert_eq!(complaints("a 18446744073709551616"), [(2, 22, too_large.clone())]);
        let long = format!("{}.5", "9".repeat(400));
        assert_eq!(complaints(&long), [(0, 402, too_large)]);
    }

    #[test]
    fn strings_have_no_escapes() {
        let text = r#" "\" 'a"b' "it's" "#;
        let (tokens, diagnostics) = tokens(3, text);
        assert_eq!(diagnostics, []);
        let texts: Vec<&str> = tokens
            .iter()
            .map(|token| &text[token.span.start as usize..token.span.end as usize])
            .collect();
        assert_eq!(texts, [r#""\""#, r#"'a"b'"#, r#""it's""#, ""]);
        assert!(tokens.iter().all(|token| token.span.file == 3));
    }

    #[test]
    fn comments_and_white_space() {
        assert_eq!(kinds(""), [TokenKind::End]);
        assert_eq!(kinds("\u{feff}// a"), [TokenKind::End]);
        assert_eq!(
            kinds("a /* b \n // */ // c */\r\n\t d /**/"),
            [TokenKind::Name, TokenKind::Name, TokenKind::End]
        );
    }

    #[test]
    fn what_is_no_word() {
        assert_eq!(
            complaints("a \"b\nc 'd"),
            [
                (2, 4, "this string is not closed".to_owned()),
                (7, 9, "this string is not closed".to_owned())
            ]
        );
        assert_eq!(complaints("a /* b"), [(2, 4, "this comment is not closed".to_owned())]);
        assert_eq!(
            complaints("a ??? é\u{0}b"),
            [
                (2, 5, "`?` is not a symbol of SLICC".to_owned()),
                (6, 8, "`é` is not a symbol of SLICC".to_owned()),
                (8, 9, "`\\0` is not a symbol of SLICC".to_owned())
            ]
        );
    }

    #[test]
    fn complaints_end() {
        assert_eq!(complaints(&"? # ".repeat(1000)).len(), MOST_ERRORS);
    }
}
