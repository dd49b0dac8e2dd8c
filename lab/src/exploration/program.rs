//! Explorations of concurrent programs: [`Plan`] says how, [`Subject`] is a program, [`Explored`] has the results, [`text`] and [`json`] show
//! them; `run` has events and steps of runs, in words.

pub mod json;
mod run;
pub mod text;

use std::path::Path;
use std::time::{Duration, Instant};

use ::explore::program::benchmarks::{self, Benchmark};
use ::explore::program::bounded::{self, Options, search};
use ::explore::program::compile::Program;
use ::explore::program::exhaustive::{self, explore};
use ::explore::program::fences::{Suggestion, suggest};
use check::Model;
use host::inputs::{self, LARGEST_TEXT_BYTES};
use slicc::source::Sources;

use super::Limits;
use crate::error::{Error, Refusal};
use crate::outcome::Outcome;

/// How programs are explored.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The largest number of preemptions of a run; several bounds are explored one after the other.
    pub preemptions: Vec<u32>,
    /// The models whose monitors watch the runs.
    pub monitored: Vec<Model>,
    /// The models under which all states are explored.
    pub exhaustive: Vec<Model>,
    /// Whether fences are suggested.
    pub suggests_fences: bool,
    /// The largest number of runs of a search.
    pub most_runs: u32,
    /// The limits of all searches of a program.
    pub limits: Limits,
}

/// Time below which a search is repeated, so that its time is meaningful.
const SHORT: Duration = Duration::from_millis(100);

/// Most runs of a search that is repeated.
const MOST_TIMES: u32 = 20;

/// A program that can run.
pub struct Subject {
    /// The program as the user named it.
    pub name: String,
    /// The text of the subject.
    pub sources: Sources,
    /// The parsed program.
    pub program: Program,
    /// The built-in program of this name, if there is one.
    pub benchmark: Option<&'static Benchmark>,
}

impl Subject {
    /// Reads a program: a built-in one, or a file.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or the program has errors.
    pub fn open(name: &str) -> Result<Subject, Error> {
        let benchmark = benchmarks::find(name);
        let text = match benchmark {
            Some(benchmark) => benchmark.text.to_owned(),
            None => {
                let path = Path::new(name);
                inputs::read_text(path, LARGEST_TEXT_BYTES).map_err(Error::file(path))?
            }
        };
        let read = Program::read(&text);
        let mut sources = Sources::default();
        sources.add(name, text);
        match read {
            Ok(program) => Ok(Subject { name: name.to_owned(), sources, program, benchmark }),
            Err(diagnostics) => {
                let given = name.to_owned();
                Err(Error::Protocol(Box::new(Refusal { given, sources, diagnostics })))
            }
        }
    }
}

/// The results of exploring a program.
pub struct Explored<'a> {
    /// The program.
    pub subject: &'a Subject,
    /// The models whose monitors observed the runs.
    monitored: Vec<Model>,
    /// The searches with few preemptions, one for each bound.
    pub searches: Vec<Searched>,
    /// The explorations of all states, one for each model.
    pub exhaustive: Vec<exhaustive::Report>,
    /// The suggested fences, for each model.
    pub fences: Vec<Suggestion>,
}

/// A search with few preemptions.
pub struct Searched {
    /// The bound on the number of preemptions.
    pub preemptions: u32,
    /// The results of the search, with monitors.
    pub report: bounded::Report,
    /// The time of the search without monitors; `None` if a limit stopped one of the two.
    pub without: Option<Duration>,
}

impl Searched {
    /// Whether every run ended where a loop reached its bound, so that nothing after the loop was explored.
    fn saw_no_end(&self) -> bool {
        self.report.runs + self.report.faulty == 0 && self.report.cut_off > 0
    }
}

impl<'a> Explored<'a> {
    /// Explores a program. `report` is called with what is searched, in words.
    pub fn new(subject: &'a Subject, plan: &Plan, report: &dyn Fn(String)) -> Explored<'a> {
        let monitored = plan.monitored.clone();
        // All that is searched has to end in the same time.
        let limits = plan.limits.begin(None);
        let options = |preemptions: u32, models: &[Model]| Options {
            preemptions,
            models: models.to_vec(),
            sober: false,
            bounds: limits.bounds.clone(),
            runs: Some(u64::from(plan.most_runs)),
        };
        let program = &subject.program;
        let searches = plan.preemptions.iter().map(|&preemptions| {
            report(format!("{preemptions} preemptions"));
            let found = timed(program, &|| options(preemptions, &monitored));
            let without = found.stopped.is_none().then(|| {
                report("without monitors".to_owned());
                timed(program, &|| options(preemptions, &[]))
            });
            Searched {
                preemptions,
                report: found,
                without: without.filter(|it| it.stopped.is_none()).map(|it| it.time),
            }
        });
        let searches = searches.collect();
        let exhaustive = plan.exhaustive.iter().map(|&model| {
            explore(program, model, &limits, &mut |progress| {
                let states = progress.states;
                report(format!("{states} states under {model}"));
            })
        });
        let exhaustive = exhaustive.collect();
        let most = plan.preemptions.iter().copied().max().unwrap_or(0);
        let fenced = monitored.iter().filter(|_| plan.suggests_fences);
        let fences = fenced.map(|&model| {
            report(format!("fences under {model}"));
            suggest(program, model, &options(most, &[]))
        });
        let fences = fences.collect();
        Explored { subject, monitored, searches, exhaustive, fences }
    }

    /// What the searches came to.
    pub fn outcome(&self) -> Outcome {
        let searched = self.searches.iter().map(|one| {
            let report = &one.report;
            let found = report.violations.len() + report.faults.len() > 0;
            Outcome::of(found, report.stopped.is_some() || one.saw_no_end())
        });
        let explored = self.exhaustive.iter().map(|one| {
            let found = one.fault.is_some() || self.beyond_sc(one).is_some_and(|beyond| beyond > 0);
            Outcome::of(found, one.stopped.is_some())
        });
        let fenced = self.fences.iter().map(|one| Outcome::of(false, one.stopped().is_some()));
        let all = searched.chain(explored).chain(fenced);
        all.max().unwrap_or_default()
    }

    /// Whether a monitor for this model observed the runs.
    fn is_watched(&self, model: Model) -> bool {
        self.monitored.contains(&model)
    }

    /// The number of outcomes that SC does not have; `None` if not all outcomes of SC are known.
    fn beyond_sc(&self, report: &exhaustive::Report) -> Option<usize> {
        let mut all = self.exhaustive.iter();
        let sc = all.find(|it| it.model == Model::SC && it.stopped.is_none())?;
        Some(report.outcomes.difference(&sc.outcomes).count())
    }
}

/// Runs a search. A short one is repeated, and the shortest time is kept.
fn timed(program: &Program, options: &dyn Fn() -> Options) -> bounded::Report {
    let begun = Instant::now();
    let mut report = search(program, &options());
    for _ in 1..MOST_TIMES {
        if begun.elapsed() > SHORT || report.stopped.is_some() {
            break;
        }
        report.time = report.time.min(search(program, &options()).time);
    }
    report
}
