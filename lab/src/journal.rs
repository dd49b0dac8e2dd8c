//! Journals: files to which a line of JSON is added for each row as soon as it is known, so that interrupted work can be resumed.
//!
//! A [`Journal`] adds lines, [`Lines`] are the lines of a file, and [`Lines::rows`] parses them as the [`Row`]s of a campaign or an
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
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use indexmap::IndexMap;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;

/// An open journal, locked against other processes.
pub struct Journal {
    path: PathBuf,
    file: File,
    /// The length of the file up to the end of the last whole line, in bytes.
    whole: Mutex<u64>,
}

/// A row of a journal.
pub trait Row: Serialize + DeserializeOwned {
    /// Identifies a row.
    type Key: Eq + Hash;
    /// What the user should do about a line that is not a row. Part of the error message.
    const ADVICE: &'static str;

    /// The key of the row.
    fn key(&self) -> Self::Key;
}

/// The whole lines of a journal.
pub struct Lines {
    path: PathBuf,
    text: Vec<u8>,
}

impl Journal {
    /// Opens a journal, which is created if there is none, and reads its lines. An unfinished last line, which a killed process or a full
    /// disk may leave, is removed by the next call of [`Journal::add`], so that a file that turns out to be no journal stays as it is.
    ///
    /// # Errors
    /// Fails if the file cannot be read, written or locked, or if another process is writing it.
    pub fn open(path: &Path) -> Result<(Journal, Lines), Error> {
        let failed = Error::file(path);
        host::files::check_no_input(path).map_err(&failed)?;
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(&failed)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => Error::Locked(path.to_owned()),
            TryLockError::Error(error) => Error::NoLocks { path: path.to_owned(), error },
        })?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(&failed)?;
        if !is_begun_row(&text) {
            let what = "its last line is not the beginning of a row, so it is no journal";
            return Err(failed(io::Error::new(io::ErrorKind::InvalidData, what)));
        }
        let lines = Lines::new(path, text);
        let whole = lines.text.len() as u64;
        let journal = Journal { path: path.to_owned(), file, whole: Mutex::new(whole) };
        Ok((journal, lines))
    }

    /// Adds a line and writes it at once, so that it survives a kill.
    ///
    /// # Errors
    /// Fails if the file cannot be written. The lines before remain.
    pub fn add(&self, row: &impl Serialize) -> Result<(), Error> {
        let failed = Error::file(&self.path);
        let mut line = serde_json::to_vec(row).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        let mut whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        self.cut_at(*whole).map_err(&failed)?;
        if let Err(error) = self.file.write_all_at(&line, *whole) {
            // The disk may be full. Later lines must not continue the partial one. If it cannot be removed here, the next call of
            // `open` removes it.
            let _ = self.file.set_len(*whole);
            return Err(failed(error));
        }
        *whole += line.len() as u64;
        Ok(())
    }

    /// Removes what follows the whole lines.
    fn cut_at(&self, whole: u64) -> io::Result<()> {
        if self.file.metadata()?.len() > whole { self.file.set_len(whole) } else { Ok(()) }
    }

    /// Waits until all lines are on the disk. A network file system may report only then that it is full.
    ///
    /// # Errors
    /// Fails if the lines cannot be written.
    pub fn sync(&self) -> Result<(), Error> {
        self.file.sync_data().map_err(Error::file(&self.path))
    }
}

/// Whether what follows the last whole line is nothing, or how a row begins: a file that is not a journal must not be cut.
fn is_begun_row(text: &[u8]) -> bool {
    let last = text.rsplit(|&byte| byte == b'\n').next();
    last.is_none_or(|line| line.is_empty() || matches!(line[0], b'{' | b'[' | 0))
}

impl Lines {
    fn new(path: &Path, mut text: Vec<u8>) -> Lines {
        let end = text.iter().rposition(|&byte| byte == b'\n');
        text.truncate(end.map_or(0, |at| at + 1));
        Lines { path: path.to_owned(), text }
    }

    /// Reads the lines of a journal that another process may be writing. The file is not locked or changed.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn read(path: &Path) -> Result<Lines, Error> {
        let text = std::fs::read(path).map_err(Error::file(path))?;
        Ok(Lines::new(path, text))
    }

    /// Parses the lines from the one with index `from` on.
    ///
    /// # Errors
    /// Each item fails if its line is not a `T`. The message ends with `advice`.
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

    /// The rows from the line with index `from` on, in the order of the lines. Of rows with the same key the last one counts.
    ///
    /// # Errors
    /// Fails if a line is not such a row.
    pub fn rows<R: Row>(&self, from: usize) -> Result<IndexMap<R::Key, R>, Error> {
        let rows = self.parse(from, R::ADVICE);
        rows.map(|row: Result<R, Error>| row.map(|row| (row.key(), row))).collect()
    }
}
