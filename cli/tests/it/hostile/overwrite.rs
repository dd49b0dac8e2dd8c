//! No command writes over one of its inputs, whatever the output is called.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;

use super::{run_in, said};
use crate::common::{Folder, TRACES, edited_mi_example, error, failure, output, output_of};

/// A history that violates SC, so that `shrink` and `explain` have something to write.
const STALE: &str = "0: M[1] := 1\n0: M[1] == 0\ncheck\n";

/// Names that all lead to the file `name` of a folder.
fn names_of(folder: &Folder, name: &str) -> Vec<String> {
    let (path, folder) = (folder.path(name), folder.0.path());
    let other = |kind: &str| {
        let other = folder.join(format!("{kind}-{name}"));
        let _ = fs::remove_file(&other);
        other
    };
    fs::hard_link(&path, other("hard")).unwrap();
    symlink(name, other("soft")).unwrap();
    symlink(format!("soft-{name}"), other("softer")).unwrap();
    let with_dots = folder.join(".").join("..").join(folder.file_name().unwrap()).join(name);
    let links = ["hard", "soft", "softer"].map(|kind| folder.join(format!("{kind}-{name}")));
    let mut names = vec![path, with_dots.to_str().unwrap().to_owned()];
    names.extend(links.iter().map(|link| link.to_str().unwrap().to_owned()));
    names
}

/// Runs the command once for each name of the file `name`, in place of `OUT`. Each must be refused, and leave the file as it is.
fn refused(folder: &Folder, name: &str, command: &[&str]) {
    let before = fs::read(folder.path(name)).unwrap();
    for output in names_of(folder, name) {
        let arguments: Vec<&str> =
            command.iter().map(|word| if *word == "OUT" { &*output } else { word }).collect();
        let message = failure(&arguments);
        assert!(message.contains("also an input"), "{arguments:?}: {message}");
        assert_eq!(fs::read(folder.path(name)).unwrap(), before, "{arguments:?}");
    }
}

#[test]
fn histories() {
    let folder = Folder::new();
    let axe = folder.file("a.axe", STALE);
    let (json, parquet) = (folder.path("a.jsonl"), folder.path("a.parquet"));
    output(&["convert", "-q", &axe, "-o", &json]);
    output(&["convert", "-q", &axe, "-o", &parquet]);
    for (name, path) in [("a.axe", &axe), ("a.jsonl", &json), ("a.parquet", &parquet)] {
        refused(&folder, name, &["convert", path, "-o", "OUT"]);
        refused(&folder, name, &["convert", &axe, path, "-o", "OUT"]);
        refused(&folder, name, &["shrink", path, "-o", "OUT"]);
    }
    for (name, path) in [("a.jsonl", &json), ("a.parquet", &parquet)] {
        refused(&folder, name, &["check", path, "-o", "OUT"]);
        refused(&folder, name, &["check", &axe, path, "-o", "OUT"]);
        refused(&folder, name, &["check", folder.0.path().to_str().unwrap(), "-o", "OUT"]);
    }
    refused(&folder, "a.axe", &["convert", &axe, "OUT"]);
    refused(&folder, "a.axe", &["explain", &axe, "--to", "svg", "-o", "OUT"]);
    refused(&folder, "a.parquet", &["ingest", &parquet, "-o", "OUT"]);
    refused(&folder, "a.jsonl", &["watch", &json, "--keep", "OUT"]);
}

#[test]
fn files_beside_histories() {
    let folder = Folder::new();
    let axe = folder.file("a.axe", STALE);
    // Tables of initial values and store orders may have any name.
    let initial = folder.file("initial.csv", "1 0\n");
    refused(&folder, "initial.csv", &["check", &axe, "--initial", &initial, "-o", "OUT"]);
    let order = folder.file("order.md", "1: 1\n");
    let check = ["check", &axe, "--algorithm", "deriv", "--store-order", &order, "-o", "OUT"];
    refused(&folder, "order.md", &check);
    // The files that `watch` makes have the name of the kept one.
    let json = folder.path("kept.jsonl");
    let trace = folder.file("kept.svg", fs::read(Path::new("..").join(TRACES[5])).unwrap());
    let before = fs::read(&trace).unwrap();
    let message = failure(&["watch", &trace, "--keep", &json, "--on-violation", "explain"]);
    assert!(message.contains("also an input"), "{message}");
    assert_eq!(fs::read(&trace).unwrap(), before);
}

#[test]
fn protocols_and_what_they_include() {
    let folder = Folder::new();
    let protocol = edited_mi_example(folder.0.path(), "", "", "");
    let included = "MI_example-cache.sm";
    let link = folder.path("table.axe");
    fs::hard_link(folder.path(included), &link).unwrap();
    let before = fs::read(folder.path(included)).unwrap();
    let message = failure(&["simulate", &protocol, "--operations", "10", "--save", &link]);
    assert!(message.contains("also an input"), "{message}");
    let page = folder.path("page.html");
    symlink(&protocol, &page).unwrap();
    for arguments in [
        &["protocol", "show", &protocol, "-o", &page][..],
        &["test", &protocol, "-o", &page],
        &["diff", "MI_example", &protocol, "-o", &page],
    ] {
        let message = failure(arguments);
        assert!(message.contains("also an input"), "{arguments:?}: {message}");
    }
    assert_eq!(fs::read(folder.path(included)).unwrap(), before);
}

#[test]
fn standard_input_and_output() {
    let folder = Folder::new();
    let path = folder.file("a.axe", STALE);
    let own = folder.0.path().to_str().unwrap();
    let open = || Stdio::from(File::open(&path).unwrap());
    let run = run_in(own, &["convert", "-", "-o", "a.axe"], open(), Stdio::piped());
    assert!(said(&run).0.contains("also an input"), "{:?}", said(&run));
    // As a shell does for `rubric check a.axe >> a.axe`.
    let append = || Stdio::from(File::options().append(true).open(&path).unwrap());
    for (arguments, input) in [(&["check", "a.axe"][..], Stdio::null()), (&["check", "-"], open())]
    {
        let run = run_in(own, arguments, input, append());
        let (message, status) = said(&run);
        assert!(message.contains("redirected to this input"), "{message}");
        assert_eq!(status, Some(2));
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), STALE);
}

#[test]
fn a_certificate_that_does_not_exist_removes_no_input() {
    let folder = Folder::new();
    // The name is that of the certificate of an undecided verdict, which would be removed as outdated.
    let path = folder.file("a.sc.cert", "0: M[1] := 1\ncheck\n");
    fs::hard_link(&path, folder.path("a")).unwrap();
    let own = folder.0.path().to_str().unwrap();
    let arguments = ["check", "a", "--algorithm", "saturate", "--certificate", "."];
    let run = run_in(own, &arguments, Stdio::null(), Stdio::piped());
    let (message, status) = said(&run);
    assert!(message.contains("also an input"), "{message}");
    assert_eq!(status, Some(2));
    assert!(Path::new(&path).exists());
}

#[test]
fn a_file_that_is_no_journal_keeps_its_last_line() {
    let folder = Folder::new();
    let notes = folder.file("notes.jsonl", "what I must not forget");
    let row = folder.file("rows.jsonl", "{\"mine\": 1}\n{\"half");
    for path in [&notes, &row] {
        let before = fs::read(path).unwrap();
        let arguments = ["explore", "sizes", "MI_example", "--size", "1x1", "-q", "-o", path];
        failure(&arguments);
        assert_eq!(fs::read(path).unwrap(), before, "{path}");
    }
}

#[test]
fn another_output_is_written() {
    let folder = Folder::new();
    let axe = folder.file("a.axe", STALE);
    let old = folder.file("old.csv", "from an earlier run\n");
    output_of(&["check", &axe, "-o", &old], 1);
    assert!(fs::read_to_string(&old).unwrap().starts_with("file,"));
    assert!(error(&["check", &axe, "-o", &axe]).contains("a name that ends in"));
}
