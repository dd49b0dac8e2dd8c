//! A smallest set of fences that removes all violations reported by the monitors.
//!
//! A signal says that a store may be delayed past an event of another thread. Something that the
//! store's thread does between them makes the event happen after it. So a fence between any two of
//! the thread's events in this range comes before the event in every such run, and flushes the
//! store; no other fence does. Hence one of these places needs a fence: a clause. Sets of fences
//! that satisfy all clauses so far are tried, smallest first, until there is no signal. No smaller
//! set suffices, since every sufficient set satisfies the clauses.

use std::collections::BTreeSet;

use check::{Bounds, Model};

use super::bounded::{Options, Report, search_with};
use super::compile::Program;
use super::machine::Event;
use super::monitors::Signal;
use crate::search::Stopped;

/// Sites one of which needs a fence after it.
type Clause = BTreeSet<u32>;

/// Fences for a program.
#[derive(Clone, Debug)]
pub struct Suggestion {
    /// The model under which the program has to stay within SC.
    pub model: Model,
    /// The sites that need a fence after them.
    pub fences: BTreeSet<u32>,
    /// Number of sets of fences that were tried.
    pub rounds: u32,
    /// Number of clauses.
    pub clauses: usize,
    /// The exploration with the fences. It has no violations, unless a limit ended the search for
    /// fences.
    pub report: Report,
}

impl Suggestion {
    /// The limit that ended the search, in which case the fences may not suffice.
    pub fn stopped(&self) -> Option<Stopped> {
        self.report.stopped
    }
}

/// Searches for fences, with the runs and limits of `options`, whose models are ignored.
pub fn suggest(program: &Program, model: Model, options: &Options) -> Suggestion {
    let options = Options { models: vec![model], ..options.clone() };
    let mut clauses: BTreeSet<Clause> = BTreeSet::new();
    let mut fences = BTreeSet::new();
    let mut rounds = 0;
    loop {
        rounds += 1;
        let fenced = program.with_fences(&fences);
        let mut news = BTreeSet::new();
        let report = search_with(&fenced, &options, &mut |trace, signal| {
            news.insert(clause(trace, signal));
        });
        if news.is_empty() || report.stopped.is_some() {
            return Suggestion { model, fences, rounds, clauses: clauses.len(), report };
        }
        clauses.append(&mut news);
        clauses = smallest(clauses);
        fences = match hitting_set(&clauses, &options.bounds) {
            Ok(found) => found,
            Err(stopped) => {
                let report = Report { stopped: Some(stopped), ..report };
                return Suggestion { model, fences, rounds, clauses: clauses.len(), report };
            }
        };
    }
}

/// The sites of the store's thread from the store on that are followed by another event of the
/// thread before the event past which the store may be delayed.
fn clause(trace: &[Event], signal: Signal) -> Clause {
    let thread = trace[signal.store].thread;
    let stretch = trace[signal.store..signal.event].iter();
    let own: Vec<&Event> = stretch.filter(|event| event.thread == thread).collect();
    // A fence after the last of them could be reached after the event.
    let (_, earlier) = own.split_last().expect("the store is among them");
    earlier.iter().map(|event| event.site).collect()
}

/// Removes clauses that others imply.
fn smallest(clauses: BTreeSet<Clause>) -> BTreeSet<Clause> {
    let is_implied = |clause: &Clause| {
        let mut others = clauses.iter().filter(|it| *it != clause);
        others.any(|it| it.is_subset(clause))
    };
    let kept = clauses.iter().filter(|clause| !is_implied(clause));
    kept.cloned().collect()
}

/// A smallest set with a site of each clause.
///
/// # Errors
/// Returns the bound that was met if the search ended early.
fn hitting_set(clauses: &BTreeSet<Clause>, bounds: &Bounds) -> Result<BTreeSet<u32>, Stopped> {
    let can_be_hit = clauses.iter().all(|clause| !clause.is_empty());
    assert!(can_be_hit, "the thread of a store that can be delayed has a later event");
    let mut chosen = BTreeSet::new();
    let mut size = 0;
    while !hits(clauses, &mut chosen, size, bounds) {
        size += 1;
        if let Some(stopped) = Stopped::by(bounds) {
            return Err(stopped);
        }
    }
    Ok(chosen)
}

/// Adds at most `most` sites, if that satisfies all clauses and there is time.
fn hits(
    clauses: &BTreeSet<Clause>,
    chosen: &mut BTreeSet<u32>,
    most: usize,
    bounds: &Bounds,
) -> bool {
    let open: Vec<&Clause> = clauses.iter().filter(|clause| clause.is_disjoint(chosen)).collect();
    let Some(first) = open.iter().min_by_key(|clause| clause.len()) else {
        return true;
    };
    if disjoint_clauses(&open) > most || bounds.passed() {
        return false;
    }
    first.iter().any(|&site| {
        chosen.insert(site);
        let is_enough = hits(clauses, chosen, most - 1, bounds);
        if !is_enough {
            chosen.remove(&site);
        }
        is_enough
    })
}

/// Number of pairwise disjoint clauses that a greedy pass finds: each of them needs a site of its own.
fn disjoint_clauses(clauses: &[&Clause]) -> usize {
    let mut seen = BTreeSet::new();
    let is_apart = |clause: &&&Clause| {
        let is_apart = clause.is_disjoint(&seen);
        if is_apart {
            seen.extend(clause.iter().copied());
        }
        is_apart
    };
    clauses.iter().filter(is_apart).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_that_was_met_is_reported() {
        let clauses = BTreeSet::from([Clause::from([1, 2]), Clause::from([2, 3])]);
        assert_eq!(hitting_set(&clauses, &Bounds::none()), Ok(BTreeSet::from([2])));
        let bounds = Bounds::new(None, Some(1));
        assert!(!bounds.allows(2 << 20));
        assert_eq!(hitting_set(&clauses, &bounds), Err(Stopped::Memory));
    }
}
