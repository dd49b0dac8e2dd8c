//! Fuzz targets: functions of bytes that call the readers of input, and panic if something is wrong. No input may crash a reader,
//! and what a reader accepts must be valid. `cargo +nightly fuzz` drives the targets (`make fuzz`), and `tests/short.rs` does so
//! for some seconds. Parquet is not among them, because its decoder aborts the process at some files: `cli/tests/it/robust.rs`
//! tests it in whole processes.
//!
//! ```
//! fuzz::axe(b"0: M[0] := 1\n1: M[0] == 1\ncheck\n");
//! fuzz::gem5(b"\x1f\x8b no gzip");
//! ```

use std::io;
use std::path::Path;
use std::sync::LazyLock;

use certify::certificate::{self, Claim};
use certify::verify::{Verified, verify};
use check::{Model, Verdict};
use explore::program::bounded;
use explore::program::compile::Program;
use history::{Ambiguity, History, ReadsFrom};
use ingest::input::Lines;
use ingest::{Live, Options, Trace};
use litmus::LitmusTest;
use slicc::load::load_with;
use slicc::protocol::Protocol;

/// A function of bytes that panics if something is wrong.
pub type Target = fn(&[u8]);

/// All targets by name. The folders of `seeds/` have these names.
pub const TARGETS: [(&str, Target); 15] = [
    ("axe", axe),
    ("certificate", certificate),
    ("cva6", log),
    ("execlog", log),
    ("gem5", gem5),
    ("ibex", log),
    ("initial", initial),
    ("json", json),
    ("litmus", litmus),
    ("program", program),
    ("record", log),
    ("slicc", slicc),
    ("spike", log),
    ("tarmac", log),
    ("tester", log),
];

/// Reads gem5 traces strictly, with damaged lines skipped, and as they grow.
///
/// # Panics
/// Panics if the strict reader accepts an input that the lossy reader rejects.
pub fn gem5(data: &[u8]) {
    let strict = Options { transitions: true, ..Options::default() };
    let lossy = Options { lossy: true, ..strict.clone() };
    let whole = ingest::read(data, "fuzz", &strict);
    let skipped = ingest::read(data, "fuzz", &lossy);
    assert!(whole.is_err() || skipped.is_ok());
    let mut live = Live::new(&lossy);
    let Ok(mut lines) = Lines::new(data, "fuzz", true) else {
        return;
    };
    while let Ok(true) = live.advance(&mut lines) {
        live.fetch();
    }
    let _ = live.finish(&lines);
}

/// Reads axe text. A history that can be written as axe text must be read back the same.
///
/// # Panics
/// Panics if a history is read back with another digest.
pub fn axe(data: &[u8]) {
    read_back(data, |history, text| ingest::axe::write(history, text).is_ok());
}

/// Reads histories as JSON. Each history is written and must be read back the same.
///
/// # Panics
/// Panics if a history is read back with another digest.
pub fn json(data: &[u8]) {
    read_back(data, |history, text| {
        ingest::json::write(history, text).expect("writing to memory does not fail");
        true
    });
}

/// Reads a log or a record of any format, once strictly and once with damaged parts left out. The seeds of a target say which.
///
/// # Panics
/// Panics if the strict reader accepts an input that the lossy reader rejects.
pub fn log(data: &[u8]) {
    let whole = ingest::read(data, "fuzz", &Options::default());
    let lossy = Options { lossy: true, ..Options::default() };
    let good = ingest::read(data, "fuzz", &lossy);
    assert!(whole.is_err() || good.is_ok());
}

/// Writes each history of the input, and reads it back. `write` returns whether its format can express the history.
fn read_back(data: &[u8], write: impl Fn(&History, &mut Vec<u8>) -> bool) {
    let Ok(trace) = ingest::read(data, "fuzz", &Options::default()) else {
        return;
    };
    for history in &trace.histories {
        let mut text = Vec::new();
        if write(history, &mut text) {
            assert_eq!(only(&text).digest(), history.digest());
        }
    }
}

/// Reads back the one history of a text that [`read_back`] wrote.
fn only(text: &[u8]) -> History {
    let read = ingest::read(text, "again", &Options::default());
    let Trace { mut histories, .. } = read.expect("what was written can be read");
    assert_eq!(histories.len(), 1, "one history was written");
    histories.remove(0)
}

/// Small histories in axe text, some consistent and some not.
pub const HISTORIES: &str = include_str!("../seeds/axe/litmus.axe");

/// Verifies certificates as if they were about each of [`HISTORIES`] in turn.
///
/// # Panics
/// Panics if a certificate is accepted whose verdict is wrong.
pub fn certificate(data: &[u8]) {
    static ALL: LazyLock<Vec<History>> = LazyLock::new(|| {
        let read = ingest::read(HISTORIES.as_bytes(), "histories", &Options::default());
        read.expect("they can be read").histories
    });
    let Ok(mut certificate) = certificate::read(data) else {
        return;
    };
    for history in &*ALL {
        let model = certificate.claim.model;
        certificate.claim =
            Claim { criterion: certificate.claim.criterion, ..Claim::new(history, model, "") };
        let is_consistent = match verify(history, &certificate) {
            Ok(Verified::Consistent { .. }) => true,
            Ok(Verified::Violation { .. } | Verified::CriterionViolation { .. }) => false,
            Err(_) => continue,
        };
        assert_eq!(is_consistent, holds(history, model), "{:?}", history.name);
    }
}

/// Whether a small history satisfies a model.
fn holds(history: &History, model: Model) -> bool {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).expect("no value twice");
    let checked = check::check(history, &reads_from, model, &check::Options::default());
    match checked.verdict {
        Verdict::Consistent(_) => true,
        Verdict::Violation(_) => false,
        other => panic!("undecided: {other:?}"),
    }
}

/// Reads litmus tests, and prints what was read.
pub fn litmus(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Ok(test) = LitmusTest::parse("fuzz", text) {
        test.condition();
    }
}

/// Reads tables of initial values, with an oracle that knows a table only by its lines.
///
/// # Panics
/// Panics if a table is accepted that has another value for an address of it.
pub fn initial(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(values) = ingest::initial::parse(&text) else {
        return;
    };
    let mut left = values.len();
    for line in text.lines() {
        let mut words = line.split('#').next().unwrap_or("").split_whitespace();
        let (Some(address), Some(value), None) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        let [address, value] = [address, value].map(ingest::initial::number);
        let address = address.expect("a table that was accepted has numbers");
        assert_eq!(values.get(&address).copied(), value);
        left = left.saturating_sub(1);
    }
    assert_eq!(left, 0, "every address is in a line");
}

/// Reads and compiles concurrent programs, and explores a few runs of them.
pub fn program(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Ok(program) = Program::read(text) {
        let options =
            bounded::Options { runs: Some(20), ..bounded::Options::new(1, &[Model::TSO]) };
        bounded::search(&program, &options);
    }
}

/// Reads, resolves and compiles SLICC protocols. The first seven files that a protocol names have the same content, and no
/// further ones are found.
pub fn slicc(data: &[u8]) {
    let mut files = 0;
    let loaded = load_with(Path::new("fuzz.slicc"), &mut |_| {
        files += 1;
        match files {
            ..8 => Ok(data.to_vec()),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    });
    if let Ok(loaded) = loaded {
        let _ = Protocol::new(loaded, 64);
    }
}
