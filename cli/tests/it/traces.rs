//! `rubric simulate --runs N -o DIR`: the traces of many runs.

use std::fs;

use crate::common::{Folder, output};

/// The files below a folder, sorted by name.
fn files_below(folder: &str) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.to_str().unwrap().to_owned();
        files.extend(if path.is_dir() { files_below(&name) } else { vec![name] });
    }
    files.sort();
    files
}

#[test]
fn many_runs_leave_a_trace_each() {
    let folder = Folder::new();
    let traces = folder.path("traces");
    let args = ["simulate", "MI_example", "--threads", "2", "--operations", "30"];
    let series = ["--seed", "8", "--runs", "4", "-o", &traces];
    let said = output(&[&args[..], &series].concat());
    assert!(said.ends_with(&format!("written: 4 traces in {traces}\n")), "{said}");
    let names = ["08", "09", "10", "11"].map(|seed| format!("{traces}/{seed}.trace.gz"));
    assert_eq!(files_below(&traces), names);
    // The trace of a seed equals that of a single run with this seed.
    let alone = folder.path("alone.trace.gz");
    output(&[&args[..], &["--seed", "10", "-q", "-o", &alone]].concat());
    assert_eq!(fs::read(&alone).unwrap(), fs::read(&names[2]).unwrap());
    assert!(output(&["check", &traces]).contains("10.trace.gz  "), "{traces}");

    // Programs are drawn from seeds, and each protocol and kind of core has its own folder.
    let several = folder.path("several");
    let args = ["simulate", "MI_example", "MESI_Two_Level", "--client", "in-order,store-buffer"];
    output(&[&args[..], &["--runs", "2", "-o", &several]].concat());
    let below = |cell: &str| [1, 2].map(|seed| format!("{several}/{cell}/{seed}.trace.gz"));
    let cells = [
        "MESI_Two_Level-in-order",
        "MESI_Two_Level-store-buffer-8",
        "MI_example-in-order",
        "MI_example-store-buffer-8",
    ];
    assert_eq!(files_below(&several), cells.map(below).concat());
    let drawn = ["simulate", "MI_example", "--recipe", "2", "-q", "-o", &alone];
    output(&drawn);
    assert_eq!(fs::read(&alone).unwrap(), fs::read(&below(cells[2])[1]).unwrap());
}

#[test]
fn an_interrupted_series_leaves_whole_traces() {
    let folder = Folder::new();
    let traces = folder.path("traces");
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(["simulate", "MI_example", "--runs", "1000000", "-o", &traces])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let count = || fs::read_dir(&traces).map_or(0, Iterator::count);
    while count() < 5 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let killed =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.unwrap().success());
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(130));
    let files = files_below(&traces);
    // What was done is shown.
    let [shown, said] = [done.stdout, done.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(shown.contains(&format!("written: {} traces", files.len())), "{shown}");
    let message = format!("interrupted: {} of 1000000 runs were made", files.len());
    assert!(said.contains(&message), "{said}");
    assert!(files.iter().all(|name| name.ends_with(".trace.gz")), "{files:?}");
    // A truncated trace could not be read.
    assert!(files.len() >= 5);
    for file in files {
        let said = output(&["check", &file]);
        assert!(said.starts_with("consistent ") && !said.contains("incomplete"), "{said}");
    }
}
