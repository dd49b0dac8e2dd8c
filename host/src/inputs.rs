//! Opens the files that the user names as inputs, and remembers which they are, so that no output replaces one of them.
//!
//! A file is known by its device and inode: a symbolic link, a hard link and another spelling of its path are the same file.
//! [`protect`] switches the memory on, for programs such as `rubric` that answer one question and end. A process that lives
//! longer, such as a notebook, may well read a file and later write a new one in its place, so there it stays off, and the
//! caller compares [`FileId`]s.

use std::collections::HashSet;
use std::error;
use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Stdin};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

/// Largest file of a text that a person or a generator wrote, in bytes: protocols, litmus tests, programs, initial values.
pub const LARGEST_TEXT_BYTES: u64 = 64 << 20;

/// The inputs so far.
static INPUTS: LazyLock<Mutex<HashSet<FileId>>> = LazyLock::new(Mutex::default);

/// The regular file that standard output is, if it is one; not set unless inputs are protected.
static OUTPUT: OnceLock<Option<FileId>> = OnceLock::new();

/// The identity of a regular file, whatever path leads to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// The identity of the file that a path leads to; `None` if there is no regular file.
    pub fn of(path: &Path) -> Option<FileId> {
        fs::metadata(path).ok().as_ref().and_then(FileId::of_metadata)
    }

    fn of_metadata(file: &Metadata) -> Option<FileId> {
        file.is_file().then(|| FileId { device: file.dev(), inode: file.ino() })
    }

    fn of_open(file: impl AsFd) -> Option<FileId> {
        let file = File::from(file.as_fd().try_clone_to_owned().ok()?);
        FileId::of_metadata(&file.metadata().ok()?)
    }
}

/// Why a file is not written or not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The output is a file that was given as input.
    OutputIsInput,
    /// The input is the file that standard output is redirected to.
    InputIsOutput,
    /// The input is a device, a pipe or a socket where a file was expected.
    NoFile,
    /// The input is larger than this number of bytes.
    TooLarge(u64),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::OutputIsInput => {
                write!(f, "this output is also an input, which writing it would destroy")
            }
            Refusal::InputIsOutput => {
                write!(f, "standard output is redirected to this input, which would change it")
            }
            Refusal::NoFile => write!(f, "this is no regular file"),
            Refusal::TooLarge(limit) => write!(f, "larger than {} MiB", limit >> 20),
        }
    }
}

impl error::Error for Refusal {}

impl Refusal {
    /// What the user can do.
    pub fn advice(self) -> &'static str {
        match self {
            Refusal::OutputIsInput => "name another file for the output",
            Refusal::InputIsOutput => "redirect the output to another file",
            Refusal::NoFile => "name a regular file",
            Refusal::TooLarge(_) => "check that it is the file you mean",
        }
    }

    /// The refusal that an error of the functions of this crate stands for.
    pub fn of(error: &io::Error) -> Option<Refusal> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> io::Error {
        io::Error::other(refusal)
    }
}

/// Remembers inputs from now on, for the rest of the process. Standard input is one, if it is a file.
pub fn protect() {
    if OUTPUT.set(FileId::of_open(io::stdout())).is_ok() {
        known().extend(FileId::of_open(io::stdin()));
    }
}

/// Counts a file as an input before it is opened, so that an output can be refused before any work is done.
pub fn declare(path: &Path) {
    remember(FileId::of(path));
}

/// Whether a path leads to an input, which must not be written.
pub fn is_input(path: &Path) -> bool {
    OUTPUT.get().is_some() && FileId::of(path).is_some_and(|file| known().contains(&file))
}

/// Opens an input.
///
/// # Errors
/// Returns an error if the file cannot be opened, or if standard output is redirected to it.
pub fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    let id = FileId::of_metadata(&file.metadata()?);
    admit(id)?;
    remember(id);
    Ok(file)
}

/// Opens an input that the user has not named, but that another input or a folder does. It must be a regular file: a pipe could
/// keep the program waiting for ever.
///
/// # Errors
/// Returns an error as [`open`] does, or if the path leads to something else than a regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let found = fs::metadata(path)?;
    if found.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !found.is_file() {
        return Err(Refusal::NoFile.into());
    }
    open(path)
}

/// Standard input, as an input.
///
/// # Errors
/// Returns an error if standard output is the same file.
pub fn stdin() -> io::Result<Stdin> {
    let stdin = io::stdin();
    admit(FileId::of_open(&stdin))?;
    Ok(stdin)
}

/// Reads an input of at most `limit` bytes whole; `-` is standard input.
///
/// # Errors
/// Returns an error if the input cannot be read, or is larger.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    if path == Path::new("-") {
        return read_from(stdin()?.lock(), limit);
    }
    read_from(open(path)?, limit)
}

/// Reads an input as [`read`] does, which must be a text in UTF-8.
///
/// # Errors
/// Returns an error as [`read`] does, or if the input is no such text.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    let text = String::from_utf8(read(path, limit)?);
    text.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

/// Reads at most `limit` bytes.
///
/// # Errors
/// Returns an error if there are more, or if they cannot be read.
pub fn read_from(reader: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte more than allowed shows that there are too many.
    reader.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(Refusal::TooLarge(limit).into()) } else { Ok(bytes) }
}

/// Refuses an input that standard output is redirected to.
fn admit(file: Option<FileId>) -> io::Result<()> {
    let output = OUTPUT.get().copied().flatten();
    if file.is_some() && file == output { Err(Refusal::InputIsOutput.into()) } else { Ok(()) }
}

fn remember(file: Option<FileId>) {
    if OUTPUT.get().is_some() {
        known().extend(file);
    }
}

fn known() -> MutexGuard<'static, HashSet<FileId>> {
    INPUTS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_file_is_the_same_by_whatever_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("file"), "1").unwrap();
        fs::write(path("other"), "1").unwrap();
        fs::hard_link(path("file"), path("hard")).unwrap();
        symlink("file", path("soft")).unwrap();
        let file = FileId::of(&path("file"));
        assert!(file.is_some());
        assert_eq!(FileId::of(&path("hard")), file);
        assert_eq!(FileId::of(&path("soft")), file);
        assert_ne!(FileId::of(&path("other")), file);
        assert_eq!(FileId::of(Path::new("/dev/null")), None);
        assert_eq!(FileId::of(folder.path()), None);
    }

    #[test]
    fn endless_input_is_refused() {
        let refused = read(Path::new("/dev/zero"), 1000).unwrap_err();
        assert_eq!(Refusal::of(&refused), Some(Refusal::TooLarge(1000)));
        assert_eq!(read_from(&[0; 1000][..], 1000).unwrap().len(), 1000);
    }

    #[test]
    fn only_regular_files_are_opened_on_behalf_of_others() {
        let refused = open_regular(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(Refusal::of(&refused), Some(Refusal::NoFile));
        let folder = tempfile::tempdir().unwrap();
        let refused = open_regular(folder.path()).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::IsADirectory);
    }
}
