//! External checkers, which experiments compare with the built-in algorithms.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::str::FromStr;
use std::thread::sleep;
use std::time::{Duration, Instant};

use host::processor::time_of_process;

use check::Model;
use check::generate::without_order;
use history::{BuildError, History};
use tables::Reported;
use thiserror::Error;

use super::point::Unaided;
use super::trial::{CONFLICTS, KERNEL};
use super::watch::Spent;
use crate::text::quoted;

/// A program that decides whether a history satisfies a model. It gets an axe file, and its exit status is the answer: 0 consistent, 1
/// violation, everything else undecided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The name in tables.
    pub name: String,
    /// The command: `{}` stands for the file, `{model}` for the model.
    command: String,
}

/// Exit statuses of a shell that cannot run a command, or cannot find it.
const SHELL_FAILED: [i32; 2] = [126, 127];

/// Whether a name is that of a built-in algorithm, or of a row about kernels.
pub fn is_built_in(name: &str) -> bool {
    let unaided = [Unaided::Heu, Unaided::Deriv, Unaided::DerivBack].map(Unaided::name);
    papers::from_name(name).is_some()
        || [KERNEL, CONFLICTS].contains(&name)
        || unaided.contains(&name)
}

impl FromStr for Program {
    type Err = NoProgram;

    fn from_str(text: &str) -> Result<Program, NoProgram> {
        let (name, command) = text.split_once('=').ok_or(NoProgram::Form)?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || !name.chars().all(is_plain) || !command.contains("{}") {
            return Err(NoProgram::Form);
        }
        if is_built_in(name) {
            return Err(NoProgram::NameInUse(name.to_owned()));
        }
        Ok(Program { name: name.to_owned(), command: command.to_owned() })
    }
}

/// Why a text is not a program with a name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoProgram {
    /// The text has no name, or no place for the file.
    #[error(
        "NAME=COMMAND was expected, with {{}} where the file goes, such as mine='./checker --axe {{}}'"
    )]
    Form,
    /// An algorithm has the name.
    #[error("{0} is the name of an algorithm of rubric: choose another one")]
    NameInUse(String),
}

/// Why an external checker could not be run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// A file for the history cannot be written, or the program cannot be started or waited for.
    #[error(transparent)]
    System(#[from] io::Error),
    /// The history cannot be rebuilt without its order of completions.
    #[error(transparent)]
    History(#[from] BuildError),
    /// The history cannot be written as axe text.
    #[error(transparent)]
    Write(#[from] ingest::WriteError),
    /// The shell cannot find the program, or is not allowed to run it.
    #[error("`{command}` cannot be run ({status})")]
    NotFound {
        /// Command as the shell takes it.
        command: String,
        /// The exit status of the shell.
        status: ExitStatus,
    },
}

/// Time between two checks whether a program has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// How many times the limit of processor time may elapse.
const MAX_WAIT: u32 = 4;

impl Program {
    /// The option of the command line that adds the program.
    pub fn option(&self) -> String {
        format!("--program {}", quoted(&format!("{}={}", self.name, self.command)))
    }

    /// Runs the program on a history. Returns its answer, the reason if it has none, and the time that it took, including its start. The
    /// limit is of processor time; a program that waits instead is stopped after [`MAX_WAIT`] times the limit. Processes that the program
    /// starts do not count.
    ///
    /// # Errors
    /// Fails if the history cannot be written as axe text, or if the program cannot be run.
    pub(super) fn run(
        &self,
        history: &History,
        model: Model,
        timeout: Duration,
    ) -> Result<(Reported, Option<String>, Spent), RunError> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("history.axe");
        let bare = without_order(history)?;
        let file = File::create(&path)?;
        let mut file = BufWriter::new(file);
        ingest::axe::write(&bare, &mut file)?;
        file.flush()?;
        let command = self.command.replace("{model}", model.name());
        let command = command.replace("{}", &path.display().to_string());
        let start = Instant::now();
        let wait = timeout.saturating_mul(MAX_WAIT);
        // With `exec` the child process is the program itself, so that it can be killed when time is up.
        let mut child = Command::new("sh")
            .args(["-c", &format!("exec {command}")])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        loop {
            // A process that has ended keeps its time until it is waited for.
            let wall = start.elapsed();
            let spent = Spent { processor: time_of_process(child.id()).unwrap_or(wall), wall };
            match child.try_wait()? {
                Some(status) if status.code().is_some_and(|code| SHELL_FAILED.contains(&code)) => {
                    return Err(RunError::NotFound { command, status });
                }
                Some(status) => {
                    let (said, reason) = meaning(status);
                    return Ok((said, reason, spent));
                }
                None if spent.processor > timeout || wall > wait => {
                    // Killing fails if the program has ended meanwhile, which does no harm.
                    let _ = child.kill();
                    let _ = child.wait();
                    let reason = Some("time limit".to_owned());
                    return Ok((Reported::Timeout, reason, spent));
                }
                None => sleep(POLL_INTERVAL),
            }
        }
    }
}

fn meaning(status: ExitStatus) -> (Reported, Option<String>) {
    match status.code() {
        Some(0) => (Reported::Consistent, None),
        Some(1) => (Reported::Violation, None),
        _ => (Reported::Undecided, Some(status.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_a_name_and_a_file() {
        assert!("mine=./checker {}".parse::<Program>().is_ok());
        for bad in ["", "mine", "mine=./checker", "=./checker {}", "a b=c {}", "wsc=c {}"] {
            assert!(bad.parse::<Program>().is_err(), "{bad}");
        }
    }

    #[test]
    fn its_status_says_what_it_found() {
        let read = ingest::read(&b"0: M[1] := 1\ncheck\n"[..], "t", &ingest::Options::default());
        let history = read.unwrap().histories.remove(0);
        let run = |command: &str| {
            let program: Program = format!("mine={command}").parse().unwrap();
            let answer = program.run(&history, Model::SC, Duration::from_millis(300));
            answer.map(|(said, _, _)| said)
        };
        assert!(run("/nonexistent {}").is_err());
        let run = |command: &str| run(command).unwrap();
        assert_eq!(run("test -f {}"), Reported::Consistent);
        assert_eq!(run("test -d {}"), Reported::Violation);
        assert_eq!(run("sh -c 'exit 7' {}"), Reported::Undecided);
        assert_eq!(run("test {model} = sc -a -f {}"), Reported::Consistent);
        assert_eq!(run("sh -c 'sleep 60' {}"), Reported::Timeout);
        assert_eq!(run("sh -c 'while :; do :; done' {}"), Reported::Timeout);
    }
}
