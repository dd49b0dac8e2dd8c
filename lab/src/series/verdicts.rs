//! Checks histories of simulated runs, and verifies the certificates.

use check::{Algorithm, Model, Verdict};
use history::History;

use super::witness;
use crate::certify::certified;
use crate::error::Error;

/// How many histories had each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of histories that are consistent with the model.
    pub consistent: u64,
    /// The number of histories that violate the model.
    pub violation: u64,
    /// The number of undecided histories.
    pub undecided: u64,
}

impl Counts {
    /// Adds other counts.
    pub(super) fn merge(&mut self, other: Counts) {
        self.consistent += other.consistent;
        self.violation += other.violation;
        self.undecided += other.undecided;
    }

    /// The number of verdicts.
    pub fn all(&self) -> u64 {
        self.consistent + self.violation + self.undecided
    }
}

/// The result of checking a history under several models.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Checked {
    /// The number of certificates that were verified.
    pub certificates: u64,
    /// The models that the history violates.
    pub violated: Vec<Model>,
}

/// Checks a history under models, adds to the counts of each, and verifies the certificates. A history that was proved consistent
/// with one model counts, without another certificate, as consistent with the models after it that allow all that the first one
/// allows.
///
/// # Errors
/// Fails if a value is written twice, or if a certificate is wrong, which is a defect of rubric. `command` repeats the run.
pub(super) fn add(
    history: &History,
    models: &[Model],
    options: &check::Options,
    command: &dyn Fn() -> String,
    counts: &mut [Counts],
) -> Result<Checked, Error> {
    let mut checked = Checked::default();
    let mut proved: Vec<Model> = Vec::new();
    for (&model, counts) in models.iter().zip(counts) {
        if proved.iter().any(|&stronger| follows(model, stronger)) {
            counts.consistent += 1;
            continue;
        }
        if options.algorithm == Algorithm::Stages && witness::is_proved(history, model)? {
            checked.certificates += 1;
            counts.consistent += 1;
            proved.push(model);
            continue;
        }
        let (answer, is_certified) = certified(history, model, options, command)?;
        checked.certificates += u64::from(is_certified);
        match answer.verdict() {
            Verdict::Consistent(_) => {
                counts.consistent += 1;
                proved.push(model);
            }
            Verdict::Violation(_) => {
                counts.violation += 1;
                checked.violated.push(model);
            }
            _ => counts.undecided += 1,
        }
    }
    Ok(checked)
}

/// Whether a history that satisfies `stronger` satisfies `model`. Nothing is concluded for weak models, whose certificates are
/// memory orders, not runs.
fn follows(model: Model, stronger: Model) -> bool {
    !model.is_weak() && !stronger.is_weak() && model.includes(stronger)
}

#[cfg(test)]
mod tests {
    use simulate::client::Client;
    use simulate::recipe::Recipe;
    use slicc::protocol::Protocol;

    use super::*;

    /// A verdict that is concluded from a stronger model equals that of checking the model itself.
    #[test]
    fn conclusions_are_verdicts() {
        let protocol = Protocol::open("MI_example").unwrap();
        let options = check::Options::default();
        let models = [Model::PSO, Model::SC, Model::RVWMO, Model::TSO, Model::ZTSO];
        let (mut certificates, mut violations) = (0, 0);
        for seed in 0..24 {
            let client = ["in-order", "store-buffer", "per-location"][seed as usize % 3];
            let client: Client = client.parse().unwrap();
            let simulation = Recipe::random(seed).simulation(&protocol, client);
            let plan = simulation.plan(&protocol).unwrap();
            let history = simulation.run(&protocol, &plan, None).unwrap().history().unwrap();
            let mut together = [Counts::default(); 5];
            let checked = add(&history, &models, &options, &String::new, &mut together).unwrap();
            certificates += checked.certificates;
            violations += checked.violated.len();
            for (model, counts) in models.into_iter().zip(together) {
                let mut alone = [Counts::default()];
                add(&history, &[model], &options, &String::new, &mut alone).unwrap();
                assert_eq!(counts, alone[0], "{model} of seed {seed}");
            }
        }
        assert!(certificates < 24 * 5 && violations > 0, "{certificates}, {violations}");
    }
}
