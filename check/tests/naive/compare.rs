//! Compares the answers of `rubric` with those of the naive checker.

use check::{Model, Options, Verdict, check};
use history::{Ambiguity, History, ReadsFrom};
use memory::PsoRmw;

use crate::execution::{Granularity, is_allowed};
use crate::models::Axioms;
use crate::run::Run;

/// What is known about a run and a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Consistent,
    Violation,
    Undecided,
}

/// The history of a run, read as `rubric` reads it.
pub fn history(run: &Run) -> Result<History, String> {
    let line = crate::json::line(run);
    let read = ingest::read(line.as_bytes(), "run", &ingest::Options::default());
    let mut trace = read.map_err(|error| error.to_string())?;
    trace.histories.pop().ok_or_else(|| "no history".to_owned())
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

/// The answer of `rubric`, and its reason if it is undecided.
pub fn answer(history: &History, model: Model) -> (Answer, String) {
    let history = model.prepare(history);
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Keep).expect("nothing is refused");
    match check(&history, &reads_from, model, &Options::default()).verdict {
        Verdict::Consistent(_) => (Answer::Consistent, String::new()),
        Verdict::Violation(_) => (Answer::Violation, String::new()),
        Verdict::Undecided(reason) => (Answer::Undecided, reason.describe(&history)),
        other => panic!("{other:?}"),
    }
}

/// The answers that are right.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    pub consistent: bool,
    pub violation: bool,
    pub undecided: bool,
}

impl Expected {
    /// The answers that are right by the axioms.
    ///
    /// - A silent read-modify-write may have written or failed. If the two make a difference, no answer but *undecided* is
    ///   right.
    /// - If the parts of accesses that overlap can be explained only one by one, then both *consistent*, which speaks of the
    ///   parts, and *violation* are right.
    /// - A location with a write whose value is not shown may make an answer undecided.
    pub fn of(run: &Run, axioms: &dyn Axioms) -> Expected {
        let readings = run.readings();
        let answers = |granularity| {
            readings.iter().map(move |run| is_allowed(run, axioms, granularity)).collect::<Vec<_>>()
        };
        let whole = answers(Granularity::Whole);
        let split = answers(Granularity::Split);
        let hides = run.operations().any(|operation| {
            operation.kind.writes() && operation.written.is_none()
        });
        let is_clear = |answers: &[bool]| answers.iter().all(|answer| *answer == answers[0]);
        Expected {
            consistent: split.iter().all(|allowed| *allowed),
            violation: whole.iter().all(|allowed| !allowed),
            undecided: hides || !is_clear(&whole) || !is_clear(&split),
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
