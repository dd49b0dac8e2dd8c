//! Runs an example.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use crate::examples::expected;
use crate::examples::long;
use crate::examples::pages::Example;
use crate::examples::place::Place;

/// Time limit of an example, in seconds. One that takes longer is made smaller, or listed as long.
const LIMIT: u32 = 120;

/// Time after which a long example is stopped, in seconds: enough to read its options and to begin.
const BEGUN: u32 = 1;

/// Most lines of output that a failure shows.
const SHOWN: usize = 20;

/// Exit statuses of `rubric` that are no failures: done, or a verdict.
const VERDICTS: [&str; 3] = ["0", "1", "3"];

/// Exit statuses of `timeout` if it stopped a command.
const STOPPED: [i32; 2] = [124, 137];

/// How a command ended.
#[derive(Clone)]
struct Ran {
    /// What the shell printed, and its status.
    output: Output,
    /// The exit status and the arguments of each run of `rubric`, a line each.
    statuses: String,
}

/// The commands that read and write no files. Several pages have them, some with seconds of work.
static WITHOUT_FILES: LazyLock<Mutex<HashMap<String, Arc<OnceLock<Ran>>>>> =
    LazyLock::new(Mutex::default);

/// Runs an example, unless it reads and writes no files and another page had it before.
///
/// # Errors
/// Returns a description of what is broken.
pub(super) fn run(place: &Place, example: &Example) -> Result<(), String> {
    let is_long = long::is_listed(example);
    let command = example.words();
    let ran = if is_long {
        // A command that is stopped leaves files behind that the examples after it do not expect.
        shell(&place.copy(), "unfilled", &example.command, BEGUN)
    } else if needs_no_files(command, &place.path("here")) {
        let once = Arc::clone(WITHOUT_FILES.lock().unwrap().entry(command.to_owned()).or_default());
        once.get_or_init(|| shell(place, "here", command, LIMIT)).clone()
    } else {
        shell(place, "here", &example.command, LIMIT)
    };
    let printed = String::from_utf8_lossy(&ran.output.stdout).into_owned();
    let failed = |what: String| {
        let some: Vec<&str> = printed.lines().take(SHOWN).collect();
        Err(format!("  {what}; it printed\n    {}", some.join("\n    ")))
    };
    for line in ran.statuses.lines() {
        let (status, command) = line.split_once(' ').unwrap_or((line, ""));
        if !VERDICTS.contains(&status) {
            return failed(format!("`rubric {command}` ended with status {status}"));
        }
    }
    let status = ran.output.status.code();
    let was_stopped = status.is_none_or(|status| STOPPED.contains(&status));
    match status {
        _ if was_stopped && is_long => return Ok(()),
        _ if was_stopped => {
            return failed(format!(
                "it took more than {LIMIT} s: make it smaller, or list it in cli/tests/it/examples/long.rs"
            ));
        }
        // The shell has the status of the last command of the pipeline.
        Some(0 | 1 | 3) => {}
        status => return failed(format!("the shell ended with status {status:?}")),
    }
    if example.output.is_empty() {
        return Ok(());
    }
    match expected::difference(&example.output, &printed) {
        None => Ok(()),
        Some(what) => failed(what),
    }
}

/// Whether a command prints the same in every folder: it is of `simulate` or `explore`, whose runs are the same each time, it writes
/// no file, and none of its words is a path or the name of a file in the folder.
fn needs_no_files(command: &str, folder: &Path) -> bool {
    ["rubric simulate ", "rubric explore "].iter().any(|start| command.starts_with(start))
        && command.split_whitespace().skip(2).all(|word| {
            word != "-o" && !word.contains(['/', '.', '>', '|', '=']) && !folder.join(word).exists()
        })
}

/// Runs a command in a shell in a folder of the place, and stops it with all of its processes after `limit` seconds. Its standard
/// error is part of its output.
fn shell(place: &Place, folder: &str, command: &str, limit: u32) -> Ran {
    let log = place.path("statuses");
    fs::write(&log, "").unwrap();
    let home = place.path("home");
    // `/tmp` of the page is a folder of the place.
    let command = command.replace("/tmp/", &format!("{}/", place.path("tmp").display()));
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("timeout");
    shell
        .args(["--signal=KILL", &limit.to_string(), "bash", "-c"])
        .arg(format!("exec 2>&1; {command}"))
        .current_dir(place.path(folder))
        .env("HOME", &home)
        .env("PATH", format!("{}:{path}", place.path("bin").display()))
        .env("RUBRIC_STATUSES", &log)
        .env("NO_COLOR", "1")
        .stdin(std::process::Stdio::null());
    let output = shell.output().expect("timeout and bash are there");
    Ran { output, statuses: fs::read_to_string(&log).unwrap() }
}

/// Makes the programs that examples run: the tested `rubric`, which records its exit statuses, and stand-ins for programs that
/// need not be installed, which take the same arguments.
pub(super) fn programs(bin: &Path, trace: &Path) {
    let rubric = env!("CARGO_BIN_EXE_rubric");
    program(
        bin,
        "rubric",
        &format!(
            "'{rubric}' \"$@\"\nstatus=$?\necho \"$status $*\" >> \"$RUBRIC_STATUSES\"\nexit $status"
        ),
    );
    program(bin, "gem5.opt", &format!("zcat '{}'", trace.display()));
    program(bin, "dot", "head -1 | grep -q digraph && echo %PDF && cat > /dev/null");
    program(bin, "jq", "python3 -c 'import json, sys; json.load(sys.stdin)'");
    program(bin, "less", "cat");
    program(bin, "man", "head -1 \"$1\"");
    for compiler in ["riscv64-linux-gnu-gcc", "aarch64-linux-gnu-gcc"] {
        let makes = "for word; do case $word in *.c) source=$word;; esac; made=$word; done";
        program(
            bin,
            compiler,
            &format!("{makes}\ngrep -q 'int main' \"$source\" && touch \"$made\""),
        );
    }
    // An emulator and another machine, on which programs take longer than an example may.
    for runner in ["qemu-riscv64", "ssh"] {
        program(bin, runner, "sleep 20");
    }
}

fn program(bin: &Path, name: &str, text: &str) {
    let path = bin.join(name);
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    let status = Command::new("chmod").arg("+x").arg(&path).status();
    assert!(status.unwrap().success());
}
