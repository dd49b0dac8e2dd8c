//! Runs random programs on real machines, and decides what they recorded: [`Series`].
//!
//! Each program has a seed, is compiled, and runs many times; a run begins with memory that is 0. Runs with the same outcome are decided
//! once. A program is run and decided before the next one is compiled, so that its threads have the processors to themselves. The row
//! of each program goes to a journal, by which an interrupted series is resumed.

mod judge;
mod row;
mod settings;
mod violation;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use check::Model;
use hardware::{Compiler, Plan, Runner};
use history::History;
use indexmap::IndexMap;
use ingest::recorded::Outcomes;

pub use row::{Found, ProgramRow, Tally};
pub use violation::Violation;

use crate::error::Error;
use crate::journal::Journal;
use crate::observer::{Observer, Stage};
use settings::Settings;

/// How the runs of a series are bounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// The number of runs of a program.
    pub runs_each: u32,
    /// The number of runs of all programs; `None` if time bounds the series.
    pub runs: Option<u64>,
    /// The time after which no further program begins.
    pub time: Option<Duration>,
    /// Whether the series ends with the first program that shows a violation.
    pub until_violation: bool,
}

/// A series of random programs on a machine.
#[derive(Clone, Debug)]
pub struct Series {
    /// The programs.
    pub plan: Plan,
    /// What compiles them.
    pub compiler: Compiler,
    /// What runs them.
    pub runner: Runner,
    /// The seed of the first program; those of the others follow.
    pub seed: u64,
    /// The models that are asked about, stronger ones first. The last one is what the machine should keep.
    pub models: Vec<Model>,
    /// How outcomes are decided.
    pub check: check::Options,
    /// How many programs and runs there are.
    pub extent: Extent,
    /// The command without its bounds: a series is resumed by the same command.
    pub command: String,
    /// The folder of the journal.
    pub folder: Option<PathBuf>,
}

/// The results of a series.
#[derive(Debug)]
pub struct Results {
    /// The programs, by seed.
    pub rows: Vec<ProgramRow>,
    /// The first violation of what the machine should keep.
    pub violation: Option<Violation>,
    /// Why the series ended before its bounds, if it did.
    pub stopped: Option<Stopped>,
}

/// Why a series ended before its bounds.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// A program could not be made or run. The seed is that of the program.
    #[error("seed {0}: {1}")]
    Program(u64, hardware::Error),
    /// What a program printed is no record.
    #[error("seed {0}: {1}")]
    Record(u64, ingest::Error),
    /// The user asked for it.
    #[error("interrupted")]
    Asked,
}

/// The file of the rows in the folder of a series.
pub const JOURNAL: &str = "programs.jsonl";

/// The advice of messages about a damaged record.
const RECORD_ADVICE: &str =
    "the command that runs programs must pass on all that they print, and nothing else";

impl Series {
    /// Runs the series. `stop` ends it early; what was decided before is kept.
    ///
    /// # Errors
    /// Fails if the journal cannot be read or written or is that of another series, if no program of the plan can be written, and if
    /// a certificate does not prove its verdict, which is a defect of rubric. A program that cannot be compiled or run ends the series
    /// without an error, see [`Results::stopped`].
    pub fn run(&self, observer: &dyn Observer, stop: &AtomicBool) -> Result<Results, Error> {
        let (journal, mut known) = self.open()?;
        let mut results = Results { rows: Vec::new(), violation: None, stopped: None };
        let begin = Instant::now();
        observer.begin(Stage::Runs);
        observer.total(self.extent.runs.unwrap_or(0));
        let mut runs = 0;
        for seed in self.seed.. {
            if self.is_done(runs, begin, &results.rows) {
                break;
            }
            if stop.load(Ordering::SeqCst) {
                results.stopped = Some(Stopped::Asked);
                break;
            }
            let is_first = results.violation.is_none();
            let row = match known.swap_remove(&seed) {
                Some(row) => {
                    let of_row = is_first.then(|| self.known_violation(&row)).flatten();
                    results.violation = results.violation.or(of_row);
                    row
                }
                None => match self.program(seed, stop)? {
                    Ok((row, history)) => {
                        if is_first {
                            self.keep(seed, history.as_ref())?;
                            results.violation = Violation::of(&row, &self.models, history);
                        }
                        journal.as_ref().map_or(Ok(()), |journal| journal.add(&row))?;
                        row
                    }
                    Err(stopped) => {
                        results.stopped = Some(stopped);
                        break;
                    }
                },
            };
            runs += row.runs;
            (0..row.runs).for_each(|_| observer.advance());
            results.rows.push(row);
        }
        observer.end();
        Ok(results)
    }

    fn is_done(&self, runs: u64, begin: Instant, rows: &[ProgramRow]) -> bool {
        let has_violation = || rows.last().is_some_and(|row| !row.found.is_empty());
        self.extent.runs.is_some_and(|wanted| runs >= wanted)
            || self.extent.time.is_some_and(|time| begin.elapsed() >= time)
            || (self.extent.until_violation && has_violation())
    }

    /// The journal, and the rows that it has.
    fn open(&self) -> Result<(Option<Journal>, IndexMap<u64, ProgramRow>), Error> {
        let Some(folder) = &self.folder else { return Ok((None, IndexMap::new())) };
        std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
        let path = folder.join(JOURNAL);
        let (journal, lines) = Journal::open(&path)?;
        Settings::of(self).check(&journal, &lines, &path)?;
        let rows = lines.rows(1)?;
        Ok((Some(journal), rows))
    }

    /// The program of a seed in C.
    ///
    /// # Errors
    /// Fails if a record cannot express the program.
    pub fn source(&self, seed: u64) -> Result<String, Error> {
        let name = format!("{} --seed {seed}", self.command);
        self.plan.source(seed, &name).map_err(Error::Inexpressible)
    }

    /// The violation that a row of the journal shows.
    fn known_violation(&self, row: &ProgramRow) -> Option<Violation> {
        let history = self.outcome_file(row.seed).filter(|_| !row.found.is_empty());
        Violation::of(row, &self.models, history.and_then(|file| violation::kept(&file)))
    }

    /// Writes the outcome that violates what the machine should keep to the folder.
    fn keep(&self, seed: u64, history: Option<&History>) -> Result<(), Error> {
        match (self.outcome_file(seed), history) {
            (Some(file), Some(history)) => violation::keep(&file, history),
            _ => Ok(()),
        }
    }

    /// Makes, runs and decides a program. Returns its row, and its first outcome that violates what the machine should keep.
    fn program(
        &self,
        seed: u64,
        stop: &AtomicBool,
    ) -> Result<Result<(ProgramRow, Option<History>), Stopped>, Error> {
        let source = self.source(seed)?;
        let failed = |error| {
            Ok(Err(match error {
                hardware::Error::Interrupted => Stopped::Asked,
                error => Stopped::Program(seed, error),
            }))
        };
        let compiled = Instant::now();
        let executable = match self.compiler.compile(&source, self.runner.is_elsewhere(), stop) {
            Ok(executable) => executable,
            Err(error) => return failed(error),
        };
        let compiling = compiled.elapsed();
        let runs = u64::from(self.extent.runs_each);
        let record = match self.runner.run(&executable, runs, seed, stop) {
            Ok(record) => record,
            Err(error) => return failed(error),
        };
        drop(executable);
        let decided = Instant::now();
        let file = format!("the record of seed {seed}");
        let outcomes = match Outcomes::of(&record, &file, RECORD_ADVICE) {
            Ok(outcomes) => outcomes,
            Err(error) => return Ok(Err(Stopped::Record(seed, error))),
        };
        drop(record);
        let row = judge::decide(
            &outcomes,
            &self.models,
            &self.check,
            seed,
            self.extent.until_violation,
            stop,
        )?;
        let Some(mut row) = row else { return Ok(Err(Stopped::Asked)) };
        row.compiling = compiling.as_secs_f64();
        row.deciding = decided.elapsed().as_secs_f64();
        let first = row.found.first().and_then(|found| outcomes.get(found.outcome));
        let history = first.and_then(|outcome| outcomes.history(&outcome));
        Ok(Ok((row, history)))
    }
}
