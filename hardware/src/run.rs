//! [`Runner`]: runs an executable, here or through a command, and reads what it recorded.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::compile::Executable;
use crate::error::Error;

/// How often a running program is looked at.
const LOOK: Duration = Duration::from_millis(50);

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

/// How a program has run.
#[derive(Debug)]
pub struct Ran {
    /// What it recorded.
    pub record: Vec<u8>,
    /// Whether it was stopped because the user asked for it.
    pub is_stopped: bool,
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

    /// Runs an executable for so many rounds. `stop` ends it early.
    ///
    /// # Errors
    /// Fails if the program cannot be started, if it fails, and if it takes too long.
    pub fn run(
        &self,
        executable: &Executable,
        rounds: u64,
        seed: u64,
        stop: &AtomicBool,
    ) -> Result<Ran, Error> {
        let started = |error| Error::NoRunner { name: self.name().to_owned(), error };
        let mut command = self.command(executable, rounds, seed).map_err(started)?;
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C in a terminal must not reach the program, which would look like one that crashed.
        let mut child = command.process_group(0).spawn().map_err(started)?;
        let output = read(child.stdout.take());
        let errors = read(child.stderr.take());
        let begin = Instant::now();
        let record = loop {
            match output.recv_timeout(LOOK) {
                Ok(record) => break record.map_err(Error::Output)?,
                Err(RecvTimeoutError::Disconnected) => break Vec::new(),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if stop.load(Ordering::SeqCst) {
                end(&mut child);
                return Ok(Ran { record: Vec::new(), is_stopped: true });
            }
            if begin.elapsed() > self.timeout {
                end(&mut child);
                return Err(Error::TimedOut { limit: self.timeout });
            }
        };
        let status = child.wait().map_err(Error::Output)?;
        if status.success() {
            return Ok(Ran { record, is_stopped: false });
        }
        // The program has ended, so its messages are there, unless something that it started goes on.
        let said = errors.recv_timeout(20 * LOOK).ok().and_then(Result::ok).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let said = said.trim().chars().take(EXCERPT).collect();
        Err(Error::Failed { status: status.to_string(), bytes: record.len(), said })
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

/// Reads a pipe to its end in a thread, since a pipe has no time limit.
fn read(pipe: Option<impl Read + Send + 'static>) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut bytes));
        // The receiver is gone if the program was stopped.
        let _ = sender.send(read.map(|_| bytes));
    });
    receiver
}

/// Kills a program and what it has started.
fn end(child: &mut Child) {
    if let Ok(pid) = i32::try_from(child.id()) {
        // The group may have ended by itself at this moment.
        let _ = killpg(Pid::from_raw(pid), Signal::SIGKILL);
    }
    let _ = child.wait();
}
