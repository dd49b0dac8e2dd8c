//! Writes output files whole or not at all, and never over an input: [`create`] writes a temporary file and renames it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

use crate::inputs::{self, Refusal};

/// The temporary files of this program.
static UNFINISHED: Unfinished = Unfinished::new();

/// The beginning of the names of unfinished files.
const PREFIX: &str = ".rubric-";

/// Whether a file has the name of a temporary file, which [`create`] would have renamed when it was whole.
pub fn is_unfinished(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(PREFIX))
}

/// Removes a temporary file that a killed process left half written. A file that is still being written is locked and
/// stays.
pub fn remove_unfinished(path: &Path) {
    let file = OpenOptions::new().write(true).open(path);
    if is_unfinished(path) && file.is_ok_and(|file| file.try_lock().is_ok()) {
        // A file that stays does no harm.
        let _ = std::fs::remove_file(path);
    }
}

/// Says what the user can do if a file cannot be read or written.
pub fn advice(error: &io::Error) -> &'static str {
    if let Some(refusal) = Refusal::of(error) {
        return refusal.advice();
    }
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space and run the same command again; what was written before is still there"
        }
        io::ErrorKind::NotFound => "check the path",
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            "there is a file where a folder is expected; name another folder"
        }
        _ => "check the path, its permissions and the space left",
    }
}

/// Removes the temporary files that are being written, for a program that is about to end early. A thread that calls [`create`]
/// afterwards blocks until the program ends.
pub fn abandon() {
    UNFINISHED.abandon();
}

/// The paths of the temporary files that are being written.
struct Unfinished(Mutex<Vec<PathBuf>>);

impl Unfinished {
    const fn new() -> Unfinished {
        Unfinished(Mutex::new(Vec::new()))
    }

    fn paths(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates a temporary file in `folder` and lists it until it is dropped. One lock is held for both steps, so [`Unfinished::abandon`]
    /// finds every file.
    fn create(&self, folder: &Path) -> io::Result<Temporary<'_>> {
        let mut paths = self.paths();
        let file = temporary(folder)?;
        paths.push(file.path().to_owned());
        Ok(Temporary { listed: Listed { unfinished: self, path: file.path().to_owned() }, file })
    }

    /// Removes the files and keeps the lock, so no thread can create another file before the program ends.
    fn abandon(&self) {
        let mut paths = self.paths();
        for path in paths.drain(..) {
            // The program is about to end, so a failure is not reported.
            let _ = std::fs::remove_file(path);
        }
        std::mem::forget(paths);
    }
}

/// A temporary file, which is removed when it is dropped unless it was renamed.
struct Temporary<'a> {
    // Dropped before `listed`, so that a file that is not listed does not exist.
    file: NamedTempFile,
    listed: Listed<'a>,
}

/// Takes a path off the list of unfinished files when it is dropped.
struct Listed<'a> {
    unfinished: &'a Unfinished,
    path: PathBuf,
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        self.unfinished.paths().retain(|path| *path != self.path);
    }
}

/// Writes a file with `write`. An earlier file at `path` stays as it is until `write` has succeeded. A path that is not
/// a regular file, such as `/dev/stdout`, is written directly. `failed` converts an I/O error to the caller's error
/// type.
///
/// # Errors
/// Returns the error of `write`, or an I/O error as `failed` converts it if the file is an input ([`inputs::is_input`]), or
/// cannot be created or renamed.
pub fn create<E>(
    path: &Path,
    failed: impl Fn(io::Error) -> E,
    write: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    check_no_input(path).map_err(&failed)?;
    if path.exists() && !path.is_file() {
        let mut file = File::create(path).map_err(&failed)?;
        return write(&mut file);
    }
    // The new file replaces the target of a link, not the link.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let Temporary { mut file, listed } = UNFINISHED.create(&folder_of(path)).map_err(&failed)?;
    let written = write(file.as_file_mut()).and_then(|()| {
        let persisted = file.persist(&target);
        persisted.map(|_| ()).map_err(|error| failed(error.error))
    });
    drop(listed);
    written
}

/// Checks that a file is no input, for code that does not write it with [`create`].
///
/// # Errors
/// Returns an error if it is one.
pub fn check_no_input(path: &Path) -> io::Result<()> {
    if inputs::is_input(path) { Err(Refusal::OutputIsInput.into()) } else { Ok(()) }
}

/// Checks that [`create`] can create a file at `path`, by creating a temporary file in its folder. Paths that are not
/// regular files count as writable.
///
/// # Errors
/// Returns the I/O error if the temporary file cannot be created, or an error if the file is an input.
pub fn check_writable(path: &Path) -> io::Result<()> {
    check_no_input(path)?;
    if path.exists() && !path.is_file() {
        Ok(())
    } else {
        UNFINISHED.create(&folder_of(path)).map(|_| ())
    }
}

/// Returns the folder of a file, or that of its target if the file is a symbolic link.
fn folder_of(path: &Path) -> PathBuf {
    match path.canonicalize().unwrap_or_else(|_| path.to_owned()).parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Creates a temporary file, locked so that no other process removes it as abandoned.
fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    loop {
        let file = tempfile::Builder::new()
            .prefix(PREFIX)
            .permissions(std::fs::Permissions::from_mode(0o666))
            .tempfile_in(folder)
            .map_err(plain)?;
        match file.as_file().try_lock() {
            Ok(()) if file.path().exists() => return Ok(file),
            // The file system has no locks, so no process can lock the file to remove it.
            Err(TryLockError::Error(_)) => return Ok(file),
            // Another process locked the file first, and removes it or has removed it.
            Ok(()) | Err(TryLockError::WouldBlock) => {}
        }
    }
}

/// Removes the temporary file's path from an error message, since the caller names the final path.
fn plain(error: io::Error) -> io::Error {
    let said = error.to_string();
    match said.split_once(" at path ") {
        Some((said, _)) => io::Error::new(error.kind(), said),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Error, Write};
    use std::time::Duration;

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
    fn what_somebody_writes_is_not_taken_for_what_was_left() {
        let folder = tempfile::tempdir().unwrap();
        let (left, other) = (folder.path().join(".rubric-left"), folder.path().join("other"));
        fs::write(&left, "half").unwrap();
        fs::write(&other, "whole").unwrap();
        let path = folder.path().join("file");
        let remove_all = || {
            for entry in fs::read_dir(folder.path()).unwrap() {
                remove_unfinished(&entry.unwrap().path());
            }
        };
        create(
            &path,
            |error| error,
            |out| {
                remove_all();
                out.write_all(b"new")
            },
        )
        .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(other.exists() && !left.exists());
    }

    #[test]
    fn nothing_is_left_by_a_thread_that_runs_on() {
        static UNFINISHED: Unfinished = Unfinished::new();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let (created, is_created) = std::sync::mpsc::sync_channel(0);
        // Never ends: it waits for the lock until the tests' process ends.
        std::thread::spawn(move || {
            loop {
                let file = UNFINISHED.create(&path).unwrap();
                let _ = created.send(());
                drop(file);
            }
        });
        is_created.recv().unwrap();
        UNFINISHED.abandon();
        // The thread may have created one more file before the lock was taken for good.
        let is_next = |_: &i32| is_created.recv_timeout(Duration::from_millis(100)).is_ok();
        assert!((0..10).take_while(is_next).count() <= 1);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
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
