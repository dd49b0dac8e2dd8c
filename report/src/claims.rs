//! Claims of the papers: stand-in.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use crate::results::Results;

/// What a run says of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It holds here.
    Holds,
    /// It does not.
    Differs,
    /// No run tests it.
    Untested,
}

impl Verdict {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Differs => "differs",
            Verdict::Untested => "untested",
        }
    }
}

/// A claim of a paper, beside what was found here.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// A short name.
    pub id: &'static str,
    /// The paper.
    pub paper: &'static str,
    /// Section or figure.
    pub place: &'static str,
    /// The experiment that tests it.
    pub experiment: &'static str,
    /// What is claimed.
    pub statement: String,
    /// The paper's figure.
    pub theirs: String,
    /// Ours.
    pub ours: String,
    /// Whether it holds.
    pub verdict: Verdict,
    /// On the difference.
    pub note: String,
}

/// All claims.
pub fn all(_results: &Results) -> Vec<Claim> {
    Vec::new()
}

/// Writes claims.
///
/// # Errors
/// The file cannot be written.
pub fn write_csv(_claims: &[Claim], path: &Path) -> io::Result<()> {
    crate::files::create(path, |error| error, |file| file.write_all(b"id\n"))
}
