//! Compares the named mutants with their protocols. The mutant of a repair restores what the
//! released protocol has in the rows of the repair, and changes no others; the other mutants are
//! faults that gem5 itself has repaired.

use crate::tables;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::tables::Pair;
use mutate::touched::touched;
use mutate::{Mutant, named};
use slicc::builtin::BUILTINS;
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;

fn opened(mutant: &Mutant) -> Protocol {
    original(&mutant.protocol).with(mutant).unwrap_or_else(|failure| {
        let told: Vec<_> = failure.diagnostics.iter().map(|one| &one.message).collect();
        panic!("{}: {told:?}", mutant.name)
    })
}

fn original(protocol: &str) -> Protocol {
    Protocol::open(protocol).unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics))
}

/// The protocols and names of the mutants that belong to repairs.
fn of_repairs() -> BTreeSet<(String, String)> {
    let file = tables::fixture("repairs.csv");
    let of = |protocol: &str| tables::repairs(&file, protocol).into_iter();
    let pairs = BUILTINS.iter().flat_map(|one| {
        let pair = |row: tables::Repair| (one.name.to_owned(), row.mutant);
        of(one.name).map(pair)
    });
    pairs.collect()
}

fn is_of_repair(mutant: &Mutant) -> bool {
    of_repairs().contains(&(mutant.protocol.to_string(), mutant.name.to_string()))
}

#[test]
fn every_repair_has_a_mutant_and_every_protocol_a_table() {
    let pair = |one: Mutant| (one.protocol.into_owned(), one.name.into_owned());
    let mutants: BTreeSet<_> = named::all().map(pair).collect();
    let repairs = of_repairs();
    let missing: Vec<_> = repairs.difference(&mutants).collect();
    assert!(missing.is_empty(), "{missing:?}");

    let folder = std::fs::read_dir(tables::fixture("mutants")).unwrap();
    let file = |one: std::io::Result<std::fs::DirEntry>| one.unwrap().file_name();
    let files: BTreeSet<_> = folder.map(|one| file(one).into_string().unwrap()).collect();
    let expected = BUILTINS.iter().map(|one| format!("{}.faults", one.name));
    assert_eq!(files, expected.collect());
}

/// The rows of the catalogue that are about built-in protocols.
fn catalogue() -> Vec<tables::Row> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/mutants/catalogue.csv");
    let mut rows = tables::rows(Path::new(file));
    assert!(!rows.is_empty(), "{file} is missing");
    rows.retain(|row| BUILTINS.iter().any(|one| one.name == row["protocol"]));
    rows
}

#[test]
#[ignore = "needs ../shared"]
fn every_row_of_the_catalogue_has_a_mutant() {
    let mut wrong = Vec::new();
    for row in catalogue() {
        let (name, alias) = (&row["id"], &row["alias"]);
        let Some(mutant) = named::find(name).filter(|one| one.name == *name) else {
            wrong.push(format!("there is no {name}"));
            continue;
        };
        let other = named::find(alias).filter(|_| !alias.is_empty());
        if mutant.protocol != row["protocol"] || other.is_none() != alias.is_empty() {
            wrong.push(format!("{name}: its protocol, or the other name {alias}"));
        }
        if other.is_some_and(|other| other != mutant) {
            wrong.push(format!("{alias} is another mutant than {name}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "needs ../shared"]
fn mutants_without_a_repair_are_of_the_catalogue_and_its_machine() {
    let rows = catalogue();
    let mut wrong = Vec::new();
    for mutant in named::all().filter(|one| !is_of_repair(one)) {
        let Some(row) = rows.iter().find(|row| row["id"] == mutant.name) else {
            // Those of repairs that change no rows have the name of their repair.
            if mutate::repair::find(&mutant.name).is_none() {
                wrong.push(format!("{} is not in the catalogue and has no repair", mutant.name));
            }
            continue;
        };
        let touched = touched(&original(&mutant.protocol), &opened(&mutant), true).entries;
        let is_elsewhere = |place: &&TableEntry| !row["machine"].contains(&place.machine);
        let strange = touched.iter().filter(is_elsewhere);
        wrong.extend(strange.map(|place| format!("{} touches {place}", mutant.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The deviations of a mutant: rows of its repair that differ from the released tables, and other rows that it
/// changes.
fn strange(mutant: &Mutant, ours: &Protocol, released: &tables::Table) -> Vec<String> {
    let mutated = opened(mutant);
    let (before, after) = (tables::compiled(ours), tables::compiled(&mutated));
    let repairs = tables::repairs(&tables::fixture("repairs.csv"), ours.name());
    let repairs: BTreeMap<Pair, String> = repairs
        .into_iter()
        .filter(|row| row.mutant == mutant.name)
        .map(|row| (row.pair, row.kind))
        .collect();
    let mut wrong = Vec::new();
    for (pair, kind) in &repairs {
        let (was, is) = (before.get(pair), after.get(pair));
        if was.is_none() && is.is_none() {
            wrong.push(format!("there is no {pair:?}"));
        }
        if is != released.get(pair) {
            wrong.push(format!("{pair:?}, {kind}: it is {is:?}, and was not released so"));
        }
    }
    for place in touched(ours, &mutated, true).entries {
        let pair = (place.machine, place.state, place.event);
        let (was, is) = (before.get(&pair), after.get(&pair));
        // A row that waits may wait in another way.
        let waits = was == is && is.is_some_and(|entry| entry.stalls);
        if !repairs.contains_key(&pair) && !waits {
            wrong.push(format!("{pair:?} is touched, and no row of the mutant"));
        }
    }
    wrong
}

#[test]
fn mutants_have_the_released_rows_and_touch_no_others() {
    let mut wrong = Vec::new();
    for one in BUILTINS {
        let ours = original(one.name);
        let released = tables::released(&tables::fixture("tables"), &ours);
        for mutant in named::of(one.name).filter(is_of_repair) {
            let strange = strange(&mutant, &ours, &released);
            wrong.extend(strange.iter().map(|what| format!("{}: {what}", mutant.name)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
