//! Compares a mutant with its protocol: which entries of the transition table behave differently,
//! as compiled.
//!
//! The comparison is of code as it runs: constants by value, variables by name, functions by their
//! code. Differences in writing, such as comments, the names of actions and the order of
//! declarations, do not count.

use std::collections::{BTreeMap, BTreeSet};

use slicc::compile::code::{Machine, Need, Transition};
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;

use crate::compare::Comparison;

/// The differences between a protocol and a mutant of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// The entries with a difference, sorted: other actions, another next state, another stall, or
    /// an entry that only one of the two has.
    pub entries: Vec<TableEntry>,
    /// The other differences, in words.
    pub elsewhere: Vec<String>,
}

/// Compares a protocol with a mutant of it. The values of parameters are known to the runtime only:
/// `same_parameters` says whether they are the same for both.
///
/// ```
/// use mutate::{named, touched::touched};
/// use slicc::protocol::Protocol;
///
/// let mutant = named::find("mi-l1-replace-no-notify").unwrap();
/// let original = Protocol::open(&mutant.protocol).unwrap();
/// let mutated = original.with(&mutant).unwrap();
/// let touched = touched(&original, &mutated, true);
/// let entries: Vec<String> = touched.entries.iter().map(ToString::to_string).collect();
/// assert_eq!(entries, ["L1Cache/M.Inv", "L1Cache/M.Replacement"]);
/// assert!(touched.elsewhere.is_empty());
/// ```
pub fn touched(original: &Protocol, mutated: &Protocol, same_parameters: bool) -> Touched {
    let mut touched = Touched::default();
    let (ours, theirs) = (&original.program, &mutated.program);
    types(original, mutated, &mut touched.elsewhere);
    if !same_parameters {
        touched.elsewhere.push("parameters or settings".to_owned());
    }
    for machine in &ours.machines {
        match theirs.machines.iter().find(|one| one.name == machine.name) {
            Some(other) => {
                let mut comparison = Comparison::new(ours, machine, theirs, other);
                comparison.members(&mut touched.elsewhere);
                comparison.ports(&mut touched.elsewhere);
                entries(&mut comparison, &mut touched.entries);
            }
            None => touched.elsewhere.push(missing(machine)),
        }
    }
    let ours = |one: &&Machine| ours.machines.iter().all(|known| known.name != one.name);
    let added = theirs.machines.iter().filter(ours);
    touched.elsewhere.extend(added.map(missing));
    touched.entries.sort();
    touched
}

fn missing(machine: &Machine) -> String {
    format!("the machine {}, which only one of them has", machine.name)
}

/// Compares the types: fields, values of enumerations and the initial words of objects.
fn types(original: &Protocol, mutated: &Protocol, elsewhere: &mut Vec<String>) {
    let named = |protocol: &'_ Protocol| -> BTreeMap<String, usize> {
        let types = protocol.program.types.iter();
        types.map(|(id, of)| (of.name.to_string(), id)).collect()
    };
    let (ours, theirs) = (named(original), named(mutated));
    let names: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    for name in names {
        let same = match (ours.get(name), theirs.get(name)) {
            (Some(&one), Some(&other)) => {
                let (one, other) = (&original.program.types[one], &mutated.program.types[other]);
                one.kind == other.kind
                    && one.initial == other.initial
                    && one.order == other.order
                    && (one.main, &one.interface) == (other.main, &other.interface)
            }
            _ => false,
        };
        if !same {
            elsewhere.push(format!("the type {name}"));
        }
    }
}

/// Collects the entries of a machine that differ.
fn entries(comparison: &mut Comparison<'_>, places: &mut Vec<TableEntry>) {
    let (ours, theirs) = (comparison.machines.0, comparison.machines.1);
    let place = |machine: &Machine, one: &Transition| {
        let (state, event) = (usize::from(one.state), usize::from(one.event));
        TableEntry::new(&machine.name, &machine.states[state], &machine.events[event])
    };
    for one in &ours.transitions {
        let same =
            comparison.counterpart(one).is_some_and(|other| comparison.transition(one, other));
        if !same {
            places.push(place(ours, one));
        }
    }
    let known: BTreeSet<TableEntry> = ours.transitions.iter().map(|one| place(ours, one)).collect();
    let all = theirs.transitions.iter().map(|one| place(theirs, one));
    places.extend(all.filter(|place| !known.contains(place)));
}

/// Whether two lists of needs are the same except for their order.
pub(crate) fn same_needs(one: &[Need], other: &[Need]) -> bool {
    one.len() == other.len() && one.iter().all(|need| other.contains(need))
}
