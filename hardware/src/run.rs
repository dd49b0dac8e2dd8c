//! [`Runner`]: runs an executable, here or through a command, and reads what it recorded.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::compile::Executable;
use crate::error::Error;
use crate::process;

/// The most characters of a message of the program that are shown.
const EXCERPT: usize = 400;

/// The shell commands that receive an executable on standard input, run it and remove it.
const RECEIVE: &str = "f=$(mktemp) && cat > \"$f\" && chmod +x \"$f\" && \"$f\"";

/// How an executable is run.
#[derive(Clone, Debug)]
pub struct Runner {
    /// The words before the executable; empty to run it on this machine.
    words: Vec<String>,
    /// The longest time that a program may take.
    pub timeout: Duration,
}

impl Runner {
    /// Runs programs on this machine.
    pub fn here(timeout: Duration) -> Runner {
        Runner { words: Vec::new(), timeout }
    }

    /// Runs programs through a command: `qemu-riscv64 -cpu max` is given the executable and its arguments, `ssh board` receives the
    /// executable on standard input.
    ///
    /// # Errors
    /// Fails if a quote is open.
    pub fn through(command: &str, timeout: Duration) -> Result<Runner, Error> {
        let words = shlex::split(command).filter(|words| !words.is_empty());
        Ok(Runner { words: words.ok_or_else(|| Error::Quote(command.to_owned()))?, timeout })
    }

    /// Whether programs run through a command, and so need libraries of their own.
    pub fn is_elsewhere(&self) -> bool {
        !self.words.is_empty()
    }

    /// The command in messages.
    fn name(&self) -> &str {
        self.words.first().map_or("the program", String::as_str)
    }

    /// Whether the command is a shell on another machine, which has to be sent the executable.
    fn is_remote(&self) -> bool {
        let name = self.words.first().map(Path::new).and_then(Path::file_name);
        name.is_some_and(|name| name == "ssh")
    }

    /// Runs an executable for so many rounds, and returns what it recorded. `stop` ends it early.
    ///
    /// # Errors
    /// Fails if the program cannot be started, if it fails or records nothing, if it takes too long, and if it is interrupted.
    pub fn run(
        &self,
        executable: &Executable,
        rounds: u64,
        seed: u64,
        stop: &AtomicBool,
    ) -> Result<Vec<u8>, Error> {
        let started = |error| Error::NoRunner { name: self.name().to_owned(), error };
        let mut command = self.command(executable, rounds, seed).map_err(started)?;
        let ended = process::run(&mut command, Some(self.timeout), stop, started)?;
        match ended.status {
            status if !status.success() => Err(Error::Failed {
                status: status.to_string(),
                bytes: ended.output.len(),
                said: ended.said(EXCERPT),
            }),
            _ if ended.output.is_empty() => {
                Err(Error::NoRecord { name: self.name().to_owned(), said: ended.said(EXCERPT) })
            }
            _ => Ok(ended.output),
        }
    }

    fn command(&self, executable: &Executable, rounds: u64, seed: u64) -> io::Result<Command> {
        let path: OsString = executable.path().into();
        let [first, others @ ..] = &self.words[..] else {
            let mut command = Command::new(path);
            command.arg(rounds.to_string()).arg(seed.to_string()).stdin(Stdio::null());
            return Ok(command);
        };
        let mut command = Command::new(first);
        command.args(others);
        if self.is_remote() {
            command.arg(format!("{RECEIVE} {rounds} {seed}; s=$?; rm -f \"$f\"; exit $s"));
            command.stdin(File::open(path)?);
        } else {
            command.arg(path).arg(rounds.to_string()).arg(seed.to_string()).stdin(Stdio::null());
        }
        Ok(command)
    }
}
