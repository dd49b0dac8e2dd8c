//! Runs the program, and measures its time and memory.
#![allow(dead_code, reason = "each bench uses a part")]

use std::error::Error;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Instant;

use wait4::Wait4;

/// The time, memory and output of one run of the program.
pub(crate) struct Run {
    /// Wall-clock time, in seconds.
    pub seconds: f64,
    /// Processor time of the program, in user and system mode, in seconds.
    pub processor_seconds: f64,
    /// Peak memory of the program, in bytes.
    ///
    /// Linux also counts the memory that this process had when it started the child, so this process must stay small.
    pub peak: u64,
    /// Standard output.
    pub output: String,
}

/// The build of the program that belongs to the bench.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_rubric");

/// Runs the program. Its exit status must be one of `statuses`.
pub(crate) fn run(arguments: &[&str], statuses: &[i32]) -> Result<Run, Box<dyn Error>> {
    run_other(PROGRAM, arguments, statuses)
}

/// Runs a build of the program, given by its path.
///
/// # Errors
/// Returns an error if the build cannot be run or its exit status is not one of `statuses`.
pub(crate) fn run_other(
    program: &str,
    arguments: &[&str],
    statuses: &[i32],
) -> Result<Run, Box<dyn Error>> {
    let start = Instant::now();
    let mut child = Command::new(program)
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
            let processor_seconds = (used.rusage.utime + used.rusage.stime).as_secs_f64();
            Ok(Run { seconds, processor_seconds, peak: used.rusage.maxrss, output })
        }
        _ => Err(format!("{program} {}: {}", arguments.join(" "), used.status).into()),
    }
}
