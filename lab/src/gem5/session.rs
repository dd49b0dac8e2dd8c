//! Runs programs in a process of gem5, each in a fork of its own.
//!
//! The script reads programs from its standard input as long as the session lasts, and reports on standard output how the process of each
//! has ended. Logs and the output of gem5 are files in a temporary folder, which is removed with the process. When gem5 itself is killed,
//! such as for lack of memory, a new process runs the remaining programs.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use ingest::gem5::crash_in;
use simulate::client::Client;

use super::played::{Exit, Played};
use super::scratch::Scratch;
use super::{Binary, SCRIPT, SCRIPT_NAME, System, process};
use crate::error::Error;

/// The time that gem5 may take to start, in addition to the time limit of a program.
const START: Duration = Duration::from_secs(120);

/// The binary, the system and the limits of a session.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The binary.
    pub binary: &'a Binary,
    /// The system.
    pub system: System,
    /// The time limit of each program.
    pub timeout: Duration,
    /// The number of programs that run at once.
    pub jobs: usize,
    /// Whether the transitions that controllers take are counted, which costs most of gem5's speed.
    pub counts_transitions: bool,
}

impl Request<'_> {
    /// The longest time that gem5 may take until it reports the end of a program.
    fn limit(&self) -> Duration {
        START + self.timeout
    }
}

/// Runs programs in gem5. Dropping it ends the process.
pub struct Session<'a> {
    request: Request<'a>,
    process: Process,
    /// Whether the process took over the programs of one that was killed, and has not run the next one yet.
    is_retry: bool,
    /// The programs whose results [`Session::play`] has not returned yet, as gem5's script reads them.
    programs: VecDeque<String>,
}

impl<'a> Session<'a> {
    /// Starts gem5.
    ///
    /// # Errors
    /// Fails if it cannot be started or a file cannot be written.
    pub fn start(request: Request<'a>) -> Result<Session<'a>, Error> {
        let process = Process::start(&request)?;
        Ok(Session { request, process, is_retry: false, programs: VecDeque::new() })
    }

    /// Gives gem5 programs, as text, to run on a kind of core behind those that it was given before.
    pub fn add(&mut self, client: Client, programs: &[String]) {
        for program in programs {
            let program = format!("client {client}\n{program}");
            self.process.give(program.clone());
            self.programs.push_back(program);
        }
    }

    /// Whether [`Session::play`] has returned the results of all programs.
    pub fn is_idle(&self) -> bool {
        self.programs.is_empty()
    }

    /// Waits for the end of the next program and returns its result. Its files exist until the next call.
    ///
    /// # Errors
    /// Fails if gem5 ends by itself before it has run the program, if it is killed and so is the process that takes over, or if it does
    /// not answer.
    pub fn play(&mut self) -> Result<Played, Error> {
        loop {
            match self.process.play(self.request.limit())? {
                Some(played) => {
                    self.is_retry = false;
                    self.programs.pop_front();
                    return Ok(played);
                }
                None => self.replace()?,
            }
        }
    }

    /// Starts a new process for the programs that are left, since the process has ended.
    fn replace(&mut self) -> Result<(), Error> {
        let (status, said) = self.process.ended();
        let what = match status.signal() {
            None => format!("ended before it had run all programs ({status}): {said}"),
            Some(signal) if self.is_retry => format!(
                "was killed, and the process that took its place was killed by signal {signal} before it had run the next program. It \
                 printed {said}"
            ),
            Some(_) => {
                self.process = Process::start(&self.request)?;
                self.is_retry = true;
                self.programs.iter().for_each(|program| self.process.give(program.clone()));
                return Ok(());
            }
        };
        Err(Error::gem5(&self.request.binary.path, what))
    }
}

/// A process of gem5, from its start to its end.
struct Process {
    binary: PathBuf,
    child: Child,
    /// Texts for the standard input of gem5.
    input: Sender<String>,
    exits: Receiver<Exit>,
    /// Programs that have ended before an earlier one.
    early: BTreeMap<usize, Exit>,
    /// The number of the next program.
    next: usize,
    /// The files of the previous program, which the next call removes.
    done: Vec<PathBuf>,
    folder: Scratch,
}

impl Process {
    /// Starts gem5.
    fn start(request: &Request<'_>) -> Result<Process, Error> {
        let path = &request.binary.path;
        let folder = Scratch::new()?;
        let script = folder.path().join(SCRIPT_NAME);
        std::fs::write(&script, SCRIPT).map_err(Error::file(&script))?;
        let errors = folder.path().join(ERRORS);
        let errors = File::create(&errors).map_err(Error::file(&errors))?;
        let mut command = command(request, &folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors);
        let mut child =
            process::start(&mut command).map_err(|error| Error::gem5(path, error.to_string()))?;
        folder.used_by(&child);
        let (input, output) = (child.stdin.take(), child.stdout.take());
        Ok(Process {
            binary: path.clone(),
            child,
            input: feed(input),
            exits: output.map_or_else(|| mpsc::channel().1, listen),
            early: BTreeMap::new(),
            next: 0,
            done: Vec::new(),
            folder,
        })
    }

    /// Gives gem5 a program.
    fn give(&self, program: String) {
        // This fails when gem5 has ended, which `play` notices.
        let _ = self.input.send(program);
    }

    /// The result of the next program; none if the process ended before.
    fn play(&mut self, limit: Duration) -> Result<Option<Played>, Error> {
        for file in self.done.drain(..) {
            // The log may not exist. The folder is removed at the end with everything in it.
            let _ = std::fs::remove_file(file);
        }
        let number = self.next;
        let exit = loop {
            if let Some(exit) = self.early.remove(&number) {
                break exit;
            }
            match self.exits.recv_timeout(limit) {
                Ok(exit) => {
                    self.early.insert(exit.number, exit);
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {
                    let what = format!("did not answer within {} s", limit.as_secs());
                    return Err(Error::gem5(&self.binary, what));
                }
            }
        };
        self.next += 1;
        let file = |stem: &str| self.folder.path().join(format!("{stem}-{number}"));
        let (log, output) = (file(LOG), file(OUTPUT));
        self.done = vec![log.clone(), output.clone()];
        exit.read(log, output).map(Some)
    }

    /// The exit status of gem5, and its crash message if it printed one, or else the end of its standard error.
    fn ended(&mut self) -> (ExitStatus, String) {
        // It has closed its standard output, so waiting does not take long.
        let status = self.child.wait().unwrap_or_default();
        let said = std::fs::read(self.folder.path().join(ERRORS)).unwrap_or_default();
        let crash = crash_in(&said[..], ERRORS).ok().flatten();
        let said = match crash {
            Some(crash) => crash.headline(),
            None => process::excerpt(&String::from_utf8_lossy(&said)),
        };
        (status, said)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        process::end(&mut self.child);
    }
}

/// The stems of files of the temporary folder.
const LOG: &str = "log";
const OUTPUT: &str = "output";
const ERRORS: &str = "stderr";

/// The command line of gem5.
fn command(request: &Request<'_>, folder: &Scratch) -> Command {
    let file = |name: &str| folder.path().join(name);
    let mut command = Command::new(&request.binary.path);
    command.arg("-q").arg("-d").arg(file("m5out"));
    command.arg(file(SCRIPT_NAME)).args(["--fork", "--program", "-"]);
    if request.counts_transitions {
        command.arg("--transitions");
    }
    command.arg("--jobs").arg(request.jobs.max(1).to_string());
    command.arg("--log").arg(file(&format!("{LOG}-%d")));
    command.arg("--output").arg(file(&format!("{OUTPUT}-%d")));
    command.arg("--timeout").arg(request.timeout.as_secs_f64().to_string());
    command.args(request.binary.arguments());
    command.args(request.system.arguments());
    command
}

/// Reads the script's lines in a thread, since a pipe has no time limit.
fn listen(output: ChildStdout) -> Receiver<Exit> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let lines = BufReader::new(output).split(b'\n').map_while(Result::ok);
        let exits = lines.filter_map(|line| Exit::parse(&String::from_utf8_lossy(&line)));
        for exit in exits {
            if sender.send(exit).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Writes the programs in a thread, since gem5 takes them as it runs them.
fn feed(input: Option<ChildStdin>) -> Sender<String> {
    let (sender, receiver) = mpsc::channel::<String>();
    thread::spawn(move || {
        let Some(mut input) = input else { return };
        for program in receiver {
            // The pipe breaks when gem5 ends, which the reader of its output notices.
            if input.write_all(program.as_bytes()).is_err() {
                return;
            }
        }
    });
    sender
}
