//! What the user allows protocols to read beside their own folders, for the whole process: folders, and files that describe what the runtime
//! lacks.

use std::error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use host::inputs::{self, LARGEST_TEXT_BYTES};

/// The folders that the user allows beside those of protocols.
static ALLOWED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Allows protocols to include files of these folders and of folders below them, for the rest of the process. A file that is not
/// beside the one that includes it is looked for there, too.
pub fn allow(folders: &[PathBuf]) {
    ALLOWED.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(folders);
}

/// The folders that [`allow`] has allowed.
pub fn allowed() -> Vec<PathBuf> {
    ALLOWED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The files that describe what the runtime lacks, with their texts.
static LIBRARIES: Mutex<Vec<(PathBuf, Vec<u8>)>> = Mutex::new(Vec::new());

/// Reads files that describe what the runtime lacks ([`crate::library`]), for all protocols that the process loads from here on.
///
/// # Errors
/// Fails with the path of a file that cannot be read.
pub fn describe(files: &[PathBuf]) -> Result<(), (PathBuf, io::Error)> {
    for path in files {
        let text = inputs::open(path).and_then(|file| inputs::read_from(file, LARGEST_TEXT_BYTES));
        let text = text.map_err(|error| (path.clone(), error))?;
        LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner).push((path.clone(), text));
    }
    Ok(())
}

/// The files that [`describe`] has read.
pub fn libraries() -> Vec<PathBuf> {
    let read = LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner);
    read.iter().map(|(path, _)| path.clone()).collect()
}

/// The text of a file that [`describe`] has read.
pub(crate) fn described(path: &Path) -> Option<Vec<u8>> {
    let read = LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner);
    read.iter().find(|(other, _)| other == path).map(|(_, text)| text.clone())
}

/// The reason why a file that exists is not read: it lies outside of the protocol's folders.
#[derive(Debug)]
pub(crate) struct Outside;

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it is outside of the protocol's folder")
    }
}

impl error::Error for Outside {}

/// Whether an error says that a file lies outside of the protocol's folders.
pub(crate) fn is_outside(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|error| error.is::<Outside>())
}
