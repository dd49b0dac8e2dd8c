//! gem5 output folders.
#![allow(missing_docs)]

mod common;

use std::fs;
use std::path::Path;

use common::{Script, compressed, operations};
use ingest::{Error, Options};
use tempfile::TempDir;

const A: u64 = 0x1000;

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

fn read(folder: &Path) -> Result<ingest::Trace, Error> {
    ingest::read_path(folder, &Options::default())
}

const CONFIG: &str = r#"{
  "type": "Root",
  "system": {
    "ruby": {
      "type": "RubySystem",
      "block_size_bytes": 16,
      "l1_cntrl0": {
        "type": "MESI_Two_Level_L1Cache_Controller",
        "sequencer": { "type": "RubySequencer", "version": 0 }
      },
      "l1_cntrl1": { "sequencer": { "type": "RubySequencer", "version": 1 } }
    }
  }
}"#;

#[test]
fn the_trace_and_what_surrounds_it() {
    let mut script = Script::new();
    script.store(0, A, &[1]);
    let folder = folder(&[
        ("config.ini", b"[root]\ntype=Root\n"),
        ("config.json", CONFIG.as_bytes()),
        (
            "stats.txt",
            b"---------- Begin Simulation Statistics ----------\nsimTicks 5\n",
        ),
        (
            "simout",
            b"gem5 Simulator System.\n      0: system.remote_gdb: Listening\n",
        ),
        (
            "simerr",
            b"warn: x\npanic: Invalid transition\n\nMemory Usage: 12 KBytes\n",
        ),
        ("debug.out.gz", &compressed(script.text.as_bytes())),
    ]);
    let trace = read(folder.path()).unwrap();
    assert_eq!(operations(&trace), ["0: store 0x1000 := 0x1"]);
    assert!(trace.name.ends_with("debug.out.gz"), "{}", trace.name);
    let statistics = &trace.statistics;
    assert_eq!(statistics.configured_sequencers, Some(2));
    assert_eq!(statistics.protocol.as_deref(), Some("MESI_Two_Level"));
    let words = "aborted (panic: Invalid transition), all requests answered";
    assert_eq!(statistics.ended.as_deref(), Some(words));
}

#[test]
fn the_only_file_that_looks_like_a_trace() {
    let mut script = Script::new();
    script.store(0, A, &[1]);
    let folder = folder(&[
        ("stats.txt", b"simTicks 5\n"),
        ("output", script.text.as_bytes()),
        ("simout", b"      0: system.remote_gdb: Listening\n"),
    ]);
    assert_eq!(operations(&read(folder.path()).unwrap()).len(), 1);
}

#[test]
fn a_trace_on_standard_output() {
    let mut script = Script::new();
    script.line("gem5 Simulator System.").store(0, A, &[1]);
    script.line("Exiting @ tick 500 because clients done");
    let folder = folder(&[
        ("simout.txt", script.text.as_bytes()),
        ("config.json", b"{"),
    ]);
    let trace = read(folder.path()).unwrap();
    let words = "exited (clients done), all requests answered";
    assert_eq!(trace.statistics.ended.as_deref(), Some(words));
}

#[test]
fn several_traces() {
    let mut script = Script::new();
    script.store(0, A, &[1]);
    let text = script.text.as_bytes();
    let folder = folder(&[("a.trace", text), ("b.trace", text)]);
    let words = read(folder.path()).unwrap_err().to_string();
    assert!(
        words.contains("2 of its files are traces (a.trace, b.trace)"),
        "{words}"
    );
    // What to type instead, which a shell expands to these files alone.
    let all = folder.path().join("*.trace").display().to_string();
    assert!(words.ends_with(&format!("give {all}")), "{words}");
}

#[test]
fn what_to_type_instead_of_a_folder() {
    let mut script = Script::new();
    script.store(0, A, &[1]);
    let text = script.text.as_bytes();
    let advice = |files: &[(&str, &[u8])]| {
        let folder = folder(files);
        let words = read(folder.path()).unwrap_err().to_string();
        words.replace(&folder.path().display().to_string(), "DIR")
    };
    // The names need not be those of compressed files: it is the content that counts.
    let compressed = advice(&[
        ("a.trace.gz", text),
        ("b.gz", text),
        ("notes.txt", b"hello"),
    ]);
    assert!(compressed.ends_with("give DIR/*.gz"), "{compressed}");
    let mixed = advice(&[("a.trace", text), ("b.gz", text)]);
    assert!(mixed.ends_with("give their paths"), "{mixed}");
    let tests = advice(&[("a.axe", b"0: M[1] := 1"), ("b.axe", b"0: M[1] := 1")]);
    assert!(tests.ends_with("give DIR/*.axe"), "{tests}");
    let nothing = advice(&[("notes.txt", b"hello")]);
    assert!(nothing.ends_with("give the path of a trace"), "{nothing}");
}
