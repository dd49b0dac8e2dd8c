//! Finds the states, events and actions that have another name in the new version, but the same rows and code:
//! [`Renames`].

use std::collections::{BTreeMap, BTreeSet};

use super::{TableRow, Version};
use crate::outline::TableEntry;

/// Names of the old version, each with its name in the new version.
pub(super) type Names = BTreeMap<String, String>;

/// The renamed states, events and actions of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Renames {
    pub states: Names,
    pub events: Names,
    pub actions: Names,
}

/// The kind of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    State,
    Event,
    Action,
}

/// Which parts of the descriptions of two names must agree for the names to be paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    /// All rows that contain the name and, for an action, its code.
    All,
    /// The rows that start in a state or that handle an event; for an action, its code.
    Own,
}

/// The order in which names are paired.
const STEPS: [(Kind, Detail); 6] = [
    (Kind::Action, Detail::All),
    (Kind::Event, Detail::All),
    (Kind::State, Detail::All),
    (Kind::Action, Detail::Own),
    (Kind::Event, Detail::Own),
    (Kind::State, Detail::Own),
];

/// Placeholder in a description for a name that is not paired.
const OPEN: &str = "?";
/// Placeholder in a description for the name that is described.
const SELF: &str = "self";

impl Renames {
    /// Finds the names that were only renamed: the named things have the same rows, and an action the same code, in
    /// both versions. A name is paired only if there is no other candidate.
    pub(super) fn of(old: &Version, new: &Version) -> Renames {
        let mut found = Renames::default();
        // A new pair may distinguish names whose descriptions were equal.
        while STEPS.iter().any(|&(kind, detail)| found.pair(kind, detail, old, new)) {}
        // A pair may have been made while other names were not paired, and its descriptions may differ now.
        while found.drop_different(old, new) {}
        found
    }

    fn names(&self, kind: Kind) -> &Names {
        match kind {
            Kind::State => &self.states,
            Kind::Event => &self.events,
            Kind::Action => &self.actions,
        }
    }

    fn names_mut(&mut self, kind: Kind) -> &mut Names {
        match kind {
            Kind::State => &mut self.states,
            Kind::Event => &mut self.events,
            Kind::Action => &mut self.actions,
        }
    }

    /// Pairs names whose descriptions agree with each other and with those of no other name. Returns whether there were
    /// any.
    fn pair(&mut self, kind: Kind, detail: Detail, old: &Version, new: &Version) -> bool {
        let old = old.renamed(self);
        let by_description = |one: &Version, other: &Version| {
            let unpaired = UnpairedNames::of(one, other);
            let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for name in unpaired.names(kind) {
                if let Some(description) = description(one, kind, detail, name, &unpaired) {
                    names.entry(description).or_default().push(name.clone());
                }
            }
            names
        };
        let (before, after) = (by_description(&old, new), by_description(new, &old));
        let pairs: Vec<(String, String)> = before
            .into_iter()
            .filter_map(|(description, names)| match (&names[..], &after.get(&description)?[..]) {
                ([one], [other]) => Some((one.clone(), other.clone())),
                _ => None,
            })
            .collect();
        let is_any = !pairs.is_empty();
        self.names_mut(kind).extend(pairs);
        is_any
    }

    /// Takes back one pair whose rows or code differ by more than names. Returns whether there was one.
    fn drop_different(&mut self, old: &Version, new: &Version) -> bool {
        let old = old.renamed(self);
        let none = UnpairedNames::default();
        let differs = |kind: Kind, name: &String| {
            description(&old, kind, Detail::Own, name, &none)
                != description(new, kind, Detail::Own, name, &none)
        };
        for kind in [Kind::State, Kind::Event, Kind::Action] {
            let mut names = self.names(kind).iter();
            if let Some((was, _)) = names.find(|(_, now)| differs(kind, now)) {
                let was = was.clone();
                self.names_mut(kind).remove(&was);
                return true;
            }
        }
        false
    }
}

/// The names that one version has and the other one does not.
#[derive(Default)]
struct UnpairedNames {
    states: BTreeSet<String>,
    events: BTreeSet<String>,
    actions: BTreeSet<String>,
}

impl UnpairedNames {
    fn of(one: &Version, other: &Version) -> UnpairedNames {
        let without = |one: &BTreeMap<String, String>, other: &BTreeMap<String, String>| {
            one.keys().filter(|name| !other.contains_key(*name)).cloned().collect()
        };
        UnpairedNames {
            states: without(&one.states, &other.states),
            events: without(&one.events, &other.events),
            actions: without(&one.actions, &other.actions),
        }
    }

    fn names(&self, kind: Kind) -> &BTreeSet<String> {
        match kind {
            Kind::State => &self.states,
            Kind::Event => &self.events,
            Kind::Action => &self.actions,
        }
    }
}

/// The description of a name in a version: the rows and the code that contain it, with placeholders for names that are not
/// paired. `None` if there are none.
fn description(
    version: &Version,
    kind: Kind,
    detail: Detail,
    name: &str,
    unpaired: &UnpairedNames,
) -> Option<String> {
    let shown = |of: Kind, one: &str| {
        if of == kind && one == name {
            SELF.to_owned()
        } else if unpaired.names(of).contains(one) {
            OPEN.to_owned()
        } else {
            one.to_owned()
        }
    };
    let line = |(entry, row): (&TableEntry, &TableRow)| {
        let actions: Vec<String> = row.actions.iter().map(|one| shown(Kind::Action, one)).collect();
        format!(
            "{} {} {} {}",
            shown(Kind::State, &entry.state),
            shown(Kind::Event, &entry.event),
            shown(Kind::State, &row.next),
            actions.join(" ")
        )
    };
    let names_it = |(entry, row): &(&TableEntry, &TableRow)| match (kind, detail) {
        (Kind::State, Detail::Own) => entry.state == name,
        (Kind::State, Detail::All) => entry.state == name || row.next == name,
        (Kind::Event, _) => entry.event == name,
        (Kind::Action, Detail::All) => row.actions.iter().any(|one| one == name),
        (Kind::Action, Detail::Own) => false,
    };
    let mut lines: Vec<String> = version.rows.iter().filter(names_it).map(line).collect();
    lines.sort();
    let own = match kind {
        Kind::State => version.states.get(name),
        Kind::Action => version.actions.get(name),
        Kind::Event => None,
    };
    let is_empty = lines.is_empty() && (kind != Kind::Action || own.is_none_or(String::is_empty));
    (!is_empty).then(|| format!("{}\n{}", own.map_or("", |own| own), lines.join("\n")))
}

impl Version {
    /// The version with other names for states, events and actions, also where code names them.
    pub(super) fn renamed(&self, renames: &Renames) -> Version {
        let keys = |map: &BTreeMap<String, String>, names: &Names| -> BTreeMap<String, String> {
            map.iter().map(|(name, text)| (of(names, name), code(text, renames))).collect()
        };
        let row = |(entry, row): (&TableEntry, &TableRow)| {
            let (state, event) =
                (of(&renames.states, &entry.state), of(&renames.events, &entry.event));
            let actions = row.actions.iter().map(|one| of(&renames.actions, one)).collect();
            (
                TableEntry::new(&entry.machine, &state, &event),
                TableRow { next: of(&renames.states, &row.next), actions },
            )
        };
        Version {
            states: keys(&self.states, &renames.states),
            events: keys(&self.events, &renames.events),
            actions: keys(&self.actions, &renames.actions),
            declarations: keys(&self.declarations, &Names::new()),
            rows: self.rows.iter().map(row).collect(),
        }
    }
}

/// The new name of the thing whose old name is `name`; `name` itself if it was not renamed.
fn of(names: &Names, name: &str) -> String {
    names.get(name).map_or(name, |new| new).to_owned()
}

/// Replaces the old names of states and events in code, which is given as words with a space between them.
fn code(text: &str, renames: &Renames) -> String {
    if renames.states.is_empty() && renames.events.is_empty() {
        return text.to_owned();
    }
    let words: Vec<&str> = text.split(' ').collect();
    let renamed = words.iter().enumerate().map(|(at, word)| {
        let family = at.checked_sub(2).filter(|_| words[at - 1] == ":").map(|at| words[at]);
        match family {
            Some("State") => of(&renames.states, word),
            Some("Event") => of(&renames.events, word),
            _ => default_state(word, renames),
        }
    });
    renamed.collect::<Vec<_>>().join(" ")
}

/// Replaces the state in the default of a field, such as `"L1Cache_State_I"`; other words stay as they are.
fn default_state(word: &str, renames: &Renames) -> String {
    let parts = word.strip_suffix('"').and_then(|word| word.rsplit_once("_State_"));
    match parts {
        Some((machine, state)) => format!("{machine}_State_{}\"", of(&renames.states, state)),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{difference, tests::edited_all};
    use crate::protocol::Protocol;

    /// The differences from MI_example after words are replaced in the file of its cache.
    fn changed(words: &[(&str, &str)]) -> super::super::Difference {
        difference(&Protocol::open("MI_example").unwrap(), &edited_all(words))
    }

    #[test]
    fn a_new_name_is_not_a_new_thing() {
        for (old, new, is_it) in [
            ("MI", "M_to_I", 0),
            ("Writeback_Nack", "Put_Refused", 1),
            ("tell_core_of_loss", "core_loses_line", 2),
        ] {
            let difference = changed(&[(old, new)]);
            let [machine] = &difference.machines[..] else { panic!("{difference:?}") };
            let kinds = [&machine.states, &machine.events, &machine.actions];
            let expected = [(old.to_owned(), new.to_owned())];
            for (at, kind) in kinds.into_iter().enumerate() {
                assert_eq!(kind.renamed, if at == is_it { &expected[..] } else { &[] }, "{old}");
                assert!(kind.added.is_empty() && kind.removed.is_empty(), "{old}");
                assert!(kind.changed.is_empty(), "{old}: {kind:?}");
            }
            assert_eq!(machine.transitions, [], "{old}");
            assert!(machine.declarations.is_empty(), "{:?}", machine.declarations);
        }
    }

    #[test]
    fn several_new_names_at_once() {
        let difference = changed(&[("MI", "M_to_I"), ("Writeback_Nack", "Put_Refused")]);
        let machine = &difference.machines[0];
        assert_eq!(machine.states.renamed.len(), 1);
        assert_eq!(machine.events.renamed.len(), 1);
        assert_eq!(machine.transitions, []);
    }

    #[test]
    fn what_differs_by_more_than_its_name_is_another_thing() {
        let row =
            "transition(M, Replacement, MI) {take_tbe, keep_copy, put_block, tell_core_of_loss,";
        let silent = row.replace(", tell_core_of_loss", "");
        let difference = changed(&[(row, &silent), ("Replacement", "Victim")]);
        let events = &difference.machines[0].events;
        assert_eq!(
            (&events.added[..], &events.removed[..]),
            (&["Victim".to_owned()][..], &["Replacement".to_owned()][..])
        );
        assert_eq!(events.renamed, []);
    }
}
