//! `rubric watch` as a user runs it.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use crate::common::{Folder, TRACES, error, output_of, rubric};
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
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

/// The exit status of `rubric watch` while the pipe with the text is still open.
fn status_while_open(text: &str) -> Option<i32> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(["watch", "--quiet"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // The program may end before it has read everything, which breaks the pipe; the status then says whether it succeeded.
    let written = pipe.write_all(text.as_bytes()).and_then(|()| pipe.flush());
    let status = child.wait().unwrap();
    assert!(written.is_ok() || status.code() == Some(1), "{written:?}");
    drop(pipe);
    status.code()
}

#[test]
fn recorded_traces_have_the_verdicts_of_check() {
    for trace in TRACES {
        for model in ["sc", "tso", "pso"] {
            let checked = rubric(&["check", "--model", model, trace]).assert();
            let status = checked.get_output().status.code().unwrap();
            let told = json(&[trace, "--model", model], status);
            let word = if status == 0 { "consistent" } else { "violation" };
            assert_eq!(told["verdict"], word, "{trace}, {model}: {told}");
        }
    }
}

#[test]
fn json_has_the_verdicts_of_the_trace_that_it_was_made_of() {
    let folder = Folder::new();
    for trace in TRACES {
        let converted = folder.path("trace.json");
        output_of(&["convert", trace, &converted, "--quiet"], 0);
        for model in ["sc", "tso", "pso"] {
            let checked = rubric(&["check", "--model", model, trace]).assert();
            let status = checked.get_output().status.code().unwrap();
            watch(&[&converted, "--model", model], status);
        }
    }
    let axe = "0: M[1] := 1\n0: M[2] == 0\n1: M[2] := 1\n1: M[1] == 0\n";
    let converted = folder.path("sb.json");
    output_of(&["convert", &folder.file("sb.axe", axe), &converted], 0);
    let printed = watch(&[&converted], 1);
    assert!(printed.contains("T1:1     load M[1] == 0"), "{printed}");
    watch(&[&converted, "--model", "tso"], 0);
}

#[test]
fn sizes_that_are_shown_and_sizes_that_are_assumed_do_not_overlap() {
    let folder = Folder::new();
    let trace = |operations: [&str; 2]| {
        let lines = (1..).zip(operations);
        let line = |(at, operation)| format!("{at}: system.client: T{at} op 0 {operation}\n");
        folder.file("sizes.trace", lines.map(line).collect::<String>())
    };
    let fitting = [
        ["store 0x40 0x1 size 4", "load 0x40 0x1"],
        ["store 0x40 0x1", "load 0x40 0x1 size 2"],
        ["load 0x40 0x0", "store 0x44 0x1 size 4"],
        ["store 0x44 0x1 size 4", "load 0x40 0x0"],
    ];
    for operations in fitting {
        watch(&[&trace(operations)], 0);
    }
    let overlapping = [
        ["store 0x40 0x1 size 8", "load 0x44 0x0"],
        ["load 0x44 0x0", "store 0x40 0x1 size 8"],
        ["store 0x40 0x1 size 3", "load 0x40 0x1"],
    ];
    for operations in overlapping {
        let message = error(&["watch", &trace(operations)]);
        assert!(message.contains("accesses of different sizes overlap at 0x4"), "{message}");
    }
}

#[test]
fn it_stops_at_the_first_operation_that_is_too_much() {
    let told = json(&[VIOLATION], 1);
    let (needed, line) = (told["operations"].as_u64().unwrap(), told["line"].as_u64().unwrap());
    assert!(needed < 180, "{told}");
    // Without the last line there is no violation; with it there is.
    let text = text_of(VIOLATION);
    let folder = Folder::new();
    let upto = |lines: usize| {
        let part: Vec<&str> = text.lines().take(lines).collect();
        folder.file("part.trace", part.join("\n") + "\n")
    };
    // A store's data line precedes the line that completes it, so one more line is needed.
    output_of(&["check", &upto(line as usize - 1)], 0);
    output_of(&["check", &upto(line as usize + 1)], 1);
    let printed = watch(&[VIOLATION], 1);
    assert!(printed.contains("must come before"), "{printed}");
    assert!(printed.contains("the required orderings form a cycle"), "{printed}");
}

#[test]
fn it_ends_while_the_trace_still_grows() {
    assert_eq!(status_while_open(&text_of(VIOLATION)), Some(1));
}

/// The first lines of a trace in which a load returns a value that another thread's store writes later. The trace's own order
/// then does not explain the operations, so that the order must be derived.
fn unexplained(thread: u32) -> String {
    format!(
        "1: system.client: T0 op 0 load 0x100 0x1\n2: system.client: T{thread} op 0 store 0x100 0x1\n"
    )
}

#[test]
fn memory_does_not_grow_with_the_run() {
    let folder = Folder::new();
    // Two threads pass a token.
    let mut text = unexplained(1);
    for round in 0..10_000 {
        let (tick, value) = (4 * round + 3, round + 1);
        let (first, second) = (2 * round + 1, 2 * round + 2);
        text += &format!(
            "{tick}: system.client: T0 op {first} store 0x40 {value:#x}\n\
             {tick}: system.client: T1 op {first} load 0x40 {value:#x}\n\
             {tick}: system.client: T1 op {second} store 0x80 {value:#x}\n\
             {tick}: system.client: T0 op {second} load 0x80 {value:#x}\n"
        );
    }
    let trace = folder.file("long.trace", text);
    for model in ["sc", "tso"] {
        let told = json(&[&trace, "--model", model], 0);
        assert_eq!(told["operations"], 40_002);
        let remembered = told["remembered"].as_u64().unwrap();
        assert!(remembered < 16_000, "{model}: {remembered}");
    }
}

#[test]
fn where_loads_complete_late_a_run_is_found_all_the_same() {
    let folder = Folder::new();
    let trace = folder.path("late.trace");
    // The cache may answer a load with a line that another cache has taken meanwhile.
    let simulate = "simulate MESI_Two_Level --threads 12 --operations 1500 --seed 5 --quiet -o";
    let simulate: Vec<&str> = simulate.split(' ').chain([trace.as_str()]).collect();
    output_of(&simulate, 0);
    let alone = output_of(&["check", "--algorithm", "trace-order", &trace], 3);
    assert!(alone.contains("undecided"), "{alone}");
    let told = json(&[&trace], 0);
    assert_eq!(told["operations"], 18_000);
    assert_eq!(told["verdict"], "consistent");
}

#[test]
fn a_thread_that_does_nothing_keeps_the_window_open() {
    let folder = Folder::new();
    let mut text = unexplained(9);
    for number in 1..60_000 {
        text += &format!("{}: system.client: T0 op {number} load 0x40 0x0\n", number + 2);
    }
    let file = folder.file("idle.trace", text);
    let printed = watch(&[&file, "--max-memory", "24MiB"], 3);
    assert!(printed.contains("thread 9 has been idle for long"), "{printed}");
}

#[test]
fn what_cannot_be_watched_is_said() {
    let folder = Folder::new();
    let axe = folder.file("t.axe", "0: M[0] := 1\ncheck\n");
    let message = error(&["watch", &axe]);
    assert!(message.contains("axe text does not show in which order"), "{message}");
    let message = error(&["watch", VIOLATION, "--initial", "infer"]);
    assert!(message.contains("rubric check"), "{message}");
    // A read-modify-write that writes the value that it read does not change memory.
    let same =
        "1: system.client: T0 op 0 rmw 0x40 0x0 0x1\n2: system.client: T0 op 1 rmw 0x40 0x1 0x1\n";
    rubric(&["watch", &folder.file("same.trace", same)]).assert().code(0);
    let twice = "1: system.client: T0 op 0 rmw 0x40 0x0 0x1\n2: system.client: T0 op 1 rmw 0x40 0x1 0x2\n3: system.client: T1 op 0 rmw 0x40 0x2 0x1\n";
    let message = error(&["watch", &folder.file("twice.trace", twice)]);
    assert!(message.contains("unique values"), "{message}");
    assert!(error(&["watch", "none.trace"]).contains("none.trace"));
    let empty = folder.file("empty.trace", "");
    assert!(error(&["watch", &empty]).contains("is empty"));
    let text = folder.file("text.trace", "Dear reader,\nhow are you?\n");
    assert!(error(&["watch", &text]).contains("expected a line of a gem5 trace"));
    let json = folder.path("last.json");
    let last = folder.file("last.axe", "0: M[0] := 1\nfinal M[0] == 1\n");
    output_of(&["convert", &last, &json], 0);
    let message = error(&["watch", &json]);
    assert!(message.contains("last.json:1: found final values"), "{message}");
}

#[test]
fn operations_are_called_what_check_calls_them() {
    let printed = watch(&[VIOLATION], 1);
    let checked = output_of(&["check", VIOLATION], 1);
    // The operations, such as T2:8, each with its line of the trace: in the headline, the cycle and the reasons.
    let named = |text: &str| -> Vec<(String, String)> {
        let operations = text.lines().filter_map(|line| {
            let line = line.trim_start();
            let name = line.split_whitespace().next()?;
            let (_, number) = line.split_once("  line ")?;
            let is_name = name.starts_with('T') && name.contains(':');
            is_name.then(|| (name.to_owned(), number.split_whitespace().next().unwrap().to_owned()))
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
    assert!(told.iter().any(|it| known.contains(it)), "{printed}\n{checked}");
    // The violation is reported at the last operation that was read.
    let last = json(&[VIOLATION], 1)["line"].as_u64().unwrap();
    assert!(told.iter().all(|it| it.1.parse::<u64>().unwrap() <= last), "{printed}");
}

#[test]
fn a_line_that_is_missing_is_no_consistent_run() {
    let folder = Folder::new();
    let lines = [
        "1: system.client: T0 op 0 store 0x40 0x1",
        "2: system.client: T0 op 1 store 0x40 0x2",
        "3: system.client: T0 op 3 load 0x40 0x2",
        "4: system.client: T1 op 0 load 0x40 0x2\n",
    ];
    let gap = folder.file("gap.trace", lines.join("\n"));
    let message = error(&["watch", &gap]);
    assert!(message.contains("no operation 2 of thread 0"), "{message}");
    // The missing operation may make a difference.
    watch(&[&gap, "--lossy"], 3);
    // This trace has a data line of Ruby that no line completes.
    let text = text_of(TRACES[4]);
    let hit = text.lines().position(|line| line.contains("Hit callback for"));
    let lines: Vec<&str> = text.lines().collect();
    let (before, after) = lines.split_at(hit.unwrap());
    let cut = folder.file("cut.trace", [before, &after[1..]].concat().join("\n") + "\n");
    for command in ["check", "watch"] {
        let message = error(&[command, &cut]);
        assert!(message.contains("--lossy"), "{message}");
    }
}

#[test]
fn what_only_a_client_shows_is_known_while_it_is_written() {
    let mut text = String::new();
    for index in 0..100 {
        text +=
            &format!("{}: system.client: T0 op {index} store 0x80 {:#x}\n", index + 1, index + 1);
    }
    // The last operations are store buffering.
    text += "200: system.client: T0 op 100 store 0x40 0x1\n201: system.client: T0 op 101 load 0xc0 0x0\n";
    text +=
        "202: system.client: T1 op 0 store 0xc0 0x1\n203: system.client: T1 op 1 load 0x40 0x0\n";
    assert_eq!(status_while_open(&text), Some(1));
}

#[test]
fn the_last_step_ends_when_it_is_told_to() {
    let folder = Folder::new();
    let hard = folder.path("hard.axe");
    let family = ["generate", "--family", "pigeons-violation", "--size", "9", "-o"];
    output_of(&[&family[..], &[&hard]].concat(), 0);
    // The operations become lines as a client prints them.
    let mut indexes = std::collections::BTreeMap::new();
    let mut text = String::new();
    for line in std::fs::read_to_string(hard).unwrap().lines() {
        let words: Vec<&str> =
            line.split([' ', ':', '[', ']', '=']).filter(|it| !it.is_empty()).collect();
        let [thread, "M", cell, value] = words[..] else {
            continue;
        };
        let (cell, value): (u64, u64) = (cell.parse().unwrap(), value.parse().unwrap());
        let index = indexes.entry(thread.to_owned()).or_insert(0);
        let kind = if line.contains(":=") { "store" } else { "load" };
        text +=
            &format!("1: system.client: T{thread} op {index} {kind} {:#x} {value:#x}\n", 64 * cell);
        *index += 1;
    }
    let trace = folder.file("hard.trace", text);
    let child = Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(["watch", "--quiet", &trace])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let told = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(told.success());
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(matches!(ended.status.code(), Some(1 | 3)), "{said}");
}

#[test]
fn what_was_kept_serves_other_commands() {
    let folder = Folder::new();
    let kept = folder.path("run.parquet");
    let printed =
        watch(&[VIOLATION, "--keep", &kept, "--on-violation", "certificate,shrink,explain"], 1);
    for extension in ["parquet", "cert", "litmus", "svg"] {
        let path = folder.path(&format!("run.{extension}"));
        assert!(std::path::Path::new(&path).exists(), "{path}");
        assert!(printed.contains(&format!("written: {path}\n")), "{printed}");
    }
    assert!(printed.contains("shrunk to "), "{printed}");
    output_of(&["verify", &kept, &folder.path("run.cert")], 0);
    // The kept operations end with the one that showed the violation.
    let told = json(&[VIOLATION, "--keep", &kept], 1);
    let checked = output_of(&["check", &kept, "--format", "json"], 1);
    let checked: Value = serde_json::from_str(&checked).unwrap();
    assert_eq!(checked["operations"], told["operations"]);
    assert_eq!(told["files"], serde_json::json!([kept]));
    assert!(told["tick"].as_u64().is_some(), "{told}");
}

#[test]
fn operations_are_kept_of_consistent_traces_too() {
    let folder = Folder::new();
    let kept = folder.path("run.jsonl");
    let consistent = TRACES[0];
    let printed = watch(&[consistent, "--keep", &kept, "--on-violation", "shrink"], 0);
    assert!(printed.ends_with(&format!("written: {kept}\n")), "{printed}");
    output_of(&["check", &kept], 0);
    let message = error(&["watch", consistent, "--keep", &folder.path("run.litmus")]);
    assert!(message.contains("a name that ends in .json, .jsonl, .parquet or .axe"), "{message}");
    rubric(&["watch", consistent, "--on-violation", "shrink"]).assert().code(2);
}

#[test]
fn a_write_back_is_refused_where_it_cannot_be_expressed() {
    let folder = Folder::new();
    let rmw = |thread, read| {
        format!(r#"{{"thread":{thread},"kind":"rmw","address":1,"read":{read},"written":1}}"#)
    };
    let history = format!(r#"{{"operations":[{},{}]}}"#, rmw(0, 1), rmw(1, 0));
    let file = folder.file("h.json", &history);
    let said = error(&["watch", &file]);
    assert!(said.contains("a read-modify-write that writes"), "{said}");
    assert!(output_of(&["check", &file], 0).starts_with("consistent"));
    let said = error(&["convert", &file, "-o", &folder.path("h.trace")]);
    assert!(said.contains("cannot express that"), "{said}");
    let converted = folder.path("h.axe");
    output_of(&["convert", &file, "-o", &converted], 0);
    assert!(output_of(&["check", &converted], 0).starts_with("consistent"));
}

#[test]
fn a_value_from_a_skipped_line_is_no_violation() {
    let folder = Folder::new();
    let text = text_of("fixtures/traces/mi-2x50-io-11.trace.gz");
    let mut unwritten = 0;
    for part in 1..8 {
        let skipped = text.lines().count() * part / 8;
        let rest: Vec<&str> = text.lines().skip(skipped).collect();
        let file = folder.file("late.trace", rest.join("\n") + "\n");
        let checked = output_of(&["check", "--lossy", &file], 0);
        unwritten += usize::from(checked.contains("constrain"));
    }
    assert!(unwritten > 0, "no part reads a value from before its start");
}
