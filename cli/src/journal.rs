//! Files of lines of which the first says what the rest is about, so that nothing else is added to it.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::lines::{self, Lines};

/// A journal that is open, and locked against other processes.
pub struct Journal(Lines);

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
        let (file, text) = Lines::open(path)?;
        let mut lines = lines::each(&text);
        let journal = Journal(file);
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
        self.0.add(row)
    }
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
