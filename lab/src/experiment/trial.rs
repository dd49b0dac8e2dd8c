//! Runs algorithms on a history, and makes the rows of their answers.

use std::time::{Duration, Instant};

use check::kernel::{NoKernel, kernel};
use check::{Algorithm, Bounds, Model, Options, Outcome, Reason, Verdict, decide};
use history::{History, ReadsFrom};
use papers::kernel::{conflicting, criteria, derived};
use tables::{Reported, Trial};

use super::point::Task;
use super::program::{Program, RunError};

/// The limits of an algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Wall time.
    pub timeout: Duration,
    /// Memory that the process may occupy, in bytes.
    pub memory: u64,
}

impl Limits {
    /// Bounds that begin now.
    pub fn bounds(&self) -> Bounds {
        Bounds::new(Some(self.timeout), Some(self.memory))
    }

    /// Turns a row that exceeds the time limit into a timeout, whatever its answer, because some algorithms look at the clock seldom.
    fn enforce(&self, row: Trial) -> Trial {
        let limit = self.timeout.as_secs_f64();
        if row.seconds > limit {
            Trial {
                said: Reported::Timeout,
                reason: Some("time limit".to_owned()),
                seconds: limit,
                ..row
            }
        } else {
            row
        }
    }
}

/// A history with the source of each of its reads.
#[derive(Clone, Copy)]
pub(super) struct Instance<'a> {
    /// The history itself.
    pub history: &'a History,
    /// The source of each read.
    pub reads_from: &'a ReadsFrom,
}

impl Instance<'_> {
    /// Does a task. `row` has the columns about the history. The algorithms of the returned rows are those in [`names`].
    pub(super) fn run(&self, task: Task, limits: &Limits, row: &Trial) -> Vec<Trial> {
        let rows = match task {
            Task::Decide(model, algorithm) => vec![self.decide(model, algorithm, limits, row)],
            Task::Kernel(model) => self.kernel(model, limits, row),
            // Only programs are explored, which are not histories.
            Task::Explore(_) => Vec::new(),
        };
        rows.into_iter().map(|row| limits.enforce(row)).collect()
    }

    fn decide(&self, model: Model, algorithm: Algorithm, limits: &Limits, row: &Trial) -> Trial {
        let options = Options {
            algorithm,
            timeout: Some(limits.timeout),
            max_memory: Some(limits.memory),
            ..Options::default()
        };
        let start = Instant::now();
        let outcome = decide(self.history, self.reads_from, model, &options, &limits.bounds());
        let seconds = start.elapsed().as_secs_f64();
        let row = about(row, model, algorithm.name(), seconds);
        filled(row, &outcome)
    }

    /// Computes the kernel, and how many of its pairs weaker criteria order.
    fn kernel(&self, model: Model, limits: &Limits, row: &Trial) -> Vec<Trial> {
        let start = Instant::now();
        let found = kernel(self.history, self.reads_from, model, &limits.bounds());
        let seconds = start.elapsed().as_secs_f64();
        let whole = about(row, model, KERNEL, seconds);
        let found = match found {
            Ok(found) => found,
            Err(NoKernel::Inconsistent) => {
                return vec![Trial { said: Reported::Violation, ..whole }];
            }
            Err(NoKernel::Undecided(reason)) => return vec![undecided(whole, &reason)],
        };
        let pairs = found.pairs.len() as u64;
        let mut rows = vec![Trial {
            said: Reported::Consistent,
            kernel: Some(pairs),
            ordered: Some(pairs),
            conflicts: Some(found.sat.learned),
            ..whole
        }];
        for &criterion in criteria(model) {
            // These algorithms order the same pairs themselves, so the row has their time.
            let said = if [papers::WSC, papers::WTSO].contains(&criterion) {
                self.decide(model, criterion, limits, row)
            } else {
                counted(row, model, criterion.name(), limits, |bounds| {
                    derived(self.history, self.reads_from, criterion, &found, bounds)
                })
            };
            rows.push(Trial { kernel: Some(pairs), ..said });
        }
        if model == Model::SC {
            let conflicts = counted(row, model, CONFLICTS, limits, |bounds| {
                conflicting(self.history, self.reads_from, bounds)
            });
            rows.push(Trial { kernel: Some(pairs), ..conflicts });
        }
        rows
    }

    /// Runs an external checker.
    ///
    /// # Errors
    /// Fails if the checker cannot be run.
    pub(super) fn run_program(
        &self,
        program: &Program,
        model: Model,
        limits: &Limits,
        row: &Trial,
    ) -> Result<Trial, RunError> {
        let (said, reason, seconds) = program.run(self.history, model, limits.timeout)?;
        let row = Trial { said, reason, ..about(row, model, &program.name, seconds) };
        Ok(limits.enforce(row))
    }
}

/// The algorithm's name in rows about kernels.
pub(super) const KERNEL: &str = "kernel";

/// The algorithm's name in rows that count conflicts only.
pub(super) const CONFLICTS: &str = "cf";

/// The algorithms' names in the rows of a task.
pub(super) fn names(task: Task) -> Vec<&'static str> {
    match task {
        Task::Decide(_, algorithm) => vec![algorithm.name()],
        Task::Explore(None) => vec!["explore"],
        Task::Explore(Some(model)) if model.buffers_by_location() => vec!["monitor-pso"],
        Task::Explore(Some(_)) => vec!["monitor-tso"],
        Task::Kernel(model) => {
            let criteria = criteria(model).iter().map(|one| one.name());
            let conflicts = (model == Model::SC).then_some(CONFLICTS);
            std::iter::once(KERNEL).chain(criteria).chain(conflicts).collect()
        }
    }
}

fn about(row: &Trial, model: Model, algorithm: &str, seconds: f64) -> Trial {
    Trial {
        model: model.name().to_owned(),
        algorithm: algorithm.to_owned(),
        seconds,
        ..row.clone()
    }
}

/// The row of a function that counts the pairs of writes it orders. The function returns none if it reached a limit.
fn counted(
    row: &Trial,
    model: Model,
    name: &str,
    limits: &Limits,
    count: impl FnOnce(&Bounds) -> Option<u64>,
) -> Trial {
    let start = Instant::now();
    let bounds = limits.bounds();
    let ordered = count(&bounds);
    let row = about(row, model, name, start.elapsed().as_secs_f64());
    match ordered {
        Some(_) => Trial { said: Reported::Satisfied, ordered, ..row },
        None => undecided(row, &Reason::exceeded(&bounds)),
    }
}

fn undecided(row: Trial, reason: &Reason) -> Trial {
    let said = match reason {
        Reason::Timeout | Reason::Cancelled => Reported::Timeout,
        Reason::Memory | Reason::Lemmas => Reported::Memory,
        _ => Reported::Undecided,
    };
    let cycle = match reason {
        Reason::NoWitness(cycle) => Some(cycle.k() as u32),
        _ => None,
    };
    Trial { said, reason: Some(reason.brief().to_owned()), cycle, ..row }
}

fn filled(row: Trial, outcome: &Outcome) -> Trial {
    let statistics = &outcome.statistics;
    let row = Trial {
        edges: statistics.edges as u64,
        backtracks: statistics.backtracks,
        depth: statistics.depth,
        nodes: statistics.nodes,
        ordered: statistics.ordered,
        conflicts: statistics.sat.map(|sat| sat.learned),
        fired: statistics.fired.map(|one| one.name().to_owned()),
        ..row
    };
    let said = match &outcome.verdict {
        Verdict::Consistent(_) => Reported::Consistent,
        Verdict::Violation(_) | Verdict::Unproved | Verdict::CriterionViolation(_) => {
            Reported::Violation
        }
        Verdict::Satisfied => Reported::Satisfied,
        Verdict::Undecided(reason) => return undecided(row, reason),
    };
    Trial { said, ..row }
}
