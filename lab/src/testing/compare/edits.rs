//! The edits of which a change of a protocol consists: parts of it that have nothing to do with each other, as far as the tables tell.
//!
//! Rows that change in the same way belong to one edit: one statement of a protocol stands for several. So do rows of a machine that gain,
//! lose or share the same changed action, also if its name differs in a number only (`forward_eviction_to_cpu0` and `…_cpu1`), and
//! rows for the same event that are added or removed. A declaration of a machine, such as a function or a field, belongs to the rows of the machine
//! that change.

use std::collections::{BTreeMap, BTreeSet};

use slicc::difference::{Difference, MachineDifference, NameChanges, TransitionDifference};
use slicc::outline::TableEntry;

/// The number of an edit among those of a change.
pub(super) type EditId = usize;

/// The edits of a change.
pub(super) struct Edits {
    of: BTreeMap<TableEntry, EditId>,
    count: usize,
    /// The declarations that differ without a row, each by machine, kind and name.
    loose: Vec<String>,
}

impl Edits {
    /// Divides a change into edits.
    pub(super) fn new(difference: &Difference) -> Edits {
        let mut groups = Groups::default();
        for machine in &difference.machines {
            for one in &machine.transitions {
                groups.add(&one.entry, marks(machine, one));
            }
        }
        let numbers: BTreeMap<usize, EditId> = groups
            .rows
            .values()
            .map(|&group| groups.root(group))
            .collect::<BTreeSet<usize>>()
            .into_iter()
            .zip(0..)
            .collect();
        let rows = groups.rows.iter();
        let of = rows.map(|(entry, &group)| (entry.clone(), numbers[&groups.root(group)]));
        let loose = loose(difference);
        Edits { of: of.collect(), count: numbers.len() + loose.len(), loose }
    }

    /// The edit that changes a row.
    pub(super) fn of(&self, entry: &TableEntry) -> Option<EditId> {
        self.of.get(entry).copied()
    }

    /// The declaration that is all that differs, if it is.
    pub(super) fn only_declaration(&self) -> Option<String> {
        self.loose.first().filter(|_| self.count == 1).cloned()
    }

    /// The number of edits.
    pub(super) fn count(&self) -> usize {
        self.count
    }
}

/// The changed declarations that belong to no changed row.
fn loose(difference: &Difference) -> Vec<String> {
    let named = |of: &str, names: &NameChanges| -> Vec<String> {
        let all = names.added.iter().chain(&names.removed).chain(&names.changed);
        all.map(|name| format!("{of} {name}").trim_start().to_owned()).collect()
    };
    let has_rows = difference.machines.iter().any(|of| !of.transitions.is_empty());
    let machines = difference.machines.iter().filter(|of| of.transitions.is_empty());
    let own = machines.flat_map(|of| named(&of.machine, &of.declarations));
    let global = if has_rows { Vec::new() } else { named("", &difference.declarations) };
    own.chain(global).collect()
}

/// What a row has in common with the others of its edit.
fn marks(machine: &MachineDifference, one: &TransitionDifference) -> Vec<String> {
    let actions = |row: &Option<slicc::difference::TableRow>| -> BTreeSet<String> {
        row.iter().flat_map(|row| row.actions.iter().cloned()).collect()
    };
    let name = &machine.machine;
    let (old, new) = match (&one.old, &one.new) {
        (Some(_), Some(_)) => (actions(&one.old), actions(&one.new)),
        // All actions of a row that comes or goes are like those of other rows.
        _ => return vec![format!("{name} row {}", one.entry.event)],
    };
    let differing = old.symmetric_difference(&new).chain(&one.changed_actions);
    let mut marks: Vec<String> =
        differing.map(|action| format!("{name} action {}", without_numbers(action))).collect();
    if let (Some(old), Some(new)) = (&one.old, &one.new)
        && (marks.is_empty() || old.next != new.next)
    {
        // Two states that are swapped are one edit.
        let states: BTreeSet<&String> = [&old.next, &new.next].into();
        marks.push(format!("{name} between {states:?}"));
    }
    marks
}

fn without_numbers(name: &str) -> String {
    name.chars().map(|one| if one.is_ascii_digit() { '#' } else { one }).collect()
}

/// Rows in groups, which become one where rows have a mark in common.
#[derive(Default)]
struct Groups {
    rows: BTreeMap<TableEntry, usize>,
    marks: BTreeMap<String, usize>,
    /// The group of which each is part, or itself.
    parents: Vec<usize>,
}

impl Groups {
    fn add(&mut self, entry: &TableEntry, marks: Vec<String>) {
        let own = self.parents.len();
        self.parents.push(own);
        self.rows.insert(entry.clone(), own);
        for mark in marks {
            let other = *self.marks.entry(mark).or_insert(own);
            let (one, other) = (self.root(own), self.root(other));
            self.parents[one.max(other)] = one.min(other);
        }
    }

    fn root(&self, group: usize) -> usize {
        let mut group = group;
        while self.parents[group] != group {
            group = self.parents[group];
        }
        group
    }
}

#[cfg(test)]
mod tests {
    use slicc::difference::TableRow;

    use super::*;

    fn row(state: &str, event: &str, old: &[&str], new: &[&str]) -> TransitionDifference {
        let row = |actions: &[&str]| TableRow {
            next: "I".to_owned(),
            actions: actions.iter().map(|&one| one.to_owned()).collect(),
        };
        TransitionDifference {
            entry: TableEntry::new("L1", state, event),
            old: Some(row(old)),
            new: Some(row(new)),
            changed_actions: Vec::new(),
        }
    }

    #[test]
    fn rows_that_lose_the_same_action_are_one_edit() {
        let transitions = vec![
            row("M", "Store0", &["tell_cpu1", "pop"], &["pop"]),
            row("M", "Store1", &["tell_cpu0", "pop"], &["pop"]),
            row("S", "Inv", &["ack", "pop"], &["pop"]),
            TransitionDifference { new: None, ..row("S", "Put", &["pop"], &[]) },
            TransitionDifference { new: None, ..row("O", "Put", &["nack", "pop"], &[]) },
        ];
        let entries: Vec<TableEntry> = transitions.iter().map(|one| one.entry.clone()).collect();
        let machine = MachineDifference {
            machine: "L1".to_owned(),
            transitions,
            ..MachineDifference::default()
        };
        let difference = Difference { machines: vec![machine], ..Difference::default() };
        let edits = Edits::new(&difference);
        let of: Vec<Option<EditId>> = entries.iter().map(|entry| edits.of(entry)).collect();
        assert_eq!(of, [Some(0), Some(0), Some(1), Some(2), Some(2)]);
        assert_eq!(edits.count(), 3);
    }
}
