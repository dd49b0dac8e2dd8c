//! `rubric explore program` as a user runs it.

use crate::common::{Folder, error, output_of};
use serde_json::Value;

const STORE_BUFFERING: &str = "shared x, y;
thread P0 {
    store x = 1;
    let r = load y;
}
thread P1 {
    store y = 1;
    let r = load x;
}
";

fn explore(arguments: &[&str], status: i32) -> String {
    output_of(&[&["explore", "program"], arguments].concat(), status)
}

/// The JSON objects that a run prints, one per line.
fn json(arguments: &[&str], status: i32) -> Vec<Value> {
    let printed = explore(&[arguments, &["--format", "json"]].concat(), status);
    let lines = printed.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().unwrap()
}

#[test]
fn a_violation_is_shown_with_its_places_and_a_run() {
    let folder = Folder::new();
    let file = folder.file("sb.prog", STORE_BUFFERING);
    let printed = explore(&[&file, "--monitor", "tso", "--suggest-fences"], 1);
    for wanted in [
        "store at line 3 can be delayed past load at line 8\n",
        "line 3: store x = 1\n",
        "P0       line 3    store x = 1  <- this store\n",
        "P1       line 8    load x = 1  <- can come before it\n",
        "TSO: 2 fences, and no fewer, leave no violation",
        "after line 3: store x = 1\n",
        "after line 7: store y = 1\n",
    ] {
        assert!(printed.contains(wanted), "{wanted}: {printed}");
    }
}

#[test]
fn all_states_show_what_sc_does_not_allow() {
    let folder = Folder::new();
    let file = folder.file("sb.prog", STORE_BUFFERING);
    let printed = explore(&[&file, "--exhaustive", "sc,tso,pso"], 1);
    assert!(printed.contains("SC, all states: 3 outcomes;"), "{printed}");
    let beyond = "TSO, all states: 4 outcomes, 1 of them not under SC;";
    assert!(printed.contains(beyond), "{printed}");
    assert!(printed.contains("P0.r = 0, P1.r = 0"), "{printed}");
    let dekker = explore(&["dekker", "--exhaustive", "tso"], 1);
    assert!(dekker.contains("the assertion fails, at line"), "{dekker}");
    assert!(dekker.contains("flag[0] = 1 reaches memory"), "{dekker}");
}

#[test]
fn the_benchmarks_make_a_table() {
    let printed = explore(&["all", "--preemptions", "1,2"], 1);
    assert_eq!(printed.lines().count(), 15, "{printed}");
    for line in printed.lines().skip(1) {
        let name = line.split_whitespace().next().unwrap();
        let is_lock = ["dekker", "bakery"].contains(&name);
        assert_eq!(line.contains(" 0/"), !is_lock, "{line}");
    }
}

#[test]
fn json_says_the_same() {
    let objects = json(&["msn", "dekker", "--preemptions", "0,1", "--suggest-fences"], 1);
    assert_eq!(objects.len(), 2);
    let [msn, dekker] = &objects[..] else {
        panic!("there are two");
    };
    assert_eq!(msn["program"], "msn");
    assert_eq!(msn["searches"][0]["interleavings"], 2);
    assert_eq!(msn["searches"][1]["preemptions"], 1);
    assert_eq!(msn["fences"][0]["fences"], Value::Array(Vec::new()));
    let violation = &dekker["searches"][1]["violations"][0];
    assert_eq!(violation["model"], "tso");
    assert_eq!(violation["store"]["text"], "store flag[me] = 1");
    let run = violation["run"].as_array().unwrap();
    let delayed = violation["delayed"].as_u64().unwrap() as usize;
    assert_eq!(run[delayed]["kind"], "store");
    assert_eq!(dekker["fences"][0]["verified"], true);
}

#[test]
fn the_status_says_what_was_found() {
    explore(&["msn", "--monitor", "tso"], 0);
    explore(&["msn", "--monitor", "pso"], 1);
    let printed = explore(&["msn", "--monitor", "tso", "--max-runs", "5"], 3);
    assert!(printed.contains("--max-runs"), "{printed}");
    explore(&["ms2", "--monitor", "tso", "--exhaustive", "sc", "--max-states", "10"], 3);
    let printed = explore(&["snark", "--monitor", "tso"], 1);
    assert!(printed.contains("the assertion fails, at line"), "{printed}");
}

#[test]
fn bad_programs_are_refused_with_their_place() {
    let folder = Folder::new();
    let cases = [
        ("thread P { loop { } }", "bad.prog:1:17", "the bound of the loop"),
        ("shared x;\nthread P { let r = x; }", "bad.prog:2:20", "without `load`"),
        ("", "bad.prog", "no thread"),
        ("thread P { \u{1f600} }", "bad.prog:1:12", "expected a statement"),
    ];
    for (text, place, what) in cases {
        let file = folder.file("bad.prog", text);
        let message = error(&["explore", "program", "dekker", &file]);
        assert!(message.contains(place) && message.contains(what), "{message}");
    }
    let file = folder.file("bad.prog", [0xff, 0xfe]);
    assert!(error(&["explore", "program", &file]).contains("bad.prog"));
    assert!(error(&["explore", "program", "none.prog"]).contains("none.prog"));
}

/// If no run leaves a loop, the report says that nothing is known of what follows the loop.
#[test]
fn a_loop_that_nobody_leaves_is_said() {
    let folder = Folder::new();
    let text = "shared x; thread A { loop 3 { store x = 1; } } thread B { let r = load x; }";
    let path = folder.file("loop.prog", text);
    let text = output_of(&["explore", "program", &path], 3);
    assert!(text.contains("reached its bound"), "{text}");
}

/// The exhaustive exploration compares final states, but the monitors look at the steps of runs, so they may disagree.
#[test]
fn where_all_states_and_monitors_differ_it_is_said() {
    let folder = Folder::new();
    // The threads store and load without a fence only if each sees the other's first store, which takes a preemption.
    let rare = "shared a, b, x, y;
thread P0 { store a = 1; fence; let r = load b; let s = 2; if r { store x = 1; s = load y; } }
thread P1 { store b = 1; fence; let r = load a; let s = 2; if r { store y = 1; s = load x; } }
";
    let path = folder.file("rare.prog", rare);
    let arguments = |most| ["--preemptions", most, "--monitor", "tso", "--exhaustive", "sc,tso"];
    let few = explore(&[&[path.as_str()], &arguments("0")[..]].concat(), 1);
    assert!(few.contains("the monitors have seen no violation of TSO"), "{few}");
    let enough = explore(&[&[path.as_str()], &arguments("1")[..]].concat(), 1);
    assert!(!enough.contains("the monitors have seen"), "{enough}");
    let hidden = STORE_BUFFERING.replace("let r = load x;", "if 1 { let r = load x; }");
    let path = folder.file("hidden.prog", &hidden);
    let hidden = explore(&[&path, "--exhaustive", "sc,tso"], 1);
    assert!(hidden.contains("do not show at the end"), "{hidden}");
}
