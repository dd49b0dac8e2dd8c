//! Starts processes, reads what they print with a time limit, and ends them.

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use super::scratch::Scratch;

/// Largest number of characters of a message that are shown.
const EXCERPT: usize = 300;

/// Starts a command as the leader of a process group of its own, so that Ctrl-C in a terminal does not reach what it starts: a
/// program that it interrupts would look like one that found a fault.
///
/// # Errors
/// Fails if the command cannot be started.
pub(super) fn start(command: &mut Command) -> io::Result<Child> {
    command.process_group(0).spawn()
}

/// The output of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Printed {
    /// Its standard output.
    pub output: String,
    /// Its standard error.
    pub errors: String,
}

/// Runs a command and returns what it prints; if it takes longer than the limit, kills it and returns none. `folder` is the folder that it
/// writes into.
///
/// # Errors
/// Fails if the command cannot be started or its output not be read.
pub(super) fn printed(
    mut command: Command,
    folder: &Scratch,
    limit: Duration,
) -> io::Result<Option<Printed>> {
    let mut child = start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    folder.used_by(&child);
    let deadline = Instant::now() + limit;
    let pipes = [read(child.stdout.take()), read(child.stderr.take())];
    let said =
        pipes.map(|pipe| pipe.recv_timeout(deadline.saturating_duration_since(Instant::now())));
    if said.iter().any(Result::is_err) {
        // The process may have ended by itself.
        let _ = child.kill();
    }
    child.wait()?;
    match said {
        [Ok(output), Ok(errors)] => Ok(Some(Printed { output: output?, errors: errors? })),
        _ => Ok(None),
    }
}

/// Reads a pipe to its end in a thread, since a pipe has no time limit.
fn read(pipe: Option<impl Read + Send + 'static>) -> Receiver<io::Result<String>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut bytes));
        // After the time limit the receiver is gone.
        let _ = sender.send(read.map(|_| String::from_utf8_lossy(&bytes).into_owned()));
    });
    receiver
}

/// Ends a process of [`start`]: with SIGTERM, so that it can end those that it has started, and waits for it. If it does not end in time,
/// it is killed; then the rest of its process group is killed.
pub(super) fn end(child: &mut Child) {
    let Ok(pid) = i32::try_from(child.id()).map(Pid::from_raw) else { return };
    if let Ok(None) = child.try_wait() {
        // The process may end by itself at this moment.
        let _ = kill(pid, Signal::SIGTERM);
    }
    let mut looks = 0..MOST_LOOKS;
    while let (Ok(None), Some(_)) = (child.try_wait(), looks.next()) {
        thread::sleep(Duration::from_millis(10));
    }
    // This fails if the group has no processes left, which is usual.
    let _ = killpg(pid, Signal::SIGKILL);
    let _ = child.wait();
}

/// How often [`end`] looks, at intervals of 10 ms, whether a process has ended before it kills it.
const MOST_LOOKS: u32 = 500;

/// The end of what a process printed, on one line, for a message.
pub(super) fn excerpt(said: &str) -> String {
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return "nothing".to_owned();
    }
    let text = lines.join(" | ").replace(char::is_control, "\u{fffd}");
    let count = text.chars().count();
    let skipped = count.saturating_sub(EXCERPT);
    let last: String = text.chars().skip(skipped).collect();
    format!("`{}{last}`", if skipped > 0 { "… " } else { "" })
}

/// The last line of what a process printed, as an excerpt: with Python's exceptions, the one that says what is wrong.
pub(super) fn last_line(said: &str) -> String {
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    excerpt(last.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_takes_too_long_is_ended() {
        let mut command = Command::new("sleep");
        command.arg("600");
        let folder = Scratch::new().unwrap();
        assert_eq!(printed(command, &folder, Duration::from_millis(50)).unwrap(), None);
    }

    #[test]
    fn both_outputs_of_a_command_are_read() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo out; echo error >&2"]);
        let folder = Scratch::new().unwrap();
        let said = printed(command, &folder, Duration::from_secs(60)).unwrap().unwrap();
        assert_eq!((&*said.output, &*said.errors), ("out\n", "error\n"));
    }

    #[test]
    fn long_messages_lose_their_beginning() {
        assert_eq!(excerpt(" \n"), "nothing");
        assert_eq!(excerpt("one\n  two\n"), "`one | two`");
        let long = excerpt(&"x".repeat(1000));
        assert!(long.starts_with("`… x") && long.len() < 320, "{long}");
        assert_eq!(last_line("one\n  two\n\n"), "`two`");
    }
}
