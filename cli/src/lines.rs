//! Files to which a line is added for each thing that is done: what is left when somebody kills the program, or a disk is full.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use crate::error::Error;

/// A file of lines that is open for more, and locked against other processes.
pub struct Lines {
    path: PathBuf,
    file: File,
    /// The bytes that whole lines take.
    whole: Mutex<u64>,
}

impl Lines {
    /// Opens a file, or makes it, and gives what is there. A last line without an end, which is what a kill
    /// leaves, is removed.
    ///
    /// # Errors
    /// The file cannot be read or written, or another process writes it.
    pub fn open(path: &Path) -> Result<(Lines, Vec<u8>), Error> {
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
                "{}: the file cannot be locked ({error}), so that two processes could do the same: choose a folder \
                 on a file system with locks with -o",
                path.display()
            )),
        })?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(&failed)?;
        truncate(&mut text);
        let whole = text.len() as u64;
        file.set_len(whole).map_err(&failed)?;
        let lines = Lines {
            path: path.to_owned(),
            file,
            whole: Mutex::new(whole),
        };
        Ok((lines, text))
    }

    /// Adds a line, which is written at once, so that a kill cannot lose it.
    ///
    /// # Errors
    /// The file cannot be written; the lines before stay.
    pub fn add(&self, row: &impl Serialize) -> Result<(), Error> {
        let failed = failed(&self.path);
        let mut line = serde_json::to_vec(row).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        let mut whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = self.file.write_all_at(&line, *whole) {
            // Other lines must not continue what there is of this one; if it stays, the next start removes it.
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
        self.file.sync_data().map_err(failed(&self.path))
    }
}

/// What is in a file that others may be writing, without a last line that has no end.
///
/// # Errors
/// The file cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let mut text = std::fs::read(path).map_err(failed(path))?;
    truncate(&mut text);
    Ok(text)
}

/// The lines of a text with their numbers, from 1; empty ones are left out.
pub fn each(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let lines = (1..).zip(text.split(|&byte| byte == b'\n'));
    lines.filter(|(_, line)| !line.is_empty())
}

/// Takes away a last line without an end.
fn truncate(text: &mut Vec<u8>) {
    let end = text.iter().rposition(|&byte| byte == b'\n');
    text.truncate(end.map_or(0, |at| at + 1));
}

fn failed(path: &Path) -> impl Fn(io::Error) -> Error {
    let file = path.display().to_string();
    move |error| Error::File {
        file: file.clone(),
        error,
    }
}
