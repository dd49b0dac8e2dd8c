//! Simulates many runs on all cores.
//!
//! Each core takes the next run and adds up its own results, and these are merged at the end. So, except for times, the results
//! do not depend on which core ran what.

use std::time::Instant;

use check::Model;
use rayon::prelude::*;

use super::kinds::Shortest;
use super::score::Score;
use super::traces::{RunRequest, TraceFolder};
use super::{Cell, Plan, verdicts};
use crate::error::Error;
use crate::observer::{Observer, Stage};
use crate::protocols::Opened;
use crate::testing::Signature;

/// The runs to be done.
pub(super) struct Work<'a> {
    pub plan: &'a Plan,
    pub opened: &'a [Opened],
    pub cells: &'a [Cell],
    pub models: &'a [Model],
    /// The folder of the traces, if they are written.
    pub traces: Option<&'a TraceFolder>,
    /// Whether histories are kept.
    pub keeps_histories: bool,
    pub observer: &'a dyn Observer,
}

impl Work<'_> {
    /// The score of each cell.
    ///
    /// # Errors
    /// Fails if a run cannot be made, its trace cannot be written, or a certificate is wrong.
    pub(super) fn on_all_cores(&self) -> Result<Vec<Score>, Error> {
        let runs = u64::from(self.plan.runs);
        let total = self.cells.len() as u64 * runs;
        self.observer.begin(Stage::Runs);
        self.observer.total(total);
        let scores: Result<Vec<Score>, Error> = (0..total)
            .into_par_iter()
            .try_fold(
                || self.no_scores(),
                |mut scores, number| {
                    if self.observer.is_cancelled() {
                        return Ok(scores);
                    }
                    let (cell, run) = ((number / runs) as usize, (number % runs) as u32);
                    self.run(cell, run, &mut scores[cell])?;
                    self.observer.advance();
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
        self.observer.end();
        let mut scores = scores?;
        for (cell, score) in self.cells.iter().zip(&mut scores) {
            score.name_transitions(&self.opened[cell.protocol].protocol.program);
        }
        Ok(scores)
    }

    fn no_scores(&self) -> Vec<Score> {
        self.cells.iter().map(|_| Score::new(self.models.len())).collect()
    }

    fn run(&self, at: usize, number: u32, score: &mut Score) -> Result<(), Error> {
        let cell = &self.cells[at];
        let opened = &self.opened[cell.protocol];
        let Opened { given, protocol, .. } = opened;
        let seed = self.plan.seed_of(number);
        let simulation = self.plan.simulation(protocol, cell.client, seed);
        let plan = opened.plan(&simulation)?;
        let start = Instant::now();
        let request = RunRequest {
            simulation: &simulation,
            protocol,
            plan: &plan,
            title: &format!("command line: {}", self.plan.command(given, cell.client, seed)),
        };
        let run = match self.traces {
            Some(traces) => request.to_file(&traces.file(at, seed))?,
            None => request.run()?,
        };
        let seconds = start.elapsed().as_secs_f64();
        let transitions = run.tally.transitions;
        let shortest = Shortest { transitions, run: number, seed, cell: at };
        if let Some(fault) = &run.fault {
            score.add_kind(Signature::of_fault(fault, protocol), shortest);
        }
        score.add(number, seed, &run, seconds);
        if self.models.is_empty() && !self.keeps_histories {
            return Ok(());
        }
        let mut history = run.history().map_err(Error::run(given))?;
        let words = || self.plan.words(given, cell.client, seed);
        let checking = &self.plan.checking;
        let mut checked =
            verdicts::add(&history, self.models, checking, &words, &mut score.verdicts)?;
        score.certificates += checked.certificates;
        let kept = self.plan.kept(cell.client);
        checked.violated.retain(|model| kept.contains(model));
        if let (None, Some(signature)) =
            (&run.fault, Signature::of_violations(&checked.violated, cell.client))
        {
            score.add_kind(signature, shortest);
        }
        score.add_violated(number, seed, checked.violated);
        if self.keeps_histories {
            history.name = Some(self.plan.command(given, cell.client, seed));
            crate::simulated::annotate(&mut history, &run, protocol);
            score.histories.push((number, history));
        }
        Ok(())
    }
}
