//! `rubric mutants`, and `--mutant` of the commands that take a protocol.

mod common;

use std::fs;

use common::{Folder, error, output, rubric};
use serde_json::Value;

const MUTANT: &str = "mesi2-l1-is-inv-no-notify";

#[test]
fn a_list_of_all_or_of_one_protocol() {
    let all = output(&["mutants", "list"]);
    let some = output(&["mutants", "list", "MESI_Two_Level"]);
    assert!(all.contains(&some), "{all}");
    assert!(some.starts_with("MESI_Two_Level\n"), "{some}");
    assert!(some.contains(MUTANT) && !some.contains("mi-l1-"), "{some}");
    let json = output(&["mutants", "list", "MI_example", "--format", "json"]);
    for line in json.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        assert_eq!(value["protocol"], "MI_example");
        assert!(value["description"].as_str().is_some(), "{line}");
    }
    let message = error(&["mutants", "list", "MI_exmaple"]);
    assert!(message.contains("there are MI_example, "), "{message}");
}

#[test]
fn a_mutant_is_shown_with_its_patch() {
    let text = output(&["mutants", "show", MUTANT]);
    assert!(
        text.starts_with(&format!("{MUTANT}, of MESI_Two_Level\n")),
        "{text}"
    );
    assert!(
        text.contains("\n--- a/MESI_Two_Level-L1cache.sm\n"),
        "{text}"
    );
    let json = output(&["mutants", "show", MUTANT, "--format", "json"]);
    let value: Value = serde_json::from_str(&json).unwrap();
    assert!(text.ends_with(value["patch"].as_str().unwrap()), "{json}");
}

#[test]
fn names_that_are_wrong() {
    for arguments in [
        &["mutants", "show", "mesi2-l1-is-inv-not-notify"][..],
        &[
            "simulate",
            "MESI_Two_Level",
            "--mutant",
            "mesi2-l1-is-inv-not-notify",
        ],
        &[
            "protocol",
            "show",
            "MESI_Two_Level",
            "--mutant",
            "mesi2-l1-is-inv-not-notify",
        ],
    ] {
        let message = error(arguments);
        assert!(
            message.contains(&format!("did you mean {MUTANT}")),
            "{message}"
        );
        assert!(message.contains("rubric mutants list"), "{message}");
    }
    for arguments in [
        &["simulate", "MI_example", "--mutant", MUTANT][..],
        &[
            "simulate",
            "fixtures/protocols/MESI_Two_Level.slicc",
            "--mutant",
            MUTANT,
        ],
        &["protocol", "check", "MI_example", "--mutant", MUTANT],
    ] {
        let message = error(arguments);
        assert!(
            message.contains("of the built-in MESI_Two_Level, not of "),
            "{message}"
        );
    }
    let message = error(&["simulate", "all", "--mutant", MUTANT]);
    assert!(
        message.contains("--mutant: a mutant is of one protocol"),
        "{message}"
    );
}

#[test]
fn tables_of_a_mutant() {
    let with = [
        "protocol",
        "show",
        "MI_example",
        "--mutant",
        "mi-l1-late-inv-missing",
    ];
    let text = output(&with);
    assert!(
        text.starts_with("protocol MI_example with mi-l1-late-inv-missing\n"),
        "{text}"
    );
    let json = output(&[&with[..], &["--format", "json"]].concat());
    let value: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["mutant"], with[4]);
    let text = output(&["protocol", "check", "MI_example", "--mutant", with[4]]);
    assert!(
        text.contains("MI_example with mi-l1-late-inv-missing: 3 machines"),
        "{text}"
    );
}

#[test]
fn a_run_of_a_mutant_says_so_and_can_be_repeated() {
    let folder = Folder::new();
    let path = folder.path("run.trace");
    let run = [
        "simulate",
        "MESI_Two_Level",
        "--mutant",
        MUTANT,
        "--client",
        "early",
    ];
    let asked = [&run[..], &["--check", "-o", &path]].concat();
    let assert = rubric(&asked).assert().code(1);
    let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(
        said.contains(&format!("MESI_Two_Level with {MUTANT}: ")),
        "{said}"
    );
    let trace = fs::read_to_string(&path).unwrap();
    let first = trace.lines().next().unwrap();
    assert!(
        first.contains(&format!("MESI_Two_Level --mutant {MUTANT} ")),
        "{first}"
    );
    assert_eq!(output(&run), trace);
    rubric(&["check", &path]).assert().code(1);
}

#[test]
fn a_series_of_a_mutant_says_so() {
    let run = [
        "simulate",
        "MESI_Two_Level",
        "--mutant",
        MUTANT,
        "--runs",
        "2",
    ];
    let text = output(&run);
    assert!(
        text.contains(&format!("\nMESI_Two_Level with {MUTANT}  in-order")),
        "{text}"
    );
    let json = output(&[&run[..], &["--format", "json"]].concat());
    let value: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["protocol"], "MESI_Two_Level");
    assert_eq!(value["mutant"], MUTANT);
    assert!(
        value["command"].as_str().unwrap().contains("--mutant"),
        "{json}"
    );
    let plain = output(&[
        "simulate",
        "MESI_Two_Level",
        "--runs",
        "1",
        "--format",
        "json",
    ]);
    let value: Value = serde_json::from_str(&plain).unwrap();
    assert_eq!(value.get("mutant"), None);
}
