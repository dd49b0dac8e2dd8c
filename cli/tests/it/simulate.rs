//! `rubric simulate`: traces and histories of simulated protocols, series of runs, bad usage.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use crate::common::{Folder, edited_mi_example, error, output, output_of, rubric};
use flate2::read::MultiGzDecoder;
use serde_json::Value;

const PROTOCOLS: [&str; 4] = ["MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"];

const CLIENTS: [&str; 5] =
    ["in-order", "store-buffer-4", "per-location", "early-4", "early-4-buffer-2"];

/// The standard error of a run that must end with this status.
fn complaint(arguments: &[&str], status: i32) -> String {
    let assert = rubric(arguments).assert().code(status);
    let message = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(!message.contains("panicked"), "{message}");
    message
}

fn json(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The digests of the histories in a file, read from a copy as Parquet, which keeps them.
fn digests(path: &str, folder: &Folder) -> Vec<String> {
    let parquet = folder.path("digest.parquet");
    rubric(&["convert", path, "-o", &parquet]).assert().success();
    let histories = tables::read_histories(parquet.as_ref()).unwrap();
    histories.iter().map(|history| history.digest()).collect()
}

#[test]
fn the_trace_and_the_history_are_the_same() {
    let folder = Folder::new();
    let (trace, history) = (folder.path("a.trace.gz"), folder.path("a.json"));
    let mut seed = 0;
    for protocol in PROTOCOLS {
        for client in CLIENTS {
            for mix in
                [&["--rmws", "10", "--linked", "50"][..], &["--fences", "5", "--fetches", "20"]]
            {
                seed += 1;
                let seed = seed.to_string();
                let mut arguments =
                    vec!["simulate", protocol, "--client", client, "--operations", "60"];
                arguments.extend([
                    "--seed",
                    &seed,
                    "--per-line",
                    "2",
                    "-o",
                    &trace,
                    "--save",
                    &history,
                ]);
                arguments.extend(mix);
                rubric(&arguments).assert().success();
                assert_eq!(digests(&trace, &folder), digests(&history, &folder), "{arguments:?}");
            }
        }
    }
}

#[test]
fn histories_have_the_formats_of_convert() {
    let folder = Folder::new();
    let mut found = Vec::new();
    for name in ["a.axe", "a.json", "a.jsonl", "a.parquet"] {
        let path = folder.path(name);
        rubric(&["simulate", "MI_example", "--save", &path]).assert().success();
        found.extend(digests(&path, &folder));
    }
    assert_eq!(found.len(), 4);
    // Axe text has its own numbers for addresses and values, so its digest differs.
    assert!(found[2..].iter().all(|digest| *digest == found[1]));
    let text = fs::read_to_string(folder.path("a.json")).unwrap();
    assert!(text.contains("rubric simulate MI_example --seed 1 # version "), "{text:.300}");
}

#[test]
fn a_trace_goes_through_a_pipe() {
    let trace = output(&["simulate", "MESI_Two_Level", "--client", "store-buffer", "--seed", "3"]);
    let first = trace.lines().next().unwrap();
    let command = "command line: rubric simulate MESI_Two_Level --client store-buffer-8 --seed 3";
    assert!(first.starts_with(command), "{first}");
    let checked = rubric(&["check", "--model", "tso", "-"]).write_stdin(trace).assert().success();
    let checked = String::from_utf8(checked.get_output().stdout.clone()).unwrap();
    assert!(checked.starts_with("consistent tso  -  (4 threads, 400 operations;"), "{checked}");
}

#[test]
fn the_recorded_command_repeats_the_run() {
    let arguments = [
        "simulate",
        "MOESI_hammer",
        "--threads",
        "3",
        "--operations",
        "50",
        "--locations",
        "5",
        "--per-line",
        "2",
        "--client",
        "early-3-buffer-2",
        "--reads",
        "60",
        "--rmws",
        "5",
        "--fences",
        "4",
        "--fetches",
        "3",
        "--linked",
        "40",
        "--skew",
        "0.5",
        "--think",
        "3",
        "--cache-size",
        "512:2,1kB:2",
        "--directories",
        "2",
        "--network",
        "1-9",
        "--memory",
        "30",
        "--set",
        "L1Cache.issue_latency=3",
        "--seed",
        "99",
    ];
    let trace = output(&arguments);
    let first = trace.lines().next().unwrap();
    let command = first.strip_prefix("command line: rubric ").unwrap();
    let words: Vec<&str> = command.split(" #").next().unwrap().split(' ').collect();
    assert_eq!(output(&words), trace);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let folder = Folder::new();
    let arguments = ["simulate", "MOESI_hammer", "--client", "early"];
    let trace = output(&arguments);
    assert_eq!(output(&arguments), trace);
    assert_ne!(output(&[&arguments[..], &["--seed", "2"]].concat()), trace);
    let (plain, packed) = (folder.path("a.trace"), folder.path("a.trace.gz"));
    for path in [&plain, &packed] {
        rubric(&[&arguments[..], &["-o", path]].concat()).assert().success();
    }
    assert_eq!(fs::read_to_string(&plain).unwrap(), trace);
    let mut unpacked = String::new();
    let bytes = fs::read(&packed).unwrap();
    MultiGzDecoder::new(&bytes[..]).read_to_string(&mut unpacked).unwrap();
    assert_eq!(unpacked, trace);
    rubric(&[&arguments[..], &["-o", &packed]].concat()).assert().success();
    assert_eq!(fs::read(&packed).unwrap(), bytes);
}

/// The results of a series without those that depend on the clock.
fn timeless(text: &str) -> Vec<Value> {
    let mut lines = json(text);
    for line in &mut lines {
        let line = line.as_object_mut().unwrap();
        assert!(line.remove("seconds").is_some());
        assert!(line.remove("elapsed").is_some());
    }
    lines
}

#[test]
fn a_series_is_the_sum_of_its_runs() {
    let folder = Folder::new();
    let (one, other) = (folder.path("one.jsonl"), folder.path("other.jsonl"));
    let csv = folder.path("coverage.csv");
    let series = |history: &str, coverage: &str| {
        let text = output(&[
            "simulate",
            "MI_example",
            "--client",
            "in-order,store-buffer",
            "--runs",
            "12",
            "--seed",
            "5",
            "--operations",
            "100",
            "--check",
            "--format",
            "json",
            "--save",
            history,
            "--coverage",
            coverage,
        ]);
        timeless(&text)
    };
    let lines = series(&one, &csv);
    assert_eq!(series(&other, &csv), lines);
    assert_eq!(fs::read(&one).unwrap(), fs::read(&other).unwrap());
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["verdicts"]["sc"]["consistent"], 12);
    assert_eq!(lines[1]["verdicts"]["tso"]["consistent"], 12);
    assert!(lines[1]["verdicts"]["sc"]["violation"].as_u64().unwrap() > 0);
    // A certificate for SC also covers the weaker models.
    assert_eq!(lines[0]["certificates"], 12);
    assert_eq!(lines[0]["operations"], 4800);
    // The sums are those of the single runs.
    let mut transitions = 0;
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for client in ["in-order", "store-buffer"] {
        for seed in 5..17 {
            let seed = seed.to_string();
            let single = folder.path("single.csv");
            let text = output(&[
                "simulate",
                "MI_example",
                "--client",
                client,
                "--seed",
                &seed,
                "--format",
                "json",
                "--coverage",
                &single,
            ]);
            transitions += json(&text)[0]["transitions"].as_u64().unwrap();
            add(&mut counts, &fs::read_to_string(single).unwrap());
        }
    }
    let sum: u64 = lines.iter().map(|line| line["transitions"].as_u64().unwrap()).sum();
    assert_eq!(sum, transitions);
    assert_eq!(counts.values().sum::<u64>(), transitions);
    let mut all = BTreeMap::new();
    add(&mut all, &fs::read_to_string(csv).unwrap());
    assert_eq!(all, counts);
}

fn add(counts: &mut BTreeMap<String, u64>, csv: &str) {
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("machine,state,event,next_state,count"));
    for line in lines {
        let (row, count) = line.rsplit_once(',').unwrap();
        *counts.entry(row.to_owned()).or_default() += count.parse::<u64>().unwrap();
    }
}

#[test]
fn a_table_of_protocols_and_clients() {
    let arguments =
        ["simulate", "all", "--client", "all", "--runs", "2", "--operations", "30", "--check"];
    let text = output(&arguments);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("protocol "), "{text}");
    assert_eq!(lines.iter().position(|line| line.is_empty()), Some(21), "{text}");
    for line in &lines[1..21] {
        assert!(PROTOCOLS.iter().any(|protocol| line.starts_with(protocol)), "{line}");
        assert!(line.contains("  2/2  "), "{line}");
    }
    assert!(text.contains("63 certificates verified"), "{text}");
}

#[test]
fn checking_one_run_says_what_check_says() {
    let folder = Folder::new();
    let path = folder.path("a.json");
    let text = output(&[
        "simulate",
        "MI_example",
        "--client",
        "per-location",
        "--check",
        "--format",
        "json",
        "--save",
        &path,
    ]);
    let lines = json(&text);
    // The first line has the verdict on the client's model, the second one the result of the run.
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["model"], "pso");
    assert_eq!(lines[0]["verdict"], "consistent");
    assert_eq!(lines[1]["protocol"], "MI_example");
    let arguments = ["simulate", "MI_example", "--client", "per-location", "--check=sc,pso"];
    let text = output_of(&arguments, 1);
    assert!(
        text.starts_with("violation  sc   MI_example --client per-location-8 --seed 1"),
        "{text}"
    );
    assert!(text.contains("\nconsistent pso "), "{text}");
    output_of(&["check", "--model", "sc", &path], 1);
}

#[test]
fn a_protocol_on_the_disk() {
    let folder = Folder::new();
    let path = edited_mi_example(folder.0.path(), "", "", "");
    let (own, built_in) = (output(&["simulate", &path]), output(&["simulate", "MI_example"]));
    let rest = |text: &str| text.split_once('\n').unwrap().1.to_owned();
    assert_eq!(rest(&own), rest(&built_in));
}

/// This cache takes a forwarded request and keeps the line, so the faulty transition does not change the state.
#[test]
fn a_deadlock_is_drawn_with_the_transition_that_keeps_its_state() {
    let folder = Folder::new();
    let right = "transition(M, Fwd_GETX, I) {pass_block_on, tell_core_of_loss, pop_forward}";
    let wrong = "transition(M, Fwd_GETX) {pop_forward}";
    let path = edited_mi_example(folder.0.path(), "MI_example-cache.sm", right, wrong);
    let (chart, trace) = (folder.path("fault.txt"), folder.path("fault.trace"));
    complaint(&["simulate", &path, "-o", &trace, "--chart", &chart], 1);
    let drawn = std::fs::read_to_string(&chart).unwrap();
    assert!(drawn.contains("M Fwd_GETX → M"), "{drawn}");
    assert!(drawn.starts_with("Deadlock: ") && drawn.contains("  tick"), "{drawn}");
    // The trace reports the deadlock once, and says how to see the messages.
    let checked = output_of(&["check", &trace], 1);
    let headline = checked.lines().next().unwrap();
    assert_eq!(headline.to_lowercase().matches("deadlock").count(), 1, "{headline}");
    assert!(!headline.contains("current time"), "{headline}");
    assert!(checked.contains("--chart fault.svg") && !checked.contains("RubyQueue"), "{checked}");
}

#[test]
fn an_undefined_transition_is_reported_as_gem5_does() {
    let folder = Folder::new();
    let dropped = "transition(M, Fwd_GETX, I) {pass_block_on, tell_core_of_loss, pop_forward}";
    let path = edited_mi_example(folder.0.path(), "MI_example-cache.sm", dropped, "");
    let trace = folder.path("a.trace");
    let message = complaint(&["simulate", &path, "-o", &trace], 1);
    assert!(message.contains("Invalid transition: L1Cache "), "{message}");
    assert!(message.contains(" event: Fwd_GETX state: M"), "{message}");
    assert!(message.contains("MI_example-cache.sm:"), "{message}");
    assert!(message.contains("the last transitions and messages for 0x"), "{message}");
    // A chart shows the same, with messages from their senders to their receivers.
    let chart = folder.path("fault.txt");
    let message = complaint(&["simulate", &path, "--chart", &chart], 1);
    assert!(message.contains(&format!("written: {chart}")), "{message}");
    let drawn = std::fs::read_to_string(&chart).unwrap();
    for part in ["L1Cache ", "Directory 0", "GETX for 0x", "Invalid transition: L1Cache "] {
        assert!(drawn.contains(part), "{part}\nis not in\n{drawn}");
    }
    let refused = complaint(&["simulate", &path, "--chart", &chart, "--client", "all"], 2);
    assert!(refused.contains("--chart: a chart shows one run"), "{refused}");
    assert!(message.contains("reproduce with: rubric simulate "), "{message}");
    // The written files stay usable, and say how the run ended.
    let checked = output_of(&["check", &trace], 1);
    assert!(checked.starts_with("crashed  "), "{checked}");
    assert!(checked.contains("(invalid transition: L1Cache "), "{checked}");
    assert!(checked.contains("\nconsistent sc "), "{checked}");
    let history = folder.path("a.json");
    rubric(&["simulate", &path, "--save", &history]).assert().code(1);
    assert_eq!(digests(&trace, &folder), digests(&history, &folder));
    let series = ["simulate", &path, "--runs", "5", "--check", "--format", "json"];
    let lines = json(&output_of(&series, 1));
    assert_eq!(lines[0]["faults"], 5);
    assert_eq!(lines[0]["first_faults"].as_array().unwrap().len(), 3);
    assert_eq!(lines[0]["first_faults"][0]["kind"], "invalid transition");
    assert!(lines[0]["first_faults"][0]["line"].as_u64().unwrap() > 1);
    assert!(output_of(&series[..5], 1).contains("2 more runs ended in faults"));
}

#[test]
fn a_lost_message_is_a_deadlock() {
    let folder = Folder::new();
    let forward = "{forward_to_owner, set_owner, pop_request}";
    let path = edited_mi_example(
        folder.0.path(),
        "MI_example-dir.sm",
        forward,
        "{set_owner, pop_request}",
    );
    let message = complaint(&["simulate", &path, "--check"], 1);
    assert!(message.contains("eadlock"), "{message}");
}

#[test]
fn a_protocol_that_goes_on_without_end_is_stopped() {
    let folder = Folder::new();
    let done = "response_in.dequeue(clockEdge());";
    for latency in ["cyclesToTicks(recycle_latency)", "intToTick(0)"] {
        let again = format!("response_in.recycle(clockEdge(), {latency});");
        let path = edited_mi_example(folder.0.path(), "MI_example-cache.sm", done, &again);
        let text = fs::read_to_string(folder.path("MI_example-cache.sm")).unwrap();
        // With this transition the recycled message finds its line present.
        let text = text.replace(
            "transition(IS, Data, M) {fill_entry, read_miss_done, free_tbe, wake_forwards, pop_response}",
            "transition(IS, Data) {pop_response}",
        );
        folder.file("MI_example-cache.sm", text);
        let arguments =
            ["simulate", &path, "--deadlock-threshold", "5000", "--save", &folder.path("a.axe")];
        let message = complaint(&arguments, 1);
        assert!(message.contains("eadlock") || message.contains("ivelock"), "{message}");
    }
}

#[test]
fn mistakes_in_protocols_are_shown_in_place() {
    let folder = Folder::new();
    let action = "pass_block_on, tell_core_of_loss, pop_forward}";
    let path = edited_mi_example(
        folder.0.path(),
        "MI_example-cache.sm",
        action,
        "pass_blok_on, pop_forward}",
    );
    let message = error(&["simulate", &path]);
    assert!(message.contains("MI_example-cache.sm:"), "{message}");
    assert!(message.contains("pass_blok_on"), "{message}");
    assert!(message.contains("pass_block_on"), "{message}");
}

#[test]
fn bad_usage() {
    let folder = Folder::new();
    let unwritable = folder.path("no/such/folder/a.trace");
    let (csv, other) = (folder.path("a.csv"), folder.path("a.txt"));
    for (arguments, expected) in [
        (
            &["MI_exmaple"][..],
            "MI_exmaple: there is no such file: did you mean MI_example? the built-in protocols are MI_example, ",
        ),
        (&["MI_example", "--client", "in-odrer"], "in-order, store-buffer-N"),
        (
            &["MI_example", "--set", "nothing=1"],
            "--set nothing=1: no machine has a parameter nothing",
        ),
        (&["MI_example", "--set", "nothing"], "Machine.parameter=value"),
        (&["MI_example", "--threads", "0"], "at least 1"),
        (&["MI_example", "--threads", "5000"], "MI_example: 5000 controllers of L1Cache: at most "),
        (&["MI_example", "--operations", "20M"], "at most 50000000 operations"),
        (&["MI_example", "--operations", "0"], "at least 1"),
        (&["MI_example", "--rmws", "60", "--fences", "50"], "more than 100"),
        (&["MI_example", "--reads", "101"], "101"),
        (&["MI_example", "--cache-size", "big"], "256:2"),
        (&["MI_example", "--cache-size", "100:3"], "cacheMemory"),
        (&["MI_example", "--l2-banks", "3"], "a power of two"),
        (&["MI_example", "--network", "9-1"], "1-18"),
        (&["MI_example", "--deadlock-threshold", "0"], "0"),
        (&["MI_example", "--check=cc"], "cc"),
        (&["MI_example", "--check", "sc,tso"], "--check=sc,tso"),
        (&["MI_example", "-o", &csv, "--save", &csv], "-o and --save name the same file"),
        (&["MI_example", "-o", &unwritable], "a.trace: "),
        (&["MI_example", "--runs", "2", "-o", &unwritable], "a trace holds one run"),
        (&["MI_example", "--runs", "2", "-o", "-"], "give the name of a folder"),
        (&["MI_example", "--runs", "2", "-o", "/dev/null/traces"], "/dev/null/traces: "),
        (
            &["MI_example", "--runs", "2", "--client", "ooo", "-o", "made"],
            "a gem5 trace cannot show",
        ),
        (&["MI_example", "--save", &other], "a name that ends in .trace, .axe"),
        (&["MI_example", "--runs", "2", "--save", &other], "a name that ends in .trace, .axe"),
        (&["MI_example", "-o", "-", "--check"], "give the trace a file"),
        (&["all", "--coverage", &csv], "name one"),
        (&["MI_example", "--coverage", &unwritable], "a.trace: "),
    ] {
        let message = error(&[&["simulate"], arguments].concat());
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn a_file_that_was_there_stays_if_the_new_one_fails() {
    let folder = Folder::new();
    let path = folder.file("a.trace", "old");
    error(&["simulate", "MI_example", "--set", "nothing=1", "-o", &path]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    let message = error(&["simulate", "MI_example", "--operations", "2000", "-o", "/dev/full"]);
    assert!(message.contains("/dev/full: "), "{message}");
}

/// A program that is killed leaves no half-written file.
#[test]
fn an_interrupted_run_leaves_nothing() {
    let folder = Folder::new();
    let trace = folder.path("a.trace.gz");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(["simulate", "MI_example", "--operations", "5M", "-q", "-o", &trace])
        .spawn()
        .unwrap();
    let files = || fs::read_dir(std::path::Path::new(&trace).parent().unwrap()).unwrap().count();
    while files() == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it writes a trace");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let id = child.id().to_string();
    let killed = std::process::Command::new("kill").args(["-INT", &id]).status();
    assert!(killed.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(files(), 0);
}

#[test]
fn what_was_meant_is_said() {
    let folder = Folder::new();
    let protocols = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/protocols");
    let part = protocols.join("MI_example-cache.sm");
    let message = error(&["simulate", part.to_str().unwrap()]);
    assert!(
        message.contains("is a part of a protocol")
            && message.trim_end().ends_with("MI_example.slicc"),
        "{message}"
    );
    let message = error(&["simulate", "mesi_two_level"]);
    assert!(message.contains("did you mean MESI_Two_Level?"), "{message}");
    let message = error(&["simulate", "MI_example", "--accesses", "5"]);
    assert!(message.contains("'--operations'") && !message.contains("--locations"), "{message}");
    let message = error(&["simulate", "MI_example", "-o", &folder.path("run.parquet")]);
    assert!(message.contains("--save writes"), "{message}");
    let message = error(&["simulate", "MI_example", "--coverage", &folder.path("c.json")]);
    assert!(message.contains("a name that ends in .csv was expected"), "{message}");
}

/// Out-of-order cores keep the model that `--model` names, and show the fault of a protocol that forgets an invalidation.
#[test]
fn out_of_order_cores_keep_a_weak_model() {
    let weak = ["simulate", "MESI_Two_Level", "--client", "ooo-16"];
    let with = |more: &[&str], status| output_of(&[&weak[..], more].concat(), status);
    for model in ["rvwmo", "armv8", "wmo"] {
        let options = ["--model", model, "--rmws", "10", "--linked", "50", "--fences", "5"];
        let text = with(&[&options[..], &["--check"]].concat(), 0);
        assert!(text.starts_with(&format!("consistent {model} ")), "{text}");
    }
    let text = with(&["--model", "armv8", "--runs", "10", "--check"], 0);
    assert!(text.contains("armv8-ooo-16") && text.contains("     10/10  "), "{text}");
    let mutant = ["--mutant", "mesi2-l1-is-inv-no-notify", "--runs", "60", "--check=rvwmo"];
    let text = with(&mutant, 1);
    assert!(text.contains("violates RVWMO"), "{text}");
    let command = text.lines().find_map(|line| line.split_once("reproduce with: rubric "));
    let words: Vec<&str> = command.unwrap().1.split_whitespace().collect();
    assert!(output_of(&words, 1).starts_with("violation  rvwmo "));
}

#[test]
fn traces_do_not_show_programs_for_weak_models() {
    let message = error(&["simulate", "MI_example", "--client", "ooo"]);
    assert!(message.contains("--client rvwmo-ooo-8: a gem5 trace cannot show"), "{message}");
    let message = error(&["simulate", "MI_example", "--annotations", "5"]);
    assert!(
        message.contains("--annotations: only programs for cores of a weak model"),
        "{message}"
    );
    let message = error(&["simulate", "MI_example", "--model", "rvwmo"]);
    assert!(message.contains("--model rvwmo: no core that --client names"), "{message}");
    let folder = Folder::new();
    let path = folder.path("a.json");
    output(&["simulate", "MI_example", "--client", "ooo", "--save", &path]);
    assert!(fs::read_to_string(&path).unwrap().contains("depends"));
    output(&["check", "--model", "rvwmo", &path]);
}
