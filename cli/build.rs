//! Tells the program which commit it is built from, where that is known.

use std::fs;
use std::process::Command;

/// Where `cargo package` says which commit a package is of.
const PACKAGED: &str = ".cargo_vcs_info.json";

fn main() {
    // A package may lie in a repository that has nothing to do with it, such as that of a home folder.
    let commit = match fs::read_to_string(PACKAGED) {
        Ok(text) => packaged(&text),
        Err(_) => checked_out(),
    };
    println!("cargo:rustc-env=RUBRIC_COMMIT={}", commit.unwrap_or_default());
    println!("cargo:rerun-if-changed=build.rs");
}

/// The commit of a package, as a checkout names its own.
fn packaged(text: &str) -> Option<String> {
    let (_, after) = text.split_once("\"sha1\"")?;
    let commit = after.split('"').nth(1)?.get(..12)?;
    let mark = if text.contains("\"dirty\": true") { "+" } else { "" };
    Some(format!("{commit}{mark}"))
}

/// The commit of the repository around this crate, followed by `+` if files were changed.
fn checked_out() -> Option<String> {
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    // Without git, or outside of a repository, nothing changes.
    for path in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", path]) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    let changes = git(&["status", "--porcelain", "--untracked-files=no"]).unwrap_or_default();
    let mark = if changes.is_empty() || commit.is_empty() { "" } else { "+" };
    Some(format!("{commit}{mark}"))
}

/// The output of a git command; `None` if the command fails.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
