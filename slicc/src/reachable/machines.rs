//! Numbers of machines (`MachineID`) and sets of them (`NetDest`): of which types they are.
//!
//! A number that was never assigned stands for no machine; its type is the number of machine types.
//!
//! If a system has one controller of a type for each line, all numbers of that type that have to do with a line are the same: `machineID`
//! in a transition, `mapAddressToMachine` of its address, and what messages and entries of the line keep of these. Numbers that come from
//! elsewhere have a mark ([`foreign`]), with which they are not taken for equal: of a broadcast, of another address, or made of a number.

use super::environment::Environment;
use super::interpreter::Interpreter;
use super::model::Model;
use super::store::{Channel, Message};
use super::value::{Truth, UNKNOWN, Value, equality};
use crate::ast::Expression;
use crate::compile::types::{TypeId, TypeKind};
use crate::outline::MOST_MACHINE_TYPES;

/// The field by which the network routes messages.
pub(super) const DESTINATION: &str = "Destination";

impl<'a> Model<'a> {
    /// The bit of a machine's type.
    pub(super) fn kind_of(&self, instance: usize) -> Option<u128> {
        let name = &self.machine(instance).declared.name.text;
        let kind = self.types[self.types.known.machine_type].enumerator(name)?;
        bit(kind as i64)
    }

    /// Whether these are machines of one type, of which a system has only one for a line. So two numbers of it are equal.
    pub(super) fn is_sole(&self, kinds: u128) -> bool {
        let kind = kinds.trailing_zeros() as usize;
        let TypeKind::Enumeration { values, .. } = &self.types[self.types.known.machine_type].kind
        else {
            return false;
        };
        kinds.count_ones() == 1 && values.get(kind).is_some_and(|name| (self.world.sole)(name))
    }

    /// Whether two values may be equal, and whether they may differ.
    pub(super) fn equality(&self, one: &Value, two: &Value) -> Truth {
        match (one, two) {
            (Value::Machines(one), Value::Machines(two)) if one == two && self.is_sole(*one) => {
                Truth { holds: true, fails: false }
            }
            _ => equality(one, two),
        }
    }

    /// The initial value of a number of a machine, or of a set; `None` for other types.
    pub(super) fn initial_machines(&self, of: TypeId, word: Option<u64>) -> Option<Value> {
        let known = &self.types.known;
        if of == known.destinations {
            return Some(Value::Machines(0));
        }
        let none = word.filter(|_| of == known.machine)?;
        bit((none >> 32) as i64).map(Value::Machines)
    }

    /// Whether a message in a channel may arrive at an instance.
    pub(super) fn may_arrive(
        &self,
        instance: usize,
        channel: Channel<'a>,
        message: &Message,
    ) -> bool {
        let (Channel::Network(_), Some(own)) = (channel, self.kind_of(instance)) else {
            return true;
        };
        let destination = self.field(message.of, DESTINATION);
        match destination.map(|(at, _)| &message.fields[at]) {
            Some(Value::Machines(kinds)) => kinds & own != 0,
            _ => true,
        }
    }
}

/// The number of bits for types: one for each, and one for a number that was never assigned.
const KINDS: u32 = MOST_MACHINE_TYPES as u32 + 1;

/// The bits of types, without marks.
const ALL_KINDS: u128 = (1 << KINDS) - 1;

/// Marks numbers of these types that may be of other controllers than those of the line at hand. The last types share a mark.
fn foreign(kinds: u128) -> u128 {
    let with_mark = (1 << (128 - KINDS)) - 1;
    let shares_mark = kinds & ALL_KINDS & !with_mark != 0;
    (kinds & ALL_KINDS) << KINDS | if shares_mark { 1 << 127 } else { 0 }
}

/// The bit of the type with a number.
fn bit(kind: i64) -> Option<u128> {
    u32::try_from(kind).ok().and_then(|kind| 1_u128.checked_shl(kind))
}

/// The bits of the types that a value may be.
fn bits(kinds: Option<&Value>) -> Value {
    let known = kinds.and_then(Value::known);
    let all = known.and_then(|kinds| kinds.iter().map(|kind| bit(*kind)).sum::<Option<u128>>());
    all.map_or(Value::Any, Value::Machines)
}

/// The same for machines that may not be those of the line.
fn foreign_bits(kinds: Option<&Value>) -> Value {
    match bits(kinds) {
        Value::Machines(kinds) => Value::Machines(kinds | foreign(kinds)),
        other => other,
    }
}

/// What the runtime's functions return that are about numbers of machines; `None` for other functions. `is_own_line` says whether the
/// first argument is the address of the line at hand.
pub(super) fn function(name: &str, values: &[Value], is_own_line: bool) -> Option<Value> {
    Some(match name {
        "mapAddressToMachine" | "mapAddressToRange" if is_own_line => bits(values.get(1)),
        "mapAddressToMachine" | "mapAddressToRange" => foreign_bits(values.get(1)),
        "createMachineID" | "broadcast" => foreign_bits(values.first()),
        "machineIDToMachineType" => match values.first() {
            Some(Value::Machines(kinds)) => {
                let all = 0..=MOST_MACHINE_TYPES as i64;
                Value::words(all.filter(|kind| kinds >> kind & 1 == 1))
            }
            _ => Value::Any,
        },
        _ => return None,
    })
}

impl<'a> Interpreter<'_, 'a> {
    /// A method of a set of machines.
    pub(super) fn destinations(
        &mut self,
        object: &'a Expression,
        method: &str,
        values: &[Value],
        now: &mut Environment<'a>,
    ) -> Value {
        let known = self.expression(object, now);
        let kinds = |value: Option<&Value>| match value {
            Some(Value::Machines(kinds)) => Some(*kinds),
            Some(Value::Of(none)) if none.is_empty() => Some(0),
            _ => None,
        };
        let (own, given) = (kinds(Some(&known)), kinds(values.first()));
        let both = own.zip(given);
        let or_any = |kinds: Option<u128>| kinds.map_or(Value::Any, Value::Machines);
        let after = match (method, values) {
            ("add" | "addNetDest", _) => or_any(both.map(|(own, given)| own | given)),
            ("setNetDest" | "broadcast", [kind, ..]) => {
                let given = kinds(Some(&foreign_bits(Some(kind))));
                or_any(own.zip(given).map(|(own, given)| own | given))
            }
            ("clear", _) => Value::Machines(0),
            ("OR", _) => return or_any(both.map(|(own, given)| own | given)),
            ("AND", _) => return or_any(both.map(|(own, given)| own & given)),
            ("smallestElement", [kind]) => {
                let given = kinds(Some(&bits(Some(kind))));
                return or_any(own.zip(given).map(|(own, given)| own & (given | foreign(given))));
            }
            ("smallestElement", []) => return known,
            ("count", _) => {
                let most = own.filter(|own| {
                    (0..128).all(|kind| own >> kind & 1 == 0 || self.model.is_sole(1 << kind))
                });
                let words = |own: u128| Value::words(0..=i64::from(own.count_ones()));
                return most.map_or(Value::Any, words);
            }
            ("isEmpty", _) if own == Some(0) => return Value::word(1),
            ("isElement", _) => return Value::truth(common(both)),
            ("intersectionIsEmpty", _) => {
                let Truth { holds, fails } = common(both);
                return Value::truth(Truth { holds: fails, fails: holds });
            }
            ("isEmpty" | "isSuperset" | "isEqual" | "toSet", _) => return Value::Any,
            ("remove", _) => match both {
                Some((own, given)) if self.model.is_sole(given) && own & foreign(given) == 0 => {
                    Value::Machines(own & !given)
                }
                _ => return Value::Any,
            },
            // What is taken out may have been the only machine of its type, or not.
            ("removeNetDest", _) => return Value::Any,
            _ => Value::Any,
        };
        self.assign(object, after, now);
        Value::Any
    }
}

/// Whether two sets may have a machine in common.
fn common(both: Option<(u128, u128)>) -> Truth {
    match both {
        Some((one, two)) if one & two & ALL_KINDS == 0 => Truth { holds: false, fails: true },
        _ => UNKNOWN,
    }
}
