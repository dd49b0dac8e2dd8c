//! `rubric campaign --gem5`, with a program that stands in for gem5.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::STANDIN;
use crate::common::{Folder, failure, lines_of, output, output_of, rubric, with_fault};

/// The stand-in for gem5 under a name that says how it fails.
pub(super) fn binary(folder: &Folder, name: &str) -> String {
    let path = folder.path(&format!("{name}.opt"));
    symlink(&*STANDIN, &path).unwrap();
    path
}

/// The arguments of a campaign in a folder.
fn arguments<'a>(binaries: &[&'a str], output: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let fixed = ["campaign", "MI_example", "--quiet", "-o", output, "--gem5"];
    [&fixed[..], binaries, more].concat()
}

/// The rows of a campaign's journal.
fn rows(output: &str) -> Vec<Value> {
    let text = fs::read_to_string(format!("{output}/runs.jsonl")).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.map(|line| line["row"].clone()).collect()
}

#[test]
fn mutants_are_binaries() {
    let folder = Folder::new();
    let (plain, wrong) = (binary(&folder, "gem5"), binary(&folder, "forgetful"));
    let (mutant, out) = (format!("mine={wrong}"), folder.path("out"));
    let clients = ["--client", "in-order,early-8-buffer-8", "--runs", "40", "--format", "json"];
    let report = output(&arguments(&[&plain, &mutant], &out, &clients));
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["alarms"]["alarms"], serde_json::json!([]));
    let caught = &report["caught"][0];
    assert_eq!((&caught["mutant"], &caught["operator"]), (&"mine".into(), &"named".into()));
    assert_eq!(caught["clients"], serde_json::json!(["early-8-buffer-8"]));
    let command = caught["command"].as_str().unwrap();
    assert!(command.starts_with("rubric campaign MI_example --gem5 mine="), "{command}");
    let unmutated = rows(&out).into_iter().filter(|row| row["mutant"].is_null());
    assert_eq!(unmutated.clone().count(), 2 * 40);
    assert!(unmutated.into_iter().all(|row| row["outcome"] == "clean" && row["gem5"] == *plain));
    // The transitions of the unmutated binary are its coverage.
    let coverage = tables::read_coverage(&Path::new(&out).join("coverage.parquet")).unwrap();
    let taken = coverage.iter().filter(|row| row.count > 0).map(|row| &*row.event);
    assert_eq!(taken.collect::<Vec<_>>(), ["Load", "Store"]);
    // Only gem5 can repeat these runs, so the page has no cycles for them, and says so.
    let page = folder.path("page.html");
    output(&["report", &out, "-o", &page]);
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("it was made by") && page.contains("Binaries of gem5"));
}

/// The programs are those that `rubric simulate` runs with the same recipes.
#[test]
fn programs_are_those_of_recipes() {
    let folder = Folder::new();
    let (plain, out) = (binary(&folder, "gem5"), folder.path("out"));
    output(&arguments(&[&plain], &out, &["--client", "in-order", "--runs", "3", "--seed", "60"]));
    let rows = rows(&out);
    for row in &rows {
        let lineage = row["lineage"].as_str().unwrap();
        let saved = folder.path("run.json");
        output(&["simulate", "MI_example", "--recipe", lineage, "--save", &saved]);
        let simulated = fs::read_to_string(&saved).unwrap();
        let simulated: Value = serde_json::from_str(&simulated).unwrap();
        let operations = simulated["operations"].as_array().unwrap();
        let threads = operations.iter().map(|operation| operation["thread"].as_u64());
        let threads: BTreeSet<Option<u64>> = threads.collect();
        assert_eq!(row["operations"], operations.len(), "{lineage}");
        assert_eq!(row["threads"], threads.len(), "{lineage}");
    }
    assert_eq!(rows.len(), 3);
}

/// Every third program fails, and the others still run.
#[test]
fn runs_end_as_gem5_does() {
    for (name, outcome, fault, message) in [
        ("panic", "protocol-error", "invalid transition", "state IS, event Store"),
        ("deadlock", "deadlock", "deadlock", "deadlock: "),
        ("killed", "protocol-error", "abort", "killed by signal 9"),
        ("stuck", "deadlock", "deadlock", "nothing left to do"),
        ("hangs", "undecided", "time limit", "stopped at the time limit"),
        ("cut", "undecided", "cut log", "does not reach the end"),
    ] {
        let folder = Folder::new();
        let mutant = format!("mine={}", binary(&folder, name));
        let out = folder.path("out");
        let options = ["--client", "in-order", "--runs", "5", "--stop", "never", "--timeout", "2"];
        output(&arguments(&[&mutant], &out, &options));
        let rows = rows(&out);
        assert_eq!(rows.len(), 5, "{name}");
        for row in rows {
            if row["seed"].as_u64().unwrap() % 3 > 0 {
                assert_eq!(row["outcome"], "clean", "{name}: {row}");
                continue;
            }
            assert_eq!((&row["outcome"], &row["fault"]), (&outcome.into(), &fault.into()), "{row}");
            assert!(row["message"].as_str().unwrap().contains(message), "{row}");
            assert!(row["operations"].as_u64().unwrap() > 0, "{row}");
        }
    }
}

#[test]
fn campaigns_go_on() {
    let folder = Folder::new();
    let (plain, out) = (binary(&folder, "gem5"), folder.path("out"));
    let journal = PathBuf::from(format!("{out}/runs.jsonl"));
    let client = ["--client", "store-buffer-8", "--runs"];
    output(&arguments(&[&plain], &out, &[&client[..], &["3"]].concat()));
    let first = fs::read_to_string(&journal).unwrap();
    output(&arguments(&[&plain], &out, &[&client[..], &["9"]].concat()));
    assert!(fs::read_to_string(&journal).unwrap().starts_with(&first));
    assert_eq!(lines_of(&journal), 9);
    let other = binary(&folder, "other");
    let message = failure(&arguments(&[&other], &out, &[&client[..], &["9"]].concat()));
    assert!(message.contains("a campaign with other --gem5"), "{message}");
}

/// Kept traces have the program of a run, its log, the output of gem5, and a command line that repeats it.
#[test]
fn runs_are_kept_with_their_command() {
    let folder = Folder::new();
    let mutant = format!("mine={}", binary(&folder, "panic"));
    let out = folder.path("out");
    let options = ["--client", "in-order", "--runs", "3", "--keep-traces"];
    output(&arguments(&[&mutant], &out, &options));
    let kept = format!("{out}/traces/MI_example/mine.in-order.3");
    let file = |name: &str| fs::read_to_string(format!("{kept}/{name}"));
    let program = file("program.txt").unwrap();
    assert_eq!(program, output(&["generate", "program", "MI_example", "--recipe", "3"]));
    assert!(file("simout.txt").unwrap().contains("panic: "));
    let command = file("command.txt").unwrap();
    let words: Vec<&str> =
        command.split_whitespace().skip_while(|word| word.contains('=')).collect();
    assert_eq!(words[..2], [&folder.path("panic.opt"), "../../rubric.py"]);
    let system = ["--program program.txt", "--client in-order", "--num-dirs=", "--l1d_size="];
    assert!(system.iter().all(|option| command.contains(option)), "{command}");
    assert!(fs::exists(format!("{kept}/../../rubric.py")).unwrap());
    // The kept folder, and the folder of all runs, can be read like folders of gem5.
    for path in [&kept, &format!("{out}/traces"), &format!("{kept}/run.log")] {
        assert!(rubric(&["check", path]).assert().get_output().status.code() != Some(2), "{path}");
    }
    // Missing files are made again.
    fs::remove_dir_all(format!("{out}/traces")).unwrap();
    output(&arguments(&[&mutant], &out, &options));
    assert!(
        file("command.txt").unwrap() == command && fs::exists(format!("{kept}/run.log")).unwrap()
    );
}

/// When gem5 itself is killed, a new process runs the programs that are left.
#[test]
fn killed_processes_are_replaced() {
    let folder = Folder::new();
    let (mortal, out) = (binary(&folder, "mortal"), folder.path("out"));
    output(&arguments(&[&mortal], &out, &["--client", "in-order", "--runs", "9"]));
    let rows = rows(&out);
    assert_eq!(rows.len(), 9);
    assert!(rows.iter().all(|row| row["outcome"] == "clean"), "{rows:?}");
    let doomed = binary(&folder, "doomed");
    let message = failure(&arguments(&[&doomed], &folder.path("other"), &[]));
    assert!(
        message.contains("was killed by signal 9 before it had run the next program"),
        "{message}"
    );
    assert!(message.contains("warn: memory is short"), "{message}");
}

/// A signal also ends gem5 and removes its folder, and the campaign says what is stored.
#[test]
fn interrupts_leave_nothing_behind() {
    let folder = Folder::new();
    let mutant = format!("mine={}", binary(&folder, "hangs"));
    let (out, temporary) = (folder.path("out"), folder.path("tmp"));
    fs::create_dir(&temporary).unwrap();
    let fixed = ["campaign", "MI_example", "--client", "in-order", "--runs", "5", "-o", &out];
    let child = Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(fixed)
        .args(["--timeout", "600", "--gem5", &mutant])
        .env("TMPDIR", &temporary)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The run with seed 3 hangs.
    let journal = PathBuf::from(format!("{out}/runs.jsonl"));
    let start = Instant::now();
    while lines_of(&journal) < 2 && start.elapsed() < Duration::from_secs(60) {
        sleep(Duration::from_millis(10));
    }
    assert!(fs::read_dir(&temporary).unwrap().next().is_some());
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted: 2 runs are stored in "), "{said}");
    assert!(said.contains("the same command resumes the campaign"), "{said}");
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
}

#[test]
fn binaries_that_are_not_usable_are_refused() {
    let folder = Folder::new();
    let missing = folder.path("missing.opt");
    let (plain, broken) = (binary(&folder, "plain"), binary(&folder, "broken"));
    let gem5 = binary(&folder, "gem5");
    let (text, closed) = (folder.file("text.opt", "words\n"), folder.file("closed.opt", [0, 1, 2]));
    let script = folder.file("script.opt", "#!/bin/sh\necho no module m5 >&2\nexit 1\n");
    for file in [&text, &script] {
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let other = format!("mesi2-l1-is-inv-no-notify={gem5}");
    let made = format!("MESI_Two_Level/L1Cache/I.Load/drop-action:a={gem5}");
    for (binaries, options, expected) in [
        (&[&*missing][..], &[][..], "missing.opt: No such file"),
        (
            &["/bin/true"],
            &[],
            "/bin/true: is no gem5: with a script that asks what it is, it printed nothing",
        ),
        (&[&plain], &[], "was built without a protocol of Ruby"),
        (&[&broken], &[], "ended before it had run all programs"),
        (&[&broken], &[], "fatal: this gem5 is broken"),
        (&[&script], &[], "it printed nothing and the error `no module m5`"),
        (&[&text], &[], "is a text file: a binary of gem5 was expected"),
        (&[&closed], &[], "is a file that may not be executed: a binary of gem5 was expected"),
        (&[&folder.path("")], &[], "is a folder: a binary of gem5 was expected"),
        (
            &[&other],
            &[],
            "mesi2-l1-is-inv-no-notify is a mutant of MESI_Two_Level, and this binary is built with MI_example",
        ),
        (&[&made], &[], "is a mutant of MESI_Two_Level"),
        (&[&gem5], &["--flush", "10"], "MI_example handles no flushes"),
        (&[&gem5, &gem5], &[], "another binary is the unmutated protocol of MI_example"),
        (&[&gem5], &["--client", "wmo-buffer-8"], "RubricTester has no cores wmo-buffer-8"),
        (&[&gem5], &["--mutants", "none"], "cannot be used with"),
    ] {
        let out = folder.path("out");
        let message = failure(&arguments(binaries, &out, options));
        assert!(message.contains(expected), "{message}");
    }
    let other = ["campaign", "MESI_Two_Level", "--gem5", &gem5, "-o", &folder.path("other")];
    let message = failure(&other);
    assert!(message.contains("is built with MI_example, which is not among"), "{message}");
}

/// A gem5 with several protocols runs those that the command names, and is told which.
#[test]
fn a_binary_may_have_several_protocols() {
    let folder = Folder::new();
    let (several, out) = (binary(&folder, "several"), folder.path("out"));
    let both = ["campaign", "MI_example", "MOESI_hammer", "MESI_Two_Level", "-q", "-o", &out];
    output(&[&both[..], &["--gem5", &several, "--client", "in-order", "--runs", "3"]].concat());
    let protocols = rows(&out).into_iter().map(|row| row["protocol"].to_string());
    let expected = ["\"MI_example\"", "\"MOESI_hammer\""].map(|name| (name.to_owned(), 3));
    let mut counts = std::collections::BTreeMap::new();
    protocols.for_each(|name| *counts.entry(name).or_insert(0) += 1);
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected);
    let mutant = format!("mine={several}");
    let message = failure(&[&both[..], &["--gem5", &mutant]].concat());
    assert!(message.contains("so mine may be a mutant of each"), "{message}");
}

/// A mutant that rubric knows has its operator in the results, and an unmutated protocol that fails is an alarm.
#[test]
fn alarms_are_of_unmutated_binaries() {
    let folder = Folder::new();
    let wrong = binary(&folder, "panic");
    let mutant = format!("mi-l1-nack-before-forward={}", binary(&folder, "deadlock"));
    let out = folder.path("out");
    let options = ["--client", "in-order", "--runs", "3", "--format", "json"];
    let report = output_of(&arguments(&[&wrong, &mutant], &out, &options), 1);
    let report: Value = serde_json::from_str(&report).unwrap();
    let alarms = report["alarms"]["alarms"].as_array().unwrap();
    assert_eq!(alarms.len(), 1);
    assert!(alarms[0]["message"].as_str().unwrap().contains("invalid transition"), "{report}");
    // The mutant is not counted as found, because the unmutated protocol fails with the same program.
    assert_eq!(report["caught"], serde_json::json!([]));
}

/// A long list names the command that prints all of its rows.
#[test]
fn long_lists_name_the_command_that_prints_all() {
    let folder = Folder::new();
    let (wrong, out) = (binary(&folder, "panic"), folder.path("out"));
    let text = output_of(&arguments(&[&wrong], &out, &["--client", "in-order", "--runs", "40"]), 1);
    // Of seeds 1 to 40, 13 are multiples of three, and 10 are shown.
    let more = format!("and 3 more (`rubric report {out} --all` shows them)");
    assert!(text.contains(&more), "{text}");
    assert!(!output_of(&["report", &out, "--all"], 1).contains(" more ("));
}

/// If rubric's simulator finds the same failure, known faults of the released protocol explain it.
#[test]
fn known_faults_explain_alarms() {
    let folder = Folder::new();
    let (wrong, out) = (binary(&folder, "deadlock"), folder.path("out"));
    let protocol = with_fault(folder.0.path(), "mi-l1-forward-blocks-queue");
    let fixed = ["campaign", &protocol, "--quiet", "-o", &out, "--gem5", &wrong];
    let text = output_of(&[&fixed[..], &["--client", "in-order", "--runs", "40"]].concat(), 1);
    assert!(text.contains("known: mi-l1-forward-blocks-queue"), "{text}");
}
