//! [`Error`]: why a program could not be made or run.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

/// Why a program could not be made or run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The program cannot be written, or no record can express it.
    #[error("{}: the program cannot be written: {error}", .path.display())]
    Source {
        /// The file of the program in C.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// There is no compiler of this name.
    #[error("the compiler `{name}` cannot be started: {error}; install it, or name another one")]
    NoCompiler {
        /// The first word of the command, as the user wrote it.
        name: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The compiler failed.
    #[error("the compiler `{name}` ended with {status}{}", or_silent(.said))]
    Compiler {
        /// The command that the user or the instruction set names.
        name: String,
        /// The status with which it ended.
        status: String,
        /// The beginning of what it said.
        said: String,
    },
    /// The compiler reported success, and made nothing.
    #[error(
        "the compiler `{name}` ended well, but made no executable: name one that compiles `program.c -o program`, such as gcc or clang"
    )]
    NoExecutable {
        /// The command that the user or the instruction set names.
        name: String,
    },
    /// The program, or the command that runs it, cannot be started.
    #[error("`{name}` cannot be started: {error}")]
    NoRunner {
        /// The first word of the command, as the user wrote it.
        name: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The program did not end well.
    #[error("the program ended with {status} after {bytes} bytes of its record{}", colon(.said))]
    Failed {
        /// How it ended.
        status: String,
        /// The length of its output.
        bytes: usize,
        /// The beginning of what it said.
        said: String,
    },
    /// The program ended well, and its output is empty.
    #[error(
        "`{name}` ended well, but printed no record: a command that runs programs executes the one that it is given, with its arguments, \
         and passes on what it prints{}",
        colon(.said)
    )]
    NoRecord {
        /// The first word of the command, as the user wrote it.
        name: String,
        /// The beginning of what it said.
        said: String,
    },
    /// The program ran for too long.
    #[error("the program had not ended after {} s, and was stopped", .limit.as_secs_f64())]
    TimedOut {
        /// The time that a program may take.
        limit: Duration,
    },
    /// The output of the program cannot be read.
    #[error("the output of the program cannot be read: {0}")]
    Output(io::Error),
    /// The user interrupted the compiler or the program.
    #[error("interrupted")]
    Interrupted,
    /// A command line has an open quote.
    #[error("`{0}`: a command with an open quote; close it")]
    Quote(String),
    /// A temporary folder cannot be made.
    #[error("no temporary folder can be made: {0}; set TMPDIR to a folder that has room")]
    Folder(io::Error),
}

fn colon(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {text}") }
}

fn or_silent(text: &str) -> String {
    if text.is_empty() { " without a message".to_owned() } else { format!(": {text}") }
}
