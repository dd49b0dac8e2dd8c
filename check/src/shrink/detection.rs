//! How early an algorithm detects a violation: the smallest number of operations after whose
//! completion a history violates already.
//!
//! Found by bisection over the [`prefixes`](crate::shrink::prefixes) of the history, which says why violations
//! do not go away as a prefix gets longer. That holds for models and criteria, so for every algorithm that is
//! complete or decides a criterion, and for `saturate`. The heuristics of HPCA 2006 may give up on a
//! history and not on a longer one, and their baseline as published derives less in a chain once that has
//! an atomic: for them the prefix that is found violates, and the one before is not found to.
//!
//! ```
//! use check::shrink::detect;
//! use check::{Bounds, Model, Options};
//! use history::{Access, Ambiguity, HistoryBuilder, Kind, OpId, Place, ReadsFrom};
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
//! let history = builder.finish(Default::default(), &Default::default(), Default::default())?;
//! let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse)?;
//!
//! let found = detect(&history, &reads_from, Model::SC, &Options::default(), &Bounds::none());
//! let first = found.first.unwrap();
//! assert_eq!((first.operations, first.completed_by), (4, OpId(3)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::time::Instant;

use history::{History, OpId, ReadsFrom};

use crate::bounds::Bounds;
use crate::decide::{Options, decide};
use crate::shrink::prefixes::{Prefix, Prefixes};
use crate::verdict::{Outcome, Reason, Verdict};
use memory::Model;

/// What an algorithm says of a history, and how early.
#[derive(Clone, Debug)]
pub struct Detection {
    /// What it says of the whole history, as [`decide`] gives it.
    pub whole: Outcome,
    /// Seconds that this took.
    pub seconds: f64,
    /// How many histories were checked, the whole one included.
    pub checks: u32,
    /// The smallest prefix that violates; none if the whole history does not, or if the trace does not
    /// show the order of completions.
    pub first: Option<First>,
}

impl Detection {
    /// Whether the whole history violates; none if that was not found out.
    pub fn violates(&self) -> Option<bool> {
        match sight(&self.whole.verdict) {
            Sight::Violation => Some(true),
            Sight::Nothing => Some(false),
            Sight::Stopped => None,
        }
    }
}

/// The smallest prefix that violates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct First {
    /// Number of operations that have completed.
    pub operations: usize,
    /// The last of them: it completes the violation. Of a split access, the first part.
    pub completed_by: OpId,
    /// Whether the prefix before was found not to violate. If not, a bound was met on the way, and
    /// the number is only an upper bound.
    pub exact: bool,
}

/// What a check tells about a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    /// There is one.
    Violation,
    /// The algorithm came to its end and found none.
    Nothing,
    /// It was stopped.
    Stopped,
}

/// Checks a history, and if it violates, prefixes of it. The bounds are for all checks together, the
/// budget of the options is for each, and their own limits are not looked at. Cost: that of the whole
/// history, and where it violates, of as many prefixes as the number of operations has binary digits.
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
    if sight(&detection.whole.verdict) != Sight::Violation {
        return detection;
    }
    if let Some(prefixes) = Prefixes::of(history, reads_from) {
        let look = |length: usize| {
            detection.checks += 1;
            let prefix = prefixes.prefix(length);
            let options = options_for(options, &prefix);
            let (history, reads_from) = (&prefix.history, &prefix.reads_from);
            let outcome = decide(history, reads_from, model, &options, bounds);
            sight(&outcome.verdict)
        };
        let (operations, exact) = bisect(prefixes.longest(), look);
        detection.first =
            prefixes.last(operations).map(|completed_by| First { operations, completed_by, exact });
    }
    detection
}

/// The options for a prefix, in which operations have other numbers.
fn options_for(options: &Options, prefix: &Prefix) -> Options {
    let place = |op: &OpId| prefix.kept.binary_search(op).ok();
    let store_order = options.store_order.as_ref().map(|writes| {
        let kept = writes.iter().filter_map(place);
        kept.map(|at| OpId(at as u32)).collect()
    });
    Options { store_order, ..options.clone() }
}

/// The smallest length at which there is a violation, if there is one at `longest` and none at 0; and
/// whether the length before was seen to have none.
fn bisect(longest: usize, mut look: impl FnMut(usize) -> Sight) -> (usize, bool) {
    let (mut without, mut with, mut exact) = (0, longest, true);
    while without + 1 < with {
        let middle = without + (with - without) / 2;
        match look(middle) {
            Sight::Violation => with = middle,
            seen => (without, exact) = (middle, seen == Sight::Nothing),
        }
    }
    (with, exact)
}

fn sight(verdict: &Verdict) -> Sight {
    match verdict {
        Verdict::Violation(_) | Verdict::CriterionViolation(_) | Verdict::Unproved => {
            Sight::Violation
        }
        Verdict::Consistent(_) | Verdict::Satisfied => Sight::Nothing,
        Verdict::Undecided(reason) => match reason {
            // What the algorithm could have done, it did.
            Reason::NothingCompleted
            | Reason::NoTraceOrder
            | Reason::NoForcedContradiction
            | Reason::GaveUp { .. }
            | Reason::NoWitness(_)
            | Reason::NoCompletions
            | Reason::StoreOrder(_)
            | Reason::UnfinishedStore(_)
            | Reason::UnfinishedFinal(_)
            | Reason::HiddenWrite(_)
            | Reason::UnrecordedWrite(_)
            | Reason::AssumedInitial
            | Reason::NotUnderstood(_) => Sight::Nothing,
            Reason::Timeout
            | Reason::Memory
            | Reason::Budget(_)
            | Reason::Lemmas
            | Reason::Ambiguous(_)
            | Reason::NeedsSources(_)
            | Reason::Refuted(_)
            | Reason::Refined(_)
            | Reason::FreeReads
            | Reason::ProofRefused => Sight::Stopped,
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
                    if length >= border { Sight::Violation } else { Sight::Nothing }
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
                _ if stopped(length) => Sight::Stopped,
                5.. => Sight::Violation,
                _ => Sight::Nothing,
            })
        };
        assert_eq!(found(|_| true), (16, false));
        assert_eq!(found(|length| length == 4), (5, false));
        assert_eq!(found(|length| length < 8), (8, false));
        // What was not decided far below does not matter once the one before was.
        assert_eq!(found(|length| length == 2), (5, true));
    }
}
