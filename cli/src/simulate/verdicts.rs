//! Checks histories of simulated runs, and verifies the certificates.

use check::{Model, Verdict};
use history::{Ambiguity, History, ReadsFrom};
use lab::certify::certify;

/// How many histories had each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Consistent with the model.
    pub consistent: u64,
    /// Violations of it.
    pub violation: u64,
    /// Undecided.
    pub undecided: u64,
}

impl Counts {
    /// Adds other counts.
    pub fn merge(&mut self, other: Counts) {
        self.consistent += other.consistent;
        self.violation += other.violation;
        self.undecided += other.undecided;
    }

    /// The number of verdicts.
    pub fn all(&self) -> u64 {
        self.consistent + self.violation + self.undecided
    }
}

/// The result of checking a history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Certificates that were verified.
    pub certificates: u64,
    /// The models that it violates.
    pub violated: Vec<Model>,
}

/// Checks a history under models, adds to the counts of each, and verifies the certificates.
///
/// # Errors
/// Returns what is wrong with a certificate, which is a defect of the program.
pub fn add(
    history: &History,
    models: &[Model],
    options: &check::Options,
    counts: &mut [Counts],
) -> Result<Checked, String> {
    let mut checked = Checked::default();
    for (&model, counts) in models.iter().zip(counts) {
        let history = model.prepare(history);
        let reads_from = ReadsFrom::derive(&history, Ambiguity::RefuseShared)
            .map_err(|twice| twice.to_string())?;
        let outcome = check::check(&history, &reads_from, model, options);
        match &outcome.verdict {
            Verdict::Consistent(_) => counts.consistent += 1,
            Verdict::Violation(_) => {
                counts.violation += 1;
                checked.violated.push(model);
            }
            _ => counts.undecided += 1,
        }
        checked.certificates += u64::from(
            certify(&history, model, &outcome.verdict).map_err(|error| error.to_string())?,
        );
    }
    Ok(checked)
}
