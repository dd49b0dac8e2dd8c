//! `rubric monitor`.

use crate::common::{Folder, TRACES, error, output, output_of, rubric};

/// Store buffering as SC runs it: T0 stores and loads, then T1.
const SB: &str = "0: M[0] := 1\n0: M[1] == 0\n1: M[1] := 1\n1: M[0] == 1\ncheck\n";

/// Message passing: T0 writes the data and then the flag.
const MP: &str = "0: M[0] := 1\n0: M[1] := 1\n1: M[1] == 1\n1: M[0] == 1\ncheck\n";

#[test]
fn store_buffering_can_leave_sc() {
    let folder = Folder::new();
    let sb = folder.file("sb.axe", SB);
    let text = output_of(&["monitor", &sb], 1);
    assert!(text.contains("tso "), "{text}");
    assert!(text.contains("1 pair of operations could leave SC"), "{text}");
    let (load, store) = (text.find("load M[0] == 1"), text.find("store M[0] := 1"));
    assert!(load.unwrap() < store.unwrap(), "{text}");
    assert!(text.contains("unless a fence follows T0:0"), "{text}");
    let fenced = folder.file(
        "fenced.axe",
        SB.replace(":= 1\n", ":= 1\n0: sync\n").replacen(
            "1: M[1] := 1\n0: sync",
            "1: M[1] := 1\n1: sync",
            1,
        ),
    );
    assert!(output(&["monitor", "--model", "tso,pso", &fenced]).contains("no pair"));
}

#[test]
fn message_passing_can_under_pso_only() {
    let folder = Folder::new();
    let mp = folder.file("mp.axe", MP);
    let text = output_of(&["monitor", "--model", "tso,pso", "--format", "json", &mp], 1);
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["model"], "tso");
    assert_eq!(lines[0]["pairs"], serde_json::json!([]));
    assert_eq!(lines[1]["pso_rmw"], "own");
    let pair = &lines[1]["pairs"][0];
    assert_eq!(pair["operation"]["thread"], 1);
    assert_eq!(pair["store"]["thread"], 0);
    assert_eq!(pair["store"]["index"], 0);
}

#[test]
fn recorded_runs() {
    let text = output_of(&["monitor", "--model", "tso,pso", TRACES[0]], 1);
    assert!(text.contains("SC by trace-order"), "{text}");
    assert!(text.contains("line "), "{text}");
    assert!(text.contains("more (--all)"), "{text}");
    let all = output_of(&["monitor", "--model", "tso,pso", "--all", TRACES[0]], 1);
    assert!(all.lines().count() > text.lines().count());
}

#[test]
fn what_is_not_sc_is_refused() {
    let message = error(&["monitor", TRACES[5]]);
    assert!(message.contains("is not SC"), "{message}");
    assert!(message.contains("the required orderings form a cycle"), "{message}");
    assert!(message.contains("line 651"), "{message}");
    // The remaining inputs are still checked.
    let folder = Folder::new();
    let sb = folder.file("sb.axe", SB);
    let assert = rubric(&["monitor", TRACES[5], &sb]).assert().code(2);
    let text = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    assert!(text.contains("1 pair"), "{text}");
}
