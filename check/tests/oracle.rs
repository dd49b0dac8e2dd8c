//! The oracle corpora: every verdict as tabulated, every certificate verified.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use check::certificate::{self, Claim};
use check::{Algorithm, Model, Options, PsoRmw, Verdict, check, steps, verify};
use history::{Ambiguity, History, ReadsFrom};

/// A folder of the owner's data, if it is there.
fn shared(folder: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared").join(folder);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: {folder} is not there");
    None
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

/// Decides, checks the certificate as a file, and says whether the history is consistent.
fn decide(history: &History, model: Model, algorithm: Algorithm) -> Option<bool> {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
    let options = Options {
        algorithm,
        ..Options::default()
    };
    let outcome = check(history, &reads_from, model, &options);
    let claim = Claim::new(history, model, "");
    let mut file = Vec::new();
    let verdict = match &outcome.verdict {
        Verdict::Consistent(run) => {
            certificate::write_consistent(&mut file, history, &claim, &[], run).unwrap();
            true
        }
        Verdict::Violation(violation) => {
            let proof = steps::steps(history, violation);
            certificate::write_violation(&mut file, &claim, &proof).unwrap();
            false
        }
        Verdict::Undecided(_) => return None,
    };
    let read = certificate::read(file.as_slice()).unwrap();
    let verified = verify::verify(history, &read);
    assert!(
        matches!(
            (verdict, &verified),
            (true, Ok(verify::Verified::Consistent { .. }))
                | (false, Ok(verify::Verified::Violation { .. }))
        ),
        "{:?} {model}: {verified:?}\n{}",
        history.name,
        String::from_utf8_lossy(&file)
    );
    Some(verdict)
}

fn compare(folder: &str, models: &[(&str, Model)]) {
    let Some(folder) = shared(folder) else {
        return;
    };
    let verdicts = table(&folder.join("verdicts.csv"));
    let file = std::fs::File::open(folder.join("histories.axe")).unwrap();
    let mut lines = ingest::input::Lines::new(file, "histories.axe", false).unwrap();
    let histories = ingest::axe::parse(&mut lines, &Default::default()).unwrap();
    assert_eq!(histories.len(), verdicts.len());
    for history in &histories {
        let name = history.name.as_deref().unwrap();
        for (column, model) in models {
            let expected = verdicts[name][*column] == "1";
            for algorithm in [Algorithm::Stages, Algorithm::Complete] {
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
