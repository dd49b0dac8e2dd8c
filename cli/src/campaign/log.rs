//! The runs of a campaign as they end, a line each: what is left of it when somebody kills it.

use std::collections::HashMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tables::{CampaignRun, Generator, RunOutcome};

use super::rounds::Origin;
use crate::error::Error;
use crate::journal::{Journal, Lines};

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
pub struct Log(Journal);

impl Log {
    /// Opens a log, and reads what is there. A run that is there twice counts once.
    ///
    /// # Errors
    /// The file cannot be read or written, another process writes it, or a line of it is none of ours.
    pub fn open(path: &Path) -> Result<(Log, HashMap<Key, Entry>), Error> {
        let (journal, lines) = Journal::open(path)?;
        Ok((Log(journal), entries(&lines)?))
    }

    /// Reads a log, and leaves it as it is.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it is none of ours.
    pub fn read(path: &Path) -> Result<HashMap<Key, Entry>, Error> {
        entries(&Lines::read(path)?)
    }

    /// Adds a run.
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

fn entries(lines: &Lines) -> Result<HashMap<Key, Entry>, Error> {
    let entries = lines.parse(0, "remove the line, whose run is then done again");
    let keyed = entries.map(|entry: Result<Entry, Error>| entry.map(|entry| (entry.key(), entry)));
    keyed.collect()
}
