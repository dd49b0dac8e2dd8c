//! How a run ended: its crash, the last steps before it, and the requests that were never answered. All commands that show the
//! end of a run use [`RunEnd`].

pub mod json;

use std::io::{self, Write};

use history::{Crash, History};
use host::Paint;
use ingest::Ending;
use ingest::ending::{LastStep, OutstandingRequest};

use crate::outcome::Outcome;
use crate::released::crashes::{Recognised, of_crash};
use crate::released::words::recognised_lines;
use crate::text::{counted, tame};

/// A list of steps or requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// The title.
    pub title: String,
    /// The rows, in their order.
    pub rows: Vec<ListRow>,
}

/// A row of a list. Its spaces align columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListRow {
    /// The step or request.
    pub text: String,
    /// Whether this step is the failure.
    pub is_wrong: bool,
}

/// Most outstanding requests that text and pictures list.
const LISTED: usize = 16;

/// The end of a run, as far as it is known.
#[derive(Clone, Copy)]
pub struct RunEnd<'a> {
    /// The message with which the simulator crashed.
    pub crash: Option<&'a Crash>,
    /// How the run ended, in words.
    pub ended: Option<&'a str>,
    /// Requests that were never answered.
    pub unfinished: usize,
    /// The last steps and the outstanding requests that the trace shows.
    pub ending: &'a Ending,
    /// The coherence protocol, where it was recognised.
    pub protocol: Option<&'a str>,
}

/// A sentence that says that the run of a history crashed or left requests unanswered; `None` if it ended normally.
pub fn note(history: &History) -> Option<String> {
    RunEnd::of(history, &Ending::default()).note()
}

/// Makes a sentence of a description of the end: `crashed (...)`, `exited (...)`, `all requests answered`.
fn sentence(ended: &str) -> String {
    match ended.strip_prefix("all requests") {
        Some(rest) => format!("the run ended with all requests{rest}"),
        None => format!("the run {ended}"),
    }
}

impl<'a> RunEnd<'a> {
    /// The end of the run that a history was read from.
    pub fn of(history: &'a History, ending: &'a Ending) -> RunEnd<'a> {
        let provenance = &history.provenance;
        RunEnd {
            crash: provenance.crash.as_ref(),
            ended: provenance.ended.as_deref(),
            unfinished: provenance.unfinished.len().max(ending.waiting.len()),
            ending,
            protocol: provenance.protocol.as_deref(),
        }
    }

    /// The known faults of gem5's released protocols that the crash shows.
    pub fn known(&self) -> Vec<Recognised> {
        let crash = self.crash.into_iter();
        crash.flat_map(|crash| of_crash(crash, self.protocol, self.ending)).collect()
    }

    /// What the run came to: a crash counts as a violation, whatever the history says.
    pub fn outcome(&self) -> Outcome {
        Outcome::of(self.crash.is_some(), false)
    }

    /// A sentence that says that the run crashed or left requests unanswered; `None` if it ended normally.
    pub fn note(&self) -> Option<String> {
        let is_whole = self.crash.is_none() && self.unfinished == 0;
        match self.ended {
            Some(ended) if !is_whole || !ended.starts_with("all requests") => {
                Some(tame(&if ended.starts_with("trace incomplete") {
                    ended.to_owned()
                } else {
                    sentence(ended)
                }))
            }
            Some(_) => None,
            None if self.unfinished > 0 => {
                Some(format!("trace incomplete: {}", outstanding(self.unfinished)))
            }
            None => None,
        }
    }

    /// The names of the known faults of which it is certain, or not certain, that the crash shows them.
    fn names(&self, is_certain: bool) -> Vec<&'static str> {
        let known = self.known().into_iter().filter(|one| one.is_certain == is_certain);
        known.map(|one| one.fault.name.as_str()).collect()
    }

    /// The first line about a crash, such as `crashed         m5out  (deadlock: Seq 0, address 0x10c0, tick 60002)`; `None` if
    /// the run did not crash.
    pub fn headline(&self, name: &str) -> Option<String> {
        let crash = self.crash?;
        Some(format!("{:15} {name}  ({})", "crashed", tame(&crash.headline())))
    }

    /// Writes the crash and the steps before it; nothing if the run did not crash.
    ///
    /// # Errors
    /// Fails if `out` cannot be written.
    pub fn write(&self, name: &str, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
        let (Some(crash), Some(headline)) = (self.crash, self.headline(name)) else {
            return Ok(());
        };
        writeln!(out, "{}", paint.bad(&headline))?;
        for line in message(crash) {
            writeln!(out, "  {line}")?;
        }
        for line in &self.ending.processor {
            writeln!(out, "  {}", tame(line))?;
        }
        for line in recognised_lines(&self.known()) {
            writeln!(out, "  {line}")?;
        }
        self.lists().iter().try_for_each(|list| print_list(list, out))?;
        for note in self.ending.missing.iter() {
            writeln!(out, "  {} {note}", paint.faint("note:"))?;
        }
        Ok(())
    }

    /// Lists the requests that were never answered, if there are any.
    ///
    /// # Errors
    /// Fails if `out` cannot be written.
    pub fn write_waiting(&self, out: &mut dyn Write) -> io::Result<()> {
        for note in self.note().iter().chain(&self.ending.unexplained) {
            writeln!(out, "  note: {note}")?;
        }
        match self.waiting() {
            Some(list) => print_list(&list, out),
            None => Ok(()),
        }
    }

    /// The steps before the crash, and the requests that were never answered, as lists.
    pub fn lists(&self) -> Vec<List> {
        let mut lists = Vec::new();
        if let Some(crash) = self.crash.filter(|_| !self.ending.steps.is_empty()) {
            let steps = self.ending.steps.iter();
            let mut rows: Vec<ListRow> = steps.map(|step| self.step(step)).collect();
            rows.push(ListRow {
                text: format!("{:>10}  {}", "", tame(&crash.headline())),
                is_wrong: true,
            });
            lists.push(List { title: self.ending.title(), rows });
        }
        lists.extend(self.waiting());
        lists
    }

    /// A step as a row of a list. The row names its cache line unless all steps are of the same line.
    fn step(&self, step: &LastStep) -> ListRow {
        let of_line = match self.ending.cache_line {
            Some(_) => String::new(),
            None => format!("  address {:#x}", step.address),
        };
        ListRow { text: tame(&format!("{step}{of_line}")), is_wrong: false }
    }

    /// The outstanding requests, with the controllers that are busy with their cache lines, as a list.
    fn waiting(&self) -> Option<List> {
        if self.unfinished == 0 {
            return None;
        }
        let mut rows = Vec::new();
        let all = &self.ending.waiting;
        let listed = &all[..all.len().min(LISTED)];
        let row = |indent: &str, text: &str| ListRow {
            text: format!("{indent}{}", tame(text)),
            is_wrong: false,
        };
        let has_states =
            all.iter().any(|request| request.idle > 0 || !request.controllers.is_empty());
        // Requests for one line wait for the same controllers, which are listed once.
        for (at, first) in listed.iter().enumerate() {
            let of_line = |other: &&OutstandingRequest| other.cache_line == first.cache_line;
            if listed[..at].iter().any(|other| of_line(&other)) {
                continue;
            }
            let requests = listed[at..].iter().filter(of_line);
            rows.extend(requests.map(|request| row("  ", &request.headline())));
            if has_states {
                rows.extend(first.lines().iter().map(|line| row("    ", line)));
            }
        }
        let left = self.unfinished - all.len().min(LISTED);
        if left > 0 && !all.is_empty() {
            rows.push(ListRow { text: format!("  and {left} more"), is_wrong: false });
        }
        Some(List { title: outstanding(self.unfinished), rows })
    }
}

fn print_list(list: &List, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  {}:", list.title)?;
    let mut rows = list.rows.iter();
    rows.try_for_each(|row| writeln!(out, "  {}", row.text))
}

/// The lines of the crash's message. The first one begins with the place where the message was found, and the place in the source
/// that printed it.
fn message(crash: &Crash) -> Vec<String> {
    let mut lines: Vec<String> = crash.message.lines().map(tame).collect();
    let source = crash.source.as_ref();
    if let (Some(first), Some(source)) = (lines.first_mut(), source) {
        *first = format!("{}: {first}", tame(&source.to_string()));
    }
    if let (Some(first), Some(found)) = (lines.first_mut(), &crash.found) {
        *first = format!("{}: {first}", tame(&found.to_string()));
    }
    lines
}

/// The number of outstanding requests in words: `4 requests outstanding`
fn outstanding(count: usize) -> String {
    format!("{} outstanding", counted(count, "request"))
}
