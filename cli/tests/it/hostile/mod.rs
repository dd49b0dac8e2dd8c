//! Input that means harm, and use that would destroy something: each attack is small, and must end with an error, or within its
//! limits, and without a loss.
//!
//! - [`overwrite`]: outputs that are inputs;
//! - [`endless`]: files without an end, pipes and devices, links that lead back;
//! - [`stranger`]: protocols and certificates of strangers that name other files, or claim what is not so;
//! - [`output`]: names that are formulas, markup or commands to a terminal, and outputs that cannot be written;
//! - [`growth`]: many small histories in one file.
//!
//! What readers do with damaged bytes is in the crate `fuzz`.

mod endless;
mod growth;
mod output;
mod overwrite;
mod stranger;

use std::process::{Output, Stdio};

/// Runs the program in a folder, with standard input and output from and to these, and waits for its end.
fn run_in(folder: &str, arguments: &[&str], input: Stdio, output: Stdio) -> Output {
    std::process::Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(arguments)
        .current_dir(folder)
        .stdin(input)
        .stdout(output)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap()
}

/// Standard error of a run, and its exit status.
fn said(run: &Output) -> (String, Option<i32>) {
    (String::from_utf8_lossy(&run.stderr).into_owned(), run.status.code())
}

/// Makes a pipe with a name in a folder.
fn pipe(path: &str) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}
