//! Simulates many runs on all cores.
//!
//! Each core takes the next run and adds up its own results, and these are merged at the end. So, except for times, the output
//! does not depend on which core ran what.

use std::io::Write;
use std::time::Instant;

use check::Model;
use rayon::prelude::*;

use super::attribution;
use super::score::Score;
use super::series::Series;
use super::traces::{RunRequest, TraceFolder};
use super::{Args, Cell, json, table, verdicts};
use crate::convert;
use crate::error::Error;
use crate::options::Format;
use crate::progress;
use crate::status::Status;
use lab::protocols::Opened;
use lab::testing::Signature;

/// Runs all cells and prints the results.
pub(super) fn run(
    args: &Args,
    opened: &[Opened],
    cells: &[Cell],
    out: &mut dyn Write,
) -> Result<Status, Error> {
    let format = args.save.as_deref().map(|path| convert::format(path, None)).transpose()?;
    // Wrong options are reported before anything runs.
    for cell in cells {
        let opened = &opened[cell.protocol];
        opened.plan(&args.simulation(&opened.protocol, cell.client, args.seed()))?;
    }
    let traces = TraceFolder::create(args, opened, cells)?;
    let start = Instant::now();
    let models = args.models();
    let work = Work {
        args,
        opened,
        cells,
        models: &models,
        runs: u64::from(args.runs.unwrap_or(1)),
        traces: traces.as_ref(),
    };
    let scores = work.on_all_cores()?;
    let count = work.total();
    let elapsed = start.elapsed().as_secs_f64();
    let mut series = Series { args, opened, cells, models, scores, tried: Vec::new(), elapsed };
    series.tried = attribution::tried(&series)?;
    if let (Some(path), Some(format)) = (&args.save, format) {
        let input = series.take_histories();
        convert::write_to(&input, path, format, out)?;
    }
    if let (Some(path), [first, rest @ ..]) = (&args.coverage, &series.scores[..]) {
        let mut all = first.coverage.clone();
        rest.iter().for_each(|score| all.merge(score.coverage.clone()));
        all.write(path)?;
    }
    match args.format {
        Format::Text => table::print(&series, out),
        Format::Json => json::print(&series, out),
    }
    .map_err(Error::Output)?;
    if let (Some(folder), Format::Text) = (&args.output, args.format) {
        let folder = folder.display();
        writeln!(out, "\nwritten: {count} traces in {folder}").map_err(Error::Output)?;
    }
    Ok(series.status())
}

/// The runs to be done.
struct Work<'a> {
    args: &'a Args,
    opened: &'a [Opened],
    cells: &'a [Cell],
    models: &'a [Model],
    /// Number of runs of each cell.
    runs: u64,
    /// The folder of the traces, if they are written.
    traces: Option<&'a TraceFolder>,
}

impl Work<'_> {
    fn on_all_cores(&self) -> Result<Vec<Score>, Error> {
        let bar = progress::bar(Some(self.total()), "runs", self.args.quiet);
        let scores = (0..self.total())
            .into_par_iter()
            .try_fold(
                || self.no_scores(),
                |mut scores, number| {
                    let (cell, run) = ((number / self.runs) as usize, (number % self.runs) as u32);
                    self.run(cell, run, &mut scores[cell])?;
                    bar.inc(1);
                    Ok(scores)
                },
            )
            .try_reduce(
                || self.no_scores(),
                |mut scores, more| {
                    scores.iter_mut().zip(more).for_each(|(score, more)| score.merge(more));
                    Ok(scores)
                },
            );
        bar.finish_and_clear();
        scores
    }

    fn total(&self) -> u64 {
        self.cells.len() as u64 * self.runs
    }

    fn no_scores(&self) -> Vec<Score> {
        self.cells.iter().map(|_| Score::new(self.models.len())).collect()
    }

    fn run(&self, at: usize, number: u32, score: &mut Score) -> Result<(), Error> {
        let cell = &self.cells[at];
        let opened = &self.opened[cell.protocol];
        let Opened { given, protocol, .. } = opened;
        let seed = self.args.seed_of(number);
        let simulation = self.args.simulation(protocol, cell.client, seed);
        let plan = opened.plan(&simulation)?;
        let start = Instant::now();
        let request = RunRequest {
            simulation: &simulation,
            protocol,
            plan: &plan,
            title: &format!("command line: {}", self.args.command(given, cell.client, seed)),
        };
        let run = match self.traces {
            Some(traces) => request.to_file(&traces.file(at, seed))?,
            None => request.run(None, "")?,
        };
        let seconds = start.elapsed().as_secs_f64();
        if let Some(fault) = &run.fault {
            score.add_kind(number, seed, &run, Signature::of_fault(fault, protocol));
        }
        score.add(number, seed, &run, seconds);
        if self.models.is_empty() && self.args.save.is_none() {
            return Ok(());
        }
        let mut history = run.history().map_err(|error| Error::Usage(error.to_string()))?;
        let checked =
            verdicts::add(&history, self.models, &self.args.for_checking(), &mut score.verdicts);
        let mut checked = checked.map_err(|what| Error::Certificate {
            file: self.args.words(given, cell.client, seed),
            what,
        })?;
        score.certificates += checked.certificates;
        let kept = self.args.kept(cell.client);
        checked.violated.retain(|model| kept.contains(model));
        if let (None, Some(signature)) =
            (&run.fault, Signature::of_violations(&checked.violated, cell.client))
        {
            score.add_kind(number, seed, &run, signature);
        }
        score.add_violated(number, seed, checked.violated);
        if self.args.save.is_some() {
            history.name = Some(self.args.command(given, cell.client, seed));
            lab::simulated::annotate(&mut history, &run, protocol);
            score.histories.push((number, history));
        }
        Ok(())
    }
}
