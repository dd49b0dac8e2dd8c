//! `rubric mutants`, and `--mutant` of the commands that take a protocol.

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::common::{Folder, error, output, rubric};
use serde_json::Value;

const MUTANT: &str = "mesi2-l1-is-inv-no-notify";

#[test]
fn a_list_of_all_or_of_one_protocol() {
    let all = output(&["mutants", "list"]);
    let some = output(&["mutants", "list", "MESI_Two_Level"]);
    let (named, made) = some.split_once("\n  swap-actions (").unwrap();
    assert!(all.contains(named), "{all}");
    assert!(named.starts_with("MESI_Two_Level\n"), "{named}");
    assert!(named.contains(MUTANT) && !named.contains("mi-l1-"), "{named}");
    assert!(named.contains("mesi2-l1-sm-inv-no-notify, mesi-lq-sm-inv\n"), "{named}");
    assert!(made.contains("\n    MESI_Two_Level/L1Cache/IS.Inv/"), "{made}");
    let json = output(&["mutants", "list", "MI_example", "--format", "json"]);
    let mut made = 0;
    for line in json.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        assert_eq!(value["protocol"], "MI_example");
        assert!(value["description"].as_str().is_some(), "{line}");
        if let Some(operator) = value["operator"].as_str() {
            made += 1;
            let name = value["name"].as_str().unwrap();
            assert!(name.contains(&format!("/{operator}")), "{line}");
        }
    }
    assert!(made > 1000);
    let message = error(&["mutants", "list", "MI_exmaple"]);
    assert!(message.contains("there is no such file"), "{message}");
}

#[test]
fn operators_choose_what_is_listed() {
    let asked = ["mutants", "list", "MI_example", "--operator", "no-notify,drop-transition"];
    let text = output(&asked);
    assert!(text.starts_with("MI_example\n  drop-transition ("), "{text}");
    assert!(text.contains("\n  no-notify ("), "{text}");
    assert!(!text.contains("swap-actions"), "{text}");
    let operators = output(&["mutants", "operators"]);
    assert!(operators.contains("drop-transition\n    "), "{operators}");
    let message = error(&["mutants", "list", "--operator", "no-notify"]);
    assert!(message.contains("<PROTOCOL>"), "{message}");
}

/// An id is shown with a diff that `patch` applies to a user's own files.
#[test]
fn what_an_operator_makes_fits_the_users_own_files() {
    let folder = Folder::new();
    let files = [
        "MI_example.slicc",
        "MI_example-msg.sm",
        "MI_example-cache.sm",
        "MI_example-dir.sm",
        "MI_example-dma.sm",
    ];
    for file in files {
        let text = fs::read_to_string(Path::new("../fixtures/protocols").join(file)).unwrap();
        // The files are now those of another protocol than the built-in one.
        folder.file(file, text.replace("protocol \"MI_example\"", "protocol \"Mine\""));
    }
    let path = folder.path("MI_example.slicc");
    let id = "Mine/L1Cache/IM.Data/swap-actions:fill_entry+write_miss_done";
    assert!(output(&["mutants", "list", &path, "--operator", "swap-actions"]).contains(id));
    let json = output(&["mutants", "show", id, "--protocol", &path, "--format", "json"]);
    let value: Value = serde_json::from_str(&json).unwrap();
    let patch = folder.file("patch", value["patch"].as_str().unwrap());
    let ways =
        ["simulate", &path, "--client", "in-order", "--per-line", "4", "--runs", "20", "--check"];
    let run = rubric(&[&ways[..], &["--mutant", id, "--format", "json"]].concat()).assert().code(1);
    let mutated = run.get_output().stdout.clone();
    rubric(&ways).assert().code(0);
    let status = std::process::Command::new("patch")
        .args(["-p1", "--quiet", "-i", &patch])
        .current_dir(folder.0.path())
        .status();
    let Ok(status) = status else {
        // `println!` would be shown only for failed tests, and `.ci/run` counts these lines.
        std::io::stdout().write_all(b"skipped: there is no program `patch` here\n").unwrap();
        return;
    };
    assert!(status.success());
    let patched = rubric(&[&ways[..], &["--format", "json"]].concat()).assert().code(1);
    let verdicts = |text: &[u8]| serde_json::from_slice::<Value>(text).unwrap()["verdicts"].clone();
    assert_eq!(verdicts(&patched.get_output().stdout), verdicts(&mutated));
}

#[test]
fn a_mutant_is_shown_with_its_patch() {
    let text = output(&["mutants", "show", MUTANT]);
    assert!(text.starts_with(&format!("{MUTANT}, of MESI_Two_Level\n")), "{text}");
    assert!(text.contains("\n--- a/MESI_Two_Level-L1cache.sm\n"), "{text}");
    let json = output(&["mutants", "show", MUTANT, "--format", "json"]);
    let value: Value = serde_json::from_str(&json).unwrap();
    assert!(text.ends_with(value["patch"].as_str().unwrap()), "{json}");
}

#[test]
fn names_that_are_wrong() {
    for arguments in [
        &["mutants", "show", "mesi2-l1-is-inv-not-notify"][..],
        &["simulate", "MESI_Two_Level", "--mutant", "mesi2-l1-is-inv-not-notify"],
        &["protocol", "show", "MESI_Two_Level", "--mutant", "mesi2-l1-is-inv-not-notify"],
    ] {
        let message = error(arguments);
        assert!(message.contains(&format!("did you mean {MUTANT}")), "{message}");
        assert!(message.contains("rubric mutants list"), "{message}");
    }
    for arguments in [
        &["simulate", "MI_example", "--mutant", MUTANT][..],
        &["protocol", "check", "MI_example", "--mutant", MUTANT],
    ] {
        let message = error(arguments);
        assert!(
            message
                .contains("a mutant of MESI_Two_Level, and MI_example is the protocol MI_example"),
            "{message}"
        );
    }
    let message = error(&["simulate", "all", "--mutant", MUTANT]);
    assert!(message.contains("--mutant: a mutant is of one protocol"), "{message}");
}

#[test]
fn tables_of_a_mutant() {
    let with = ["protocol", "show", "MI_example", "--mutant", "mi-l1-late-inv-missing"];
    let text = output(&with);
    assert!(text.starts_with("protocol MI_example with mi-l1-late-inv-missing\n"), "{text}");
    let json = output(&[&with[..], &["--format", "json"]].concat());
    let value: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["mutant"], with[4]);
    let text = output(&["protocol", "check", "MI_example", "--mutant", with[4]]);
    assert!(text.contains("MI_example with mi-l1-late-inv-missing: 3 machines"), "{text}");
}

#[test]
fn a_run_of_a_mutant_says_so_and_can_be_repeated() {
    let folder = Folder::new();
    let path = folder.path("run.trace");
    let run = ["simulate", "MESI_Two_Level", "--mutant", MUTANT, "--client", "early"];
    let asked = [&run[..], &["--check", "-o", &path]].concat();
    let assert = rubric(&asked).assert().code(1);
    let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(said.contains(&format!("MESI_Two_Level with {MUTANT}: ")), "{said}");
    let trace = fs::read_to_string(&path).unwrap();
    let first = trace.lines().next().unwrap();
    assert!(first.contains(&format!("MESI_Two_Level --mutant {MUTANT} ")), "{first}");
    assert_eq!(output(&run), trace);
    rubric(&["check", &path]).assert().code(1);
}

#[test]
fn a_series_of_a_mutant_says_so() {
    let run = ["simulate", "MESI_Two_Level", "--mutant", MUTANT, "--runs", "2"];
    let text = output(&run);
    assert!(text.contains(&format!("\nMESI_Two_Level with {MUTANT}  in-order")), "{text}");
    let json = output(&[&run[..], &["--format", "json"]].concat());
    let value: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["protocol"], "MESI_Two_Level");
    assert_eq!(value["mutant"], MUTANT);
    assert!(value["command"].as_str().unwrap().contains("--mutant"), "{json}");
    let plain = output(&["simulate", "MESI_Two_Level", "--runs", "1", "--format", "json"]);
    let value: Value = serde_json::from_str(&plain).unwrap();
    assert_eq!(value.get("mutant"), None);
}

/// The files of a built-in protocol in a folder, with an action renamed.
fn users_files(folder: &Folder, name: &str, files: &[&str]) -> String {
    for file in files {
        let text = fs::read_to_string(Path::new("../fixtures/protocols").join(file)).unwrap();
        folder.file(file, text.replace("tell_core_of_loss", "my_report"));
    }
    folder.path(&format!("{name}.slicc"))
}

const MI_FILES: [&str; 5] = [
    "MI_example.slicc",
    "MI_example-msg.sm",
    "MI_example-cache.sm",
    "MI_example-dir.sm",
    "MI_example-dma.sm",
];

const FAULT: &str = "mi-l1-replace-no-notify";

/// Every command finds a named mutant in the user's own files.
#[test]
fn named_mutants_apply_to_the_users_own_files() {
    let folder = Folder::new();
    let path = users_files(&folder, "MI_example", &MI_FILES);
    let list = output(&["mutants", "list", &path]);
    let (named, _) = list.split_once("\n  swap-actions (").unwrap();
    assert_eq!(named.matches("\n      applies").count(), 15, "{named}");

    let text = output(&["mutants", "show", FAULT, "--protocol", &path]);
    assert!(text.contains("\n--- a/MI_example-cache.sm\n"), "{text}");
    assert!(text.contains("my_report"), "{text}");
    assert!(text.contains(&format!("--mutant {FAULT}")), "{text}");
    let checked = ["simulate", &path, "--client", "early-8", "--check"];
    rubric(&checked).assert().code(0);
    rubric(&[&checked[..], &["--mutant", FAULT]].concat()).assert().code(1);
    output(&["explore", "protocol", &path, "--mutant", FAULT]);
    let campaign = folder.path("campaign");
    let told = output(&[
        "campaign",
        &path,
        "--mutants",
        FAULT,
        "--client",
        "early-8",
        "--runs",
        "20",
        "-q",
        "-o",
        &campaign,
    ]);
    assert!(told.contains("1 found"), "{told}");
}

/// A mutant that the protocol already has, or that fits nowhere, is reported with its place.
#[test]
fn named_mutants_that_do_not_apply_say_why() {
    let folder = Folder::new();
    let path = users_files(&folder, "MI_example", &MI_FILES);
    let cache = folder.path("MI_example-cache.sm");
    let text = fs::read_to_string(&cache).unwrap();
    let dropped = text.replace("put_block, my_report, ", "put_block, ");
    fs::write(&cache, &dropped).unwrap();
    let list = output(&["mutants", "list", &path]);
    assert!(list.contains("this protocol has it already: in L1Cache"), "{list}");
    let json = output(&["mutants", "list", &path, "--format", "json"]);
    let values = json.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let values: Vec<Value> = values.collect();
    let found = values.iter().find(|one| one["name"] == FAULT).unwrap();
    assert_eq!(found["applies"], false);
    assert!(found["reason"].as_str().unwrap().contains("already"), "{found}");
    for arguments in [
        &["mutants", "show", FAULT, "--protocol", &path][..],
        &["simulate", &path, "--mutant", FAULT],
    ] {
        let message = error(arguments);
        assert!(message.contains("has it already"), "{message}");
    }

    let twice = text.replace("put_block, my_report, ", "put_block, my_report, my_report, ");
    fs::write(&cache, twice).unwrap();
    let message = error(&["simulate", &path, "--mutant", FAULT]);
    assert!(message.contains("2 places fit, and one must"), "{message}");
    assert!(
        message.contains("action my_report (") && message.contains("MI_example-cache.sm:"),
        "{message}"
    );
}

/// Every example of the commands' help runs.
#[test]
fn examples_of_the_help_run() {
    let folder = Folder::new();
    let path = users_files(&folder, "MI_example", &MI_FILES);
    let mut ran = 0;
    for help in [
        &["mutants", "--help"][..],
        &["mutants", "list", "--help"],
        &["mutants", "show", "--help"],
        &["mutants", "operators", "--help"],
    ] {
        for line in output(help).lines() {
            let Some(example) = line.trim_start().strip_prefix("rubric mutants ") else {
                continue;
            };
            let example = example
                .replace("path/to/MI_example.slicc", &path)
                .replace("path/to/My_protocol.slicc", &path);
            let words: Vec<&str> = std::iter::once("mutants").chain(example.split(' ')).collect();
            output(&words);
            ran += 1;
        }
    }
    assert!(ran >= 10, "{ran}");
}
