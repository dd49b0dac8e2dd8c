//! The files of litmus tests.

use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

use host::inputs::{self, LARGEST_TEXT_BYTES};

use crate::error::Error;
use crate::files::{ending, failed};

/// The tests that a path names: itself, or all files of a folder and its folders that end in `.litmus`,
/// sorted by name.
///
/// # Errors
/// Returns an error if a folder cannot be read, or has no tests.
pub(super) fn tests(path: &Path) -> Result<Vec<PathBuf>, Error> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    collect(path, &mut found)?;
    if found.is_empty() {
        let path = path.display();
        return Err(Error::Usage(format!("{path}: there is no file in it that ends in .litmus")));
    }
    Ok(found)
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Error> {
    let entries = fs::read_dir(folder).map_err(failed(folder))?;
    let mut entries: Vec<DirEntry> = entries.collect::<io::Result<_>>().map_err(failed(folder))?;
    entries.sort_by_key(DirEntry::path);
    for entry in entries {
        let path = entry.path();
        // Links to folders are not followed, since they may lead back.
        if entry.file_type().map_err(failed(&path))?.is_dir() {
            collect(&path, found)?;
        } else if path.is_file() && ending(&path).as_deref() == Some("litmus") {
            found.push(path);
        }
    }
    Ok(())
}

/// The name of a file in messages, and its text.
///
/// # Errors
/// Returns an error if the file cannot be read, or is not text.
pub(super) fn read(path: &Path) -> Result<(String, String), Error> {
    let text = inputs::read_text(path, LARGEST_TEXT_BYTES).map_err(failed(path))?;
    Ok((path.display().to_string(), text))
}
