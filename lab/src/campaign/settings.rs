//! The settings of a campaign, stored in its folder: a campaign is resumed only with the same settings.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files::Files;
use super::subjects::{self, Subject};
use super::{Options, StopRule};
use crate::error::Error;
use crate::machine;
use crate::protocols::Opened;
use crate::resume::{self, unchanged};

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
    /// The rule that says when a campaign stops running a mutant.
    pub stop: StopRule,
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
        let text = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
        if let Ok(settings) = serde_json::from_str::<Settings>(&text) {
            known.extend(settings.tell());
        }
    }
    Ok(known.into_iter().collect())
}

impl Settings {
    /// Makes the settings of a campaign.
    pub fn new(options: &Options, opened: &[Opened], subjects: &[Subject]) -> Settings {
        let generators = super::generators(options).iter();
        Settings {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            protocols: opened.iter().map(|one| one.given.clone()).collect(),
            clients: options.clients.iter().map(ToString::to_string).collect(),
            seed: options.seed,
            generators: generators.map(|one| one.name().to_owned()).collect(),
            repeat: options.repeat,
            stop: options.stop(),
            strict: options.strict,
            timeout_seconds: options.timeout.as_secs_f64(),
            subjects: subjects::digest(opened, subjects),
            machine: machine::describe(rayon::current_num_threads()),
        }
    }

    /// What is told of a campaign; what shards have in common is told once.
    fn tell(&self) -> Vec<(&'static str, String)> {
        let mut told = vec![
            ("Version", format!("rubric {}", self.version)),
            ("Seed", self.seed.to_string()),
            ("Time limit of a verdict", format!("{} s", self.timeout_seconds)),
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
        std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
        for path in super::files::settings(folder)? {
            self.compare(folder, &path)?;
        }
        let path = files.settings();
        if path.exists() {
            return Ok(());
        }
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        let failed = Error::file(&path);
        tables::files::create(&path, &failed, |file| writeln!(file, "{text}").map_err(&failed))
    }

    /// Compares them with those in a file of a folder.
    fn compare(&self, folder: &Path, path: &Path) -> Result<(), Error> {
        let text = std::fs::read_to_string(path).map_err(Error::file(path))?;
        let known: Settings = serde_json::from_str(&text)
            .map_err(|error| Error::NoSettings { path: path.to_owned(), error })?;
        let stored = format!("{}: this folder holds a campaign with other", folder.display());
        unchanged(&known, self, &stored)?;
        if known.subjects == self.subjects {
            Ok(())
        } else {
            Err(Error::OtherSubjects(folder.to_owned()))
        }
    }
}

impl resume::Settings for Settings {
    /// All but the digest of files and mutants, which says nothing to a reader, and the machine.
    fn fixed(&self) -> Vec<(&'static str, String)> {
        vec![
            ("version", self.version.clone()),
            ("protocols", self.protocols.join(",")),
            ("clients", self.clients.join(",")),
            ("seed", self.seed.to_string()),
            ("generators", self.generators.join(",")),
            ("repetitions", self.repeat.to_string()),
            ("--stop", self.stop.name().to_owned()),
            ("--strict", self.strict.to_string()),
            ("time limit", self.timeout_seconds.to_string()),
        ]
    }
}
