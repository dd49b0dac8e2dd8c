//! The settings of a campaign, stored in its folder: a campaign is resumed only with the same settings.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};
use settings::Setting;

use super::files::Files;
use super::{Options, StopRule};
use crate::error::Error;
use crate::machine;
use crate::protocols::{Opened, Repairs};
use crate::resume::{self, unchanged};
use crate::text::counted;

/// The settings that the rows of a campaign depend on. The number of runs and the time budget may change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Settings {
    /// Version of rubric.
    pub version: String,
    /// Names or paths, as given.
    pub protocols: Vec<String>,
    /// Binaries of gem5, as given.
    #[serde(default)]
    pub gem5: Vec<String>,
    /// Kinds of cores.
    pub clients: Vec<String>,
    /// The first seed.
    pub seed: u64,
    /// Number of DMA devices.
    #[serde(default)]
    pub devices: u32,
    /// Flushes, in percent of the operations.
    #[serde(default)]
    pub flushes: u32,
    /// Atomic requests, in percent of the read-modify-writes.
    #[serde(default)]
    pub atomics: u32,
    /// TLB invalidations and syncs, in percent of the operations.
    #[serde(default)]
    pub dvm: u32,
    /// Accesses to parts of words, in percent of the loads and stores.
    #[serde(default)]
    pub partial: u32,
    /// The repairs of known faults, as given.
    #[serde(default = "no_repairs")]
    pub repairs: String,
    /// Values of parameters, as given.
    #[serde(default)]
    pub set: Vec<String>,
    pub generators: Vec<String>,
    /// Number of repetitions.
    pub repeat: u32,
    /// The rule that says when a campaign stops running a mutant.
    pub stop: StopRule,
    /// Whether warnings are faults.
    #[serde(default)]
    pub strict: bool,
    /// Time limit of a verdict, in seconds.
    pub timeout_seconds: f64,
    /// Digest of the texts of all protocols and the mutants that were chosen, or of when binaries of gem5 were compiled.
    pub subjects: String,
    /// The machine on which the campaign began. It may be resumed on another.
    #[serde(default)]
    pub machine: String,
    /// The commit of the program that began the campaign; empty if it is unknown.
    #[serde(default)]
    pub commit: String,
    /// Which mutants were chosen, in words.
    #[serde(default)]
    pub chosen: String,
    /// The largest number of runs of each mutant on each kind of core when the campaign began.
    #[serde(default)]
    pub runs: u32,
}

/// Facts about the campaigns in a folder that their rows do not contain, each with a label. Settings that another version wrote are
/// ignored.
///
/// # Errors
/// Fails if a file cannot be read.
pub fn facts(folder: &Path) -> Result<Vec<(&'static str, String)>, Error> {
    let mut known = BTreeSet::new();
    for path in super::files::all_settings(folder)? {
        let text = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
        if let Ok(settings) = serde_json::from_str::<Settings>(&text) {
            known.extend(settings.facts());
        }
    }
    Ok(known.into_iter().collect())
}

impl Settings {
    /// Makes the settings of a campaign; `subjects` is their digest.
    pub(super) fn new(options: &Options, opened: &[Opened], subjects: String) -> Settings {
        let generators = super::generators(options).iter();
        Settings {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            protocols: opened.iter().map(|one| one.given.clone()).collect(),
            gem5: options.gem5.iter().map(ToString::to_string).collect(),
            clients: options.clients.iter().map(ToString::to_string).collect(),
            seed: options.seed,
            devices: options.extras.devices,
            flushes: options.extras.flushes,
            atomics: options.extras.atomics,
            dvm: options.extras.dvm,
            partial: options.extras.partial,
            repairs: options.repairs.to_string(),
            set: options.settings.iter().map(ToString::to_string).collect(),
            generators: generators.map(|one| one.name().to_owned()).collect(),
            repeat: options.repeat,
            stop: options.stop(),
            strict: options.strict,
            timeout_seconds: options.timeout.as_secs_f64(),
            subjects,
            machine: machine::describe(rayon::current_num_threads()),
            commit: machine::commit().to_owned(),
            chosen: chosen(options),
            runs: options.runs,
        }
    }

    /// The facts that a report shows, each with a label.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let commit = match self.commit.as_str() {
            "" => String::new(),
            commit => format!(" (commit {commit})"),
        };
        let mut facts = vec![
            ("Version", format!("rubric {}{commit}", self.version)),
            ("Seeds", format!("made from {}; that of each run is in its row", self.seed)),
            ("Time limit of a verdict", format!("{} s", self.timeout_seconds)),
        ];
        if !self.chosen.is_empty() {
            facts.push(("Mutants", self.chosen.clone()));
            let runs = format!(
                "up to {} of each mutant on each kind of core, until {}; {} in all",
                self.runs,
                self.stop.in_words(),
                counted(self.repeat as usize, "time")
            );
            facts.push(("Runs", runs));
        }
        if !self.gem5.is_empty() {
            facts.push(("Binaries of gem5", self.gem5.join(", ")));
        }
        if self.repairs != no_repairs() {
            facts.push(("Known faults repaired", self.repairs.clone()));
        }
        if !self.set.is_empty() {
            facts.push(("Settings", self.set.join(", ")));
        }
        if !self.machine.is_empty() {
            facts.push(("Machine", self.machine.clone()));
        }
        facts
    }

    /// Compares the settings with all that the folder has, of the whole campaign or of any shard. Writes them if those of this campaign or
    /// shard are not there yet.
    ///
    /// # Errors
    /// Fails if the folder holds another campaign, or cannot be created, read or written.
    pub(super) fn settle(&self, files: &Files<'_>) -> Result<(), Error> {
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
        host::files::create(&path, &failed, |file| writeln!(file, "{text}").map_err(&failed))
    }

    /// Compares the settings with those in a file of the folder.
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

/// Which mutants a campaign with these options runs, in words.
fn chosen(options: &Options) -> String {
    let operators: Vec<&str> = options.operators.iter().map(|one| one.name()).collect();
    let made = match (options.sample, operators.join(", ")) {
        (Some(sample), none) if none.is_empty() => {
            format!("a random sample of {sample} of those that operators make")
        }
        (None, none) if none.is_empty() => "all that operators make".to_owned(),
        (Some(sample), names) => format!("a random sample of {sample} of those of {names}"),
        (None, names) => format!("all of the operators {names}"),
    };
    let parts = [
        options.named.then(|| "the named ones".to_owned()),
        options.made.then_some(made),
        (!options.mutants.is_empty()).then(|| options.mutants.join(", ")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join("; ") }
}

/// The value of `repairs` for no repairs. Settings without this key were written by versions that had no repairs.
fn no_repairs() -> String {
    Repairs::None.to_string()
}

impl resume::Settings for Settings {
    /// All settings except the digest of files and mutants, which means nothing to a reader, and the machine, which may change.
    fn fixed(&self) -> Vec<(String, String)> {
        let word = |name: &str, value: String| (name.to_owned(), value);
        let setting = |setting: Setting, value: String| (setting.to_string(), value);
        vec![
            word("version", self.version.clone()),
            word("protocols", self.protocols.join(",")),
            setting(Setting::Gem5, self.gem5.join(" ")),
            word("clients", self.clients.join(",")),
            word("seed", self.seed.to_string()),
            setting(Setting::Repair, self.repairs.clone()),
            setting(Setting::Set, self.set.join(",")),
            setting(Setting::Dma, self.devices.to_string()),
            setting(Setting::Flush, self.flushes.to_string()),
            setting(Setting::Atomics, self.atomics.to_string()),
            setting(Setting::Dvm, self.dvm.to_string()),
            setting(Setting::Partial, self.partial.to_string()),
            word("generators", self.generators.join(",")),
            word("repetitions", self.repeat.to_string()),
            setting(Setting::Stop, self.stop.name().to_owned()),
            setting(Setting::Strict, self.strict.to_string()),
            word("time limit", self.timeout_seconds.to_string()),
        ]
    }
}
