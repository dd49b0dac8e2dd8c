//! Errors about an input name the place and the next step.

use crate::common;
use std::io::Read;
use std::path::Path;

use crate::common::{Script, compressed, error, lossy, operations};
use flate2::read::MultiGzDecoder;
use ingest::{Error, Options};

const A: u64 = 0x1000;

fn script() -> Script {
    let mut script = Script::new();
    script.store(0, A, &[1]).load(1, A, &[1]).store(0, A, &[2]);
    script
}

fn bytes_error(bytes: &[u8]) -> String {
    match ingest::read(bytes, "t", &Options::default()) {
        Err(error) => error.to_string(),
        Ok(trace) => panic!("read {:?}", operations(&trace)),
    }
}

fn says(message: &str, words: &[&str]) {
    for word in words {
        assert!(message.contains(word), "`{word}` is not in: {message}");
    }
}

#[test]
fn nothing_or_no_text() {
    says(&bytes_error(b""), &["t: ", "empty", "--debug-file"]);
    says(&bytes_error(b" \n\n"), &["empty"]);
    says(&bytes_error(&compressed(b"")), &["empty"]);
    says(&bytes_error(b"\x7fELF\x02\x01\0\0\0"), &["t:1", "not text"]);
    says(&bytes_error(&[0xff, 0xfe, 0x80, 0x81, b'\n']), &["t:1", "not text"]);
    says(
        &bytes_error(b"Dear reader,\nhow are you?\n"),
        &["t:1", "`Dear reader,`", "expected a line of a gem5"],
    );
    says(
        &bytes_error(b"RISCV MP+fences\n{0:x6=x;}\n"),
        &["t: ", "a litmus test", "`rubric litmus`"],
    );
    for architecture in
        ["PPC", "ARM", "MIPS", "X86", "LISA", "C", "CPP", "Bell", "JAVA", "BPF", "ASL"]
    {
        let text = format!("\n{architecture} MP \"a description\"\n{{ 0:r2=x; }}\n");
        let named = format!("a litmus test for {architecture}, not a trace");
        says(&bytes_error(text.as_bytes()), &[&named, "RISCV", "AArch64", "X86_64"]);
    }
    says(&bytes_error(b"AArch64  MP\r\n{ }\r\n"), &["a litmus test", "`rubric litmus`"]);
}

#[test]
fn paths() {
    let read = |path: &Path| ingest::read_path(path, &Options::default()).unwrap_err();
    let missing = read(Path::new("no/such/file.trace"));
    says(&missing.to_string(), &["no/such/file.trace", "check the path"]);
    let folder = tempfile::tempdir().unwrap();
    let words = read(folder.path()).to_string();
    says(&words, &["is a directory", "it has no files", "--debug-file"]);
    std::fs::write(folder.path().join("stats.txt"), "simTicks 5\n").unwrap();
    says(&read(folder.path()).to_string(), &["none of its 1 files", "stats.txt"]);
}

#[test]
fn truncated_compressed_data() {
    let text = script().text.repeat(50);
    let whole = compressed(text.as_bytes());
    for length in [3, 12, whole.len() / 2, whole.len() - 9, whole.len() - 1] {
        let message = bytes_error(&whole[..length]);
        says(&message, &["truncated", "good up to line", "the setting lossy"]);
    }
    let half = &whole[..whole.len() / 2];
    let trace = ingest::read(half, "t", &lossy()).unwrap();
    let notes = &trace.histories[0].provenance.notes;
    assert!(notes[0].contains("good up to line"), "{notes:?}");
    assert!(trace.histories[0].operations() > 10);
}

fn unpacks_to(bytes: &[u8], text: &[u8]) -> bool {
    let mut unpacked = Vec::new();
    let result = MultiGzDecoder::new(bytes).read_to_end(&mut unpacked);
    result.is_ok() && unpacked == text
}

#[test]
fn a_flipped_bit_in_compressed_data() {
    let text = script().text.repeat(50);
    let whole = compressed(text.as_bytes());
    let mut found = 0;
    for at in (10..whole.len()).step_by(29) {
        let mut bytes = whole.clone();
        bytes[at] ^= 4;
        if unpacks_to(&bytes, text.as_bytes()) {
            // The bit did not matter.
            continue;
        }
        let message = bytes_error(&bytes);
        says(&message, &["gzip data", "good up to line", "the setting lossy"]);
        found += usize::from(ingest::read(&bytes[..], "t", &lossy()).is_ok());
    }
    assert!(found > 0);
    // The checksum comes last: everything before it was read, and is kept.
    let mut bytes = whole.clone();
    bytes[whole.len() - 6] ^= 1;
    let lines = text.lines().count();
    says(&bytes_error(&bytes), &["corrupt", &format!("line {lines}")]);
    let trace = ingest::read(&bytes[..], "t", &lossy()).unwrap();
    assert_eq!(trace.histories[0].operations(), 150);
}

#[test]
fn lines_cut_in_the_middle() {
    let script = script();
    let lines: Vec<&str> = script.text.lines().collect();
    let cuts = [
        (1, 5),
        (1, 8),
        (1, 30),
        (1, 60),
        (1, 90),
        (2, 14),
        (2, 25),
        (2, 60),
        (2, 70),
        (2, 86),
        (3, 75),
        (4, 90),
        (5, 50),
        (5, 90),
        (6, 60),
        (6, 50),
    ];
    for (number, length) in cuts {
        let mut text = String::new();
        for (at, line) in lines.iter().enumerate() {
            let cut = if at + 1 == number { &line[..length] } else { line };
            text += cut;
            text += "\n";
        }
        let found = error(&text);
        assert!(matches!(found, Error::Cut { line, .. } if line == number as u64), "{text}{found}");
        says(&found.to_string(), &["cut off", "expected", "the setting lossy"]);
        let trace = common::read(&text, &lossy()).unwrap();
        let statistics = &trace.statistics;
        assert!(statistics.skipped >= 1, "{text}");
        let notes = &trace.histories[0].provenance.notes;
        assert!(notes.iter().any(|note| note.contains("the setting lossy")), "{notes:?}");
    }
}

#[test]
fn the_last_line_without_its_end() {
    let text = script().text;
    let found = error(text.trim_end());
    let last = text.lines().count() as u64;
    assert!(matches!(found, Error::Cut { line, .. } if line == last), "{found}");
}

#[test]
fn what_a_lost_completion_may_have_written_is_not_forgotten() {
    let mut script = Script::new();
    script.store(0, A, &[1]).store(0, A + 64, &[2]).load(1, A + 64, &[2]);
    let text =
        script.text.replacen("Hit callback for WriteReq 0x1040", "Hit callback for WriteR", 1);
    // With its data line, the completion would not be missed.
    let text = text.replacen(&format!("set data {}", common::block(&[2])), "set data [", 1);
    let trace = common::read(&text, &lossy()).unwrap();
    let history = &trace.histories[0];
    assert_eq!(history.operations(), 2);
    assert!(history.provenance.unfinished.iter().any(|u| u.writes && u.address == A + 64));
}

#[test]
fn foreign_line_ends() {
    let text = script().text.replace('\n', "\r\n");
    let message = error(&text).to_string();
    says(&message, &["t:1:", "CR LF", "tr -d"]);
}

#[test]
fn long_lines() {
    let mut text = script().text;
    text += &"x".repeat(10 << 20);
    text += "\n";
    text += &Script::new().store(1, A, &[9]).text;
    let number = script().text.lines().count() + 1;
    says(&error(&text).to_string(), &[&format!("t:{number}:"), "longer than 1048576"]);
    let trace = common::read(&text, &lossy()).unwrap();
    assert_eq!(trace.histories[0].operations(), 4);
    assert_eq!(trace.statistics.skipped, 1);
    says(&bytes_error(&b"x".repeat(10 << 20)), &["t:1"]);
}

#[test]
fn a_completion_without_a_request() {
    let mut late = Script::new();
    late.tick = 5;
    late.complete((0, 0), "ReadReq", A, Some("Done"), &[("read", &[0])]);
    late.store(0, A, &[1]);
    let message = late.error().to_string();
    says(&message, &["t:3:", "without a request", "--debug-start", "the setting lossy"]);
    let trace = late.read_with(&lossy());
    assert_eq!(operations(&trace), ["0: store 0x1000 := 0x1"]);
    let ended = trace.statistics.ended.as_deref();
    assert_eq!(ended, Some("all requests answered"));
    assert_eq!(trace.statistics.unmatched, 1);
}

#[test]
fn lines_that_contradict_each_other() {
    let text = script().text;
    let other = text.replacen("Hit callback for WriteReq", "Hit callback for ReadReq", 1);
    says(&error(&other).to_string(), &["t:6:", "ReadReq", "WriteReq, requested at line 1"]);
    let other = text.replacen("set data", "read data", 1);
    says(&error(&other).to_string(), &["t:6:", "data line of kind"]);
    let short = text.replacen("0x0 ]", "]", 1);
    let message = error(&short).to_string();
    says(&message, &["t:6:", "data block (line 5) has 15 bytes"]);
    let version = text.replacen(
        "              5   0        Seq               Begin",
        "              5   7        Seq               Begin",
        1,
    );
    says(&error(&version).to_string(), &["t:20:", "version 7", "version 0"]);
    let lost = |number: usize| -> String {
        let lines = text.lines().enumerate();
        let others = lines.filter(|(at, _)| at + 1 != number);
        others.map(|(_, line)| line.to_owned() + "\n").collect()
    };
    let message = error(&lost(6)).to_string();
    says(&message, &["t:22:", "that of line 5 was not completed", "the setting lossy"]);
    // The first completion of all is missing.
    let mut script = Script::new();
    script.store(0, A, &[1]).store(0, A + 64, &[2]);
    let text = script.text.replacen("Hit callback for WriteReq 0x1000", "x", 1);
    says(&error(&text).to_string(), &["t:5:", "never completed", "the setting lossy"]);
    let message = error(&lost(15)).to_string();
    says(&message, &["t:14:", "never completed", "the setting lossy"]);
    let message = error(&lost(14)).to_string();
    says(&message, &["t:14:", "without its data line", "the setting lossy"]);
}

#[test]
fn formats_mixed_in_one_file() {
    let mixed = |text: &str| match error(text) {
        Error::Mixed { line, found, expected, .. } => (line, found, expected),
        other => panic!("{other}"),
    };
    let gem5 = script().text;
    let lines = gem5.lines().count() as u64;
    let after = |text: &str| format!("{gem5}{text}\n");
    for axe in [
        "0: M[1] := 1",
        "1: v1 == 0",
        "0: <M[0] == 0; M[0] := 1>",
        "0: sync",
        "0:M[1] := 1",
        "final M[1] == 2",
    ] {
        let expected = (lines + 1, "axe text", "a gem5 trace");
        assert_eq!(mixed(&after(axe)), expected, "{axe}");
    }
    let json = after("{\"operations\":[]}");
    assert_eq!(mixed(&json), (lines + 1, "JSON Lines", "a gem5 trace"));
    let axe = "0: M[1] := 1\n1: M[1] == 1\n";
    assert_eq!(mixed(&format!("{axe}{gem5}")), (3, "a gem5 trace", "axe text"));
    let message = error(&after("0: M[1] := 1")).to_string();
    says(&message, &["axe text", "a gem5 trace", "split"]);
}

fn without(words: &[&str]) -> String {
    let text = script().text;
    let keep = |line: &&str| !words.iter().any(|word| line.contains(word));
    text.lines().filter(keep).map(|line| line.to_owned() + "\n").collect()
}

#[test]
fn flags_that_were_not_recorded() {
    let protocol: [&str; 2] = [" Seq ", "L1Cache"];
    let sequencer = [" data [", "Issuing"];
    let port = ["Timing", "issued", "Hit callback", "Sending packet"];
    let all = "--debug-flags=ProtocolTrace,RubySequencer,RubyPort";
    let check = |words: &[&[&str]], missing: &str| {
        let message = error(&without(&words.concat())).to_string();
        says(&message, &[missing, "record again with", all]);
    };
    check(&[&protocol], "recorded without ProtocolTrace:");
    check(&[&sequencer], "recorded without RubySequencer:");
    check(&[&port], "recorded without RubyPort:");
    check(&[&sequencer, &port], "RubySequencer and RubyPort");
    check(&[&protocol, &port], "ProtocolTrace and RubyPort");
    check(&[&protocol, &sequencer], "ProtocolTrace and RubySequencer");
}

#[test]
fn traces_without_operations() {
    let all = "--debug-flags=ProtocolTrace,RubySequencer,RubyPort";
    let mut script = Script::new();
    script.raw(0, "L1Cache", "Load", ("I", "IS"), A, " ");
    says(&script.error().to_string(), &["no operations", "ProtocolTrace", all]);
    let mut script = Script::new();
    script.line("gem5 Simulator System.").line("warn: nothing happens");
    says(&script.error().to_string(), &["no operations", "without debug flags", all]);
    let mut script = Script::new();
    script.raw(0, "Coal", "Begin", ("", ""), A, " LD");
    says(&script.error().to_string(), &["GPU coalescers"]);
    let mut script = Script::new();
    script.line("     12: system.cpu0: Completing write at address 1000 (blk 1000) success");
    says(&script.error().to_string(), &["other debug flags", all]);
}

#[test]
fn stack_traces_are_refused() {
    let mut script = script();
    script.line("--- BEGIN LIBC BACKTRACE ---");
    says(&script.error().to_string(), &["FmtStackTrace"]);
}
