//! The result of running a program in gem5, read from the files that it leaves.

use std::path::{Path, PathBuf};

use history::{Crash, History};
use ingest::gem5::crash_in;
use ingest::{Trace, TransitionCount};

use super::process;
use crate::error::Error;

/// The signal that ends a process at its time limit.
const SIGALRM: i32 = 14;

/// How the process of a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All operations completed.
    Complete,
    /// gem5 aborted with a message.
    Crashed(Box<Crash>),
    /// gem5 had nothing left to do before all operations had completed.
    Stuck,
    /// The time limit passed.
    TimedOut,
    /// The process ended in another way, which the text describes.
    Ended(String),
    /// The process ended as it should, and the log does not reach its end.
    CutLog,
}

/// A program that ran.
#[derive(Clone, Debug)]
pub struct Played {
    /// How its process ended.
    pub ending: Ending,
    /// The operations up to the end of the process; none if the log has no run.
    pub history: Option<History>,
    /// How often each transition was taken, if transitions were counted.
    pub transitions: Vec<TransitionCount>,
    /// Seconds from the fork to the end.
    pub seconds: f64,
    /// The file with the log of its operations.
    pub log: PathBuf,
    /// The file with the output of gem5.
    pub output: PathBuf,
}

/// How the process of a program ended, as the script reports it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Exit {
    /// The number of the program.
    pub number: usize,
    /// The exit status, or the number of the signal.
    status: Result<i32, i32>,
    /// Seconds from the fork to the end.
    seconds: f64,
}

/// Exit status that the script gives to a process whose program has not completed.
const INCOMPLETE: i32 = 3;

impl Exit {
    /// Reads a line of the script; none if it is about something else.
    pub(super) fn parse(line: &str) -> Option<Exit> {
        let (number, how) = line.strip_prefix("rubric: program ")?.split_once(": ")?;
        let (how, seconds) = how.strip_suffix(" s")?.split_once(" after ")?;
        let status = match how.strip_prefix("killed by signal ") {
            Some(signal) => Err(signal.parse().ok()?),
            None => Ok(how.strip_prefix("exit status ")?.parse().ok()?),
        };
        Some(Exit { number: number.parse().ok()?, status, seconds: seconds.parse().ok()? })
    }

    /// Reads the log and the output of a program.
    ///
    /// # Errors
    /// Fails if a file cannot be read, or the log is not one of this version.
    pub(super) fn read(self, log: PathBuf, output: PathBuf) -> Result<Played, Error> {
        let said = std::fs::read(&output).map_err(Error::file(&output))?;
        let crash = crash_in(&said[..], &output.display().to_string())?;
        let (history, transitions) = read_log(&log)?.map_or((None, Vec::new()), |trace| {
            (trace.histories.into_iter().next(), trace.statistics.transitions)
        });
        let is_whole = history.as_ref().is_some_and(is_whole);
        let ending = match (crash, self.status) {
            (Some(crash), status) if status != Ok(0) => Ending::Crashed(Box::new(crash)),
            (_, Ok(0)) if is_whole => Ending::Complete,
            (_, Ok(0)) => Ending::CutLog,
            (_, Ok(INCOMPLETE)) => Ending::Stuck,
            (_, Err(SIGALRM)) => Ending::TimedOut,
            (_, Ok(status)) => {
                let last = process::last_line(&String::from_utf8_lossy(&said));
                Ending::Ended(format!("gem5 ended with exit status {status}, and printed {last}"))
            }
            (_, Err(signal)) => Ending::Ended(format!("gem5 was killed by signal {signal}")),
        };
        Ok(Played { ending, history, transitions, seconds: self.seconds, log, output })
    }
}

/// Reads a log; none if gem5 ended before the run began. A damaged end of the log is left out.
fn read_log(log: &Path) -> Result<Option<Trace>, Error> {
    let length = match std::fs::metadata(log) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
        file => file.map_err(Error::file(log))?.len(),
    };
    if length <= ingest::tester::MAGIC.len() as u64 {
        return Ok(None);
    }
    let options = ingest::Options { lossy: true, ..ingest::Options::default() };
    Ok(Some(ingest::read_path(log, &options)?))
}

/// Whether a log reaches the end of its run.
fn is_whole(history: &History) -> bool {
    history.provenance.ended.as_deref() == Some("all requests answered")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scripts_lines_are_understood() {
        let exit = |line: &str| Exit::parse(line).map(|exit| (exit.number, exit.status));
        assert_eq!(exit("rubric: program 7: exit status 0 after 0.250000 s"), Some((7, Ok(0))));
        let killed = "rubric: program 12: killed by signal 6 after 1.000000 s";
        assert_eq!(exit(killed), Some((12, Err(6))));
        for other in [
            "rubric: program 7: exited @ tick 90 because rubric: all operations completed",
            "warn: something",
            "rubric: program x: exit status 0 after 1.0 s",
            "rubric: program 7: exit status 0 after",
        ] {
            assert_eq!(exit(other), None, "{other}");
        }
    }
}
