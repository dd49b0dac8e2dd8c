//! The corpora beside this repository; tests that need them are ignored where they are absent (see
//! the Makefile).

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use history::History;

fn shared(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../shared")
        .join(folder)
}

/// The histories of a corpus.
pub fn histories(folder: &str) -> Vec<History> {
    let file = std::fs::File::open(shared(folder).join("histories.axe")).unwrap();
    let mut lines = ingest::input::Lines::new(file, "histories.axe", false).unwrap();
    ingest::axe::parse(&mut lines, &Default::default()).unwrap()
}

/// The history of a corpus with a name.
pub fn named(folder: &str, name: &str) -> History {
    let mut all = histories(folder).into_iter();
    all.find(|history| history.name.as_deref() == Some(name))
        .unwrap_or_else(|| panic!("{folder} has no {name}"))
}

/// The rows of a table of a corpus, by name; columns by name.
pub fn table(folder: &str, file: &str) -> HashMap<String, HashMap<String, String>> {
    let text = std::fs::read_to_string(shared(folder).join(file)).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines
        .map(|line| {
            let row: HashMap<String, String> = header
                .iter()
                .map(|name| (*name).to_owned())
                .zip(line.split(',').map(str::to_owned))
                .collect();
            (row["name"].clone(), row)
        })
        .collect()
}

/// Pairs of writes, each as location, value of the first, value of the second.
pub type Pairs = BTreeSet<(u64, u64, u64)>;

/// The kernels of a corpus, by name.
pub fn kernels(folder: &str, file: &str) -> HashMap<String, Pairs> {
    let pair = |text: &str| {
        let (location, values) = text.split_once(':').unwrap();
        let (first, second) = values.split_once('<').unwrap();
        let number = |text: &str| text.parse::<u64>().unwrap();
        (number(location), number(first), number(second))
    };
    table(folder, file)
        .into_iter()
        .map(|(name, row)| (name, row["pairs"].split_whitespace().map(pair).collect()))
        .collect()
}
