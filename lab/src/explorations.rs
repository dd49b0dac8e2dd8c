//! Explorations of many mutants: a journal of what was found, so that they can be interrupted, resumed and spread over machines.
//!
//! [`mutants`](crate::campaign::mutants) chooses the mutants, [`Work`] explores them, [`table`] shows them. Each exploration is a [`Row`], whose key is the command that repeats
//! it. So a folder may hold explorations of several sizes, and those of all shards.
//!
//! ```
//! use lab::explorations::{Explorations, Row, digest};
//! use slicc::protocol::Protocol;
//!
//! let folder = tempfile::tempdir()?;
//! let protocol = Protocol::open("MI_example").expect("it is built in");
//! let row = Row {
//!     command: "rubric explore protocol MI_example".to_owned(),
//!     digest: digest(&protocol),
//!     limits: "1000 states".to_owned(),
//!     is_final: true,
//!     status: 0,
//!     result: serde_json::json!({ "outcome": "clean" }),
//! };
//! Explorations::open(folder.path(), None)?.add(&row)?;
//! let again = Explorations::open(folder.path(), Some("1/2".parse()?))?;
//! assert_eq!(again.find(&row.command, &row.digest, "500 states").map(|row| row.status), Some(0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod table;
mod work;

use std::path::Path;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use slicc::protocol::Protocol;

use crate::error::Error;
use crate::journal::{self, Journal, Lines};
use crate::shard::Shard;
pub use work::{Task, Work};

/// The explorations of a folder.
pub struct Explorations {
    journal: Journal,
    known: IndexMap<String, Row>,
}

/// An exploration that has ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The command that repeats the exploration, without limits.
    pub command: String,
    /// The [`digest`] of the explored protocol.
    pub digest: String,
    /// The limits, in words.
    pub limits: String,
    /// Whether the result does not depend on the limits.
    pub is_final: bool,
    /// The exit status of the exploration.
    pub status: u8,
    /// The result of the exploration, as JSON.
    pub result: Value,
}

impl journal::Row for Row {
    type Key = String;
    const ADVICE: &'static str = "choose another folder with -o";

    fn key(&self) -> String {
        self.command.clone()
    }
}

impl Explorations {
    /// Opens the journal of a shard in a folder, which is created if there is none, and reads those of all shards.
    ///
    /// # Errors
    /// Fails if a file cannot be read or written, or if another process writes this journal.
    pub fn open(folder: &Path, shard: Option<Shard>) -> Result<Explorations, Error> {
        std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
        let own = folder.join(Shard::file(shard, STEM, EXTENSION));
        let (journal, lines) = Journal::open(&own)?;
        let mut known = in_journals(folder, Some(&own))?;
        known.extend(lines.rows::<Row>(0)?);
        Ok(Explorations { journal, known })
    }

    /// The explorations in a folder, by the commands that repeat them; none if it has no journals of explorations.
    ///
    /// # Errors
    /// Fails if the folder or a journal cannot be read.
    pub fn stored(folder: &Path) -> Result<Vec<Row>, Error> {
        let mut rows: Vec<Row> = in_journals(folder, None)?.into_values().collect();
        rows.sort_by(|one, other| one.command.cmp(&other.command));
        Ok(rows)
    }

    /// The stored exploration of a command and a digest. One whose result depends on its limits is returned only for the same limits.
    pub fn find(&self, command: &str, digest: &str, limits: &str) -> Option<&Row> {
        let row = self.known.get(command);
        row.filter(|row| row.digest == digest && (row.is_final || row.limits == limits))
    }

    /// Stores an exploration at once, so that it survives a kill.
    ///
    /// # Errors
    /// Fails if the journal cannot be written.
    pub fn add(&self, row: &Row) -> Result<(), Error> {
        self.journal.add(row)
    }
}

/// The rows of all journals in a folder except `but`, by their commands.
fn in_journals(folder: &Path, but: Option<&Path>) -> Result<IndexMap<String, Row>, Error> {
    let mut known = IndexMap::new();
    for entry in std::fs::read_dir(folder).map_err(Error::file(folder))? {
        let path = entry.map_err(Error::file(folder))?.path();
        if Some(path.as_path()) != but && Shard::of_file(&path, STEM, EXTENSION).is_some() {
            known.extend(Lines::read(&path)?.rows::<Row>(0)?);
        }
    }
    Ok(known)
}

/// The stem of the names of journals, before the number of a shard.
const STEM: &str = "explorations";
/// The extension of the names of journals.
const EXTENSION: &str = "jsonl";

/// A digest of the version of rubric and the texts of a protocol, with the changes of a mutant.
pub fn digest(protocol: &Protocol) -> String {
    let mut hash = Sha256::new();
    hash.update(env!("CARGO_PKG_VERSION"));
    for (path, text) in protocol.loaded.own_files() {
        hash.update(path.len().to_le_bytes());
        hash.update(path);
        hash.update(text.len().to_le_bytes());
        hash.update(text);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
