//! A model that is only a row of the table works in every command that takes models. The example is IBM 370, which is TSO without
//! forwarding.

use crate::common;
use crate::common::{Folder, output, output_of};
use serde_json::Value;

/// Store buffering in which each thread reads its own store first: TSO serves that from the buffer, IBM 370
/// waits until the store has reached memory.
const OWN_READS: &str = "0: M[0] := 1\n\
    0: M[0] == 1\n\
    0: M[1] == 0\n\
    1: M[1] := 1\n\
    1: M[1] == 1\n\
    1: M[0] == 0\n";

fn verdicts(models: &str, file: &str, status: i32) -> Vec<(String, String)> {
    let text = output_of(&["check", "--format", "json", "--model", models, file], status);
    let pair = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| line[name].as_str().unwrap().to_owned();
        (field("model"), field("verdict"))
    };
    text.lines().map(pair).collect()
}

#[test]
fn check_and_verify() {
    let folder = Folder::new();
    let file = folder.file("own-reads.axe", OWN_READS);
    let found = verdicts("ibm370,tso", &file, 1);
    let expected = [("ibm370", "violation"), ("tso", "consistent")];
    let expected = expected.map(|(model, verdict)| (model.to_owned(), verdict.to_owned()));
    assert_eq!(found, expected);
    let certificates = folder.path("certificates");
    let models = "ibm370,tso";
    let arguments = ["check", "--model", models, "--certificate", &certificates];
    output_of(&[&arguments[..], &[&file]].concat(), 1);
    for certificate in std::fs::read_dir(&certificates).unwrap() {
        let certificate = certificate.unwrap().path();
        let verified = output_of(&["verify", &file, certificate.to_str().unwrap()], 0);
        assert!(verified.starts_with("verified"), "{verified}");
    }
}

#[test]
fn generate() {
    let folder = Folder::new();
    let history = |model: &str, seed: &str| {
        let file = folder.path(&format!("{model}-{seed}.axe"));
        let size = ["--threads", "4", "--operations", "300", "--locations", "2"];
        let mix = ["--mix", "50,40,5,5", "--model", model, "--seed", seed];
        let arguments = [&["generate"][..], &size, &mix, &["-o", &file]].concat();
        output(&arguments);
        file
    };
    let mut apart = 0;
    for seed in ["1", "2", "3", "4"] {
        let kept = verdicts("ibm370", &history("ibm370", seed), 0);
        assert_eq!(kept[0].1, "consistent");
        let file = history("tso", seed);
        let text = common::rubric(&["check", "--model", "ibm370", &file]).output().unwrap();
        apart += u32::from(text.status.code() == Some(1));
    }
    assert!(apart > 0, "no run of TSO shows forwarding");
}

#[test]
fn simulate() {
    let text = output_of(
        &[
            "simulate",
            "MESI_Two_Level",
            "--client",
            "ibm370-buffer-4",
            "--runs",
            "10",
            "--check=ibm370",
        ],
        0,
    );
    assert!(text.contains("ibm370-buffer-4"), "{text}");
    assert!(text.contains("10/10"), "{text}");
}

#[test]
fn explore() {
    let folder = Folder::new();
    let program = "shared x, y, a, b;\n\
        thread P0 { store x = 1; let own = load x; let r = load y; store a = r; }\n\
        thread P1 { store y = 1; let own = load y; let r = load x; store b = r; }\n\
        finally { let p = load a; let q = load b; assert p + q > 0; }\n";
    let file = folder.file("own-reads.prog", program);
    let fails = |model: &str| {
        let arguments = ["explore", "program", "--exhaustive", model, &file];
        output_of(&arguments, 1).contains("the assertion fails")
    };
    assert!(fails("tso"));
    assert!(!fails("ibm370"));
}

#[test]
fn names_are_taken_in_any_case() {
    let folder = Folder::new();
    let file = folder.file("own-reads.axe", OWN_READS);
    let found = verdicts("IBM370,Tso", &file, 1);
    let models: Vec<&str> = found.iter().map(|(model, _)| model.as_str()).collect();
    assert_eq!(models, ["ibm370", "tso"]);
    for arguments in [
        &["explain", "--model", "TSO", &*file][..],
        &["kernel", "--model", "TSO", &file],
        &["generate", "--model", "TSO", "--operations", "4"],
        &["simulate", "MI_example", "--client", "RVWMO-ooo-4", "--model", "RVWMO", "--check=RVWMO"],
        &["litmus", "--model", "RVWMO", "fixtures/litmus/herd/MP.litmus"],
        &["explore", "program", "fixtures/programs/dekker.prog", "--exhaustive", "TSO"],
    ] {
        let run = crate::common::rubric(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(!said.contains("invalid value"), "{arguments:?}: {said}");
    }
}
