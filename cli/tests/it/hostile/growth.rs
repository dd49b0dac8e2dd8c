//! Many small histories in one file cost as much as they are, not the square of their number.

use std::process::{Command, Stdio};

use wait4::Wait4;

use crate::common::Folder;

/// A history of four operations.
const SMALL: &str = "0: M[0] := 1\n0: M[1] == 0\n1: M[1] := 1\n1: M[0] == 1\ncheck\n";

/// Numbers of histories, of which the second is eight times the first: linear work takes at most eight times as long, and the
/// square 64 times.
const NUMBERS: [usize; 2] = [2_500, 20_000];

/// The least growth that is not linear, with room for caches that are too small and other work on the machine.
const TOO_MUCH: f64 = 20.0;

/// The processor's time of a run, in seconds.
fn seconds(arguments: &[&str]) -> f64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let used = child.wait4().unwrap();
    assert!(used.status.success(), "{arguments:?}");
    used.rusage.utime.as_secs_f64()
}

#[test]
fn work_grows_as_the_number_of_histories() {
    let folder = Folder::new();
    let files = NUMBERS.map(|number| folder.file(&format!("{number}.axe"), SMALL.repeat(number)));
    let (table, parquet) = (folder.path("t.md"), folder.path("h.parquet"));
    for before in [
        &["check", "-q", "-o", &*table][..],
        &["check", "-q", "--format", "json"],
        &["kernel", "-q"],
        &["convert", "-q", "-o", &*parquet],
    ] {
        // Other work on the machine can only make a run slower, so one good pair is enough.
        let growth = || {
            let [few, many] = files.each_ref().map(|file| seconds(&[before, &[&**file]].concat()));
            many / few.max(1e-3)
        };
        let tries: Vec<f64> = (0..3).map(|_| growth()).take_while(|it| *it >= TOO_MUCH).collect();
        assert!(tries.len() < 3, "{before:?}: {tries:?} times the time for 8 times the histories");
    }
    let read = || seconds(&["check", "-q", &parquet]) / seconds(&["check", "-q", &files[1]]);
    let tries: Vec<f64> = (0..3).map(|_| read()).take_while(|it| *it >= 5.0).collect();
    assert!(tries.len() < 3, "Parquet takes {tries:?} times the time of text");
}
