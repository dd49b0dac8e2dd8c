//! Parses one line of the axe format into a [`Statement`].

use history::Kind;

use super::remark::{self, MARK, Remark};
use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::character::complete::{digit1, space0, space1};
use nom::combinator::{cut, opt, rest, value};
use nom::error::{ErrorKind, ParseError};
use nom::sequence::{preceded, terminated};
use nom::{Err, IResult, Parser};

/// The statement on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Statement<'a> {
    Empty,
    Comment(&'a [u8]),
    Check,
    Final {
        cell: u64,
        value: u64,
    },
    /// An operation, with its remark if it has one, which is rare.
    Operation(Operation, Option<Box<Remark>>),
}

/// An operation as the line states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    pub thread: u32,
    pub kind: Kind,
    pub cell: Option<u64>,
    pub read: Option<u64>,
    pub written: Option<u64>,
    pub issued: Option<u64>,
    pub completed: Option<u64>,
}

/// The error of a line: the text from the wrong place on, and a description of what was expected there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Expected<'a> {
    pub at: &'a [u8],
    pub what: &'static str,
}

type In<'a> = &'a [u8];
type Parsed<'a, T> = IResult<In<'a>, T, Expected<'a>>;

impl<'a> ParseError<In<'a>> for Expected<'a> {
    fn from_error_kind(at: In<'a>, _: ErrorKind) -> Self {
        let what = "another character";
        Expected { at, what }
    }

    fn append(_: In<'a>, _: ErrorKind, other: Self) -> Self {
        other
    }

    /// Keeps the error of the alternative that parsed more of the line, since that is probably the one that was meant.
    fn or(self, other: Self) -> Self {
        if self.at.len() < other.at.len() { self } else { other }
    }
}

/// Parses a whole line.
pub(super) fn statement(line: &[u8]) -> Result<Statement<'_>, Expected<'_>> {
    let statement = alt((fence_remark, comment, check, final_value, empty, operation));
    let parsed = match line.first() {
        // Nothing else begins with a digit, and most lines do.
        Some(b'0'..=b'9') => terminated(operation, end).parse(line),
        _ => terminated(statement, end).parse(line),
    };
    match parsed {
        Ok((_, statement)) => Ok(statement),
        Err(Err::Error(expected) | Err::Failure(expected)) => Err(expected),
        // nom's `complete` parsers never return `Incomplete`.
        Err(Err::Incomplete(_)) => {
            Err(Expected { at: &line[line.len()..], what: "more of the line" })
        }
    }
}

/// Skips spaces, then applies a parser. Its error says what was expected after the spaces.
fn token<'a, T>(
    mut parser: impl Parser<In<'a>, Output = T, Error = Expected<'a>>,
    what: &'static str,
) -> impl FnMut(In<'a>) -> Parsed<'a, T> {
    move |input| {
        let (at, _) = space0(input)?;
        parser.parse(at).map_err(|error| match error {
            Err::Error(_) => Err::Error(Expected { at, what }),
            error => error,
        })
    }
}

fn end(input: In<'_>) -> Parsed<'_, ()> {
    let what = "the end of the line, a comment or `@ BEGIN : END`";
    let (at, _) = space0(input)?;
    if at.is_empty() || at.starts_with(b"#") {
        Ok((&at[at.len()..], ()))
    } else {
        Err(Err::Failure(Expected { at, what }))
    }
}

fn empty(input: In<'_>) -> Parsed<'_, Statement<'_>> {
    let (at, _) = space0(input)?;
    if at.is_empty() {
        Ok((at, Statement::Empty))
    } else {
        let what = "an empty line";
        Err(Err::Error(Expected { at, what }))
    }
}

/// Parses `#! 0: fence r,rw`: a fence that the Axe checker does not have, with the other words of its remark.
fn fence_remark(input: In<'_>) -> Parsed<'_, Statement<'_>> {
    let (at, _) = preceded(space0, tag(MARK)).parse(input)?;
    let (at, thread) = cut(thread).parse(at)?;
    let (at, _) = cut(token(tag(":"), "`:` after the thread")).parse(at)?;
    let (at, _) = space0(at)?;
    let what = "a fence that is not full, such as `fence r,rw`";
    let (kind, words) = remark::weak_fence(at).ok_or(Err::Failure(Expected { at, what }))?;
    let remark = remark(words, kind)?;
    Ok((&at[at.len()..], Statement::Operation(Operation { thread, ..plain(kind, None) }, remark)))
}

/// Parses the words of a remark, up to the end of the line.
fn remark(words: In<'_>, kind: Kind) -> Result<Option<Box<Remark>>, Err<Expected<'_>>> {
    let what = "an annotation such as `acquire`, a dependency such as `address:3`, a kind that fits, \
                `issued:TICK` or `completed:TICK`";
    let remark = Remark::parse(words, kind).map_err(|at| Err::Failure(Expected { at, what }))?;
    Ok(Some(Box::new(remark)))
}

fn comment(input: In<'_>) -> Parsed<'_, Statement<'_>> {
    preceded(token(tag("#"), "a comment"), rest)
        .map(|text: &[u8]| Statement::Comment(text.trim_ascii()))
        .parse(input)
}

fn check(input: In<'_>) -> Parsed<'_, Statement<'_>> {
    value(Statement::Check, token(tag("check"), "`check`")).parse(input)
}

fn final_value(input: In<'_>) -> Parsed<'_, Statement<'_>> {
    let (input, _) = token(tag("final"), "`final`").parse(input)?;
    let (input, _) = space1(input).map_err(|_: Err<Expected<'_>>| {
        let what = "a space and a location after `final`";
        Err::Error(Expected { at: input, what })
    })?;
    cut((cell, token(tag("=="), "`==`"), number))
        .map(|(cell, _, value)| Statement::Final { cell, value })
        .parse(input)
}

fn operation(input: In<'_>) -> Parsed<'_, Statement<'_>> {
    let (input, thread) = thread(input)?;
    let body = alt((fence, atomic, access));
    let (input, operation) =
        cut(preceded(token(tag(":"), "`:` after the thread"), body)).parse(input)?;
    let (input, ticks) = opt(preceded(token(tag("@"), "`@`"), cut(ticks))).parse(input)?;
    let (issued, completed) = ticks.unwrap_or_default();
    let operation = Operation { thread, issued, completed, ..operation };
    let (input, mark) = opt(preceded(space0, tag(MARK))).parse(input)?;
    let (input, remark) = match mark {
        Some(_) => (&input[input.len()..], remark(input, operation.kind)?),
        None => (input, None),
    };
    Ok((input, Statement::Operation(operation, remark)))
}

fn thread(input: In<'_>) -> Parsed<'_, u32> {
    let what = "a thread number, `final`, `check` or a comment";
    let (rest, digits) = token(digit1, what).parse(input)?;
    match decimal(digits).and_then(|number| u32::try_from(number).ok()) {
        Some(thread) => Ok((rest, thread)),
        None => Err(Err::Failure(Expected {
            at: input.trim_ascii_start(),
            what: "a thread number of at most 4294967295",
        })),
    }
}

fn fence(input: In<'_>) -> Parsed<'_, Operation> {
    value(plain(Kind::Fence, None), token(tag("sync"), BODY)).parse(input)
}

fn atomic(input: In<'_>) -> Parsed<'_, Operation> {
    let (input, open) = token(alt((tag("<"), tag("{"))), BODY).parse(input)?;
    let close = if open == b"<" { token(tag(">"), "`>`") } else { token(tag("}"), "`}`") };
    cut(terminated(read_then_write, close)).parse(input)
}

fn read_then_write(input: In<'_>) -> Parsed<'_, Operation> {
    let (input, (location, _, read)) = (cell, token(tag("=="), "`==`"), number).parse(input)?;
    let (at, _) = token(tag(";"), "`;`").parse(input)?;
    let (input, (written_to, _, written)) = (cell, token(tag(":="), "`:=`"), number).parse(at)?;
    if written_to != location {
        return Err(Err::Failure(Expected {
            at: at.trim_ascii_start(),
            what: "a write of the location that the read-modify-write reads",
        }));
    }
    let operation =
        Operation { read: Some(read), written: Some(written), ..plain(Kind::Rmw, Some(location)) };
    Ok((input, operation))
}

fn access(input: In<'_>) -> Parsed<'_, Operation> {
    let (input, location) = cell(input)?;
    let symbol = token(alt((tag(":="), tag("=="))), "`:=` or `==`");
    let (input, (symbol, value)) = cut((symbol, number)).parse(input)?;
    let operation = if symbol == b":=" {
        Operation { written: Some(value), ..plain(Kind::Store, Some(location)) }
    } else {
        Operation { read: Some(value), ..plain(Kind::Load, Some(location)) }
    };
    Ok((input, operation))
}

fn ticks(input: In<'_>) -> Parsed<'_, (Option<u64>, Option<u64>)> {
    let (input, issued) = opt(number).parse(input)?;
    let (input, _) = token(tag(":"), "`:` between the ticks").parse(input)?;
    let (input, completed) = opt(number).parse(input)?;
    Ok((input, (issued, completed)))
}

// The description of what follows the colon after a thread.
const BODY: &str = "a location `M[A]`, a read-modify-write or `sync`";

/// Parses a location, `M[A]` or `vA`.
fn cell(input: In<'_>) -> Parsed<'_, u64> {
    let (input, spelling) = token(alt((tag("M"), tag("v"))), BODY).parse(input)?;
    if spelling == b"v" {
        return cut(number).parse(input);
    }
    let open = token(tag("["), "`[`");
    let close = token(tag("]"), "`]`");
    let (input, (_, number, _)) = cut((open, number, close)).parse(input)?;
    Ok((input, number))
}

fn number(input: In<'_>) -> Parsed<'_, u64> {
    let (rest, digits) = token(digit1, "a decimal number").parse(input)?;
    match decimal(digits) {
        Some(number) => Ok((rest, number)),
        None => Err(Err::Failure(Expected {
            at: input.trim_ascii_start(),
            what: "a number of at most 18446744073709551615",
        })),
    }
}

fn decimal(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0u64, |number, digit| {
        let digit = u64::from(digit - b'0');
        number.checked_mul(10)?.checked_add(digit)
    })
}

fn plain(kind: Kind, cell: Option<u64>) -> Operation {
    Operation { thread: 0, kind, cell, read: None, written: None, issued: None, completed: None }
}
