//! Every violation and fault of a simulated run comes with a command that repeats it. Runs of a series are drawn from their
//! seeds. Runs and histories in which nothing completed are not consistent.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{Folder, edited_mi_example, output, output_of, rubric};
use serde_json::Value;

/// A mutant that violates SC on cores that load early.
const MUTANT: [&str; 5] =
    ["simulate", "MESI_Two_Level", "--mutant", "mesi2-l1-is-inv-no-notify", "--client"];
/// A line of MI_example's directory without which memory loses what was written.
const WRITES_BACK: [&str; 3] = [
    "MI_example-dir.sm",
    "out_msg.Type := MemoryRequestType:MEMORY_WB;\n        out_msg.Sender := in_msg.Requestor;\n        \
     out_msg.DataBlk := in_msg.DataBlk;",
    "out_msg.Type := MemoryRequestType:MEMORY_WB;\n        out_msg.Sender := in_msg.Requestor;",
];
/// A transition without which an owner cannot handle a forwarded request.
const PASSES_ON: [&str; 3] = [
    "MI_example-cache.sm",
    "transition(M, Fwd_GETX, I) {pass_block_on, tell_core_of_loss, pop_forward}",
    "",
];
/// The transitions of misses, without which nothing completes.
const MISSES: [&str; 3] = [
    "MI_example-cache.sm",
    "transition(I, {Load, Ifetch}, IS) {take_entry, take_tbe, ask_for_ownership, pop_core}\n  \
     transition(I, Store, IM) {take_entry, take_tbe, ask_for_ownership, pop_core}",
    "",
];

/// MI_example with an edit, in a folder whose name has a space and a quote.
fn edited(folder: &Folder, [file, from, to]: [&str; 3]) -> String {
    let own = folder.0.path().join("my 'own' protocols");
    fs::create_dir_all(&own).unwrap();
    edited_mi_example(&own, file, from, to)
}

/// Runs a command in a shell. Returns its output and its exit status.
fn shell(command: &str) -> (String, i32) {
    assert!(command.starts_with("rubric "), "{command}");
    let program = Path::new(env!("CARGO_BIN_EXE_rubric"));
    let paths = [program.parent().unwrap().as_os_str(), &std::env::var_os("PATH").unwrap()]
        .join(":".as_ref());
    let ran = Command::new("sh")
        .args(["-c", command])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .env("PATH", paths)
        .output()
        .unwrap();
    let text = [ran.stderr, ran.stdout].concat();
    (String::from_utf8_lossy(&text).into_owned(), ran.status.code().unwrap())
}

/// The commands in lines that begin with these words.
fn commands<'a>(text: &'a str, before: &str) -> Vec<&'a str> {
    let lines = text.lines();
    lines.filter_map(|line| line.strip_prefix(before)).collect()
}

/// The commands that a campaign prints.
fn campaign_commands(text: &str) -> Vec<&str> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("      "));
    lines.filter(|line| line.starts_with("rubric ")).collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

fn texts<'a>(all: &'a Value, key: &str) -> Vec<&'a str> {
    let all = all.as_array().unwrap().iter();
    all.map(|one| one[key].as_str().unwrap()).collect()
}

/// Runs a series whose histories violate SC, as text and as JSON. The commands of both repeat the violations.
fn violations_are_repeated(series: &[&str], option: &str) {
    let text = output_of(series, 1);
    let named = commands(&text, "  reproduce with: ");
    assert_eq!(named.len(), 3, "{text}");
    let told = json(&output_of(&[series, &["--format", "json"]].concat(), 1));
    assert_eq!(texts(&told["first_violations"], "command"), named);
    let seeds = told["violation_seeds"].as_array().unwrap();
    assert_eq!(told["violations"], seeds.len());
    assert!(seeds.len() > 3, "{told}");
    let others = format!(": {} more runs violate a model that counts", seeds.len() - 3);
    assert!(text.contains(&others), "{text}");
    for (at, command) in named.iter().enumerate() {
        assert_eq!(told["first_violations"][at]["seed"], seeds[at]);
        let models: Vec<&str> = told["first_violations"][at]["models"]
            .as_array()
            .unwrap()
            .iter()
            .map(|model| model.as_str().unwrap())
            .collect();
        assert!(command.contains(option), "{command}");
        let (again, status) = shell(command);
        assert_eq!(status, 1, "{command}: {again}");
        for model in models {
            assert!(again.contains(&format!("violation  {model} ")), "{again}");
        }
        // The command that the repetition prints is the same.
        assert_eq!(commands(&again, "  reproduce with: "), [*command]);
        let (again, _) = shell(&format!("{command} --format json"));
        let again = json(&again);
        assert_eq!(texts(&again["first_violations"], "command"), [*command]);
    }
    // Runs that are not listed in full are repeated by the same command with their seeds.
    let (first, last) = (seeds[0].to_string(), seeds[seeds.len() - 1].to_string());
    let of_last = named[0].replace(&format!("{option} {first}"), &format!("{option} {last}"));
    assert_eq!(shell(&of_last).1, 1, "{of_last}");
}

#[test]
fn violations_of_a_mutant_are_repeated() {
    let series = [&MUTANT[..], &["early", "--runs", "30", "--check"]].concat();
    violations_are_repeated(&series, "--recipe");
    let shape = ["--threads", "3", "--cache-size", "128:1,128:1", "--rmws", "5"];
    violations_are_repeated(&[&series[..], &shape].concat(), "--seed");
}

#[test]
fn violations_of_a_protocol_on_the_disk_are_repeated() {
    let folder = Folder::new();
    let path = edited(&folder, WRITES_BACK);
    let series = ["simulate", &path, "--runs", "30", "--check=sc,tso"];
    violations_are_repeated(&series, "--recipe");
    // A violation of a model that the client does not guarantee does not count.
    let buffered = ["simulate", "MI_example", "--client", "store-buffer"];
    let told =
        json(&output(&[&buffered[..], &["--runs", "30", "--check", "--format", "json"]].concat()));
    assert!(told["verdicts"]["sc"]["violation"].as_u64().unwrap() > 0);
    assert_eq!(told["violations"], 0);
}

#[test]
fn faults_are_repeated() {
    let folder = Folder::new();
    let path = edited(&folder, PASSES_ON);
    for series in [
        &["simulate", &path, "--runs", "6"][..],
        &["simulate", &path, "--runs", "6", "--seed", "40", "--check"],
        &["simulate", &path, "--client", "early-4", "--operations", "40", "--runs", "6"],
    ] {
        let text = output_of(series, 1);
        let named = commands(&text, "  reproduce with: ");
        let told = json(&output_of(&[series, &["--format", "json"]].concat(), 1));
        assert_eq!(texts(&told["first_faults"], "command"), named);
        assert_eq!(told["fault_seeds"].as_array().unwrap().len(), 6);
        assert!(
            text.contains(": 3 more runs ended in faults; reproduce with the same command and ")
        );
        let messages = texts(&told["first_faults"], "message");
        assert_eq!(named.len(), 3, "{text}");
        for (command, message) in named.iter().zip(messages) {
            let (again, status) = shell(command);
            assert_eq!(status, 1, "{command}");
            // The message has the tick, so the run is the same one.
            assert!(again.contains(message), "{message}: {again:.300}");
        }
    }
}

#[test]
fn alarms_and_faults_of_a_campaign_are_repeated() {
    let folder = Folder::new();
    let path = edited(&folder, WRITES_BACK);
    let campaign = folder.path("c");
    let asked = [
        "campaign",
        &path,
        "--mutants",
        "none",
        "--client",
        "in-order,store-buffer",
        "--runs",
        "12",
        "-o",
        &campaign,
    ];
    let text = output_of(&asked, 1);
    // Runs that were repeated with the repairs of known faults are listed a second time.
    let alarms_alone = text.split("\nKnown faults of ").next().unwrap();
    let named = campaign_commands(alarms_alone);
    let told = json(&output_of(&["report", &campaign, "--format", "json"], 1));
    let alarms = &told["alarms"]["alarms"];
    let known = texts(alarms, "command");
    assert!(!named.is_empty() && known.starts_with(&named), "{text}");
    for alarm in alarms.as_array().unwrap().iter().take(6) {
        assert_eq!(alarm["outcome"], "violation");
        let model = alarm["model"].as_str().unwrap();
        let line = format!(
            "  {path} on {}: violation of {}, refuted by ",
            alarm["client"].as_str().unwrap(),
            model.to_uppercase()
        );
        assert!(text.contains(&line), "{line}\n{text}");
        assert!(alarm["violates"].as_array().unwrap().contains(&model.into()));
        let (again, status) = shell(alarm["command"].as_str().unwrap());
        assert_eq!(status, 1, "{again}");
        assert!(again.contains(&format!("violation  {model} ")), "{again}");
    }
    let mutants = "mi-dir-putx-not-written,mi-l1-nack-before-forward";
    let campaign = folder.path("mutants");
    let asked = ["campaign", "MI_example", "--mutants", mutants, "--runs", "10", "-o", &campaign];
    let text = output(&asked);
    assert!(text.contains("\nFaults of the protocol without a violation: "), "{text}");
    let named = campaign_commands(&text);
    assert_eq!(named.len(), 2, "{text}");
    for command in named {
        assert_eq!(shell(command).1, 1, "{command}");
    }
    let page = folder.path("report.html");
    output(&["report", &campaign, "-o", &page]);
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("Mutants that made their protocol fail"));
}

#[test]
fn a_series_without_a_shape_is_drawn_from_seeds() {
    let series = |more: &[&str]| {
        let asked = [&["simulate", "MI_example", "--runs", "6"], more].concat();
        let text = output(&asked);
        let mut told = json(&output(&[&asked[..], &["--format", "json"]].concat()));
        for clock in ["seconds", "elapsed"] {
            told.as_object_mut().unwrap().remove(clock);
        }
        (text.contains("\nrecipes: each run has "), told)
    };
    let (says_so, drawn) = series(&["--seed", "5"]);
    assert!(says_so);
    assert_eq!(drawn["recipes"], true);
    assert!(drawn["command"].as_str().unwrap().contains(" --recipe 5"));
    assert_eq!(series(&["--recipe", "5"]).1, drawn);
    // Options that a recipe does not decide are part of the command.
    let (says_so, other) = series(&["--seed", "5", "--set", "L1Cache.issue_latency=3"]);
    assert!(says_so && other["recipes"] == true, "{other}");
    let command = other["command"].as_str().unwrap();
    assert!(command.contains(" --recipe 5 --set L1Cache.issue_latency=3"), "{command}");
    for shape in [
        &["--threads", "4"][..],
        &["--operations", "100"],
        &["--think", "10"],
        &["--cache-size", "tiny"],
        &["--directories", "1"],
        &["--steady"],
    ] {
        let (says_so, told) = series(&[&["--seed", "5"], shape].concat());
        assert!(!says_so && told["recipes"] == false, "{shape:?}");
        assert_eq!(told["operations"], 2400, "{shape:?}");
    }
    // A single run is not drawn as a recipe.
    let single = output(&["simulate", "MI_example", "--check", "--seed", "5"]);
    assert!(single.contains("(4 threads, 400 operations;"), "{single}");
}

#[test]
fn runs_in_which_nothing_completed_are_no_consistent_ones() {
    let folder = Folder::new();
    let path = edited(&folder, MISSES);
    // The programs have no fences, which would complete by themselves.
    let series = ["simulate", &path, "--runs", "4", "--operations", "9", "--check"];
    let text = output_of(&series, 1);
    assert!(text.contains("  0/4  "), "{text}");
    assert!(!text.contains("  4/4  "), "{text}");
    assert!(text.contains("; 0 certificates verified"), "{text}");
    assert!(text.contains("\n12 verdicts are undecided"), "{text}");
    let told = json(&output_of(&[&series[..], &["--format", "json"]].concat(), 1));
    assert_eq!(told["faults"], 4);
    assert_eq!(told["certificates"], 0);
    for model in ["sc", "tso", "pso"] {
        assert_eq!(told["verdicts"][model]["consistent"], 0);
        assert_eq!(told["verdicts"][model]["undecided"], 4);
    }
    let single = output_of(&["simulate", &path, "--check"], 1);
    assert!(single.starts_with("undecided  sc "), "{single}");
    assert!(single.contains("no operation completed"), "{single}");
    let campaign = folder.path("c");
    let asked = [
        "campaign",
        &path,
        "--mutants",
        "none",
        "--client",
        "in-order",
        "--runs",
        "3",
        "-o",
        &campaign,
    ];
    assert!(output_of(&asked, 1).contains("3 runs; alarms: 3"));
    let told = json(&output_of(&["report", &campaign, "--format", "json"], 1));
    assert_eq!(told["alarms"]["runs"][0]["failures"], 3);
}

#[test]
fn an_empty_history_is_undecided() {
    let folder = Folder::new();
    let path = folder.file("empty.json", "{\"operations\":[]}\n");
    let why = "no operation completed, so the history says nothing about the memory";
    for command in ["check", "kernel", "explain", "shrink"] {
        let text = output_of(&[command, &path], 3);
        assert!(text.contains("undecided"), "{command}: {text}");
        assert!(text.contains(why), "{command}: {text}");
    }
    for command in ["check", "kernel", "shrink"] {
        let told = json(&output_of(&[command, &path, "--format", "json"], 3));
        assert_eq!(told["verdict"], "undecided", "{command}");
        let reason = told["reason"].as_str().unwrap();
        assert!(reason.starts_with(why), "{command}: {reason}");
    }
    rubric(&["check", "--algorithm", "all", &path]).assert().code(3);
    let proofs = folder.path("proofs");
    output_of(&["check", &path, "--certificate", &proofs], 3);
    let written = fs::read_dir(&proofs).map(Iterator::count).unwrap_or(0);
    assert_eq!(written, 0);
}
