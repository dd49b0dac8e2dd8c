//! Explorations on disk: they have the results of those in memory, also if they are interrupted. Unusable folders are refused.

use std::fs;
use std::io::Write;
use std::path::Path;

use explore::protocol::{
    Disk, Exploration, OnDiskError, SearchOptions, Store, explore_by, explore_in,
};
use explore::search::Limits;
use mutate::named;
use simulate::stepper::{Scope, Symmetry};
use slicc::protocol::Protocol;

use crate::search_options::said;

fn tiny() -> Scope {
    let symmetries = vec![Symmetry::Cores, Symmetry::Lines];
    Scope { lines: 2, tiny: true, symmetries, ..Scope::default() }
}

fn within(states: usize) -> Limits {
    Limits { states: Some(states), ..Limits::default() }
}

fn on_disk(
    protocol: &Protocol,
    scope: &Scope,
    folder: &Path,
    jobs: usize,
    states: usize,
) -> Result<Exploration, OnDiskError> {
    let disk = Disk { folder: folder.to_owned(), explores: protocol.title(), tell: |_, _, _| {} };
    let search_options = SearchOptions { store: Store::Exact, jobs, partial_order: true };
    explore_in(protocol, scope, &search_options, Some(&disk), &within(states), &mut |_| {})
}

/// The file with the rows of all states. The file `moves` is not compared: of several states to which spontaneous moves lead, it has any
/// one.
fn rows(folder: &Path) -> Vec<u8> {
    fs::read(folder.join("states")).unwrap()
}

/// Explores in steps of a number of states, each as by another process, and returns the result of the last one.
fn in_steps(
    protocol: &Protocol,
    scope: &Scope,
    folder: &Path,
    all: usize,
    step: usize,
) -> Exploration {
    for (at, states) in (1..all).step_by(step).enumerate() {
        on_disk(protocol, scope, folder, 1 + at % 3, states).expect("it goes on");
        // A process that is killed has written more than the manifest says.
        for file in ["states", "moves", "parts"] {
            let mut file = fs::OpenOptions::new().append(true).open(folder.join(file)).unwrap();
            file.write_all(&[7; 37]).unwrap();
        }
    }
    on_disk(protocol, scope, folder, 2, all).expect("it goes on")
}

#[test]
fn an_interrupted_exploration_is_as_one_that_was_not() {
    const ALL: usize = 2_000;
    let mut found = 0;
    for name in ["MI_example", "MESI_Two_Level", "MOESI_hammer"] {
        let original = Protocol::open(name).expect("it is built in");
        let mutants = named::of(name).step_by(12).chain(named::find("mi-l1-nack-before-forward"));
        let mutants = mutants.filter_map(|mutant| original.with(&mutant).ok());
        for protocol in mutants.chain([original.clone()]) {
            let search_options =
                SearchOptions { store: Store::Exact, jobs: 1, partial_order: true };
            let memory = explore_by(&protocol, &tiny(), &search_options, &within(ALL), &mut |_| {});
            let memory = memory.expect("the protocol fits");
            let (whole, steps) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let disk = on_disk(&protocol, &tiny(), whole.path(), 2, ALL).expect("it is explored");
            assert_eq!(said(&memory), said(&disk), "{}", protocol.title());
            assert_eq!(memory.taken, disk.taken);
            let last = in_steps(&protocol, &tiny(), steps.path(), ALL, 653);
            assert_eq!(said(&memory), said(&last), "{}", protocol.title());
            assert_eq!(memory.taken, last.taken, "{}", protocol.title());
            if matches!(memory.verdict, explore::protocol::Verdict::Found(_)) {
                found += 1;
            } else {
                assert!(rows(whole.path()) == rows(steps.path()), "{}", protocol.title());
            }
        }
    }
    assert!(found > 0, "{found}");
}

#[test]
fn an_exploration_goes_on_from_each_state() {
    let protocol = Protocol::open("MI_example").expect("it is built in");
    let scope = Scope { symmetries: vec![Symmetry::Cores], ..Scope::default() };
    let folder = tempfile::tempdir().unwrap();
    let last = in_steps(&protocol, &scope, folder.path(), 300, 17);
    let search_options = SearchOptions { partial_order: true, ..SearchOptions::default() };
    let memory = explore_by(&protocol, &scope, &search_options, &within(300), &mut |_| {}).unwrap();
    assert_eq!(said(&memory), said(&last));
    assert_eq!(last.progress.states, 242);
    // An exploration that has come to a verdict is not repeated.
    let again = on_disk(&protocol, &scope, folder.path(), 1, 300).unwrap();
    assert_eq!(said(&memory), said(&again));
}

#[test]
fn a_folder_of_something_else_is_refused() {
    let protocol = Protocol::open("MI_example").expect("it is built in");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    on_disk(&protocol, &tiny(), path, 1, 500).unwrap();
    let refused = |scope: &Scope, protocol: &Protocol| {
        on_disk(protocol, scope, path, 1, 600).expect_err("it is refused").to_string()
    };
    let other = refused(&Scope::default(), &protocol);
    assert!(other.contains("has the states of another exploration (MI_example"), "{other}");
    let mutant = named::of("MI_example").next().expect("it has mutants");
    let other = refused(&tiny(), &protocol.with(&mutant).unwrap());
    assert!(other.contains("has the states of another exploration"), "{other}");

    let manifest = path.join("exploration.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let changed = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}: {text}");
        fs::write(&manifest, text.replacen(from, to, 1)).unwrap();
        refused(&tiny(), &protocol)
    };
    let version = changed("\"version\": 2", "\"version\": 9");
    assert!(version.contains("with files of version 9"), "{version}");
    let cut = changed("\"states\": 50", "\"states\": 5000");
    assert!(cut.contains("states: has") && cut.contains("remove the folder"), "{cut}");
    let sum = changed("\"sum\": ", "\"sum\": 1");
    assert!(sum.contains("exploration.json:"), "{sum}");
    assert!(changed("{", "[").contains("is no manifest of an exploration"));
    fs::write(&manifest, &text).unwrap();

    for file in ["states", "parts"] {
        let at = path.join(file);
        let bytes = fs::read(&at).unwrap();
        let mut wrong = bytes.clone();
        wrong[bytes.len() / 2] ^= 0x40;
        fs::write(&at, wrong).unwrap();
        let problem = on_disk(&protocol, &tiny(), path, 1, 600);
        assert!(problem.is_err(), "{file}");
        fs::write(&at, bytes).unwrap();
    }
    assert!(on_disk(&protocol, &tiny(), path, 1, 600).is_ok());
    fs::write(path.join("notes.txt"), "mine").unwrap();
    assert!(refused(&tiny(), &protocol).contains("has no exploration, but other files"));
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let protocol = Protocol::open("MI_example").expect("it is built in");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let problem = on_disk(&protocol, &tiny(), &file.join("below"), 1, 10).unwrap_err().to_string();
    assert!(problem.contains("file/below: cannot be made"), "{problem}");
    let own = folder.path().join("own");
    fs::create_dir_all(own.join("states")).unwrap();
    let problem = on_disk(&protocol, &tiny(), &own, 1, 10).unwrap_err().to_string();
    assert!(problem.contains("own/states: cannot be opened"), "{problem}");
}
