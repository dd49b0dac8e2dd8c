//! [`settle`]: the verdict on a history of which it is not known whether some of its operations have written.
//!
//! A read-modify-write that writes back what it read may have failed as a compare-and-swap. [`settle`] decides the history in the
//! form in which such operations are taken to have done what is strictest, and in the form of what is mildest
//! ([`SilentForm`]). If it is consistent in the first or a violation in the second, that is the verdict. Otherwise it is
//! undecided, and the reason names the operation that makes the difference.

use std::borrow::Cow;

use history::{Ambiguity, History, ReadsFrom};
use memory::{Model, SilentForm};

use crate::verdict::{Outcome, Reason, Verdict, named};

/// A history in the form that a verdict is about, with the verdict.
#[derive(Clone, Debug)]
pub struct Settled<'h> {
    /// The history as the model sees it.
    pub history: Cow<'h, History>,
    /// The reads-from of that history.
    pub reads_from: ReadsFrom,
    /// The outcome; its operations are those of `history`.
    pub outcome: Outcome,
}

/// Decides a history, with its reads-from, under a model. `decide` decides a form of it that the model sees, as
/// [`check()`](fn@crate::check) does.
///
/// Cost: one call of `decide` if nothing is in doubt or the strictest form is consistent, else two. If the two disagree, one more
/// for each bit of the number of operations in doubt.
pub fn settle<'h>(
    history: &'h History,
    reads_from: &ReadsFrom,
    model: Model,
    mut decide: impl FnMut(&History, &ReadsFrom) -> Outcome,
) -> Settled<'h> {
    let mut decide = |prepared: Cow<'h, History>| {
        let changed = match &prepared {
            Cow::Borrowed(_) => None,
            Cow::Owned(changed) => Some(changed),
        };
        let reads_from = prepared_reads(changed, reads_from);
        let outcome = decide(&prepared, &reads_from);
        Settled { history: prepared, reads_from: reads_from.into_owned(), outcome }
    };
    let doubtful = model.doubtful(history);
    if doubtful.is_empty() {
        return decide(model.prepare(history));
    }
    let strictest = decide(model.prepare_as(history, SilentForm::Strictest));
    if is_consistent(&strictest.outcome) {
        return strictest;
    }
    let mildest = decide(model.prepare_as(history, SilentForm::Mildest));
    if is_violation(&mildest.outcome) {
        return mildest;
    }
    if !is_violation(&strictest.outcome) {
        return strictest;
    }
    if !is_consistent(&mildest.outcome) {
        return mildest;
    }
    // With the first `mild` operations in doubt as in the mildest form the history is consistent, with fewer than `strict`
    // it is a violation.
    let (mut strict, mut mild) = (0, doubtful.len());
    while strict + 1 < mild {
        let middle = (strict + mild) / 2;
        let first = &doubtful[..middle];
        let form = decide(model.prepare_between(history, |op| first.contains(&op)));
        *(if is_consistent(&form.outcome) { &mut mild } else { &mut strict }) = middle;
    }
    let what = named(history, doubtful[mild - 1]);
    let verdict = Verdict::Undecided(Reason::MayHaveWritten(what));
    Settled { outcome: Outcome { verdict, ..strictest.outcome }, ..strictest }
}

/// The reads-from of a history that was prepared for a model, given that of the history as it was read; `changed` is the history
/// if preparing has changed it. Preparing makes no source ambiguous that matters.
fn prepared_reads<'r>(changed: Option<&History>, reads_from: &'r ReadsFrom) -> Cow<'r, ReadsFrom> {
    let derived = changed.and_then(|it| ReadsFrom::derive(it, Ambiguity::Keep).ok());
    derived.map_or(Cow::Borrowed(reads_from), Cow::Owned)
}

fn is_consistent(outcome: &Outcome) -> bool {
    matches!(outcome.verdict, Verdict::Consistent(_) | Verdict::Satisfied)
}

fn is_violation(outcome: &Outcome) -> bool {
    let verdict = &outcome.verdict;
    matches!(verdict, Verdict::Violation(_) | Verdict::Unproved | Verdict::CriterionViolation(_))
}
