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
//! - [`tokens`], [`names`]: the words of the initial state and of conditions, and the registers, locations and values
//!   that they stand for;
//! - [`header`]: the first line, the description, and lines such as `Variant=mixed`;
//! - [`initial`]: the initial state;
//! - [`table`]: the columns of instructions;
//! - [`question`]: everything after the columns.

mod header;
mod initial;
mod names;
mod question;
mod source;
mod table;
mod tokens;

use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::test::{LitmusTest, Observed, Proposition, ThreadRegister};
use crate::types::LocationType;
use crate::value::{CodeAddress, Location, Value};
use source::Source;

/// The locations of a test, by name, in the order in which the text mentions them.
#[derive(Default)]
struct Symbols {
    names: Vec<String>,
    known: FxHashMap<String, Location>,
    /// The size in bytes of the elements of each array.
    elements: FxHashMap<Location, i64>,
    /// The instruction after each label, by thread and name.
    labels: FxHashMap<(usize, String), CodeAddress>,
    /// The texts of instructions as values.
    instructions: Vec<String>,
    instruction_numbers: FxHashMap<String, u32>,
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

    /// The number of bytes by which an index moves an address: the size of an element, or 1 if the location is no array.
    fn element(&self, location: Location) -> i64 {
        self.elements.get(&location).copied().unwrap_or(1)
    }

    /// Adds the labels of a thread, each with the number of the instruction after it.
    fn add_labels(&mut self, thread: usize, labels: impl Iterator<Item = (String, usize)>) {
        for (label, step) in labels {
            let address = CodeAddress { thread: thread as u16, step: step as u16 };
            self.labels.insert((thread, label), address);
        }
    }

    /// The value of an instruction, given its text as [`uniform`](crate::isa::uniform) has it.
    fn instruction(&mut self, text: String) -> Value {
        let number = self.instructions.len() as u32;
        let number = *self.instruction_numbers.entry(text.clone()).or_insert(number);
        if number as usize == self.instructions.len() {
            self.instructions.push(text);
        }
        Value::Instruction(number)
    }

    /// States the size in bytes of the elements of an array.
    fn declare_element(&mut self, array: Location, bytes: i64) {
        self.elements.insert(array, bytes);
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
        let header = header::read(&source)?;
        if let Some(at) = header.rest.find("(*") {
            return Err(source.expected(&header.rest[at..], "`*)` at the end of a comment"));
        }
        let architecture = header.architecture;
        let (state, rest) = initial::split(&source, header.rest)?;
        // The initial state may name labels.
        let (columns, rest) = table::columns(&source, rest)?;
        for (thread, column) in columns.iter().enumerate() {
            symbols.add_labels(thread, table::labels(column));
        }
        let state = initial::read(&source, state, architecture, &mut symbols)?;
        let threads = table::programs(&source, &columns, architecture, &mut symbols)?;
        let known = symbols.names.len();
        let question = question::read(&source, rest, architecture, &mut symbols)?;
        refuse_missing_threads(&source, rest, &question.mentioned, threads.len())?;
        if symbols.names.len() > usize::from(u16::MAX) {
            let what = format!("there are more than {} locations", u16::MAX);
            return Err(Error::TooLarge { file: file.to_owned(), what });
        }
        let locations = || (0..symbols.names.len()).map(|at| Location(at as u16));
        let types: Vec<LocationType> = locations()
            .map(|it| state.types.get(&it).copied().unwrap_or(LocationType::UNDECLARED))
            .collect();
        let values = |it: Location| state.memory.get(&it).cloned();
        let mut test = LitmusTest {
            file: file.to_owned(),
            name: header.name.to_owned(),
            architecture,
            memory: locations().map(|it| values(it).unwrap_or(vec![Value::ZERO])).collect(),
            types,
            locations: symbols.names,
            registers: state.registers,
            register_types: state.register_types,
            threads,
            instructions: symbols.instructions,
            observed: Vec::new(),
            filter: question.filter,
            condition: question.condition,
        };
        let mut observed = question.listed;
        test.condition.proposition.for_each_observed(&mut |one| observed.push(one));
        let mut filtered = observed.clone();
        test.filter.iter().for_each(|filter| {
            filter.for_each_observed(&mut |one| filtered.push(one));
        });
        let wrong = |what: String| source.expected(rest, &what);
        test.refuse_unknown(&filtered, known).map_err(wrong)?;
        if let Some((_, name)) =
            state.unknown_types.iter().find(|(it, _)| filtered.contains(&Observed::Register(*it)))
        {
            return Err(
                source.expected(header.rest, &format!("no type `{name}`, which is not known"))
            );
        }
        let propositions = std::iter::once(&test.condition.proposition).chain(&test.filter);
        for proposition in propositions {
            test.refuse_shapes(proposition).map_err(wrong)?;
        }
        observed.sort_by(|first, second| test.order(*first, *second));
        observed.dedup();
        test.observed = observed;
        Ok(test)
    }

    /// Refuses conditions about locations that occur nowhere else, of which there are `known`, and about elements that
    /// an array does not have. The error says what was expected.
    fn refuse_unknown(&self, observed: &[Observed], known: usize) -> Result<(), String> {
        for one in observed {
            let (Observed::Location(location) | Observed::Element(location, _)) = *one else {
                continue;
            };
            let name = self.location_name(location);
            if usize::from(location.0) >= known {
                return Err(format!(
                    "locations that the initial state or the programs mention, which `{name}` is not"
                ));
            }
            let Observed::Element(_, index) = *one else {
                continue;
            };
            match self.types[usize::from(location.0)].length {
                Some(length) if index < length => {}
                Some(length) => return Err(format!("an element of `{name}`, which has {length}")),
                None => return Err(format!("an array before `[{index}]`, which `{name}` is not")),
            }
        }
        Ok(())
    }

    /// Refuses comparisons of an array with one value, and of one value with several.
    fn refuse_shapes(&self, proposition: &Proposition) -> Result<(), String> {
        let is_array = |observed: Observed| self.parts(observed) != [observed];
        let count = |observed: Observed| self.parts(observed).len();
        match proposition {
            Proposition::Equal(one, _) | Proposition::NotEqual(one, _) if is_array(*one) => {
                let name = self.show_observed(*one);
                Err(format!("the {} values of the array `{name}` in braces", count(*one)))
            }
            Proposition::Contains(one, values)
                if !is_array(*one) || values.len() != count(*one) =>
            {
                let name = self.show_observed(*one);
                Err(format!("{} values to compare with `{name}`", count(*one)))
            }
            Proposition::Same(first, second) if is_array(*first) || is_array(*second) => {
                Err("registers, locations or elements on both sides, no arrays".to_owned())
            }
            Proposition::Not(of) => self.refuse_shapes(of),
            Proposition::And(all) | Proposition::Or(all) => {
                all.iter().try_for_each(|one| self.refuse_shapes(one))
            }
            Proposition::Implies(first, second) => {
                self.refuse_shapes(first).and_then(|()| self.refuse_shapes(second))
            }
            _ => Ok(()),
        }
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
        self.instructions.iter().for_each(|text| {
            symbols.instruction(text.clone());
        });
        for (name, of_type) in self.locations.iter().zip(&self.types) {
            let location = symbols.location(name);
            if of_type.length.is_some() {
                symbols.declare_element(location, i64::from(of_type.bytes));
            }
        }
        for (thread, program) in self.threads.iter().enumerate() {
            symbols.add_labels(thread, program.labels.iter().cloned());
        }
        let read = question::proposition(&source, self.architecture, &mut symbols)?;
        if symbols.instructions.len() > self.instructions.len() {
            let expected = "an instruction of the test, which this one is not";
            return Err(source.expected(text, expected));
        }
        if let Some(unknown) = symbols.names.get(self.locations.len()) {
            let expected = format!("a location of the test, which `{unknown}` is not");
            return Err(source.expected(text, &expected));
        }
        refuse_missing_threads(&source, text, &read.1, self.threads.len())?;
        let mut observed = Vec::new();
        read.0.for_each_observed(&mut |one| observed.push(one));
        let wrong = |what: String| source.expected(text, &what);
        self.refuse_unknown(&observed, self.locations.len()).map_err(wrong)?;
        self.refuse_shapes(&read.0).map_err(wrong)?;
        Ok(read.0)
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

/// Whether the text can name a label.
fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|one| one.is_ascii_alphabetic() || one == '_' || one == '.')
        && letters.all(|one| one.is_ascii_alphanumeric() || one == '_' || one == '.')
}
