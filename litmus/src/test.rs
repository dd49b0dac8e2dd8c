//! A litmus test as its file states it: programs, initial values, and a condition on final states.

use std::cmp::Ordering;

use crate::isa::{Architecture, Instruction, Register};
use crate::types::{LocationType, ScalarType};
use crate::value::{CodeAddress, Location, Value};

/// A litmus test.
#[derive(Clone, Debug)]
pub struct LitmusTest {
    /// The file that the test was read from, for messages.
    pub file: String,
    /// The name of the test.
    pub name: String,
    /// The instruction set of the programs.
    pub architecture: Architecture,
    /// The names of the locations, by number.
    pub locations: Vec<String>,
    /// The type of each location, by number.
    pub types: Vec<LocationType>,
    /// The initial values of each location, by number: one, or those of the elements of an array.
    pub memory: Vec<Vec<Value>>,
    /// Initial values of registers; the others start with zero.
    pub registers: Vec<(ThreadRegister, Value)>,
    /// The declared types of registers; the others have [`ScalarType::INT`].
    pub register_types: Vec<(ThreadRegister, ScalarType)>,
    /// The program of each thread.
    pub threads: Vec<Program>,
    /// The registers and locations of a state, in the order in which states list them.
    pub observed: Vec<Observed>,
    /// The proposition that a state must satisfy to be listed; without one, all states are listed.
    pub filter: Option<Proposition>,
    /// The question that the test asks.
    pub condition: Condition,
}

/// A register of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadRegister {
    /// The thread, from 0.
    pub thread: usize,
    /// The register.
    pub register: Register,
}

/// The program of a thread.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The instructions, in program order.
    pub steps: Vec<Step>,
    /// The labels, each with the index of the step that follows it.
    pub labels: Vec<(String, usize)>,
}

/// An instruction of a program.
#[derive(Clone, Debug)]
pub struct Step {
    /// The translated instruction.
    pub instruction: Instruction,
    /// The line in the file, from 1.
    pub line: usize,
    /// The text of the instruction in the file.
    pub text: String,
}

/// A part of a final state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Observed {
    /// The value of a register when its thread has ended.
    Register(ThreadRegister),
    /// The last value of a location, or those of all elements of an array.
    Location(Location),
    /// The last value of an element of an array.
    Element(Location, u16),
}

/// A question about the final states that are reachable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// How many states have to satisfy the proposition.
    pub quantifier: Quantifier,
    /// A proposition on a state.
    pub proposition: Proposition,
}

/// How many final states have to satisfy a proposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// `exists`: at least one.
    Exists,
    /// `~exists`: none.
    NotExists,
    /// `forall`: all.
    ForAll,
}

/// A proposition on a final state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proposition {
    /// A register or location has a value.
    Equal(Observed, Value),
    /// A register or location does not have a value.
    NotEqual(Observed, Value),
    /// The elements of an array have these values.
    Contains(Observed, Vec<Value>),
    /// Two registers or locations have the same value, in all of its bits.
    Same(Observed, Observed),
    /// The proposition does not hold.
    Not(Box<Proposition>),
    /// All of the propositions hold; true if there are none.
    And(Vec<Proposition>),
    /// At least one of the propositions holds.
    Or(Vec<Proposition>),
    /// The second holds where the first does.
    Implies(Box<Proposition>, Box<Proposition>),
}

impl Proposition {
    /// Whether the proposition holds in the state of a test in which registers, locations that are no arrays, and
    /// elements have the values that `value_of` gives. Values are compared as the type of the register or location has
    /// them.
    pub fn holds(&self, test: &LitmusTest, value_of: &impl Fn(Observed) -> Value) -> bool {
        let equal = |observed: Observed, value: Value| {
            let scalar = test.scalar_type(observed);
            scalar.converted(value_of(observed)) == scalar.converted(value)
        };
        match self {
            Proposition::Equal(observed, value) => equal(*observed, *value),
            Proposition::NotEqual(observed, value) => !equal(*observed, *value),
            Proposition::Contains(observed, values) => {
                let elements = test.parts(*observed);
                elements.len() == values.len()
                    && elements.iter().zip(values).all(|(element, value)| equal(*element, *value))
            }
            Proposition::Same(first, second) => value_of(*first) == value_of(*second),
            Proposition::Not(of) => !of.holds(test, value_of),
            Proposition::And(all) => all.iter().all(|one| one.holds(test, value_of)),
            Proposition::Or(all) => all.iter().any(|one| one.holds(test, value_of)),
            Proposition::Implies(first, second) => {
                !first.holds(test, value_of) || second.holds(test, value_of)
            }
        }
    }

    /// Calls `see` for each register and location that occurs in the proposition.
    pub fn for_each_observed(&self, see: &mut impl FnMut(Observed)) {
        match self {
            Proposition::Equal(observed, _)
            | Proposition::NotEqual(observed, _)
            | Proposition::Contains(observed, _) => see(*observed),
            Proposition::Same(first, second) => {
                see(*first);
                see(*second);
            }
            Proposition::Not(of) => of.for_each_observed(see),
            Proposition::And(all) | Proposition::Or(all) => {
                all.iter().for_each(|one| one.for_each_observed(see));
            }
            Proposition::Implies(first, second) => {
                first.for_each_observed(see);
                second.for_each_observed(see);
            }
        }
    }
}

impl LitmusTest {
    /// The order in which states list what they have: registers by thread and number, locations by name, then elements
    /// of arrays.
    pub(crate) fn order(&self, first: Observed, second: Observed) -> Ordering {
        let key = |observed| match observed {
            Observed::Register(register) => (0, Some(register), "", 0),
            Observed::Location(location) => (1, None, self.location_name(location), 0),
            Observed::Element(location, index) => (2, None, self.location_name(location), index),
        };
        key(first).cmp(&key(second))
    }

    /// The registers, locations and elements of which a part of a state consists: the elements of an array, else the
    /// part itself.
    pub(crate) fn parts(&self, observed: Observed) -> Vec<Observed> {
        match observed {
            Observed::Location(location) => match self.types[usize::from(location.0)].length {
                Some(length) => (0..length).map(|at| Observed::Element(location, at)).collect(),
                None => vec![observed],
            },
            _ => vec![observed],
        }
    }

    /// The type of a register, a location, or the elements of an array.
    pub fn scalar_type(&self, observed: Observed) -> ScalarType {
        match observed {
            Observed::Register(register) => {
                let declared = self.register_types.iter().find(|(it, _)| *it == register);
                declared.map_or(ScalarType::INT, |(_, scalar)| *scalar)
            }
            Observed::Location(location) | Observed::Element(location, _) => {
                self.types[usize::from(location.0)].scalar
            }
        }
    }

    /// The order in which values are listed: numbers, then addresses by name, then those of instructions.
    pub(crate) fn order_values(&self, first: Value, second: Value) -> Ordering {
        match (first, second) {
            (Value::Number(first), Value::Number(second)) => first.cmp(&second),
            (Value::Number(_), Value::Address(..)) => Ordering::Less,
            (Value::Address(..), Value::Number(_)) => Ordering::Greater,
            (Value::Address(first, from), Value::Address(second, to)) => {
                let names = (self.location_name(first), self.location_name(second));
                names.0.cmp(names.1).then(from.cmp(&to))
            }
            (Value::Code(first), Value::Code(second)) => first.cmp(&second),
            (_, Value::Code(_)) => Ordering::Less,
            (Value::Code(_), _) => Ordering::Greater,
        }
    }

    /// A value as conditions and messages show it: a decimal number, or the name of a location.
    pub(crate) fn show(&self, value: Value) -> String {
        match value {
            Value::Number(number) => number.to_string(),
            Value::Address(location, 0) => self.location_name(location).to_owned(),
            Value::Address(location, by) => format!("{}+{by}", self.location_name(location)),
            Value::Code(address) => self.show_code(address),
        }
    }

    /// The address of an instruction as states show it, by a label there or by its distance from the start.
    fn show_code(&self, CodeAddress { thread, step }: CodeAddress) -> String {
        let labels = &self.threads[usize::from(thread)].labels;
        match labels.iter().find(|(_, at)| *at == usize::from(step)) {
            Some((label, _)) => format!("label:\"P{thread}:{label}\""),
            None => format!("P{thread}:.+{}", 4 * step),
        }
    }

    /// A value as states show it: a number as its type has it.
    pub(crate) fn show_typed(&self, value: Value, scalar: ScalarType) -> String {
        match value {
            Value::Number(number) => scalar.show(number),
            address => self.show(address),
        }
    }

    /// A register or location as states show it.
    pub(crate) fn show_observed(&self, observed: Observed) -> String {
        match observed {
            Observed::Register(ThreadRegister { thread, register }) => {
                format!("{thread}:{}", self.architecture.register_name(register))
            }
            Observed::Location(location) => {
                let name = self.location_name(location);
                let is_array = self.types[usize::from(location.0)].length.is_some();
                if is_array { name.to_owned() } else { format!("[{name}]") }
            }
            Observed::Element(location, index) => {
                format!("{}[{index}]", self.location_name(location))
            }
        }
    }

    /// The name of a location.
    pub fn location_name(&self, location: Location) -> &str {
        &self.locations[usize::from(location.0)]
    }
}
