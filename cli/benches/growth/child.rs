//! Runs the program, and measures its time and memory.
#![allow(dead_code, reason = "each bench uses a part")]

use std::error::Error;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Instant;

use wait4::Wait4;

/// The time, memory and output of a run of the program.
pub struct Run {
    /// Wall time.
    pub seconds: f64,
    /// The most memory that it held, in bytes.
    ///
    /// Linux counts what this process held when it started the child, too: it must stay small.
    pub peak: u64,
    /// Standard output.
    pub output: String,
}

/// Runs the program; its exit status must be one of those given.
pub fn run(arguments: &[&str], statuses: &[i32]) -> Result<Run, Box<dyn Error>> {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut output = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        stdout.read_to_string(&mut output)?;
    }
    let used = child.wait4()?;
    let seconds = start.elapsed().as_secs_f64();
    match used.status.code() {
        Some(status) if statuses.contains(&status) => {
            Ok(Run { seconds, peak: used.rusage.maxrss, output })
        }
        _ => Err(format!("rubric {}: {}", arguments.join(" "), used.status).into()),
    }
}
