//! The errors of campaigns, experiments and stored results.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use check::generate::RecipeError;
use history::{BuildError, RestoreError, WrittenTwice};
use host::files::advice;
use settings::Setting;
use slicc::source::{Diagnostic, Sources};
use tables::TableError;
use thiserror::Error;

use crate::certify::CertifyError;
use crate::experiment::program::RunError;

/// Why a campaign or an experiment did not finish, or why its stored results cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A trace or a file of histories cannot be read.
    #[error(transparent)]
    Input(#[from] ingest::Error),
    /// A table cannot be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The folder of an exploration's states cannot be used.
    #[error("{setting}: {0}", setting = Setting::Disk)]
    States(#[source] explore::protocol::DiskProblem),
    /// A file or folder cannot be read or written.
    #[error("{}: {error}: {}", path.display(), advice(error))]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        error: io::Error,
    },
    /// A row of a protocol's tables that it does not have.
    #[error("{protocol}: {complaint}")]
    NoSuchRow {
        /// The protocol, as the user named it.
        protocol: String,
        /// What is wrong, with names that are like those given.
        complaint: String,
    },
    /// A walk that a protocol does not have.
    #[error(
        "{protocol} has no walk {walk}: the names of walks are those of one version of a protocol, with the same repairs and \
         settings, and of one version of rubric"
    )]
    NoSuchWalk {
        /// The protocol, as the user named it.
        protocol: String,
        /// The name of the walk.
        walk: String,
    },
    /// A folder or a pattern without traces.
    #[error(
        "{}: there is no trace in it: names that end in .trace, .axe, .json, .jsonl or .parquet, plain or .gz, gem5's debug.out \
         and folders with gem5's files were looked for", .0.display()
    )]
    NoTraces(PathBuf),
    /// A pattern of file names that cannot be followed.
    #[error("{}: {what}", pattern.display())]
    Pattern {
        /// Pattern, as the user wrote it.
        pattern: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A history that the format to write cannot express.
    #[error("{0}")]
    Inexpressible(String),
    /// A journal that another process has locked.
    #[error("{}: another process is writing this file: wait for its end, or choose another folder with -o", .0.display())]
    Locked(PathBuf),
    /// A journal on a file system without locks.
    #[error(
        "{}: the file cannot be locked ({error}), so that two processes could do the same runs: choose \
         a folder on a file system with locks with -o", path.display()
    )]
    NoLocks {
        /// Path of the journal.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        error: io::Error,
    },
    /// A line of a journal cannot be parsed.
    #[error("{}:{line}: this version did not write this line ({error}): {advice}", path.display())]
    Line {
        /// Path of the journal.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Why it cannot be parsed.
        #[source]
        error: serde_json::Error,
        /// What the user should do.
        advice: &'static str,
    },
    /// A settings file is not one of a campaign of this version.
    #[error("{}:{}: {error}: this is no campaign of this version; choose another folder with -o", path.display(), error.line())]
    NoSettings {
        /// Path of the file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        error: serde_json::Error,
    },
    /// Stored rows were made with other settings, so the run cannot be resumed.
    #[error(
        "{stored} {what} ({then}, now {now}): repeat the options that it was started with, or choose another \
         folder with -o"
    )]
    OtherSettings {
        /// The beginning of the message: what is stored, and where.
        stored: String,
        /// The setting that differs.
        what: String,
        /// Its stored value.
        then: String,
        /// Its value now.
        now: String,
    },
    /// The stored campaign is about other mutants or protocol files.
    #[error(
        "{}: this folder holds a campaign with other mutants, or of protocols whose files were \
         others: choose another folder with -o", .0.display()
    )]
    OtherSubjects(PathBuf),
    /// The stored run of a campaign is not the one that follows from its settings.
    #[error(
        "the log of the campaign contradicts itself: run {number} of {subject} has lineage {lineage}, and \
         {expected} was expected. Remove the folder and start again"
    )]
    Lineage {
        /// The number of the run.
        number: u32,
        /// The mutant, or the protocol.
        subject: String,
        /// The stored lineage.
        lineage: String,
        /// The lineage that follows from the settings.
        expected: String,
    },
    /// A folder without results.
    #[error(
        "{}: this folder has no results of a campaign, an experiment or explorations of mutants: `rubric campaign -o DIR`, `rubric \
         experiment NAME -o DIR` and `rubric explore protocol PROTOCOL --mutants -o DIR` make them", .0.display()
    )]
    NoResults(PathBuf),
    /// Addresses or ticks were selected, but the file holds finished histories.
    #[error(
        "{}: holds finished histories: use {} where the \
         trace itself is read, with `rubric ingest`", .0.display(), ingest::selection()
    )]
    Finished(PathBuf),
    /// The history of a file was recorded from another source than the requested one.
    #[error("{}: holds a history of the source `{source_name}`: leave {} out, or read the trace itself", path.display(), Setting::Source)]
    OtherSource {
        /// Path of the file.
        path: PathBuf,
        /// The source of the history.
        source_name: &'static str,
    },
    /// A stored history that contradicts the given initial values.
    #[error("{}: {error}", path.display())]
    Restore {
        /// Path of the file.
        path: PathBuf,
        /// The error that is the reason.
        #[source]
        error: RestoreError,
    },
    /// A folder of traces without any history.
    #[error(
        "{}: no history in this folder: traces or histories that `rubric check` reads were expected", .0.display()
    )]
    NoHistories(PathBuf),
    /// A value is written twice to a shared location.
    #[error("{file}: {twice}. Record a run that writes unique values, or try {}", Setting::Ambiguous.to("search"))]
    WrittenTwice {
        /// The file, and the history in it.
        file: String,
        /// The two writes of the value, with their trace lines.
        twice: Box<WrittenTwice>,
    },
    /// A protocol that has errors, or for which no system can be built.
    #[error("{0}")]
    Protocol(Box<Refusal>),
    /// There is no such mutant.
    #[error(
        "there is no mutant {name}: {}`rubric mutants list` shows the named ones, `rubric mutants \
         list PROTOCOL` all of a protocol",
        guess(near)
    )]
    NoMutant {
        /// The name that was given.
        name: String,
        /// Names that may have been meant.
        near: Vec<String>,
    },
    /// A repair of another protocol.
    #[error(
        "{}: it is a repair of {of}, and {given} is the protocol {protocol}: choose one from \
         `rubric mutants list --repairs {given}`", Setting::Repair.to(name)
    )]
    OtherRepair {
        /// The repair.
        name: String,
        /// The protocol that it is of.
        of: String,
        /// The protocol, as it was given.
        given: String,
        /// The name of the protocol.
        protocol: String,
    },
    /// There is no such repair.
    #[error("there is no repair {name}: {}`rubric mutants list --repairs` shows all", guess(near))]
    NoRepair {
        /// The name that was given.
        name: String,
        /// Names that may have been meant.
        near: Vec<String>,
    },
    /// A mutant of another protocol.
    #[error(
        "{}: it is a mutant of {of}, and {given} is the protocol {protocol}: name a protocol \
         that it is of, or choose one from `rubric mutants list {given}`", Setting::Mutant.to(name)
    )]
    OtherMutant {
        /// The mutant.
        name: String,
        /// The protocol that the mutant belongs to.
        of: String,
        /// The name or path that was given.
        given: String,
        /// The protocol that this is.
        protocol: String,
    },
    /// A run that cannot be made, or whose history cannot be built.
    #[error("{protocol}: {error}")]
    Run {
        /// Name of the protocol.
        protocol: String,
        /// The error that is the reason.
        #[source]
        error: Box<dyn std::error::Error + Send + Sync>,
    },
    /// An unmutated protocol failed. That is a defect of rubric if the protocol is a built-in one.
    #[error("{protocol}: the protocol failed: {fault}; reproduce with: {command}; {advice}")]
    Failed {
        /// Name of the protocol.
        protocol: String,
        /// The message of the fault.
        fault: String,
        /// The command that reproduces the run.
        command: String,
        /// What to do.
        advice: String,
    },
    /// The verifier rejects a certificate that rubric wrote, which is a defect.
    #[error("{command}: the certificate is refused: {error}")]
    Certificate {
        /// The command that reproduces the run.
        command: String,
        /// The error that is the reason.
        #[source]
        error: CertifyError,
    },
    /// A random history that cannot be generated.
    #[error("{error} (seed {seed})")]
    Recipe {
        /// The seed of the history.
        seed: u64,
        /// Why the generator refuses the recipe.
        #[source]
        error: RecipeError,
    },
    /// A history that cannot be built from the records of a run.
    #[error(transparent)]
    History(#[from] BuildError),
    /// A generated history in which a value is written twice.
    #[error(transparent)]
    MadeTwice(#[from] Box<WrittenTwice>),
    /// No run violates SC, though one should.
    #[error(
        "none of {tried} histories that violate SC was found ({recipe}, number {number}): please report this"
    )]
    NoViolation {
        /// Runs that were tried.
        tried: u32,
        /// The recipe of the histories.
        recipe: String,
        /// The number of the history.
        number: u32,
    },
    /// Two algorithms contradict each other about a history.
    #[error(
        "{command}: {first} says that the history is {model}, {second} that it is not. This is a defect of rubric: \
         please report it, with the history"
    )]
    Disagreement {
        /// The command that reproduces it.
        command: String,
        /// The model about which two algorithms disagree.
        model: String,
        /// The algorithm that finds the history consistent.
        first: String,
        /// The algorithm that finds a violation.
        second: String,
    },
    /// An algorithm that applies to no model of an experiment.
    #[error("{}: it says nothing about a model of {experiment}", Setting::Algorithm.to(algorithm))]
    Inapplicable {
        /// Name of the algorithm.
        algorithm: &'static str,
        /// Name of the experiment.
        experiment: &'static str,
    },
    /// The experiment has no point with this name.
    #[error(
        "{}: {experiment} has no such point at this size; its points are {}",
        Setting::Only.to(point), first(points)
    )]
    NoPoint {
        /// Name of the requested point.
        point: String,
        /// Name of the experiment.
        experiment: &'static str,
        /// The names of the points of the experiment, each once, in natural order.
        points: Vec<String>,
    },
    /// The point has no history with this number.
    #[error("{}: its histories have numbers from {first} to {last}", Setting::Only.to(point))]
    NoNumber {
        /// Name of the point.
        point: String,
        /// The first number.
        first: u32,
        /// The last number.
        last: u32,
    },
    /// A history was requested from an experiment that explores programs.
    #[error("{setting}: {0} explores programs, which are not histories", setting = Setting::Save)]
    NoHistory(&'static str),
    /// A built-in program has errors, which is a defect.
    #[error("{0}: this built-in program has errors, which `rubric explore program` shows")]
    BuiltIn(&'static str),
    /// The thread pool cannot be started.
    #[error("{}: {error}", Setting::Jobs.to(jobs))]
    Jobs {
        /// The requested number of threads.
        jobs: usize,
        /// Why the thread pool could not start.
        #[source]
        error: rayon::ThreadPoolBuildError,
    },
    /// A binary of gem5 cannot be used.
    #[error("{}: {what}", Setting::Gem5.to(path.display()))]
    Gem5 {
        /// The binary.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A run in gem5 that only gem5 can repeat.
    #[error("it was made by {binary}; {command} repeats it, and keeps its log")]
    MadeInGem5 {
        /// Path of the binary.
        binary: String,
        /// The command that repeats the run.
        command: String,
    },
    /// Options that runs in gem5 do not have.
    #[error("{setting}: {0}", setting = Setting::Gem5)]
    NotInGem5(String),
    /// An external checker cannot be run.
    #[error("{}: {error}", Setting::Program.to(name))]
    Program {
        /// The name of the program.
        name: String,
        /// Why the checker could not be run.
        #[source]
        error: RunError,
    },
}

impl Error {
    /// Makes the error of a run of a protocol.
    pub(crate) fn run<E>(protocol: &str) -> impl Fn(E) -> Error
    where
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        move |error| Error::Run { protocol: protocol.to_owned(), error: error.into() }
    }

    /// Makes the error of a binary of gem5.
    pub(crate) fn gem5(path: &Path, what: impl Into<String>) -> Error {
        Error::Gem5 { path: path.to_owned(), what: what.into() }
    }

    /// Makes the error of the file system about a file or folder.
    pub fn file(path: &Path) -> impl Fn(io::Error) -> Error {
        let path = path.to_owned();
        move |error| Error::File { path: path.clone(), error }
    }
}

fn guess(near: &[String]) -> String {
    if near.is_empty() {
        return String::new();
    }
    format!("did you mean {}? ", near.join(" or "))
}

/// What is wrong with a protocol, or with the system that was requested.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The name or path that was given.
    pub given: String,
    /// The files of the protocol.
    pub sources: Sources,
    /// The diagnostics, at least one.
    pub diagnostics: Vec<Diagnostic>,
}

impl Refusal {
    /// Whether a diagnostic is about a place in a file, which can be shown.
    pub fn is_about_files(&self) -> bool {
        self.diagnostics.iter().any(|one| one.span.is_some())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sentences = self.diagnostics.iter().map(|one| match &one.hint {
            Some(hint) => format!("{}: {hint}", one.message),
            None => one.message.clone(),
        });
        let text = sentences.collect::<Vec<_>>().join("; ");
        let says_what = text.starts_with(&self.given) || text.starts_with("--");
        if says_what { f.write_str(&text) } else { write!(f, "{}: {text}", self.given) }
    }
}

/// The first of many names, and how many more there are.
fn first(names: &[String]) -> String {
    /// Most names in a message.
    const MOST: usize = 20;
    let shown = names.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(" ");
    match names.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_points_the_first_are_named() {
        let points = |number: u32| (1..=number).map(|at| format!("threads={at}")).collect();
        let message = |number| {
            let point = "threads=0".to_owned();
            Error::NoPoint { point, experiment: "e", points: points(number) }.to_string()
        };
        assert!(message(20).ends_with(" threads=20"), "{}", message(20));
        assert!(message(300).ends_with(" threads=20 and 280 more"), "{}", message(300));
    }
}
