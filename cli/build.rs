//! Tells the program which commit it is built from, where that is known.

use std::process::Command;

fn main() {
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_default();
    let is_changed =
        git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|it| !it.is_empty());
    let mark = if is_changed && !commit.is_empty() { "+" } else { "" };
    println!("cargo:rustc-env=RUBRIC_COMMIT={commit}{mark}");
    // Without git, or outside of a repository, nothing changes.
    for path in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", path]) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    println!("cargo:rerun-if-changed=build.rs");
}

/// The output of a git command; `None` if the command fails.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
