//! Many traces at once: folders, patterns, tables of verdicts, files that cannot be read.

use std::fs;
use std::path::Path;

use crate::common::{Folder, error, output, output_of, rubric};

const VIOLATION: &str = "fixtures/traces/mi-fwdgetx-keeps-m-3x60-41.trace.gz";
const CONSISTENT: &str = "fixtures/traces/mi-2x50-io-11.trace.gz";

/// Makes a folder with two folders of traces, one of which is damaged, a run of gem5, and files that are no traces.
fn traces() -> Folder {
    let folder = Folder::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for below in ["a", "b/deep", "b/m5out"] {
        fs::create_dir_all(folder.path(below)).unwrap();
    }
    let copy = |from: &str, to: &str| fs::copy(root.join(from), folder.path(to)).unwrap();
    copy(CONSISTENT, "a/1.trace.gz");
    copy(VIOLATION, "a/2.trace.gz");
    copy(CONSISTENT, "b/deep/1.trace.gz");
    copy(CONSISTENT, "b/m5out/trace.out.gz");
    folder.file("b/m5out/config.json", "{}");
    let half = fs::read(root.join(CONSISTENT)).unwrap();
    folder.file("b/cut.trace.gz", &half[..half.len() / 2]);
    folder.file("a/README.md", "no trace");
    folder.file("a/.hidden.trace", "no trace");
    output(&["ingest", CONSISTENT, "--quiet", "-o", &folder.path("a/3.parquet")]);
    folder
}

/// The names in the first column of the last table, relative to the folder.
fn listed(text: &str, folder: &Folder) -> Vec<String> {
    let (_, table) = text.split_once("\nhistory ").unwrap();
    let rows = table.lines().skip(1).take_while(|line| !line.is_empty());
    let names = rows.filter_map(|row| row.split("  ").next());
    names.map(|name| name.trim().trim_start_matches(&folder.path("")).to_owned()).collect()
}

#[test]
fn a_table_for_the_comment_of_a_pull_request() {
    let folder = traces();
    let file = folder.path("verdicts.md");
    let models = ["check", "--model", "sc,tso", "--quiet"];
    output_of(&[&models[..], &[&folder.path(""), "-o", &file]].concat(), 2);
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.starts_with("6 traces: **1** with a violation, **1** cannot be checked.\n\n"),
        "{text}"
    );
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(
        rows[..2],
        ["| trace | threads | operations | sc | tso |  |", "|---|---|---|---|---|---|"]
    );
    assert!(
        rows[2].ends_with("a/2.trace.gz | 3 | 180 | violation | consistent | line 956 |"),
        "{text}"
    );
    assert!(
        rows[3].contains("b/cut.trace.gz |  |  | error |  | ")
            && rows[3].ends_with("use --lossy to keep what is good |"),
        "{text}"
    );
    assert!(rows.iter().all(|row| row.matches('|').count() == 7), "{text}");
    assert_eq!(rows.len(), 8);
}

#[test]
fn a_folder_is_all_traces_in_it() {
    let folder = traces();
    let run = rubric(&["check", &folder.path("")]).output().unwrap();
    // An unreadable file decides the status even if there is a violation.
    assert_eq!(run.status.code(), Some(2));
    let (text, errors) =
        (String::from_utf8(run.stdout).unwrap(), String::from_utf8(run.stderr).unwrap());
    let expected = [
        "a/2.trace.gz",
        "b/cut.trace.gz",
        "a/1.trace.gz",
        "a/3.parquet",
        "b/deep/1.trace.gz",
        "b/m5out",
    ];
    assert_eq!(listed(&text, &folder), expected);
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.contains("b/cut.trace.gz"), "{errors}");
    // The numbers of a folder: traces, violations, crashes, undecided, and not checked.
    let numbers = |below: &str| {
        let path = folder.path(below);
        let line = text.lines().find(|line| line.split_whitespace().next() == Some(&path));
        let line = line.unwrap_or_else(|| panic!("{below}: {text}"));
        line.split_whitespace().skip(1).map(|word| word.parse().unwrap()).collect::<Vec<u32>>()
    };
    assert_eq!(numbers("a"), [3, 1, 0, 0, 0]);
    assert_eq!(numbers("b"), [2, 0, 0, 0, 1]);
    assert_eq!(numbers("b/deep"), [1, 0, 0, 0, 0]);
}

#[test]
fn the_number_of_jobs_changes_nothing() {
    let folder = traces();
    let run = |jobs: &str| {
        let (proofs, table) =
            (folder.path(&format!("proofs{jobs}")), folder.path(&format!("{jobs}.csv")));
        let path = folder.path("");
        let arguments = [
            "check",
            "--jobs",
            jobs,
            "--model",
            "sc,tso",
            "--certificate",
            &proofs,
            "-o",
            &table,
            &path,
        ];
        let text = String::from_utf8(rubric(&arguments).output().unwrap().stdout).unwrap();
        let text = text.replace(&proofs, "proofs");
        let timeless = |line: &str| line.split("; ").next().unwrap().to_owned();
        let text: Vec<String> = text.lines().map(timeless).collect();
        let names = fs::read_dir(&proofs).unwrap();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        (text, names)
    };
    let (text, names) = run("1");
    assert_eq!(run("4"), (text, names.clone()));
    // Files with the same name have separate certificates.
    for name in
        ["1.trace.gz.sc.cert", "1.trace.gz~2.sc.cert", "2.trace.gz.tso.cert", "m5out.tso.cert"]
    {
        assert!(names.iter().any(|one| one == name), "{name}: {names:?}");
    }
    assert_eq!(names.len(), 2 * 5);
}

#[test]
fn tables_have_a_row_for_each_verdict() {
    let folder = traces();
    let parquet = folder.path("verdicts.parquet");
    let printed = output_of(
        &["check", "--format", "csv", "--model", "sc,tso", "-o", &parquet, &folder.path("")],
        2,
    );
    let mut lines = printed.lines();
    let heading = lines.next().unwrap();
    assert!(
        heading.starts_with("file,folder,history,model,verdict,algorithm,decided_by,threads"),
        "{heading}"
    );
    let verdicts: Vec<(String, String)> = lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            (cells[3].to_owned(), cells[4].to_owned())
        })
        .collect();
    let word = |model: &str, verdict: &str| (model.to_owned(), verdict.to_owned());
    assert_eq!(verdicts.len(), 2 * 5 + 1);
    assert_eq!(
        verdicts[..3],
        [word("sc", "violation"), word("tso", "consistent"), word("", "error")]
    );
    // The rows can be stored as a table, which other commands refuse, because it is not one of theirs.
    let message = error(&["check", &parquet]);
    assert!(message.contains("column"), "{message}");
    let message = error(&["check", "-o", "verdicts.xls", CONSISTENT]);
    assert!(
        message.contains("a name that ends in .csv, .json, .jsonl, .md or .parquet was expected"),
        "{message}"
    );
    let message = error(&["check", "--format", "parquet", CONSISTENT]);
    assert!(message.contains("-o FILE.parquet"), "{message}");
}

#[test]
fn patterns_stand_for_files() {
    let folder = traces();
    let text = output(&["check", &folder.path("*/1.trace.gz"), &folder.path("**/deep/*")]);
    // A file that matches two patterns is checked once.
    assert_eq!(listed(&text, &folder), ["a/1.trace.gz", "b/deep/1.trace.gz"]);
    for nothing in [folder.path("*.none"), folder.path("proofs")] {
        let _ = fs::create_dir(folder.path("proofs"));
        let _ = fs::create_dir(folder.path("proofs/empty"));
        let message = error(&["check", &nothing]);
        assert!(
            message.contains(&nothing) && message.contains("there is no trace in it"),
            "{message}"
        );
    }
}

#[test]
fn many_files_are_a_table_alone() {
    let folder = Folder::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for number in 0..50 {
        let from = if number % 10 == 3 { VIOLATION } else { CONSISTENT };
        fs::copy(root.join(from), folder.path(&format!("{number:02}.trace.gz"))).unwrap();
    }
    let text = output_of(&["check", &folder.path("")], 1);
    let violations: Vec<String> = (0..5).map(|tens| format!("{tens}3.trace.gz")).collect();
    assert_eq!(listed(&text, &folder), violations);
    for line in ["50 histories", "sc   violation  5", "sc   consistent 45"] {
        assert!(text.lines().any(|one| one == line), "{line}: {text}");
    }
    assert!(!text.contains("note:"), "{text}");
}

#[test]
fn other_commands_take_many_traces() {
    let folder = traces();
    let (runs, all) = (folder.path("a"), folder.path("all.parquet"));
    output(&["ingest", &runs, "--quiet", "-o", &all]);
    let text = output_of(&["check", &all], 1);
    for name in ["a/1.trace.gz", "a/2.trace.gz", "a/3.parquet"] {
        assert!(text.contains(&format!("{all}: {}", folder.path(name))), "{name}: {text}");
    }
    assert!(Path::new(&folder.path("all.transitions.parquet")).exists());
    let json = folder.path("all.jsonl");
    output(&["convert", &runs, "-o", &json]);
    assert_eq!(fs::read_to_string(&json).unwrap().lines().count(), 3);
    // Unreadable files are left out, and the rest is written.
    let run =
        rubric(&["ingest", &folder.path("b"), "-o", &folder.path("b.parquet")]).output().unwrap();
    assert_eq!(run.status.code(), Some(2));
    assert!(output(&["check", &folder.path("b.parquet")]).contains("m5out"));
    let stats = rubric(&["stats", "--format", "json", &folder.path("b")]).output().unwrap();
    assert_eq!(stats.status.code(), Some(2));
    assert_eq!(String::from_utf8(stats.stdout).unwrap().lines().count(), 2);
}

#[test]
fn names_are_sorted_as_people_do_and_mutants_have_a_column() {
    let folder = Folder::new();
    let mutant = "mi-dir-putx-not-written";
    for seed in ["1", "2", "10"] {
        let path = folder.path(&format!("t{seed}.trace.gz"));
        let args = ["simulate", "MI_example", "--operations", "40", "--seed", seed, "-q"];
        let mutated: &[&str] = if seed == "1" { &["--mutant", mutant] } else { &[] };
        rubric(&[&args[..], &["-o", &path], mutated].concat()).assert().success();
    }
    let (csv, parquet) = (folder.path("all.csv"), folder.path("all.parquet"));
    let given = ["t10", "t2", "t1"].map(|name| folder.path(&format!("{name}.trace.gz")));
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    let args = [&["check"], &given[..], &["-o", &csv, "-o", &parquet]].concat();
    let text = String::from_utf8(rubric(&args).output().unwrap().stdout).unwrap();
    let expected = ["t1.trace.gz", "t2.trace.gz", "t10.trace.gz"];
    assert_eq!(listed(&text, &folder), expected);
    assert_eq!(text.matches(mutant).count(), 1, "{text}");
    // Every output has all rows.
    let table = fs::read_to_string(&csv).unwrap();
    assert!(table.lines().next().unwrap().contains(",protocol,mutant,ended,"), "{table}");
    let of_mutant = |line: &&str| line.contains("t1.trace.gz") == line.contains(mutant);
    assert_eq!((table.lines().count(), table.lines().filter(of_mutant).count()), (4, 4));
    let rows = tables::read_verdicts(Path::new(&parquet)).unwrap();
    let mutants: Vec<&str> = rows.iter().filter_map(|row| row.mutant.as_deref()).collect();
    assert_eq!((rows.len(), &mutants[..]), (3, &[mutant][..]));
    // The folder is read in the same order; a table of verdicts in it is no trace.
    assert_eq!(listed(&output_of(&["check", &folder.path("")], 1), &folder), expected);
}

/// The output that a command writes to a terminal; `None` if `script`, which simulates a terminal, is not installed.
#[cfg(target_os = "linux")]
fn on_a_terminal(arguments: &[&str]) -> Option<String> {
    let program = assert_cmd::cargo::cargo_bin("rubric");
    let command = format!("{} {}", program.display(), arguments.join(" "));
    let script = std::process::Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .stdin(std::process::Stdio::null())
        .output();
    script.ok().map(|ran| String::from_utf8_lossy(&ran.stdout).into_owned())
}

/// The progress line is erased before an error is printed, and shows no estimate before there is one.
#[test]
#[cfg(target_os = "linux")]
fn errors_have_a_line_of_their_own() {
    let folder = Folder::new();
    let trace = fs::read(Path::new("..").join(CONSISTENT)).unwrap();
    for number in 0..50 {
        let end = if number % 10 == 5 { trace.len() / 2 } else { trace.len() };
        folder.file(&format!("{number}.trace.gz"), &trace[..end]);
    }
    let Some(text) = on_a_terminal(&["check", &folder.path("")]) else { return };
    let before: Vec<&str> = text.split("rubric: error: ").collect();
    assert_eq!(before.len(), 1 + 5, "{text}");
    for part in &before[..5] {
        let is_at_start = part.is_empty() || part.ends_with('\n') || part.ends_with("\x1b[2K");
        assert!(is_at_start, "{part:?}");
    }
    assert!(text.contains(" of 50 inputs"), "{text}");
    assert!(!text.contains("0s left"), "{text}");
}

#[test]
fn convert_names_each_trace_that_is_incomplete() {
    let folder = Folder::new();
    let whole = output(&["simulate", "MI_example", "--operations", "50"]);
    let half = whole[..whole.len() / 2].rsplit_once('\n').unwrap().0;
    let files = [("whole", &*whole), ("a", half), ("b", half)]
        .map(|(name, text)| folder.file(&format!("{name}.trace"), format!("{text}\n")));
    let together = folder.path("together.json");
    let mut arguments = vec!["convert"];
    arguments.extend(files.iter().map(String::as_str));
    arguments.extend(["-o", &together]);
    let ran = rubric(&arguments).assert().code(0);
    let said = String::from_utf8_lossy(&ran.get_output().stderr).into_owned();
    let named = files.each_ref().map(|file| said.contains(&format!("{file}: trace incomplete")));
    assert_eq!(named, [false, true, true], "{said}");
}
