//! The grammar of instructions: a mnemonic, and operands separated by commas.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::{char, digit1, hex_digit1, multispace0, multispace1, one_of};
use nom::combinator::{all_consuming, map_res, opt, recognize};
use nom::multi::separated_list0;
use nom::sequence::{delimited, pair, preceded};
use nom::{IResult, Parser};

/// An operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operand<'a> {
    /// The name of a register, a label, a distance such as `.+8`, or an option of the instruction, such as `rw` of a
    /// fence. A percent sign before it is dropped.
    Name(&'a str),
    /// A number, with or without `#` or `$` before it.
    Number(i64),
    /// A name and a number: `LSL #2`, `LSL 2`.
    Modifier(&'a str, i64),
    /// An element of a vector register: `V0.S[1]`.
    Element(&'a str, u8),
    /// Vector registers in braces, perhaps one element of each: `{V0.4S,V1.4S}`, `{V0.S}[1]`.
    List(Vec<&'a str>, Option<u8>),
    /// Operands in parentheses or brackets, after an offset: `8(x5)`, `[X1,#8]`.
    Memory {
        /// The number before the bracket.
        offset: i64,
        /// The operands inside the parentheses or brackets.
        inner: Vec<Operand<'a>>,
        /// Whether an exclamation mark follows: the address register is updated.
        updates: bool,
    },
}

/// An instruction taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parts<'a> {
    /// The mnemonic as it is written.
    pub mnemonic: &'a str,
    pub operands: Vec<Operand<'a>>,
}

type Parsed<'a, T> = IResult<&'a str, T>;

/// How deep brackets may be nested in operands, whose parser calls itself for each level. No instruction needs as many.
const MOST_NESTED: usize = 8;

/// How deep the brackets of a text are nested.
fn nesting(text: &str) -> usize {
    let mut depth: usize = 0;
    let depths = text.chars().map(|one| {
        match one {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth
    });
    depths.max().unwrap_or(0)
}

/// Takes an instruction apart.
///
/// # Errors
/// Returns the rest of the text from where it is not understood.
pub(super) fn parts(text: &str) -> Result<Parts<'_>, String> {
    let (rest, mnemonic) = word(text.trim()).map_err(|_| "it has no name".to_owned())?;
    let rest = rest.trim();
    if rest.is_empty() {
        return Ok(Parts { mnemonic, operands: Vec::new() });
    }
    if nesting(rest) > MOST_NESTED {
        return Err(format!("its operands are nested more than {MOST_NESTED} deep"));
    }
    match all_consuming(separated_list0(spaced(char(',')), operand)).parse(rest) {
        Ok((_, operands)) => Ok(Parts { mnemonic, operands }),
        Err(nom::Err::Error(error) | nom::Err::Failure(error)) => {
            Err(format!("the operands go wrong at `{}`", error.input))
        }
        Err(nom::Err::Incomplete(_)) => Err("the operands are not complete".to_owned()),
    }
}

fn spaced<'a, T>(
    parser: impl Parser<&'a str, Output = T, Error = nom::error::Error<&'a str>>,
) -> impl Parser<&'a str, Output = T, Error = nom::error::Error<&'a str>> {
    delimited(multispace0, parser, multispace0)
}

/// A name; dots belong to it (`lr.w.aq`).
fn word(input: &str) -> Parsed<'_, &str> {
    let is_start = |one: char| one.is_ascii_alphabetic() || one == '_' || one == '.';
    let is_part = |one: char| one.is_ascii_alphanumeric() || one == '_' || one == '.';
    recognize(pair(take_while1(is_start), take_while(is_part))).parse(input)
}

/// A number: decimal or hexadecimal, perhaps negative.
pub(crate) fn number(input: &str) -> IResult<&str, i64> {
    let hexadecimal = map_res(preceded(alt((tag("0x"), tag("0X"))), hex_digit1), |digits| {
        u64::from_str_radix(digits, 16).map(|number| number as i64)
    });
    // `-9223372036854775808` has no positive counterpart, so decimal numbers are read as unsigned.
    let decimal = map_res(digit1, |digits: &str| digits.parse::<u64>().map(|it| it as i64));
    let (rest, sign) = opt(char('-')).parse(input)?;
    let (rest, number) = alt((hexadecimal, decimal)).parse(rest)?;
    Ok((rest, if sign.is_some() { number.wrapping_neg() } else { number }))
}

fn immediate(input: &str) -> Parsed<'_, i64> {
    preceded(opt(alt((char('#'), char('$')))), number).parse(input)
}

/// A name, perhaps with `/Z` or `/M` after it, as predicates of AArch64 have it.
fn name(input: &str) -> Parsed<'_, &str> {
    let suffixed = recognize((word, opt((char('/'), one_of("ZMzm")))));
    preceded(opt(char('%')), suffixed).parse(input)
}

/// A name and a number after it. Without a `#`, a space separates them.
fn modifier(input: &str) -> Parsed<'_, Operand<'_>> {
    let (rest, name) = name(input)?;
    let marked = preceded((multispace0, char('#')), number);
    let (rest, number) = alt((marked, preceded(multispace1, number))).parse(rest)?;
    Ok((rest, Operand::Modifier(name, number)))
}

/// A distance from the instruction itself, such as `.+8`.
fn relative(input: &str) -> Parsed<'_, Operand<'_>> {
    let distance = recognize((char('.'), alt((char('+'), char('-'))), digit1));
    distance.map(Operand::Name).parse(input)
}

/// The number of an element, in brackets.
fn index(input: &str) -> Parsed<'_, u8> {
    let digits = map_res(digit1, str::parse);
    delimited(char('['), digits, char(']')).parse(input)
}

fn list(input: &str) -> Parsed<'_, Operand<'_>> {
    let names = separated_list0(spaced(char(',')), spaced(name));
    let (rest, names) = delimited(char('{'), names, char('}')).parse(input)?;
    let (rest, index) = opt(index).parse(rest)?;
    Ok((rest, Operand::List(names, index)))
}

fn memory(input: &str) -> Parsed<'_, Operand<'_>> {
    let (rest, offset) = opt(immediate).parse(input)?;
    let (rest, _) = multispace0(rest)?;
    let inner = || separated_list0(spaced(char(',')), operand);
    let (rest, inner) = alt((
        delimited(spaced(char('(')), inner(), preceded(multispace0, char(')'))),
        delimited(spaced(char('[')), inner(), preceded(multispace0, char(']'))),
    ))
    .parse(rest)?;
    let (rest, updates) = opt(char('!')).parse(rest)?;
    let updates = updates.is_some();
    Ok((rest, Operand::Memory { offset: offset.unwrap_or(0), inner, updates }))
}

fn operand(input: &str) -> Parsed<'_, Operand<'_>> {
    let plain = alt((immediate.map(Operand::Number), name.map(Operand::Name)));
    let element = pair(name, index).map(|(name, index)| Operand::Element(name, index));
    alt((memory, list, element, relative, modifier, plain)).parse(input)
}

/// The message for operands that an instruction does not have.
pub(super) fn unexpected(expected: &str) -> String {
    format!("expected `{expected}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_nested_so_deep_and_no_deeper() {
        for (open, close) in [("(", ")"), ("[", "]"), ("{", "}")] {
            let deep = format!("lw x5,{}x6{}", open.repeat(50_000), close.repeat(50_000));
            assert_eq!(parts(&deep).unwrap_err(), "its operands are nested more than 8 deep");
        }
    }

    #[test]
    fn operands_of_all_instruction_sets_are_taken_apart() {
        let register = |name| Operand::Name(name);
        let of = |text| parts(text).unwrap();
        assert_eq!(of("fence.tso"), Parts { mnemonic: "fence.tso", operands: Vec::new() });
        let memory = Operand::Memory { offset: 8, inner: vec![register("x6")], updates: false };
        assert_eq!(of("lw  x5, 8(x6)").operands, [register("x5"), memory]);
        let inner = vec![register("X1"), register("W2"), register("SXTW")];
        let memory = Operand::Memory { offset: 0, inner, updates: false };
        assert_eq!(of("LDR W0,[X1,W2,SXTW]").operands, [register("W0"), memory]);
        assert_eq!(of("MOV W0,#-0x10").operands, [register("W0"), Operand::Number(-16)]);
        assert_eq!(of("movl $1,%eax").operands, [Operand::Number(1), register("eax")]);
        let shifted = Operand::Modifier("LSL", 2);
        for text in ["ADD X0,X1,X2,LSL #2", "ADD X0,X1,X2,LSL#2", "ADD X0,X1,X2,LSL 2"] {
            assert_eq!(of(text).operands[3], shifted, "{text}");
        }
        assert_eq!(of("B .-8").operands, [Operand::Name(".-8")]);
        let elements = Operand::List(vec!["V0.S", "V1.S"], Some(2));
        assert_eq!(of("LD2 {V0.S, V1.S}[2],[X0]").operands[0], elements);
        assert_eq!(of("MOV W0,V1.S[3]").operands[1], Operand::Element("V1.S", 3));
        assert_eq!(parts("lw x5,=").unwrap_err(), "the operands go wrong at `,=`");
    }
}
