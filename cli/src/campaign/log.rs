//! The runs of a campaign as they end, a line each: what is left of it when somebody kills it.

use std::collections::HashMap;
use std::path::Path;

use report::tables::{CampaignRun, Generator, RunOutcome};
use serde::{Deserialize, Serialize};

use super::rounds::Origin;
use crate::error::Error;
use crate::lines::{self, Lines};

/// A run, and what is needed to go on from it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Its row of the table.
    pub row: CampaignRun,
    /// What it reached, by number, and how often; where nobody learns from that, only what is new.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reached: Vec<(u32, u64)>,
}

/// What tells runs apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The protocol, and the mutant if it is one.
    pub subject: (String, Option<String>),
    /// The kind of cores.
    pub client: String,
    /// The generator.
    pub generator: Generator,
    /// Which time everything is done.
    pub repetition: u32,
    /// Its number.
    pub number: u32,
}

impl Entry {
    /// Whether the protocol failed, or broke what the client keeps.
    pub fn fails(&self) -> bool {
        use RunOutcome::{Deadlock, ProtocolError, Violation};
        matches!(self.row.outcome, Violation | ProtocolError | Deadlock)
    }

    /// Protocol, client and lineage.
    pub fn origin(&self) -> Origin {
        let row = &self.row;
        [
            row.protocol.clone(),
            row.client.clone(),
            row.lineage.clone(),
        ]
    }

    /// What tells it from others.
    pub fn key(&self) -> Key {
        Key {
            subject: (self.row.protocol.clone(), self.row.mutant.clone()),
            client: self.row.client.clone(),
            generator: self.row.generator,
            repetition: self.row.repetition,
            number: self.row.number,
        }
    }
}

/// A log that is open.
pub struct Log(Lines);

impl Log {
    /// Opens a log, and reads what is there. A run that is there twice counts once.
    ///
    /// # Errors
    /// The file cannot be read or written, another process writes it, or a line of it is none of ours.
    pub fn open(path: &Path) -> Result<(Log, HashMap<Key, Entry>), Error> {
        let (lines, text) = Lines::open(path)?;
        Ok((Log(lines), entries(path, &text)?))
    }

    /// Reads a log, and leaves it as it is.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it is none of ours.
    pub fn read(path: &Path) -> Result<HashMap<Key, Entry>, Error> {
        entries(path, &lines::read(path)?)
    }

    /// Adds a run. Its line is written at once, so that a kill cannot lose it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&self, entry: &Entry) -> Result<(), Error> {
        self.0.add(entry)
    }

    /// Waits until all runs are on the disk.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn sync(&self) -> Result<(), Error> {
        self.0.sync()
    }
}

fn entries(path: &Path, text: &[u8]) -> Result<HashMap<Key, Entry>, Error> {
    let mut entries = HashMap::new();
    for (number, line) in lines::each(text) {
        let entry: Entry = serde_json::from_slice(line).map_err(|error| Error::Line {
            file: path.display().to_string(),
            line: number,
            what: format!(
                "this is no run of a campaign of this version ({error}): remove the line, whose run is then done again"
            ),
        })?;
        entries.insert(entry.key(), entry);
    }
    Ok(entries)
}
