//! The version of the program: its number, the commit it was built from, and its solver.

use std::sync::LazyLock;

use check::solver_version;

/// The commit, followed by `+` if files were changed; empty if it is unknown.
pub(crate) const COMMIT: &str = env!("RUBRIC_COMMIT");

/// The version with the commit and the solver: `0.1.0 (commit 0123456789ab, cadical-2.1.3)`
pub(crate) static LONG: LazyLock<String> = LazyLock::new(|| {
    let commit = match COMMIT {
        "" => String::new(),
        commit => format!("commit {commit}, "),
    };
    format!("{} ({commit}{})", env!("CARGO_PKG_VERSION"), solver_version())
});
