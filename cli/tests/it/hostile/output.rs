//! Names of others in tables, and outputs that cannot be written.

use std::fs::{self, File};
use std::process::Stdio;

use super::{run_in, said};
use crate::common::{Folder, failure, output, output_of};

/// A history whose name does harm in a spreadsheet, a terminal or a page.
fn named(name: &str) -> String {
    let name = serde_json::to_string(name).unwrap();
    format!(
        "{{\"name\":{name},\"source\":\"axe\",\"sizes\":\"cells\",\"split\":false,\"initial_mode\":\"zero\",\
         \"unfinished\":[],\"notes\":[],\"initial\":[],\"operations\":[{{\"thread\":0,\"index\":0,\
         \"kind\":\"store\",\"address\":1,\"written\":1}}],\"final\":[]}}\n"
    )
}

#[test]
fn cells_of_csv_run_nothing() {
    let folder = Folder::new();
    let names = ["=1+cmd|' /C calc'!A0", "+1+1", "@SUM(A1)", "-1+1", "\t=1", "a\u{1b}[31m", "fine"];
    let file = folder.file("a.jsonl", names.map(named).concat());
    let table = folder.path("t.csv");
    let printed = output(&["check", &file, "--format", "csv", "-o", &table]);
    assert_eq!(fs::read_to_string(&table).unwrap(), printed);
    let cells: Vec<&str> =
        printed.lines().skip(1).map(|line| line.split(',').nth(2).unwrap()).collect();
    let expected =
        ["'=1+cmd|' /C calc'!A0", "'+1+1", "'@SUM(A1)", "'-1+1", "\\t=1", "a\\u{1b}[31m", "fine"];
    let mut sorted = expected.to_vec();
    sorted.sort_unstable();
    let mut found = cells.clone();
    found.sort_unstable();
    assert_eq!(found, sorted, "{printed}");
}

#[test]
fn markdown_is_no_markup_of_others() {
    let folder = Folder::new();
    let names = ["[click](http://example.org)", "`code` | next", "<script>", "a\u{1b}\nb"];
    let file = folder.file("a.jsonl", names.map(named).concat());
    let table = folder.path("t.md");
    output(&["check", &file, "-o", &table]);
    let text = fs::read_to_string(&table).unwrap();
    for expected in [r"\[click\](http", r"\`code\` \| next", "&lt;script>"] {
        assert!(text.contains(expected), "{text}");
    }
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[test]
fn no_name_reaches_the_terminal_as_it_is() {
    let folder = Folder::new();
    let file = folder.file("a.jsonl", ["a\u{1b}[2J", "b\u{7}"].map(named).concat());
    for command in ["check", "stats", "kernel", "explain"] {
        let text = output(&[command, &file]);
        assert!(!text.contains(['\u{1b}', '\u{7}']), "{command}: {text:?}");
    }
}

#[test]
fn no_message_commands_the_terminal() {
    let folder = Folder::new();
    let clear = "\u{1b}[2J\u{1b}]0;title\u{7}";
    let file = |name: &str| folder.file(name, format!("{clear}no\u{7}thing {{\n"));
    let good = folder.file("good.axe", "0: M[1] := 1\ncheck\n");
    for arguments in [
        &["check", &file("a.axe")][..],
        &["verify", &good, &file("a.cert")],
        &["litmus", &file("a.litmus")],
        &["protocol", "show", &file("a.slicc")],
        &["explore", "program", &file("a.prog")],
        &["check", &good, "--initial", &file("initial")],
        &["check", &good, "--algorithm", "deriv", "--store-order", &file("order")],
        &["check", clear],
        &["simulate", clear],
    ] {
        let message = failure(arguments);
        assert!(!message.contains("\u{1b}[2J") && !message.contains('\u{7}'), "{message:?}");
    }
}

#[test]
fn help_on_a_full_device_fails() {
    for arguments in
        [&["--help"][..], &["check", "--help"], &["--version"], &["help", "check"], &["schema"]]
    {
        let full = Stdio::from(File::create("/dev/full").unwrap());
        let (message, status) = said(&run_in(".", arguments, Stdio::null(), full));
        assert_eq!(status, Some(2), "{arguments:?}");
        assert!(message.contains("standard output cannot be written"), "{message}");
    }
}

#[test]
fn a_full_standard_error_changes_no_result() {
    let folder = Folder::new();
    let file = folder.file("a.axe", "0: M[1] := 1\n0: M[1] == 0\ncheck\n");
    for (arguments, expected) in [
        (&["check", "no-such-option", "--nothing"][..], 2),
        (&["check", "no-such-file"], 2),
        (&["explain", &file, "-o", "-", "--to", "svg"], 1),
        (&["ingest", &file, "-o", &folder.path("a.parquet")], 0),
    ] {
        let run = std::process::Command::new(env!("CARGO_BIN_EXE_rubric"))
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create("/dev/full").unwrap())
            .status();
        assert_eq!(run.unwrap().code(), Some(expected), "{arguments:?}");
    }
    output_of(&["check", &file], 1);
}
