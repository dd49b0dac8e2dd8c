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
    /// The texts of instructions as values, by number.
    pub instructions: Vec<String>,
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
    /// The instruction as a value.
    pub value: Value,
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
    /// The values of all lanes of a vector register when its thread has ended.
    Lanes(ThreadLanes),
    /// The value of a lane, by its number.
    Lane(ThreadLanes, u8),
}

/// A vector register of a thread, as lanes of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadLanes {
    /// The lower half of the vector register; the register with the next number is the upper half.
    pub low: ThreadRegister,
    /// The number of bits of a lane.
    pub bits: u8,
    /// The number of lanes.
    pub count: u8,
}

impl ThreadLanes {
    /// The half that holds a lane, and the number of its bits below the lane.
    pub(crate) fn half(&self, lane: u8) -> (ThreadRegister, u8) {
        let position = lane * self.bits;
        let number = self.low.register.0 + u8::from(position >= 64);
        (ThreadRegister { register: Register(number), ..self.low }, position % 64)
    }
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
            Observed::Lanes(lanes) => (0, Some(lanes.low), "", 0),
            Observed::Lane(lanes, at) => (0, Some(lanes.low), "", 1 + u16::from(at)),
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
            Observed::Lanes(lanes) => {
                (0..lanes.count).map(|at| Observed::Lane(lanes, at)).collect()
            }
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
            Observed::Lanes(lanes) | Observed::Lane(lanes, _) => {
                ScalarType { bits: lanes.bits, signed: true }
            }
        }
    }

    /// The order in which values are listed: numbers, then addresses by name, then those of instructions, then
    /// instructions.
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
            (Value::Instruction(first), Value::Instruction(second)) => {
                let text = |number: u32| &self.instructions[number as usize];
                text(first).cmp(text(second))
            }
            (_, Value::Instruction(_)) => Ordering::Less,
            (Value::Instruction(_), _) => Ordering::Greater,
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
            Value::Instruction(number) => match self.instructions[number as usize].as_str() {
                "NOP" => "NOP".to_owned(),
                text => format!("instr:\"{text}\""),
            },
        }
    }

    /// The name of a label at the address of an instruction, if there is one.
    pub(crate) fn label(&self, CodeAddress { thread, step }: CodeAddress) -> Option<&str> {
        let labels = &self.threads[usize::from(thread)].labels;
        let (label, _) = labels.iter().find(|(_, at)| *at == usize::from(step))?;
        Some(label)
    }

    /// The address of an instruction as states show it, by a label there. Messages show the others by their distance
    /// from the start.
    fn show_code(&self, address: CodeAddress) -> String {
        let CodeAddress { thread, step } = address;
        match self.label(address) {
            Some(label) => format!("label:\"P{thread}:{label}\""),
            None => format!("P{thread}:.+{}", 4 * u32::from(step)),
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
            Observed::Lanes(lanes) => self.show_lanes(&lanes),
            Observed::Lane(lanes, at) => format!("{}[{at}]", self.show_lanes(&lanes)),
            Observed::Element(location, index) => {
                format!("{}[{index}]", self.location_name(location))
            }
        }
    }

    /// A vector register as states show it, such as `0:V1.4S`.
    fn show_lanes(&self, lanes: &ThreadLanes) -> String {
        let ThreadLanes { low, bits, count } = lanes;
        let letter = match bits {
            8 => 'B',
            16 => 'H',
            32 => 'S',
            _ => 'D',
        };
        let name = self.architecture.register_name(low.register);
        format!("{}:{name}.{count}{letter}", low.thread)
    }

    /// The name of a location.
    pub fn location_name(&self, location: Location) -> &str {
        &self.locations[usize::from(location.0)]
    }
}
