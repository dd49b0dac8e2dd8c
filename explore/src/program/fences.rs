//! A smallest set of fences that removes all violations which the monitors report.
//!
//! Take a signal: a store may be delayed past an event of another thread. Something that the store's thread does between them
//! makes the event happen after it, so a fence between any two of its events in this stretch comes before the event in every such
//! run, and flushes the store; no other fence does. So one of these places must have a fence: a clause. Fences that satisfy
//! all clauses so far are tried, fewest first, until no signal is left. Fewer cannot do, since the clauses have to be satisfied
//! anyway.

use std::collections::BTreeSet;

use check::{Bounds, Model};

use super::bounded::{Options, Report, search_with};
use super::compile::Program;
use super::machine::Event;
use super::watch::Signal;
use crate::search::Stopped;

/// Sites of which one must have a fence behind it.
type Clause = BTreeSet<u32>;

/// Fences for a program.
#[derive(Clone, Debug)]
pub struct Suggestion {
    /// The model under which the program is to stay within SC.
    pub model: Model,
    /// The sites behind which a fence goes.
    pub fences: BTreeSet<u32>,
    /// How many sets of fences were tried.
    pub rounds: u32,
    /// How many clauses made it.
    pub clauses: usize,
    /// The exploration with the fences. It has no violations, unless a limit has ended the search for fences.
    pub report: Report,
}

impl Suggestion {
    /// Why nobody knows whether these fences do.
    pub fn stopped(&self) -> Option<Stopped> {
        self.report.stopped
    }
}

/// Looks for fences, with the runs and limits of `options`; of its models only `model` counts.
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
        let Some(found) = hitting_set(&clauses, &options.bounds) else {
            return Suggestion {
                model,
                fences,
                rounds,
                clauses: clauses.len(),
                report: Report { stopped: Some(Stopped::Time), ..report },
            };
        };
        fences = found;
    }
}

/// The sites of the store's thread from the store on, each of which has another event of the thread behind it, before the
/// event that the store may be delayed past.
fn clause(trace: &[Event], signal: Signal) -> Clause {
    let thread = trace[signal.store].thread;
    let stretch = trace[signal.store..signal.event].iter();
    let own: Vec<&Event> = stretch.filter(|event| event.thread == thread).collect();
    // Behind the last of them a fence could wait until all is over.
    let (_, earlier) = own.split_last().expect("the store is among them");
    earlier.iter().map(|event| event.site).collect()
}

/// Without clauses that others imply.
fn smallest(clauses: BTreeSet<Clause>) -> BTreeSet<Clause> {
    let is_implied = |clause: &Clause| {
        let mut others = clauses.iter().filter(|it| *it != clause);
        others.any(|it| it.is_subset(clause))
    };
    let kept = clauses.iter().filter(|clause| !is_implied(clause));
    kept.cloned().collect()
}

/// A smallest set with a site of each clause; nothing if time or memory run out first.
fn hitting_set(clauses: &BTreeSet<Clause>, bounds: &Bounds) -> Option<BTreeSet<u32>> {
    let can_be_hit = clauses.iter().all(|clause| !clause.is_empty());
    assert!(can_be_hit, "behind a store that can be delayed, its thread does something else");
    let mut chosen = BTreeSet::new();
    let mut size = 0;
    while !hits(clauses, &mut chosen, size, bounds) {
        size += 1;
        if bounds.passed() {
            return None;
        }
    }
    Some(chosen)
}

/// Adds at most so many sites, if that is enough and there is time.
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
    if apart(&open) > most || bounds.passed() {
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

/// How many clauses have nothing in common, as a quick look finds: each needs a site of its own.
fn apart(clauses: &[&Clause]) -> usize {
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
