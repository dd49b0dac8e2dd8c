//! A program, explored as the options say.

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

use super::Args;
use crate::error::Error;
use crate::files::failed;
use crate::progress;
use crate::protocol::diagnostics;
use crate::status::Status;

/// Time below which a search is repeated, so that its time is meaningful.
const SHORT: Duration = Duration::from_millis(100);

/// Most runs of a search that is repeated.
const MOST_TIMES: u32 = 20;

/// A program that can run.
pub(super) struct Subject {
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
    /// Returns an error if the file cannot be read, or the program has errors.
    pub(super) fn open(name: &str) -> Result<Subject, Error> {
        let benchmark = benchmarks::find(name);
        let text = match benchmark {
            Some(benchmark) => benchmark.text.to_owned(),
            None => {
                let path = Path::new(name);
                inputs::read_text(path, LARGEST_TEXT_BYTES).map_err(failed(path))?
            }
        };
        let read = Program::read(&text);
        let mut sources = Sources::default();
        sources.add(name, text);
        match read {
            Ok(program) => Ok(Subject { name: name.to_owned(), sources, program, benchmark }),
            Err(errors) => Err(diagnostics::refusal(name, &sources, &errors)),
        }
    }
}

/// The results of exploring a program.
pub(super) struct Explored<'a> {
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
pub(super) struct Searched {
    /// The bound on the number of preemptions.
    pub preemptions: u32,
    /// The results of the search, with monitors.
    pub report: bounded::Report,
    /// The time of the search without monitors; `None` if a limit stopped one of the two.
    pub without: Option<Duration>,
}

impl Searched {
    /// Whether every run ended where a loop reached its bound, so that nothing after the loop was explored.
    pub(super) fn saw_no_end(&self) -> bool {
        self.report.runs + self.report.faulty == 0 && self.report.cut_off > 0
    }
}

impl<'a> Explored<'a> {
    /// Explores a program.
    pub(super) fn new(subject: &'a Subject, args: &Args) -> Explored<'a> {
        let monitored = args.models(&args.monitor);
        // All that is searched has to end in the same time.
        let limits = args.limits.begin();
        let options = |preemptions: u32, models: &[Model]| Options {
            preemptions,
            models: models.to_vec(),
            bounds: limits.bounds.clone(),
            runs: Some(u64::from(args.max_runs)),
        };
        let program = &subject.program;
        let spinner = progress::spinner(subject.name.clone(), args.quiet);
        let searches = args.preemptions.iter().map(|&preemptions| {
            spinner.set_message(format!("{preemptions} preemptions"));
            let report = timed(program, &|| options(preemptions, &monitored));
            let without = report.stopped.is_none().then(|| {
                spinner.set_message("without monitors");
                timed(program, &|| options(preemptions, &[]))
            });
            Searched {
                preemptions,
                report,
                without: without.filter(|it| it.stopped.is_none()).map(|it| it.time),
            }
        });
        let searches = searches.collect();
        let exhaustive = args.models(&args.exhaustive).into_iter().map(|model| {
            explore(program, model, &limits, &mut |progress| {
                let states = progress.states;
                spinner.set_message(format!("{states} states under {model}"));
            })
        });
        let exhaustive = exhaustive.collect();
        let most = args.preemptions.iter().copied().max().unwrap_or(0);
        let fenced = monitored.iter().filter(|_| args.suggest_fences);
        let fences = fenced.map(|&model| {
            spinner.set_message(format!("fences under {model}"));
            suggest(program, model, &options(most, &[]))
        });
        let fences = fences.collect();
        spinner.finish_and_clear();
        Explored { subject, monitored, searches, exhaustive, fences }
    }

    /// The exit status.
    pub(super) fn status(&self) -> Status {
        let of = |found: bool, stopped: bool| match (found, stopped) {
            (true, _) => Status::Violation,
            (false, true) => Status::Undecided,
            (false, false) => Status::Done,
        };
        let searched = self.searches.iter().map(|one| {
            let report = &one.report;
            let found = report.violations.len() + report.faults.len() > 0;
            of(found, report.stopped.is_some() || one.saw_no_end())
        });
        let explored = self.exhaustive.iter().map(|one| {
            let found = one.fault.is_some() || self.beyond_sc(one).is_some_and(|beyond| beyond > 0);
            of(found, one.stopped.is_some())
        });
        let fenced = self.fences.iter().map(|one| of(false, one.stopped().is_some()));
        let all = searched.chain(explored).chain(fenced);
        all.fold(Status::Done, Status::and)
    }

    /// Whether a monitor for this model observed the runs.
    pub(super) fn is_watched(&self, model: Model) -> bool {
        self.monitored.contains(&model)
    }

    /// The number of outcomes that SC does not have; `None` if not all outcomes of SC are known.
    pub(super) fn beyond_sc(&self, report: &exhaustive::Report) -> Option<usize> {
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
