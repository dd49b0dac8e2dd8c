//! What a campaign is, written down in its folder: a campaign goes on only as the one it was.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::args::{Args, Stop};
use super::files::Files;
use super::subjects::{self, Subject};
use crate::error::Error;
use crate::experiment::machine;
use crate::journal::failed;
use crate::simulate::protocols::Opened;

/// What differs if only the digest of files and mutants does.
const FILES: &str = "mutants or protocol files";

/// What the rows of a campaign depend on. How many runs there are, and how much time, may change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Version of the program.
    pub version: String,
    /// Names or paths, as given.
    pub protocols: Vec<String>,
    /// Kinds of cores.
    pub clients: Vec<String>,
    /// The first seed.
    pub seed: u64,
    /// Generators.
    pub generators: Vec<String>,
    /// How often everything is done.
    pub repeat: u32,
    /// When a mutant is decided.
    pub stop: Stop,
    /// Whether warnings are faults.
    #[serde(default)]
    pub strict: bool,
    /// Time limit of a verdict.
    pub timeout_seconds: f64,
    /// Digest of the texts of all protocols and the mutants that were chosen.
    pub subjects: String,
    /// The machine that it began on. It may go on with another.
    #[serde(default)]
    pub machine: String,
}

/// What the rows of the campaigns in a folder do not say of them: a word, and what it is. Of settings that
/// another version wrote nothing is said.
///
/// # Errors
/// A file cannot be read.
pub fn told(folder: &Path) -> Result<Vec<(&'static str, String)>, Error> {
    let mut known = BTreeSet::new();
    for path in super::files::all_settings(folder)? {
        let text = std::fs::read_to_string(&path).map_err(failed(&path))?;
        if let Ok(settings) = serde_json::from_str::<Settings>(&text) {
            known.extend(settings.tell());
        }
    }
    Ok(known.into_iter().collect())
}

impl Settings {
    /// Of what was asked.
    pub fn new(args: &Args, opened: &[Opened], subjects: &[Subject]) -> Settings {
        let generators = super::generators(args).iter();
        Settings {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            protocols: opened.iter().map(|one| one.given.clone()).collect(),
            clients: args.clients().iter().map(ToString::to_string).collect(),
            seed: args.seed,
            generators: generators.map(|one| one.name().to_owned()).collect(),
            repeat: args.repeat,
            stop: args.stop(),
            strict: args.strict,
            timeout_seconds: args.timeout().as_secs_f64(),
            subjects: subjects::digest(opened, subjects),
            machine: machine::describe(rayon::current_num_threads()),
        }
    }

    /// What is told of a campaign; what shards have in common is told once.
    fn tell(&self) -> Vec<(&'static str, String)> {
        let mut told = vec![
            ("Version", format!("rubric {}", self.version)),
            ("Seed", self.seed.to_string()),
            (
                "Time limit of a verdict",
                format!("{} s", self.timeout_seconds),
            ),
        ];
        if !self.machine.is_empty() {
            told.push(("Machine", self.machine.clone()));
        }
        told
    }

    /// Compares them with those that a folder has, of the whole or of any shard, and writes them if the one
    /// that is about to run has none.
    ///
    /// # Errors
    /// The folder holds another campaign, or is no folder, or cannot be made.
    pub fn settle(&self, files: &Files<'_>) -> Result<(), Error> {
        let folder = files.folder;
        std::fs::create_dir_all(folder).map_err(failed(folder))?;
        for path in super::files::settings(folder)? {
            self.compare(folder, &path)?;
        }
        let path = files.settings();
        if path.exists() {
            return Ok(());
        }
        crate::files::create(&path, |out| {
            let text = serde_json::to_string_pretty(self);
            writeln!(out, "{}", text.unwrap_or_default()).map_err(Error::Output)
        })
    }

    /// Compares them with those in a file of a folder.
    fn compare(&self, folder: &Path, path: &Path) -> Result<(), Error> {
        let text = std::fs::read_to_string(path).map_err(failed(path))?;
        let known: Settings = serde_json::from_str(&text).map_err(|error| Error::Line {
            file: path.display().to_string(),
            line: error.line(),
            what: format!(
                "{error}: this is no campaign of this version; choose another folder with -o"
            ),
        })?;
        match known.differs(self) {
            None => Ok(()),
            Some((what, _, _)) if known.subjects != self.subjects && what == FILES => {
                Err(Error::Usage(format!(
                    "{}: this folder holds a campaign with other mutants, or of protocols whose files were \
                     others: choose another folder with -o",
                    folder.display()
                )))
            }
            Some((what, then, now)) => Err(Error::Usage(format!(
                "{}: this folder holds a campaign with other {what} ({then}, now {now}): repeat the \
                 options that it was started with, or choose another folder with -o",
                folder.display()
            ))),
        }
    }

    /// The first thing that is not the same, and both values.
    fn differs(&self, other: &Settings) -> Option<(&'static str, String, String)> {
        let pairs = [
            ("version", self.version.clone(), other.version.clone()),
            (
                "protocols",
                self.protocols.join(","),
                other.protocols.join(","),
            ),
            ("clients", self.clients.join(","), other.clients.join(",")),
            ("seed", self.seed.to_string(), other.seed.to_string()),
            (
                "generators",
                self.generators.join(","),
                other.generators.join(","),
            ),
            (
                "repetitions",
                self.repeat.to_string(),
                other.repeat.to_string(),
            ),
            (
                "--stop",
                format!("{:?}", self.stop),
                format!("{:?}", other.stop),
            ),
            (
                "--strict",
                self.strict.to_string(),
                other.strict.to_string(),
            ),
            (
                "time limit",
                self.timeout_seconds.to_string(),
                other.timeout_seconds.to_string(),
            ),
            (FILES, self.subjects.clone(), other.subjects.clone()),
        ];
        pairs.into_iter().find(|(_, then, now)| then != now)
    }
}
