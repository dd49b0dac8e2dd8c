//! Verdicts on histories of which it is not known what some operations did or what was in memory, with verified certificates.

use certify::certificate;
use certify::verify::{Verified, verify};
use check::{Answer, Model, Options, Question, Reason, Verdict};
use history::{Ambiguity, History, ReadsFrom};

use super::print;

/// The answer about a history of which it may not be known what its operations did.
pub(crate) fn decided(history: &History, model: Model) -> Answer<&History> {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Keep).unwrap();
    Question::new(model, &Options::default()).ask(history, &reads_from)
}

/// The text of the certificate of an answer.
pub(crate) fn certificate_of(answer: &Answer<&History>) -> String {
    let mut file = Vec::new();
    answer.certify(&mut file, None, "").unwrap();
    String::from_utf8(file).unwrap()
}

/// Whether a history is consistent; `None` if it depends on what silent read-modify-writes did. The certificate is verified against the
/// history as it was read.
pub(crate) fn verdict(history: &History, model: Model) -> Option<bool> {
    let answer = decided(history, model);
    match answer.verdict() {
        Verdict::Consistent(_) | Verdict::Violation(_) => {}
        Verdict::Undecided(Reason::MayHaveWritten(_)) => return None,
        other => panic!("{model} {other:?}\n{}", print(history)),
    }
    let text = certificate_of(&answer);
    let certificate = certificate::read(text.as_bytes()).unwrap();
    match verify(history, &certificate) {
        Ok(Verified::Consistent { .. }) => Some(true),
        Ok(Verified::Violation { .. }) => Some(false),
        other => panic!("{model} {other:?}\n{}", print(history)),
    }
}
