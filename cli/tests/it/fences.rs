//! Weak fences, acquires and releases in the commands that read them.

use std::fs;

use crate::common::{Folder, error, output, output_of};
use serde_json::{Value, json};

/// Message passing: T0 writes the data and the flag with this fence between them, T1 reads the new flag and the old data.
fn message_passing(fence: &str) -> String {
    let access = |thread: u32, kind: &str, address: u64, value: (&str, u64)| json!({ "thread": thread, "kind": kind, "address": address, value.0: value.1 });
    let operations = [
        access(0, "store", 1, ("written", 1)),
        json!({ "thread": 0, "kind": fence, "line": 2 }),
        access(0, "store", 2, ("written", 1)),
        access(1, "load", 2, ("read", 1)),
        access(1, "load", 1, ("read", 0)),
    ];
    format!("{}\n", json!({ "name": fence, "operations": operations }))
}

/// Store buffering in which the stores are releases and the loads are these acquires.
fn store_buffering(acquire: &str) -> String {
    let operations = [
        json!({ "thread": 0, "kind": "store", "annotation": "release", "address": 1, "written": 1 }),
        json!({ "thread": 0, "kind": "load", "annotation": acquire, "address": 2, "read": 0 }),
        json!({ "thread": 1, "kind": "store", "annotation": "release", "address": 2, "written": 1 }),
        json!({ "thread": 1, "kind": "load", "annotation": acquire, "address": 1, "read": 0 }),
    ];
    format!("{}\n", json!({ "name": acquire, "operations": operations }))
}

/// The verdict of each history of a file.
fn verdicts(model: &str, file: &str, status: i32) -> Vec<String> {
    let text = output_of(&["check", "--format", "json", "--model", model, file], status);
    let verdict = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["verdict"].as_str().unwrap().to_owned()
    };
    text.lines().map(verdict).collect()
}

#[test]
fn fences_order_what_they_name() {
    let folder = Folder::new();
    let all = ["fence w,w", "fence tso", "fence r,rw", "fence w,r", "fence"];
    let file = folder.file("mp.jsonl", all.map(message_passing).concat());
    assert_eq!(verdicts("tso", &file, 1), ["violation"; 5]);
    let pso = verdicts("pso", &file, 1);
    assert_eq!(pso, ["violation", "violation", "consistent", "consistent", "violation"]);
    let unknown = folder.file("unknown.jsonl", message_passing("fence w"));
    assert!(error(&["check", &unknown]).contains("`fence w`"));
}

#[test]
fn a_release_precedes_an_rcsc_acquire_only() {
    let folder = Folder::new();
    let text = ["acquire", "acquire-pc"].map(store_buffering).concat();
    let file = folder.file("sb.jsonl", text);
    for model in ["tso", "pso"] {
        assert_eq!(verdicts(model, &file, 1), ["violation", "consistent"]);
    }
}

#[test]
fn certificates_are_verified_and_are_about_these_fences() {
    let folder = Folder::new();
    let barred = folder.file("w.json", message_passing("fence w,w"));
    let free = folder.file("r.json", message_passing("fence r,rw"));
    for (file, other, status) in [(&barred, &free, 1), (&free, &barred, 0)] {
        let certificates = Folder::new();
        let folder = certificates.path("");
        let arguments = ["check", "--model", "pso", "--certificate", &folder, file];
        output_of(&arguments, status);
        let certificate = fs::read_dir(&folder).unwrap().next().unwrap();
        let certificate = certificate.unwrap().path().display().to_string();
        let verified = output(&["verify", file, &certificate]);
        assert!(verified.starts_with("verified"), "{verified}");
        assert!(error(&["verify", other, &certificate]).contains("digest"));
    }
}

/// The operations of a file, without their lines.
fn operations(file: &str) -> Value {
    let text = output(&["convert", file, "-o", "-", "--to", "json"]);
    let mut history: Value = serde_json::from_str(&text).unwrap();
    for operation in history["operations"].as_array_mut().unwrap() {
        operation.as_object_mut().unwrap().remove("line");
    }
    history["operations"].take()
}

#[test]
fn formats_keep_them() {
    let folder = Folder::new();
    let text = message_passing("fence rw,w") + &store_buffering("acquire-pc");
    let (file, table) = (folder.file("all.jsonl", text), folder.path("all.parquet"));
    output(&["convert", &file, "-o", &table]);
    let there = output(&["convert", &file, "-o", "-", "--to", "json"]);
    assert_eq!(output(&["convert", &table, "-o", "-", "--to", "json"]), there);
    assert!(there.contains("\"annotation\":\"acquire-pc\""), "{there}");
    let fence = folder.file("fence.json", message_passing("fence rw,w"));
    let annotated = folder.file("annotated.json", store_buffering("acquire"));
    for (file, comment) in [(&fence, "#! 0: fence rw,w\n"), (&annotated, " #! acquire\n")] {
        let text = output(&["convert", file, "-o", "-", "--to", "axe"]);
        assert!(text.contains(comment), "{text}");
        let again = folder.file("again.axe", text);
        assert_eq!(operations(&again), operations(file));
    }
}

#[test]
fn what_knows_full_fences_only_says_so() {
    let folder = Folder::new();
    let file =
        folder.file("w.json", message_passing("fence w,w").replace("\"read\":0", "\"read\":1"));
    let text = output_of(&["monitor", "--model", "tso,pso", &file], 3);
    assert!(text.contains("no pair"), "{text}");
    assert!(text.contains("undecided pso"), "{text}");
    assert!(text.contains("line 2"), "{text}");
    let text = output_of(&["check", "--model", "tso", "--algorithm", "wtso", &file], 3);
    assert!(text.contains("fence w,w"), "{text}");
    assert!(text.contains("--algorithm stages"), "{text}");
}
