//! The errors of the folder of an exploration.

use std::io;
use std::path::{Path, PathBuf};

/// An error of the folder of an exploration.
#[derive(Debug, thiserror::Error)]
pub enum DiskProblem {
    /// A file cannot be read or written.
    #[error("{}: cannot be {done}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The operation that fails, such as `read`.
        done: &'static str,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file is not what was written.
    #[error("{}: {problem}; remove the folder to explore from the beginning", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The damage.
        problem: String,
    },
    /// The folder has the states of another exploration.
    #[error(
        "{}: has the states of another exploration ({of}); name another folder, or remove this one",
        path.display()
    )]
    Other {
        /// The folder.
        path: PathBuf,
        /// A description of the exploration in the folder, and of its difference.
        of: String,
    },
    /// The folder has files that are not of an exploration.
    #[error("{}: has no exploration, but other files; name a new or an empty folder", path.display())]
    NoExploration {
        /// The folder.
        path: PathBuf,
    },
    /// Another process explores in the folder.
    #[error("{}: another process is using it; wait for its end, or name another folder", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
}

impl DiskProblem {
    /// Makes the error of an operation on a file. `done` is the operation: `read`.
    pub(in crate::protocol) fn io(
        path: &Path,
        done: &'static str,
    ) -> impl Fn(io::Error) -> DiskProblem {
        let path = path.to_owned();
        move |source| DiskProblem::Io { path: path.clone(), done, source }
    }

    /// Makes the error of a damaged file.
    pub(in crate::protocol) fn corrupt(path: &Path, problem: &str) -> DiskProblem {
        DiskProblem::Corrupt { path: path.to_owned(), problem: problem.to_owned() }
    }
}
