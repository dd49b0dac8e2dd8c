//! Files to which words are appended ([`WordFile`]). The words that were appended last are in memory.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::DiskProblem;

/// The number of words in memory at which they are written to the file.
const TAIL: usize = 1 << 19;
/// The size of a word, in bytes.
const BYTES: u64 = size_of::<u32>() as u64;

/// Opens a file of which a number of bytes are valid, and cuts off what follows them, which a process that was killed wrote.
///
/// # Errors
/// Fails if the file cannot be opened, or is shorter.
pub(crate) fn open(path: &Path, valid: u64) -> Result<File, DiskProblem> {
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false).open(path);
    let file = file.map_err(DiskProblem::io(path, "opened"))?;
    let length = file.metadata().map_err(DiskProblem::io(path, "read"))?.len();
    if length < valid {
        return Err(DiskProblem::corrupt(path, &format!("has {length} bytes instead of {valid}")));
    }
    file.set_len(valid).map_err(DiskProblem::io(path, "written"))?;
    Ok(file)
}

/// Reads bytes from a place in a file.
///
/// # Errors
/// Fails if the file cannot be read.
pub(crate) fn read_at(
    file: &File,
    path: &Path,
    at: u64,
    into: &mut [u8],
) -> Result<(), DiskProblem> {
    let mut file = file;
    let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(into));
    read.map_err(DiskProblem::io(path, "read"))
}

/// Writes bytes to a place in a file.
///
/// # Errors
/// Fails if the file cannot be written.
pub(crate) fn write_at(file: &File, path: &Path, at: u64, bytes: &[u8]) -> Result<(), DiskProblem> {
    let mut file = file;
    let written = file.seek(SeekFrom::Start(at)).and_then(|_| file.write_all(bytes));
    written.map_err(DiskProblem::io(path, "written"))
}

/// A file of words.
#[derive(Debug)]
pub(crate) struct WordFile {
    path: PathBuf,
    file: File,
    /// The number of words in the file.
    written: u64,
    /// The words that are not in the file yet and follow those that are.
    tail: Vec<u32>,
}

impl WordFile {
    /// Opens a file in a folder, of which `words` words are valid.
    ///
    /// # Errors
    /// Fails if the file cannot be opened, or is shorter.
    pub(crate) fn open(folder: &Path, name: &str, words: u64) -> Result<WordFile, DiskProblem> {
        let path = folder.join(name);
        let file = open(&path, words * BYTES)?;
        Ok(WordFile { path, file, written: words, tail: Vec::new() })
    }

    /// The path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The number of words.
    pub(crate) fn len(&self) -> u64 {
        self.written + self.tail.len() as u64
    }

    /// Appends words.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(crate) fn push(&mut self, words: &[u32]) -> Result<(), DiskProblem> {
        self.tail.extend_from_slice(words);
        if self.tail.len() >= TAIL { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), DiskProblem> {
        let bytes: Vec<u8> = self.tail.iter().flat_map(|word| word.to_le_bytes()).collect();
        write_at(&self.file, &self.path, self.written * BYTES, &bytes)?;
        self.written += self.tail.len() as u64;
        self.tail.clear();
        Ok(())
    }

    /// Writes all words to the disk.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(crate) fn flush(&mut self) -> Result<(), DiskProblem> {
        self.write()?;
        self.file.sync_data().map_err(DiskProblem::io(&self.path, "written"))
    }

    /// The `count` words at a place, if they are in memory.
    pub(crate) fn in_memory(&self, at: u64, count: usize) -> Option<&[u32]> {
        let at = at.checked_sub(self.written)? as usize;
        self.tail.get(at..at + count)
    }

    /// Reads the words at a place.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub(crate) fn read(&self, at: u64, into: &mut [u32]) -> Result<(), DiskProblem> {
        let on_disk = self.written.saturating_sub(at).min(into.len() as u64) as usize;
        let (from_file, from_tail) = into.split_at_mut(on_disk);
        if on_disk > 0 {
            let mut bytes = vec![0; on_disk * BYTES as usize];
            read_at(&self.file, &self.path, at * BYTES, &mut bytes)?;
            let (words, _) = bytes.as_chunks();
            for (into, word) in from_file.iter_mut().zip(words) {
                *into = u32::from_le_bytes(*word);
            }
        }
        if !from_tail.is_empty() {
            let first = (at + on_disk as u64 - self.written) as usize;
            from_tail.copy_from_slice(&self.tail[first..first + from_tail.len()]);
        }
        Ok(())
    }

    /// The memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.tail.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_from_file_and_memory() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = WordFile::open(folder.path(), "words", 0).unwrap();
        file.push(&[1, 2, 3]).unwrap();
        file.flush().unwrap();
        file.push(&[4, 5]).unwrap();
        let mut all = [0; 5];
        file.read(0, &mut all).unwrap();
        assert_eq!(all, [1, 2, 3, 4, 5]);
        assert_eq!((file.in_memory(3, 2), file.in_memory(2, 1)), (Some(&[4, 5][..]), None));
        drop(file);
        // What was not flushed is lost, and what is not valid is cut off.
        let mut file = WordFile::open(folder.path(), "words", 2).unwrap();
        file.push(&[9]).unwrap();
        let mut all = [0; 3];
        file.read(0, &mut all).unwrap();
        assert_eq!(all, [1, 2, 9]);
        file.flush().unwrap();
        let short = WordFile::open(folder.path(), "words", 4).unwrap_err().to_string();
        assert!(short.contains("words: has 12 bytes instead of 16"), "{short}");
    }
}
