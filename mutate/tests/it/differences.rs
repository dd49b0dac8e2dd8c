//! What a mutant changes, according to the two comparisons of protocols: of the text and of the code.

use std::collections::BTreeSet;

use mutate::made;
use mutate::touched::touched;
use slicc::difference::difference;
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;

#[test]
fn mutants_differ_where_they_are_touched() {
    let old = Protocol::open("MI_example").unwrap();
    let mut compared = 0;
    for mutant in made::by(&old, &[]).iter().step_by(7) {
        let Ok(new) = old.with(mutant) else { continue };
        // Settings change what gem5's scripts decide, which is not in the files.
        if !mutant.settings.is_empty() {
            continue;
        }
        let difference = difference(&old, &new);
        let touched = touched(&old, &new, true);
        let entries: BTreeSet<&TableEntry> = difference
            .machines
            .iter()
            .flat_map(|one| &one.transitions)
            .map(|one| &one.entry)
            .collect();
        // A function or port is not followed to its transitions.
        let is_local = difference.machines.iter().all(|one| one.declarations.is_empty());
        if is_local {
            assert!(touched.entries.iter().all(|one| entries.contains(one)), "{}", mutant.name);
        }
        assert!(!difference.is_empty(), "{}", mutant.name);
        compared += 1;
    }
    assert!(compared > 40);
}
