//! Reads the part of a test after the programs: `locations`, `filter`, and the condition.
//!
//! In a proposition `\/` binds least, then `/\`, then `=>`, as in herd.

use super::Symbols;
use super::names::{Given, Named, Names};
use super::source::Source;
use super::tokens::{TokenKind, Tokens};
use crate::error::Error;
use crate::isa::Architecture;
use crate::test::{Condition, Observed, Proposition, Quantifier, ThreadRegister};

/// How deep propositions may be nested. Their parser, and what computes with them, call themselves for each level.
const MOST_NESTED: usize = 200;

/// The part of a test after the programs.
pub(super) struct Question {
    /// The registers and locations that `locations` lists.
    pub listed: Vec<Observed>,
    pub filter: Option<Proposition>,
    pub condition: Condition,
    /// Every register that occurs in any of these.
    pub mentioned: Vec<ThreadRegister>,
}

/// Reads the part of a test after the programs.
pub(super) fn read<'a>(
    source: &Source<'a>,
    text: &'a str,
    architecture: Architecture,
    symbols: &mut Symbols,
) -> Result<Question, Error> {
    let mut parser = Parser::new(source, text, architecture, symbols);
    let listed = if parser.tokens.take_if("locations") { parser.listed()? } else { Vec::new() };
    let filter = if parser.tokens.take_if("filter") { Some(parser.proposition()?) } else { None };
    let condition = parser.condition()?;
    parser.tokens.take_if(";");
    if !parser.tokens.is_at_end() {
        let expected = "`exists`, `~exists` or `forall` and a proposition, and the end";
        return Err(parser.tokens.expected(expected));
    }
    Ok(Question { listed, filter, condition, mentioned: parser.names.mentioned })
}

/// Reads the whole text as a proposition. Also returns the registers that occur in it.
pub(super) fn proposition<'a>(
    source: &Source<'a>,
    architecture: Architecture,
    symbols: &mut Symbols,
) -> Result<(Proposition, Vec<ThreadRegister>), Error> {
    let mut parser = Parser::new(source, source.text, architecture, symbols);
    let proposition = parser.proposition()?;
    if !parser.tokens.is_at_end() {
        return Err(parser.tokens.expected("the end of the proposition"));
    }
    Ok((proposition, parser.names.mentioned))
}

struct Parser<'s, 'a> {
    tokens: Tokens<'s, 'a>,
    names: Names<'s>,
    /// How deep the proposition at the next token is nested.
    depth: usize,
}

impl<'s, 'a> Parser<'s, 'a> {
    fn new(
        source: &'s Source<'a>,
        text: &'a str,
        architecture: Architecture,
        symbols: &'s mut Symbols,
    ) -> Parser<'s, 'a> {
        let names = Names { architecture, symbols, mentioned: Vec::new() };
        Parser { tokens: Tokens::new(source, text), names, depth: 0 }
    }

    /// Reads `[x; 0:x5 int*; t;]`, after the word `locations`. The types are of no use here.
    fn listed(&mut self) -> Result<Vec<Observed>, Error> {
        let expected = "`locations [REGISTER or LOCATION; …]`";
        self.tokens.expect("[", expected)?;
        let mut listed = Vec::new();
        while !self.tokens.take_if("]") {
            listed.push(self.observed()?);
            if self.tokens.kind() == Some(TokenKind::Word) {
                self.tokens.take();
            }
            self.tokens.take_if("*");
            if !self.tokens.take_if(";") && self.tokens.peek() != "]" {
                return Err(self.tokens.expected(expected));
            }
        }
        Ok(listed)
    }

    fn condition(&mut self) -> Result<Condition, Error> {
        let tokens = &mut self.tokens;
        let quantifier = if tokens.take_if("exists") || tokens.take_if("final") {
            Quantifier::Exists
        } else if tokens.take_if("forall") {
            Quantifier::ForAll
        } else if tokens.take_if("~") || tokens.take_if("not") {
            tokens.expect("exists", "`exists` after a negation")?;
            Quantifier::NotExists
        } else if tokens.peek() == "(" {
            Quantifier::Exists
        } else {
            let proposition = Proposition::And(Vec::new());
            return Ok(Condition { quantifier: Quantifier::ForAll, proposition });
        };
        Ok(Condition { quantifier, proposition: self.proposition()? })
    }

    fn proposition(&mut self) -> Result<Proposition, Error> {
        self.depth += 1;
        if self.depth > MOST_NESTED {
            let expected = format!("a proposition that is nested at most {MOST_NESTED} deep");
            return Err(self.tokens.expected(&expected));
        }
        let mut all = vec![self.conjunction()?];
        while self.tokens.take_if("\\/") {
            all.push(self.conjunction()?);
        }
        self.depth -= 1;
        Ok(joined(all, Proposition::Or, |one| match one {
            Proposition::Or(all) if !all.is_empty() => Ok(all),
            other => Err(other),
        }))
    }

    fn conjunction(&mut self) -> Result<Proposition, Error> {
        let mut all = vec![self.implication()?];
        while self.tokens.take_if("/\\") {
            all.push(self.implication()?);
        }
        Ok(joined(all, Proposition::And, |one| match one {
            Proposition::And(all) if !all.is_empty() => Ok(all),
            other => Err(other),
        }))
    }

    /// Reads terms with `=>` between them, of which the last two belong together first.
    fn implication(&mut self) -> Result<Proposition, Error> {
        let mut terms = vec![self.term()?];
        while self.tokens.take_if("=>") {
            if self.depth + terms.len() >= MOST_NESTED {
                let expected = format!("at most {MOST_NESTED} implications in each other");
                return Err(self.tokens.expected(&expected));
            }
            terms.push(self.term()?);
        }
        let nested = terms
            .into_iter()
            .rev()
            .reduce(|second, first| Proposition::Implies(Box::new(first), Box::new(second)));
        nested.ok_or_else(|| self.tokens.expected("a proposition"))
    }

    fn term(&mut self) -> Result<Proposition, Error> {
        let mut negations = 0;
        while self.tokens.take_if("~") || self.tokens.take_if("not") {
            negations += 1;
        }
        // Two negations cancel each other, but the condition is printed as it was written.
        if self.depth + negations > MOST_NESTED {
            let expected = format!("at most {MOST_NESTED} negations in each other");
            return Err(self.tokens.expected(&expected));
        }
        self.depth += negations;
        let mut term = if self.tokens.take_if("(") {
            let inner = self.proposition()?;
            self.tokens.expect(")", "`/\\`, `\\/`, `=>` or `)`")?;
            inner
        } else if self.tokens.take_if("true") {
            Proposition::And(Vec::new())
        } else if self.tokens.take_if("false") {
            Proposition::Or(Vec::new())
        } else {
            self.atom()?
        };
        self.depth -= negations;
        for _ in 0..negations {
            term = Proposition::Not(Box::new(term));
        }
        Ok(term)
    }

    fn atom(&mut self) -> Result<Proposition, Error> {
        let observed = self.observed()?;
        let is_equal = self.tokens.take_if("=") || self.tokens.take_if("==");
        if !is_equal && !self.tokens.take_if("<>") && !self.tokens.take_if("!=") {
            return Err(self
                .tokens
                .expected("a proposition such as `0:REGISTER=1 /\\ LOCATION=2`: `=` or `<>`"));
        }
        let given = self.names.given(&mut self.tokens, false)?;
        let equal = match given {
            Given::One(value) => Proposition::Equal(observed, value),
            Given::List(values) => Proposition::Contains(observed, values),
            Given::Of(other) => Proposition::Same(observed, of(other)),
        };
        Ok(match (is_equal, equal) {
            (true, equal) => equal,
            (false, Proposition::Equal(observed, value)) => Proposition::NotEqual(observed, value),
            (false, equal) => Proposition::Not(Box::new(equal)),
        })
    }

    fn observed(&mut self) -> Result<Observed, Error> {
        self.names.named(&mut self.tokens).map(of)
    }
}

fn of(named: Named) -> Observed {
    match named {
        Named::Register(register) => Observed::Register(register),
        Named::Lanes(lanes) => Observed::Lanes(lanes),
        Named::Location(location) => Observed::Location(location),
        Named::Element(location, index) => Observed::Element(location, index),
    }
}

/// Joins propositions, of which `parts` takes apart those that are joined in the same way.
fn joined(
    mut all: Vec<Proposition>,
    join: fn(Vec<Proposition>) -> Proposition,
    parts: fn(Proposition) -> Result<Vec<Proposition>, Proposition>,
) -> Proposition {
    if all.len() == 1 {
        return all.remove(0);
    }
    join(all.into_iter().flat_map(|one| parts(one).unwrap_or_else(|other| vec![other])).collect())
}
