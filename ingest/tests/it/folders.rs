//! gem5 output folders.

use std::fs;
use std::path::Path;

use crate::common::{Script, compressed, operations};
use history::CrashKind;
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
        ("stats.txt", b"---------- Begin Simulation Statistics ----------\nsimTicks 5\n"),
        ("simout", b"gem5 Simulator System.\n      0: system.remote_gdb: Listening\n"),
        ("simerr", b"warn: x\npanic: Invalid transition\n\nMemory Usage: 12 KBytes\n"),
        ("debug.out.gz", &compressed(script.text.as_bytes())),
    ]);
    let trace = read(folder.path()).unwrap();
    assert_eq!(operations(&trace), ["0: store 0x1000 := 0x1"]);
    assert!(trace.name.ends_with("debug.out.gz"), "{}", trace.name);
    let statistics = &trace.statistics;
    assert_eq!(statistics.configured_sequencers, Some(2));
    assert_eq!(statistics.protocol.as_deref(), Some("MESI_Two_Level"));
    let words = "crashed (invalid transition: Invalid transition), all requests answered";
    assert_eq!(statistics.ended.as_deref(), Some(words));
}

/// gem5's message on standard error when a controller meets an event for which it has no transition.
const PANIC: &str = "warn: x
build/NULL/mem/ruby/protocol/L1Cache_Transitions.cc:1261: panic: Invalid transition
system.ruby.l1_cntrl0 time: 4 addr: 0x1000 event: Inv state: M
Memory Usage: 450140 KBytes
Program aborted at tick 4
--- BEGIN LIBC BACKTRACE ---
build/NULL/gem5.opt(+0x12)[0x34]
--- END LIBC BACKTRACE ---
";

#[test]
fn the_message_of_a_crash_in_each_file_that_may_have_it() {
    let mut script = Script::new();
    script.store(0, A, &[1]);
    let trace = script.text.clone();
    let packed = compressed(PANIC.as_bytes());
    let files: [(&str, &[u8]); 6] = [
        ("simerr", PANIC.as_bytes()),
        ("simerr.txt", PANIC.as_bytes()),
        ("simout.txt", PANIC.as_bytes()),
        ("simerr.gz", &packed),
        ("stderr.log", PANIC.as_bytes()),
        ("gem5.err", PANIC.as_bytes()),
    ];
    for (name, content) in files {
        let folder = folder(&[("a.trace", trace.as_bytes()), (name, content)]);
        let read = read(folder.path()).unwrap();
        let crash = read.histories[0].provenance.crash.as_ref().expect(name);
        assert_eq!(crash.kind, CrashKind::InvalidTransition, "{name}");
        assert_eq!(crash.controller().as_deref(), Some("L1Cache 0"), "{name}");
        let found = crash.found.as_ref().unwrap();
        assert!(found.file.ends_with(name), "{name}: {found}");
        assert_eq!(found.line, 2, "{name}");
        assert_eq!(read.ending.cache_line, Some(A), "{name}");
    }
}

#[test]
fn gem5_does_not_finish_a_compressed_trace_when_it_crashes() {
    let mut script = Script::new();
    for value in 1..200 {
        script.store(0, A, &[value]);
    }
    let whole = compressed(script.text.as_bytes());
    let cut = &whole[..whole.len() - 40];
    let truncated = folder(&[("a.trace.gz", cut)]);
    let error = read(truncated.path()).unwrap_err().to_string();
    assert!(error.contains("truncated"), "{error}");
    let crashed = folder(&[("a.trace.gz", cut), ("simerr", PANIC.as_bytes())]);
    let trace = read(crashed.path()).unwrap();
    assert!(trace.histories[0].operations() > 0);
    let notes = &trace.histories[0].provenance.notes;
    assert!(notes[0].contains("end too early"), "{notes:?}");
}

#[test]
fn a_crash_before_any_trace() {
    let fatal =
        "gem5 Simulator System.\nsrc/a.cc:3: fatal: Can't load it\nMemory Usage: 3 KBytes\n";
    let folder = folder(&[("config.ini", b"[root]\n"), ("simerr", fatal.as_bytes())]);
    let trace = read(folder.path()).unwrap();
    let provenance = &trace.histories[0].provenance;
    assert_eq!(trace.histories[0].operations(), 0);
    assert_eq!(provenance.crash.as_ref().unwrap().kind, CrashKind::Fatal);
    assert!(provenance.notes[0].starts_with("no operations: "), "{:?}", provenance.notes);
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
    let folder = folder(&[("simout.txt", script.text.as_bytes()), ("config.json", b"{")]);
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
    assert!(words.contains("2 of its files are traces (a.trace, b.trace)"), "{words}");
    // The advice is a pattern that a shell expands to these files alone.
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
    // The content decides whether a file is compressed, not its name.
    let compressed = advice(&[("a.trace.gz", text), ("b.trace.gz", text), ("notes.txt", b"hello")]);
    assert!(compressed.ends_with("give DIR/*.gz"), "{compressed}");
    let mixed = advice(&[("a.trace", text), ("b.trace.gz", text)]);
    assert!(mixed.ends_with("give their paths"), "{mixed}");
    let tests = advice(&[("a.axe", b"0: M[1] := 1"), ("b.axe", b"0: M[1] := 1")]);
    assert!(tests.ends_with("give DIR/*.axe"), "{tests}");
    let nothing = advice(&[("notes.txt", b"hello")]);
    assert!(nothing.ends_with("give the path of a trace"), "{nothing}");
}

#[test]
fn gem5_does_not_finish_the_last_line_when_it_crashes() {
    let mut script = Script::new();
    script.store(0, A, &[1]);
    script.line("    999: system.ruby.l1_cntrl0.sequencer: set data [ 0x1 0x");
    let cut = script.text.trim_end().as_bytes();
    let alone = folder(&[("a.trace", cut)]);
    assert!(read(alone.path()).is_err());
    let crashed = folder(&[("a.trace", cut), ("simerr", PANIC.as_bytes())]);
    let trace = read(crashed.path()).unwrap();
    assert_eq!(operations(&trace), ["0: store 0x1000 := 0x1"]);
}

/// A run of the plug-in leaves a log of operations; the output of gem5 beside it is no trace.
#[test]
fn a_log_of_the_plug_in_is_the_trace_of_its_folder() {
    let mut log = ingest::tester::MAGIC.to_vec();
    log.extend(b"\x01\x00\x01\x40\x02up\x08in-order");
    log.extend(b"\x11\x00\x00\x05\x80\x20\x08\x07\x20\x00\x00\x09\x02\x01\x00");
    let of_run = folder(&[("rubric.log", &log), ("stats.txt", b"simTicks 43490\n")]);
    let trace = read(of_run.path()).unwrap();
    assert_eq!(trace.format.name(), "tester");
    assert_eq!(trace.histories[0].len(), 1);
    let several = folder(&[("a.log", &log), ("b.log", &log)]);
    let error = read(several.path()).unwrap_err().to_string();
    assert!(error.contains("2 of its files are traces (a.log, b.log)"), "{error}");
}

/// The hart of a log is known by the name of its file, so files of other names are refused with the names that were expected.
#[test]
fn logs_of_harts_with_other_names() {
    const IBEX: &[u8] =
        b"Time\tCycle\tPC\tInsn\tDecoded instruction\tRegister and memory contents\n\
          20\t5\t00100084\t00a12023\tsw\tx10,0(x2)\t x2:0x00100400 x10:0x00000001 PA:0x00100400 store:0x00000001\n";
    let said = |names: [&str; 2]| {
        let folder = folder(&names.map(|name| (name, IBEX)));
        read(folder.path()).unwrap_err().to_string()
    };
    let message = said(["core0.log", "core1.log"]);
    assert!(message.contains("its files (core0.log, core1.log)"), "{message}");
    let expected =
        "name them trace_core_00000000.log, trace_core_00000001.log … (a log of Ibex's tracer)";
    assert!(message.ends_with(expected), "{message}");
    // Of a folder with nothing known, all formats with a file for each hart are named.
    let message = read(folder(&[("notes.txt", b"x\n")]).path()).unwrap_err().to_string();
    for name in
        ["trace_core_00000000.log", "trace_rvfi_hart_00.dasm", "named *trace* or debug.out*"]
    {
        assert!(message.contains(name), "{message}");
    }
}
