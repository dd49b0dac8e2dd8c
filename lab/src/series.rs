//! Series of runs of protocols with random programs: each run is simulated, recorded, checked and scored, and its failures are attributed to
//! the known faults of gem5's released protocols.
//!
//! A [`Plan`] says what the runs have in common, and writes the commands that repeat them. [`Series::run`] makes the runs on all cores; its
//! result has a [`Score`] for each protocol and kind of cores. `json` and `text` show it. [`RunRequest`] makes a single run, with its trace.
//!
//! ```
//! use lab::NoObserver;
//! use lab::protocols::{Opened, Repairs};
//! use lab::series::{Plan, Programs, Series};
//! use simulate::client::Client;
//!
//! let plan = Plan {
//!     repairs: Repairs::None,
//!     mutant: None,
//!     clients: vec![Client::IN_ORDER],
//!     runs: 3,
//!     seed: 1,
//!     programs: Programs::Drawn(Default::default()),
//!     options: Default::default(),
//!     system: Vec::new(),
//!     deadlock_threshold: None,
//!     check: Some(Vec::new()),
//!     checking: Default::default(),
//! };
//! let opened = [Opened::new("MI_example", None)?];
//! let series = Series::run(&plan, &opened, None, false, &NoObserver)?;
//! assert_eq!((series.scores[0].runs, series.scores[0].faults), (3, 0));
//! assert_eq!(plan.command_of_violation("MI_example", Client::IN_ORDER, 2), "rubric simulate MI_example --recipe 2 --check");
//! # Ok::<(), lab::Error>(())
//! ```

mod attribution;
pub mod fault;
pub mod json;
mod kinds;
mod plan;
mod run;
mod score;
pub mod text;
mod traces;
mod verdicts;
mod witness;

use std::path::Path;
use std::time::Instant;

use check::Model;
use simulate::config::asked;
use tables::reached::Reached;

use crate::coverage::{Taken, table};
use crate::error::Error;
use crate::load::Input;
use crate::observer::Observer;
use crate::outcome::Outcome;
use crate::protocols::Opened;
pub use kinds::{ByKind, Failures, Shortest, Tried};
pub use plan::{Cell, Plan, Programs};
use run::Work;
pub use score::{Failed, SHOWN, Score, Violated, Warned};
pub use traces::RunRequest;
use traces::TraceFolder;
pub use verdicts::Counts;

/// The results of a series.
pub struct Series<'a> {
    /// What the runs have in common.
    pub plan: &'a Plan,
    /// The protocols.
    pub opened: &'a [Opened],
    /// The protocols and kinds of cores.
    pub cells: Vec<Cell>,
    /// The models that histories were checked under.
    pub models: Vec<Model>,
    /// The score of each cell.
    pub scores: Vec<Score>,
    /// The kinds of failures that were tried with the repairs of released faults.
    pub tried: Vec<Tried>,
    /// The elapsed time of the series, in seconds.
    pub elapsed: f64,
}

impl<'a> Series<'a> {
    /// Makes the runs of a plan on protocols, writes their traces into a folder if one is given, and keeps their histories if asked to. Cost:
    /// the runs, on all cores, and some dozen more for each kind of failure.
    ///
    /// # Errors
    /// Fails if a system cannot be built of a protocol, if a trace cannot be written, or if a certificate is wrong, which is a defect.
    pub fn run(
        plan: &'a Plan,
        opened: &'a [Opened],
        traces: Option<&Path>,
        keeps_histories: bool,
        observer: &dyn Observer,
    ) -> Result<Series<'a>, Error> {
        let cells = plan.cells(opened.len());
        // Wrong options are reported before anything runs.
        for cell in &cells {
            let opened = &opened[cell.protocol];
            opened.plan(&plan.simulation(&opened.protocol, cell.client, plan.seed))?;
        }
        let traces =
            traces.map(|folder| TraceFolder::create(folder, plan, opened, &cells)).transpose()?;
        let start = Instant::now();
        let models = plan.models();
        let (cells, models, traces) = (&cells[..], &models[..], traces.as_ref());
        let work = Work { plan, opened, cells, models, traces, keeps_histories, observer };
        let scores = work.on_all_cores()?;
        let elapsed = start.elapsed().as_secs_f64();
        let (cells, models) = (cells.to_vec(), models.to_vec());
        let mut series = Series { plan, opened, cells, models, scores, tried: Vec::new(), elapsed };
        series.tried = attribution::tried(&series)?;
        Ok(series)
    }

    /// The cells with their scores.
    pub fn scored(&self) -> impl Iterator<Item = (&Cell, &Score)> {
        self.cells.iter().zip(&self.scores)
    }

    /// The protocol of a cell.
    pub fn protocol(&self, cell: &Cell) -> &Opened {
        &self.opened[cell.protocol]
    }

    /// The coverage of the protocol's table.
    pub fn covered(&self, cell: &Cell, score: &Score) -> Reached {
        let Opened { given, protocol, .. } = self.protocol(cell);
        let simulation = self.plan.simulation(protocol, cell.client, self.plan.seed);
        let Ok(plan) = self.protocol(cell).plan(&simulation) else {
            return Reached::default();
        };
        let asked = asked(protocol, simulation.shape.extras);
        let rows = table(given, protocol, &plan, asked, &score.coverage.entries());
        Reached::of(&rows, |row| row.unreached.is_some())
    }

    /// How often the runs of all cells took each transition.
    pub fn coverage(&self) -> Taken {
        let mut all = Taken::default();
        self.scores.iter().for_each(|score| all.merge(score.coverage.clone()));
        all
    }

    /// Whether each run has its own random program, caches and latencies.
    pub fn has_recipes(&self) -> bool {
        self.plan.recipe_of(self.plan.seed).is_some()
    }

    /// The command that repeats a run that fails.
    fn command_of_fault(&self, cell: &Cell, seed: u64) -> String {
        self.plan.command_of_fault(&self.protocol(cell).given, cell.client, seed)
    }

    /// The command that repeats a run that violates a model that counts, and shows the violation.
    pub fn command_of_violation(&self, cell: &Cell, seed: u64) -> String {
        self.plan.command_of_violation(&self.protocol(cell).given, cell.client, seed)
    }

    /// Takes the histories out of the scores, in the order of the cells and runs.
    pub fn take_histories(&mut self) -> Input {
        let taken = self.scores.iter_mut().flat_map(|score| std::mem::take(&mut score.histories));
        Input::of("simulate", "simulated", taken.map(|(_, history)| history).collect())
    }

    /// What the runs came to. Faults count as violations, and so do violations of models that the client guarantees or the user names.
    pub fn outcome(&self) -> Outcome {
        let mut scored = self.scored();
        let is_found = scored.any(|(cell, score)| {
            let kept = self.plan.kept(cell.client);
            let mut verdicts = self.models.iter().zip(&score.verdicts);
            score.faults > 0
                || verdicts.any(|(model, counts)| counts.violation > 0 && kept.contains(model))
        });
        Outcome::of(is_found, self.undecided() > 0)
    }

    /// The number of verdicts that are undecided.
    fn undecided(&self) -> u64 {
        self.scores.iter().flat_map(|score| &score.verdicts).map(|counts| counts.undecided).sum()
    }
}
