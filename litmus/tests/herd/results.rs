//! Tests with stored results of herd: a sample in `fixtures`, and all of them beside the repository.

use std::fs;
use std::path::{Path, PathBuf};

use litmus::{LitmusTest, outcomes};
use serde::Deserialize;

/// The stored results of herd for a test.
#[derive(Deserialize)]
struct Expected {
    file: String,
    kind: String,
    states: Vec<String>,
    verdict: String,
    observation: String,
}

/// Runs every test of a list under the model of its architecture; returns their number and the differences from herd.
fn compare(root: &Path, list: &Path) -> (usize, Vec<String>) {
    let lines = fs::read_to_string(list).unwrap();
    let mut wrong = Vec::new();
    for line in lines.lines() {
        let expected: Expected = serde_json::from_str(line).unwrap();
        let text = fs::read_to_string(root.join(&expected.file)).unwrap();
        if let Err(difference) = run(&expected, &text) {
            wrong.push(format!("{}: {difference}", expected.file));
        }
    }
    (lines.lines().count(), wrong)
}

fn run(expected: &Expected, text: &str) -> Result<(), String> {
    let test = LitmusTest::parse(&expected.file, text).map_err(|error| error.to_string())?;
    let found = outcomes(&test, test.architecture.model(), 2).map_err(|error| error.to_string())?;
    let states: Vec<String> = found.states.iter().map(|state| test.state(state)).collect();
    let quantifier = test.condition.quantifier;
    let verdict = if found.satisfies(quantifier) { "Ok" } else { "No" };
    let ours = (quantifier.kind(), verdict, found.observation().name(), states);
    let herds =
        (&*expected.kind, &*expected.verdict, &*expected.observation, expected.states.clone());
    if ours == herds { Ok(()) } else { Err(format!("found {ours:?}, herd has {herds:?}")) }
}

#[test]
fn a_sample_of_tests_has_the_states_that_herd_finds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/litmus/herd");
    let (count, wrong) = compare(&root, &root.join("results.jsonl"));
    assert!(count > 150, "{count} tests");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The tests beside the repository, which not every checkout has.
#[test]
#[ignore = "needs ../../shared/litmus"]
fn all_tests_have_the_states_that_herd_finds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/litmus");
    let lists: Vec<PathBuf> =
        ["riscv.jsonl", "aarch64.jsonl"].iter().map(|list| root.join(list)).collect();
    for list in &lists {
        let (count, wrong) = compare(&root, list);
        assert!(count > 0 && wrong.is_empty(), "{} of {count}: {}", wrong.len(), wrong.join("\n"));
    }
}
