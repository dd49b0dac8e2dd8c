//! Tables of transitions: of the released protocols, of what gem5 reached, and the lists of repairs
//! and of unreached rows.

#![allow(dead_code, reason = "each test file uses a part")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use slicc::outline::{MachineOutline, Next};
use slicc::protocol::Protocol;

/// Machine, state and event.
pub(crate) type Pair = (String, String, String);

/// The content of an entry of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The state after the transition.
    pub next: String,
    /// Whether it stalls.
    pub stalls: bool,
}

/// The entries of all machines of a protocol.
pub(crate) type Table = BTreeMap<Pair, Entry>;

/// A row of a file: the values of its columns by name.
pub(crate) type Row = BTreeMap<String, String>;

/// A file or folder of the built-in protocols.
pub(crate) fn fixture(name: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/protocols");
    PathBuf::from(folder).join(name)
}

/// The rows of a CSV file; none if the file is missing.
pub(crate) fn rows(path: &Path) -> Vec<Row> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => panic!("{}: {error}", path.display()),
    };
    let mut lines = text.lines().filter(|line| !line.is_empty()).map(cells);
    let names = lines.next().unwrap_or_default();
    let row = |cells: Vec<String>| {
        assert_eq!(cells.len(), names.len(), "{}: {cells:?}", path.display());
        names.iter().cloned().zip(cells).collect()
    };
    lines.map(row).collect()
}

/// The cells of a line. Quotes protect commas, and are doubled inside.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    for (at, c) in line.char_indices() {
        match c {
            '"' => {
                is_quoted = !is_quoted;
                if is_quoted && line[..at].ends_with('"') {
                    cells.last_mut().unwrap().push('"');
                }
            }
            ',' if !is_quoted => cells.push(String::new()),
            c => cells.last_mut().unwrap().push(c),
        }
    }
    cells
}

fn pair(row: &Row) -> Pair {
    let cell = |name: &str| row[name].clone();
    (cell("machine"), cell("state"), cell("event"))
}

/// The table of a compiled protocol.
pub(crate) fn compiled(protocol: &Protocol) -> Table {
    let machines = protocol.outline.machines.iter();
    machines.flat_map(entries).collect()
}

fn entries(machine: &MachineOutline) -> impl Iterator<Item = (Pair, Entry)> {
    let state = |index: u16| machine.states[usize::from(index)].name.clone();
    machine.entries.iter().map(move |entry| {
        let event = machine.events[usize::from(entry.event)].name.clone();
        let next = match entry.next {
            Next::State(next) => state(next),
            Next::Computed => "*".to_owned(),
        };
        let stalls = entry.stalls;
        let pair = (machine.name.clone(), state(entry.state), event);
        (pair, Entry { next, stalls })
    })
}

/// The table of the released protocol, from a folder with a file for each machine.
pub(crate) fn released(folder: &Path, protocol: &Protocol) -> Table {
    let files = protocol.outline.machines.iter().map(|machine| {
        let file = folder.join(format!("{}-{}.csv", protocol.name(), machine.name));
        assert!(file.exists(), "{} is missing", file.display());
        rows(&file)
    });
    let entry = |row: Row| {
        let next = row["next_state"].clone();
        let stalls = row["stalls"] == "1";
        (pair(&row), Entry { next, stalls })
    };
    files.flatten().map(entry).collect()
}

/// A difference between a built-in protocol and the released one.
#[derive(Clone, Debug)]
pub(crate) struct Repair {
    /// The machine, state and event.
    pub pair: Pair,
    /// The next state in the built-in protocol.
    pub next: String,
    /// `added`, `changed`, `removed`, or `actions` if only the actions differ.
    pub kind: String,
    /// The mutant that restores the released row.
    pub mutant: String,
}

/// The repairs of a protocol.
pub(crate) fn repairs(file: &Path, protocol: &str) -> Vec<Repair> {
    let rows = rows(file).into_iter();
    let ours = rows.filter(|row| row["protocol"] == protocol);
    ours.map(|row| {
        for column in ["mutant", "reason"] {
            assert!(!row[column].is_empty(), "{row:?} has no {column}");
        }
        Repair {
            pair: pair(&row),
            next: row["next_state"].clone(),
            kind: row["kind"].clone(),
            mutant: row["mutant"].clone(),
        }
    })
    .collect()
}

/// Applies the listed repairs to a released table, and returns the errors in the list. Rows whose
/// actions were repaired may stall in another way.
pub(crate) fn repaired(name: &str, mut table: Table, ours: &Table) -> (Table, Vec<String>) {
    let mut wrong = Vec::new();
    for repair in repairs(&fixture("repairs.csv"), name) {
        let was = table.get(&repair.pair).cloned();
        let is = ours.get(&repair.pair).cloned();
        let is_true = match (&*repair.kind, &was, &is) {
            ("added", None, Some(is)) => is.next == repair.next,
            ("changed", Some(was), Some(is)) => was != is && is.next == repair.next,
            ("actions", Some(was), Some(is)) => was.next == is.next && is.next == repair.next,
            ("removed", Some(_), None) => true,
            _ => false,
        };
        if !is_true {
            wrong.push(format!("{repair:?}: it was {was:?} and is {is:?}"));
        }
        match is {
            Some(is) => table.insert(repair.pair, is),
            None => table.remove(&repair.pair),
        };
    }
    (table, wrong)
}

/// A transition that was taken: machine, state, event and next state.
pub(crate) type Taken = (String, String, String, String);

fn taken(row: &Row) -> Taken {
    let (machine, state, event) = pair(row);
    (machine, state, event, row["next_state"].clone())
}

/// The transitions that gem5 reached.
pub(crate) fn reached(file: &Path) -> BTreeSet<Taken> {
    assert!(file.exists(), "{} is missing", file.display());
    rows(file).iter().map(taken).collect()
}

/// The transitions of a protocol that are listed as unreached, with the reasons.
pub(crate) fn unreached(file: &Path, protocol: &str) -> BTreeMap<Taken, String> {
    let rows = rows(file).into_iter();
    let ours = rows.filter(|row| row["protocol"] == protocol);
    let mut list = BTreeMap::new();
    for row in ours {
        let before = list.insert(taken(&row), row["reason"].clone());
        assert!(before.is_none(), "{row:?} is there twice");
    }
    list
}

#[test]
fn quotes_protect_commas() {
    assert_eq!(cells(r#"a,"b, ""c""",,d"#), ["a", r#"b, "c""#, "", "d"]);
}
