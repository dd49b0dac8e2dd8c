//! Converts random histories there and back, and compares the verdicts.
//!
//! A format holds all that decides the verdicts of a history under every model, or refuses the history. The random runs are those
//! that the naive checker of `check` answers.

// The naive checker's modules have more than this test needs.
#![allow(dead_code)]

#[path = "../../../check/tests/naive/atoms.rs"]
mod atoms;
#[path = "../../../check/tests/naive/cycle.rs"]
mod cycle;
#[path = "../../../check/tests/naive/json.rs"]
mod json;
#[path = "../../../check/tests/naive/random.rs"]
mod random;
#[path = "../../../check/tests/naive/run.rs"]
mod run;

use std::path::Path;

use check::{Options, Question, Verdict};
use history::{Ambiguity, History, ReadsFrom};
use lab::save::{self, Format, WRITABLE};
use memory::{Model, models};

const RUNS: u64 = 3000;

fn read(text: &[u8], format: &str) -> History {
    let read = ingest::read(text, format, &ingest::Options::default());
    let mut trace = read.unwrap_or_else(|error| {
        panic!("{format} that was written is not read: {error}\n{}", String::from_utf8_lossy(text))
    });
    assert_eq!(trace.histories.len(), 1);
    trace.histories.remove(0)
}

/// The history after it was written in a format and read again; `None` if the format refuses it.
fn converted(history: &History, format: Format, folder: &Path) -> Option<History> {
    let histories = std::slice::from_ref(history);
    if let Format::Parquet = format {
        let path = folder.join("run.parquet");
        save::file(&path, format, "run", histories).expect("Parquet holds every history");
        return tables::read_histories(&path).expect("it was just written").pop();
    }
    let mut text = Vec::new();
    save::text(format, "run", histories, &mut text).ok()?;
    Some(read(&text, format.name()))
}

fn verdicts(history: &History) -> Vec<&'static str> {
    let verdict = |model: &Model| {
        let reads_from = ReadsFrom::derive(history, Ambiguity::Keep).expect("nothing is refused");
        match Question::new(*model, &Options::default()).ask(history, &reads_from).verdict() {
            Verdict::Consistent(_) => "consistent",
            Verdict::Violation(_) => "violation",
            _ => "undecided",
        }
    };
    models::ALL.iter().map(verdict).collect()
}

#[test]
fn conversions_keep_verdicts_or_refuse() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    // Per format that can be read again, the number of histories that it took. A gem5 trace needs an order of completions, which
    // these runs do not have; `check/tests/it/conversions.rs` converts runs that do.
    let formats = WRITABLE.iter().filter(|format| !matches!(format.name(), "litmus" | "gem5"));
    let mut taken: Vec<(Format, u64)> = formats.map(|&format| (format, 0)).collect();
    for seed in 0..RUNS {
        let (run, _) = random::run(seed, &random::Feature::ALL);
        let line = json::line(&run);
        let history = read(line.as_bytes(), "json");
        let expected = verdicts(&history);
        for (format, taken) in &mut taken {
            // A Parquet file costs much more than a text.
            if matches!(format, Format::Parquet) && seed % 10 != 0 {
                continue;
            }
            let Some(there) = converted(&history, *format, folder.path()) else { continue };
            *taken += 1;
            let name = format.name();
            assert_eq!(verdicts(&there), expected, "seed {seed}, as {name}\n{line}");
            let json = WRITABLE.iter().find(|format| format.name() == "json");
            let back = json.and_then(|json| converted(&there, *json, folder.path()));
            let back = back.expect("JSON holds every history");
            assert_eq!(verdicts(&back), expected, "seed {seed}, as {name} and back\n{line}");
        }
    }
    for (format, taken) in taken {
        println!("{}: {taken} of {RUNS} histories", format.name());
        let least = match format {
            Format::Parquet => RUNS / 10,
            Format::Text(_) if format.name() == "json" => RUNS,
            _ => RUNS / 20,
        };
        assert!(taken >= least, "{} took {taken} histories", format.name());
    }
}
