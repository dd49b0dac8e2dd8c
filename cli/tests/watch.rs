//! `rubric watch` as a user runs it.

mod common;

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use common::{Folder, TRACES, error, output_of, rubric};
use flate2::read::GzDecoder;
use serde_json::Value;

const VIOLATION: &str = TRACES[5];

fn watch(arguments: &[&str], status: i32) -> String {
    output_of(&[&["watch"], arguments].concat(), status)
}

fn json(arguments: &[&str], status: i32) -> Value {
    let printed = watch(&[arguments, &["--format", "json"]].concat(), status);
    serde_json::from_str(&printed).unwrap()
}

/// The text of a compressed trace.
fn text_of(trace: &str) -> String {
    let path = format!("{}/../{trace}", env!("CARGO_MANIFEST_DIR"));
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    text
}

#[test]
fn recorded_traces_have_the_verdicts_of_check() {
    for trace in TRACES {
        for model in ["sc", "tso", "pso"] {
            let checked = rubric(&["check", "--model", model, trace]).assert();
            let status = checked.get_output().status.code().unwrap();
            let told = json(&[trace, "--model", model], status);
            let word = if status == 0 {
                "consistent"
            } else {
                "violation"
            };
            assert_eq!(told["verdict"], word, "{trace}, {model}: {told}");
        }
    }
}

#[test]
fn it_stops_at_the_first_operation_that_is_too_much() {
    let told = json(&[VIOLATION], 1);
    let (needed, line) = (
        told["operations"].as_u64().unwrap(),
        told["line"].as_u64().unwrap(),
    );
    assert!(needed < 180, "{told}");
    // Up to the line before there is nothing wrong; with it there is.
    let text = text_of(VIOLATION);
    let folder = Folder::new();
    let upto = |lines: usize| {
        let part: Vec<&str> = text.lines().take(lines).collect();
        folder.file("part.trace", part.join("\n") + "\n")
    };
    // A store's data line comes before the line that completes it.
    output_of(&["check", &upto(line as usize - 1)], 0);
    output_of(&["check", &upto(line as usize + 1)], 1);
    let printed = watch(&[VIOLATION], 1);
    assert!(printed.contains("must come before"), "{printed}");
    assert!(
        printed.contains("memory order would have a cycle"),
        "{printed}"
    );
}

#[test]
fn it_ends_while_the_trace_still_grows() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(["watch", "--quiet"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(text_of(VIOLATION).as_bytes()).unwrap();
    pipe.flush().unwrap();
    // The pipe stays open.
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(1));
    drop(pipe);
}

#[test]
fn memory_does_not_grow_with_the_run() {
    let folder = Folder::new();
    let trace = folder.path("long.trace");
    let simulate = "simulate MI_example --threads 4 --ops 10000 --seed 2 --quiet -o";
    let simulate: Vec<&str> = simulate.split(' ').chain([trace.as_str()]).collect();
    output_of(&simulate, 0);
    for model in ["sc", "tso"] {
        let told = json(&[&trace, "--model", model], 0);
        assert_eq!(told["operations"], 40_000);
        let remembered = told["remembered"].as_u64().unwrap();
        assert!(remembered < 16_000, "{model}: {remembered}");
    }
}

#[test]
fn where_loads_complete_late_a_run_is_found_all_the_same() {
    let folder = Folder::new();
    let trace = folder.path("late.trace");
    // A cache of this protocol may answer a load with a line that somebody has taken meanwhile.
    let simulate = "simulate MESI_Two_Level --threads 12 --ops 1500 --seed 5 --quiet -o";
    let simulate: Vec<&str> = simulate.split(' ').chain([trace.as_str()]).collect();
    output_of(&simulate, 0);
    let alone = output_of(&["check", "--algorithm", "temporal", &trace], 3);
    assert!(alone.contains("undecided"), "{alone}");
    let told = json(&[&trace], 0);
    assert_eq!(told["operations"], 18_000);
    assert!(told["remembered"].as_u64().unwrap() < 18_000, "{told}");
}

#[test]
fn a_thread_that_does_nothing_keeps_the_window_open() {
    let folder = Folder::new();
    let mut text = String::from("1: system.client: T9 op 0 load 0x80 0x0\n");
    for number in 0..60_000 {
        text += &format!(
            "{}: system.client: T0 op {number} load 0x40 0x0\n",
            number + 2
        );
    }
    let file = folder.file("idle.trace", text);
    let printed = watch(&[&file, "--max-memory", "24MiB"], 3);
    assert!(
        printed.contains("thread 9 has done nothing for long"),
        "{printed}"
    );
}

#[test]
fn what_cannot_be_watched_is_said() {
    let folder = Folder::new();
    let axe = folder.file("t.axe", "0: M[0] := 1\ncheck\n");
    assert!(error(&["watch", &axe]).contains("rubric check"));
    let message = error(&["watch", VIOLATION, "--initial", "infer"]);
    assert!(message.contains("rubric check"), "{message}");
    // Memory does not change where a read-modify-write writes what it reads.
    let same =
        "1: system.client: T0 op 0 rmw 0x40 0x0 0x1\n2: system.client: T0 op 1 rmw 0x40 0x1 0x1\n";
    rubric(&["watch", &folder.file("same.trace", same)])
        .assert()
        .code(0);
    let twice = "1: system.client: T0 op 0 rmw 0x40 0x0 0x1\n2: system.client: T0 op 1 rmw 0x40 0x1 0x2\n3: system.client: T1 op 0 rmw 0x40 0x2 0x1\n";
    let message = error(&["watch", &folder.file("twice.trace", twice)]);
    assert!(message.contains("unique values"), "{message}");
    assert!(error(&["watch", "none.trace"]).contains("none.trace"));
    let empty = folder.file("empty.trace", "");
    assert!(error(&["watch", &empty]).contains("no operation"));
}

#[test]
fn operations_are_called_what_check_calls_them() {
    let printed = watch(&[VIOLATION], 1);
    let checked = output_of(&["check", VIOLATION], 1);
    // T2:8, and the line of the trace that shows it: in the headline, the cycle and the reasons.
    let named = |text: &str| -> Vec<(String, String)> {
        let operations = text.lines().filter_map(|line| {
            let line = line.trim_start();
            let name = line.split_whitespace().next()?;
            let (_, number) = line.split_once("  line ")?;
            let is_name = name.starts_with('T') && name.contains(':');
            is_name.then(|| {
                (
                    name.to_owned(),
                    number.split_whitespace().next().unwrap().to_owned(),
                )
            })
        });
        operations.collect()
    };
    let known = named(&checked);
    let told = named(&printed);
    assert!(told.len() > 3, "{printed}");
    for (name, line) in &told {
        let same = known.iter().find(|it| it.1 == *line);
        assert!(
            same.is_none_or(|it| it.0 == *name),
            "{name} of line {line}:\n{printed}\n{checked}"
        );
    }
    assert!(
        told.iter().any(|it| known.contains(it)),
        "{printed}\n{checked}"
    );
    // What showed it is the last operation that was taken.
    let last = json(&[VIOLATION], 1)["line"].as_u64().unwrap();
    assert!(
        told.iter().all(|it| it.1.parse::<u64>().unwrap() <= last),
        "{printed}"
    );
}
