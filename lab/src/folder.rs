//! What is in a folder.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// The files of a folder and of folders in it, in the order of their names.
///
/// # Errors
/// A folder cannot be read.
pub fn below(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for path in list(folder)? {
        if path.is_dir() { files.extend(below(&path)?) } else { files.push(path) }
    }
    Ok(files)
}

/// What is in a folder, by name.
///
/// # Errors
/// It cannot be read.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = std::fs::read_dir(folder).map_err(Error::file(folder))?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<io::Result<Vec<PathBuf>>>().map_err(Error::file(folder))?;
    paths.sort();
    Ok(paths)
}
