//! [`detect`]: finds how early an algorithm detects a violation, as the smallest number of completed
//! operations with which the history already violates the model.
//!
//! It bisects over the [`prefixes`](crate::shrink::prefixes) of the history, whose documentation says why a
//! violation of a prefix is one of every longer prefix. That holds for models and criteria, so for every
//! algorithm that is complete or decides a criterion, and for `saturate`. The heuristics of HPCA 2006 may
//! give up on a history and not on a longer one, and their baseline as published derives less in a chain
//! once that has an atomic. For these, the prefix found is a violation, and the algorithm finds none in the
//! one before, but it may find one in a shorter prefix.
//!
//! ```
//! use check::shrink::detect;
//! use check::{Bounds, Model, Options};
//! use history::{Access, Ambiguity, HistoryBuilder, Kind, OpId, Place, Provenance, ReadsFrom};
//!
//! // Thread 1 sees the later store of thread 0 and then not the earlier one.
//! let mut builder = HistoryBuilder::new();
//! let (data, flag) = (Place::Cell(0), Place::Cell(1));
//! let wrote = |order, place| Access { written: Some(1), order, ..Access::new(0, Kind::Store, place) };
//! let read = |order, place, value| Access { read: Some(value), order, ..Access::new(1, Kind::Load, place) };
//! builder.push(wrote(Some(10), data));
//! builder.push(wrote(Some(20), flag));
//! builder.push(read(Some(30), flag, 1));
//! builder.push(read(Some(40), data, 0));
//! builder.push(read(Some(50), data, 1));
//! let history = builder.finish(Default::default(), &Default::default(), Provenance::made())?;
//! let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse)?;
//!
//! let found = detect(&history, &reads_from, Model::SC, &Options::default(), &Bounds::none());
//! let first = found.first.unwrap();
//! assert_eq!((first.operations, first.completed_by), (4, OpId(3)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::time::Instant;

use history::{History, OpId, ReadsFrom};
use host::Bounds;

use crate::decide::decide;
use crate::options::Options;
use crate::shrink::prefixes::{Prefix, Prefixes};
use crate::verdict::{Outcome, Reason, Verdict};
use memory::Model;

/// The outcome of an algorithm for a history, and how early it detects a violation.
#[derive(Clone, Debug)]
pub struct Detection {
    /// The outcome for the whole history, from [`decide`].
    pub whole: Outcome,
    /// The time for deciding the whole history, in seconds.
    pub seconds: f64,
    /// Number of histories that were checked, including the whole one.
    pub checks: u32,
    /// The smallest prefix that is a violation; `None` if the whole history is not, or if the trace does not
    /// show the order of completions.
    pub first: Option<First>,
}

impl Detection {
    /// Whether the whole history is a violation; `None` if that is not known.
    pub fn violates(&self) -> Option<bool> {
        match check_result(&self.whole.verdict) {
            CheckResult::Violation => Some(true),
            CheckResult::Nothing => Some(false),
            CheckResult::Stopped => None,
        }
    }
}

/// The smallest prefix that is a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct First {
    /// Number of completed operations.
    pub operations: usize,
    /// The last of them, which completes the violation; for a split access, its first part.
    pub completed_by: OpId,
    /// Whether the algorithm finds no violation in the prefix before. If not, a bound was met, and the
    /// number of operations is only an upper bound.
    pub exact: bool,
}

/// The result of checking a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CheckResult {
    /// The prefix is a violation.
    Violation,
    /// The algorithm ended and found no violation.
    Nothing,
    /// The algorithm was stopped.
    Stopped,
}

/// Checks a history, and if it is a violation, prefixes of it. The bounds are for all checks together, the
/// contradiction budget of the options is for each check, and the time and memory limits of the options
/// are ignored. Cost: that of checking the whole history and, if it is a violation, about log₂ n prefixes
/// of it.
pub fn detect(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    options: &Options,
    bounds: &Bounds,
) -> Detection {
    let start = Instant::now();
    let whole = decide(history, reads_from, model, options, bounds);
    let mut detection =
        Detection { seconds: start.elapsed().as_secs_f64(), checks: 1, first: None, whole };
    if check_result(&detection.whole.verdict) != CheckResult::Violation {
        return detection;
    }
    if let Some(prefixes) = Prefixes::of(history, reads_from, model) {
        let look = |length: usize| {
            detection.checks += 1;
            let prefix = prefixes.prefix(length);
            let options = options_for(options, &prefix);
            let (history, reads_from) = (&prefix.history, &prefix.reads_from);
            let outcome = decide(history, reads_from, model, &options, bounds);
            check_result(&outcome.verdict)
        };
        let (operations, exact) = bisect(prefixes.longest(), look);
        detection.first =
            prefixes.last(operations).map(|completed_by| First { operations, completed_by, exact });
    }
    detection
}

/// The options for a prefix, with operations renumbered.
fn options_for(options: &Options, prefix: &Prefix) -> Options {
    let place = |op: &OpId| prefix.kept.binary_search(op).ok();
    let store_order = options.store_order.as_ref().map(|writes| {
        let kept = writes.iter().filter_map(place);
        kept.map(|at| OpId(at as u32)).collect()
    });
    Options { store_order, ..options.clone() }
}

/// The smallest length with a violation, given that `longest` has one and 0 has none, and whether the length
/// before was found to have none.
fn bisect(longest: usize, mut look: impl FnMut(usize) -> CheckResult) -> (usize, bool) {
    let (mut without, mut with, mut exact) = (0, longest, true);
    while without + 1 < with {
        let middle = without + (with - without) / 2;
        match look(middle) {
            CheckResult::Violation => with = middle,
            seen => (without, exact) = (middle, seen == CheckResult::Nothing),
        }
    }
    (with, exact)
}

fn check_result(verdict: &Verdict) -> CheckResult {
    match verdict {
        Verdict::Violation(_) | Verdict::CriterionViolation(_) | Verdict::Unproved => {
            CheckResult::Violation
        }
        Verdict::Consistent(_) | Verdict::Satisfied => CheckResult::Nothing,
        Verdict::Undecided(reason) => match reason {
            // The algorithm did everything that it can.
            Reason::NothingCompleted
            | Reason::NoTraceOrder
            | Reason::NoForcedContradiction
            | Reason::GaveUp { .. }
            | Reason::NoWitness(_)
            | Reason::NoCompletions
            | Reason::StoreOrder(_)
            | Reason::UnfinishedStore(_)
            | Reason::UnfinishedFinal(_)
            | Reason::HiddenFinal(_)
            | Reason::HiddenWrite(_)
            | Reason::UnrecordedWrite(_)
            | Reason::AssumedInitial
            | Reason::NotUnderstood(_) => CheckResult::Nothing,
            Reason::Timeout
            | Reason::Cancelled
            | Reason::Memory
            | Reason::Budget(_)
            | Reason::Lemmas
            | Reason::Ambiguous(_)
            | Reason::NeedsSources(_)
            | Reason::Refuted(_)
            | Reason::Refined(_)
            | Reason::FreeReads
            | Reason::MayHaveWritten(_)
            | Reason::ProofRefused => CheckResult::Stopped,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bisection_finds_every_border() {
        for longest in 1..40 {
            for border in 1..=longest {
                let mut looks = 0;
                let look = |length| {
                    looks += 1;
                    if length >= border { CheckResult::Violation } else { CheckResult::Nothing }
                };
                assert_eq!(bisect(longest, look), (border, true));
                assert!(looks <= longest.ilog2() + 1, "{longest} {border} {looks}");
            }
        }
    }

    #[test]
    fn where_a_bound_is_met_the_number_is_an_upper_bound() {
        // Violations from 5 on; prefixes that end in `stopped` are not decided.
        let found = |stopped: fn(usize) -> bool| {
            bisect(16, |length| match length {
                _ if stopped(length) => CheckResult::Stopped,
                5.. => CheckResult::Violation,
                _ => CheckResult::Nothing,
            })
        };
        assert_eq!(found(|_| true), (16, false));
        assert_eq!(found(|length| length == 4), (5, false));
        assert_eq!(found(|length| length < 8), (8, false));
        // What was not decided far below does not matter once the one before was.
        assert_eq!(found(|length| length == 2), (5, true));
    }
}
