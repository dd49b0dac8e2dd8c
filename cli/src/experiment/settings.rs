//! What an experiment that goes on must not change.

use serde::{Deserialize, Serialize};

use super::args::Args;
use super::catalog::Experiment;
use crate::error::Error;
use crate::journal::{Journal, Lines};

/// The first line of an experiment's journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    version: String,
    experiment: String,
    size: String,
    seed: u64,
    timeout: f64,
    max_memory: u64,
    traces: Option<String>,
}

impl Settings {
    /// Those of a command.
    pub fn new(args: &Args, experiment: &Experiment) -> Settings {
        Settings {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            experiment: experiment.name.to_owned(),
            size: args.size.name().to_owned(),
            seed: args.seed,
            timeout: args.timeout.as_secs_f64(),
            max_memory: args.max_memory.as_u64(),
            traces: args.traces.as_ref().map(|path| path.display().to_string()),
        }
    }

    /// Writes them into a journal that is new, or compares them with those that it has.
    ///
    /// # Errors
    /// It is of another experiment.
    pub fn settle(&self, journal: &Journal, lines: &Lines) -> Result<(), Error> {
        let known: Option<Result<Settings, Error>> =
            lines.parse(0, "choose another folder with -o").next();
        let Some(known) = known.transpose()? else {
            return journal.add(self);
        };
        match known.differs(self) {
            None => Ok(()),
            Some((what, then, now)) => Err(Error::Usage(format!(
                "this folder holds {} with another {what} ({then}, now {now}): repeat the options that it was \
                 started with, or choose another folder with -o",
                self.experiment
            ))),
        }
    }

    /// What is not the same, and both values.
    fn differs(&self, now: &Settings) -> Option<(&'static str, String, String)> {
        let traces = |one: &Settings| one.traces.clone().unwrap_or_else(|| "none".to_owned());
        let pairs = [
            ("version", self.version.clone(), now.version.clone()),
            ("size", self.size.clone(), now.size.clone()),
            ("seed", self.seed.to_string(), now.seed.to_string()),
            (
                "time limit",
                self.timeout.to_string(),
                now.timeout.to_string(),
            ),
            (
                "memory limit",
                self.max_memory.to_string(),
                now.max_memory.to_string(),
            ),
            ("folder of traces", traces(self), traces(now)),
        ];
        pairs.into_iter().find(|(_, then, now)| then != now)
    }
}
