//! Determines the problems of a run: a fault, a violation of the model that its cores guarantee, or errors that gem5 accepts.

use std::time::Instant;

use check::Answer;
use explore::protocol::{Finding, Violation};
use history::History;
use memory::{Model, models};
use simulate::client::Client;
use simulate::simulation::{Run, Simulation};
use simulate::system::{Fault, FaultKind, Warning};
use slicc::protocol::Protocol;

use super::deadlines::within;
use super::finding::{Cores, FindingKind, Signature, Source, Weakness};
use crate::certify::certified;
use crate::error::Error;
use crate::protocols::{plan, words_of};
use crate::text::{tame, written_at};

/// Cycles after which an unanswered request is first suspected of a deadlock. gem5 waits for 500,000, most of which is spent on polling;
/// a suspicion is confirmed by a second run with the threshold of the simulation.
const SUSPICIOUS: u64 = 50_000;

/// Runs simulations and determines their problems.
pub(super) struct Judge<'a> {
    /// The protocol's name in errors.
    pub given: &'a str,
    /// The options with which histories are checked.
    pub checking: check::Options,
}

/// A problem that a run shows.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub signature: Signature,
    pub message: String,
    pub source: Option<Source>,
    /// The last transitions and messages for the cache line that the problem is about.
    pub recent: Vec<String>,
}

/// The treatment of a run in which a request was not answered for [`SUSPICIOUS`] cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Suspicion {
    /// The run is repeated with the deadlock threshold of the simulation.
    Confirmed,
    /// The run counts as a deadlock.
    Granted,
}

/// The result of one simulation.
pub(super) struct Simulated {
    pub run: Run,
    /// The problems of the run; empty if it was given up.
    pub problems: Vec<Problem>,
    /// The operations of the run; 0 if it was given up.
    pub operations: usize,
}

impl Simulated {
    /// Whether the run completed without the given problem, and with no other problems than warnings.
    pub(super) fn is_free_of(&self, signature: &Signature) -> bool {
        !self.run.is_given_up
            && self.problems.iter().all(|one| {
                one.signature.kind == FindingKind::Warning && one.signature != *signature
            })
    }

    /// Whether the run shows a problem.
    pub(super) fn shows(&self, signature: &Signature) -> bool {
        self.problems.iter().any(|one| one.signature == *signature)
    }
}

impl Judge<'_> {
    /// Runs a simulation on a protocol, and gives it up at a deadline.
    ///
    /// # Errors
    /// Fails if the system cannot be built, or if a certificate is wrong.
    pub(super) fn simulate(
        &self,
        protocol: &Protocol,
        simulation: &Simulation,
        suspicion: Suspicion,
        deadline: Option<Instant>,
    ) -> Result<Simulated, Error> {
        let threshold = simulation.deadlock_threshold.unwrap_or(u64::MAX).min(SUSPICIOUS);
        let impatient = Simulation { deadlock_threshold: Some(threshold), ..simulation.clone() };
        let mut run = self.run(protocol, &impatient, deadline)?;
        let is_deadlock = run.fault.as_ref().is_some_and(|one| one.kind == FaultKind::Deadlock);
        if is_deadlock && suspicion == Suspicion::Confirmed {
            run = self.run(protocol, simulation, deadline)?;
        }
        if run.is_given_up {
            return Ok(Simulated { run, problems: Vec::new(), operations: 0 });
        }
        let history = run.history().map_err(Error::run(self.given))?;
        let mut problems: Vec<Problem> = Vec::new();
        match &run.fault {
            Some(fault) => problems.push(of_fault(fault, protocol)),
            None => problems.extend(self.violation(simulation.client, &history, deadline)?),
        }
        problems.extend(run.warnings.iter().map(|warning| of_warning(warning, protocol)));
        Ok(Simulated { operations: history.operations(), run, problems })
    }

    fn run(
        &self,
        protocol: &Protocol,
        simulation: &Simulation,
        deadline: Option<Instant>,
    ) -> Result<Run, Error> {
        let plan = plan(protocol, self.given, simulation)?;
        simulation.run_until(protocol, &plan, deadline).map_err(Error::run(self.given))
    }

    /// The violation of the weakest model that the cores guarantee and the history violates; none if it violates none.
    fn violation(
        &self,
        client: Client,
        history: &History,
        deadline: Option<Instant>,
    ) -> Result<Option<Problem>, Error> {
        let mut weakest: Option<Model> = None;
        for model in guaranteed(client) {
            if self.violates(history, model, deadline)?.is_none() {
                break;
            }
            weakest = Some(model);
        }
        Ok(weakest.map(|model| Problem {
            message: format!(
                "{client} cores guarantee {}; the run violates {model}",
                client.model()
            ),
            signature: Signature::of_violation(model, client),
            source: None,
            recent: Vec::new(),
        }))
    }

    /// The answer that a history violates a model; none if it does not, or if a limit or the deadline came first.
    ///
    /// # Errors
    /// Fails if a value is written twice, or if a certificate is wrong.
    pub(super) fn violates<'h>(
        &self,
        history: &'h History,
        model: Model,
        deadline: Option<Instant>,
    ) -> Result<Option<Answer<&'h History>>, Error> {
        let timeout = within(self.checking.timeout, deadline);
        let options = check::Options { timeout, ..self.checking.clone() };
        let command = || format!("rubric test {}", words_of(self.given));
        let (answer, _) = certified(history, model, &options, &command)?;
        Ok(answer.violation().is_some().then_some(answer))
    }
}

/// The model that a core guarantees, and those of SC, TSO and PSO that are weaker, the strongest first.
fn guaranteed(client: Client) -> Vec<Model> {
    let strongest = client.model();
    let mut weaker: Vec<Model> = models::ALL
        .iter()
        .copied()
        .filter(|model| model.includes(strongest) && (*model == strongest || model.is_usual()))
        .collect();
    weaker.sort_by_key(|&model| std::cmp::Reverse(Weakness(model)));
    weaker
}

impl Signature {
    /// The signature of a fault that ended a run.
    pub fn of_fault(fault: &Fault, protocol: &Protocol) -> Signature {
        let kind = FindingKind::of_fault(fault.kind);
        let place = match kind {
            FindingKind::UndefinedTransition => entry(fault).unwrap_or_default(),
            FindingKind::Deadlock => String::new(),
            _ => place(source(fault.span, protocol).as_ref()),
        };
        Signature { kind, place }
    }

    /// The signature of an error that gem5 accepts.
    pub fn of_warning(warning: &Warning, protocol: &Protocol) -> Signature {
        let about = place(source(warning.span, protocol).as_ref());
        Signature { kind: FindingKind::Warning, place: format!("{}: {about}", warning.summary) }
    }

    /// The signature of a violation on a kind of core. `weakest` is the weakest model that is violated.
    pub fn of_violation(weakest: Model, client: Client) -> Signature {
        let kind = FindingKind::Violation(Weakness(weakest), Cores::of(client));
        Signature { kind, place: String::new() }
    }

    /// The signature of runs on a kind of core that violate some models; none if the core guarantees none of these.
    pub fn of_violations(models: &[Model], client: Client) -> Option<Signature> {
        let guaranteed = guaranteed(client);
        let weakest = guaranteed.into_iter().rev().find(|model| models.contains(model))?;
        Some(Signature::of_violation(weakest, client))
    }
}

/// A fault as a problem.
pub(super) fn of_fault(fault: &Fault, protocol: &Protocol) -> Problem {
    Problem {
        signature: Signature::of_fault(fault, protocol),
        message: tame(&fault.message),
        source: source(fault.span, protocol),
        recent: fault.recent.iter().map(|line| tame(line)).collect(),
    }
}

/// A finding of an exploration or a walk as a problem.
pub(crate) fn of_violation(found: &Violation, protocol: &Protocol) -> Problem {
    if let (Finding::Fault, Some(fault)) = (&found.finding, &found.fault) {
        return of_fault(fault, protocol);
    }
    let kind = match found.finding {
        Finding::Fault => FindingKind::OtherFault,
        Finding::SwmrViolation { .. } => FindingKind::SwmrViolation,
        Finding::StaleValue { .. } => FindingKind::StaleValue,
        Finding::AtomicityViolation { .. } => FindingKind::AtomicityViolation,
        Finding::MissedInvalidation { .. } => FindingKind::MissedInvalidation,
        Finding::Deadlock { .. } => FindingKind::Deadlock,
        Finding::Livelock { .. } => FindingKind::Livelock,
    };
    Problem {
        signature: Signature { kind, place: String::new() },
        message: found.sentence(),
        source: None,
        recent: Vec::new(),
    }
}

/// A warning as a problem.
pub(super) fn of_warning(warning: &Warning, protocol: &Protocol) -> Problem {
    Problem {
        signature: Signature::of_warning(warning, protocol),
        message: tame(&warning.message),
        source: source(warning.span, protocol),
        recent: warning.recent.iter().map(|line| tame(line)).collect(),
    }
}

fn source(span: Option<slicc::source::Span>, protocol: &Protocol) -> Option<Source> {
    let (file, line, text) = written_at(span, protocol.sources())?;
    Some(Source { file: tame(&file), line, text: tame(&text) })
}

/// A place that stays the same when lines are added above it: the name of the file, and what is written there.
fn place(source: Option<&Source>) -> String {
    let file = |source: &Source| {
        let name = source.file.rsplit('/').next().unwrap_or(&source.file).to_owned();
        format!("{name}: {}", source.text)
    };
    source.map(file).unwrap_or_default()
}

/// The machine, state and event of an undefined transition, from the fault's message, such as `Directory (SS_m, PutSLast)`.
fn entry(fault: &Fault) -> Option<String> {
    let controller = fault.controller.as_deref()?;
    let machine = controller.rsplit_once(' ').map_or(controller, |(machine, _)| machine);
    let word = |key: &str| fault.message.split_once(key)?.1.split_ascii_whitespace().next();
    Some(format!("{machine} ({}, {})", word(" state: ")?, word(" event: ")?))
}
