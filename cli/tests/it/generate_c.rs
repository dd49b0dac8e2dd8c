//! `rubric generate c`: the text of its programs, which compile, run and check their own final values, and the announcement by
//! which `--addresses auto` finds their variables.

use std::io::Write;
use std::path::Path;
use std::process::Command;

use crate::common::{Folder, error, failure, output, output_of};
use crate::exec::trace::{Trace, X, Y};

/// Generates a program with every kind of operation that the instruction set has.
fn small(isa: &str) -> String {
    let mut words = vec!["generate", "c", "--isa", isa, "--threads", "2", "--operations", "9"];
    words.extend(["--locations", "3", "--per-line", "2", "--rmws", "30", "--fences", "20"]);
    words.extend(["--rounds", "3", "--evictions", "30", "--think", "2", "--seed", "5"]);
    if isa != "x86" {
        words.extend(["--linked", "50", "--dependencies", "50", "--annotations", "50"]);
    }
    output(&words).replacen(env!("CARGO_PKG_VERSION"), "VERSION", 1)
}

/// The part of a text that differs between programs, from the first thread on.
fn threads(text: &str) -> &str {
    let from = text.find("\nstatic void thread_0").unwrap();
    let to = text.find("/* Says in a trace").unwrap();
    &text[from..to]
}

#[test]
fn a_small_program_for_x86() {
    insta::assert_snapshot!(small("x86"));
}

#[test]
fn the_threads_of_a_small_program_for_riscv() {
    insta::assert_snapshot!(threads(&small("riscv")));
}

#[test]
fn the_threads_of_a_small_program_for_arm() {
    insta::assert_snapshot!(threads(&small("arm")));
}

/// Compiles a program, which must give no warnings. Returns whether the compiler is installed.
fn compile(compiler: &str, source: &str, program: &str) -> bool {
    let mut command = Command::new(compiler);
    command
        .args(["-O2", "-Wall", "-Wextra", "-Werror", "-static", "-pthread", source, "-o", program]);
    let Ok(output) = command.output() else { return false };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    true
}

/// Options of larger programs, with several sizes and mixes.
const LARGER: [&[&str]; 4] = [
    &["--seed", "1"],
    &["--threads", "1", "--operations", "1", "--rounds", "1", "--reads", "100"],
    &["--threads", "3", "--rmws", "20", "--fences", "10", "--rounds", "200", "--think", "0"],
    &["--locations", "40", "--per-line", "8", "--stride", "64", "--evictions", "0", "--skew", "1"],
];

#[cfg(target_arch = "x86_64")]
#[test]
fn programs_find_their_final_values() {
    let folder = Folder::new();
    for (number, options) in LARGER.into_iter().enumerate() {
        let source = folder.path(&format!("{number}.c"));
        let program = folder.path(&number.to_string());
        output(&[&["generate", "--c", "-o", &source], options].concat());
        assert!(compile("gcc", &source, &program) || compile("cc", &source, &program));
        let run = Command::new(&program).output().unwrap();
        assert_eq!(
            String::from_utf8_lossy(&run.stdout),
            "final values as expected\n",
            "{options:?}"
        );
        assert!(run.status.success());
    }
    // A program that does not write the right values reports it.
    let source = folder.path("wrong.c");
    let text = output(&["generate", "c", "--operations", "20", "--rounds", "2"]);
    let wrong = text.replacen("movq %1, (%0)", "movq %1, 64(%0)", 1);
    assert_ne!(text, wrong);
    std::fs::write(&source, wrong).unwrap();
    let program = folder.path("wrong");
    assert!(compile("gcc", &source, &program) || compile("cc", &source, &program));
    let run = Command::new(&program).output().unwrap();
    assert_eq!(run.status.code(), Some(1));
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(said.contains(", which the last round did not write there"), "{said}");
}

/// Programs compile for RISC-V if a compiler is installed. They run only in gem5.
#[test]
fn programs_compile_for_riscv() {
    let folder = Folder::new();
    for (number, options) in LARGER.into_iter().enumerate() {
        let source = folder.path(&format!("{number}.c"));
        let weak = ["--linked", "50", "--annotations", "80", "--dependencies", "80"];
        let command = ["generate", "c", "--isa", "riscv", "-o", &source];
        output(&[&command[..], &weak, options].concat());
        if !compile("riscv64-linux-gnu-gcc", &source, &folder.path("program")) {
            // `println!` would be shown only for failed tests, and `.ci/run` counts these lines.
            std::io::stdout().write_all(b"skipped: there is no riscv64-linux-gnu-gcc\n").unwrap();
            return;
        }
    }
    assert!(Path::new(&folder.path("program")).exists());
}

#[test]
fn programs_are_refused_that_an_instruction_set_does_not_have() {
    for (options, expected) in [
        (&["--linked", "5"][..], "--linked: x86 has no load-linked"),
        (&["--dependencies", "5"], "--dependencies: x86 has no such orderings"),
        (&["--fetches", "5"], "--fetches: a program in C cannot fetch"),
        (&["--rmws", "60", "--fences", "50"], "more than 100 of 100 operations"),
        (&["--stride", "100"], "a power of two was expected"),
        (&["--rounds", "5000"], "at most 4096 have values of their own"),
        (&["--operations", "2M"], "at most 1048575 of a thread"),
        (&["--locations", "1000", "--stride", "131072"], "take more than 64 MiB"),
    ] {
        let message = error(&[&["generate", "c"], options].concat());
        assert!(message.contains(expected), "{message}");
    }
}

/// A trace of stores that may announce variables, a flag that both threads write, and store buffering.
fn announced(stores: &[(u64, u64)]) -> Trace {
    let mut trace = Trace::default();
    for &(address, value) in stores {
        trace.sd(0, address, value);
    }
    for (cpu, value) in [(0, 1), (1, 1), (0, 1)] {
        trace.sd(cpu, 0x9_0000, value);
    }
    for cpu in 0..2 {
        trace.sd(cpu, [X, Y][cpu], 1);
        trace.ld(cpu, [Y, X][cpu], 0);
    }
    trace
}

const MAGIC: u64 = u64::from_le_bytes(*b"rubric/1");

#[test]
fn announced_variables_are_found() {
    let folder = Folder::new();
    let check = |trace: &Trace, status| {
        let file = folder.file("run.trace", &trace.text);
        output_of(&["check", "--model", "sc,rvwmo", "--addresses", "auto", &file], status)
    };
    let whole = announced(&[(0x7000, MAGIC), (0x7008, X), (0x7010, Y + 8)]);
    let said = check(&whole, 1);
    assert!(said.contains("violation  sc") && said.contains("consistent rvwmo"), "{said}");
    assert!(said.contains("4 operations"), "{said}");
    assert!(
        said.contains("the shared variables that the program announces; 6 other accesses"),
        "{said}"
    );
    // The announced range has only a part of the variables.
    let half = announced(&[(0x7000, MAGIC), (0x7008, X), (0x7010, Y)]);
    let said = check(&half, 0);
    assert!(said.contains("2 operations"), "{said}");
}

#[test]
fn what_is_not_announced_is_not_found() {
    let folder = Folder::new();
    let none = folder.file("run.trace", announced(&[(0x7000, MAGIC), (0x7008, X)]).text);
    let axe = folder.file("run.axe", "0: M[0] := 1\n");
    for file in [none, axe] {
        let message = failure(&["check", "--addresses", "auto", &file]);
        assert!(
            message.contains("does not show one program that announces its shared variables"),
            "{message}"
        );
        assert!(message.contains("--addresses LO-HI"), "{message}");
    }
    let message = error(&["check", "--addresses", "none", "-"]);
    assert!(message.contains("or auto, was expected"), "{message}");
}
