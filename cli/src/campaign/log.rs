//! The runs of a campaign as they end, a line each: what is left of it when somebody kills it.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use report::tables::{CampaignRun, Generator, RunOutcome};
use serde::{Deserialize, Serialize};

use super::rounds::Origin;
use crate::error::Error;

/// The file, in the campaign's folder.
pub const FILE: &str = "runs.jsonl";

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
pub struct Log {
    path: PathBuf,
    file: Mutex<File>,
}

impl Log {
    /// Opens the log of a folder, and reads what is there. A last line without an end, which is what
    /// a kill leaves of the run in hand, is removed. A run that is there twice counts once.
    ///
    /// # Errors
    /// The file cannot be read or written, or a line of it is none of ours.
    pub fn open(folder: &Path) -> Result<(Log, HashMap<Key, Entry>), Error> {
        let path = folder.join(FILE);
        let failed = |error| Error::File {
            file: path.display().to_string(),
            error,
        };
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(failed)?;
        file.try_lock().map_err(|_| {
            Error::Usage(format!(
                "{}: another campaign is writing to this folder: wait for its end, or choose another folder with -o",
                folder.display()
            ))
        })?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(failed)?;
        let whole = text
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1);
        text.truncate(whole);
        file.set_len(whole as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        let entries = entries(&path, &text)?;
        let log = Log {
            path: path.clone(),
            file: Mutex::new(file),
        };
        Ok((log, entries))
    }

    /// Reads the log of a folder, if it has one, and leaves it as it is.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it is none of ours.
    pub fn read(folder: &Path) -> Result<Option<HashMap<Key, Entry>>, Error> {
        let path = folder.join(FILE);
        match std::fs::read(&path) {
            Ok(mut text) => {
                let whole = text
                    .iter()
                    .rposition(|&byte| byte == b'\n')
                    .map_or(0, |at| at + 1);
                text.truncate(whole);
                entries(&path, &text).map(Some)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::File {
                file: path.display().to_string(),
                error,
            }),
        }
    }

    /// Adds a run. Its line is written at once, so that a kill cannot lose it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&self, entry: &Entry) -> Result<(), Error> {
        let failed = |error| Error::File {
            file: self.path.display().to_string(),
            error,
        };
        let mut line = serde_json::to_vec(entry).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&line).map_err(failed)
    }
}

fn entries(path: &Path, text: &[u8]) -> Result<HashMap<Key, Entry>, Error> {
    let lines = text.split(|&byte| byte == b'\n');
    let mut entries = HashMap::new();
    for (number, line) in (1..).zip(lines).filter(|(_, line)| !line.is_empty()) {
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
