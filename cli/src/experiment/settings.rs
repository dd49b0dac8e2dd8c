//! What an experiment that goes on must not change.

use serde::{Deserialize, Serialize};

use super::args::Args;
use super::catalog::Experiment;

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

    /// What is not the same, in words.
    pub fn differs(known: &Settings, now: &Settings) -> Option<String> {
        let traces = |one: &Settings| one.traces.clone().unwrap_or_else(|| "none".to_owned());
        let pairs = [
            ("version", known.version.clone(), now.version.clone()),
            (
                "experiment",
                known.experiment.clone(),
                now.experiment.clone(),
            ),
            ("size", known.size.clone(), now.size.clone()),
            ("seed", known.seed.to_string(), now.seed.to_string()),
            (
                "time limit",
                known.timeout.to_string(),
                now.timeout.to_string(),
            ),
            (
                "memory limit",
                known.max_memory.to_string(),
                now.max_memory.to_string(),
            ),
            ("traces", traces(known), traces(now)),
        ];
        let (what, then, now) = pairs.into_iter().find(|(_, then, now)| then != now)?;
        Some(format!(
            "this is of an experiment with another {what} ({then}, now {now})"
        ))
    }
}
