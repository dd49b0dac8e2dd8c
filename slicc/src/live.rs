//! Finds the fields of cache entries and TBEs that are not read before they are written, for each state of their
//! line.
//!
//! A transition handles one line, whose entry and TBE its actions call `cache_entry` and `tbe`. The text of the
//! actions shows which fields of these a transition reads and which it overwrites before, and the table has the state
//! that follows. A field is *live* in a state if some sequence of transitions from there may read it before it is
//! overwritten. Otherwise it is *dead*: its content makes no difference. [`dead_words`] returns the dead fields. The
//! method is live-variable analysis over the transition table. A field that is only copied is live if the copy is
//! (strongly live variables).
//!
//! A field that a port or a function reads is live in all states. So is a field that an action reads by another name
//! than these two: a field of another line, or of an object that existed before and gets one of these names within
//! the transition. A type is left out unless exactly one field holds the state, and only `setState`, at the end of a
//! transition, changes this field. So an object has the state in which the last transition has left its line; users
//! of the result have to make sure that a transition begins in the state that its entry and TBE have.
//!
//! ```
//! use slicc::live::dead_words;
//! use slicc::protocol::Protocol;
//!
//! let protocol = Protocol::open("MESI_Two_Level").expect("it is built in");
//! let cache = &protocol.program.machines[0];
//! let all = dead_words(&protocol);
//! let (_, entry) = all.iter().find(|(of, _)| Some(*of) == cache.entry).expect("it has a state");
//! let state = |name: &str| cache.states.iter().position(|state| **state == *name).expect("it is declared");
//! // The block of a line that is waited for is not there yet; that of a shared line is read.
//! let block = protocol.program.types[cache.entry.unwrap()].fields["DataBlk"].offset;
//! assert!(entry.dead[state("IS")].contains(&block) && !entry.dead[state("S")].contains(&block));
//! ```

mod uses;

use rustc_hash::FxHashSet;

use crate::ast;
use crate::compile::code::Machine;
use crate::compile::types::{Type, TypeId};
use crate::outline::{Entry, MachineOutline, Next};
use crate::protocol::Protocol;
use uses::{Kind, Step, Steps, Text};

/// The dead words of the objects of a type, whose content makes no difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadWords {
    /// The offset of the word that holds the state.
    pub state: u16,
    /// For each value of the state, the offsets of the dead words, in ascending order.
    pub dead: Vec<Vec<u16>>,
}

/// Returns the dead words of each type of cache entries and TBEs. Types that cannot be analysed are left out.
pub fn dead_words(protocol: &Protocol) -> Vec<(TypeId, DeadWords)> {
    let mut all = Vec::new();
    for (number, machine) in protocol.program.machines.iter().enumerate() {
        let declared = protocol.machines().find(|one| one.name.text == machine.name);
        let outline = protocol.outline.machines.iter().find(|one| *one.name == *machine.name);
        let (Some(declared), Some(outline)) = (declared, outline) else { continue };
        let others = protocol.program.machines.iter().enumerate();
        let others = others.filter(|(other, _)| *other != number);
        let shared: Vec<TypeId> =
            others.flat_map(|(_, other)| [other.entry, other.tbe]).flatten().collect();
        let found = of_machine(protocol, machine, declared, outline).into_iter();
        all.extend(found.filter(|(of, _)| !shared.contains(of)));
    }
    all
}

/// The live fields of each kind of object, indexed by [`Kind`].
type Live<'a> = [FxHashSet<&'a str>; 2];

/// The dead words of the objects of one machine.
fn of_machine(
    protocol: &Protocol,
    machine: &Machine,
    declared: &ast::Machine,
    outline: &MachineOutline,
) -> Vec<(TypeId, DeadWords)> {
    let types = &protocol.program.types;
    let state = types.find(Some(&machine.name), "State");
    let state_of = |of: TypeId| {
        let mut fields = types[of].fields.iter().filter(|(_, field)| Some(field.of) == state);
        fields.next().filter(|_| fields.next().is_none())
    };
    let mut objects = Vec::new();
    for (kind, of) in [(Kind::Entry, machine.entry), (Kind::Tbe, machine.tbe)] {
        let of = of.and_then(|of| Some((of, state_of(of)?)));
        objects.extend(of.map(|(of, (name, field))| (kind, of, &**name, field.offset)));
    }
    if machine.entry == machine.tbe {
        return Vec::new();
    }
    let names: Vec<&str> = objects.iter().map(|(_, _, name, _)| *name).collect();
    let Some(mut text) = Text::of(declared, &names) else { return Vec::new() };
    outline.entries.iter().for_each(|entry| text.note_known(actions(outline, entry)));
    let live = live(&text, outline);
    objects.retain(|(kind, ..)| !text.is_opaque(*kind));
    let dead = objects.into_iter().map(|(kind, of, name, offset)| {
        let is_dead = |live: &Live<'_>, field: &str| {
            field != name && !text.is_read_elsewhere(field) && !live[kind as usize].contains(field)
        };
        let states = live.iter();
        let dead = states.map(|live| words(protocol, &types[of], |field| is_dead(live, field)));
        (of, DeadWords { state: offset, dead: dead.collect() })
    });
    dead.collect()
}

/// The offsets of the words of the fields that `is_wanted` selects, in ascending order.
fn words(protocol: &Protocol, of: &Type, is_wanted: impl Fn(&str) -> bool) -> Vec<u16> {
    let fields = of.fields.iter().filter(|(name, _)| is_wanted(name));
    let offsets = fields.flat_map(|(_, field)| {
        let width = protocol.program.types[field.of].width() as u16;
        field.offset..field.offset + width
    });
    let mut words: Vec<u16> = offsets.collect();
    words.sort_unstable();
    words
}

/// The fields that are live in each state: the least sets that are closed under all transitions.
fn live<'a>(text: &Text<'a>, outline: &MachineOutline) -> Vec<Live<'a>> {
    let mut live: Vec<Live<'a>> = vec![Live::default(); outline.states.len()];
    let entries: Vec<(&Entry, Steps<'a>)> = { outline.entries.iter() }
        .filter(|entry| !entry.stalls)
        .map(|entry| (entry, text.steps(actions(outline, entry))))
        .collect();
    loop {
        let mut has_grown = false;
        for (entry, steps) in &entries {
            let after = match entry.next {
                Next::State(state) => live[usize::from(state)].clone(),
                Next::Computed => live.iter().fold(Live::default(), |mut all, one| {
                    add(&mut all, one);
                    all
                }),
            };
            let before = before(steps, &after);
            has_grown |= add(&mut live[usize::from(entry.state)], &before);
        }
        if !has_grown {
            return live;
        }
    }
}

/// The names of the actions of a transition.
fn actions<'o>(
    outline: &'o MachineOutline,
    entry: &'o Entry,
) -> impl Iterator<Item = &'o str> + use<'o> {
    entry.actions.iter().map(|at| &*outline.actions[usize::from(*at)].name)
}

/// Adds the fields of `more` to `all`. Returns whether `all` has grown.
fn add<'a>(all: &mut Live<'a>, more: &Live<'a>) -> bool {
    let count = |all: &Live<'a>| all.iter().map(FxHashSet::len).sum::<usize>();
    let before = count(all);
    all.iter_mut().zip(more).for_each(|(all, more)| all.extend(more));
    count(all) > before
}

/// The fields that are live before the actions of a transition, of the objects that its line has then. `after` has
/// the live fields of the next state.
///
/// An object that certainly loses its name during the transition does not get the next state. If it still exists, it
/// keeps the state that it had, and later reads of it belong to transitions that begin in that state.
fn before<'a>(Steps { steps, end }: &Steps<'a>, after: &Live<'a>) -> Live<'a> {
    // The live fields of each object that has one of the names during the transition. Object 0 of each kind has it
    // from the start.
    let objects = steps.iter().flat_map(Step::objects).max().unwrap_or(0) + 1;
    let mut live = [0, 1].map(|kind| {
        let is_named = |object: &usize| end[kind].contains(object);
        let of =
            |object| if is_named(&object) { after[kind].clone() } else { FxHashSet::default() };
        (0..objects).map(of).collect::<Vec<_>>()
    });
    for step in steps.iter().rev() {
        match step {
            Step::Writes { kind, objects, field } => {
                if let [object] = objects[..] {
                    live[*kind as usize][object].remove(field);
                }
            }
            Step::Reads { kind, objects, field, to } => {
                let is_used = to.as_ref().is_none_or(|(kind, objects, field)| {
                    objects.iter().any(|object| live[*kind as usize][*object].contains(field))
                });
                for object in objects.iter().filter(|_| is_used) {
                    live[*kind as usize][*object].insert(field);
                }
            }
        }
    }
    live.map(|mut of_kind| of_kind.swap_remove(0))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::load::load_with;
    use crate::protocol::BLOCK_BYTES;

    /// MI_example with the first occurrence of a text replaced.
    fn changed(text: &str, other: &str) -> Protocol {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/protocols"));
        let loaded = load_with(&folder.join("MI_example.slicc"), &mut |path| {
            Ok(std::fs::read_to_string(path)?.replacen(text, other, 1).into_bytes())
        });
        let protocol = loaded.and_then(|loaded| Protocol::new(loaded, BLOCK_BYTES));
        protocol.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics))
    }

    /// The states in which the block of the caches' entries or TBEs is dead; `None` if their type is left out.
    fn dead_in(protocol: &Protocol, kind: Kind) -> Option<Vec<&str>> {
        let cache = protocol.program.machines.iter().find(|one| &*one.name == "L1Cache").unwrap();
        let wanted = if kind == Kind::Tbe { cache.tbe } else { cache.entry };
        let all = dead_words(protocol);
        let (of, words) = all.iter().find(|(of, _)| Some(*of) == wanted)?;
        let block = protocol.program.types[*of].fields["DataBlk"].offset;
        let states = cache.states.iter().zip(&words.dead);
        Some(states.filter(|(_, dead)| dead.contains(&block)).map(|(name, _)| &**name).collect())
    }

    #[test]
    fn a_block_is_dead_until_it_comes_and_after_it_was_passed_on() {
        let protocol = changed("", "");
        let entry = dead_in(&protocol, Kind::Entry).unwrap();
        assert!(["I", "IS", "IM"].iter().all(|state| entry.contains(state)), "{entry:?}");
        assert!(!entry.contains(&"M"), "{entry:?}");
        let tbe = dead_in(&protocol, Kind::Tbe).unwrap();
        assert!(["II", "IS", "IM"].iter().all(|state| tbe.contains(state)), "{tbe:?}");
        assert!(!tbe.contains(&"MI") && !tbe.contains(&"MII"), "{tbe:?}");
    }

    #[test]
    fn what_a_function_reads_is_never_dead() {
        let before = "  State getState(TBE tbe, Entry cache_entry, Addr addr) {";
        let function = "  DataBlock block_of(Entry entry) { return entry.DataBlk; }\n";
        let protocol = changed(before, &format!("{function}{before}"));
        assert_eq!(dead_in(&protocol, Kind::Entry), Some(Vec::new()));
    }

    #[test]
    fn what_is_overwritten_in_some_cases_only_is_live() {
        let copy = "cache_entry.DataBlk := in_msg.DataBlk;";
        let protocol = changed(copy, &format!("if (in_msg.addr == address) {{ {copy} }}"));
        let entry = dead_in(&protocol, Kind::Entry).unwrap();
        assert!(!entry.contains(&"IS") && !entry.contains(&"I"), "{entry:?}");
    }

    #[test]
    fn a_state_that_an_action_sets_says_nothing() {
        let copy = "cache_entry.Dirty := false;";
        let protocol = changed(copy, &format!("{copy} cache_entry.CacheState := State:M;"));
        assert_eq!(dead_in(&protocol, Kind::Entry), None);
    }
}
