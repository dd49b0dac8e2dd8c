//! Reads the part of a test behind the programs: `locations`, `filter`, and the condition.
//!
//! In a proposition `\/` binds least, then `/\`, then `=>`, as in herd.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::{char, multispace0};
use nom::combinator::{not, opt, peek, recognize, value as constant};
use nom::multi::separated_list1;
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser};

use super::{Symbols, observed, source::Source, value};
use crate::error::Error;
use crate::isa::Architecture;
use crate::test::{Condition, Observed, Proposition, Quantifier, ThreadRegister};

/// The part of a test behind the programs.
pub(super) struct Question {
    /// The registers and locations that `locations` lists.
    pub listed: Vec<Observed>,
    pub filter: Option<Proposition>,
    pub condition: Condition,
    /// Every register that occurs in any of these.
    pub mentioned: Vec<ThreadRegister>,
}

/// Reads the part of a test behind the programs.
pub(super) fn read(
    source: &Source<'_>,
    text: &str,
    architecture: Architecture,
    symbols: &mut Symbols,
) -> Result<Question, Error> {
    let wrong = |at: &str, expected: &str| source.expected(at, expected);
    let mut names = Names { architecture, symbols, mentioned: Vec::new() };
    let (rest, listed) = opt(listed)
        .parse(text)
        .map_err(|error| wrong(place(&error, text), "`locations [REGISTER or LOCATION; …]`"))?;
    let mut seen = Vec::new();
    for item in listed.unwrap_or_default() {
        let expected = "a register or a location";
        seen.push(names.observed(item).ok_or_else(|| wrong(item, expected))?);
    }
    let expected = "a proposition such as `(0:REGISTER=1 /\\ LOCATION=2)`";
    let (rest, filter) = opt(preceded(keyword("filter"), disjunction))
        .parse(rest)
        .map_err(|error| wrong(place(&error, rest), expected))?;
    let filter = filter.map(|filter| names.resolve(filter)).transpose();
    let filter = filter.map_err(|at| wrong(at, "a register or a location and its value"))?;
    let (rest, condition) = opt((quantifier, disjunction))
        .parse(rest)
        .map_err(|error| wrong(place(&error, rest), expected))?;
    let rest = rest.trim_start();
    let rest = rest.strip_prefix(';').unwrap_or(rest).trim_start();
    if !rest.is_empty() {
        return Err(wrong(rest, "`exists`, `~exists` or `forall` and a proposition, and the end"));
    }
    let (quantifier, parsed) = condition.unwrap_or((Quantifier::ForAll, Parsed::And(Vec::new())));
    let proposition = names.resolve(parsed);
    let proposition =
        proposition.map_err(|at| wrong(at, "a register or a location and its value"))?;
    let condition = Condition { quantifier, proposition };
    Ok(Question { listed: seen, filter, condition, mentioned: names.mentioned })
}

/// Reads the whole text as a proposition. Also returns the registers that occur in it.
pub(super) fn proposition(
    source: &Source<'_>,
    architecture: Architecture,
    symbols: &mut Symbols,
) -> Result<(Proposition, Vec<ThreadRegister>), Error> {
    let mut names = Names { architecture, symbols, mentioned: Vec::new() };
    let expected = "a proposition such as `0:REGISTER=1 /\\ LOCATION=2`";
    let (rest, parsed) = disjunction(source.text)
        .map_err(|error| source.expected(place(&error, source.text), expected))?;
    if !rest.trim().is_empty() {
        return Err(source.expected(rest, "the end of the proposition"));
    }
    let expected = "a register or a location and its value";
    let proposition = names.resolve(parsed).map_err(|at| source.expected(at, expected))?;
    Ok((proposition, names.mentioned))
}

/// A proposition whose names are not resolved yet.
enum Parsed<'a> {
    Atom { observed: &'a str, is_equal: bool, value: &'a str },
    Not(Box<Parsed<'a>>),
    And(Vec<Parsed<'a>>),
    Or(Vec<Parsed<'a>>),
    Implies(Box<Parsed<'a>>, Box<Parsed<'a>>),
}

type In<'a, T> = IResult<&'a str, T>;

/// The text at which a parser failed.
fn place<'a>(error: &nom::Err<nom::error::Error<&'a str>>, whole: &'a str) -> &'a str {
    match error {
        nom::Err::Error(error) | nom::Err::Failure(error) => error.input,
        nom::Err::Incomplete(_) => whole,
    }
}

/// Parses a symbol after white space.
fn sign<'a>(
    text: &'static str,
) -> impl Parser<&'a str, Output = &'a str, Error = nom::error::Error<&'a str>> {
    preceded(multispace0, tag(text))
}

/// Parses a word after white space that no letter, digit or underscore follows.
fn keyword<'a>(
    text: &'static str,
) -> impl Parser<&'a str, Output = &'a str, Error = nom::error::Error<&'a str>> {
    let is_part = |one: char| one.is_ascii_alphanumeric() || one == '_';
    terminated(sign(text), not(peek(take_while1(is_part))))
}

/// `locations [x; 0:x5;]`
fn listed(input: &str) -> In<'_, Vec<&str>> {
    let (input, _) = keyword("locations").parse(input)?;
    let item = take_while1(|one: char| one != ';' && one != ']' && one != '[');
    let bracketed = recognize((char('['), take_while1(|one: char| one != ']'), char(']')));
    let item = preceded(multispace0, alt((bracketed, item)));
    let items = separated_list1(sign(";"), item);
    let (input, items) =
        delimited(sign("["), opt(items), (opt(sign(";")), sign("]"))).parse(input)?;
    let items = items.unwrap_or_default();
    Ok((input, items.into_iter().filter(|item| !item.trim().is_empty()).collect()))
}

fn quantifier(input: &str) -> In<'_, Quantifier> {
    let negated = (alt((sign("~"), keyword("not"))), keyword("exists"));
    alt((
        constant(Quantifier::NotExists, negated),
        constant(Quantifier::Exists, alt((keyword("exists"), keyword("final")))),
        constant(Quantifier::ForAll, keyword("forall")),
    ))
    .parse(input)
}

fn disjunction(input: &str) -> In<'_, Parsed<'_>> {
    let (input, mut all) = separated_list1(sign("\\/"), conjunction).parse(input)?;
    Ok((input, if all.len() == 1 { all.remove(0) } else { Parsed::Or(all) }))
}

fn conjunction(input: &str) -> In<'_, Parsed<'_>> {
    let (input, mut all) = separated_list1(sign("/\\"), implication).parse(input)?;
    Ok((input, if all.len() == 1 { all.remove(0) } else { Parsed::And(all) }))
}

fn implication(input: &str) -> In<'_, Parsed<'_>> {
    let (input, first) = term(input)?;
    let (input, second) = opt(preceded(sign("=>"), implication)).parse(input)?;
    Ok((
        input,
        match second {
            Some(second) => Parsed::Implies(Box::new(first), Box::new(second)),
            None => first,
        },
    ))
}

fn term(input: &str) -> In<'_, Parsed<'_>> {
    let negation = preceded(alt((sign("~"), keyword("not"))), term);
    alt((
        negation.map(|of| Parsed::Not(Box::new(of))),
        delimited(sign("("), disjunction, sign(")")),
        keyword("true").map(|_| Parsed::And(Vec::new())),
        keyword("false").map(|_| Parsed::Or(Vec::new())),
        atom,
    ))
    .parse(input)
}

fn atom(input: &str) -> In<'_, Parsed<'_>> {
    let is_part = |one: char| one.is_ascii_alphanumeric() || "_.:%[]*&+-".contains(one);
    let mut word = preceded(multispace0, take_while1(is_part));
    let (input, observed) = word.parse(input)?;
    let (input, is_equal) = alt((
        constant(true, alt((sign("=="), sign("=")))),
        constant(false, alt((sign("<>"), sign("!=")))),
    ))
    .parse(input)?;
    let (input, value) = word.parse(input)?;
    Ok((input, Parsed::Atom { observed, is_equal, value }))
}

/// Resolves the names in propositions, and records the registers among them.
struct Names<'s> {
    architecture: Architecture,
    symbols: &'s mut Symbols,
    mentioned: Vec<ThreadRegister>,
}

impl Names<'_> {
    fn observed(&mut self, text: &str) -> Option<Observed> {
        // A type may follow: `locations [0:x5 int*;]`.
        let text = text.trim();
        let name = text.split(char::is_whitespace).next().unwrap_or(text).trim_end_matches('*');
        let found = observed(self.architecture, name, self.symbols)?;
        if let Observed::Register(register) = found {
            self.mentioned.push(register);
        }
        Some(found)
    }

    /// Resolves the names of a proposition. The error is the text that is not a register, a location or a value.
    fn resolve<'a>(&mut self, parsed: Parsed<'a>) -> Result<Proposition, &'a str> {
        Ok(match parsed {
            Parsed::Atom { observed, is_equal, value: text } => {
                let found = self.observed(observed).ok_or(observed)?;
                let value = value(text, self.symbols).ok_or(text)?;
                if is_equal {
                    Proposition::Equal(found, value)
                } else {
                    Proposition::NotEqual(found, value)
                }
            }
            Parsed::Not(of) => Proposition::Not(Box::new(self.resolve(*of)?)),
            Parsed::And(all) => Proposition::And(self.resolve_all(all, flat_and)?),
            Parsed::Or(all) => Proposition::Or(self.resolve_all(all, flat_or)?),
            Parsed::Implies(first, second) => Proposition::Implies(
                Box::new(self.resolve(*first)?),
                Box::new(self.resolve(*second)?),
            ),
        })
    }

    fn resolve_all<'a>(
        &mut self,
        all: Vec<Parsed<'a>>,
        flat: fn(Proposition) -> Vec<Proposition>,
    ) -> Result<Vec<Proposition>, &'a str> {
        let mut resolved = Vec::new();
        for one in all {
            resolved.extend(flat(self.resolve(one)?));
        }
        Ok(resolved)
    }
}

/// The parts of a proposition in a conjunction: those of a nested conjunction, else the proposition itself.
fn flat_and(proposition: Proposition) -> Vec<Proposition> {
    match proposition {
        Proposition::And(all) if !all.is_empty() => all,
        other => vec![other],
    }
}

/// The parts of a proposition in a disjunction: those of a nested disjunction, else the proposition itself.
fn flat_or(proposition: Proposition) -> Vec<Proposition> {
    match proposition {
        Proposition::Or(all) if !all.is_empty() => all,
        other => vec![other],
    }
}
