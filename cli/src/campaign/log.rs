//! The runs of a campaign as they end, a line each: what is left of it when somebody kills it.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use report::tables::{CampaignRun, Generator, RunOutcome};
use serde::{Deserialize, Serialize};

use super::files::failed;
use super::rounds::Origin;
use crate::error::Error;

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
    file: File,
    /// The bytes that whole lines take.
    whole: Mutex<u64>,
}

impl Log {
    /// Opens a log, and reads what is there. A last line without an end, which is what a kill leaves of
    /// the run in hand, is removed. A run that is there twice counts once.
    ///
    /// # Errors
    /// The file cannot be read or written, another process writes it, or a line of it is none of ours.
    pub fn open(path: &Path) -> Result<(Log, HashMap<Key, Entry>), Error> {
        let failed = failed(path);
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(&failed)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => Error::Usage(format!(
                "{}: another process is writing this file: wait for its end, or choose another folder with -o",
                path.display()
            )),
            TryLockError::Error(error) => Error::Usage(format!(
                "{}: the file cannot be locked ({error}), so that two processes could do the same runs: choose \
                 a folder on a file system with locks with -o",
                path.display()
            )),
        })?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(&failed)?;
        truncate(&mut text);
        let whole = text.len() as u64;
        file.set_len(whole).map_err(&failed)?;
        let entries = entries(path, &text)?;
        let log = Log {
            path: path.to_owned(),
            file,
            whole: Mutex::new(whole),
        };
        Ok((log, entries))
    }

    /// Reads a log, and leaves it as it is.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it is none of ours.
    pub fn read(path: &Path) -> Result<HashMap<Key, Entry>, Error> {
        let mut text = std::fs::read(path).map_err(failed(path))?;
        truncate(&mut text);
        entries(path, &text)
    }

    /// Adds a run. Its line is written at once, so that a kill cannot lose it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&self, entry: &Entry) -> Result<(), Error> {
        let failed = failed(&self.path);
        let mut line = serde_json::to_vec(entry).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        let mut whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = self.file.write_all_at(&line, *whole) {
            // The disk is full. Other runs that end now must not continue this line; if what there is of it
            // stays, the next start removes it.
            let _ = self.file.set_len(*whole);
            return Err(failed(error));
        }
        *whole += line.len() as u64;
        Ok(())
    }

    /// Waits until all runs are on the disk. A network file system may say only then that it is full.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn sync(&self) -> Result<(), Error> {
        self.file.sync_data().map_err(failed(&self.path))
    }
}

/// Takes away a last line without an end.
fn truncate(text: &mut Vec<u8>) {
    let end = text.iter().rposition(|&byte| byte == b'\n');
    text.truncate(end.map_or(0, |at| at + 1));
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
