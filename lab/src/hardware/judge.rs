//! Decides the outcomes of a program under several models, on all cores, and verifies the certificates.

use std::sync::atomic::{AtomicBool, Ordering};

use check::{Model, Question, Verdict};
use history::{Ambiguity, History, ReadsFrom};
use ingest::recorded::Outcomes;
use rayon::prelude::*;

use super::row::{Found, ProgramRow, Tally};
use crate::certify::certify;
use crate::error::Error;

/// The answers about an outcome.
struct Answers {
    /// By model, whether the outcome is consistent; `None` if that is not decided.
    is_consistent: Vec<Option<bool>>,
    certificates: u64,
}

/// Decides the outcomes, all or `until_violation`. The last model is what the machine should keep. `stop` ends that early. The outcomes that
/// are not decided count as undecided if a violation was found, and otherwise `None` is returned.
///
/// # Errors
/// Fails if a certificate does not prove its verdict.
pub(super) fn decide(
    outcomes: &Outcomes,
    models: &[Model],
    options: &check::Options,
    seed: u64,
    until_violation: bool,
    stop: &AtomicBool,
) -> Result<Option<ProgramRow>, Error> {
    let count = outcomes.iter().len();
    let is_enough = AtomicBool::new(false);
    let answers: Vec<Answers> = (0..count)
        .into_par_iter()
        .map(|number| {
            if stop.load(Ordering::SeqCst) || is_enough.load(Ordering::SeqCst) {
                return Ok(Answers::none(models));
            }
            let history = outcomes.get(number).and_then(|outcome| outcomes.history(&outcome));
            let Some(history) = history else { return Ok(Answers::none(models)) };
            let answers = answer(&history, models, options)?;
            if until_violation && answers.is_consistent.last() == Some(&Some(false)) {
                is_enough.store(true, Ordering::SeqCst);
            }
            Ok(answers)
        })
        .collect::<Result<_, Error>>()?;
    let mut verdicts: Vec<Tally> = models.iter().map(|&model| Tally::new(model)).collect();
    let mut found = Vec::new();
    for (number, (outcome, answers)) in outcomes.iter().zip(&answers).enumerate() {
        for (tally, is_consistent) in verdicts.iter_mut().zip(&answers.is_consistent) {
            match is_consistent {
                Some(true) => tally.consistent += outcome.count,
                Some(false) => {
                    tally.violation += outcome.count;
                    tally.outcomes += 1;
                }
                None => tally.undecided += outcome.count,
            }
        }
        if let (Some(Some(false)), Some(model)) = (answers.is_consistent.last(), models.last()) {
            let (run, runs) = (outcome.first, outcome.count);
            found.push(Found { model: model.name().to_owned(), outcome: number, run, runs });
        }
    }
    if stop.load(Ordering::SeqCst) && found.is_empty() {
        return Ok(None);
    }
    let timing = outcomes.timing().unwrap_or_default();
    Ok(Some(ProgramRow {
        seed,
        runs: outcomes.rounds(),
        operations: outcomes.program().operations() as u64,
        outcomes: count as u64,
        nanoseconds: timing.nanoseconds,
        spread: timing.spread,
        compiling: 0.0,
        deciding: 0.0,
        verdicts,
        certificates: answers.iter().map(|it| it.certificates).sum(),
        found,
    }))
}

impl Answers {
    fn none(models: &[Model]) -> Answers {
        Answers { is_consistent: vec![None; models.len()], certificates: 0 }
    }
}

/// Asks about a history under each model, and verifies the certificates. A history that a model allows is also one of weaker models.
fn answer(history: &History, models: &[Model], options: &check::Options) -> Result<Answers, Error> {
    let mut answers = Answers { is_consistent: Vec::new(), certificates: 0 };
    let mut allowed: Vec<Model> = Vec::new();
    let reads_from = ReadsFrom::derive(history, Ambiguity::RefuseShared).map_err(Box::new)?;
    for &model in models {
        if allowed.iter().any(|&stronger| follows(model, stronger)) {
            answers.is_consistent.push(Some(true));
            continue;
        }
        let answer = Question::new(model, options).ask(history, &reads_from);
        let command = history.name.clone().unwrap_or_default();
        let is_certified =
            certify(&answer).map_err(|error| Error::Certificate { command, error })?;
        answers.certificates += u64::from(is_certified);
        answers.is_consistent.push(match answer.verdict() {
            Verdict::Consistent(_) => {
                allowed.push(model);
                Some(true)
            }
            Verdict::Violation(_) => Some(false),
            _ => None,
        });
    }
    Ok(answers)
}

/// Whether a history that satisfies `stronger` satisfies `model`. Nothing is concluded for weak models, whose certificates are
/// memory orders, not runs.
fn follows(model: Model, stronger: Model) -> bool {
    !model.is_weak() && !stronger.is_weak() && model.includes(stronger)
}
