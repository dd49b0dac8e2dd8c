//! Words, symbols and what is between them.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_until, take_while, take_while1};
use nom::character::complete::satisfy;
use nom::combinator::recognize;
use nom::error::Error;
use nom::multi::many0_count;
use nom::sequence::{delimited, pair, preceded};
use nom::{IResult, Parser};

/// Words that are no names.
pub(super) const RESERVED: &[&str] = &[
    "shared", "const", "fn", "thread", "init", "finally", "let", "load", "store", "cas", "swap",
    "add", "fence", "yield", "assert", "if", "else", "loop", "while", "limit", "break", "continue",
    "return",
];

/// What is wrong, and where: by how much of the text is left.
#[derive(Debug)]
pub(super) struct Wrong {
    pub left: usize,
    /// What should be here.
    pub expected: &'static str,
    /// Or that this is too much, and what to do.
    pub limit: Option<(String, &'static str)>,
}

/// The result of a parser. White space and comments behind what it reads are read, too.
pub(super) type Parsed<'a, T> = IResult<&'a str, T, Wrong>;

impl Wrong {
    pub fn expected(input: &str, expected: &'static str) -> nom::Err<Wrong> {
        nom::Err::Error(Wrong { left: input.len(), expected, limit: None })
    }

    pub fn limit(input: &str, message: String, hint: &'static str) -> nom::Err<Wrong> {
        nom::Err::Failure(Wrong {
            left: input.len(),
            expected: "less",
            limit: Some((message, hint)),
        })
    }
}

/// White space and comments. A comment without an end is left.
fn skip(input: &str) -> &str {
    let skipped: IResult<&str, usize, Error<&str>> = many0_count(alt((
        take_while1(|c: char| c.is_ascii_whitespace()),
        recognize(preceded(tag("//"), take_till(|c| c == '\n'))),
        recognize(delimited(tag("/*"), take_until("*/"), tag("*/"))),
    )))
    .parse(input);
    skipped.map_or(input, |(rest, _)| rest)
}

/// Behind white space and comments.
pub(super) fn blank(input: &str) -> Result<&str, nom::Err<Wrong>> {
    let rest = skip(input);
    if rest.starts_with("/*") {
        Err(Wrong::expected(rest, "`*/` at the end of the comment"))
    } else {
        Ok(rest)
    }
}

fn raw_word(input: &str) -> IResult<&str, &str, Error<&str>> {
    let first = satisfy(|c| c.is_ascii_alphabetic() || c == '_');
    let more = take_while(|c: char| c.is_ascii_alphanumeric() || c == '_');
    recognize(pair(first, more)).parse(input)
}

/// A word, reserved or not.
pub(super) fn word<'a>(what: &'static str) -> impl Fn(&'a str) -> Parsed<'a, &'a str> {
    move |input| match raw_word(input) {
        Ok((rest, word)) => Ok((blank(rest)?, word)),
        Err(_) => Err(Wrong::expected(input, what)),
    }
}

/// This word.
pub(super) fn keyword<'a>(
    text: &'static str,
    what: &'static str,
) -> impl Fn(&'a str) -> Parsed<'a, &'a str> {
    move |input| match word(what)(input)? {
        (rest, found) if found == text => Ok((rest, found)),
        _ => Err(Wrong::expected(input, what)),
    }
}

/// A symbol; `==` is not `=`.
pub(super) fn symbol<'a>(text: &'static str) -> impl Fn(&'a str) -> Parsed<'a, &'a str> {
    move |input| match input.strip_prefix(text) {
        Some(rest) if !(text == "=" && rest.starts_with('=')) => Ok((blank(rest)?, text)),
        _ => Err(Wrong::expected(input, quoted(text))),
    }
}

/// The semicolon at the end of a statement.
pub(super) fn end(input: &str) -> Result<&str, nom::Err<Wrong>> {
    Ok(symbol(";")(input)?.0)
}

/// What stands between parentheses, with commas; perhaps nothing.
pub(super) fn list<'a, T>(
    one: impl Fn(&'a str) -> Parsed<'a, T>,
) -> impl Fn(&'a str) -> Parsed<'a, Vec<T>> {
    move |input| {
        let (mut rest, _) = symbol("(")(input)?;
        let mut all = Vec::new();
        while !rest.starts_with(')') {
            if !all.is_empty() {
                let more = symbol(",")(rest);
                rest = more.map_err(|_| Wrong::expected(rest, "`,` or `)`"))?.0;
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

/// How long a text is without the white space and comments at its end. It begins at a word.
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

/// How long the word or symbol at the beginning is.
pub(super) fn length(text: &str) -> usize {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let word = text.find(|c| !is_part(c)).unwrap_or(text.len());
    match (word, text.chars().next()) {
        (0, Some(first)) => first.len_utf8(),
        (word, _) => word,
    }
}

/// What is there, in words.
pub(super) fn found(text: &str) -> String {
    const MOST: usize = 40;
    match &text[..length(text)] {
        "" => "the end of the program".to_owned(),
        word if RESERVED.contains(&word) => format!("the reserved word `{word}`"),
        word if word.len() > MOST => format!("`{}...`", &word[..MOST]),
        word => format!("`{}`", word.escape_debug()),
    }
}

/// What somebody who wrote this may have meant.
pub(super) fn hint(expected: &str, text: &str) -> Option<&'static str> {
    let word = &text[..length(text)];
    let is_access = ["load", "cas", "swap", "add"].contains(&word);
    match (expected, word) {
        ("an expression", _) if is_access => {
            Some("one shared access a statement: give it a local, `let r = load x;`")
        }
        ("`limit` and a bound", _) => Some("every loop carries its bound: `while e limit 3 { }`"),
        ("the bound of the loop", _) => Some("every loop carries its bound: `loop 3 { }`"),
        ("`=` or `(`", _) => Some("a statement that begins with a name is `r = e;` or `f(a);`"),
        ("`;`", "(") => Some("calls stand alone: `let r = f(a);`"),
        _ => None,
    }
}
