//! The table of what gem5 had in the places that repairs change: a repair does not overwrite anything else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use mutate::{Misfit, given, named, repair};
use slicc::disk::load;
use slicc::load::{Loaded, Modification};
use slicc::protocol::Protocol;

const TABLE: &str = "../fixtures/protocols/repairs/places.tsv";

/// MI_example with a released fault, and with `from` replaced by `to` in the file of the directory.
fn edited(folder: &Path, from: &str, to: &str) -> Loaded {
    let fault = named::find("mi-dir-dma-write-offset").unwrap();
    let original = Protocol::open("MI_example").unwrap();
    for (name, text) in fixtures::protocol("MI_example").unwrap().files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    for changed in fault.changed(&original.loaded).unwrap() {
        assert!(from.is_empty() || changed.text.contains(from), "{}", changed.path);
        std::fs::write(folder.join(&changed.path), changed.text.replacen(from, to, 1)).unwrap();
    }
    load(&folder.join("MI_example.slicc")).unwrap()
}

#[test]
fn a_repair_does_not_overwrite_a_users_own_change() {
    let folder = tempfile::tempdir().unwrap();
    let repair = repair::find("mi-dir-dma-write-offset").unwrap();
    assert_eq!(repair.fits(&edited(folder.path(), "", "")), Ok(()));
    // Comments and formatting are no change.
    let row = "transition(I, DMA_WRITE, ID_W) {";
    let commented = edited(folder.path(), row, "transition(I,\n DMA_WRITE, ID_W) { /* now */");
    assert_eq!(repair.fits(&commented), Ok(()));
    let changed = edited(folder.path(), row, "transition(I, DMA_WRITE, ID) {");
    let why = repair.fits(&changed).unwrap_err();
    assert!(matches!(why, Misfit::Changed { .. }), "{why}");
    let said = why.to_string();
    for part in ["Directory (I, DMA_WRITE)", "it leads to ID instead of ID_W", "MI_example-dir.sm:"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    // A mutant on top of the user's protocol changes nothing of that.
    let mutant = named::find("mi-l1-replace-no-notify").unwrap();
    let mutated = mutant.load(&changed).unwrap();
    assert!(matches!(repair.fits(&mutated), Err(Misfit::Changed { .. })));
}

/// A repair of a place that the table lacks could overwrite a user's change.
#[test]
fn the_table_has_all_places_of_the_built_in_protocols() {
    let table = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(TABLE)).unwrap();
    let mut all = 0;
    for one in fixtures::PROTOCOLS {
        for (place, _) in given::described(&Protocol::open(one.name).unwrap().loaded) {
            assert!(table.contains(&format!("{place}\t")), "{place}");
            all += 1;
        }
    }
    assert!(all > 40, "{all}");
}

/// Draws the table anew from the `.slicc` files, the newest first, that the file in `RUBRIC_PROTOCOLS` lists. What repairs make of a version
/// counts as that version, since a user may have repaired something by hand. The built-in protocols and their faults are versions, too.
#[test]
#[ignore = "needs files of gem5"]
fn the_table_is_drawn() {
    let Ok(list) = std::env::var("RUBRIC_PROTOCOLS") else {
        println!("skipped: there is no list of protocols in RUBRIC_PROTOCOLS");
        return;
    };
    let list = std::fs::read_to_string(list).unwrap();
    let mut table = Table::default();
    for path in list.lines() {
        let Ok(loaded) = load(&PathBuf::from(path)) else {
            eprintln!("not read: {path}");
            continue;
        };
        let version = table.next_version(&loaded.protocol);
        table.add(&loaded, version);
        let repairs = repair::of(&loaded.protocol).collect::<Vec<_>>();
        let repaired = repairs.iter().filter_map(|one| one.load(&loaded).ok());
        repaired.for_each(|one| table.add(&one, version));
        let mut all = loaded;
        for one in &repairs {
            if let Ok(repaired) = one.load(&all) {
                all = repaired;
            }
        }
        table.add(&all, version);
    }
    for one in fixtures::PROTOCOLS {
        let version = table.next_version(one.name);
        let original = Protocol::open(one.name).unwrap().loaded;
        table.add(&original, version);
        let faults = repair::of(one.name).filter_map(|one| named::find(&one.name));
        let faulty = faults.filter_map(|fault| fault.load(&original).ok());
        faulty.for_each(|faulty| table.add(&faulty, version));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(TABLE);
    std::fs::write(path, table.text()).unwrap();
}

/// The lines of the table with the numbers of the versions that have them, and the number of versions of each protocol.
#[derive(Default)]
struct Table {
    lines: BTreeMap<(String, String), BTreeSet<u32>>,
    versions: BTreeMap<String, u32>,
}

impl Table {
    /// The number of a further version, counted for the protocol that has the repairs.
    fn next_version(&mut self, protocol: &str) -> u32 {
        let base =
            repair::of(protocol).next().map_or(protocol.to_owned(), |one| one.protocol.into());
        let next = self.versions.entry(base).or_default();
        *next += 1;
        *next - 1
    }

    fn add(&mut self, loaded: &Loaded, version: u32) {
        for line in given::described(loaded) {
            self.lines.entry(line).or_default().insert(version);
        }
    }

    fn text(&self) -> String {
        let line = |((place, content), versions): (&(String, String), &BTreeSet<u32>)| {
            format!("{place}\t{}\t{content}\n", ranges(versions))
        };
        self.lines.iter().map(line).collect()
    }
}

/// Ranges of numbers: `0-12,15`.
fn ranges(numbers: &BTreeSet<u32>) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let range = |&(first, last): &(u32, u32)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    ranges.iter().map(range).collect::<Vec<_>>().join(",")
}
