//! Accesses that are split, because others overlap a part of them, keep the user's indices and whole values in every output.

use serde_json::Value;

use crate::common::{Folder, output, output_of};

/// A store of 8 bytes, and loads of parts of it; the second returns what was there before.
const HISTORY: &str = r#"{"operations":[
{"thread":0,"index":0,"kind":"store","address":4096,"size":8,"written":2147934924},
{"thread":0,"index":1,"kind":"load","address":4096,"size":1,"read":204},
{"thread":0,"index":2,"kind":"load","address":4096,"size":1,"read":0},
{"thread":0,"index":3,"kind":"load","address":4096,"size":4,"read":2147934924}]}"#;

fn history(folder: &Folder) -> String {
    folder.file("split.jsonl", HISTORY.replace('\n', "") + "\n")
}

#[test]
fn text_json_and_pictures_name_the_access() {
    let folder = Folder::new();
    let file = history(&folder);
    let store = "T0:0     store 0x1000 := 0x8006e2cc";
    let load = "T0:2     load 0x1000 == 0x0";
    for command in ["check", "explain", "shrink"] {
        let text = output_of(&[command, &file], 1);
        assert!(text.contains(store) && text.contains(load), "{text}");
        assert!(!text.contains("T0:4") && !text.contains("0xcc"), "{text}");
    }
    let picture = folder.path("split.svg");
    output_of(&["explain", &file, "-o", &picture], 1);
    let svg = std::fs::read_to_string(picture).unwrap();
    assert!(svg.contains("store 0x1000 := 0x8006e2cc") && svg.contains("T0:2"), "{svg}");
    let json: Value =
        serde_json::from_str(&output_of(&["check", &file, "--format", "json"], 1)).unwrap();
    let step = &json["violation"]["cycle"][0];
    assert_eq!((&step["index"], &step["address"]), (&0.into(), &4096.into()));
    assert_eq!((&step["written"], &step["part_size"]), (&2147934924_u64.into(), &1.into()));
    let json: Value =
        serde_json::from_str(&output_of(&["shrink", &file, "--format", "json"], 1)).unwrap();
    let indices = json["shrunk"]["operations"].as_array().unwrap().iter().map(|it| &it["index"]);
    assert_eq!(indices.collect::<Vec<_>>(), [&Value::from(0), &Value::from(2)]);
}

#[test]
fn certificates_name_the_access_and_conversions_keep_it() {
    let folder = Folder::new();
    let file = history(&folder);
    let proofs = folder.path("proofs");
    output_of(&["check", &file, "--certificate", &proofs], 1);
    let certificate = format!("{proofs}/split.jsonl.sc.cert");
    let text = std::fs::read_to_string(&certificate).unwrap();
    assert!(text.contains(" 0:0") && text.contains("0:2") && !text.contains("0:4"), "{text}");
    output(&["verify", &file, &certificate]);
    let (table, again) = (folder.path("split.parquet"), folder.path("again.jsonl"));
    output(&["convert", &file, "-o", &table]);
    output(&["convert", &table, "-o", &again]);
    let json: Value = serde_json::from_str(&std::fs::read_to_string(&again).unwrap()).unwrap();
    let whole: Value = serde_json::from_str(&HISTORY.replace('\n', "")).unwrap();
    let shown = |history: &Value| -> Vec<[Value; 4]> {
        let keys = ["index", "size", "read", "written"];
        let operations = history["operations"].as_array().unwrap();
        operations.iter().map(|it| keys.map(|key| it[key].clone())).collect()
    };
    assert_eq!(shown(&json), shown(&whole));
    output(&["verify", &again, &certificate]);
}

/// Conversions keep the ticks that decide verdicts of wmo and rmo.
#[test]
fn ticks_stay_in_renumbered_axe_text() {
    let folder = Folder::new();
    let operations = [
        r#"{"thread":0,"index":0,"kind":"load","address":4096,"read":0,"issued":1,"completed":2}"#,
        r#"{"thread":0,"index":1,"kind":"load","address":8192,"read":0,"issued":7,"completed":9}"#,
        r#"{"thread":0,"index":2,"kind":"load","address":4096,"read":0,"issued":11,"completed":12}"#,
        r#"{"thread":1,"index":0,"kind":"store","address":4096,"written":4294967296,"issued":1}"#,
        r#"{"thread":1,"index":1,"kind":"fence","issued":2,"completed":3}"#,
        r#"{"thread":1,"index":2,"kind":"store","address":8192,"written":4294967297,"issued":4}"#,
        r#"{"thread":2,"index":0,"kind":"load","address":8192,"read":4294967297,"issued":1,"completed":3}"#,
        r#"{"thread":2,"index":1,"kind":"load","address":4096,"read":0,"issued":5,"completed":6}"#,
    ];
    let line = format!("{{\"operations\":[{}]}}\n", operations.join(","));
    let file = folder.file("ticks.jsonl", line);
    let axe = folder.path("ticks.axe");
    output(&["convert", &file, "-o", &axe]);
    for model in ["wmo", "rmo"] {
        for file in [&file, &axe] {
            output_of(&["check", "--model", model, file], 1);
        }
    }
}

/// A crash of a trace that shows no values says which debug flags are missing.
#[test]
fn a_crash_without_operations_names_the_missing_flags() {
    let folder = Folder::new();
    let trace = folder.file(
        "crash.trace",
        "              9   0        Seq               Begin       >       [0x1000, line 0x1000] ST\n\
         \x20            11   0    L1Cache               Store     NP>IM     [0x1000, line 0x1000] \n\
         src/mem/ruby/system/Sequencer.cc:270: panic: Possible Deadlock detected. Aborting!\n \
         version: 0 request.paddr: 0x1000 m_readRequestTable: 1 current time: 250000 issue_time: 9 difference: 249991\n",
    );
    for command in ["explain", "check"] {
        let text = output_of(&[command, &trace], 1);
        assert!(text.contains("recorded without RubySequencer and RubyPort"), "{text}");
        assert!(!text.contains("was gem5 run with"), "{text}");
    }
}
