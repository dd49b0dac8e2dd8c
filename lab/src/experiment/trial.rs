//! Runs algorithms on a history, and makes the rows of their answers.

use std::time::Duration;

use check::kernel::{NoKernel, kernel};
use check::{Algorithm, Bounds, Model, Options, Outcome, Reason, Verdict, decide};
use history::{History, ReadsFrom};
use host::processor::ProcessorClock;
use papers::kernel::{conflicting, criteria, derived};
use tables::{Reported, Trial};

use super::point::{Task, Unaided};
use super::program::{Program, RunError};
use super::watch::{Spent, Watch};

/// The limits of an algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Processor time.
    pub timeout: Duration,
    /// Memory that the process may occupy, in bytes.
    pub memory: u64,
    /// The clock of the processor time.
    clock: ProcessorClock,
}

impl Limits {
    /// Limits of processor time and of memory in bytes.
    pub fn new(timeout: Duration, memory: u64) -> Limits {
        Limits { timeout, memory, clock: ProcessorClock::Thread }
    }

    /// The limits if so many histories are checked at a time. With one, the time is that of all threads of the process. With several it
    /// is that of one thread each; algorithms start a second one for histories with more than 32,768 events, which is not counted then.
    pub(super) fn for_jobs(self, jobs: usize) -> Limits {
        let clock = if jobs == 1 { ProcessorClock::Process } else { ProcessorClock::Thread };
        Limits { clock, ..self }
    }

    /// A watch of the processor time.
    pub(super) fn watch(&self) -> Watch {
        Watch::start(self.clock)
    }

    /// Bounds that begin now.
    pub fn bounds(&self) -> Bounds {
        Bounds::of_processor(self.clock, self.timeout, Some(self.memory))
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
            Task::WithoutBaseline(unaided) => vec![self.unaided(unaided, limits, row)],
            Task::Kernel(model) => self.kernel(model, limits, row),
            // Only programs and systems are explored, which are not histories.
            Task::Explore(_) | Task::ExploreSober | Task::NiceCycles => Vec::new(),
        };
        rows.into_iter().map(|row| limits.enforce(row)).collect()
    }

    fn decide(&self, model: Model, algorithm: Algorithm, limits: &Limits, row: &Trial) -> Trial {
        let options = Options { algorithm, ..Options::default() };
        self.measured(model, algorithm.name(), options, limits, row)
    }

    /// Decides without the inference before the sort.
    fn unaided(&self, unaided: Unaided, limits: &Limits, row: &Trial) -> Trial {
        let algorithm = unaided.algorithm();
        let options = Options { algorithm, no_baseline: true, ..Options::default() };
        self.measured(Model::TSO, unaided.name(), options, limits, row)
    }

    fn measured(
        &self,
        model: Model,
        name: &str,
        options: Options,
        limits: &Limits,
        row: &Trial,
    ) -> Trial {
        let options =
            Options { timeout: Some(limits.timeout), max_memory: Some(limits.memory), ..options };
        let watch = limits.watch();
        let outcome = decide(self.history, self.reads_from, model, &options, &limits.bounds());
        let row = about(row, model, name, watch.spent());
        filled(row, &outcome)
    }

    /// Computes the kernel, and how many of its pairs weaker criteria order.
    fn kernel(&self, model: Model, limits: &Limits, row: &Trial) -> Vec<Trial> {
        let watch = limits.watch();
        let found = kernel(self.history, self.reads_from, model, &limits.bounds());
        let whole = about(row, model, KERNEL, watch.spent());
        let found = match found {
            Ok(found) => found,
            Err(NoKernel::Inconsistent) => {
                return vec![Trial { said: Reported::Violation, ..whole }];
            }
            Err(NoKernel::Undecided(reason)) => return vec![undecided(whole, &reason)],
        };
        let pairs = found.order.len();
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
        let (said, reason, spent) = program.run(self.history, model, limits.timeout)?;
        let row = Trial { said, reason, ..about(row, model, &program.name, spent) };
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
        Task::WithoutBaseline(unaided) => vec![unaided.name()],
        Task::Explore(None) => vec!["explore"],
        Task::ExploreSober => vec!["monitor-sober"],
        Task::NiceCycles => vec!["nice-cycles"],
        Task::Explore(Some(model)) if model.buffers_by_location() => vec!["monitor-pso"],
        Task::Explore(Some(_)) => vec!["monitor-tso"],
        Task::Kernel(model) => {
            let criteria = criteria(model).iter().map(|one| one.name());
            let conflicts = (model == Model::SC).then_some(CONFLICTS);
            std::iter::once(KERNEL).chain(criteria).chain(conflicts).collect()
        }
    }
}

fn about(row: &Trial, model: Model, algorithm: &str, spent: Spent) -> Trial {
    Trial {
        model: model.name().to_owned(),
        algorithm: algorithm.to_owned(),
        seconds: spent.processor.as_secs_f64(),
        wall_seconds: Some(spent.wall.as_secs_f64()),
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
    let watch = limits.watch();
    let bounds = limits.bounds();
    let ordered = count(&bounds);
    let row = about(row, model, name, watch.spent());
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
