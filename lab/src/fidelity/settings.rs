//! The settings of the experiment, in the first line of its journal.

use std::path::Path;

use serde::{Deserialize, Serialize};
use settings::Setting;

use super::Options;
use crate::error::Error;
use crate::gem5::Binary;
use crate::journal::{Journal, Lines};
use crate::resume::{self, unchanged};

/// The settings that the rows depend on. The number of programs and the kinds of cores may change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Settings {
    /// Version of rubric.
    version: String,
    /// Names or paths, as given.
    protocols: Vec<String>,
    /// The first seed.
    seed: u64,
    /// Time limit of a program and of a verdict, in seconds.
    timeout_seconds: f64,
    /// The binaries, and when they were compiled.
    binaries: Vec<String>,
}

impl Settings {
    /// The settings of these options.
    pub(super) fn of(options: &Options, binaries: &[Binary]) -> Settings {
        let described = |binary: &Binary| format!("{} ({})", binary.given, binary.compiled);
        Settings {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            protocols: options.protocols.clone(),
            seed: options.seed,
            timeout_seconds: options.timeout.as_secs_f64(),
            binaries: binaries.iter().map(described).collect(),
        }
    }

    /// Compares the settings with those in the journal, or writes them there. Returns the number of lines before the first row.
    ///
    /// # Errors
    /// Fails if the journal has other settings, or cannot be written.
    pub(super) fn settle(
        &self,
        journal: &Journal,
        lines: &Lines,
        folder: &Path,
    ) -> Result<usize, Error> {
        let mut first = lines.parse::<Settings>(0, "choose another folder with -o");
        match first.next() {
            None => journal.add(self)?,
            Some(known) => {
                let stored =
                    format!("{}: this folder holds a comparison with other", folder.display());
                unchanged(&known?, self, &stored)?;
            }
        }
        Ok(1)
    }
}

impl resume::Settings for Settings {
    fn fixed(&self) -> Vec<(String, String)> {
        vec![
            ("version".to_owned(), self.version.clone()),
            ("protocols".to_owned(), self.protocols.join(",")),
            ("seed".to_owned(), self.seed.to_string()),
            ("time limit".to_owned(), self.timeout_seconds.to_string()),
            (Setting::Gem5.to_string(), self.binaries.join(", ")),
        ]
    }
}
