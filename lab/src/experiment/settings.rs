//! The settings of an experiment, stored in its journal: an experiment is resumed only with the same settings.

use serde::{Deserialize, Serialize};

use super::Options;
use super::catalog::Experiment;
use crate::error::Error;
use crate::journal::{Journal, Lines};
use crate::resume::{self, unchanged};

/// The first line of an experiment's journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Settings {
    version: String,
    experiment: String,
    size: String,
    seed: u64,
    timeout: f64,
    max_memory: u64,
    traces: Option<String>,
    #[serde(default)]
    protocols: Vec<String>,
}

impl Settings {
    /// The settings of a run with these options.
    pub(super) fn new(options: &Options, experiment: &Experiment) -> Settings {
        Settings {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            experiment: experiment.name.to_owned(),
            size: options.size.name().to_owned(),
            seed: options.seed,
            timeout: options.limits.timeout.as_secs_f64(),
            max_memory: options.limits.memory,
            traces: options.traces.as_ref().map(|path| path.display().to_string()),
            protocols: options.protocols.clone(),
        }
    }

    /// Writes the settings into a new journal, or compares them with those of the journal.
    ///
    /// # Errors
    /// Fails if the journal has other settings or none, or cannot be written.
    pub(super) fn settle(&self, journal: &Journal, lines: &Lines) -> Result<(), Error> {
        let known: Option<Result<Settings, Error>> =
            lines.parse(0, "choose another folder with -o").next();
        let Some(known) = known.transpose()? else {
            return journal.add(self);
        };
        let stored = format!("this folder holds {} with another", self.experiment);
        unchanged(&known, self, &stored)
    }
}

impl resume::Settings for Settings {
    fn fixed(&self) -> Vec<(String, String)> {
        let traces = self.traces.as_deref().unwrap_or("none");
        vec![
            ("version".to_owned(), self.version.clone()),
            ("size".to_owned(), self.size.clone()),
            ("seed".to_owned(), self.seed.to_string()),
            ("time limit".to_owned(), self.timeout.to_string()),
            ("memory limit".to_owned(), self.max_memory.to_string()),
            ("folder of traces".to_owned(), traces.to_owned()),
            (
                "protocols".to_owned(),
                if self.protocols.is_empty() {
                    "built-in".to_owned()
                } else {
                    self.protocols.join(",")
                },
            ),
        ]
    }
}
