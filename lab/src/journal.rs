//! Files to which a line of JSON is added for each thing that is done, so that a run that was killed can be resumed.
//!
//! A [`Journal`] adds lines, [`Lines`] are those that are there, and [`Lines::rows`] reads them as the [`Row`]s of a campaign or an
//! experiment, by their keys.
//!
//! ```
//! use lab::journal::{Journal, Row};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize)]
//! struct Square(u64, u64);
//!
//! impl Row for Square {
//!     type Key = u64;
//!     const ADVICE: &'static str = "remove the line";
//!
//!     fn key(&self) -> u64 {
//!         self.0
//!     }
//! }
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("squares.jsonl");
//! let (journal, _) = Journal::open(&path)?;
//! journal.add(&Square(3, 9))?;
//! drop(journal);
//! let (_, lines) = Journal::open(&path)?;
//! assert_eq!(lines.rows::<Square>(0)?[&3].1, 9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fs::{File, OpenOptions, TryLockError};
use std::hash::Hash;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use indexmap::IndexMap;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;

/// A journal that is open, and locked against other processes.
pub struct Journal {
    path: PathBuf,
    file: File,
    /// The bytes that whole lines take.
    whole: Mutex<u64>,
}

/// A row of a journal.
pub trait Row: Serialize + DeserializeOwned {
    /// What tells rows apart.
    type Key: Eq + Hash;
    /// What to do about a line that is no such row.
    const ADVICE: &'static str;

    /// What tells the row from others.
    fn key(&self) -> Self::Key;
}

/// The whole lines of a journal.
pub struct Lines {
    path: PathBuf,
    text: Vec<u8>,
}

impl Journal {
    /// Opens a journal, and reads what is there. A last line without an end, which is what a kill or a full disk
    /// leaves, is removed.
    ///
    /// # Errors
    /// The file cannot be read or written, or another process writes it.
    pub fn open(path: &Path) -> Result<(Journal, Lines), Error> {
        let failed = Error::file(path);
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(&failed)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => Error::Locked(path.to_owned()),
            TryLockError::Error(error) => Error::NoLocks { path: path.to_owned(), error },
        })?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(&failed)?;
        let lines = Lines::new(path, text);
        let whole = lines.text.len() as u64;
        file.set_len(whole).map_err(&failed)?;
        let journal = Journal { path: path.to_owned(), file, whole: Mutex::new(whole) };
        Ok((journal, lines))
    }

    /// Adds a line, which is written at once, so that a kill cannot lose it.
    ///
    /// # Errors
    /// The file cannot be written; the lines before stay.
    pub fn add(&self, row: &impl Serialize) -> Result<(), Error> {
        let failed = Error::file(&self.path);
        let mut line = serde_json::to_vec(row).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        let mut whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = self.file.write_all_at(&line, *whole) {
            // The disk is full. Other lines that come now must not continue this one; if what there is of it
            // stays, the next start removes it.
            let _ = self.file.set_len(*whole);
            return Err(failed(error));
        }
        *whole += line.len() as u64;
        Ok(())
    }

    /// Waits until all lines are on the disk. A network file system may say only then that it is full.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn sync(&self) -> Result<(), Error> {
        self.file.sync_data().map_err(Error::file(&self.path))
    }
}

impl Lines {
    fn new(path: &Path, mut text: Vec<u8>) -> Lines {
        let end = text.iter().rposition(|&byte| byte == b'\n');
        text.truncate(end.map_or(0, |at| at + 1));
        Lines { path: path.to_owned(), text }
    }

    /// Reads a journal that somebody else may be writing, and leaves it as it is.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(path: &Path) -> Result<Lines, Error> {
        let text = std::fs::read(path).map_err(Error::file(path))?;
        Ok(Lines::new(path, text))
    }

    /// Each line from the one with number `from` on, counted from 0.
    ///
    /// # Errors
    /// A line is no such thing; `advice` says what to do then.
    pub fn parse<T: DeserializeOwned>(
        &self,
        from: usize,
        advice: &'static str,
    ) -> impl Iterator<Item = Result<T, Error>> {
        let lines = (1..).zip(self.text.split(|&byte| byte == b'\n'));
        let lines = lines.filter(|(_, line)| !line.is_empty()).skip(from);
        lines.map(move |(number, line)| {
            serde_json::from_slice(line).map_err(|error| Error::Line {
                path: self.path.clone(),
                line: number,
                error,
                advice,
            })
        })
    }

    /// The rows from the line with number `from` on, in the order of the lines. Of rows with the same key the last one counts.
    ///
    /// # Errors
    /// A line is no such row.
    pub fn rows<R: Row>(&self, from: usize) -> Result<IndexMap<R::Key, R>, Error> {
        let rows = self.parse(from, R::ADVICE);
        rows.map(|row: Result<R, Error>| row.map(|row| (row.key(), row))).collect()
    }
}
