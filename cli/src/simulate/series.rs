//! Many runs, on all cores.
//!
//! Each core takes the next run there is and sums up for itself; the sums are added at the end, so
//! what is printed does not depend on who ran what, but for the times.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{self, IsTerminal, Write};
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use check::Model;
use simulate::config::Plan;
use simulate::protocol::Protocol;
use simulate::simulation::Simulation;
use simulate::slicc::load::Loaded;

use super::protocols::{self, Opened};
use super::score::Score;
use super::{Args, Cell, fault, json, table, verdicts};
use crate::convert;
use crate::error::Error;
use crate::load::Input;
use crate::options::Format;
use crate::status::Status;

/// How often progress is shown.
const PROGRESS: Duration = Duration::from_millis(100);

/// What a series came to.
pub struct Series<'a> {
    pub args: &'a Args,
    pub opened: &'a [Opened],
    pub cells: &'a [Cell],
    /// The models that histories were checked under.
    pub models: Vec<Model>,
    /// By cell.
    pub scores: Vec<Score>,
    /// Seconds that passed.
    pub elapsed: f64,
}

/// Runs all cells and prints what came of it.
pub fn run(
    args: &Args,
    opened: &[Opened],
    cells: &[Cell],
    out: &mut dyn Write,
) -> Result<Status, Error> {
    let format = args
        .history
        .as_deref()
        .map(|path| convert::format(path, None))
        .transpose()?;
    // What is wrong with the options is found before anything runs.
    for cell in cells {
        opened[cell.protocol].plan(&args.simulation(cell.client, args.seed))?;
    }
    let start = Instant::now();
    let models = args.models();
    let work = Work {
        args,
        shared: opened
            .iter()
            .map(|opened| Shared {
                given: &opened.given,
                loaded: opened.loaded(),
            })
            .collect(),
        cells,
        models: &models,
        runs: u64::from(args.runs.unwrap_or(1)),
        next: AtomicU64::new(0),
        done: AtomicU64::new(0),
        failed: AtomicBool::new(false),
    };
    let scores = work.on_all_cores()?;
    let elapsed = start.elapsed().as_secs_f64();
    let mut series = Series {
        args,
        opened,
        cells,
        models,
        scores,
        elapsed,
    };
    if let (Some(path), Some(format)) = (&args.history, format) {
        let input = series.take_histories();
        convert::write_to(&input, path, format, out)?;
    }
    if let (Some(path), [first, rest @ ..]) = (&args.coverage, &series.scores[..]) {
        let mut all = first.coverage.clone();
        rest.iter()
            .for_each(|score| all.merge(score.coverage.clone()));
        all.write(path)?;
    }
    match args.format {
        Format::Text => table::print(&series, out),
        Format::Json => json::print(&series, out),
    }
    .map_err(Error::Output)?;
    Ok(series.status())
}

impl Series<'_> {
    /// The protocol of a cell.
    pub fn protocol(&self, cell: &Cell) -> &Opened {
        &self.opened[cell.protocol]
    }

    /// How many entries of the protocol's table were taken, and how many there are.
    pub fn covered(&self, cell: &Cell, score: &Score) -> (usize, usize) {
        let opened = self.protocol(cell);
        let simulation = self.args.simulation(cell.client, self.args.seed);
        match opened.plan(&simulation) {
            Ok(plan) => {
                let table = protocols::table(&opened.protocol, &plan);
                (score.coverage.reached(&table), table.len())
            }
            Err(_) => (0, 0),
        }
    }

    fn take_histories(&mut self) -> Input {
        let taken = self
            .scores
            .iter_mut()
            .flat_map(|score| std::mem::take(&mut score.histories));
        Input {
            file: "simulate".to_owned(),
            format: "simulated",
            histories: taken.map(|(_, history)| history).collect(),
            transitions: Default::default(),
            statistics: Default::default(),
        }
    }

    /// Faults count, and violations of what the client keeps or the user named.
    fn status(&self) -> Status {
        let mut status = Status::Done;
        for (cell, score) in self.cells.iter().zip(&self.scores) {
            if score.faults > 0 {
                status = status.and(Status::Violation);
            }
            let kept = self.args.kept(cell.client);
            for (model, counts) in self.models.iter().zip(&score.verdicts) {
                if counts.violation > 0 && kept.contains(model) {
                    status = status.and(Status::Violation);
                }
                if counts.undecided > 0 {
                    status = status.and(Status::Undecided);
                }
            }
        }
        status
    }
}

/// What all threads may see of a protocol.
struct Shared<'a> {
    given: &'a str,
    loaded: &'a Loaded,
}

/// Runs to be done.
struct Work<'a> {
    args: &'a Args,
    shared: Vec<Shared<'a>>,
    cells: &'a [Cell],
    models: &'a [Model],
    /// Of each cell.
    runs: u64,
    next: AtomicU64,
    done: AtomicU64,
    /// Whether to stop, since something is wrong that is no fault of a protocol.
    failed: AtomicBool,
}

const PANIC: &str = "a run of the simulator panicked: this is a defect of rubric, please report it";

impl Work<'_> {
    fn on_all_cores(&self) -> Result<Vec<Score>, Error> {
        let cores = thread::available_parallelism().map_or(1, NonZero::get) as u64;
        let mut scores = self.no_scores();
        thread::scope(|scope| {
            let start = |_| scope.spawn(|| self.work());
            let workers: Vec<_> = (0..cores.min(self.total())).map(start).collect();
            if io::stderr().is_terminal() && !self.args.quiet {
                self.show_progress(|| workers.iter().all(|worker| worker.is_finished()));
            }
            for worker in workers {
                let worked = worker
                    .join()
                    .unwrap_or_else(|_| Err(Error::Usage(PANIC.to_owned())));
                for (score, more) in scores.iter_mut().zip(worked?) {
                    score.merge(more);
                }
            }
            Ok(scores)
        })
    }

    fn total(&self) -> u64 {
        self.cells.len() as u64 * self.runs
    }

    fn no_scores(&self) -> Vec<Score> {
        self.cells
            .iter()
            .map(|_| Score::new(self.models.len()))
            .collect()
    }

    /// One line that is written over and over.
    fn show_progress(&self, is_over: impl Fn() -> bool) {
        let start = Instant::now();
        let mut shown = false;
        while !is_over() {
            thread::sleep(PROGRESS);
            if start.elapsed() > PROGRESS * 5 {
                eprint!(
                    "\r{} of {} runs",
                    self.done.load(Ordering::Relaxed),
                    self.total()
                );
                shown = true;
            }
        }
        if shown {
            eprint!("\r\x1b[K");
        }
    }

    /// Takes runs until there are no more.
    fn work(&self) -> Result<Vec<Score>, Error> {
        let mut scores = self.no_scores();
        let mut compiled = Compiled::default();
        loop {
            let taken = self.next.fetch_add(1, Ordering::Relaxed);
            if taken >= self.total() || self.failed.load(Ordering::Relaxed) {
                return Ok(scores);
            }
            let (cell, run) = ((taken / self.runs) as usize, (taken % self.runs) as u32);
            if let Err(error) = self.run(&mut compiled, cell, run, &mut scores[cell]) {
                self.failed.store(true, Ordering::Relaxed);
                return Err(error);
            }
            self.done.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn run(
        &self,
        compiled: &mut Compiled,
        at: usize,
        number: u32,
        score: &mut Score,
    ) -> Result<(), Error> {
        let cell = &self.cells[at];
        let shared = &self.shared[cell.protocol];
        let given = shared.given;
        let seed = self.args.seed_of(number);
        let simulation = self.args.simulation(cell.client, seed);
        let (protocol, plan) = compiled.of(shared, at, cell, &simulation)?;
        let start = Instant::now();
        let run = simulation.run(protocol, plan, None);
        let seconds = start.elapsed().as_secs_f64();
        let run = run.map_err(|what| Error::Usage(format!("{given}: {what}")))?;
        let wants_history =
            !self.models.is_empty() || self.args.history.is_some() || run.fault.is_some();
        if !wants_history {
            score.add(number, seed, &run, self.args.operations(), seconds);
            return Ok(());
        }
        let mut history = run
            .history()
            .map_err(|error| Error::Usage(error.to_string()))?;
        score.add(number, seed, &run, history.operations() as u64, seconds);
        let checked = verdicts::add(
            &history,
            self.models,
            &self.args.for_checking(),
            &mut score.verdicts,
        );
        score.certificates += checked.map_err(|what| Error::Certificate {
            file: self.args.words(given, cell.client, seed),
            what,
        })?;
        if self.args.history.is_some() {
            history.name = Some(self.args.command(given, cell.client, seed));
            history.provenance.protocol = Some(protocol.title());
            history.provenance.ended = Some(fault::ended(&run));
            score.histories.push((number, history));
        }
        Ok(())
    }
}

/// Protocols and plans that a thread has made for itself.
#[derive(Default)]
struct Compiled {
    protocols: BTreeMap<usize, Protocol>,
    plans: BTreeMap<usize, Plan>,
}

impl Compiled {
    fn of(
        &mut self,
        shared: &Shared<'_>,
        at: usize,
        cell: &Cell,
        simulation: &Simulation,
    ) -> Result<(&Protocol, &Plan), Error> {
        let protocol = match self.protocols.entry(cell.protocol) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(protocols::compile(shared.given, shared.loaded)?),
        };
        let plan = match self.plans.entry(at) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => {
                free.insert(protocols::plan(shared.given, protocol, simulation)?)
            }
        };
        Ok((protocol, plan))
    }
}
