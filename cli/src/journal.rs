//! Files to which a line is added for each thing that is done: what is left when somebody kills the program.
//!
//! The first line says what the rest is about, so that nothing else is added to it.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;

/// A journal that is open, and locked against other processes.
pub struct Journal {
    path: PathBuf,
    file: Mutex<End>,
}

/// The end of a journal.
struct End {
    file: File,
    /// Bytes of whole lines.
    whole: u64,
}

impl Journal {
    /// Opens a journal about `head`, and reads what is there. A last line without an end, which is what a
    /// kill or a full disk leaves, is removed.
    ///
    /// # Errors
    /// The file cannot be read or written, another process has it open, it is about something else (`what`
    /// says what is different), or a line of it is none of ours.
    pub fn open<Head, Row>(
        path: &Path,
        head: &Head,
        differs: impl Fn(&Head, &Head) -> Option<String>,
    ) -> Result<(Journal, Vec<Row>), Error>
    where
        Head: Serialize + DeserializeOwned,
        Row: DeserializeOwned,
    {
        let failed = |error| Error::File {
            file: path.display().to_string(),
            error,
        };
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(failed)?;
        file.try_lock().map_err(|_| {
            Error::Usage(format!(
                "{}: another process is writing to it: wait for its end, or choose another folder with -o",
                path.display()
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
        let mut lines = lines(&text);
        let journal = Journal {
            path: path.to_owned(),
            file: Mutex::new(End {
                file,
                whole: whole as u64,
            }),
        };
        match lines.next() {
            None => journal.add(head)?,
            Some((number, line)) => {
                let known: Head = parse(path, number, line)?;
                if let Some(what) = differs(&known, head) {
                    return Err(Error::Usage(format!(
                        "{}: {what}: repeat the options that it was started with, or choose another folder with -o",
                        path.display()
                    )));
                }
            }
        }
        let rows = lines.map(|(number, line)| parse(path, number, line));
        Ok((journal, rows.collect::<Result<Vec<Row>, Error>>()?))
    }

    /// Adds a line, which is written at once, so that a kill cannot lose it.
    ///
    /// # Errors
    /// The file cannot be written; the lines before stay.
    pub fn add(&self, row: &impl Serialize) -> Result<(), Error> {
        let failed = |error| Error::Journal {
            file: self.path.display().to_string(),
            error,
        };
        let mut line = serde_json::to_vec(row).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        let mut end = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = end.file.write_all(&line) {
            // A part of the line may be there, and others must not be added to it.
            let whole = end.whole;
            let _ = end.file.set_len(whole);
            let _ = end.file.seek(SeekFrom::Start(whole));
            return Err(failed(error));
        }
        end.whole += line.len() as u64;
        Ok(())
    }
}

/// The lines of a text and their numbers, from 1; empty ones are left out.
fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let lines = (1..).zip(text.split(|&byte| byte == b'\n'));
    lines.filter(|(_, line)| !line.is_empty())
}

fn parse<T: DeserializeOwned>(path: &Path, number: usize, line: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(line).map_err(|error| Error::Line {
        file: path.display().to_string(),
        line: number,
        what: match number {
            1 => format!("this is no journal of this version ({error}): choose another folder with -o"),
            _ => format!(
                "this was not written by this version ({error}): remove the line, and what it says is done again"
            ),
        },
    })
}
