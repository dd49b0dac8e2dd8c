use std::collections::BTreeSet;

use super::*;

/// The entries of a built-in protocol that are listed as unreached, whatever the reason.
fn listed(name: &str) -> BTreeSet<TableEntry> {
    let rows = fixtures::UNREACHABLE.lines().map(|line| line.splitn(6, ',').collect::<Vec<_>>());
    let own = rows.filter(|row| row[0] == name);
    own.map(|row| TableEntry::new(row[1], row[2], row[3])).collect()
}

#[test]
fn no_entry_that_runs_take_is_excluded() {
    for (name, least) in
        [("MI_example", 4), ("MESI_Two_Level", 0), ("MOESI_hammer", 11), ("MOESI_AMD_Base", 100)]
    {
        let protocol = Protocol::open(name).unwrap();
        let found = reachable(&protocol, &World::any());
        let listed = listed(name);
        for (entry, why) in found.excluded() {
            assert!(
                listed.contains(entry),
                "{name}: {entry} is excluded, though runs take it: {why}"
            );
        }
        assert!(found.excluded().count() >= least, "{name}: {}", found.excluded().count());
    }
}
