//! Output files that are written whole or not at all.

use std::fs::File;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The files that are being written, under the names that they have until they are whole.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// What the names of unfinished files begin with.
const PREFIX: &str = ".rubric-";

/// Whether a file has the name of one that was not finished.
pub fn is_unfinished(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(PREFIX))
}

/// Removes the files that are being written, for a program that is about to end early.
pub fn abandon() {
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in unfinished.drain(..) {
        // There is nobody left to tell.
        let _ = std::fs::remove_file(path);
    }
}

/// Notes a file that is being written, for as long as this lives.
struct Unfinished(PathBuf);

impl Unfinished {
    fn note(path: &Path) -> Unfinished {
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        unfinished.push(path.to_owned());
        Unfinished(path.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        unfinished.retain(|path| *path != self.0);
    }
}

/// Writes a file with `write`. Until that has succeeded, a file that was there before stays as it
/// is. What is no ordinary file, such as `/dev/stdout`, is written directly. `failed` turns an error
/// of the file system into the caller's.
///
/// # Errors
/// Those of `write`, and `failed` ones if the file cannot be made.
pub fn create<E>(
    path: &Path,
    failed: impl Fn(io::Error) -> E,
    write: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    if path.exists() && !path.is_file() {
        let mut file = File::create(path).map_err(&failed)?;
        return write(&mut file);
    }
    // The new file takes the place of what a link leads to, not of the link.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = match target.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut temporary = tempfile::Builder::new()
        .prefix(PREFIX)
        .permissions(std::fs::Permissions::from_mode(0o666))
        .tempfile_in(folder)
        .map_err(&failed)?;
    let _unfinished = Unfinished::note(temporary.path());
    write(temporary.as_file_mut())?;
    let persisted = temporary.persist(&target);
    persisted.map(|_| ()).map_err(|error| failed(error.error))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Error, Write};

    use super::*;

    #[test]
    fn a_failure_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let same = |error| error;
        create(&path, same, |out| out.write_all(b"first")).unwrap();
        let failed = create(&path, same, |out| {
            out.write_all(b"second")?;
            Err(Error::other("stop"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"first");
        create(&path, same, |out| out.write_all(b"third")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"third");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_stays_a_link_and_a_device_a_device() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        create(&link, |error| error, |out| out.write_all(b"new")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        let device = Path::new("/dev/null");
        create(device, |error| error, |out| out.write_all(b"gone")).unwrap();
        assert!(!device.is_file());
    }
}
