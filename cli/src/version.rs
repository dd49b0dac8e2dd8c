//! The version of the program: its number, the commit it was built from, and its solver.

use std::sync::LazyLock;

use check::solver_version;

/// The commit, followed by `+` if files were changed; empty if it is unknown.
const COMMIT: &str = env!("RUBRIC_COMMIT");

/// The end of a history's name, after the command that makes it.
pub(crate) const END_OF_NAME: &str = concat!(" # version ", env!("CARGO_PKG_VERSION"));

/// The version with the commit and the solver: `0.1.0 (commit 0123456789ab, cadical-2.1.3)`
pub(crate) static LONG: LazyLock<String> = LazyLock::new(|| {
    let commit = match COMMIT {
        "" => String::new(),
        commit => format!("commit {commit}, "),
    };
    format!("{} ({commit}{})", env!("CARGO_PKG_VERSION"), solver_version())
});
