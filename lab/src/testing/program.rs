//! One random program on one kind of core: from its lineage to what is wrong, if anything is.

use std::sync::atomic::{AtomicU32, Ordering};

use check::{Verdict, check};
use history::{Ambiguity, History, ReadsFrom};
use memory::{Model, models};
use simulate::client::Client;
use simulate::recipe::{Lineage, Recipe};
use simulate::simulation::{Run, Simulation};
use simulate::system::{Fault, FaultKind, Reached, Warning};
use slicc::mutant::repair::Repaired;
use slicc::protocol::Protocol;
use slicc::setting::Setting;

use super::finding::{Cores, FindingKind, Signature, Source, Weakness};
use super::{Extent, Options};
use crate::certify::certify;
use crate::error::Error;
use crate::protocols::{Opened, Repairs, plan};
use crate::text::{quoted, tame, written_at};

/// Cycles after which an unanswered request is first suspected of a deadlock. gem5 waits for 500,000, most of which is spent on polling;
/// a suspicion is confirmed by a second run with gem5's own limit.
const SUSPICIOUS: u64 = 50_000;

/// The number of deadlocks after which suspicions are taken for granted when time is limited: a protocol that deadlocks often would
/// spend most of it on confirming them.
const CONFIRMED: u32 = 4;

/// The protocol as it is and as the repairs make it, with what all runs have in common.
pub(crate) struct Bench<'a> {
    pub opened: &'a Opened,
    pub repaired: &'a Repaired,
    settings: &'a [Setting],
    checking: check::Options,
    /// How many more deadlocks of the protocol as it is must be confirmed before suspicions are taken for granted.
    confirmations: AtomicU32,
}

/// A run of a program on the protocol as it is, and, if something went wrong, on the repaired one.
pub(super) struct Ran {
    pub client: Client,
    pub lineage: Lineage,
    pub operations: usize,
    pub reached: Vec<Reached>,
    /// What went wrong.
    pub problems: Vec<Problem>,
    /// What went wrong on the repaired protocol; nothing if there are no repairs or nothing to repair.
    pub left: Vec<Problem>,
}

/// What went wrong in a run.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub signature: Signature,
    pub message: String,
    pub source: Option<Source>,
    /// The last transitions and messages for the line that it is about.
    pub recent: Vec<String>,
}

/// The result of one simulation.
pub(super) struct Simulated {
    pub run: Run,
    pub problems: Vec<Problem>,
    pub operations: usize,
}

impl<'a> Bench<'a> {
    /// Makes sure that a system can be built of the protocol, so that an error comes before anything runs.
    pub fn new(
        opened: &'a Opened,
        repaired: &'a Repaired,
        options: &'a Options,
    ) -> Result<Bench<'a>, Error> {
        let timeout = match options.extent {
            Extent::Runs(_) => crate::campaign::TIMEOUT,
            Extent::Time(time) => crate::campaign::TIMEOUT.min(time),
        };
        let bench = Bench {
            opened,
            repaired,
            settings: &options.settings,
            checking: check::Options {
                timeout: Some(timeout),
                max_memory: Some(options.max_memory),
                ..check::Options::default()
            },
            confirmations: AtomicU32::new(match options.extent {
                Extent::Runs(_) => u32::MAX,
                Extent::Time(_) => CONFIRMED,
            }),
        };
        let first = Lineage::root(options.seed);
        opened.plan(&bench.simulation(&opened.protocol, Client::IN_ORDER, &first))?;
        Ok(bench)
    }

    /// Runs a program on the protocol, and if that goes wrong on the repaired one.
    ///
    /// # Errors
    /// The system cannot be built, or a certificate is wrong.
    pub fn run(&self, client: Client, lineage: &Lineage) -> Result<Ran, Error> {
        let simulated = self.simulate(&self.opened.protocol, client, lineage)?;
        let left = if simulated.problems.is_empty() || self.repaired.applied.is_empty() {
            Vec::new()
        } else {
            self.simulate(&self.repaired.protocol, client, lineage)?.problems
        };
        Ok(Ran {
            client,
            lineage: lineage.clone(),
            operations: simulated.operations,
            reached: simulated.run.reached(),
            problems: simulated.problems,
            left,
        })
    }

    /// Runs a program on a protocol.
    ///
    /// # Errors
    /// As [`Bench::run`].
    pub fn simulate(
        &self,
        protocol: &Protocol,
        client: Client,
        lineage: &Lineage,
    ) -> Result<Simulated, Error> {
        let mut simulation = self.simulation(protocol, client, lineage);
        simulation.deadlock_threshold = Some(SUSPICIOUS);
        let mut run = self.run_once(protocol, &simulation)?;
        let is_deadlock =
            |run: &Run| run.fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::Deadlock);
        let is_original = std::ptr::eq(protocol, &self.opened.protocol);
        let is_taken_for_granted = is_original && self.confirmations.load(Ordering::Relaxed) == 0;
        if is_deadlock(&run) && !is_taken_for_granted {
            simulation.deadlock_threshold = None;
            run = self.run_once(protocol, &simulation)?;
            if is_original && is_deadlock(&run) {
                self.confirm();
            }
        }
        let history = run.history().map_err(Error::run(&self.opened.given))?;
        let mut problems: Vec<Problem> = Vec::new();
        match &run.fault {
            Some(fault) => problems.push(of_fault(fault, protocol)),
            None => problems.extend(self.violation(client, &history)?),
        }
        problems.extend(run.warnings.iter().map(|warning| of_warning(warning, protocol)));
        Ok(Simulated { operations: history.operations(), run, problems })
    }

    /// Counts a confirmed deadlock of the protocol as it is.
    fn confirm(&self) {
        let less = |left: u32| left.checked_sub(1);
        // It stays 0 when it is 0.
        let _ = self.confirmations.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    fn run_once(&self, protocol: &Protocol, simulation: &Simulation) -> Result<Run, Error> {
        let plan = plan(protocol, &self.opened.given, simulation)?;
        simulation.run(protocol, &plan, None).map_err(Error::run(&self.opened.given))
    }

    fn simulation(&self, protocol: &Protocol, client: Client, lineage: &Lineage) -> Simulation {
        let mut simulation = Recipe::of(lineage).simulation(protocol, client);
        simulation.options.settings.extend(self.settings.iter().cloned());
        simulation
    }

    /// The violation of what a core guarantees, if the history has one: of the weakest model that it violates.
    fn violation(&self, client: Client, history: &History) -> Result<Option<Problem>, Error> {
        let mut weakest: Option<Model> = None;
        for model in guaranteed(client) {
            if self.violates(history, model)?.is_none() {
                break;
            }
            weakest = Some(model);
        }
        Ok(weakest.map(|model| {
            let kind = FindingKind::Violation(Weakness(model), Cores::of(client));
            Problem {
                message: format!(
                    "{client} cores guarantee {}; the run violates {model}",
                    client.model()
                ),
                signature: Signature { kind, place: String::new() },
                source: None,
                recent: Vec::new(),
            }
        }))
    }

    /// The proof that a history violates a model, if it does.
    ///
    /// # Errors
    /// A certificate is wrong.
    pub fn violates(
        &self,
        history: &History,
        model: Model,
    ) -> Result<Option<check::engine::proof::Violation>, Error> {
        let history = model.prepare(history);
        let reads_from = ReadsFrom::derive(&history, Ambiguity::RefuseShared);
        let reads_from = reads_from.map_err(Error::run(&self.opened.given))?;
        let verdict = check(&history, &reads_from, model, &self.checking).verdict;
        certify(&history, model, &verdict).map_err(|error| Error::Certificate {
            command: format!("rubric test {}", quoted(&self.opened.given)),
            error,
        })?;
        Ok(match verdict {
            Verdict::Violation(violation) => Some(violation),
            _ => None,
        })
    }

    /// The command that reproduces a run, with some repairs.
    pub fn command(&self, client: Client, lineage: &Lineage, repairs: &Repairs) -> String {
        let repair = match repairs {
            Repairs::None => String::new(),
            repairs => format!(" --repair {repairs}"),
        };
        let settings = self.settings.iter();
        let settings = settings.map(|one| format!(" --set {}", quoted(&one.to_string())));
        format!(
            "rubric simulate {}{repair} --client {client} --recipe {lineage}{} --check",
            quoted(&self.opened.given),
            settings.collect::<String>()
        )
    }
}

/// The model that a core guarantees, and those of SC, TSO and PSO that are weaker, the strongest first.
pub(super) fn guaranteed(client: Client) -> Vec<Model> {
    let strongest = client.model();
    let mut weaker: Vec<Model> = models::ALL
        .iter()
        .copied()
        .filter(|model| model.includes(strongest) && (*model == strongest || model.is_usual()))
        .collect();
    weaker.sort_by_key(|&model| std::cmp::Reverse(Weakness(model)));
    weaker
}

/// A fault as a problem.
pub(super) fn of_fault(fault: &Fault, protocol: &Protocol) -> Problem {
    let kind = FindingKind::of_fault(fault.kind);
    let source = source(fault.span, protocol);
    let place = match kind {
        FindingKind::UndefinedTransition => entry(fault).unwrap_or_default(),
        FindingKind::Deadlock => String::new(),
        _ => place(source.as_ref()),
    };
    Problem {
        signature: Signature { kind, place },
        message: tame(&fault.message),
        source,
        recent: fault.recent.iter().map(|line| tame(line)).collect(),
    }
}

/// A warning as a problem.
pub(super) fn of_warning(warning: &Warning, protocol: &Protocol) -> Problem {
    let source = source(warning.span, protocol);
    let about = place(source.as_ref());
    Problem {
        signature: Signature {
            kind: FindingKind::Warning,
            place: format!("{}: {about}", warning.summary),
        },
        message: tame(&warning.message),
        source,
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

/// `Directory (SS_m, PutSLast)`, from the message of an undefined transition.
fn entry(fault: &Fault) -> Option<String> {
    let controller = fault.controller.as_deref()?;
    let machine = controller.rsplit_once(' ').map_or(controller, |(machine, _)| machine);
    let word = |key: &str| fault.message.split_once(key)?.1.split_ascii_whitespace().next();
    Some(format!("{machine} ({}, {})", word(" state: ")?, word(" event: ")?))
}
