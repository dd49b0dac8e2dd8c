//! A litmus test as its file states it: programs, initial values, and a condition on final states.

use std::cmp::Ordering;

use crate::isa::{Architecture, Instruction, Register};
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
    /// The initial value of each location, by number.
    pub memory: Vec<Value>,
    /// Initial values of registers; the others start with zero.
    pub registers: Vec<(ThreadRegister, Value)>,
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
    /// The last value of a location.
    Location(Location),
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
    /// Whether the proposition holds in the state in which registers and locations have the values that
    /// `value_of` gives.
    pub fn holds(&self, value_of: &impl Fn(Observed) -> Value) -> bool {
        match self {
            Proposition::Equal(observed, value) => value_of(*observed) == *value,
            Proposition::NotEqual(observed, value) => value_of(*observed) != *value,
            Proposition::Not(of) => !of.holds(value_of),
            Proposition::And(all) => all.iter().all(|one| one.holds(value_of)),
            Proposition::Or(all) => all.iter().any(|one| one.holds(value_of)),
            Proposition::Implies(first, second) => !first.holds(value_of) || second.holds(value_of),
        }
    }

    /// Calls `see` for each register and location that occurs in the proposition.
    pub fn for_each_observed(&self, see: &mut impl FnMut(Observed)) {
        match self {
            Proposition::Equal(observed, _) | Proposition::NotEqual(observed, _) => see(*observed),
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
    /// The order in which states list registers and locations: registers by thread and number, then
    /// locations by name.
    pub(crate) fn order(&self, first: Observed, second: Observed) -> Ordering {
        match (first, second) {
            (Observed::Register(first), Observed::Register(second)) => first.cmp(&second),
            (Observed::Register(_), Observed::Location(_)) => Ordering::Less,
            (Observed::Location(_), Observed::Register(_)) => Ordering::Greater,
            (Observed::Location(first), Observed::Location(second)) => {
                self.location_name(first).cmp(self.location_name(second))
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

    /// A value as states show it: a decimal number, or the name of a location.
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

    /// A register or location as states show it.
    pub(crate) fn show_observed(&self, observed: Observed) -> String {
        match observed {
            Observed::Register(ThreadRegister { thread, register }) => {
                format!("{thread}:{}", self.architecture.register_name(register))
            }
            Observed::Location(location) => format!("[{}]", self.location_name(location)),
        }
    }

    /// The name of a location.
    pub fn location_name(&self, location: Location) -> &str {
        &self.locations[usize::from(location.0)]
    }
}
