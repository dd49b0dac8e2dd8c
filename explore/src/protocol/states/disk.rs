//! Stores states in files: [`rows::DiskRows`] has the rows of all states, and [`Moves`] what was found from each.
//!
//! - [`file`]: files to which words are appended;
//! - [`rows`]: the rows of states, found by fingerprints in memory;
//! - [`problem`]: the errors.

pub(crate) mod file;
pub(crate) mod problem;
pub(crate) mod rows;

use std::path::Path;

pub use problem::DiskProblem;

use file::WordFile;

/// The words for each explored state: see [`Moves::note`].
const WORDS: u64 = 2;
/// The number of explored states that are read at a time.
const STATES_AT_A_TIME: usize = 1 << 16;

/// The file with the results of each explored state: another state to which a spontaneous move leads, and the number of its children.
#[derive(Debug)]
pub(crate) struct Moves {
    file: WordFile,
}

impl Moves {
    /// Opens the file in a folder, which has the results of `explored` states.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or is too short.
    pub(crate) fn open(folder: &Path, explored: usize) -> Result<Moves, DiskProblem> {
        Ok(Moves { file: WordFile::open(folder, "moves", explored as u64 * WORDS)? })
    }

    /// Appends the results of the next explored state: another state to which a spontaneous move leads, or [`NONE`](super::NONE), and the
    /// number of states that were found first from it.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(crate) fn note(&mut self, next: u32, children: u32) -> Result<(), DiskProblem> {
        self.file.push(&[next, children])
    }

    /// Calls a function with each explored state, the state to which a spontaneous move leads or [`NONE`](super::NONE), and the number of
    /// its children; the last states first if `is_backward`.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub(crate) fn for_each(
        &self,
        is_backward: bool,
        see: &mut dyn FnMut(usize, u32, u32),
    ) -> Result<(), DiskProblem> {
        let all = (self.file.len() / WORDS) as usize;
        let mut words = Vec::new();
        let parts = all.div_ceil(STATES_AT_A_TIME);
        for part in 0..parts {
            let part = if is_backward { parts - 1 - part } else { part };
            let first = part * STATES_AT_A_TIME;
            let count = (all - first).min(STATES_AT_A_TIME);
            words.resize(count * WORDS as usize, 0);
            self.file.read(first as u64 * WORDS, &mut words)?;
            let mut see = |at: usize| see(first + at, words[2 * at], words[2 * at + 1]);
            if is_backward {
                (0..count).rev().for_each(&mut see);
            } else {
                (0..count).for_each(&mut see);
            }
        }
        Ok(())
    }

    /// Writes what is in memory to the file.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(crate) fn flush(&mut self) -> Result<(), DiskProblem> {
        self.file.flush()
    }

    /// The error that the contents of the file are damaged.
    pub(crate) fn corrupt(&self) -> DiskProblem {
        DiskProblem::corrupt(self.file.path(), "does not have the moves that were written")
    }

    pub(super) fn bytes(&self) -> usize {
        self.file.bytes()
    }
}
