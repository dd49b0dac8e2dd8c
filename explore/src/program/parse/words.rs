//! Parses words and symbols, and skips what is between them.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_until, take_while, take_while1};
use nom::character::complete::satisfy;
use nom::combinator::recognize;
use nom::error::Error;
use nom::multi::many0_count;
use nom::sequence::{delimited, pair, preceded};
use nom::{IResult, Parser};

/// Words that cannot be names.
pub(super) const RESERVED: &[&str] = &[
    "shared", "const", "fn", "thread", "init", "finally", "let", "load", "store", "cas", "swap",
    "add", "fence", "yield", "assert", "if", "else", "loop", "while", "limit", "break", "continue",
    "return",
];

/// A syntax error, at the place where `left` bytes of the text are left.
#[derive(Debug)]
pub(super) struct SyntaxError {
    pub left: usize,
    /// A description of what was expected there.
    pub expected: &'static str,
    /// The limit that is exceeded, and what to do, if that is the error.
    pub limit: Option<(String, &'static str)>,
}

/// The result of a parser. Parsers skip white space and comments after what they parse.
pub(super) type Parsed<'a, T> = IResult<&'a str, T, SyntaxError>;

impl SyntaxError {
    pub(super) fn expected(input: &str, expected: &'static str) -> nom::Err<SyntaxError> {
        nom::Err::Error(SyntaxError { left: input.len(), expected, limit: None })
    }

    pub(super) fn limit(input: &str, message: String, hint: &'static str) -> nom::Err<SyntaxError> {
        nom::Err::Failure(SyntaxError {
            left: input.len(),
            expected: "less",
            limit: Some((message, hint)),
        })
    }
}

/// Skips white space and comments, but not a comment without an end.
fn skip(input: &str) -> &str {
    let skipped: IResult<&str, usize, Error<&str>> = many0_count(alt((
        take_while1(|c: char| c.is_ascii_whitespace()),
        recognize(preceded(tag("//"), take_till(|c| c == '\n'))),
        recognize(delimited(tag("/*"), take_until("*/"), tag("*/"))),
    )))
    .parse(input);
    skipped.map_or(input, |(rest, _)| rest)
}

/// Skips white space and comments.
pub(super) fn blank(input: &str) -> Result<&str, nom::Err<SyntaxError>> {
    let rest = skip(input);
    if rest.starts_with("/*") {
        Err(SyntaxError::expected(rest, "`*/` at the end of the comment"))
    } else {
        Ok(rest)
    }
}

fn raw_word(input: &str) -> IResult<&str, &str, Error<&str>> {
    let first = satisfy(|c| c.is_ascii_alphabetic() || c == '_');
    let more = take_while(|c: char| c.is_ascii_alphanumeric() || c == '_');
    recognize(pair(first, more)).parse(input)
}

/// Parses a word, reserved or not.
pub(super) fn word<'a>(what: &'static str) -> impl Fn(&'a str) -> Parsed<'a, &'a str> {
    move |input| match raw_word(input) {
        Ok((rest, word)) => Ok((blank(rest)?, word)),
        Err(_) => Err(SyntaxError::expected(input, what)),
    }
}

/// Parses the given word.
pub(super) fn keyword<'a>(
    text: &'static str,
    what: &'static str,
) -> impl Fn(&'a str) -> Parsed<'a, &'a str> {
    move |input| match word(what)(input)? {
        (rest, found) if found == text => Ok((rest, found)),
        _ => Err(SyntaxError::expected(input, what)),
    }
}

/// Parses a symbol; `==` does not count as `=`.
pub(super) fn symbol<'a>(text: &'static str) -> impl Fn(&'a str) -> Parsed<'a, &'a str> {
    move |input| match input.strip_prefix(text) {
        Some(rest) if !(text == "=" && rest.starts_with('=')) => Ok((blank(rest)?, text)),
        _ => Err(SyntaxError::expected(input, quoted(text))),
    }
}

/// Parses the semicolon at the end of a statement.
pub(super) fn end(input: &str) -> Result<&str, nom::Err<SyntaxError>> {
    Ok(symbol(";")(input)?.0)
}

/// Parses items separated by commas, in parentheses; there may be none.
pub(super) fn list<'a, T>(
    one: impl Fn(&'a str) -> Parsed<'a, T>,
) -> impl Fn(&'a str) -> Parsed<'a, Vec<T>> {
    move |input| {
        let (mut rest, _) = symbol("(")(input)?;
        let mut all = Vec::new();
        while !rest.starts_with(')') {
            if !all.is_empty() {
                let more = symbol(",")(rest);
                rest = more.map_err(|_| SyntaxError::expected(rest, "`,` or `)`"))?.0;
            }
            let (after, item) = one(rest)?;
            all.push(item);
            rest = after;
        }
        let (rest, _) = symbol(")")(rest)?;
        Ok((rest, all))
    }
}

fn quoted(symbol: &str) -> &'static str {
    match symbol {
        ";" => "`;`",
        "," => "`,`",
        "(" => "`(`",
        ")" => "`)`",
        "[" => "`[`",
        "]" => "`]`",
        "{" => "`{`",
        "}" => "`}`",
        "=" => "`=`",
        _ => "a symbol",
    }
}

/// The length of a text without white space and comments at its end.
pub(super) fn without_blank(text: &str) -> usize {
    let mut end = 0;
    let mut rest = skip(text);
    while !rest.is_empty() {
        rest = &rest[length(rest)..];
        end = text.len() - rest.len();
        rest = skip(rest);
    }
    end
}

/// The length of the word or symbol at the beginning of a text.
pub(super) fn length(text: &str) -> usize {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let word = text.find(|c| !is_part(c)).unwrap_or(text.len());
    match (word, text.chars().next()) {
        (0, Some(first)) => first.len_utf8(),
        (word, _) => word,
    }
}

/// Describes the beginning of a text, for messages.
pub(super) fn found(text: &str) -> String {
    const MOST: usize = 40;
    match &text[..length(text)] {
        "" => "the end of the program".to_owned(),
        word if RESERVED.contains(&word) => format!("the reserved word `{word}`"),
        word if word.len() > MOST => format!("`{}...`", &word[..MOST]),
        word => format!("`{}`", word.escape_debug()),
    }
}

/// Advice about what was probably meant.
pub(super) fn hint(expected: &str, text: &str) -> Option<&'static str> {
    let word = &text[..length(text)];
    let is_access = ["load", "cas", "swap", "add"].contains(&word);
    match (expected, word) {
        ("an expression", _) if is_access => Some(
            "at most one shared access in a statement: load into a local first, `let r = load x;`",
        ),
        ("`limit` and a bound", _) => Some("every loop needs a bound: `while e limit 3 { }`"),
        ("the bound of the loop", _) => Some("every loop needs a bound: `loop 3 { }`"),
        ("`=` or `(`", _) => Some("a statement that begins with a name is `r = e;` or `f(a);`"),
        ("`;`", "(") => Some("a call is a statement of its own: `let r = f(a);`"),
        _ => None,
    }
}
