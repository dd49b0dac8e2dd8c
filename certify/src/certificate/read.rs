//! [`read`]: parses the text of a certificate.

use std::io::{self, BufRead, Read};

use memory::{Model, PsoRmw};
use thiserror::Error;

use super::{
    Case, Certificate, Claim, Evidence, FAILED, Literal, Name, NumberedStep, Statement, WROTE,
    relations,
};
use crate::criterion::Criterion;
use crate::rule::Rule;

/// Why a certificate could not be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// A line does not follow the format.
    #[error("line {line}: found `{found}`, expected {expected}")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// The start of the line.
        found: String,
        /// What the format requires at this line.
        expected: &'static str,
    },
    /// The text ends early.
    #[error("the certificate ends after line {line}, expected {expected}; it was cut off")]
    Truncated {
        /// Number of lines of the text.
        line: usize,
        /// What the format requires next.
        expected: &'static str,
    },
    /// The input could not be read, or is not UTF-8.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Reads a certificate. Cost: linear.
///
/// # Errors
/// Returns [`ReadError::Syntax`] for the first line that does not follow the format,
/// [`ReadError::Truncated`] if the text ends before its `end` line, and [`ReadError::Io`] if the input
/// cannot be read.
pub fn read(input: impl BufRead) -> Result<Certificate, ReadError> {
    let mut reader = Reader { input, line: 0, text: String::new() };
    reader.next("`rubric certificate 1`")?;
    if reader.text != "rubric certificate 1" {
        return Err(reader.error("`rubric certificate 1`"));
    }
    let (claim, verdict) = reader.header()?;
    let evidence = |reader: &mut Reader<_>| match verdict.as_str() {
        "violation" if claim.criterion.is_some() => {
            let expected = "a pair of a relation, a cycle, `case` or `end`";
            Ok(Evidence::CriterionViolation(reader.steps(expected, relations::parse)?))
        }
        // Only refutations of a criterion have certificates.
        "consistent" if claim.criterion.is_none() => reader.run(),
        "violation" => {
            Ok(Evidence::Violation(reader.steps("a proof step, `case` or `end`", statement)?))
        }
        _ => Err(reader.error("`verdict consistent` or `verdict violation`")),
    };
    let cases = reader.cases(evidence)?;
    match reader.next("") {
        Err(ReadError::Truncated { .. }) => Ok(Certificate { claim, cases }),
        Err(error) => Err(error),
        Ok(()) => Err(reader.error("nothing after `end`")),
    }
}

/// The keys of the header lines that may come before that of the verdict.
const HEADER: [&str; 12] = [
    "file",
    "history",
    "threads",
    "operations",
    "digest",
    "model",
    "pso-rmw",
    "criterion",
    "source",
    "sizes",
    "initial",
    "options",
];

/// Longest line that is read: far longer than that of a step, which names the few steps that it follows from.
const LONGEST_LINE_BYTES: usize = 64 << 20;

/// What the line that begins a case looks like.
const CASE: &str = "`case` with what is supposed, THREAD:INDEX=wrote or THREAD:INDEX=failed";

struct Reader<B> {
    input: B,
    /// Number of the current line, from 1.
    line: usize,
    /// The current line.
    text: String,
}

impl<B: BufRead> Reader<B> {
    fn next(&mut self, expected: &'static str) -> Result<(), ReadError> {
        self.text.clear();
        let most = LONGEST_LINE_BYTES as u64;
        let read = self.input.by_ref().take(most).read_line(&mut self.text)?;
        if read == LONGEST_LINE_BYTES {
            return Err(self.error(expected));
        }
        if read == 0 {
            return Err(ReadError::Truncated { line: self.line, expected });
        }
        if self.text.ends_with('\n') {
            self.text.pop();
            if self.text.ends_with('\r') {
                self.text.pop();
            }
        }
        self.line += 1;
        Ok(())
    }

    fn error(&self, expected: &'static str) -> ReadError {
        ReadError::Syntax { line: self.line, found: self.text.chars().take(80).collect(), expected }
    }

    fn header(&mut self) -> Result<(Claim, String), ReadError> {
        let mut fields: Vec<(String, String)> = Vec::new();
        let verdict = loop {
            self.next("a header line")?;
            let (key, value) = self.text.split_once(' ').unwrap_or((&self.text, ""));
            if key == "verdict" {
                break value.to_owned();
            }
            let once = fields.iter().all(|(known, _)| known != key);
            if !HEADER.contains(&key) || !once {
                return Err(self.error("each header line at most once"));
            }
            fields.push((key.to_owned(), value.to_owned()));
        };
        let field = |name: &str| {
            let found = fields.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.clone())
        };
        let named = field("model").and_then(|name| Model::from_name(&name, PsoRmw::default()));
        let named = named.ok_or_else(|| self.error("a `model` line before the verdict"))?;
        let model = match (field("pso-rmw").as_deref(), named.rmw()) {
            (Some("all"), Some(_)) => named.with_rmw(PsoRmw::All),
            (Some("own"), Some(_)) => named.with_rmw(PsoRmw::Own),
            (None, None) => named,
            _ => return Err(self.error("`pso-rmw own` or `pso-rmw all` with model pso alone")),
        };
        let digest =
            field("digest").ok_or_else(|| self.error("a `digest` line before the verdict"))?;
        let criterion = match field("criterion").map(|name| Criterion::from_name(&name)) {
            Some(None) => return Err(self.error("the name of a criterion after `criterion`")),
            known => known.flatten(),
        };
        let threads = field("threads").map(|count| count.parse());
        let operations = field("operations").map(|count| count.parse());
        let (Ok(threads), Ok(operations)) = (threads.transpose(), operations.transpose()) else {
            return Err(self.error("numbers after `threads` and `operations` before the verdict"));
        };
        let claim = Claim {
            file: field("file"),
            threads,
            operations,
            history: field("history"),
            digest,
            model,
            criterion,
            source: field("source").unwrap_or_default(),
            sizes: field("sizes").unwrap_or_default(),
            initial: field("initial").unwrap_or_default(),
            options: field("options").unwrap_or_default(),
        };
        Ok((claim, verdict))
    }

    /// Reads the proof, or that of each case, up to the line `end`. `evidence` reads one up to the line after it.
    fn cases(
        &mut self,
        evidence: impl Fn(&mut Self) -> Result<Evidence, ReadError>,
    ) -> Result<Vec<Case>, ReadError> {
        let mut cases = vec![Case { supposed: Vec::new(), evidence: evidence(self)? }];
        while let Some(text) = self.text.strip_prefix("case ") {
            let supposed: Option<_> = text.split(' ').map(supposition).collect();
            let supposed = supposed.ok_or_else(|| self.error(CASE))?;
            let case = Case { supposed, evidence: evidence(self)? };
            // What was read before the first case is nothing.
            if cases[0].supposed.is_empty() {
                if !cases[0].evidence.is_empty() {
                    return Err(self.error("no proof before the first `case`"));
                }
                cases.clear();
            }
            cases.push(case);
        }
        if self.text == "end" { Ok(cases) } else { Err(self.error("`case` or `end`")) }
    }

    fn run(&mut self) -> Result<Evidence, ReadError> {
        const STEP: &str =
            "`x THREAD:INDEX`, `c THREAD:INDEX`, `reads-from READ SOURCE`, `case` or `end`";
        let mut reads_from = Vec::new();
        let mut steps = Vec::new();
        loop {
            self.next("a step or `end`")?;
            let (word, rest) = self.text.split_once(' ').unwrap_or((&self.text, ""));
            let known = match word {
                "x" | "c" => Name::parse(rest).map(|op| steps.push((word == "c", op))),
                "reads-from" => two(rest).map(|pair| reads_from.push(pair)),
                "end" if rest.is_empty() => break,
                "case" => break,
                _ => None,
            };
            known.ok_or_else(|| self.error(STEP))?;
        }
        Ok(Evidence::Consistent { reads_from, steps })
    }

    /// Reads the steps of a refutation, up to the line `end` or that of the next case. `statement` parses the statement of a step.
    fn steps<S>(
        &mut self,
        expected: &'static str,
        statement: impl Fn(&str) -> Option<S>,
    ) -> Result<Vec<NumberedStep<S>>, ReadError> {
        let mut steps = Vec::new();
        loop {
            self.next(expected)?;
            if self.text == "end" || self.text.starts_with("case ") {
                return Ok(steps);
            }
            let step = numbered_step(&self.text, &statement);
            steps.push(step.ok_or_else(|| self.error(expected))?);
        }
    }
}

/// An operation and whether it wrote: `0:1=wrote`
fn supposition(text: &str) -> Option<(Name, bool)> {
    let (name, what) = text.split_once('=')?;
    let wrote = [(WROTE, true), (FAILED, false)].into_iter().find(|(word, _)| *word == what)?.1;
    Some((Name::parse(name)?, wrote))
}

fn numbered_step<S>(text: &str, statement: impl Fn(&str) -> Option<S>) -> Option<NumberedStep<S>> {
    let (text, premises) = text.split_once(" :").unwrap_or((text, ""));
    let premises = premises.split_ascii_whitespace();
    let premises = premises.map(|number| number.parse().ok());
    let (number, text) = text.split_once(' ')?;
    Some(NumberedStep {
        number: number.parse().ok()?,
        statement: statement(text)?,
        premises: premises.collect::<Option<_>>()?,
    })
}

fn statement(text: &str) -> Option<Statement> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    Some(match word {
        "suppose" => Statement::Suppose(literal(rest)?),
        "candidates" => Statement::Candidates(Name::parse(rest)?),
        "one-initial" => {
            let (l, m) = rest.split_once(' ')?;
            Statement::OneInitial(Name::parse(l)?, Name::parse(m)?)
        }
        "clause" => {
            let literals = rest.split_ascii_whitespace().map(literal);
            Statement::Clause(literals.collect::<Option<_>>()?)
        }
        "cycle" if rest.is_empty() => Statement::Cycle,
        "thin-air" => Statement::ThinAir(Name::parse(rest)?),
        "thin-final" => Statement::ThinFinal(rest.parse().ok()?),
        _ => {
            let rule = Rule::from_word(word)?;
            let (has_before, has_after) = rule.written_ends();
            let mut names = rest.split(' ').map(Name::parse);
            let mut next = || names.next().flatten();
            let before = if has_before { Some(next()?) } else { None };
            let rule = rule.try_map(|()| next())?;
            let after = if has_after { Some(next()?) } else { None };
            names.next().is_none().then_some(Statement::Order { rule, before, after })?
        }
    })
}

fn two(text: &str) -> Option<(Name, Name)> {
    let (a, b) = text.split_once(' ')?;
    Some((Name::parse(a)?, Name::parse(b)?))
}

fn literal(text: &str) -> Option<Literal> {
    let both = |(a, b): (&str, &str)| Some((Name::parse(a)?, Name::parse(b)?));
    if let Some(parts) = text.split_once('<') {
        return both(parts).map(|(a, b)| Literal::Before(a, b));
    }
    if let Some(parts) = text.split_once("!=") {
        return both(parts).map(|(a, b)| Literal::NotFrom(a, b));
    }
    both(text.split_once('=')?).map(|(a, b)| Literal::From(a, b))
}
