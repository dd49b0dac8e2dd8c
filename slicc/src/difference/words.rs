//! The words by which two versions of a protocol differ.

use std::collections::{BTreeMap, BTreeSet};

use super::{Difference, MachineDifference, Version};
use crate::protocol::Protocol;

impl Difference {
    /// The words of the code that only one of the versions has, or has more often, and the names of the rows that differ, with their
    /// actions. They say what a change is about: `invalidateSC`, say, or `enable_DCT`.
    pub fn words(&self, old: &Protocol, new: &Protocol) -> BTreeSet<String> {
        self.machines.iter().flat_map(|machine| machine_words(machine, old, new)).collect()
    }
}

fn machine_words(machine: &MachineDifference, old: &Protocol, new: &Protocol) -> BTreeSet<String> {
    let [old, new] = [old, new].map(|protocol| Version::of(&machine.machine, protocol));
    let mut words = BTreeSet::from([machine.machine.clone()]);
    for one in &machine.transitions {
        words.extend([one.entry.state.clone(), one.entry.event.clone()]);
        let actions = |row: &Option<super::TableRow>| -> BTreeSet<String> {
            row.iter().flat_map(|row| row.actions.iter().cloned()).collect()
        };
        let (was, is) = (actions(&one.old), actions(&one.new));
        let differing = was.symmetric_difference(&is).chain(&one.changed_actions);
        for action in differing {
            words.insert(action.clone());
            let code = |version: &Version| version.actions.get(action).cloned();
            // An action that a row gains or loses is all of the difference, even if both versions have it.
            let (before, after) = match (was.contains(action), is.contains(action)) {
                (true, false) => (code(&old), None),
                (false, true) => (None, code(&new)),
                _ => (code(&old), code(&new)),
            };
            words.extend(differing_words(&before.unwrap_or_default(), &after.unwrap_or_default()));
        }
    }
    let names = &machine.declarations;
    for name in names.added.iter().chain(&names.removed).chain(&names.changed) {
        let code = |version: &Version| version.declarations.get(name).cloned().unwrap_or_default();
        words.extend(differing_words(&code(&old), &code(&new)));
    }
    words
}

/// The words that one text has more often than the other.
fn differing_words(old: &str, new: &str) -> Vec<String> {
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    let is_word = |one: char| one.is_alphanumeric() || one == '_';
    let split = |text| str::split(text, move |one| !is_word(one)).filter(|word| !word.is_empty());
    split(old).for_each(|word| *counts.entry(word).or_default() -= 1);
    split(new).for_each(|word| *counts.entry(word).or_default() += 1);
    counts.into_iter().filter(|(_, count)| *count != 0).map(|(word, _)| word.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use crate::difference::difference;
    use crate::difference::tests::edited_all;
    use crate::protocol::Protocol;

    #[test]
    fn the_words_of_a_change_are_those_that_it_adds_or_removes() {
        let old = Protocol::open("MI_example").unwrap();
        let new = edited_all(&[("tell_core_of_loss, free_entry", "free_entry")]);
        let words = difference(&old, &new).words(&old, &new);
        for word in ["M", "Replacement", "tell_core_of_loss", "evictionCallback"] {
            assert!(words.contains(word), "{word}: {words:?}");
        }
        assert!(!words.contains("free_entry"));
    }
}
