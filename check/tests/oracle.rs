//! The oracle corpora: every verdict as tabulated, every certificate verified.

mod common;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use check::{Algorithm, Model, PsoRmw};
use common::decide;

/// A folder of the data that is shared with the project; tests that need it are ignored where it
/// is absent (see the Makefile).
fn shared(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../shared")
        .join(folder)
}

/// The rows of a table of verdicts, by name; columns by name.
fn table(path: &Path) -> HashMap<String, HashMap<String, String>> {
    let text = std::fs::read_to_string(path).unwrap();
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

fn compare(folder: &str, models: &[(&str, Model)]) {
    let folder = shared(folder);
    let verdicts = table(&folder.join("verdicts.csv"));
    let file = std::fs::File::open(folder.join("histories.axe")).unwrap();
    let mut lines = ingest::input::Lines::new(file, "histories.axe", false).unwrap();
    let histories = ingest::axe::parse(&mut lines, &Default::default()).unwrap();
    assert_eq!(histories.len(), verdicts.len());
    for history in &histories {
        let name = history.name.as_deref().unwrap();
        for (column, model) in models {
            let expected = verdicts[name][*column] == "1";
            for algorithm in [Algorithm::Stages, Algorithm::Complete, Algorithm::Sat] {
                let found = decide(history, *model, algorithm);
                assert_eq!(found, Some(expected), "{name} {model} {algorithm:?}");
            }
            // Saturation alone must never be wrong.
            if let Some(found) = decide(history, *model, Algorithm::Saturate) {
                assert_eq!(found, expected, "{name} {model} saturate");
            }
        }
    }
}

#[test]
#[ignore = "needs ../shared"]
fn oracle_histories() {
    compare(
        "oracle",
        &[
            ("sc", Model::Sc),
            ("tso", Model::Tso),
            ("pso", Model::Pso(PsoRmw::Own)),
            ("pso_flush_all", Model::Pso(PsoRmw::All)),
        ],
    );
}

#[test]
#[ignore = "needs ../shared"]
fn axe_litmus_tests() {
    compare(
        "axe",
        &[
            ("sc", Model::Sc),
            ("tso", Model::Tso),
            ("pso", Model::Pso(PsoRmw::Own)),
        ],
    );
}
