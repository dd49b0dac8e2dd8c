//! `rubric shrink` as a user runs it.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{Folder, TRACES, error, failure, output_of, rubric};
use serde_json::Value;

const VIOLATION: &str = TRACES[5];
const CONSISTENT: &str = TRACES[4];

fn shrink(arguments: &[&str], status: i32) -> String {
    output_of(&[&["shrink"], arguments].concat(), status)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_real_violation_becomes_a_few_operations() {
    let folder = Folder::new();
    let (axe, rows, test) = (folder.path("s.axe"), folder.path("s.json"), folder.path("s.litmus"));
    let text = shrink(&[VIOLATION, "-o", &axe, "-o", &rows, "-o", &test], 1);
    assert!(text.starts_with("violation  sc"), "{text}");
    assert!(text.contains("shrunk to "), "{text}");
    assert!(text.contains("line 651"), "operations have their trace lines: {text}");
    for file in [&axe, &rows] {
        assert!(text.contains(&format!("written: {file}")), "{text}");
        let again = output_of(&["check", file], 1);
        assert!(again.starts_with("violation  sc"), "{again}");
        // Shrinking a minimal part again does not change it.
        let told = json(&shrink(&[file, "--format", "json"], 1));
        let operations = told["shrunk"]["operations"].as_array().unwrap().len();
        assert_eq!(told["operations"], operations, "{file}");
        assert!(operations < 12, "{operations}");
    }
    let test = fs::read_to_string(test).unwrap();
    assert!(test.starts_with("X86_64 ") && test.contains("~exists ("), "{test}");
}

#[test]
fn json_says_the_same() {
    let told = json(&shrink(&[VIOLATION, "--model", "sc", "--format", "json"], 1));
    assert_eq!(told["model"], "sc");
    assert_eq!(told["threads"], 3);
    let shrunk = &told["shrunk"];
    assert_eq!(shrunk["minimal"], true);
    assert!(shrunk["trials"].as_u64().unwrap() > 1);
    let first = &shrunk["operations"][0];
    assert!(first["line"].is_u64() && first["kind"].is_string(), "{first}");
    let consistent = json(&shrink(&[CONSISTENT, "--format", "json"], 0));
    assert_eq!(consistent["shrunk"], Value::Null);
}

#[test]
fn of_several_histories_the_first_violation_is_shrunk_or_the_one_that_is_named() {
    let folder = Folder::new();
    let consistent = "0: M[0] := 1\n1: M[0] == 1\ncheck\n";
    let buffering = "0: M[0] := 1\n0: M[1] == 0\n1: M[1] := 1\n1: M[0] == 0\n1: M[0] == 0\ncheck\n";
    let file = folder.file("two.axe", format!("# fine\n{consistent}# bad\n{buffering}"));
    let text = shrink(&[&file], 1);
    assert!(text.contains(": SB (store buffering)"), "{text}");
    assert!(shrink(&[&file, "--model", "tso"], 0).contains("nothing to shrink"));
    let message = error(&["shrink", &file, "--history", "none"]);
    assert!(message.contains("no history is called `none`"), "{message}");
}

#[test]
fn what_cannot_be_written_is_said() {
    let folder = Folder::new();
    let message = error(&["shrink", VIOLATION, "-o", "small.txt"]);
    assert!(message.contains(".axe"), "{message}");
    let missing = folder.path("no/such/folder/s.axe");
    let message = failure(&["shrink", VIOLATION, "-o", &missing]);
    assert!(message.contains("No such file"), "{message}");
    let bad = folder.file("bad.json", "{\"operations\": [");
    assert!(error(&["shrink", &bad]).contains("bad.json"));
}

#[test]
fn limits_leave_the_smallest_so_far() {
    let told = shrink(&[VIOLATION, "--timeout", "0"], 3);
    assert!(told.starts_with("undecided"), "{told}");
}

/// The first Ctrl-C ends the command with the result so far, if there is one. At whatever time it comes, no file is half written.
#[test]
fn an_interruption_leaves_whole_files() {
    let folder = Folder::new();
    let trace = folder.path("long.json");
    let simulate = "simulate MESI_Two_Level --client store-buffer-8 --threads 8 --operations 2000 --seed 3 --quiet --save";
    let simulate: Vec<&str> = simulate.split(' ').chain([trace.as_str()]).collect();
    output_of(&simulate, 0);
    let small = folder.path("small.json");
    for milliseconds in [0, 30, 100, 300, 1000] {
        let _ = fs::remove_file(&small);
        let mut child = Command::new(env!("CARGO_BIN_EXE_rubric"))
            .args(["shrink", &trace, "-o", &small])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        interrupt.unwrap();
        let status = child.wait().unwrap();
        let left = fs::read_dir(folder.0.path()).unwrap().count();
        if fs::exists(&small).unwrap() {
            assert_eq!((status.code(), left), (Some(1), 2));
            output_of(&["check", &small], 1);
        } else {
            // The program was interrupted before it had a result, or before it handled signals.
            assert!(status.code().is_none_or(|code| code == 130) && left == 1, "{status}");
        }
    }
}

#[test]
fn a_format_without_words_does_not_lose_what_was_found() {
    let folder = Folder::new();
    let linked = r#"{"operations":[{"thread":0,"index":0,"kind":"load-linked","address":1,"read":0},{"thread":1,"index":0,"kind":"store","address":1,"written":5},{"thread":1,"index":1,"kind":"load","address":2,"read":7},{"thread":0,"index":1,"kind":"store-conditional","address":1,"written":6},{"thread":0,"index":2,"kind":"store","address":2,"written":7},{"thread":1,"index":2,"kind":"load","address":1,"read":6},{"thread":1,"index":3,"kind":"load","address":1,"read":5}]}"#;
    let file = folder.file("linked.json", linked);
    let paths = ["part.litmus", "part.axe", "part.json"].map(|name| folder.path(name));
    let outputs = ["--arch", "x86", "-o", &paths[0], "-o", &paths[1], "-o", &paths[2]];
    let assert = rubric(&[&["shrink", &file], &outputs[..]].concat()).assert();
    let text = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    assert!(text.starts_with("violation  sc"), "{text}");
    let written = |path: &String| text.contains(&format!("written: {path}"));
    let is_linked = text.contains("load-linked");
    assert_eq!(paths.each_ref().map(written), [!is_linked, true, true], "{text}");
    let _ = assert.code(if is_linked { 2 } else { 1 });
}

#[test]
fn an_end_that_nobody_made_is_said() {
    let folder = Folder::new();
    for (text, why) in [
        ("0: M[1] := 1\nfinal M[1] == 0\n", "it held that at the start, and was written since"),
        ("0: M[1] := 1\nfinal M[1] == 7\n", "nobody wrote it there"),
    ] {
        let file = folder.file("end.axe", text);
        let said = shrink(&[&file, "-o", &folder.path("part.axe")], 1);
        assert!(said.contains(why) && said.contains("(line 2)"), "{said}");
        assert!(said.contains("no file is written"), "{said}");
    }
}

#[test]
fn the_history_is_not_written_over() {
    let folder = Folder::new();
    let file = folder.file("in.axe", "0: M[1] := 1\n0: M[1] == 0\ncheck\n");
    for arguments in
        [&["shrink", &file, "-o", &file][..], &["explain", &file, "-o", &file, "--to", "svg"]]
    {
        let message = error(arguments);
        assert!(message.contains("also an input"), "{message}");
    }
}
