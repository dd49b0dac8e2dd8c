//! [`run`]: runs a command to its end, unless the user interrupts it or it takes too long.

use std::io::{self, Read};
use std::mem;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::error::Error;

/// How often a running command is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// How often a command that has closed its standard output is looked at.
const PAUSE: Duration = Duration::from_millis(2);

/// How a command ended by itself.
#[derive(Debug)]
pub(crate) struct Ended {
    pub status: ExitStatus,
    /// What it wrote to standard output.
    pub output: Vec<u8>,
    /// What it wrote to standard error.
    pub errors: String,
}

impl Ended {
    /// The beginning of what the command said on standard error, at most `limit` characters.
    pub(crate) fn said(&self, limit: usize) -> String {
        self.errors.trim().chars().take(limit).collect()
    }
}

/// Runs a command, in a process group of its own: Ctrl-C in a terminal reaches the whole group of this program, and a command that it ended
/// would look like one that failed. `stop` ends the command early.
///
/// # Errors
/// Fails if the command cannot be started, with the error that `started` makes of the system's, if it is interrupted, and if it takes
/// longer than `limit`.
pub(crate) fn run(
    command: &mut Command,
    limit: Option<Duration>,
    stop: &AtomicBool,
    started: impl FnOnce(io::Error) -> Error,
) -> Result<Ended, Error> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.process_group(0).spawn().map_err(started)?;
    let ended = wait(&mut child, limit, stop);
    if ended.is_err() {
        end(&mut child);
    }
    ended
}

fn wait(child: &mut Child, limit: Option<Duration>, stop: &AtomicBool) -> Result<Ended, Error> {
    let output = read(child.stdout.take());
    let errors = read(child.stderr.take());
    let begin = Instant::now();
    let mut output_read = None;
    loop {
        match output_read {
            None => output_read = received(&output)?,
            Some(_) => thread::sleep(PAUSE),
        }
        if let Some(output) = &mut output_read
            && let Some(status) = child.try_wait().map_err(Error::Output)?
        {
            // Something that the command has started may still hold its standard error.
            let said = errors.recv_timeout(20 * LOOK).ok().and_then(Result::ok).unwrap_or_default();
            let errors = String::from_utf8_lossy(&said).into_owned();
            return Ok(Ended { status, output: mem::take(output), errors });
        }
        if stop.load(Ordering::SeqCst) {
            return Err(Error::Interrupted);
        }
        if let Some(limit) = limit.filter(|limit| begin.elapsed() > *limit) {
            return Err(Error::TimedOut { limit });
        }
    }
}

/// What a pipe had, if it has ended within some time.
fn received(pipe: &Receiver<io::Result<Vec<u8>>>) -> Result<Option<Vec<u8>>, Error> {
    match pipe.recv_timeout(LOOK) {
        Ok(bytes) => bytes.map(Some).map_err(Error::Output),
        Err(RecvTimeoutError::Disconnected) => Ok(Some(Vec::new())),
        Err(RecvTimeoutError::Timeout) => Ok(None),
    }
}

/// Reads a pipe to its end in a thread, since a pipe has no time limit.
fn read(pipe: Option<impl Read + Send + 'static>) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut bytes));
        // The receiver is gone if the command was stopped.
        let _ = sender.send(read.map(|_| bytes));
    });
    receiver
}

/// Kills a command and what it has started.
fn end(child: &mut Child) {
    if let Ok(pid) = i32::try_from(child.id()) {
        // The group may have ended by itself at this moment.
        let _ = killpg(Pid::from_raw(pid), Signal::SIGKILL);
    }
    let _ = child.wait();
}
