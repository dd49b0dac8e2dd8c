//! Verdicts on histories of which it is not known what some operations did or what was in memory, with verified certificates.

use certify::certificate::{self, Claim};
use certify::verify::{Verified, verify};
use check::engine::steps::steps;
use check::{Model, Options, Reason, Settled, Verdict, check, settle};
use history::{Ambiguity, History, ReadsFrom};

use super::print;

/// The verdict on a history of which it may not be known what its operations did.
pub fn decided(history: &History, model: Model) -> Settled<'_> {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Keep).unwrap();
    settle(history, &reads_from, model, |history, reads_from| {
        check(history, reads_from, model, &Options::default())
    })
}

/// Whether a history is consistent; `None` if it depends on what silent read-modify-writes did. The certificate is verified against the
/// history as it was read.
pub fn verdict(history: &History, model: Model) -> Option<bool> {
    let Settled { history: seen, outcome, .. } = decided(history, model);
    let claim = Claim::new(&seen, model, "");
    let mut file = Vec::new();
    match &outcome.verdict {
        Verdict::Consistent(run) => {
            certificate::write_consistent(&mut file, &seen, &claim, &[], run).unwrap();
        }
        Verdict::Violation(violation) => {
            let proof = steps(&seen, violation);
            certificate::write_violation(&mut file, &claim, &proof).unwrap();
        }
        Verdict::Undecided(Reason::MayHaveWritten(_)) => return None,
        other => panic!("{model} {other:?}\n{}", print(history)),
    }
    let certificate = certificate::read(file.as_slice()).unwrap();
    match verify(history, &certificate) {
        Ok(Verified::Consistent { .. }) => Some(true),
        Ok(Verified::Violation { .. }) => Some(false),
        other => panic!("{model} {other:?}\n{}", print(history)),
    }
}
