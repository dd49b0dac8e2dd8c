//! Files without an end, pipes that nobody writes to, and links that lead back.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Stdio;
use std::time::Duration;

use super::{pipe, run_in, said};
use crate::common::{Folder, error, failure, output, rubric};

const SMALL: &str = "0: M[1] := 1\ncheck\n";

#[test]
fn files_without_an_end_are_refused() {
    let folder = Folder::new();
    let axe = folder.file("a.axe", SMALL);
    for arguments in [
        &["litmus", "/dev/zero"][..],
        &["check", &axe, "--initial", "/dev/zero"],
        &["check", &axe, "--algorithm", "deriv", "--store-order", "/dev/zero"],
        &["explore", "program", "/dev/zero"],
        &["convert", "/dev/zero", "--outcome", "x=1", "--to", "axe", "-o", "-"],
        &["protocol", "show", "/dev/zero"],
        &["verify", &axe, "/dev/zero"],
        &["check", "/dev/zero"],
    ] {
        let message = failure(arguments);
        assert!(message.contains("/dev/zero"), "{arguments:?}: {message}");
    }
}

#[test]
fn pipes_in_folders_do_not_stop_the_program() {
    let folder = Folder::new();
    let path = |name: &str| folder.path(name);
    fs::create_dir(path("runs")).unwrap();
    fs::create_dir(path("tests")).unwrap();
    for name in ["b.axe", "b.parquet", "b.slicc", "debug.out", "log"] {
        pipe(&path(&format!("runs/{name}")));
    }
    fs::write(path("runs/a.axe"), SMALL).unwrap();
    output(&["check", &path("runs")]);
    pipe(&path("tests/b.litmus"));
    let message = error(&["litmus", &path("tests")]);
    assert!(message.contains("no file in it"), "{message}");
    // Suggests protocols of the folder, of which one is a pipe.
    fs::write(path("runs/part.sm"), "machine(").unwrap();
    error(&["protocol", "show", &path("runs/part.sm")]);
}

#[test]
fn a_pipe_that_nobody_writes_to_meets_the_time_limit() {
    let folder = Folder::new();
    folder.file("a.axe", SMALL);
    pipe(&folder.path("a.cert"));
    let own = folder.0.path().to_str().unwrap();
    let arguments = ["verify", "a.axe", "a.cert", "--timeout", "0.05"];
    let run = run_in(own, &arguments, Stdio::null(), Stdio::piped());
    let (message, status) = said(&run);
    assert!(message.contains("a.cert: undecided: timed out after 0.05 s"), "{message}");
    assert_eq!(status, Some(3));
}

#[test]
fn links_that_lead_back_are_not_followed() {
    let folder = Folder::new();
    for name in ["one", "two"] {
        // Following both would visit 2^40 folders before the system refuses.
        symlink(".", folder.path(name)).unwrap();
    }
    let test = "X86_64 T\n{ }\n P0          ;\n movl $1,(x) ;\nexists (x=1)\n";
    folder.file("t.litmus", test);
    folder.file("a.axe", SMALL);
    let own = folder.0.path().to_str().unwrap();
    // A walk that follows them is killed, and has no status.
    let ended = |arguments: &[&str], status| {
        rubric(arguments).timeout(Duration::from_secs(60)).assert().code(status);
    };
    ended(&["check", own], 0);
    ended(&["litmus", own], 0);
    ended(&["report", own], 2);
}
