//! The temporary folders of processes of gem5. They are removed when their owner is dropped, and when a signal ends the program.

use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Mutex, PoisonError};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::error::Error;

/// Beginning of the names of temporary folders.
const PREFIX: &str = "rubric-gem5-";

/// How often [`abandon`] tries to remove a folder: a process that is being killed may still create a file in it.
const MOST_TRIES: u32 = 20;

/// A temporary folder, and the process that writes into it.
struct Used {
    folder: PathBuf,
    process: Option<Pid>,
}

/// The temporary folders that exist now, each with the process that writes into it. [`abandon`] removes them.
static USED: Mutex<Vec<Used>> = Mutex::new(Vec::new());

/// A temporary folder. It is removed when this is dropped, and by [`abandon`].
pub(super) struct Scratch {
    path: PathBuf,
    /// The folder; none while it is dropped.
    folder: Option<TempDir>,
}

impl Scratch {
    /// Creates a folder.
    ///
    /// # Errors
    /// Fails if it cannot be created.
    pub(super) fn new() -> Result<Scratch, Error> {
        // The lock is held meanwhile, so that `abandon` knows every folder.
        let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir();
        let folder = folder.map_err(Error::file(&std::env::temp_dir()))?;
        let path = folder.path().to_owned();
        used.push(Used { folder: path.clone(), process: None });
        Ok(Scratch { path, folder: Some(folder) })
    }

    /// The path of the folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Names the process that writes into the folder. It leads a process group of its own.
    pub(super) fn used_by(&self, child: &Child) {
        let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = used.iter_mut().find(|own| own.folder == self.path) {
            own.process = i32::try_from(child.id()).ok().map(Pid::from_raw);
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
        // Removed while the lock is held, so that `abandon` finds it whole or not at all.
        self.folder.take();
        used.retain(|own| own.folder != self.path);
    }
}

/// Kills all processes of gem5 and removes their folders, for a program that is about to end. No folder is created or removed afterwards: a
/// thread that tries to do so blocks until the program ends, so that it does not report a killed process as a failure.
pub fn abandon() {
    let used = USED.lock().unwrap_or_else(PoisonError::into_inner);
    for process in used.iter().filter_map(|own| own.process) {
        // The leader first: it would report that its programs were killed. They may have ended by themselves.
        let _ = kill(process, Signal::SIGKILL);
        let _ = killpg(process, Signal::SIGKILL);
    }
    for own in used.iter() {
        let is_gone = |_: &u32| {
            let removed = std::fs::remove_dir_all(&own.folder);
            std::thread::sleep(std::time::Duration::from_millis(5));
            removed.is_ok() || !own.folder.exists()
        };
        (0..MOST_TRIES).find(is_gone);
    }
    std::mem::forget(used);
}
