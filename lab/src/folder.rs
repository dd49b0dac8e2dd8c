//! Lists the contents of folders.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// The files in a folder and its subfolders, in the order of their names. Links to folders are not followed, since they may lead back.
///
/// # Errors
/// Fails if a folder cannot be read.
pub(crate) fn below(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for path in list(folder)? {
        if !path.is_dir() {
            files.push(path);
        } else if !path.is_symlink() {
            files.extend(below(&path)?);
        }
    }
    Ok(files)
}

/// The files and folders in a folder, in the order of their names.
///
/// # Errors
/// Fails if the folder cannot be read.
pub(crate) fn list(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = std::fs::read_dir(folder).map_err(Error::file(folder))?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<io::Result<Vec<PathBuf>>>().map_err(Error::file(folder))?;
    paths.sort();
    Ok(paths)
}

/// The bytes in the files of a folder, as far as they can be read.
pub(crate) fn bytes_in(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum()
}
