//! Compares the answers of `rubric` with those of the naive checker.

use certify::certificate;
use certify::verify::{Verified, verify};
use check::{Model, Options, Question, Verdict};
use history::{Ambiguity, History, ReadsFrom};
use memory::PsoRmw;

use crate::execution::{Granularity, Unshown, is_allowed};
use crate::json;
use crate::models::Axioms;
use crate::run::Run;

/// What is known about a run and a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Consistent,
    Violation,
    Undecided,
}

/// The history of a run, read from text as `rubric` reads it.
pub(crate) fn history(run: &Run) -> History {
    let line = json::line(run);
    let read = ingest::read(line.as_bytes(), "run", &ingest::Options::default());
    let mut trace = read.unwrap_or_else(|error| panic!("{error}\n{line}"));
    trace.histories.pop().expect("the line is a history")
}

/// The model of a naive one.
pub(crate) fn model(axioms: &dyn Axioms) -> Model {
    let name = axioms.name();
    let (name, rmw) = match name.strip_suffix(" --pso-rmw all") {
        Some(name) => (name, PsoRmw::All),
        None => (name, PsoRmw::Own),
    };
    Model::from_name(name, rmw).expect("the models have the same names")
}

/// The answer of `rubric`. The certificate of a verdict is verified if `certified`.
pub(crate) fn answer(history: &History, model: Model, certified: bool) -> Answer {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Keep).expect("nothing is refused");
    let answer = Question::new(model, &Options::default()).ask(history, &reads_from);
    if certified {
        verify_certificate(&answer);
    }
    match answer.outcome.verdict {
        Verdict::Consistent(_) => Answer::Consistent,
        Verdict::Violation(_) => Answer::Violation,
        Verdict::Undecided(_) => Answer::Undecided,
        other => panic!("{other:?}"),
    }
}

/// Writes the certificate of an answer, and verifies it.
fn verify_certificate(answer: &check::Answer<&History>) {
    let check::Answer { whole, model, .. } = *answer;
    let verdict = answer.verdict();
    let mut file = Vec::new();
    let written = answer.certify(&mut file, None, "");
    if written.expect("memory takes everything").is_none() {
        return;
    }
    let certificate = certificate::read(file.as_slice()).expect("it was just written");
    let verified = verify(whole, &certificate);
    let is_verified = match verified {
        Ok(Verified::Consistent { .. }) => matches!(verdict, Verdict::Consistent(_)),
        Ok(Verified::Violation { .. }) => matches!(verdict, Verdict::Violation(_)),
        _ => false,
    };
    assert!(is_verified, "{model}: {verified:?}\n{}", String::from_utf8_lossy(&file));
}

/// The answers that are right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
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
    /// - a location has a write whose value is not shown, and without its reads and final value there is no violation.
    ///
    /// Any is right if there are too many candidates to try.
    pub(crate) fn of(run: &Run, axioms: &dyn Axioms) -> Expected {
        let any = Expected { consistent: true, violation: true, undecided: true };
        Expected::by_axioms(run, axioms).unwrap_or(any)
    }

    fn by_axioms(run: &Run, axioms: &dyn Axioms) -> Option<Expected> {
        let readings = run.readings();
        let loosely: Option<Vec<bool>> =
            readings.iter().map(|run| loosely_allowed(run, axioms)).collect();
        let loosely = loosely?;
        let is_same = !run.has_unshown_reads() && !run.is_mixed();
        let strictly: Vec<bool> = if is_same {
            loosely.clone()
        } else {
            let allowed = |run| is_allowed(run, axioms, Granularity::Whole, Unshown::SomeValue);
            let both = readings.iter().zip(&loosely);
            let both = both.map(|(run, loosely)| Some(*loosely && allowed(run)?));
            both.collect::<Option<_>>()?
        };
        let differ = |allowed: &[bool]| allowed.iter().any(|it| *it != allowed[0]);
        let may_hide = || {
            let rest = run.without_hidden_writes();
            let mut readings = rest.iter().flat_map(Run::readings);
            readings.any(|run| loosely_allowed(&run, axioms) != Some(false))
        };
        Some(Expected {
            consistent: loosely.iter().all(|allowed| *allowed),
            violation: strictly.iter().all(|allowed| !allowed),
            undecided: differ(&loosely) || differ(&strictly) || may_hide(),
        })
    }

    pub(crate) fn includes(&self, answer: Answer) -> bool {
        match answer {
            Answer::Consistent => self.consistent,
            Answer::Violation => self.violation,
            Answer::Undecided => self.undecided,
        }
    }
}

fn loosely_allowed(run: &Run, axioms: &dyn Axioms) -> Option<bool> {
    is_allowed(run, axioms, Granularity::Split, Unshown::Nothing)
}
