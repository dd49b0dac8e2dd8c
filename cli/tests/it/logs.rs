//! Logs of instructions that Spike and a testbench of two Ibex cores printed, and what is said of them.

use std::fs;
use std::io::Read;

use flate2::read::GzDecoder;

use crate::common::{Folder, error, output, output_of};

const SPIKE: &str = "fixtures/logs/spike.log.gz";
const IBEX: &str = "fixtures/logs/ibex";

fn text(path: &str) -> String {
    let path = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
    let mut text = String::new();
    GzDecoder::new(fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

/// Without the lines that announce instructions, the log shows the same operations.
#[test]
fn spike_is_sc() {
    let folder = Folder::new();
    let whole = text(SPIKE);
    let commits = whole.lines().filter(|line| line.contains(": 3 0x"));
    let commits = folder.file("commits.log", commits.collect::<Vec<_>>().join("\n"));
    for log in [SPIKE, &commits] {
        let said = output(&["check", log, "--model", "sc,tso,rvwmo"]);
        assert_eq!(said.matches("(4 threads, 2011 operations").count(), 3, "{said}");
        assert_eq!(said.matches("consistent ").count(), 3, "{said}");
        assert!(said.contains("Spike executes harts in turns"), "{said}");
    }
    // The counter that each hart increments three times.
    let wrong = whole.replace(
        "(0x1ac727af) x15 0x0000000000000000 mem 0x0000000080002094 0x00000005",
        "(0x1ac727af) x15 0x0000000000000000 mem 0x0000000080002094 0x00000004",
    );
    assert_ne!(wrong, whole);
    let wrong = folder.file("wrong.log", wrong);
    let said = output_of(&["check", &wrong], 1);
    assert!(said.contains("violation  rvwmo"), "{said}");
}

/// The store buffers of the testbench are not emptied by fences.
#[test]
fn stores_that_fences_do_not_wait_for() {
    let folder = Folder::new();
    let certificate = folder.path("certificate.json");
    let said = output_of(&["check", IBEX, "--certificate", &certificate], 1);
    assert!(said.contains("violation  rvwmo"), "{said}");
    assert!(said.contains("a fence between them orders them"), "{said}");
    assert!(output(&["verify", IBEX, &certificate]).contains("violation"));
    // One hart alone shares nothing.
    let alone = output_of(&["check", &format!("{IBEX}/trace_core_00000001.log.gz")], 3);
    assert!(alone.contains("give the folder that has the logs of all harts"), "{alone}");
    let history = folder.path("ibex.jsonl");
    output(&["convert", IBEX, "-o", &history]);
    assert!(output_of(&["check", &history], 1).contains("violation  rvwmo"));
}

#[test]
fn a_line_of_something_else_is_an_error_with_its_number() {
    let folder = Folder::new();
    let mut lines: Vec<String> = text(SPIKE).lines().map(str::to_owned).collect();
    lines.insert(100, "Hello from the program".to_owned());
    let log = folder.file("mixed.log", lines.join("\n"));
    let said = error(&["check", &log]);
    assert!(said.contains("mixed.log:101: found `Hello from the program`"), "{said}");
    assert!(said.contains("--lossy"), "{said}");
    assert!(output_of(&["check", &log, "--lossy"], 3).contains("undecided"));
}
