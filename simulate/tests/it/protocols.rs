//! Which rows of the tables of the built-in protocols the standard stress run reaches.

use std::collections::{BTreeMap, BTreeSet};

use crate::stress;
use crate::tables;
use crate::tables::{Table, Taken};
use slicc::protocol::Protocol;

/// The reasons for which a row of a table may not be reached. Some are followed by a colon and an
/// explanation.
const REASONS: [&str; 10] = [
    // The systems of the standard stress run do not have these.
    "needs DMA",
    "needs prefetcher",
    "needs flush",
    "needs GPU",
    "machine not instantiated",
    // Such a request waits in its sequencer until the one before it is answered.
    "request coalesced by the sequencer",
    "needs several L2 banks",
    // No order of events leads there; the explanation says why.
    "impossible",
    // A longer run or another seed may reach it; the explanation says when it happens.
    "rare",
    "unknown",
];

/// Largest percentage of the unreached rows whose reason may be unknown.
const UNKNOWN: usize = 10;

/// Rows in the format of `unreached.csv`.
fn listed<'a>(name: &str, rows: impl IntoIterator<Item = &'a Taken>) -> String {
    let line = |(machine, state, event, next): &Taken| {
        format!("{name},{machine},{state},{event},{next},unknown\n")
    };
    rows.into_iter().map(line).collect()
}

/// The rows that the standard stress run reaches, with their counts; stalls count too.
fn stressed(protocol: &Protocol) -> BTreeMap<Taken, u64> {
    let mut reached = BTreeMap::new();
    for simulation in stress::standard(protocol) {
        let run = stress::run(protocol, &simulation);
        for row in run.coverage().iter().chain(&run.stalls()) {
            let words = [row.machine, row.state, row.event, row.next];
            let [machine, state, event, next] = words.map(str::to_owned);
            *reached.entry((machine, state, event, next)).or_insert(0) += row.count;
        }
    }
    reached
}

fn all_rows(table: &Table) -> BTreeSet<Taken> {
    let row = |(pair, entry): (&tables::Pair, &tables::Entry)| {
        let (machine, state, event) = pair.clone();
        (machine, state, event, entry.next.clone())
    };
    table.iter().map(row).collect()
}

/// The standard stress run uses only rows of the table. It uses all rows that gem5 used, and all
/// others that are not listed as unreached.
fn cover(name: &str) {
    let protocol = stress::open(name);
    let reached: BTreeSet<Taken> = stressed(&protocol).into_keys().collect();
    let released = tables::released(&tables::fixture("tables"), &protocol);
    let (table, _) = tables::repaired(name, released, &tables::compiled(&protocol));
    let rows = all_rows(&table);

    let foreign: Vec<_> = reached.difference(&rows).collect();
    assert!(foreign.is_empty(), "{name}: not in the table: {foreign:?}");

    let gem5 = tables::reached(&tables::fixture(&format!("coverage/{name}.csv")));
    let missed = gem5.difference(&reached).filter(|row| rows.contains(row));
    let missed = listed(name, missed);
    assert!(missed.is_empty(), "gem5 reached these, we do not:\n{missed}");

    check_unreached(name, &rows, &reached);
}

fn check_unreached(name: &str, rows: &BTreeSet<Taken>, reached: &BTreeSet<Taken>) {
    let list = tables::unreached(&tables::fixture("unreached.csv"), name);
    let keys: BTreeSet<Taken> = list.keys().cloned().collect();
    let missed: BTreeSet<Taken> = rows.difference(reached).cloned().collect();

    let unlisted = listed(name, missed.difference(&keys));
    assert!(unlisted.is_empty(), "not reached and not listed:\n{unlisted}");
    let strange = listed(name, keys.difference(rows));
    assert!(strange.is_empty(), "listed, but in no table:\n{strange}");
    let is_rare = |row: &&Taken| list[*row].starts_with("rare");
    let found = listed(name, keys.intersection(reached).filter(|row| !is_rare(row)));
    assert!(found.is_empty(), "reached although listed:\n{found}");

    for (row, reason) in &list {
        let kind = reason.split(':').next().unwrap_or_default();
        let explains = reason.len() > kind.len() + 2;
        let is_known =
            REASONS.contains(&kind) && explains == ["impossible", "rare"].contains(&kind);
        assert!(is_known, "{row:?}: `{reason}` is no reason");
    }
    let unknown = list.values().filter(|&reason| reason == "unknown").count();
    let most = missed.len() * UNKNOWN / 100;
    assert!(unknown <= most, "{name}: {unknown} of {} unknown", missed.len());
}

/// The tests of a protocol.
macro_rules! protocol {
    ($module:ident, $name:literal) => {
        mod $module {
            #[test]
            fn is_covered() {
                super::cover($name);
            }
        }
    };
}

protocol!(mi_example, "MI_example");
protocol!(mesi_two_level, "MESI_Two_Level");
protocol!(moesi_hammer, "MOESI_hammer");
protocol!(moesi_amd_base, "MOESI_AMD_Base");
