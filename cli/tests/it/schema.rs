//! The JSON of commands fits the schemas that `rubric schema` prints.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::common::{Folder, TRACES, edited_mi_example, output, rubric, with_fault};
use crate::crash::{DEADLOCK, crashed, small};

/// The schema of that name, as the program prints it.
fn schema(name: &str) -> Value {
    serde_json::from_str(&output(&["schema", name])).unwrap()
}

/// Checks each line of a text against a schema, and returns the number of lines.
fn hold(name: &str, lines: &str) -> usize {
    let schema = jsonschema::validator_for(&schema(name)).unwrap();
    for line in lines.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        let found: Vec<String> = schema
            .iter_errors(&value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(found.is_empty(), "{name}: {found:?} in {line}");
    }
    lines.lines().count()
}

/// The properties that a schema has, in itself and in its alternatives.
fn properties(schema: &Value) -> Vec<(&String, &Value)> {
    let own = schema["properties"].as_object().into_iter().flatten();
    let alternatives = ["allOf", "anyOf", "oneOf"].into_iter();
    let alternatives = alternatives.filter_map(|key| schema[key].as_array()).flatten();
    own.chain(alternatives.flat_map(properties)).collect()
}

/// The keys that a schema has and no value does, each with the keys above it. A key occurs in an array if any element has it.
fn absent(schema: &Value, values: &[&Value], place: &str) -> BTreeSet<String> {
    let items: Vec<&Value> = values.iter().filter_map(|it| it.as_array()).flatten().collect();
    if let Some(schema) = schema.get("items") {
        return absent(schema, &items, place);
    }
    let mut missing = BTreeSet::new();
    for (key, schema) in properties(schema) {
        let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
        let below: Vec<&Value> = values.iter().filter_map(|it| it.get(key)).collect();
        if below.iter().all(|value| value.is_null()) {
            missing.insert(place);
        } else {
            missing.extend(absent(schema, &below, &place));
        }
    }
    missing
}

/// Checks lines against a schema, and that exactly the keys `rare` occur in none of them.
fn hold_all(name: &str, lines: &str, rare: &[&str]) {
    assert!(hold(name, lines) > 0);
    let values: Vec<Value> = lines.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let absent = absent(&schema(name), &values.iter().collect::<Vec<_>>(), "");
    let rare: BTreeSet<String> = rare.iter().map(|it| (*it).to_owned()).collect();
    assert_eq!(absent, rare, "{name}");
}

/// The output of several commands with `--format json`, one after the other.
fn all_printed(commands: &[&[&str]]) -> String {
    let printed = commands.iter().map(|it| printed(&[it, &["--format", "json"][..]].concat()));
    printed.collect()
}

fn printed(arguments: &[&str]) -> String {
    String::from_utf8(rubric(arguments).output().unwrap().stdout).unwrap()
}

#[test]
fn what_is_printed_has_its_schema() {
    let folder = Folder::new();
    let table = folder.path("verdicts.jsonl");
    let proofs = folder.path("proofs");
    let mut arguments = vec!["check", "--format", "json", "--model", "sc,tso,pso"];
    arguments.extend(["--certificate", &proofs, "-o", &table, "no-such-file"]);
    arguments.extend(TRACES);
    assert_eq!(hold("check", &printed(&arguments)), 3 * TRACES.len() + 1);
    let rows = std::fs::read_to_string(&table).unwrap();
    assert_eq!(hold("verdicts", &rows), 3 * TRACES.len() + 1);
    let all = ["check", "--format", "json", "--algorithm", "all", "fixtures/litmus/litmus.axe"];
    assert!(hold("check", &printed(&all)) > 100);
    let kernel = ["kernel", "--format", "json", "--pairs", "--model", "sc,tso", TRACES[0]];
    assert_eq!(hold("kernel", &printed(&kernel)), 2);
    let tests = ["litmus", "--format", "json", "fixtures/litmus/herd/x86_64"];
    assert!(hold("litmus", &printed(&tests)) > 3);
}

#[test]
fn what_is_printed_of_one_trace_has_its_schema() {
    for trace in TRACES {
        for name in ["shrink", "watch"] {
            assert_eq!(hold(name, &printed(&[name, trace, "--format", "json"])), 1);
        }
    }
}

#[test]
fn what_is_printed_of_protocols_has_its_schema() {
    let folder = Folder::new();
    let (fault, changed) = ("mi-dir-putx-not-written", folder.path("changed"));
    let runs = ["simulate", "MI_example", "--runs", "30", "--check", "--format", "json"];
    let failing = [&runs[..], &["--mutant", "mi-l1-nack-before-forward"]].concat();
    for command in [&runs[..], &failing, &[&runs[..], &["--mutant", fault]].concat()] {
        assert_eq!(hold("simulate", &printed(command)), 1);
    }
    output(&["protocol", "source", "MI_example", "--mutant", fault, "-o", &changed]);
    let changed = format!("{changed}/MI_example.slicc");
    // The unchanged protocol is also explored.
    let explored = ["test", "MI_example", "--runs", "1", "--format", "json"];
    assert_eq!(hold("test", &printed(&explored)), 1);
    let few = ["--runs", "6", "--no-explore", "--format", "json"];
    assert_eq!(hold("test", &printed(&[&["test", &changed], &few[..]].concat())), 1);
    for versions in
        [["MI_example", &changed], [&changed, &changed], ["MI_example", "MESI_Two_Level"]]
    {
        let diff = [&["diff"], &versions[..], &few[..]].concat();
        assert_eq!(hold("diff", &printed(&diff)), 1);
    }
}

#[test]
fn protocols_and_mutants_have_their_schemas() {
    let folder = Folder::new();
    let unknown = edited_mi_example(
        folder.0.path(),
        "MI_example-dir.sm",
        "stall_and_wait(request_in, address);",
        "stall_for_ever(request_in, address);",
    );
    for protocol in ["MI_example", &unknown] {
        let checked = ["protocol", "check", protocol, "--format", "json"];
        assert_eq!(hold("protocol-check", &printed(&checked)), 1);
    }
    let shown = all_printed(&[&["protocol", "show", "MI_example"]]);
    let rare = [
        "machines.out_ports.rank",
        // MI_example counts no types of requests.
        "machines.requests.description",
        "machines.requests.name",
        "mutant",
    ];
    hold_all("protocol-show", &shown, &rare);
    let mutants = all_printed(&[
        &["mutants", "list", "MI_example"],
        &["mutants", "list", "MI_example", "--operator", "drop-action,next-state-same"],
        &["mutants", "show", "mi-l1-nack-before-forward"],
    ]);
    hold_all("mutants", &mutants, &["reason"]);
}

#[test]
fn stats_have_their_schema() {
    let (first, second) = (Folder::new(), Folder::new());
    let waits = first.file("waits.trace", small(DEADLOCK));
    let crashed = crashed(&second, TRACES[4]);
    let lines = all_printed(&[
        &[&["stats"], &TRACES[..]].concat(),
        &["stats", "fixtures/exec", "fixtures/litmus/litmus.axe", &waits, &crashed],
    ]);
    let rare = [
        // The crash shows no known fault, and it is not RubyTester that reports it.
        "histories.crash.known",
        "histories.crash.of_processor",
        "histories.crash.perhaps_known",
        "histories.crash.processor",
        // gem5 names the place in the protocol in some crashes only, and the traces have no messages.
        "histories.crash.protocol_source",
        "histories.crash.recent.buffer",
        "histories.crash.recent.message",
        // The traces do not have these requests.
        "trace.device_requests",
        "trace.failed_store_conditionals",
        "trace.fetches",
        "trace.flushes",
        "trace.other_requests",
        "trace.page_table_walks",
        "trace.prefetches",
        "trace.refused_requests",
        "trace.skipped_lines",
        "trace.uncommitted_stores",
        "trace.unfinished_stores",
        "trace.unmatched_completions",
    ];
    hold_all("stats", &lines, &rare);
}

#[test]
fn monitors_have_their_schema() {
    let monitor = |rest: &[&'static str]| [&["monitor"], rest].concat();
    let lines = all_printed(&[
        &monitor(&["--model", "tso,pso", TRACES[0], "fixtures/litmus/litmus.axe"]),
        &monitor(&["--timeout", "0", TRACES[1]]),
    ]);
    // No trace has acquires or releases, a read-modify-write that may wait, or accesses that are split.
    let rare = [
        "pairs.operation.annotation",
        "pairs.operation.part_address",
        "pairs.operation.part_size",
        "pairs.store.annotation",
        "pairs.store.part_address",
        "pairs.store.part_size",
        "pairs.store.read",
    ];
    hold_all("monitor", &lines, &rare);
}

#[test]
fn explorations_of_memory_systems_and_programs_have_their_schemas() {
    let system = |rest: &[&'static str]| [&["explore", "memory-system"], rest].concat();
    let lines = all_printed(&[
        &system(&["serial"]),
        &system(&["piranha-buggy", "--assumption-states", "1000"]),
        &system(&["piranha", "--max-states", "50"]),
    ]);
    hold_all("explore-memory-system", &lines, &[]);

    let folder = Folder::new();
    let text = "shared x, y;\n\
                thread A { store x = 1; let r = load y; while r == 0 limit 1 { r = load y; } }\n\
                thread B { store y = 1; let r = load x; assert r == 1; }\n";
    let file = folder.file("both.prog", text);
    let program = |rest: &[&'static str]| [&["explore", "program", &file], rest].concat();
    let lines = all_printed(&[
        &program(&["--exhaustive", "sc,tso,pso", "--suggest-fences"]),
        &program(&[
            "--max-runs",
            "1",
            "--exhaustive",
            "tso",
            "--max-states",
            "3",
            "--suggest-fences",
        ]),
    ]);
    hold_all("explore-program", &lines, &[]);
}

#[test]
fn explorations_of_protocols_have_their_schema() {
    let folder = Folder::new();
    let (stalls, recycles) = (
        "stall_and_wait(request_in, address);",
        "request_in.recycle(clockEdge(), cyclesToTicks(recycle_latency));",
    );
    let starves = edited_mi_example(folder.0.path(), "MI_example-dir.sm", stalls, recycles);
    let other = Folder::new();
    let released = with_fault(other.0.path(), "mesi2-l1-is-inv-no-notify");
    let swapped = "MI_example/L1Cache/IM.Data/swap-actions:fill_entry+write_miss_done";
    let tiny = ["MI_example", "--locations", "2", "--tiny"];
    let mutant = |name: &'static str| [&tiny[..], &["--mutant", name]].concat();
    let explorations: [&[&str]; 13] = [
        &["MI_example", "--unreached"],
        &["MI_example", "--fair", "--max-states", "300"],
        &["MI_example", "--mutant", swapped, "--nice-cycles"],
        &["MI_example", "--nice-cycles", "--max-states", "50"],
        &["MI_example", "--store", "compact"],
        &["MESI_Two_Level", "--locations", "2", "--l2-banks", "2", "--max-states", "20"],
        &["MOESI_hammer", "--locations", "2", "--tiny", "--mutant", "hammer-l1-ss-no-wakeup"],
        &["fixtures/ordered/Forgotten.slicc", "--threads", "1"],
        &[&starves, "--dma", "1", "--fair"],
        &mutant("mi-l1-nack-before-forward"),
        &mutant("mi-dir-putx-not-written"),
        &["MI_example", "--mutants=mi-l1-nack-before-forward"],
        &[&released, "--also", "early"],
    ];
    let lines: String = explorations
        .iter()
        .map(|it| all_printed(&[&[&["explore", "protocol", "-q"], *it].concat()]))
        .collect();
    hold_all("explore-protocol", &lines, &["warnings.known"]);
    let file = folder.path("sizes.jsonl");
    output(&[
        "explore",
        "sizes",
        "MI_example",
        "-q",
        "--sizes=2x1,2x2",
        "--max-states=300",
        "-o",
        &file,
    ]);
    let stored = std::fs::read_to_string("../fixtures/results/sizes.jsonl").unwrap();
    hold_all("explore-sizes", &(stored + &std::fs::read_to_string(file).unwrap()), &[]);
}

#[test]
fn reports_have_their_schemas() {
    let folder = Folder::new();
    let [guided, warned, failed] = ["guided", "warned", "failed"].map(|name| folder.path(name));
    let other = Folder::new();
    let wrong = with_fault(other.0.path(), "mi-l1-nack-before-forward");
    let lines = all_printed(&[
        &["report", "fixtures/results"],
        &[
            "campaign",
            "MI_example",
            "--mutants=mi-l1-nack-before-forward",
            "--guided=compare",
            "--repeat=1",
            "--runs=6",
            "--quiet",
            "-o",
            &guided,
        ],
        &[
            "campaign",
            "fixtures/ordered/Forgotten.slicc",
            "--sample=1",
            "--runs=2",
            "--quiet",
            "-o",
            &warned,
        ],
        &["campaign", &wrong, "--mutants=none", "--runs=20", "--quiet", "-o", &failed],
    ]);
    hold_all("report", &lines, &["alarms.alarms.known"]);
    hold_all("report-list", &all_printed(&[&["report", "--list"]]), &[]);
}

#[test]
fn a_schema_says_its_version() {
    let listed = output(&["schema"]);
    for line in listed.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(schema(words[0])["$id"], format!("urn:rubric:{}:{}", words[0], words[2]));
    }
    assert!(listed.lines().count() >= 17);
}
