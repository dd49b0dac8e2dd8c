//! Cores of weak models, and DMA devices, on a memory that needs no gem5.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{RACY, done, json, operations, programs};
use crate::common::{Folder, error, output, output_of};

/// Cores of weak models, each with its model, a stronger model that it does not keep, and whether loads of one location may
/// overtake each other, so that some are repeated.
const WEAK: [(&str, &str, &str, bool); 5] = [
    ("rvwmo-ooo-8", "rvwmo", "tso", true),
    ("armv8-ooo-8", "armv8", "tso", true),
    ("ztso-ooo-8", "ztso", "sc", false),
    ("wmo-ooo-8", "wmo", "tso", false),
    ("rmo-ooo-8", "rmo", "tso", true),
];

#[test]
fn weak_cores_keep_their_models() {
    for (client, kept, broken, repeats) in WEAK {
        let text = programs(&[&RACY[..], &["--client", client, "--runs", "8"]].concat());
        assert_eq!(done(&["echo"], &text), text, "{client}");
        let folder = Folder::new();
        let log = folder.path("run.log");
        let printed = done(&["run", client, &log, "9"], &text);
        assert_eq!(printed != "repeated loads: 0\n", repeats, "{client}");
        output_of(&["check", "--model", kept, &log], 0);
        output_of(&["check", "--model", broken, &log], 1);
    }
}

/// If the memory tells no core of the lines that others write, two loads of one location may be reordered.
#[test]
fn weak_cores_need_to_know_of_lost_lines() {
    let options =
        ["--client", "rvwmo-ooo-8", "--operations", "150", "--locations", "2", "--think", "3"];
    let text = programs(&[&options[..], &["--runs", "4"]].concat());
    let folder = Folder::new();
    let log = folder.path("run.log");
    done(&["run", "rvwmo-ooo-8", &log, "5", "forgetful"], &text);
    output_of(&["check", "--model", "rvwmo", &log], 1);
}

/// The operations of a history by thread and index, each with the values that a program decides.
fn told(history: &Value) -> BTreeMap<(u64, u64), Vec<Value>> {
    let keys = ["kind", "address", "size", "written", "annotation", "depends"];
    let told = operations(history).iter().map(|operation| {
        let number = |key: &str| operation[key].as_u64().unwrap();
        let mut said: Vec<Value> = keys.iter().map(|key| operation[key].clone()).collect();
        // A program does not decide which value a read-modify-write finds.
        if said[0] == "silent-rmw" {
            said[0] = "rmw".into();
        }
        ((number("thread"), number("index")), said)
    });
    told.collect()
}

/// A generated program for weak cores is the one that `rubric simulate` runs, with its annotations, fences and dependencies.
#[test]
fn weak_programs_are_those_of_simulations() {
    for (client, ..) in WEAK {
        let folder = Folder::new();
        let saved = folder.path("run.json");
        let options =
            ["--client", client, "--rmws", "20", "--linked", "50", "--fences", "10", "--seed", "9"];
        output(&[&["simulate", "MI_example", "--save", &saved], &options[..]].concat());
        let text = programs(&options);
        let log = folder.path("run.log");
        done(&["run", client, &log, "1"], &text);
        let (found, wanted) = (told(&json(&log)[0]), told(&json(&saved)[0]));
        assert!(wanted.len() >= 400, "{client}");
        assert_eq!(found, wanted, "{client}");
    }
}

#[test]
fn programs_say_which_cores_they_are_for() {
    let text = programs(&["--client", "rvwmo-ooo-4"]);
    let refused = |client: &str| {
        let output = super::cores(&["run", client, "/dev/null", "1"], &text);
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refused("armv8-ooo-4").contains("but for those of rvwmo"));
    // Cores that keep a stronger model run the program too.
    let folder = Folder::new();
    let log = folder.path("run.log");
    done(&["run", "in-order", &log, "1"], &text);
    output_of(&["check", "--model", "sc", &log], 0);
    let plain = super::cores(&["run", "rvwmo-ooo-4", "/dev/null", "1"], &programs(&[]));
    let message = String::from_utf8(plain.stderr).unwrap();
    assert!(message.contains("but for those of no weak model"), "{message}");
    let message = error(&["generate", "program", "MI_example", "--client", "fast"]);
    assert!(message.contains("expected in-order"), "{message}");
}

/// Devices read and write whole words, in the order of their own programs, while cores run.
#[test]
fn devices_make_their_accesses() {
    let options = ["--dma", "2", "--operations", "100", "--locations", "4", "--per-line", "2"];
    let text = programs(&[&options[..], &["--rmws", "10", "--think", "4"]].concat());
    let mut words = 0;
    for line in text.lines() {
        let line: Vec<&str> = line.split(' ').collect();
        if let [_, "read" | "write", _, count, ..] = &line[..] {
            words += count.parse::<usize>().unwrap();
        }
    }
    for client in ["in-order", "store-buffer-4", "early-6"] {
        let folder = Folder::new();
        let log = folder.path("run.log");
        done(&["run", client, &log, "3"], &text);
        let model = if client == "store-buffer-4" { "tso" } else { "sc" };
        output_of(&["check", "--model", model, &log], 0);
        let history = &json(&log)[0];
        let of_devices = operations(history).iter().filter(|it| it["thread"].as_u64() >= Some(4));
        let (reads, writes): (Vec<_>, Vec<_>) = of_devices.partition(|it| it["kind"] == "load");
        assert_eq!(reads.len() + writes.len(), words, "{client}");
        assert!(reads.len() > 50 && writes.len() > 50, "{client}");
        assert!(writes.iter().all(|it| it["kind"] == "store"), "{client}");
    }
}
