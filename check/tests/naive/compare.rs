//! Compares the answers of `rubric` with those of the naive checker.

use certify::certificate::{self, Claim};
use certify::verify::{Verified, verify};
use check::engine::steps::steps;
use check::{Model, Options, Settled, Verdict, check, settle};
use history::{Ambiguity, History, ReadsFrom};
use memory::PsoRmw;

use crate::execution::{Granularity, Unshown, is_allowed};
use crate::json;
use crate::models::Axioms;
use crate::run::{Kind, Operation, Run};

/// What is known about a run and a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Consistent,
    Violation,
    Undecided,
}

/// The history of a run, read from text as `rubric` reads it.
pub fn history(run: &Run) -> History {
    let line = json::line(run);
    let read = ingest::read(line.as_bytes(), "run", &ingest::Options::default());
    let mut trace = read.unwrap_or_else(|error| panic!("{error}\n{line}"));
    trace.histories.pop().expect("the line is a history")
}

/// The model of a naive one.
pub fn model(axioms: &dyn Axioms) -> Model {
    let name = axioms.name();
    let (name, rmw) = match name.strip_suffix(" --pso-rmw all") {
        Some(name) => (name, PsoRmw::All),
        None => (name, PsoRmw::Own),
    };
    Model::from_name(name, rmw).expect("the models have the same names")
}

/// The answer of `rubric`. The certificate of a verdict is verified if `certified`.
pub fn answer(history: &History, model: Model, certified: bool) -> Answer {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Keep).expect("nothing is refused");
    let Settled { history: settled, outcome, .. } =
        settle(history, &reads_from, model, |history, reads_from| {
            check(history, reads_from, model, &Options::default())
        });
    let verdict = outcome.verdict;
    if certified {
        verify_certificate(history, &settled, model, &verdict);
    }
    match verdict {
        Verdict::Consistent(_) => Answer::Consistent,
        Verdict::Violation(_) => Answer::Violation,
        Verdict::Undecided(_) => Answer::Undecided,
        other => panic!("{other:?}"),
    }
}

/// Writes the certificate of a verdict, which is about the form of the history that was settled, and verifies it.
fn verify_certificate(history: &History, settled: &History, model: Model, verdict: &Verdict) {
    let claim = Claim::new(settled, model, "");
    let mut file = Vec::new();
    let written = match verdict {
        Verdict::Consistent(run) => {
            certificate::write_consistent(&mut file, settled, &claim, &[], run)
        }
        Verdict::Violation(violation) => {
            certificate::write_violation(&mut file, &claim, &steps(settled, violation))
        }
        _ => return,
    };
    written.expect("memory takes everything");
    let certificate = certificate::read(file.as_slice()).expect("it was just written");
    let verified = verify(history, &certificate);
    let is_verified = match verified {
        Ok(Verified::Consistent { .. }) => matches!(verdict, Verdict::Consistent(_)),
        Ok(Verified::Violation { .. }) => matches!(verdict, Verdict::Violation(_)),
        _ => false,
    };
    assert!(is_verified, "{model}: {verified:?}\n{}", String::from_utf8_lossy(&file));
}

/// The answers that are right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    pub consistent: bool,
    pub violation: bool,
    pub undecided: bool,
}

impl Expected {
    /// The answers that are right by the axioms.
    ///
    /// Mostly one answer is. Both *consistent* and *violation* are where only one of these two explains a run:
    /// - operations of several locations are performed location by location, or as a whole;
    /// - a read whose value is not shown implies nothing, or has some source and is ordered by it.
    ///
    /// *Undecided* is right only where
    /// - a silent read-modify-write may have written or may have failed, and the two differ;
    /// - a location has a write whose value is not shown, and without its reads and final value there is no violation;
    /// - the two bounds of all readings differ that `rubric` decides (`memory::SilentForm`), which are no readings themselves
    ///   where a silent read-modify-write is inside of a pair of its own thread or before a load of its location.
    pub fn of(run: &Run, axioms: &dyn Axioms) -> Expected {
        let readings = run.readings();
        let loosely: Vec<bool> = readings.iter().map(|run| loosely_allowed(run, axioms)).collect();
        let is_same = !run.has_unshown_reads() && !run.is_mixed();
        let strictly: Vec<bool> = if is_same {
            loosely.clone()
        } else {
            let allowed = |run| is_allowed(run, axioms, Granularity::Whole, Unshown::SomeValue);
            readings.iter().zip(&loosely).map(|(run, loosely)| *loosely && allowed(run)).collect()
        };
        let differ = |allowed: &[bool]| allowed.iter().any(|it| *it != allowed[0]);
        let may_hide = || {
            let rest = run.without_hidden_writes();
            let mut readings = rest.iter().flat_map(Run::readings);
            readings.any(|run| loosely_allowed(&run, axioms))
        };
        Expected {
            consistent: loosely.iter().all(|allowed| *allowed),
            violation: strictly.iter().all(|allowed| !allowed),
            undecided: differ(&loosely)
                || differ(&strictly)
                || may_hide()
                || has_bounds(run, axioms),
        }
    }

    pub fn includes(&self, answer: Answer) -> bool {
        match answer {
            Answer::Consistent => self.consistent,
            Answer::Violation => self.violation,
            Answer::Undecided => self.undecided,
        }
    }
}

/// Whether the bounds of all readings that `rubric` decides need not be readings.
fn has_bounds(run: &Run, axioms: &dyn Axioms) -> bool {
    let reorders = ["armv8", "rmo"].contains(&axioms.name());
    run.threads.iter().any(|own| {
        (0..own.len()).filter(|&at| own[at].kind == Kind::SilentRmw).any(|at| {
            let follows = |kinds: &[Kind]| {
                let same = |later: &&Operation| {
                    let overlap = later.place.zip(own[at].place);
                    overlap.is_some_and(|(a, b)| a.overlaps(b))
                };
                let mut later = own[at + 1..].iter().filter(same);
                later.any(|later| kinds.contains(&later.kind))
            };
            let reads = [Kind::Load, Kind::LoadLinked, Kind::FailedCas, Kind::SilentRmw, Kind::Rmw];
            (reorders && follows(&reads)) || follows(&[Kind::StoreConditional])
        })
    })
}

fn loosely_allowed(run: &Run, axioms: &dyn Axioms) -> bool {
    is_allowed(run, axioms, Granularity::Split, Unshown::Nothing)
}
