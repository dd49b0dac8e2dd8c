//! Reads a litmus test in herd's format.
//!
//! ```text
//! RISCV MP                     the instruction set and the name
//! "PodWW Rfe PodRR Fre"        a description and lines `Key=value`, which are skipped
//! { 0:x5=x; 1:x5=x; y=1; }     initial values of registers and locations
//!  P0          | P1          ; a column for each thread
//!  sw x6,0(x5) | lw x7,0(x5) ;
//! locations [x;]               more that states list
//! filter (1:x7=1)              the states that count
//! exists (1:x7=1 /\ x=0)       the question
//! ```
//!
//! - [`source`]: the text, without comments and with line numbers;
//! - [`initial`]: the initial state;
//! - [`table`]: the columns of instructions;
//! - [`question`]: everything behind the columns.

mod initial;
mod question;
mod source;
mod table;

use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::isa::Architecture;
use crate::test::{LitmusTest, Observed, Proposition, ThreadRegister};
use crate::value::{Location, Value};
use source::Source;

/// The locations of a test, by name, in the order in which the text mentions them.
#[derive(Default)]
struct Symbols {
    names: Vec<String>,
    known: FxHashMap<String, Location>,
}

impl Symbols {
    fn location(&mut self, name: &str) -> Location {
        if let Some(&known) = self.known.get(name) {
            return known;
        }
        let location = Location(self.names.len() as u16);
        self.names.push(name.to_owned());
        self.known.insert(name.to_owned(), location);
        location
    }
}

impl LitmusTest {
    /// Reads a test. `file` names it in messages.
    ///
    /// # Errors
    /// Returns [`Error::Syntax`] where the text is not a litmus test, and [`Error::Instruction`] for an
    /// instruction that is not known.
    pub fn parse(file: &str, text: &str) -> Result<LitmusTest, Error> {
        let text = source::without_comments(text);
        let source = Source { file, text: &text };
        let mut symbols = Symbols::default();
        let (architecture, name, rest) = header(&source)?;
        let (state, rest) = initial::read(&source, rest, architecture, &mut symbols)?;
        let (threads, rest) = table::read(&source, rest, architecture, &mut symbols)?;
        let question = question::read(&source, rest, architecture, &mut symbols)?;
        refuse_missing_threads(&source, rest, &question.mentioned, threads.len())?;
        let mut memory = vec![Value::ZERO; symbols.names.len()];
        for &(location, value) in &state.memory {
            memory[usize::from(location.0)] = value;
        }
        let mut test = LitmusTest {
            file: file.to_owned(),
            name: name.to_owned(),
            architecture,
            locations: symbols.names,
            memory,
            registers: state.registers,
            threads,
            observed: Vec::new(),
            filter: question.filter,
            condition: question.condition,
        };
        let mut observed = question.listed;
        test.condition.proposition.for_each_observed(&mut |one| observed.push(one));
        observed.sort_by(|first, second| test.order(*first, *second));
        observed.dedup();
        test.observed = observed;
        Ok(test)
    }
}

impl LitmusTest {
    /// Reads a proposition on final states, such as `1:x5=1 /\ [x]=0`, about the registers and locations of
    /// the test. `origin` names it in messages.
    ///
    /// # Errors
    /// Returns [`Error::Syntax`] if the text is not a proposition, or names a thread or a location that the test does
    /// not have.
    pub fn proposition(&self, origin: &str, text: &str) -> Result<Proposition, Error> {
        let source = Source { file: origin, text };
        let mut symbols = Symbols::default();
        self.locations.iter().for_each(|name| {
            symbols.location(name);
        });
        let read = question::proposition(&source, self.architecture, &mut symbols)?;
        if let Some(unknown) = symbols.names.get(self.locations.len()) {
            let expected = format!("a location of the test, which `{unknown}` is not");
            return Err(source.expected(text, &expected));
        }
        refuse_missing_threads(&source, text, &read.1, self.threads.len())?;
        Ok(read.0)
    }
}

/// Reads the first line. Returns the instruction set, the name of the test, and the text from the initial state on.
fn header<'a>(source: &Source<'a>) -> Result<(Architecture, &'a str, &'a str), Error> {
    let start = source.text.trim_start();
    let (line, mut rest) = start.split_once('\n').unwrap_or((start, ""));
    let (word, name) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
    let name = name.trim();
    let architecture = Architecture::from_name(word).filter(|_| !name.is_empty());
    let Some(architecture) = architecture else {
        let names = Architecture::ALL.map(Architecture::name).join("`, `");
        return Err(source.expected(start, &format!("one of `{names}`, and the test's name")));
    };
    loop {
        rest = rest.trim_start();
        if rest.starts_with('{') {
            return Ok((architecture, name, rest));
        }
        let end = match rest.strip_prefix('"') {
            Some(quoted) => quoted.find('"').map(|end| end + 2),
            None if rest.lines().next().is_some_and(|line| line.contains('=')) => {
                Some(rest.find('\n').unwrap_or(rest.len()))
            }
            None => None,
        };
        let end = end.ok_or_else(|| {
            source.expected(
                rest,
                "a description in quotes, `Key=value`, or the initial state in braces",
            )
        })?;
        rest = &rest[end..];
    }
}

fn refuse_missing_threads(
    source: &Source<'_>,
    at: &str,
    mentioned: &[ThreadRegister],
    threads: usize,
) -> Result<(), Error> {
    match mentioned.iter().find(|register| register.thread >= threads) {
        Some(missing) => {
            let expected =
                format!("registers of the {threads} threads; there is no P{}", missing.thread);
            Err(source.expected(at, &expected))
        }
        None => Ok(()),
    }
}

/// Parses a register such as `0:x5`, given as `thread` and `name`.
fn register(architecture: Architecture, thread: &str, name: &str) -> Option<ThreadRegister> {
    let thread = thread.trim();
    let thread = thread.strip_prefix('P').unwrap_or(thread).parse().ok()?;
    let name = name.trim();
    let register = architecture.register(name.strip_prefix('%').unwrap_or(name))?;
    Some(ThreadRegister { thread, register })
}

/// Parses a register such as `0:x5`, or a location such as `x`, `[x]` or `*x`.
fn observed(architecture: Architecture, text: &str, symbols: &mut Symbols) -> Option<Observed> {
    let text = text.trim();
    if let Some((thread, name)) = text.split_once(':') {
        return register(architecture, thread, name).map(Observed::Register);
    }
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let name = inner.or_else(|| text.strip_prefix('*')).unwrap_or(text).trim();
    is_name(name).then(|| Observed::Location(symbols.location(name)))
}

/// Whether the text can name a location.
fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|one| one.is_ascii_alphabetic() || one == '_')
        && letters.all(|one| one.is_ascii_alphanumeric() || one == '_' || one == '.')
}

/// Parses a number, or the address of a location, with or without an ampersand.
fn value(text: &str, symbols: &mut Symbols) -> Option<Value> {
    let text = text.trim();
    if let Ok(("", number)) = crate::isa::number(text) {
        return Some(Value::Number(number));
    }
    let name = text.strip_prefix('&').unwrap_or(text).trim();
    is_name(name).then(|| Value::Address(symbols.location(name), 0))
}
