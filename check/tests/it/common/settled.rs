//! Verdicts on histories of which it is not known what some operations did or what was in memory, with verified certificates.

use certify::certificate::{self, Claim};
use certify::verify::{Verified, verify};
use check::certificate::{Proved, write};
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

/// The text of the certificate of a verdict.
pub fn certificate_of(history: &History, settled: &Settled<'_>, model: Model) -> String {
    let mut file = Vec::new();
    let claim = Claim::new(history, model, "");
    write(&mut file, &claim, Proved::of(history, settled)).unwrap();
    String::from_utf8(file).unwrap()
}

/// Whether a history is consistent; `None` if it depends on what silent read-modify-writes did. The certificate is verified against the
/// history as it was read.
pub fn verdict(history: &History, model: Model) -> Option<bool> {
    let settled = decided(history, model);
    match &settled.outcome.verdict {
        Verdict::Consistent(_) | Verdict::Violation(_) => {}
        Verdict::Undecided(Reason::MayHaveWritten(_)) => return None,
        other => panic!("{model} {other:?}\n{}", print(history)),
    }
    let text = certificate_of(history, &settled, model);
    let certificate = certificate::read(text.as_bytes()).unwrap();
    match verify(history, &certificate) {
        Ok(Verified::Consistent { .. }) => Some(true),
        Ok(Verified::Violation { .. }) => Some(false),
        other => panic!("{model} {other:?}\n{}", print(history)),
    }
}
