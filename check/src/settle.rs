//! [`settle`]: the verdict on a history of which it is not known whether some of its operations have written.
//!
//! A read-modify-write that writes back what it read may have failed as a compare-and-swap. [`settle`] decides the history in the
//! form in which such operations are taken to have done what is strictest, and in the form of what is mildest
//! ([`SilentForm`]). If it is consistent in the first or a violation in the second, that is the verdict. Otherwise, of an operation
//! whose forms are mere bounds ([`Model::only_bounded`]), both cases are decided in the same way, that it has written and that it has
//! failed: if they agree, that is the verdict, proved case by case. Else the history is undecided, and the reason names the operation
//! that makes the difference.

use std::borrow::Cow;

use history::{Ambiguity, History, OpId, ReadsFrom, Supposition};
use memory::{Model, SilentForm};

use crate::verdict::{Outcome, Reason, Verdict, named};

/// Largest number of cases of a verdict.
const MOST_CASES: usize = 64;
/// Largest number of operations of all cases together, so that a long history has fewer of them.
const MOST_OPERATIONS: usize = 4_000_000;

/// A history in the form that a verdict is about, with the verdict.
#[derive(Clone, Debug)]
pub(crate) struct Settled<'h> {
    /// The history as the model sees it; of several cases, in the first.
    pub history: Cow<'h, History>,
    /// The reads-from of that history.
    pub reads_from: ReadsFrom,
    /// The verdict and how it was found; its operations are those of `history`.
    pub outcome: Outcome,
    /// The cases by which the verdict is proved.
    pub cases: Cases,
}

/// The cases of a verdict: one in which nothing is supposed, or all that there are of the operations that something is supposed of.
#[derive(Clone, Debug, Default)]
pub struct Cases {
    /// What is supposed in the first case, the one that is shown.
    pub supposed: Vec<Supposition>,
    /// The other cases, in the order of a tree whose inner nodes are operations: that one has written comes before that it has failed.
    pub others: Vec<Case>,
}

/// A case of a verdict.
#[derive(Clone, Debug)]
pub struct Case {
    /// What is supposed of operations of the history as it was read.
    pub supposed: Vec<Supposition>,
    /// The history as the model sees it.
    pub history: History,
    /// The reads-from of that history.
    pub reads_from: ReadsFrom,
    /// The verdict, which is the same in all cases.
    pub verdict: Verdict,
}

impl Cases {
    /// What is supposed in the case that is shown, in a sentence; `None` if there is no other case. `whole` is the history as it was read.
    pub fn describe(&self, whole: &History) -> Option<String> {
        if self.others.is_empty() {
            return None;
        }
        let supposed = self.supposed.iter().map(|Supposition { op, wrote }| {
            format!("{} has {}", named(whole, *op), if *wrote { "written" } else { "failed" })
        });
        let supposed: Vec<String> = supposed.collect();
        let others = match self.others.len() {
            1 => "in the other case".to_owned(),
            others => format!("in the {others} other cases"),
        };
        Some(format!(
            "what is shown supposes that {}; the verdict {others} is the same",
            supposed.join(" and that ")
        ))
    }
}

/// Decides a history, with its reads-from, under a model. `decide` decides a form of it that the model sees, as
/// [`check()`](fn@crate::check) does.
///
/// Cost: one call of `decide` if nothing is in doubt or the strictest form is consistent, else two. If the two disagree, one more
/// for each bit of the number of operations in doubt, and as much for each of at most 64 cases.
pub(crate) fn settle<'h>(
    history: &'h History,
    reads_from: &ReadsFrom,
    model: Model,
    decide: impl FnMut(&History, &ReadsFrom) -> Outcome,
) -> Settled<'h> {
    let affordable = (MOST_OPERATIONS / history.operations().max(1)).clamp(1, MOST_CASES);
    let mut settling = Settling { whole: history, reads_from, model, decide, left: affordable - 1 };
    settling.suppose(Vec::new())
}

/// A history that is being decided.
struct Settling<'h, 'r, D> {
    whole: &'h History,
    reads_from: &'r ReadsFrom,
    model: Model,
    decide: D,
    /// The number of further cases that may be decided.
    left: usize,
}

impl<'h, D: FnMut(&History, &ReadsFrom) -> Outcome> Settling<'h, '_, D> {
    /// Decides the history if this holds.
    fn suppose(&mut self, supposed: Vec<Supposition>) -> Settled<'h> {
        let read = self.whole.supposing(&supposed);
        let doubtful = self.model.doubtful(&read);
        let (settled, is_undecided) = self.bounds(&read, &doubtful);
        if is_undecided {
            return self.in_cases(&read, &doubtful, &supposed, settled);
        }
        Settled { cases: Cases { supposed, others: Vec::new() }, ..settled }
    }

    /// Decides the history by its strictest and its mildest form, and says whether they leave it undecided: the strictest, which is
    /// returned then, is a violation, and the mildest is consistent.
    fn bounds(&mut self, read: &Cow<'h, History>, doubtful: &[OpId]) -> (Settled<'h>, bool) {
        let model = self.model;
        let mut decide = |form: SilentForm| {
            let form = match read {
                Cow::Borrowed(whole) => model.prepare_as(whole, form),
                Cow::Owned(supposed) => Cow::Owned(model.prepare_as(supposed, form).into_owned()),
            };
            self.decide(form)
        };
        if doubtful.is_empty() {
            return (decide(SilentForm::Usual), false);
        }
        let strictest = decide(SilentForm::Strictest);
        if is_consistent(&strictest.outcome) {
            return (strictest, false);
        }
        let mildest = decide(SilentForm::Mildest);
        if is_violation(&mildest.outcome) {
            return (mildest, false);
        }
        if !is_violation(&strictest.outcome) {
            return (strictest, false);
        }
        if is_consistent(&mildest.outcome) { (strictest, true) } else { (mildest, false) }
    }

    /// Decides a form of the history.
    fn decide<'a>(&mut self, form: Cow<'a, History>) -> Settled<'a> {
        let changed = match &form {
            Cow::Borrowed(_) => None,
            Cow::Owned(changed) => Some(changed),
        };
        let reads_from = prepared_reads(changed, self.reads_from);
        let outcome = (self.decide)(&form, &reads_from);
        let reads_from = reads_from.into_owned();
        Settled { history: form, reads_from, outcome, cases: Cases::default() }
    }

    /// Decides a history whose bounds disagree: both cases of an operation whose forms are no readings, if there is one.
    fn in_cases(
        &mut self,
        read: &Cow<'h, History>,
        doubtful: &[OpId],
        supposed: &[Supposition],
        undecided: Settled<'h>,
    ) -> Settled<'h> {
        let critical = self.critical(read, doubtful);
        let may_have_written = |op| {
            let reason = Reason::MayHaveWritten(named(self.whole, op));
            Verdict::Undecided(reason)
        };
        let bounded = self.model.only_bounded(read);
        let between = bounded.iter().find(|&&op| op == critical).or(bounded.first());
        let verdict = match between {
            Some(&op) if self.left > 0 => {
                self.left -= 1;
                let [wrote, failed] = [true, false]
                    .map(|wrote| self.suppose([supposed, &[Supposition { op, wrote }]].concat()));
                match both(wrote, failed) {
                    Ok(settled) => return settled,
                    Err(Some(reason)) => Verdict::Undecided(reason),
                    Err(None) => may_have_written(op),
                }
            }
            _ => may_have_written(critical),
        };
        Settled { outcome: Outcome { verdict, ..undecided.outcome }, ..undecided }
    }

    /// An operation that makes the difference between the strictest and the mildest form: with the operations before it in doubt as
    /// in the mildest form, and with those after it as in the strictest, its two forms have different verdicts.
    fn critical(&mut self, read: &History, doubtful: &[OpId]) -> OpId {
        // With the first `mild` operations in doubt as in the mildest form the history is consistent, with fewer than `strict`
        // it is a violation.
        let (mut strict, mut mild) = (0, doubtful.len());
        while strict + 1 < mild {
            let middle = (strict + mild) / 2;
            let first = &doubtful[..middle];
            let form = self.decide(self.model.prepare_between(read, |op| first.contains(&op)));
            *(if is_consistent(&form.outcome) { &mut mild } else { &mut strict }) = middle;
        }
        doubtful[mild - 1]
    }
}

/// The verdict of two cases, if it is the same; else why it is not, if one of them is undecided.
fn both<'h>(first: Settled<'h>, second: Settled<'h>) -> Result<Settled<'h>, Option<Reason>> {
    for case in [&first, &second] {
        if let Verdict::Undecided(reason) = &case.outcome.verdict {
            return Err(Some(reason.clone()));
        }
    }
    if !is_same(&first.outcome.verdict, &second.outcome.verdict) {
        return Err(None);
    }
    let mut both = first;
    both.cases.others.push(Case {
        supposed: second.cases.supposed,
        history: second.history.into_owned(),
        reads_from: second.reads_from,
        verdict: second.outcome.verdict,
    });
    both.cases.others.extend(second.cases.others);
    Ok(both)
}

/// Whether two verdicts say the same and one certificate can prove both.
fn is_same(a: &Verdict, b: &Verdict) -> bool {
    let criterion = |verdict: &Verdict| match verdict {
        Verdict::CriterionViolation(violation) => Some(violation.criterion),
        _ => None,
    };
    std::mem::discriminant(a) == std::mem::discriminant(b) && criterion(a) == criterion(b)
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
