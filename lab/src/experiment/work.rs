//! [`Work`] plans the rows of an experiment, and makes those that are missing, on all cores.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use check::kernel::write_pairs;
use check::{Algorithm, Model};
use history::{History, ReadsFrom};
use indexmap::IndexMap;
use rayon::iter::{ParallelBridge, ParallelIterator};
use tables::{RECORDED, Reported, Trial, write_trials};

use super::catalog::Experiment;
use super::explored;
use super::point::{Point, Source, Task, models};
use super::settings::Settings;
use super::source::{Made, Maker};
use super::trial::{Instance, Limits, names};
use super::{Only, Options};
use crate::error::Error;
use crate::journal::{Journal, Row};
use crate::machine;
use crate::observer::{Observer, Stage};
use crate::order;
use crate::shard::Shard;
use crate::text::quoted;

/// The work of an experiment.
pub struct Work<'a> {
    options: &'a Options,
    experiment: &'a Experiment,
    points: Vec<Point>,
    /// Algorithms that the user has added to those of the experiment.
    added: HashSet<Algorithm>,
    maker: Maker,
    /// The number of histories that are checked at a time.
    jobs: usize,
    limits: Limits,
    machine: String,
}

/// A history of the plan: the index of its point, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Item {
    point: usize,
    number: u32,
}

/// Identifies a trial: part, point, number, model and algorithm.
type TrialKey = (String, String, u32, String, String);

impl Row for Trial {
    type Key = TrialKey;
    const ADVICE: &'static str = "remove the line, whose history is then checked again";

    fn key(&self) -> TrialKey {
        (
            self.part.clone(),
            self.point.clone(),
            self.number,
            self.model.clone(),
            self.algorithm.clone(),
        )
    }
}

impl<'a> Work<'a> {
    /// Plans the work on the points of an experiment: those of the catalogue, or those of recorded histories.
    ///
    /// # Errors
    /// Fails if an algorithm of the options applies to no model of the experiment.
    pub fn new(
        options: &'a Options,
        experiment: &'a Experiment,
        mut points: Vec<Point>,
    ) -> Result<Work<'a>, Error> {
        let mut added = HashSet::new();
        for &algorithm in &options.algorithms {
            let is_program = |point: &Point| point.source.is_explored();
            let mut applies = points.iter().all(is_program);
            for point in points.iter_mut().filter(|point| !is_program(point)) {
                for model in models(&point.tasks) {
                    let task = Task::Decide(model, algorithm);
                    applies |= algorithm.applies_to(model);
                    if algorithm.applies_to(model) && !point.tasks.contains(&task) {
                        point.tasks.push(task);
                        added.insert(algorithm);
                    }
                }
            }
            if !applies {
                return Err(Error::Inapplicable {
                    algorithm: algorithm.name(),
                    experiment: experiment.name,
                });
            }
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = options.jobs.map_or(cores, |jobs| jobs as usize);
        Ok(Work {
            options,
            experiment,
            points,
            added,
            maker: Maker::new(&options.protocols),
            jobs,
            limits: options.limits.for_jobs(jobs),
            machine: machine::describe(jobs),
        })
    }

    /// The histories of the plan, in order.
    fn items(&self) -> impl Iterator<Item = Item> + '_ {
        let of_point = |(point, one): (usize, &Point)| {
            (one.first..one.first + one.histories).map(move |number| Item { point, number })
        };
        self.points.iter().enumerate().flat_map(of_point)
    }

    /// Makes the rows that the folder does not have yet, writes the table, and returns its rows.
    ///
    /// # Errors
    /// Fails if the folder holds the experiment with other settings or cannot be written, if an external checker cannot be run, or if a
    /// defect was found, such as two algorithms that contradict each other.
    pub fn run(&self, observer: &dyn Observer) -> Result<Vec<Trial>, Error> {
        let Options { output, shard, .. } = self.options;
        std::fs::create_dir_all(output).map_err(Error::file(output))?;
        let path =
            |extension: &str| output.join(Shard::file(*shard, self.experiment.name, extension));
        let (journal, lines) = Journal::open(&path("jsonl"))?;
        Settings::new(self.options, self.experiment).settle(&journal, &lines)?;
        let trials = self.complete(&journal, lines.rows(1)?, observer)?;
        journal.sync()?;
        write_trials(&path("parquet"), &trials)?;
        Ok(trials)
    }

    /// Makes the rows that are not known yet, and writes them into the journal. Returns all rows of this shard, in order.
    fn complete(
        &self,
        journal: &Journal,
        known: IndexMap<TrialKey, Trial>,
        observer: &dyn Observer,
    ) -> Result<Vec<Trial>, Error> {
        let is_ours = |at: usize| self.options.shard.is_none_or(|shard| shard.has(at));
        let items = self.items().enumerate().filter(|(at, _)| is_ours(*at));
        let items: Vec<Item> = items.map(|(_, item)| item).collect();
        let done: HashSet<TrialKey> = known.keys().cloned().collect();
        observer.begin(Stage::Histories(self.experiment.name));
        observer.total(items.len() as u64);
        let trials: Mutex<Vec<Trial>> = Mutex::new(known.into_values().collect());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.jobs).build();
        let pool = pool.map_err(|error| Error::Jobs { jobs: self.jobs, error })?;
        pool.install(|| {
            items.iter().par_bridge().try_for_each(|&item| {
                let rows = self.rows_of(item, &done, |row| journal.add(row))?;
                observer.advance();
                let mut trials = trials.lock().unwrap_or_else(PoisonError::into_inner);
                trials.extend(rows);
                Ok::<(), Error>(())
            })
        })?;
        observer.end();
        let trials = trials.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(self.sorted(trials))
    }

    /// Sorts rows in the order of the plan. Rows that are not part of the plan, such as those of an algorithm that was added by an earlier
    /// command, come last.
    fn sorted(&self, mut trials: Vec<Trial>) -> Vec<Trial> {
        let mut places: HashMap<(&str, &str), usize> = HashMap::new();
        for (at, point) in self.points.iter().enumerate() {
            places.entry((point.part, &point.name)).or_insert(at);
        }
        let rank = |trial: &Trial| {
            let point = places.get(&(&*trial.part, &*trial.point)).copied();
            let tasks = point.map(|at| &self.points[at].tasks);
            let task = tasks.and_then(|tasks| {
                let names = tasks.iter().flat_map(|&task| {
                    let model = task.model().name();
                    names(task).into_iter().map(move |name| (model, name))
                });
                let mut names = names.enumerate();
                let found = names
                    .find(|(_, (model, name))| *model == trial.model && *name == trial.algorithm);
                found.map(|(at, _)| at)
            });
            (
                point.unwrap_or(usize::MAX),
                trial.number,
                task.unwrap_or(usize::MAX),
                trial.algorithm.clone(),
            )
        };
        trials.sort_by_cached_key(rank);
        trials
    }

    /// Makes the rows of one point, or of one history of it, without a journal.
    ///
    /// # Errors
    /// Fails if the point or history does not exist, if an external checker cannot be run, or if a defect was found.
    pub fn only(&self, only: &Only) -> Result<Vec<Trial>, Error> {
        let mut trials = Vec::new();
        for item in self.items_of(only)? {
            trials.extend(self.rows_of(item, &HashSet::new(), |_| Ok(()))?);
        }
        Ok(self.sorted(trials))
    }

    /// The first history of a selection.
    ///
    /// # Errors
    /// Fails if there is none, or if it cannot be made.
    pub fn history_of(&self, only: &Only) -> Result<History, Error> {
        let items = self.items_of(only)?;
        Ok(self.item_history(items[0])?.history().clone())
    }

    /// The histories of a selection, at least one.
    fn items_of(&self, only: &Only) -> Result<Vec<Item>, Error> {
        let items = self.items().filter(|item| {
            self.points[item.point].name == only.point
                && only.number.is_none_or(|number| number == item.number)
        });
        let items: Vec<Item> = items.collect();
        if items.is_empty() { Err(self.nothing_selected(only)) } else { Ok(items) }
    }

    /// The error of a selection without histories, which says what can be selected.
    fn nothing_selected(&self, only: &Only) -> Error {
        let point = self.points.iter().find(|point| point.name == only.point);
        match point {
            Some(point) => Error::NoNumber {
                point: only.point.clone(),
                first: point.first,
                last: point.first + point.histories - 1,
            },
            None => Error::NoPoint {
                point: only.point.clone(),
                experiment: self.experiment.name,
                points: names_of(&self.points),
            },
        }
    }

    /// Makes the rows of one history that are not in `done`, and passes each to `add` as soon as it is known.
    fn rows_of(
        &self,
        item: Item,
        done: &HashSet<TrialKey>,
        mut add: impl FnMut(&Trial) -> Result<(), Error>,
    ) -> Result<Vec<Trial>, Error> {
        let point = &self.points[item.point];
        let is_known = |model: Model, name: &str| {
            let (part, point) = (point.part.to_owned(), point.name.clone());
            let model = model.name().to_owned();
            done.contains(&(part, point, item.number, model, name.to_owned()))
        };
        let tasks = point.tasks.iter().filter(|task| {
            let mut names = names(**task).into_iter();
            !names.all(|name| is_known(task.model(), name))
        });
        let mut tasks: Vec<Task> = tasks.copied().collect();
        // The first task finds the caches cold, so the tasks take turns at being the first.
        let turn = item.number as usize % tasks.len().max(1);
        tasks.rotate_left(turn);
        let mut programs = Vec::new();
        for model in models(&point.tasks) {
            let new = self.options.programs.iter();
            let new = new.filter(|program| !is_known(model, &program.name));
            programs.extend(new.map(|program| (model, program)));
        }
        if tasks.is_empty() && programs.is_empty() {
            return Ok(Vec::new());
        }
        if point.source.is_explored() {
            let explore = |task: Task| {
                let row = self.explored(item, task)?;
                add(&row).map(|()| row)
            };
            return tasks.into_iter().map(explore).collect();
        }
        let found = self.item_history(item)?;
        let instance = Instance { history: found.history(), reads_from: found.reads_from() };
        let row = self.row(item, &found);
        let limits = self.limits;
        let mut rows = Vec::new();
        for task in tasks {
            let row = match task {
                Task::Decide(_, algorithm) if self.added.contains(&algorithm) => Trial {
                    command: format!("{} --algorithm {}", row.command, algorithm.name()),
                    ..row.clone()
                },
                _ => row.clone(),
            };
            let new = instance.run(task, &limits, &row);
            let new = new.into_iter().filter(|row| !is_known(task.model(), &row.algorithm));
            for row in new {
                add(&row)?;
                rows.push(row);
            }
        }
        check_agreement(&rows)?;
        for (model, program) in programs {
            let row =
                Trial { command: format!("{} {}", row.command, program.option()), ..row.clone() };
            let asked = instance.run_program(program, model, &limits, &row);
            let row =
                asked.map_err(|error| Error::Program { name: program.name.clone(), error })?;
            add(&row)?;
            rows.push(row);
        }
        Ok(rows)
    }

    /// Explores all runs of a program or system, and returns the row of the task.
    fn explored(&self, item: Item, task: Task) -> Result<Trial, Error> {
        let row = self.common(item);
        match &self.points[item.point].source {
            Source::Program(explored) => explored::run(explored, task, &self.limits, &row),
            Source::System(searched) => self.maker.nice_cycles(searched, &self.limits, &row),
            Source::Made(_) | Source::Recorded(_) => Err(Error::NoHistory(self.experiment.name)),
        }
    }

    /// Makes or looks up the history of an item.
    fn item_history(&self, item: Item) -> Result<ItemHistory<'_>, Error> {
        match &self.points[item.point].source {
            Source::Made(recipe) => {
                let made = self.maker.make(recipe, item.number, self.options.seed)?;
                Ok(ItemHistory::Made(Box::new(made)))
            }
            Source::Recorded(recording) => Ok(ItemHistory::Recorded(recording)),
            Source::Program(_) | Source::System(_) => Err(Error::NoHistory(self.experiment.name)),
        }
    }

    /// A row with the columns that all rows of an item share.
    fn common(&self, item: Item) -> Trial {
        let point = &self.points[item.point];
        Trial {
            experiment: self.experiment.name.to_owned(),
            size: self.options.size.name().to_owned(),
            part: point.part.to_owned(),
            point: point.name.clone(),
            number: item.number,
            timeout: self.options.limits.timeout.as_secs_f64(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            load: machine::load(),
            machine: self.machine.clone(),
            command: self.command(item),
            ..Trial::default()
        }
    }

    /// A row with the columns that all rows of an item share, including those about its history.
    fn row(&self, item: Item, found: &ItemHistory<'_>) -> Trial {
        let point = &self.points[item.point];
        let history = found.history();
        let row = Trial {
            threads: history.threads().len() as u32,
            operations: history.operations() as u64,
            locations: history.locations().len() as u32,
            write_pairs: write_pairs(history),
            trace_hash: history.digest(),
            ..self.common(item)
        };
        match (found, &point.source) {
            (ItemHistory::Made(made), Source::Made(recipe)) => Trial {
                seed: made.seed,
                source: made.source.to_owned(),
                protocol: made.run.as_ref().map(|run| run.protocol.clone()),
                mutant: made.run.as_ref().and_then(|run| run.mutant).map(str::to_owned),
                client: made.run.as_ref().map(|run| run.client.to_string()),
                threads: recipe.threads,
                operations: u64::from(recipe.operations),
                locations: recipe.locations,
                mix: format!(
                    "{},{},{},{}",
                    recipe.mix.loads, recipe.mix.stores, recipe.mix.rmws, recipe.mix.fences
                ),
                repointed: self.maker.repointed(recipe, item.number),
                distance: recipe.distance(),
                make_seconds: made.seconds,
                ..row
            },
            (ItemHistory::Recorded(recording), _) => {
                Trial { source: RECORDED.to_owned(), file: Some(recording.title.clone()), ..row }
            }
            (
                ItemHistory::Made(_),
                Source::Recorded(_) | Source::Program(_) | Source::System(_),
            ) => row,
        }
    }

    /// The command that reproduces the rows of a history.
    fn command(&self, item: Item) -> String {
        let point = &self.points[item.point];
        let traces = self
            .options
            .traces
            .as_ref()
            .map(|folder| format!(" --traces {}", quoted(&folder.display().to_string())));
        let protocols = match self.options.protocols.join(",") {
            none if none.is_empty() => none,
            names => format!(" --protocol {}", quoted(&names)),
        };
        format!(
            "rubric experiment {} --size {} --seed {}{}{protocols} --timeout {} --only {}/{}",
            self.experiment.name,
            self.options.size.name(),
            self.options.seed,
            traces.unwrap_or_default(),
            self.options.limits.timeout.as_secs_f64(),
            point.name,
            item.number
        )
    }
}

/// The names of points, each once, in natural order.
fn names_of(points: &[Point]) -> Vec<String> {
    let mut names: Vec<String> = points.iter().map(|point| point.name.clone()).collect();
    names.sort_by(|one, other| order::of_paths(one.as_ref(), other.as_ref()));
    names.dedup();
    names
}

/// Returns an error if one algorithm says that the history satisfies a model and another that it violates it.
fn check_agreement(rows: &[Trial]) -> Result<(), Error> {
    let with_answer = |said: Reported, model: &str| {
        rows.iter().find(|row| row.said == said && row.model == model)
    };
    for row in rows.iter().filter(|row| row.said == Reported::Consistent) {
        if let Some(other) = with_answer(Reported::Violation, &row.model) {
            return Err(Error::Disagreement {
                command: row.command.clone(),
                model: row.model.clone(),
                first: row.algorithm.clone(),
                second: other.algorithm.clone(),
            });
        }
    }
    Ok(())
}

enum ItemHistory<'a> {
    Made(Box<Made>),
    Recorded(&'a super::point::Recording),
}

impl ItemHistory<'_> {
    fn history(&self) -> &History {
        match self {
            ItemHistory::Made(made) => &made.history,
            ItemHistory::Recorded(recording) => &recording.history,
        }
    }

    fn reads_from(&self) -> &ReadsFrom {
        match self {
            ItemHistory::Made(made) => &made.reads_from,
            ItemHistory::Recorded(recording) => &recording.reads_from,
        }
    }
}
