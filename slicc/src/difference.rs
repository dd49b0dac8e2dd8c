//! The differences between two versions of a protocol, in its tables and in the code behind them.
//!
//! Machines, states, events and transitions are compared by name, after renamed ones have been found
//! ([`NameChanges::renamed`]). Code is compared token by token, so comments and formatting do not count. A transition
//! is *changed* if its next state, its list of actions or the code of one of these actions differs; changes of
//! functions and ports are listed for the machine, since every transition may depend on them.
//!
//! ```
//! use slicc::difference::difference;
//! use slicc::protocol::{BLOCK_BYTES, Protocol};
//! use slicc::source::Changed;
//!
//! let old = Protocol::open("MI_example").unwrap();
//! let files = old.loaded.own_files();
//! let (path, text) = files.iter().find(|(path, _)| *path == "MI_example-cache.sm").unwrap();
//! let text = text.replace("transition(I, Replacement) {free_entry}", "");
//! let edited = old.loaded.reload(&[Changed { path: path.to_string(), text }]).unwrap();
//! let new = Protocol::new(edited, BLOCK_BYTES).unwrap();
//! let difference = difference(&old, &new);
//! let removed: Vec<String> = difference.removed_entries().map(ToString::to_string).collect();
//! assert_eq!(removed, ["L1Cache/I.Replacement"]);
//! ```

mod renames;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use crate::ast::{Declaration, Machine};
use crate::outline::{Entry, MachineOutline, Next, TableEntry};
use crate::protocol::Protocol;
use crate::source::Span;
use renames::Renames;

/// The differences between two versions of a protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// The machines that differ, sorted by name.
    pub machines: Vec<MachineDifference>,
    /// Other declarations that differ, such as types of messages: `structure RequestMsg`; and options: `option supports_flushes`.
    pub declarations: NameChanges,
}

/// The differences between two versions of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineDifference {
    /// The name of the machine.
    pub machine: String,
    /// States that one version lacks.
    pub states: NameChanges,
    /// Events that one version lacks.
    pub events: NameChanges,
    /// Transitions that one version lacks, or that differ. Sorted.
    pub transitions: Vec<TransitionDifference>,
    /// Actions that one version lacks, or whose code differs.
    pub actions: NameChanges,
    /// Parameters, ports, functions, structures and variables that one version lacks, or that differ: `function getState`.
    pub declarations: NameChanges,
}

/// The changes of one kind of names. Each list is sorted. Both versions are described with the new names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameChanges {
    /// Names that only the new version has.
    pub added: Vec<String>,
    /// Names that only the old version has.
    pub removed: Vec<String>,
    /// Names of things that both versions have and that differ.
    pub changed: Vec<String>,
    /// The old and the new name of things that were only renamed: their rows, and the code of an action, are the
    /// same.
    pub renamed: Vec<(String, String)>,
}

/// A transition that one version lacks, or that differs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TransitionDifference {
    /// Machine, state and event.
    pub entry: TableEntry,
    /// The transition in the old version; none if it has been added.
    pub old: Option<TableRow>,
    /// The transition in the new version; none if it has been removed.
    pub new: Option<TableRow>,
    /// The actions of the transition whose code differs between the versions.
    pub changed_actions: Vec<String>,
}

/// A transition as the table has it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TableRow {
    /// The next state; `*` if `getNextState` computes it.
    pub next: String,
    /// The actions, in order.
    pub actions: Vec<String>,
}

impl Difference {
    /// Whether the versions are the same but for comments, formatting and the order of declarations.
    pub fn is_empty(&self) -> bool {
        self.machines.is_empty() && self.declarations.is_empty()
    }

    /// The entries of the tables that were added, removed or changed.
    pub fn entries(&self) -> impl Iterator<Item = &TableEntry> {
        self.transitions().map(|one| &one.entry)
    }

    /// The entries of the new version's tables that were added or changed, which tests of the change should reach.
    pub fn reachable_entries(&self) -> impl Iterator<Item = &TableEntry> {
        self.transitions().filter(|one| one.new.is_some()).map(|one| &one.entry)
    }

    /// The entries of the old version's tables that the new version does not have.
    pub fn removed_entries(&self) -> impl Iterator<Item = &TableEntry> {
        self.transitions().filter(|one| one.new.is_none()).map(|one| &one.entry)
    }

    fn transitions(&self) -> impl Iterator<Item = &TransitionDifference> {
        self.machines.iter().flat_map(|machine| &machine.transitions)
    }
}

impl NameChanges {
    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.removed.is_empty()
            && self.changed.is_empty()
            && self.renamed.is_empty()
    }

    /// Returns the changes with these renamed names.
    fn with(self, renamed: renames::Names) -> NameChanges {
        NameChanges { renamed: renamed.into_iter().collect(), ..self }
    }

    /// The new name of the thing whose old name is `old`; `old` itself if it was not renamed.
    pub fn new_name<'a>(&'a self, old: &'a str) -> &'a str {
        let found = self.renamed.iter().find(|(was, _)| was == old);
        found.map_or(old, |(_, now)| now)
    }

    fn of(old: &BTreeMap<String, String>, new: &BTreeMap<String, String>) -> NameChanges {
        let without = |one: &BTreeMap<String, String>, other: &BTreeMap<String, String>| {
            one.keys().filter(|name| !other.contains_key(*name)).cloned().collect()
        };
        let is_changed =
            |(name, code): &(&String, &String)| new.get(*name).is_some_and(|other| other != *code);
        NameChanges {
            added: without(new, old),
            removed: without(old, new),
            changed: old.iter().filter(is_changed).map(|(name, _)| name.clone()).collect(),
            renamed: Vec::new(),
        }
    }
}

/// Compares two versions of a protocol. Cost: linear in their files.
pub fn difference(old: &Protocol, new: &Protocol) -> Difference {
    let names = |protocol: &Protocol| -> BTreeSet<String> {
        protocol.outline.machines.iter().map(|machine| machine.name.clone()).collect()
    };
    let all: BTreeSet<String> = names(old).union(&names(new)).cloned().collect();
    let machines = all.iter().map(|name| machine_difference(name, old, new));
    Difference {
        machines: machines.filter(|one| !one.is_empty()).collect(),
        declarations: NameChanges::of(&globals(old), &globals(new)),
    }
}

impl MachineDifference {
    fn is_empty(&self) -> bool {
        self.transitions.is_empty()
            && [&self.states, &self.events, &self.actions, &self.declarations]
                .iter()
                .all(|changes| changes.is_empty())
    }
}

/// A machine in one version; empty if the version lacks it.
#[derive(Default)]
struct Version {
    states: BTreeMap<String, String>,
    events: BTreeMap<String, String>,
    actions: BTreeMap<String, String>,
    declarations: BTreeMap<String, String>,
    rows: BTreeMap<TableEntry, TableRow>,
}

fn machine_difference(name: &str, old: &Protocol, new: &Protocol) -> MachineDifference {
    let (old, new) = (Version::of(name, old), Version::of(name, new));
    let renames = Renames::of(&old, &new);
    let old = old.renamed(&renames);
    let actions = NameChanges::of(&old.actions, &new.actions);
    let entries: BTreeSet<&TableEntry> = old.rows.keys().chain(new.rows.keys()).collect();
    let transition = |entry: &TableEntry| {
        let (before, after) = (old.rows.get(entry), new.rows.get(entry));
        let is_changed = |action: &&String| actions.changed.contains(action);
        let changed_actions: Vec<String> = match (before, after) {
            (Some(_), Some(after)) => after.actions.iter().filter(is_changed).cloned().collect(),
            _ => Vec::new(),
        };
        (before != after || !changed_actions.is_empty()).then(|| TransitionDifference {
            entry: entry.clone(),
            old: before.cloned(),
            new: after.cloned(),
            changed_actions,
        })
    };
    MachineDifference {
        machine: name.to_owned(),
        states: NameChanges::of(&old.states, &new.states).with(renames.states),
        events: NameChanges::of(&old.events, &new.events).with(renames.events),
        transitions: entries.into_iter().filter_map(transition).collect(),
        declarations: NameChanges::of(&old.declarations, &new.declarations),
        actions: actions.with(renames.actions),
    }
}

impl Version {
    fn of(name: &str, protocol: &Protocol) -> Version {
        let outline = protocol.outline.machine(name);
        let syntax = outline.and_then(|outline| outline.syntax(&protocol.loaded));
        let (Some(outline), Some(machine)) = (outline, syntax) else {
            return Version::default();
        };
        let states = outline.states.iter();
        Version {
            // A state with another permission is another state.
            states: states
                .map(|state| (state.name.clone(), state.permission_name().to_owned()))
                .collect(),
            events: outline.events.iter().map(|one| (one.name.clone(), String::new())).collect(),
            actions: actions(protocol, machine),
            declarations: parameters(protocol, machine)
                .chain(declarations(protocol, &machine.body))
                .chain([port_order(outline)])
                .collect(),
            rows: outline.entries.iter().map(|entry| row(outline, entry)).collect(),
        }
    }
}

fn row(outline: &MachineOutline, entry: &Entry) -> (TableEntry, TableRow) {
    let state = |at: u16| outline.states[usize::from(at)].name.clone();
    let event = &outline.events[usize::from(entry.event)].name;
    let next = match entry.next {
        Next::State(next) => state(next),
        Next::Computed => "*".to_owned(),
    };
    let actions = entry.actions.iter().map(|&at| outline.actions[usize::from(at)].name.clone());
    let row = TableRow { next, actions: actions.collect() };
    (TableEntry::new(&outline.name, &state(entry.state), event), row)
}

/// The code of the actions of a machine, by name.
fn actions(protocol: &Protocol, machine: &Machine) -> BTreeMap<String, String> {
    let actions = machine.body.iter().filter_map(|declaration| match declaration {
        Declaration::Action(action) => {
            Some((action.name.text.to_string(), squeezed(protocol, action.body.span)))
        }
        _ => None,
    });
    actions.collect()
}

/// The text of the parameters of a machine, by name.
fn parameters(protocol: &Protocol, machine: &Machine) -> impl Iterator<Item = (String, String)> {
    machine
        .parameters
        .iter()
        .map(|one| (format!("parameter {}", one.name.text), squeezed(protocol, one.span)))
}

/// The order in which ports are polled, which is that of their declarations.
fn port_order(outline: &MachineOutline) -> (String, String) {
    let names = outline.in_ports.iter().map(|port| port.name.as_str());
    ("order of ports".to_owned(), names.collect::<Vec<_>>().join(" "))
}

/// The declarations outside of machines, and the options of the protocol.
fn globals(protocol: &Protocol) -> BTreeMap<String, String> {
    let mut found = declarations(protocol, &protocol.loaded.declarations);
    let options = protocol.loaded.options.names();
    found.extend(options.map(|name| (format!("option {name}"), String::new())));
    found
}

/// The text of the declarations that are not compared otherwise, by kind and name. Several functions may have one name.
fn declarations(protocol: &Protocol, all: &[Declaration]) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for declaration in all {
        let (kind, name, span) = match declaration {
            Declaration::InPort(one) => ("port", &one.name, one.span),
            Declaration::OutPort(one) => ("port", &one.name, one.span),
            Declaration::Structure(one) => ("structure", &one.name, one.span),
            Declaration::Enumeration(one) if !is_events(&one.name.text) => {
                ("enumeration", &one.name, one.span)
            }
            Declaration::Object(one) => ("variable", &one.name, one.span),
            Declaration::Function(one) => ("function", &one.name, one.span),
            _ => continue,
        };
        // The declarations that come with the language are the same for all protocols.
        if span.file != 0 {
            found
                .entry(format!("{kind} {}", name.text))
                .or_default()
                .push_str(&squeezed(protocol, span));
        }
    }
    found
}

/// Whether an enumeration is that of the events, which are compared by name, without their descriptions.
fn is_events(enumeration: &str) -> bool {
    enumeration == "Event"
}

/// A stretch of text as tokens with a space between them, without comments.
fn squeezed(protocol: &Protocol, span: Span) -> String {
    protocol.loaded.code_words(span).join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::load_with;
    use std::path::Path;

    /// MI_example with texts of its cache replaced, each wherever it occurs as a word.
    pub(super) fn edited_all(texts: &[(&str, &str)]) -> Protocol {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let replaced = |text: String, (from, to): &(&str, &str)| {
            let mut new = String::new();
            let mut rest = text.as_str();
            while let Some(at) = rest.find(from) {
                let before = rest[..at].chars().next_back().is_some_and(is_word);
                let after = rest[at + from.len()..].chars().next().is_some_and(is_word);
                new.push_str(&rest[..at]);
                new.push_str(if before || after { from } else { to });
                rest = &rest[at + from.len()..];
            }
            new + rest
        };
        let files = fixtures::protocol("MI_example").unwrap().files;
        let loaded = load_with(Path::new("MI_example.slicc"), &mut |path| {
            let name = path.to_string_lossy();
            let found = files.iter().find(|(file, _)| *file == name);
            let (_, text) = found.ok_or(std::io::ErrorKind::NotFound)?;
            let is_cache = *name == *"MI_example-cache.sm";
            let texts = if is_cache { texts } else { &[] };
            Ok(texts.iter().fold((*text).to_owned(), replaced).into_bytes())
        });
        Protocol::new(loaded.unwrap(), 64).unwrap()
    }

    /// MI_example with a text of its cache replaced.
    fn edited(from: &str, to: &str) -> Protocol {
        let files = fixtures::protocol("MI_example").unwrap().files;
        let loaded = load_with(Path::new("MI_example.slicc"), &mut |path| {
            let name = path.to_string_lossy();
            let found = files.iter().find(|(file, _)| *file == name);
            let (_, text) = found.ok_or(std::io::ErrorKind::NotFound)?;
            assert!(*name != *"MI_example-cache.sm" || text.contains(from));
            Ok(text.replace(from, to).into_bytes())
        });
        Protocol::new(loaded.unwrap(), 64).unwrap()
    }

    #[test]
    fn options_of_the_protocol_count() {
        let files = fixtures::protocol("MI_example").unwrap().files;
        let with = |option: &str| {
            let loaded = load_with(Path::new("MI_example.slicc"), &mut |path| {
                let name = path.to_string_lossy();
                let (_, text) = files.iter().find(|(file, _)| *file == name).unwrap();
                let line = "protocol \"MI_example\"";
                Ok(text.replace(line, &format!("{line} {option}")).into_bytes())
            });
            Protocol::new(loaded.unwrap(), 64).unwrap()
        };
        let (old, new) = (with("supports_flushes"), with("partial_func_reads"));
        let changes = difference(&old, &new).declarations;
        assert_eq!(changes.added, ["option partial_func_reads"]);
        assert_eq!(changes.removed, ["option supports_flushes"]);
    }

    #[test]
    fn formatting_and_comments_do_not_count() {
        let old = Protocol::open("MI_example").unwrap();
        assert!(difference(&old, &old).is_empty());
        let new = edited("action(", "// A comment.\n    action (");
        assert_eq!(difference(&old, &new), Difference::default());
    }
}
